//===- Peel.cpp - layers that are not a multiple of the stages ------------===//

#include "partita/Pipeline/Peel.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/StackAccesses.h"
#include "partita/Pipeline/StageLayout.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::pipeline {

using rules::LocalArithmetic;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Error refuse(stablehlo::WhileOp loop, const std::string &why) {
  return Error::unsupported(locationOf(loop), "no pipeline: " + why);
}

namespace {

/// Some of a loop's iterations, and the layers of its stacks that they step through. Iterations that the loop does not
/// have do nothing.
struct Part {
  int64_t firstIteration = 0, numIterations = 0, firstLayer = 0;
};

class Peeler {
public:
  Peeler(stablehlo::WhileOp loop, CountedLoop count)
      : loop(loop), count(std::move(count)), accesses(findStackAccesses(loop, this->count)), builder(loop),
        loc(loop.getLoc()) {}

  /// The first `numLayers` layers in one loop, the others in another one.
  Status peel(int64_t numLayers);
  /// One loop of `numLayers` layers, more than there are.
  Status fill(int64_t numLayers);
  bool hasStacks() const { return accesses.isReversed.has_value(); }
  /// Whether counters can be what they were in iterations before the first.
  bool mayFill() const;

private:
  bool isFilled(const Part &part) const { return part.numIterations > count.tripCount; }
  std::optional<unsigned> findStackDim(unsigned carried) const;
  Value cut(Value stack, unsigned dim, const Part &part);
  Value emitCounter(unsigned carried, const LoopCounter &counter, int64_t iteration);
  const LoopCounter *findCounter(unsigned carried) const;
  stablehlo::WhileOp emitPart(const Part &part, ArrayRef<Value> start);
  void emitCondition(stablehlo::WhileOp made, int64_t numIterations);
  void emitBody(stablehlo::WhileOp made, const Part &part, IRMapping &mapping);
  void shiftAccess(Operation *made, const StackAccess &access, const Part &part);
  Value fillStack(Value stack, unsigned dim, RankedTensorType type);
  Value emitIsOwn(Block &block, const Part &part);
  Value emitOwnNext(unsigned number, Value next, BlockArgument before, Value isOwn);
  Value findLast(unsigned number, stablehlo::WhileOp last);

  stablehlo::WhileOp loop;
  CountedLoop count;
  LoopAccesses accesses;
  OpBuilder builder;
  Location loc;
};

} // namespace

std::optional<unsigned> Peeler::findStackDim(unsigned carried) const {
  const ValueAccesses &own = accesses.carried[carried];
  return accesses.isStack(own) ? std::optional(own.list.front().second.dim) : std::nullopt;
}

const LoopCounter *Peeler::findCounter(unsigned carried) const {
  const auto *found = llvm::find_if(count.counters, [&](const LoopCounter &each) { return each.carried == carried; });
  return found == count.counters.end() ? nullptr : found;
}

/// The part's layers of a stack.
Value Peeler::cut(Value stack, unsigned dim, const Part &part) {
  RankedTensorType type = getType(stack);
  int64_t perLayer = type.getDimSize(dim) / count.tripCount;
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
  starts[dim] = part.firstLayer * perLayer;
  limits[dim] = (part.firstLayer + part.numIterations) * perLayer;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = part.numIterations * perLayer;
  if (Value alike = emitAlike(builder, stack, dim, shape))
    return alike;
  if (isFilled(part))
    return fillStack(stack, dim, type.clone(shape));
  // What another loop has joined at this place.
  if (auto joined = stack.getDefiningOp<stablehlo::ConcatenateOp>(); joined && joined.getDimension() == dim) {
    int64_t offset = 0;
    for (Value piece : joined.getInputs()) {
      if (offset == starts[dim] && getType(piece).getDimSize(dim) == shape[dim])
        return piece;
      offset += getType(piece).getDimSize(dim);
    }
  }
  return stablehlo::SliceOp::create(builder, stack.getLoc(), type.clone(shape), stack, starts, limits, strides);
}

/// The stack with zeros behind it, or what another loop had filled so. What is behind the layers does not matter.
Value Peeler::fillStack(Value stack, unsigned dim, RankedTensorType type) {
  auto slice = stack.getDefiningOp<stablehlo::SliceOp>();
  if (slice && slice.getOperand().getType() == type &&
      llvm::all_of(slice.getStartIndices(), [](int64_t start) { return start == 0; }) &&
      llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; }))
    return slice.getOperand();
  SmallVector<int64_t> none(type.getRank(), 0), high(type.getRank(), 0);
  high[dim] = type.getDimSize(dim) - getType(stack).getDimSize(dim);
  Value zero = LocalArithmetic{builder, loc}.constant(
      rules::getIdentity(type.clone(ArrayRef<int64_t>()), rules::getSumCombiner(type.getElementType())));
  return stablehlo::PadOp::create(builder, stack.getLoc(), type, stack, zero, none, high, none);
}

Value Peeler::emitCounter(unsigned carried, const LoopCounter &counter, int64_t iteration) {
  RankedTensorType type = getType(loop->getOperand(carried));
  APInt number(64, counter.start + counter.step * iteration, /*isSigned=*/true);
  auto value = DenseElementsAttr::get(type, number.sextOrTrunc(type.getElementTypeBitWidth()));
  return LocalArithmetic{builder, loc}.constant(value);
}

void Peeler::emitCondition(stablehlo::WhileOp made, int64_t numIterations) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&made.getCond());
  for (Value carried : made->getOperands())
    block->addArgument(carried.getType(), loc);
  LocalArithmetic emit{builder, loc};
  Value more =
      emit.compare(stablehlo::ComparisonDirection::LT, block->getArguments().back(), emit.integer(numIterations));
  stablehlo::ReturnOp::create(builder, loc, more);
}

/// Indices count from the part's first layer.
void Peeler::shiftAccess(Operation *made, const StackAccess &access, const Part &part) {
  unsigned number = (isa<stablehlo::DynamicSliceOp>(made) ? 1 : 2) + access.dim;
  Value start = made->getOperand(number);
  RankedTensorType type = getType(start);
  APInt offset(64, part.firstLayer * std::abs(access.index.slope), /*isSigned=*/true);
  Value by = LocalArithmetic{builder, loc}.constant(
      DenseElementsAttr::get(type, offset.sextOrTrunc(type.getElementTypeBitWidth())));
  made->setOperand(number, stablehlo::SubtractOp::create(builder, made->getLoc(), type, start, by));
}

void Peeler::emitBody(stablehlo::WhileOp made, const Part &part, IRMapping &mapping) {
  OpBuilder::InsertionGuard guard(builder);
  Block &original = loop.getBody().front();
  Block *block = builder.createBlock(&made.getBody());
  for (Value carried : made->getOperands())
    block->addArgument(carried.getType(), loc);
  for (auto [before, now] : llvm::zip(original.getArguments(), block->getArguments()))
    mapping.map(before, now);
  llvm::DenseMap<Operation *, StackAccess> shifted;
  auto add = [&](const ValueAccesses &own) {
    if (accesses.isStack(own))
      for (const auto &[op, access] : own.list)
        shifted.try_emplace(op, access);
  };
  for (const ValueAccesses &own : accesses.carried)
    add(own);
  for (const auto &[value, own] : accesses.outer)
    add(own);
  for (Operation &op : original.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    auto found = shifted.find(&op);
    if (found == shifted.end())
      continue;
    builder.setInsertionPoint(copy);
    shiftAccess(copy, found->second, part);
    builder.setInsertionPointAfter(copy);
    for (OpResult result : copy->getResults())
      if (isa<stablehlo::DynamicUpdateSliceOp>(copy))
        result.setType(copy->getOperand(0).getType());
  }
  Value isOwn = isFilled(part) ? emitIsOwn(*block, part) : Value();
  SmallVector<Value> next;
  for (auto [number, value] : llvm::enumerate(original.getTerminator()->getOperands())) {
    Value own = mapping.lookupOrDefault(value);
    next.push_back(isOwn ? emitOwnNext(number, own, block->getArgument(number), isOwn) : own);
  }
  Value counter = block->getArguments().back();
  LocalArithmetic emit{builder, loc};
  next.push_back(stablehlo::AddOp::create(builder, loc, counter.getType(), counter, emit.integer(1)));
  stablehlo::ReturnOp::create(builder, original.getTerminator()->getLoc(), next);
}

/// Whether the iteration is one of the loop's own.
Value Peeler::emitIsOwn(Block &block, const Part &part) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  LocalArithmetic emit{builder, loc};
  Value iteration = block.getArguments().back();
  if (part.firstIteration < 0)
    return emit.compare(stablehlo::ComparisonDirection::GE, iteration, emit.integer(-part.firstIteration));
  return emit.compare(stablehlo::ComparisonDirection::LT, iteration, emit.integer(count.tripCount));
}

/// What a filled loop yields: `next` in iterations of its own, what it was given in others. A sum stays one: zeros are
/// added.
Value Peeler::emitOwnNext(unsigned number, Value next, BlockArgument before, Value isOwn) {
  if (next == before || findCounter(number) || findStackDim(number))
    return next;
  LocalArithmetic emit{builder, loc};
  auto add = next.getDefiningOp<stablehlo::AddOp>();
  if (!add || add->getBlock() != before.getOwner() || !before.hasOneUse() || *before.user_begin() != add ||
      !add->use_empty())
    return emit.select(isOwn, next, before);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(add);
  unsigned term = add.getLhs() == before ? 1 : 0;
  Value zeros = emit.constant(rules::getIdentity(getType(next), rules::getSumCombiner(getType(next).getElementType())));
  add->setOperand(term, emit.select(isOwn, add->getOperand(term), zeros));
  return next;
}

/// `start`: what the values that are neither counters nor stacks start from. The last carried value counts iterations.
stablehlo::WhileOp Peeler::emitPart(const Part &part, ArrayRef<Value> start) {
  SmallVector<Value> initial;
  for (unsigned number = 0; number < loop->getNumOperands(); ++number) {
    if (const LoopCounter *counter = findCounter(number))
      initial.push_back(emitCounter(number, *counter, part.firstIteration));
    else if (std::optional<unsigned> dim = findStackDim(number))
      initial.push_back(cut(loop->getOperand(number), *dim, part));
    else
      initial.push_back(start[number]);
  }
  initial.push_back(LocalArithmetic{builder, loc}.integer(0));
  IRMapping mapping;
  for (const auto &[value, own] : accesses.outer)
    if (accesses.isStack(own))
      mapping.map(value, cut(value, own.list.front().second.dim, part));
  auto made = stablehlo::WhileOp::create(builder, loc, TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  emitCondition(made, part.numIterations);
  emitBody(made, part, mapping);
  return made;
}

/// The result of the whole loop if `last` is its last part and the value is no written stack; null for such a stack.
Value Peeler::findLast(unsigned number, stablehlo::WhileOp last) {
  if (const LoopCounter *counter = findCounter(number))
    return emitCounter(number, *counter, count.tripCount);
  if (!findStackDim(number))
    return last->getResult(number);
  return accesses.carried[number].isWritten ? Value() : loop->getOperand(number);
}

Status Peeler::peel(int64_t numLayers) {
  int64_t numLeft = count.tripCount - numLayers;
  Part piped{*accesses.isReversed ? numLeft : 0, numLayers, 0};
  Part rest{*accesses.isReversed ? 0 : numLayers, numLeft, numLayers};
  bool isRestFirst = *accesses.isReversed;
  stablehlo::WhileOp first = emitPart(isRestFirst ? rest : piped, SmallVector<Value>(loop->getOperands()));
  SmallVector<Value> middle;
  for (unsigned number = 0; number < loop->getNumOperands(); ++number)
    middle.push_back(isInvariant(loop, number) ? loop->getOperand(number) : first->getResult(number));
  stablehlo::WhileOp second = emitPart(isRestFirst ? piped : rest, middle);
  for (unsigned number = 0; number < loop->getNumResults(); ++number) {
    OpResult result = loop->getResult(number);
    Value whole = findLast(number, second);
    if (!whole)
      whole = stablehlo::ConcatenateOp::create(builder, loc, result.getType(),
                                               ValueRange{(isRestFirst ? second : first)->getResult(number),
                                                          (isRestFirst ? first : second)->getResult(number)},
                                               *findStackDim(number));
    result.replaceAllUsesWith(whole);
  }
  loop->erase();
  return std::nullopt;
}

Status Peeler::fill(int64_t numLayers) {
  Part all{*accesses.isReversed ? count.tripCount - numLayers : 0, numLayers, 0};
  stablehlo::WhileOp made = emitPart(all, SmallVector<Value>(loop->getOperands()));
  for (unsigned number = 0; number < loop->getNumResults(); ++number) {
    OpResult result = loop->getResult(number);
    Value whole = findLast(number, made);
    if (!whole) {
      RankedTensorType type = getType(result);
      SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
      whole = stablehlo::SliceOp::create(builder, loc, type, made->getResult(number), starts, type.getShape(), strides);
    }
    result.replaceAllUsesWith(whole);
  }
  loop->erase();
  return std::nullopt;
}

/// In a backward pass iterations that do nothing come first, before iteration 0.
bool Peeler::mayFill() const {
  return !*accesses.isReversed || llvm::none_of(count.counters, [&](const LoopCounter &counter) {
    return getType(loop->getOperand(counter.carried)).getElementType().isUnsignedInteger();
  });
}

/// Cuts or fills one loop.
static Status evenLoop(stablehlo::WhileOp loop, CountedLoop count, int64_t numBlocks, Evened &done) {
  int64_t numLayers = count.tripCount, numLeft = numLayers % numBlocks, numIdle = numBlocks - numLeft;
  Peeler peeler(loop, std::move(count));
  if (!peeler.hasStacks())
    return refuse(loop, "this loop has no stacked weights, of which each iteration takes its slice")
        .withRemedy("stack the weights of all layers along one dim and scan over it (jax.lax.scan)");
  if (numIdle < numLeft && peeler.mayFill()) {
    done.idle = std::max(done.idle, numIdle);
    return peeler.fill(numLayers + numIdle);
  }
  done.peeled = std::max(done.peeled, numLeft);
  return peeler.peel(numLayers - numLeft);
}

Result<Evened> evenLoops(ArrayRef<stablehlo::WhileOp> loops, StageBlocks blocks) {
  Evened done;
  for (stablehlo::WhileOp loop : loops) {
    std::optional<CountedLoop> count = analyzeLoop(loop);
    if (!count || count->tripCount % blocks.count() == 0)
      continue;
    if (count->tripCount < blocks.count())
      return refuse(loop, "this loop has " + std::to_string(count->tripCount) + " iterations, which are fewer than " +
                              blocks.str())
          .withRemedy(blocks.repeats > 1 ? "give fewer repeats, or choose a mesh axis that is smaller"
                                         : "choose a mesh axis that is smaller");
    if (Status wrong = evenLoop(loop, std::move(*count), blocks.count(), done))
      return std::move(*wrong);
  }
  return done;
}

} // namespace partita::pipeline
