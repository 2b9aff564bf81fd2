//===- LoopForm.cpp - an assignment as loops over mesh axes ---------------===//

#include "partita/Lower/LoopForm.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Part/Part.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Graph/RulePool.h"
#include "partita/Lower/LoopNest.h"
#include "partita/Lower/ValueTiles.h"
#include "partita/Program/Rules/StageShift.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita::lower {

namespace {

/// The nest of one op while it is emitted.
struct OpenNest {
  OpId id;
  /// The original op, in front of which the nest is emitted.
  Operation *op = nullptr;
  Rule rule;
  LoopNest nest;
  SmallVector<part::LoopOp, 2> loops;
  /// The operands, sliced further from level to level.
  SmallVector<Value> operands;
};

class LoopForm {
public:
  LoopForm(ModuleOp module, const Flattened &flattened, const Assignment &assignment)
      : flattened(flattened), graph(flattened.graph), assignment(assignment), axes(assignment.getAxes()),
        topology(assignment.getTopology()), builder(module.getContext()), source(module) {
    // Types and locations are shared: only ops and regions are copied.
    copy = cast<ModuleOp>(module->clone(copies));
  }

  Result<OwningOpRef<ModuleOp>> run();

private:
  /// Emits loops that split a value and put it together again.
  void emitTile(const ValueTile &tile);
  Value emitTileNest(Value whole, const Sharding &sharding);
  /// Replaces the copy of an op by its nest, if it is split.
  Status replace(OpId id);
  void emitNest(OpenNest &open);
  void openLoop(OpenNest &open, unsigned level);
  SmallVector<Value> emitPieces(OpenNest &open);
  void removeUnusedFreeOps();

  sdy::AxisRefAttr makeAxisRef(const NestLoop &loop);
  SmallVector<Attribute> makeActions(const OpenNest &open, const NestLoop &loop);
  SmallVector<Split> emitSplits(const OpenNest &open, OpId id);
  /// The position of the nest along `list`, major to minor.
  Value emitIndex(const OpenNest &open, ArrayRef<AxisId> list);
  Value emitDigit(const OpenNest &open, AxisId axis);
  template <typename OpT> Value emitIndexOp(Value a, int64_t b);
  Value noteIndexOp(Operation *op);
  /// Removes index ops that are not used: most ops compute their piece without its index.
  void removeUnusedIndices();

  // Values that depend on no argument.
  bool isFree(CellId cell) const;
  /// Whether an axis splits the op that does not split `sharding`.
  bool hasOtherAxes(OpId id, const Sharding &sharding) const;
  /// Whether the op of a free value, and those before it, are assigned to compute the piece that a use needs.
  bool canEmitInside(CellId cell, const Sharding &needed) const;
  Value emitInside(const OpenNest &open, CellId cell);

  const Flattened &flattened;
  const Graph &graph;
  const Assignment &assignment;
  const Axes &axes;
  const Topology &topology;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  ModuleOp source;
  OwningOpRef<ModuleOp> copy;
  IRMapping copies;
  /// The ops that compute positions in the current nest.
  SmallVector<Operation *> indexOps;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

sdy::AxisRefAttr LoopForm::makeAxisRef(const NestLoop &loop) {
  const Axis &first = axes[loop.axes.front()];
  const MeshAxis &whole = axes.mesh.axes[first.meshAxis];
  if (loop.size == whole.size)
    return sdy::AxisRefAttr::get(builder.getContext(), whole.name);
  return sdy::AxisRefAttr::get(builder.getContext(), whole.name, first.preSize, loop.size);
}

/// The dim that holds the factor, if there is one.
static std::optional<unsigned> findDim(const ValueFactors &value, uint8_t factor) {
  for (auto [dim, factors] : llvm::enumerate(value))
    if (llvm::is_contained(factors, factor))
      return dim;
  return std::nullopt;
}

SmallVector<Attribute> LoopForm::makeActions(const OpenNest &open, const NestLoop &loop) {
  MLIRContext *context = builder.getContext();
  const Factor &factor = open.rule.factors[loop.factor];
  SmallVector<Attribute> actions;
  for (const ValueFactors &result : open.rule.results) {
    if (std::optional<unsigned> dim = findDim(result, loop.factor))
      actions.push_back(part::TileAttr::get(context, *dim));
    else if (factor.kind == FactorKind::Reduce)
      actions.push_back(part::SumAttr::get(context, *part::symbolizeCombiner(getName(factor.combiner))));
    else
      actions.push_back(part::AnyAttr::get(context));
  }
  return actions;
}

/// The types of the op's results, split by the loops outside of level `level`.
static SmallVector<Type> computeTypes(const OpenNest &open, unsigned level) {
  SmallVector<Type> types;
  for (auto [value, factors] : llvm::zip_equal(open.op->getResults(), open.rule.results)) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (const NestLoop &loop : ArrayRef(open.nest.loops).take_front(level))
      if (std::optional<unsigned> dim = findDim(factors, loop.factor))
        shape[*dim] /= loop.size;
    types.push_back(type.clone(shape));
  }
  return types;
}

void LoopForm::openLoop(OpenNest &open, unsigned level) {
  const NestLoop &loop = open.nest.loops[level];
  auto made = part::LoopOp::create(builder, loc, computeTypes(open, level), makeAxisRef(loop), loop.size,
                                   makeActions(open, loop));
  open.loops.push_back(made);
  builder.setInsertionPointToEnd(&made.getBody().front());
}

Value LoopForm::emitTileNest(Value whole, const Sharding &sharding) {
  Value piece = whole;
  SmallVector<part::LoopOp, 2> loops;
  for (const NestLoop &loop : buildNest(axes, sharding).loops) {
    Attribute action = part::TileAttr::get(builder.getContext(), loop.factor);
    loops.push_back(
        part::LoopOp::create(builder, loc, piece.getType(), makeAxisRef(loop), loop.size, ArrayRef(action)));
    builder.setInsertionPointToEnd(&loops.back().getBody().front());
    piece = part::SliceOp::create(builder, loc, piece, loop.factor, loops.back().getPosition());
  }
  for (part::LoopOp loop : llvm::reverse(loops)) {
    part::YieldOp::create(builder, loc, piece);
    builder.setInsertionPointAfter(loop);
    piece = loop.getResult(0);
  }
  return piece;
}

void LoopForm::emitTile(const ValueTile &tile) {
  Value whole = copies.lookup(tile.value);
  loc = whole.getLoc();
  if (tile.use) {
    Operation *user = copies.lookup(tile.use->getOwner());
    OpOperand &use = user->getOpOperand(tile.use->getOperandNumber());
    builder.setInsertionPoint(user);
    // The value itself may be tiled already.
    use.set(emitTileNest(use.get(), tile.sharding));
    return;
  }
  builder.setInsertionPointAfterValue(whole);
  Value tiled = emitTileNest(whole, tile.sharding);
  Operation *nest = tiled.getDefiningOp();
  whole.replaceUsesWithIf(tiled, [&](OpOperand &use) { return !nest->isAncestor(use.getOwner()); });
}

/// The operand before `operand` that is the same value, sliced in the same way.
static unsigned findTwin(const OpenNest &open, unsigned operand) {
  for (unsigned other = 0; other < operand; ++other)
    if (open.op->getOperand(other) == open.op->getOperand(operand) &&
        open.rule.operands[other] == open.rule.operands[operand])
      return other;
  return operand;
}

void LoopForm::emitNest(OpenNest &open) {
  builder.setInsertionPoint(open.op);
  open.operands.assign(open.op->operand_begin(), open.op->operand_end());
  ArrayRef<CellId> cells = graph.getOperands(open.id);
  SmallVector<NestSlice> slices;
  for (unsigned operand = 0; operand < cells.size(); ++operand)
    if (findTwin(open, operand) == operand &&
        !canEmitInside(cells[operand], assignment.getValueSharding(open.id, operand)))
      llvm::append_range(slices, collectSlices(open.nest, open.rule.operands[operand], operand));
  for (unsigned level = 0; level < open.nest.loops.size(); ++level) {
    openLoop(open, level);
    for (const NestSlice &slice : slices)
      if (slice.level == level) {
        Value &operand = open.operands[slice.operand];
        operand = part::SliceOp::create(builder, loc, operand, slice.dim, open.loops[slice.loop].getPosition());
      }
  }
  SmallVector<Value> pieces = emitPieces(open);
  for (part::LoopOp loop : llvm::reverse(open.loops)) {
    part::YieldOp::create(builder, loc, pieces);
    builder.setInsertionPointAfter(loop);
    pieces.assign(loop->result_begin(), loop->result_end());
  }
  open.op->replaceAllUsesWith(open.loops.front());
  open.op->erase();
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Value LoopForm::noteIndexOp(Operation *op) {
  indexOps.push_back(op);
  return op->getResult(0);
}

/// Emits an op on a position and a constant.
template <typename OpT> Value LoopForm::emitIndexOp(Value a, int64_t b) {
  auto value = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), b);
  Value number = noteIndexOp(stablehlo::ConstantOp::create(builder, loc, value));
  return noteIndexOp(OpT::create(builder, loc, a, number));
}

void LoopForm::removeUnusedIndices() {
  for (Operation *op : llvm::reverse(indexOps))
    if (op->use_empty())
      op->erase();
  indexOps.clear();
}

/// The position along one axis, which may be a digit of a loop's position.
Value LoopForm::emitDigit(const OpenNest &open, AxisId axis) {
  unsigned number = 0;
  while (!llvm::is_contained(open.nest.loops[number].axes, axis))
    ++number;
  ArrayRef<AxisId> list = open.nest.loops[number].axes;
  int64_t minors = 1;
  for (size_t i = list.size(); list[--i] != axis;)
    minors *= axes[list[i]].size;
  part::LoopOp loop = open.loops[number];
  Value position = loop.getPosition();
  if (minors > 1)
    position = emitIndexOp<stablehlo::DivOp>(position, minors);
  if (axis != list.front())
    position = emitIndexOp<stablehlo::RemOp>(position, axes[axis].size);
  return position;
}

Value LoopForm::emitIndex(const OpenNest &open, ArrayRef<AxisId> list) {
  for (auto [number, loop] : llvm::enumerate(open.nest.loops))
    if (ArrayRef<AxisId>(loop.axes) == list)
      return part::LoopOp(open.loops[number]).getPosition();
  Value index = emitDigit(open, list.front());
  for (AxisId axis : list.drop_front()) {
    index = emitIndexOp<stablehlo::MulOp>(index, axes[axis].size);
    index = noteIndexOp(stablehlo::AddOp::create(builder, loc, index, emitDigit(open, axis)));
  }
  return index;
}

SmallVector<Split> LoopForm::emitSplits(const OpenNest &open, OpId id) {
  NodeId node = topology.getNode(id);
  SmallVector<Split> splits;
  for (uint8_t factor = 0; factor < graph.getFactors(id).size(); ++factor)
    if (DimAxes list = assignment.getFactorAxes(node, factor); !list.empty())
      splits.push_back({factor, assignment.getParts(node, factor), emitIndex(open, list)});
  return splits;
}

/// Removes shardings of the whole value from its pieces.
static void dropShardings(ValueRange pieces) {
  for (Value piece : pieces)
    if (Operation *op = piece.getDefiningOp())
      for (StringRef name : {StringRef(sdy::kShardingName), StringRef(sdy::kShardingRuleName)})
        op->removeDiscardableAttr(name);
}

SmallVector<Value> LoopForm::emitPieces(OpenNest &open) {
  ArrayRef<CellId> cells = graph.getOperands(open.id);
  for (unsigned operand = 0; operand < cells.size(); ++operand) {
    unsigned twin = findTwin(open, operand);
    if (twin != operand)
      open.operands[operand] = open.operands[twin];
    else if (canEmitInside(cells[operand], assignment.getValueSharding(open.id, operand)))
      open.operands[operand] = emitInside(open, cells[operand]);
  }
  // A constraint does not change a value's elements.
  if (graph.ops[open.id].role == IdentityRole::Constraint)
    return open.operands;
  SmallVector<Value> pieces = emitLocal(builder, open.op, open.rule, open.operands, emitSplits(open, open.id));
  dropShardings(pieces);
  return pieces;
}

//===----------------------------------------------------------------------===//
// Values that depend on no argument
//===----------------------------------------------------------------------===//

bool LoopForm::isFree(CellId cell) const {
  OpId definition = topology.getDefinition(cell);
  return definition.isValid() && flattened.freeOps.contains(flattened.origins[definition]);
}

bool LoopForm::hasOtherAxes(OpId id, const Sharding &sharding) const {
  NodeId node = topology.getNode(id);
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    uint8_t factor = assignment.getFactor(node, axis);
    // Ops that propagate a partial sum are shown whole.
    if (factor != noFactor && factor != sumFactor && sharding.findAxis(axis) < 0)
      return true;
  }
  return false;
}

/// Whether an axis splits a factor along which devices exchange something within the op.
static bool isExchanging(const Assignment &assignment, OpId id, const Rule &rule) {
  NodeId node = assignment.getTopology().getNode(id);
  for (uint8_t factor = 0; factor < rule.factors.size(); ++factor)
    if (rule.factors[factor].isExchanged() && assignment.getParts(node, factor) > 1)
      return true;
  return false;
}

bool LoopForm::canEmitInside(CellId cell, const Sharding &needed) const {
  if (needed.isReplicated() || !isFree(cell))
    return false;
  OpId id = topology.getDefinition(cell);
  uint32_t numUses = graph.ops[id].numUses;
  if (assignment.getValueSharding(id, numUses) != needed || hasOtherAxes(id, needed) ||
      isExchanging(assignment, id, buildRule(graph, id)))
    return false;
  for (uint32_t operand = 0; operand < numUses; ++operand)
    if (Sharding inner = assignment.getValueSharding(id, operand);
        !inner.isReplicated() && !canEmitInside(graph.getOperands(id)[operand], inner))
      return false;
  return true;
}

Value LoopForm::emitInside(const OpenNest &open, CellId cell) {
  OpId id = topology.getDefinition(cell);
  Operation *op = copies.lookup(flattened.origins[id]);
  SmallVector<Value> operands;
  for (auto [number, operand] : llvm::enumerate(graph.getOperands(id))) {
    bool isWhole = assignment.getValueSharding(id, number).isReplicated();
    operands.push_back(isWhole ? op->getOperand(number) : emitInside(open, operand));
  }
  SmallVector<Value> pieces = emitLocal(builder, op, buildRule(graph, id), operands, emitSplits(open, id));
  dropShardings(pieces);
  return pieces.front();
}

/// Removes free ops that are only computed inside of loops now.
void LoopForm::removeUnusedFreeOps() {
  SmallVector<Operation *> list;
  source.walk([&](Operation *op) {
    if (flattened.freeOps.contains(op))
      list.push_back(copies.lookup(op));
  });
  for (Operation *op : llvm::reverse(list))
    if (op->use_empty())
      op->erase();
}

//===----------------------------------------------------------------------===//
// The whole program
//===----------------------------------------------------------------------===//

/// Why a nest cannot be built around the op; empty if it can.
static std::string findFault(Operation *op) {
  if (isa<stablehlo::CompositeOp>(op))
    return "a kernel is not split: its body is written for the whole";
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return "its results are not all tensors";
  return "";
}

Status LoopForm::replace(OpId id) {
  OpenNest open;
  open.id = id;
  open.op = copies.lookup(flattened.origins[id]);
  open.rule = buildRule(graph, id);
  // It takes from another position, which a loop has no form for: it is shown whole.
  if (isStageShift(open.op) || isExchanging(assignment, id, open.rule))
    return std::nullopt;
  std::optional<LoopNest> nest = buildNest(assignment, id, open.rule);
  if (nest && nest->loops.empty())
    return std::nullopt;
  std::string fault = nest ? findFault(open.op) : "two of its dims are split over the same axes in different orders";
  if (!fault.empty())
    return Error::unsupported(locationOf(open.op), "'" + open.op->getName().getStringRef().str() + "': " + fault);
  open.nest = std::move(*nest);
  loc = open.op->getLoc();
  emitNest(open);
  removeUnusedIndices();
  return std::nullopt;
}

Result<OwningOpRef<ModuleOp>> LoopForm::run() {
  auto main = source.lookupSymbol<func::FuncOp>("main");
  for (const ValueTile &tile : collectValueTiles(main, flattened, assignment))
    emitTile(tile);
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    if (isBundle(graph.ops[id]) || flattened.freeOps.contains(flattened.origins[id]))
      continue;
    if (Status error = replace(id))
      return std::move(*error);
  }
  removeUnusedFreeOps();
  DiagnosticCollector collector(source.getContext(), "");
  if (failed(verify(*copy)))
    return collector.takeError("the loop form does not verify");
  return std::move(copy);
}

Result<OwningOpRef<ModuleOp>> buildLoopForm(ModuleOp module, const Flattened &flattened, const Assignment &assignment) {
  sdy::ManualComputationOp manual;
  module.walk([&](sdy::ManualComputationOp op) { manual = op; });
  if (manual)
    return Error::unsupported(locationOf(manual),
                              "a manual computation has no sequential meaning: there is no loop form");
  return LoopForm(module, flattened, assignment).run();
}

} // namespace partita::lower
