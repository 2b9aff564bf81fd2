//===- LoopRewriter.cpp - writes stacks and cones of layer loops ----------===//

#include "partita/Remat/LoopRewriter.h"

#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Remat/LoopEditor.h"

using namespace mlir;

namespace partita::remat {

//===----------------------------------------------------------------------===//
// Cones
//===----------------------------------------------------------------------===//

LoopCones::LoopCones(const LayerLoops &pair, const ValueNumbers &numbers) : pair(pair), numbers(numbers) {
  auto add = [&](Value value) {
    if (ValueNumber number = numbers.get(value); number.isValid())
      backwardValues[number.get()].push_back(value);
  };
  Block &body = pair.getBackwardBody();
  llvm::for_each(body.getArguments(), add);
  for (Operation &op : body)
    llvm::for_each(op.getResults(), add);
  for (auto [position, stack] : llvm::enumerate(pair.stacks))
    stackOf.try_emplace(stack.written, position);
}

/// Calls `visit` with what the backward body uses of a read: reshapes to what was written are looked through.
static void forEachUse(const LayerStack &stack, llvm::function_ref<void(OpOperand &)> visit) {
  for (stablehlo::DynamicSliceOp read : stack.reads)
    for (OpOperand &use : llvm::make_early_inc_range(read->getUses())) {
      Operation *user = use.getOwner();
      if (!isReshape(user) || user->getResult(0).getType() != stack.written.getType()) {
        visit(use);
        continue;
      }
      for (OpOperand &inner : llvm::make_early_inc_range(user->getUses()))
        visit(inner);
    }
}

static Operation *findAncestor(Operation *op, Block &block) { return block.findAncestorOpInBlock(*op); }

Operation *LoopCones::findFirstUse(ArrayRef<size_t> stacks) const {
  Operation *first = nullptr;
  for (size_t position : stacks)
    forEachUse(pair.stacks[position], [&](OpOperand &use) {
      Operation *user = findAncestor(use.getOwner(), pair.getBackwardBody());
      if (!first || user->isBeforeInBlock(first))
        first = user;
    });
  return first;
}

llvm::DenseSet<Value> LoopCones::findExcluded(ArrayRef<size_t> stacks) const {
  Block &body = pair.getBackwardBody();
  llvm::DenseSet<Value> excluded;
  for (size_t position : stacks)
    for (stablehlo::DynamicSliceOp read : pair.stacks[position].reads)
      excluded.insert(read.getResult());
  for (Operation &op : body)
    if (llvm::any_of(findRead(&op), [&](Value value) { return excluded.contains(value); }))
      excluded.insert_range(op.getResults());
  SmallVector<Value> yielded(body.getTerminator()->getOperands());
  Cone used = findCone(yielded, body, [](Value) { return false; });
  llvm::DenseSet<Operation *> isUsed(used.ops.begin(), used.ops.end());
  for (Operation &op : body)
    if (!isUsed.contains(&op))
      excluded.insert_range(op.getResults());
  return excluded;
}

Value LoopCones::findEqual(Value value, const llvm::DenseSet<Value> &excluded, Operation *end) const {
  ValueNumber number = numbers.get(value);
  if (!number.isValid())
    return {};
  auto it = backwardValues.find(number.get());
  if (it == backwardValues.end())
    return {};
  for (Value equal : it->second) {
    bool isBefore = !equal.getDefiningOp() || equal.getDefiningOp()->isBeforeInBlock(end);
    if (isBefore && equal.getType() == value.getType() && !excluded.contains(equal))
      return equal;
  }
  return {};
}

Cone LoopCones::find(ArrayRef<size_t> stacks, ArrayRef<KeptInLoop> kept, const llvm::DenseSet<Value> &excluded,
                     Operation *end) const {
  SmallVector<Value> roots;
  for (size_t position : stacks)
    roots.push_back(pair.stacks[position].written);
  return findCone(roots, pair.getForwardBody(), [&](Value value) {
    auto isKept = [&](const KeptInLoop &known) { return known.forward == value; };
    if (llvm::any_of(kept, isKept) || findEqual(value, excluded, end))
      return true;
    auto it = stackOf.find(value);
    return it != stackOf.end() && !llvm::is_contained(stacks, it->second);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

class LoopRewriter {
public:
  LoopRewriter(LayerLoops &pair, const LoopCones &cones, const LoopRequest &request, RematReport &report)
      : pair(pair), cones(cones), request(request), report(report), builder(pair.forward.getContext()),
        loc(pair.forward.getLoc()) {}

  Status run();

private:
  void keep();
  Status recompute();
  void mapLeaves(const Cone &cone, Operation *end);
  Value mapLeaf(Value leaf, Operation *end);
  void addBarrier(Operation *end);
  void copyCone(const Cone &cone, Operation *end);
  void replaceReads();

  // Stacks and values that are carried along.
  BlockArgument addStack(Value value);
  BlockArgument addInvariant(Value value);
  Value readStack(BlockArgument stack, unsigned dim, Value index, Value value);
  Value findIndex(const LayerStack &stack, Operation *end);
  Value emitInteger(Affine inForward, Type type);
  const LayerStack &getReference() const { return pair.stacks.front(); }

  LayerLoops &pair;
  const LoopCones &cones;
  const LoopRequest &request;
  RematReport &report;
  OpBuilder builder;
  Location loc;
  /// Values of the forward body and their equals in the backward body.
  IRMapping mapped;
  llvm::DenseSet<Value> excluded;
  /// What the cone reads from stacks.
  llvm::SetVector<Value> read;
};

} // namespace

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Where the forward loop writes.
static Value getIndex(const LayerStack &stack) {
  return stablehlo::DynamicUpdateSliceOp(stack.update).getStartIndices()[stack.dim];
}

/// Starts of the slice at `index` along `dim`.
static SmallVector<Value> makeStarts(OpBuilder &builder, Location loc, int64_t rank, unsigned dim, Value index) {
  auto type = cast<RankedTensorType>(index.getType());
  SmallVector<Value> starts(
      rank, stablehlo::ConstantOp::create(builder, loc, cast<DenseElementsAttr>(builder.getZeroAttr(type))));
  starts[dim] = index;
  return starts;
}

static Value emitReshape(OpBuilder &builder, Location loc, Value value, RankedTensorType type) {
  return value.getType() == type ? value : stablehlo::ReshapeOp::create(builder, loc, type, value).getResult();
}

static Value emitZeros(OpBuilder &builder, Location loc, RankedTensorType type) {
  rules::LocalArithmetic emit{builder, loc};
  return emit.broadcast(emit.zero(type), type.getShape(), {});
}

/// Stacks a value of the forward body along a new first dim. Returns what the backward body knows the stack by.
BlockArgument LoopRewriter::addStack(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto reference = cast<RankedTensorType>(stablehlo::DynamicUpdateSliceOp(getReference().update).getType());
  SmallVector<int64_t> shape{reference.getDimSize(getReference().dim)};
  llvm::append_range(shape, type.getShape());
  builder.setInsertionPoint(pair.forward);
  pair.forward = addCarried(pair.forward, emitZeros(builder, value.getLoc(), type.clone(shape)));
  Block &body = pair.getForwardBody();
  BlockArgument stack = body.getArguments().back();
  builder.setInsertionPoint(body.getTerminator());
  shape.front() = 1;
  Value slice = emitReshape(builder, value.getLoc(), value, type.clone(shape));
  Value updated = stablehlo::DynamicUpdateSliceOp::create(
      builder, value.getLoc(), stack.getType(), stack, slice,
      makeStarts(builder, value.getLoc(), shape.size(), 0, getIndex(getReference())));
  body.getTerminator()->setOperand(stack.getArgNumber(), updated);
  return addInvariant(pair.forward.getResults().back());
}

/// Carries a value from outside through the backward loop.
BlockArgument LoopRewriter::addInvariant(Value value) {
  pair.backward = addCarried(pair.backward, value);
  return pair.getBackwardBody().getArguments().back();
}

/// The slice of a stack that has the type of `value`.
Value LoopRewriter::readStack(BlockArgument stack, unsigned dim, Value index, Value value) {
  auto type = cast<RankedTensorType>(stack.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = 1;
  Value slice =
      stablehlo::DynamicSliceOp::create(builder, value.getLoc(), type.clone(sizes), stack,
                                        makeStarts(builder, value.getLoc(), type.getRank(), dim, index), sizes);
  return emitReshape(builder, value.getLoc(), slice, cast<RankedTensorType>(value.getType()));
}

/// An integer of the forward loop, given as a function of its iteration, in the backward body.
Value LoopRewriter::emitInteger(Affine inForward, Type type) {
  const LoopCounter &counter = pair.backwardCount.induction;
  // k = base + slope * k', and k' = (counter - start) * step, because step is 1 or -1. What wraps around here does so
  // in the result as well.
  uint64_t factor = static_cast<uint64_t>(inForward.slope) * pair.iteration.slope * counter.step;
  uint64_t offset = static_cast<uint64_t>(inForward.base) +
                    static_cast<uint64_t>(inForward.slope) * pair.iteration.base - factor * counter.start;
  auto element = cast<IntegerType>(cast<RankedTensorType>(type).getElementType());
  rules::LocalArithmetic emit{builder, loc};
  Value value = emit.convert(pair.getBackwardBody().getArgument(counter.carried), element);
  value = emitReshape(builder, loc, value, cast<RankedTensorType>(type));
  auto integer = [&](uint64_t number) {
    return emit.constant(
        DenseElementsAttr::get(cast<RankedTensorType>(type), llvm::APInt(64, number).zextOrTrunc(element.getWidth())));
  };
  if (factor == UINT64_MAX)
    return stablehlo::SubtractOp::create(builder, loc, type, integer(offset), value);
  if (factor != 1)
    value = stablehlo::MulOp::create(builder, loc, type, integer(factor), value);
  return offset == 0 ? value : stablehlo::AddOp::create(builder, loc, type, value, integer(offset)).getResult();
}

/// Where the forward loop wrote in the iteration that the backward loop reads.
Value LoopRewriter::findIndex(const LayerStack &stack, Operation *end) {
  if (Value index = cones.findEqual(getIndex(stack), excluded, end))
    return index;
  return emitInteger(stack.index, getIndex(stack).getType());
}

//===----------------------------------------------------------------------===//
// Keep
//===----------------------------------------------------------------------===//

void LoopRewriter::keep() {
  for (const KeptInLoop &kept : request.keep) {
    BlockArgument stack = addStack(kept.forward);
    Operation *end = Value(kept.backward.front()).getDefiningOp();
    builder.setInsertionPoint(end);
    Value read = readStack(stack, 0, findIndex(getReference(), end), kept.forward);
    for (Value equal : kept.backward)
      equal.replaceAllUsesWith(read);
    mapped.map(kept.forward, read);
  }
}

//===----------------------------------------------------------------------===//
// Recompute
//===----------------------------------------------------------------------===//

static int64_t countBytes(RankedTensorType type) {
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  int64_t bits = complex ? 2 * complex.getElementType().getIntOrFloatBitWidth() : type.getElementTypeBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

Value LoopRewriter::mapLeaf(Value leaf, Operation *end) {
  for (auto [position, stack] : llvm::enumerate(pair.stacks)) {
    if (stack.written != leaf || llvm::is_contained(request.recompute, position))
      continue;
    Value value = cones.findEqual(leaf, excluded, end);
    if (!value)
      value = readStack(pair.getBackwardBody().getArgument(stack.backward), stack.dim, findIndex(stack, end), leaf);
    read.insert(value);
    return value;
  }
  if (Value equal = cones.findEqual(leaf, excluded, end))
    return equal;
  auto argument = dyn_cast<BlockArgument>(leaf);
  if (!argument || argument.getOwner() != &pair.getForwardBody())
    return leaf;
  AffineEvaluator evaluator = makeEvaluator(pair.forward, pair.forwardCount);
  if (std::optional<Affine> integer = evaluator.evaluate(leaf))
    return emitInteger(*integer, leaf.getType());
  if (isInvariant(pair.forward, argument.getArgNumber()))
    return addInvariant(pair.forward.getOperand()[argument.getArgNumber()]);
  auto type = cast<RankedTensorType>(leaf.getType());
  BlockArgument stack = addStack(leaf);
  builder.setInsertionPoint(end);
  ++report.numInputs;
  report.inputBytes += pair.forwardCount.tripCount * countBytes(type);
  Value value = readStack(stack, 0, findIndex(getReference(), end), leaf);
  read.insert(value);
  return value;
}

void LoopRewriter::mapLeaves(const Cone &cone, Operation *end) {
  builder.setInsertionPoint(end);
  for (Value leaf : cone.leaves) {
    if (Value kept = mapped.lookupOrNull(leaf))
      read.insert(kept);
    else
      mapped.map(leaf, mapLeaf(leaf, end));
  }
}

/// Whether the loop carries a cotangent there: a float that changes, is no stack, and is used behind `end`.
static bool isCotangent(BlockArgument argument, stablehlo::WhileOp loop, Operation *end) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !isa<FloatType>(type.getElementType()) || isInvariant(loop, argument.getArgNumber()))
    return false;
  auto isUpdate = [](Operation *user) { return isa<stablehlo::DynamicUpdateSliceOp>(user); };
  auto isBehind = [&](Operation *user) {
    Operation *ancestor = end->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && !ancestor->isBeforeInBlock(end);
  };
  return llvm::none_of(argument.getUsers(), isUpdate) && llvm::any_of(argument.getUsers(), isBehind);
}

/// Puts the barrier before `end`: what follows uses its results.
void LoopRewriter::addBarrier(Operation *end) {
  SmallVector<Value> operands(read.begin(), read.end());
  for (BlockArgument argument : pair.getBackwardBody().getArguments())
    if (isCotangent(argument, pair.backward, end))
      operands.push_back(argument);
  builder.setInsertionPoint(end);
  auto barrier = stablehlo::OptimizationBarrierOp::create(builder, loc, TypeRange(ValueRange(operands)), operands);
  for (auto [operand, result] : llvm::zip_equal(operands, barrier.getResults()))
    operand.replaceUsesWithIf(result, [&](OpOperand &use) {
      Operation *user = end->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user != barrier && barrier->isBeforeInBlock(user);
    });
  // Of values in the map as well.
  IRMapping behind;
  behind.map(operands, barrier.getResults());
  SmallVector<std::pair<Value, Value>> entries(mapped.getValueMap().begin(), mapped.getValueMap().end());
  for (auto [value, equal] : entries)
    mapped.map(value, behind.lookupOrDefault(equal));
}

void LoopRewriter::copyCone(const Cone &cone, Operation *end) {
  builder.setInsertionPoint(end);
  for (Operation *op : cone.ops)
    builder.clone(*op, mapped);
  report.numAddedOps += cone.ops.size();
}

/// Replaces what was read from the stacks by what is computed.
void LoopRewriter::replaceReads() {
  for (size_t position : request.recompute) {
    const LayerStack &stack = pair.stacks[position];
    Value value = mapped.lookup(stack.written);
    forEachUse(stack, [&](OpOperand &use) {
      if (use.get().getType() != value.getType()) {
        builder.setInsertionPoint(findAncestor(use.getOwner(), pair.getBackwardBody()));
        use.set(emitReshape(builder, value.getLoc(), value, cast<RankedTensorType>(use.get().getType())));
        return;
      }
      use.set(value);
    });
  }
}

Status LoopRewriter::recompute() {
  Operation *end = cones.findFirstUse(request.recompute);
  if (!end)
    return std::nullopt;
  excluded = cones.findExcluded(request.recompute);
  Cone cone = cones.find(request.recompute, request.keep, excluded, end);
  if (cone.forbidden)
    return refuseSecondRun(cone.forbidden);
  mapLeaves(cone, end);
  if (!read.empty())
    addBarrier(end);
  copyCone(cone, end);
  replaceReads();
  return std::nullopt;
}

Status LoopRewriter::run() {
  keep();
  return recompute();
}

Status rewriteLoops(LayerLoops &pair, const LoopCones &cones, const LoopRequest &request, RematReport &report) {
  return LoopRewriter(pair, cones, request, report).run();
}

} // namespace partita::remat
