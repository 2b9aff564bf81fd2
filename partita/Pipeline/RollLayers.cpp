//===- RollLayers.cpp - loops of unrolled layers --------------------------===//

#include "partita/Pipeline/RollLayers.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/LayerCode.h"
#include "partita/Pipeline/RolledNumbers.h"
#include "partita/Program/Rules/LocalArithmetic.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace partita::pipeline {

using rules::LocalArithmetic;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `type` with a first dim of `count`.
static RankedTensorType addDim(RankedTensorType type, int64_t count) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), count);
  return type.clone(shape);
}

namespace {

/// Result `result` of op number `op` of a layer.
using LayerValue = std::pair<unsigned, unsigned>;

/// What one layer gives to the next.
struct Carry {
  LayerValue value;
  Value initial;
};

/// One loop that is made.
struct Rolled {
  LayerCode code;
  std::vector<Carry> carries = {};
  /// Stacked: results of all layers, and what layers get from the one before.
  llvm::SetVector<LayerValue> stacked = {};
  llvm::SetVector<unsigned> stackedCarries = {};
  stablehlo::WhileOp loop = {};

  std::optional<unsigned> findCarry(LayerValue value, std::optional<Value> initial = std::nullopt) const {
    for (auto [number, carry] : llvm::enumerate(carries))
      if (carry.value == value && (!initial || carry.initial == *initial))
        return number;
    return std::nullopt;
  }
  // Numbers of the loop's values: the counter, carries, stacks.
  unsigned getCarry(unsigned number) const { return 1 + number; }
  unsigned getStack(LayerValue value) const {
    return 1 + carries.size() + (llvm::find(stacked, value) - stacked.begin());
  }
  unsigned getCarryStack(unsigned number) const {
    return 1 + carries.size() + stacked.size() + (llvm::find(stackedCarries, number) - stackedCarries.begin());
  }
};

/// A stack that a loop writes, and the first of its layers that is meant.
struct WrittenStack {
  Rolled *rolled = nullptr;
  std::optional<LayerValue> value = std::nullopt;
  unsigned carry = 0;
  int64_t first = 0;
};

class LayerRoller {
public:
  LayerRoller(Block &block, std::vector<LayerCode> codes) : block(block), builder(block.getTerminator()) {
    for (LayerCode &code : codes)
      loops.push_back({std::move(code)});
  }

  Status run();
  llvm::SetVector<Operation *> getLoops() const {
    llvm::SetVector<Operation *> made;
    for (const Rolled &rolled : loops)
      made.insert(rolled.loop);
    return made;
  }

private:
  // What loops carry and stack.
  void findCarries(Rolled &rolled);
  void findDying();
  void findNeeds();
  Rolled *findRolled(Value value, LayerValue &found, int64_t &layer);
  void need(Value value);
  std::optional<WrittenStack> findWritten(const Rolled &reader, ArrayRef<Value> values);
  std::optional<WrittenStack> findResults(Rolled &rolled, ArrayRef<Value> values);
  std::optional<WrittenStack> findCarriedIn(Rolled &rolled, ArrayRef<Value> values);

  // The loops.
  void emitLoop(Rolled &rolled);
  void emitCondition(Rolled &rolled);
  void emitBody(Rolled &rolled, const std::vector<SmallVector<Value>> &stacks);
  Value emitSlice(Value stack, Value layer, Type type);
  Value emitUpdate(Value stack, Value layer, Value value);
  Value emitStack(const Rolled &reader, ArrayRef<Value> values);
  Value emitStackOf(const WrittenStack &written, int64_t count);
  Value emitPart(Value stack, int64_t first, int64_t count);
  Value emitLayer(Rolled &rolled, LayerValue value, int64_t layer);
  void replaceResults();
  Status eraseOriginals();
  LocalArithmetic emit() { return {builder, builder.getUnknownLoc()}; }

  Block &block;
  OpBuilder builder;
  std::vector<Rolled> loops;
  /// Ops that are copied into loops and not needed outside of them.
  llvm::DenseSet<Operation *> dying;
  /// Results of layers that something outside of their loop needs.
  llvm::SetVector<Value> needed;
  /// The stacks of lists of values: the weights of a forward pass are those of the backward pass.
  std::map<std::vector<void *>, Value> stacksOf;
};

} // namespace

//===----------------------------------------------------------------------===//
// What loops carry and stack
//===----------------------------------------------------------------------===//

void LayerRoller::findCarries(Rolled &rolled) {
  for (const LayerOp &op : rolled.code.ops)
    for (const LayerSource &source : op.sources)
      if (source.kind == LayerSource::Kind::LayerBefore &&
          !rolled.findCarry({source.op, source.result}, source.values.front()))
        rolled.carries.push_back({{source.op, source.result}, source.values.front()});
}

/// The loop that replaces the op that defines `value`; null if there is none.
Rolled *LayerRoller::findRolled(Value value, LayerValue &found, int64_t &layer) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  for (Rolled &rolled : loops) {
    auto place = rolled.code.places.find(result.getOwner());
    if (place == rolled.code.places.end() || !rolled.code.ops[place->second.first].isReplaced)
      continue;
    found = {place->second.first, result.getResultNumber()};
    layer = place->second.second;
    return &rolled;
  }
  return nullptr;
}

void LayerRoller::findDying() {
  llvm::DenseSet<Operation *> copied, read;
  for (Rolled &rolled : loops)
    for (const LayerOp &op : rolled.code.ops) {
      copied.insert(op.ofLayer.begin(), op.ofLayer.end());
      if (op.isReplaced)
        dying.insert(op.ofLayer.begin(), op.ofLayer.end());
      for (const LayerSource &source : op.sources)
        for (Value value : source.values)
          read.insert(value.getDefiningOp());
    }
  for (Operation &op : llvm::reverse(block))
    if (copied.contains(&op) && !read.contains(&op) && llvm::all_of(op.getUsers(), [&](Operation *user) {
          return dying.contains(block.findAncestorOpInBlock(*user));
        }))
      dying.insert(&op);
}

/// Notes a value that stands outside of the loop that computes it.
void LayerRoller::need(Value value) {
  LayerValue found;
  int64_t layer = 0;
  Rolled *rolled = findRolled(value, found, layer);
  if (!rolled || !needed.insert(value))
    return;
  int64_t last = rolled->code.isReversed ? 0 : rolled->code.numLayers - 1;
  if (layer != last || !rolled->findCarry(found))
    rolled->stacked.insert(found);
}

/// `values` as results of neighboring layers.
std::optional<WrittenStack> LayerRoller::findResults(Rolled &rolled, ArrayRef<Value> values) {
  LayerValue first;
  int64_t firstLayer = 0;
  if (findRolled(values.front(), first, firstLayer) != &rolled)
    return std::nullopt;
  for (auto [number, value] : llvm::enumerate(values)) {
    LayerValue found;
    int64_t layer = 0;
    if (findRolled(value, found, layer) != &rolled || found != first || layer != firstLayer + int64_t(number))
      return std::nullopt;
  }
  return WrittenStack{&rolled, first, 0, firstLayer};
}

/// `values` as what neighboring layers get from the one before.
std::optional<WrittenStack> LayerRoller::findCarriedIn(Rolled &rolled, ArrayRef<Value> values) {
  const LayerCode &code = rolled.code;
  for (auto [number, carry] : llvm::enumerate(rolled.carries)) {
    auto getIn = [&, &carry = carry](int64_t layer) -> Value {
      return layer == code.getFirst()
                 ? carry.initial
                 : code.ops[carry.value.first].ofLayer[code.getBefore(layer)]->getResult(carry.value.second);
    };
    for (int64_t first = 0; first + int64_t(values.size()) <= code.numLayers; ++first)
      if (llvm::all_of(llvm::enumerate(values),
                       [&](const auto &each) { return each.value() == getIn(first + int64_t(each.index())); }))
        return WrittenStack{&rolled, std::nullopt, unsigned(number), first};
  }
  return std::nullopt;
}

/// `values` as a stack that a loop before `reader` writes.
std::optional<WrittenStack> LayerRoller::findWritten(const Rolled &reader, ArrayRef<Value> values) {
  for (Rolled &rolled : loops) {
    if (&rolled == &reader)
      break;
    if (std::optional<WrittenStack> found = findResults(rolled, values))
      return found;
    if (std::optional<WrittenStack> found = findCarriedIn(rolled, values))
      return found;
  }
  return std::nullopt;
}

void LayerRoller::findNeeds() {
  for (Operation &op : block)
    if (!dying.contains(&op))
      for (OpOperand *operand : listOperands(&op))
        need(operand->get());
  for (Rolled &rolled : loops)
    for (const LayerOp &op : rolled.code.ops)
      for (const LayerSource &source : op.sources) {
        std::optional<WrittenStack> written =
            source.kind == LayerSource::Kind::Own ? findWritten(rolled, source.values) : std::nullopt;
        if (written && written->value)
          written->rolled->stacked.insert(*written->value);
        else if (written)
          written->rolled->stackedCarries.insert(written->carry);
        else
          llvm::for_each(source.values, [&](Value value) { need(value); });
      }
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Layers `first` and behind of a stack.
Value LayerRoller::emitPart(Value stack, int64_t first, int64_t count) {
  RankedTensorType type = getType(stack);
  if (count == type.getDimSize(0))
    return stack;
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
  starts[0] = first;
  limits[0] = first + count;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = count;
  return stablehlo::SliceOp::create(builder, stack.getLoc(), type.clone(shape), stack, starts, limits, strides);
}

Value LayerRoller::emitStackOf(const WrittenStack &written, int64_t count) {
  const Rolled &rolled = *written.rolled;
  unsigned number = written.value ? rolled.getStack(*written.value) : rolled.getCarryStack(written.carry);
  stablehlo::WhileOp loop = rolled.loop;
  return emitPart(loop->getResult(number), written.first, count);
}

/// If `value` is one index of the first dim of another value, that value and the index.
static std::pair<Value, int64_t> findSliced(Value value) {
  if (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  auto slice = value.getDefiningOp<stablehlo::SliceOp>();
  if (!slice)
    return {};
  RankedTensorType from = getType(slice.getOperand()), to = getType(value);
  bool isWhole = from.getRank() > 0 && to.getDimSize(0) == 1 &&
                 from.getShape().drop_front() == to.getShape().drop_front() && slice.getStrides().front() == 1;
  return isWhole ? std::pair(slice.getOperand(), slice.getStartIndices().front()) : std::pair<Value, int64_t>();
}

/// The values along a new first dim.
Value LayerRoller::emitStack(const Rolled &reader, ArrayRef<Value> values) {
  int64_t count = static_cast<int64_t>(values.size());
  if (std::optional<WrittenStack> written = findWritten(reader, values))
    return emitStackOf(*written, count);
  auto [whole, first] = findSliced(values.front());
  bool isSliced = whole && getType(whole).getShape().drop_front() == getType(values.front()).getShape() &&
                  llvm::all_of(llvm::enumerate(values), [&, &whole = whole, &first = first](const auto &each) {
                    return findSliced(each.value()) == std::pair(whole, first + int64_t(each.index()));
                  });
  if (isSliced)
    return emitPart(whole, first, count);
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(stablehlo::ReshapeOp::create(builder, value.getLoc(), addDim(getType(value), 1), value));
  return stablehlo::ConcatenateOp::create(builder, values.front().getLoc(), addDim(getType(values.front()), count),
                                          parts, 0);
}

void LayerRoller::emitCondition(Rolled &rolled) {
  OpBuilder::InsertionGuard guard(builder);
  Block *cond = builder.createBlock(&rolled.loop.getCond());
  for (Value carried : rolled.loop->getOperands())
    cond->addArgument(carried.getType(), carried.getLoc());
  Value more =
      emit().compare(stablehlo::ComparisonDirection::LT, cond->getArgument(0), emit().integer(rolled.code.numLayers));
  stablehlo::ReturnOp::create(builder, rolled.loop.getLoc(), more);
}

/// The part of one layer, which is `type`.
Value LayerRoller::emitSlice(Value stack, Value layer, Type type) {
  SmallVector<int64_t> sizes(getType(stack).getShape());
  sizes[0] = 1;
  SmallVector<Value> starts(sizes.size(), emit().integer(0));
  starts[0] = layer;
  Value slice =
      stablehlo::DynamicSliceOp::create(builder, stack.getLoc(), getType(stack).clone(sizes), stack, starts, sizes);
  return stablehlo::ReshapeOp::create(builder, stack.getLoc(), type, slice);
}

Value LayerRoller::emitUpdate(Value stack, Value layer, Value value) {
  SmallVector<Value> starts(getType(stack).getRank(), emit().integer(0));
  starts[0] = layer;
  Value update = stablehlo::ReshapeOp::create(builder, value.getLoc(), addDim(getType(value), 1), value);
  return stablehlo::DynamicUpdateSliceOp::create(builder, value.getLoc(), stack.getType(), stack, update, starts);
}

/// `stacks`: for each op, the stack of each of its operands that is of the layer's own, or null.
void LayerRoller::emitBody(Rolled &rolled, const std::vector<SmallVector<Value>> &stacks) {
  OpBuilder::InsertionGuard guard(builder);
  const LayerCode &code = rolled.code;
  Block *body = builder.createBlock(&rolled.loop.getBody());
  for (Value carried : rolled.loop->getOperands())
    body->addArgument(carried.getType(), carried.getLoc());
  Value layer = body->getArgument(0);
  if (code.isReversed)
    layer = stablehlo::SubtractOp::create(builder, rolled.loop.getLoc(), layer.getType(),
                                          emit().integer(code.numLayers - 1), layer);
  std::vector<Operation *> made;
  llvm::DenseMap<Value, Value> slices;
  for (auto [number, op] : llvm::enumerate(code.ops)) {
    SmallVector<Value> values;
    for (auto [operand, source] : llvm::enumerate(op.sources)) {
      if (source.kind == LayerSource::Kind::SameLayer)
        values.push_back(made[source.op]->getResult(source.result));
      else if (source.kind == LayerSource::Kind::Shared)
        values.push_back(source.values.front());
      else if (source.kind == LayerSource::Kind::LayerBefore)
        values.push_back(
            body->getArgument(rolled.getCarry(*rolled.findCarry({source.op, source.result}, source.values.front()))));
      else {
        Value &slice = slices[stacks[number][operand]];
        if (!slice)
          slice = emitSlice(stacks[number][operand], layer, source.values.front().getType());
        values.push_back(slice);
      }
    }
    Operation *copy = builder.clone(*op.ofLayer.front());
    for (auto [operand, value] : llvm::zip(listOperands(copy), values))
      operand->set(value);
    made.push_back(copy);
  }
  auto find = [&](LayerValue value) { return made[value.first]->getResult(value.second); };
  SmallVector<Value> next{stablehlo::AddOp::create(builder, rolled.loop.getLoc(), body->getArgument(0).getType(),
                                                   body->getArgument(0), emit().integer(1))};
  for (const Carry &carry : rolled.carries)
    next.push_back(find(carry.value));
  for (LayerValue value : rolled.stacked)
    next.push_back(emitUpdate(body->getArgument(next.size()), layer, find(value)));
  for (unsigned carry : rolled.stackedCarries)
    next.push_back(emitUpdate(body->getArgument(next.size()), layer, body->getArgument(rolled.getCarry(carry))));
  stablehlo::ReturnOp::create(builder, rolled.loop.getLoc(), next);
}

void LayerRoller::emitLoop(Rolled &rolled) {
  const LayerCode &code = rolled.code;
  std::vector<SmallVector<Value>> stacks;
  for (const LayerOp &op : code.ops) {
    SmallVector<Value> &own = stacks.emplace_back();
    for (const LayerSource &source : op.sources) {
      Value stack;
      if (source.kind == LayerSource::Kind::Own) {
        std::vector<void *> key;
        llvm::for_each(source.values, [&](Value value) { key.push_back(value.getAsOpaquePointer()); });
        Value &made = stacksOf[key];
        if (!made)
          made = emitStack(rolled, source.values);
        stack = made;
      }
      own.push_back(stack);
    }
  }
  SmallVector<Value> initial{emit().integer(0)};
  for (const Carry &carry : rolled.carries)
    initial.push_back(carry.initial);
  auto addStack = [&](RankedTensorType type) {
    initial.push_back(emit().broadcast(emit().zero(type), addDim(type, code.numLayers).getShape(), {}));
  };
  for (LayerValue value : rolled.stacked)
    addStack(getType(code.ops[value.first].ofLayer.front()->getResult(value.second)));
  for (unsigned carry : rolled.stackedCarries)
    addStack(getType(rolled.carries[carry].initial));
  rolled.loop = stablehlo::WhileOp::create(builder, code.ops.front().ofLayer.front()->getLoc(),
                                           TypeRange(ValueRange(initial)), initial);
  emitCondition(rolled);
  emitBody(rolled, stacks);
}

/// The result of one layer, behind the loop.
Value LayerRoller::emitLayer(Rolled &rolled, LayerValue value, int64_t layer) {
  int64_t last = rolled.code.isReversed ? 0 : rolled.code.numLayers - 1;
  std::optional<unsigned> carry = rolled.findCarry(value);
  if (layer == last && carry)
    return rolled.loop->getResult(rolled.getCarry(*carry));
  Value part = emitPart(rolled.loop->getResult(rolled.getStack(value)), layer, 1);
  Type type = rolled.code.ops[value.first].ofLayer.front()->getResult(value.second).getType();
  return stablehlo::ReshapeOp::create(builder, part.getLoc(), type, part);
}

void LayerRoller::replaceResults() {
  for (Value value : needed) {
    LayerValue found;
    int64_t layer = 0;
    Rolled *rolled = findRolled(value, found, layer);
    value.replaceAllUsesWith(emitLayer(*rolled, found, layer));
  }
}

Status LayerRoller::eraseOriginals() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!dying.contains(&op))
      continue;
    if (!op.use_empty())
      return Error::internal("a layer that became a part of a loop is still in use");
    op.erase();
  }
  return std::nullopt;
}

Status LayerRoller::run() {
  for (Rolled &rolled : loops)
    findCarries(rolled);
  findDying();
  findNeeds();
  for (Rolled &rolled : loops)
    emitLoop(rolled);
  replaceResults();
  if (Status wrong = eraseOriginals())
    return wrong;
  if (!sortTopologically(&block, block.without_terminator()))
    return Error::unsupported(locationOf(loops.front().loop),
                              "no pipeline: these layers cannot be a loop: what is between them needs several of them")
        .withRemedy("stack the layers' weights and scan over them (jax.lax.scan)");
  return std::nullopt;
}

Result<int64_t> rollLayers(func::FuncOp main, const Flattened &flattened) {
  std::vector<LayerCode> codes = findLayerCode(main, flattened);
  auto count = static_cast<int64_t>(codes.size());
  if (codes.empty())
    return count;
  RolledNumbers numbers;
  SmallVector<unsigned> before = numbers.numberResults(main);
  LayerRoller roller(main.getBody().front(), std::move(codes));
  if (Status wrong = roller.run())
    return std::move(*wrong);
  SmallVector<unsigned> after = numbers.numberResults(main, roller.getLoops());
  for (auto [number, same] : llvm::enumerate(llvm::zip_equal(before, after)))
    if (std::get<0>(same) != std::get<1>(same))
      return Error::internal("result " + std::to_string(number) +
                             " of the program with loops over layers is not proven to be that of the program")
          .withRemedy("this is a defect of Partita; please report it with the program. Layers that are stacked and "
                      "scanned (jax.lax.scan) need no such step");
  return count;
}

int64_t countUnrolledLayers(func::FuncOp main, const Flattened &flattened) {
  int64_t most = 0;
  for (const LayerCode &code : findLayerCode(main, flattened))
    most = std::max(most, code.numLayers);
  return most;
}

} // namespace partita::pipeline
