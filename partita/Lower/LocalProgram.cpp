//===- LocalProgram.cpp - from a plan to the program of one device --------===//
//
// One walk over the normal form, in program order, with a cursor into the flat
// program, whose ops are in the same order. Before each op, the flat program
// has the copies of the free values it takes; for a loop the entries, the
// condition, its predicate, the body, the yields; for a branch its predicate,
// then each branch and its yields.
//
//===----------------------------------------------------------------------===//

#include "partita/Lower/LocalProgram.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Cost/Overlap.h"
#include "partita/Cost/ReshardCause.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Lower/Collectives.h"
#include "partita/Lower/LocalModule.h"
#include "partita/Lower/ManualBody.h"
#include "partita/Lower/OpPieces.h"
#include "partita/Lower/OpenLoop.h"
#include "partita/Lower/PieceEmitter.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Support/Containment.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::lower {

namespace {

class SpmdLowering {
public:
  SpmdLowering(ModuleOp module, const Flattened &flattened, const Assignment &assignment, const Reshards &reshards,
               const ReshardPlanner &planner, const ProductPieces &pieced, const std::set<ReshardId> &rotated)
      : flattened(flattened), graph(flattened.graph), assignment(assignment), axes(assignment.getAxes()),
        reshards(reshards), planner(planner), rotated(rotated), main(module.lookupSymbol<func::FuncOp>("main")),
        local(module, assignment), builder(module.getContext()), index(axes, local.getBody(), main.getLoc()),
        collectives(axes, index), pieces(flattened, assignment, index, freeValues),
        pieceEmitter(pieced, collectives, index, pieces), values(graph.cells.size()),
        materialised(reshards.list.size()), middles(assignment.getTopology()) {}

  Result<LocalProgram> run();

private:
  // Ops.
  void lowerBlock(Block &block);
  void lowerOp(Operation *op);
  void lowerWhile(stablehlo::WhileOp op);
  void lowerCondition(stablehlo::WhileOp op, stablehlo::WhileOp loop, ArrayRef<CellId> carried);
  /// Returns what is to be rotated.
  OpenLoop lowerBody(stablehlo::WhileOp op, stablehlo::WhileOp loop, ArrayRef<CellId> carried);
  void lowerBranches(Operation *op);
  void lowerBarrier(Operation *op);
  void lowerManual(sdy::ManualComputationOp op);
  SmallVector<Value> lowerReturn(Operation *op);

  /// The next op of the flat program, which must represent `origin`. Emits the copies of free values before it.
  OpId take(Operation *origin);
  void lowerGraphOp(OpId id);

  // Values.
  /// The operands of `id`. Emits the reshards before it.
  SmallVector<Value> readOperands(OpId id);
  /// Records the results of `id`. Emits the reshards after it.
  void define(OpId id, ValueRange results);
  /// The value that an identity passes on: to a loop, a branch's result, the program's result.
  Value lowerIdentity(OpId id);
  void emitReshards(IdRange<ReshardId> range, Location loc);
  Value keepInLoop(CellId cell, const ReshardPlan &plan, Value value);
  Value keepInIteration(CellId cell, ReshardCause cause, Location loc, Value reduced);
  const Overlap &getOverlap();
  /// Records the values that a loop or branches leave in their cells. Emits the reshards after it.
  void leave(Operation *op, ArrayRef<CellId> cells, ValueRange results);
  void bind(ArrayRef<CellId> cells, ValueRange bound) {
    for (auto [cell, value] : llvm::zip_equal(cells, bound))
      values[cell] = value;
  }

  void fail(Error why) {
    if (!error)
      error = std::move(why);
  }

  const Flattened &flattened;
  const Graph &graph;
  const Assignment &assignment;
  const Axes &axes;
  const Reshards &reshards;
  const ReshardPlanner &planner;
  const std::set<ReshardId> &rotated;
  func::FuncOp main;
  LocalModule local;
  OpBuilder builder;
  DeviceIndex index;
  Collectives collectives;
  FreeValues freeValues;
  OpPieces pieces;
  PieceEmitter pieceEmitter;
  IdVector<CellId, Value> values;
  IdVector<ReshardId, Value> materialised;
  SmallVector<OpenLoop> loops;
  /// Which values nothing waits for; built for the first loop or barrier.
  std::unique_ptr<FusionPlan> fusion;
  std::unique_ptr<Overlap> overlap;
  LoopMiddles middles;
  uint32_t cursor = 0;
  std::vector<ReshardId> refused;
  /// The program has existing collectives.
  bool hasOwnChannels = false;
  /// Collectives were cloned with their channels.
  bool hasCopiedChannels = false;
  Status error;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values and reshards
//===----------------------------------------------------------------------===//

/// Only gathers make a value larger; hoisted out of a loop, they keep the larger value alive during the whole loop.
static bool hasGather(const ReshardPlan &plan) {
  return llvm::any_of(plan.steps, [](const ReshardStep &step) { return step.kind == CollectiveKind::AllGather; });
}

/// XLA hoists loop-invariant ops. To keep the gather of a value inside the loop, bind the value to one that changes in
/// each iteration.
Value SpmdLowering::keepInLoop(CellId cell, const ReshardPlan &plan, Value value) {
  if (loops.empty() || !loops.back().changing || !hasGather(plan))
    return value;
  const OpenLoop &loop = loops.back();
  RegionId region = graph.cells[cell].region;
  while (region.isValid() && region != loop.region)
    region = graph.regions[region].parent;
  bool isFromOutside = !region.isValid();
  if (!isFromOutside && !loop.unchanged.contains(cell.get()))
    return value;
  auto barrier = stablehlo::OptimizationBarrierOp::create(
      builder, value.getLoc(), TypeRange{value.getType(), loop.changing.getType()}, ValueRange{value, loop.changing});
  return barrier->getResult(0);
}

const Overlap &SpmdLowering::getOverlap() {
  if (!overlap) {
    fusion = std::make_unique<FusionPlan>(assignment.getTopology());
    overlap = std::make_unique<Overlap>(assignment.getTopology(), *fusion);
  }
  return *overlap;
}

/// XLA moves a reduction whose result only a stack takes to the start of the next iteration. All reductions of a layer
/// wait there for each other, with nothing to compute beside them (docs/gpu.md). It moves nothing past a barrier. Where
/// a norm takes all gradients, it hides more without.
Value SpmdLowering::keepInIteration(CellId cell, ReshardCause cause, Location loc, Value reduced) {
  if (loops.empty() || cause != ReshardCause::Combine || !getOverlap().isLate(cell) || overlap->hasJoin())
    return reduced;
  return stablehlo::OptimizationBarrierOp::create(builder, loc, reduced.getType(), reduced)->getResult(0);
}

/// The name that the collectives of a reshard have in profiles.
static StringRef getName(ReshardCause cause) {
  switch (cause) {
  case ReshardCause::Combine:
    return "partita/reduce";
  case ReshardCause::NeededByOp:
    return "partita/use";
  case ReshardCause::Uses:
  case ReshardCause::GivenByOp:
    return "partita/define";
  }
  llvm_unreachable("unknown cause");
}

void SpmdLowering::emitReshards(IdRange<ReshardId> range, Location loc) {
  for (ReshardId id : range) {
    if (error)
      return;
    const Reshard &reshard = reshards[id];
    const ReshardPlan &plan = planner[reshard.plan];
    Value value = reshard.source.isValid() ? materialised[reshard.source] : values[reshard.cell];
    ReshardCause cause = findCause(reshard, plan);
    Location named = NameLoc::get(builder.getStringAttr(getName(cause)), loc);
    if (pieceEmitter.isPieced(id)) {
      Value kept = pieceEmitter.isScatter(id) ? value : keepInLoop(reshard.cell, plan, value);
      materialised[id] = pieceEmitter.emitReshard(builder, named, id, kept);
      continue;
    }
    Value moved = collectives.emitPlan(builder, named, keepInLoop(reshard.cell, plan, value), plan);
    bool isReduced = rotated.contains(id) && cause == ReshardCause::Combine;
    materialised[id] = isReduced ? moved : keepInIteration(reshard.cell, cause, named, moved);
    if (isReduced)
      loops.back().reduced.push_back({id, {value, moved}});
    else if (rotated.contains(id))
      loops.back().gathered.push_back({id, moved});
  }
}

SmallVector<Value> SpmdLowering::readOperands(OpId id) {
  emitReshards(reshards.getBefore(id), flattened.origins[id]->getLoc());
  SmallVector<Value> operands;
  for (uint32_t number = 0; number < graph.ops[id].numUses; ++number) {
    UseId use(graph.ops[id].firstUse + number);
    ReshardId reshard = reshards.uses[use];
    operands.push_back(reshard.isValid() ? materialised[reshard] : values[graph.uses[use]]);
  }
  return operands;
}

void SpmdLowering::define(OpId id, ValueRange results) {
  if (error)
    return;
  bind(graph.getResults(id), results);
  if (!loops.empty() && loops.back().middleOp == id)
    loops.back().middle = results.front();
  emitReshards(reshards.getAfter(id), flattened.origins[id]->getLoc());
}

void SpmdLowering::leave(Operation *op, ArrayRef<CellId> cells, ValueRange results) {
  if (error)
    return;
  bind(cells, results);
  for (CellId cell : cells)
    emitReshards(reshards.getAfter(cell), op->getLoc());
}

Value SpmdLowering::lowerIdentity(OpId id) {
  Value value = readOperands(id).front();
  // The cell keeps its value: other values that are yielded with this one may use it.
  Value &cell = values[graph.getResults(id).front()];
  Value kept = std::exchange(cell, value);
  emitReshards(reshards.getAfter(id), flattened.origins[id]->getLoc());
  cell = kept;
  ReshardId reshard = reshards.getDefinition(graph, id, 0);
  return reshard.isValid() ? materialised[reshard] : value;
}

//===----------------------------------------------------------------------===//
// Ordinary ops
//===----------------------------------------------------------------------===//

OpId SpmdLowering::take(Operation *origin) {
  while (flattened.origins[OpId(cursor)] != origin)
    lowerGraphOp(OpId(cursor++));
  return OpId(cursor++);
}

void SpmdLowering::lowerGraphOp(OpId id) {
  if (error)
    return;
  if (pieceEmitter.isPieced(id)) {
    SmallVector<Value> operands = readOperands(id);
    return error ? void() : define(id, pieceEmitter.emitProduct(builder, id, operands));
  }
  Result<SmallVector<Value>> results = pieces.emit(builder, id, readOperands(id));
  if (!results)
    return fail(results.error());
  define(id, *results);
}

void SpmdLowering::lowerOp(Operation *op) {
  if (flattened.freeOps.contains(op))
    return;
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
    return lowerWhile(loop);
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return lowerBranches(op);
  if (isa<stablehlo::OptimizationBarrierOp>(op))
    return lowerBarrier(op);
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op); manual && axes.size() > 0)
    return lowerManual(manual);
  lowerGraphOp(take(op));
}

void SpmdLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (error)
      return;
    lowerOp(&op);
  }
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

/// Creates a block with the given arguments and sets `builder` to its end.
static Block *beginBlock(OpBuilder &builder, mlir::Region &region, ValueRange carried, Block &original) {
  Block *block = builder.createBlock(&region);
  for (auto [value, argument] : llvm::zip_equal(carried, original.getArguments()))
    block->addArgument(value.getType(), argument.getLoc());
  return block;
}

/// Copies all attributes except shardings.
static void copyAttrs(Operation *from, Operation *to) {
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
  dropShardingAttrs(to);
}

void SpmdLowering::lowerWhile(stablehlo::WhileOp op) {
  SmallVector<Value> initial;
  SmallVector<CellId> carried;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    OpId entry = take(op);
    initial.push_back(lowerIdentity(entry));
    carried.push_back(graph.getResults(entry).front());
  }
  if (error)
    return;
  auto loop = stablehlo::WhileOp::create(builder, op.getLoc(), TypeRange(ValueRange(initial)), initial);
  copyAttrs(op, loop);
  lowerCondition(op, loop, carried);
  OpenLoop open;
  if (!error)
    open = lowerBody(op, loop, carried);
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop->getResults());
  if (!error && open.isRotated()) {
    RotatedLoop made = rotateLoop(loop, open);
    results = std::move(made.results);
    builder.setInsertionPointAfter(made.last);
    llvm::append_range(refused, made.refused);
    hasCopiedChannels = true;
  }
  leave(op, carried, ValueRange(results).take_front(carried.size()));
}

void SpmdLowering::lowerCondition(stablehlo::WhileOp op, stablehlo::WhileOp loop, ArrayRef<CellId> carried) {
  FreeValues::Scope scope(freeValues);
  Block &original = op.getCond().front();
  Block *block = beginBlock(builder, loop.getCond(), loop->getOperands(), original);
  bind(carried, block->getArguments());
  loops.push_back(openLoop(op, *block, carried, RegionId()));
  lowerBlock(original);
  if (error)
    return;
  Value predicate = lowerIdentity(take(op));
  loops.pop_back();
  stablehlo::ReturnOp::create(builder, original.getTerminator()->getLoc(), predicate);
}

OpenLoop SpmdLowering::lowerBody(stablehlo::WhileOp op, stablehlo::WhileOp loop, ArrayRef<CellId> carried) {
  FreeValues::Scope scope(freeValues);
  Block &original = op.getBody().front();
  Block *block = beginBlock(builder, loop.getBody(), loop->getOperands(), original);
  bind(carried, block->getArguments());
  RegionId region = carried.empty() ? RegionId() : graph.cells[carried.front()].region;
  loops.push_back(openLoop(op, *block, carried, region));
  auto isCarried = [&](ReshardId id) {
    return reshards[id].region == region && reshards[id].position == ReshardPosition::AfterDefinition;
  };
  if (llvm::any_of(rotated, isCarried))
    loops.back().middleOp = middles.find(region);
  lowerBlock(original);
  SmallVector<Value> next;
  for (auto [number, value] : llvm::enumerate(original.getTerminator()->getOperands())) {
    if (error)
      return {};
    bool isUnchanged = value == original.getArgument(number);
    next.push_back(isUnchanged ? Value(block->getArgument(number)) : lowerIdentity(take(op)));
  }
  OpenLoop open = std::move(loops.back());
  loops.pop_back();
  stablehlo::ReturnOp::create(builder, original.getTerminator()->getLoc(), next);
  return open;
}

void SpmdLowering::lowerBranches(Operation *op) {
  Value predicate = lowerIdentity(take(op));
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(predicate);
  SmallVector<CellId> results;
  // Regions must be in an op while they are lowered, as loops in them are searched for what is outside. The types of
  // the results are only known behind that.
  for (unsigned number = 0; number < op->getNumRegions(); ++number)
    state.addRegion();
  Operation *untyped = builder.create(state);
  {
    OpBuilder::InsertionGuard guard(builder);
    for (auto [branch, region] : llvm::zip_equal(op->getRegions(), untyped->getRegions())) {
      FreeValues::Scope scope(freeValues);
      builder.createBlock(&region);
      lowerBlock(branch.front());
      Operation *end = branch.front().getTerminator();
      SmallVector<Value> yielded;
      results.clear();
      for (unsigned i = 0; i < end->getNumOperands() && !error; ++i) {
        OpId yield = take(op);
        yielded.push_back(lowerIdentity(yield));
        results.push_back(graph.getResults(yield).front());
      }
      if (error)
        return;
      stablehlo::ReturnOp::create(builder, end->getLoc(), yielded);
    }
  }
  OperationState typed(op->getLoc(), op->getName());
  typed.addOperands(predicate);
  typed.addTypes(untyped->getRegions().front().front().getTerminator()->getOperandTypes());
  for (mlir::Region &region : untyped->getRegions())
    typed.addRegion()->takeBody(region);
  Operation *made = builder.create(typed);
  untyped->erase();
  copyAttrs(op, made);
  leave(op, results, made->getResults());
}

/// A barrier orders compute. Reductions that nothing waits for, of gradients and of the loss, run behind it, beside
/// what comes next.
void SpmdLowering::lowerBarrier(Operation *op) {
  SmallVector<OpId> ids;
  SmallVector<Value> operands;
  SmallVector<SmallVector<Operation *, 2>> reductions;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    ids.push_back(take(op));
    operands.append(readOperands(ids.back()));
    if (error)
      return;
    CellId cell = graph.getOperands(ids.back())[0];
    reductions.emplace_back();
    if (getOverlap().getBarrier(cell) == ids.back())
      reductions.back() = findUnusedReductions(values[cell], operands.back());
    if (!reductions.back().empty())
      operands.back() = values[cell];
  }
  auto made =
      stablehlo::OptimizationBarrierOp::create(builder, op->getLoc(), TypeRange(ValueRange(operands)), operands);
  copyAttrs(op, made);
  for (auto [id, value, moved] : llvm::zip_equal(ids, made->getResults(), reductions)) {
    for (Operation *reduction : moved)
      reduction->moveBefore(builder.getBlock(), builder.getInsertionPoint());
    if (!moved.empty())
      moved.front()->setOperand(0, value);
    define(id, moved.empty() ? Value(value) : moved.back()->getResult(0));
  }
}

/// The body is already per-device code and is copied as it is. Its operands have been resharded to the shardings that
/// it states.
void SpmdLowering::lowerManual(sdy::ManualComputationOp op) {
  for (unsigned i = 0; i < op->getNumOperands() && !error; ++i) {
    OpId id = take(op);
    SmallVector<Value> operand = readOperands(id);
    define(id, operand);
  }
  OpId id = take(op);
  if (error)
    return;
  SmallVector<Value> operands = readOperands(id);
  if (std::string fault = findManualFault(op, assignment, id, operands); !fault.empty())
    return fail(Error::unsupported(locationOf(op), "a manual computation (shard_map): " + fault));
  IRMapping mapping;
  Block &body = op.getBody().front();
  mapping.map(body.getArguments(), operands);
  for (Operation &inner : body.without_terminator()) {
    if (isMark(&inner))
      mapping.map(inner.getResult(0), mapping.lookupOrDefault(inner.getOperand(0)));
    else {
      Operation *copy = builder.clone(inner, mapping);
      dropShardingAttrs(copy);
      nameGroupMeshes(copy);
    }
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  hasOwnChannels = true;
  define(id, results);
}

SmallVector<Value> SpmdLowering::lowerReturn(Operation *op) {
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumOperands() && !error; ++i)
    results.push_back(lowerIdentity(take(op)));
  return results;
}

//===----------------------------------------------------------------------===//
// The whole program
//===----------------------------------------------------------------------===//

Result<LocalProgram> SpmdLowering::run() {
  if (axes.size() > 0)
    error = verifyDeviceDependence(main, flattened.deviceDependence, axes.mesh.getNumDevices());
  if (error)
    return std::move(*error);
  hasOwnChannels = !flattened.deviceDependence.collectives.empty();
  builder.setInsertionPointToEnd(local.getBody());
  leave(main, graph.arguments, local.getBody()->getArguments());
  Block &block = main.getBody().front();
  lowerBlock(block);
  SmallVector<Value> results;
  if (!error)
    results = lowerReturn(block.getTerminator());
  if (error)
    return std::move(*error);
  index.eraseUnused();
  LocalProgram program;
  program.droppedDonors = local.getDonation().dropped;
  program.refused = std::move(refused);
  program.module = local.finish(results);
  if (hasOwnChannels || hasCopiedChannels || pieces.hasNeighbors())
    import::renumberChannels(*program.module);
  return std::move(program);
}

Result<LocalProgram> lowerProgram(ModuleOp module, const Flattened &flattened, const Assignment &assignment,
                                  const Reshards &reshards, const ReshardPlanner &planner, const ProductPieces &pieces,
                                  const std::set<ReshardId> &rotated) {
  return SpmdLowering(module, flattened, assignment, reshards, planner, pieces, rotated).run();
}

Result<LocalProgram> lowerPlan(ModuleOp module, const Flattened &flattened, const Plan &plan) {
  setActivity("lowering");
  Result<LocalProgram> local =
      SpmdLowering(module, flattened, plan.assignment, plan.reshards, plan.planner, plan.pieces, plan.rotated).run();
  if (!local)
    return local;
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(*local->module)))
    return Error::internal("the local program does not verify: " + collector.takeError("no reason").reason);
  return local;
}

} // namespace partita::lower
