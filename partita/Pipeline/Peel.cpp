//===- Peel.cpp - layers that are not a multiple of the stages ------------===//

#include "partita/Pipeline/Peel.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/StackAccesses.h"
#include "partita/Program/Rules/LocalArithmetic.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::pipeline {

using rules::LocalArithmetic;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Error refuse(stablehlo::WhileOp loop, const std::string &why) {
  return Error::unsupported(locationOf(loop), "no pipeline: " + why);
}

namespace {

/// Some of a loop's iterations, and the layers of its stacks that they step through.
struct Part {
  int64_t firstIteration = 0, numIterations = 0, firstLayer = 0;
};

class Peeler {
public:
  Peeler(stablehlo::WhileOp loop, CountedLoop count)
      : loop(loop), count(std::move(count)), accesses(findStackAccesses(loop, this->count)), builder(loop),
        loc(loop.getLoc()) {}

  /// The first `numLayers` layers in one loop, the others in another one.
  Status run(int64_t numLayers);

private:
  std::optional<unsigned> findStackDim(unsigned carried) const;
  Value cut(Value stack, unsigned dim, const Part &part);
  Value emitCounter(unsigned carried, const LoopCounter &counter, int64_t iteration);
  const LoopCounter *findCounter(unsigned carried) const;
  stablehlo::WhileOp emitPart(const Part &part, ArrayRef<Value> start);
  void emitCondition(stablehlo::WhileOp made, int64_t numIterations);
  void emitBody(stablehlo::WhileOp made, const Part &part, IRMapping &mapping);
  void shiftAccess(Operation *made, const StackAccess &access, const Part &part);

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

/// The same with another shape, of a value that is alike along the dims that differ; null if it is another one.
static Value emitAlike(OpBuilder &builder, Value value, unsigned dim, ArrayRef<int64_t> shape) {
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (broadcast && !llvm::is_contained(broadcast.getBroadcastDimensions(), int64_t(dim)))
    return LocalArithmetic{builder, value.getLoc()}.broadcast(broadcast.getOperand(), shape,
                                                              broadcast.getBroadcastDimensions());
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat)
    return {};
  return LocalArithmetic{builder, value.getLoc()}.constant(splat.resizeSplat(getType(value).clone(shape)));
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
  SmallVector<Value> next;
  for (Value value : original.getTerminator()->getOperands())
    next.push_back(mapping.lookupOrDefault(value));
  Value counter = block->getArguments().back();
  LocalArithmetic emit{builder, loc};
  next.push_back(stablehlo::AddOp::create(builder, loc, counter.getType(), counter, emit.integer(1)));
  stablehlo::ReturnOp::create(builder, original.getTerminator()->getLoc(), next);
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

Status Peeler::run(int64_t numLayers) {
  if (!accesses.isReversed)
    return refuse(loop, "this loop has no stacked weights, of which each iteration takes its slice");
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
    std::optional<unsigned> dim = findStackDim(number);
    if (const LoopCounter *counter = findCounter(number))
      result.replaceAllUsesWith(emitCounter(number, *counter, count.tripCount));
    else if (!dim)
      result.replaceAllUsesWith(second->getResult(number));
    else if (!accesses.carried[number].isWritten)
      result.replaceAllUsesWith(loop->getOperand(number));
    else
      result.replaceAllUsesWith(
          stablehlo::ConcatenateOp::create(builder, loc, result.getType(),
                                           ValueRange{(isRestFirst ? second : first)->getResult(number),
                                                      (isRestFirst ? first : second)->getResult(number)},
                                           *dim));
  }
  loop->erase();
  return std::nullopt;
}

Result<int64_t> peelLoops(ArrayRef<stablehlo::WhileOp> loops, int64_t numStages) {
  int64_t most = 0;
  for (stablehlo::WhileOp loop : loops) {
    std::optional<CountedLoop> count = analyzeLoop(loop);
    if (!count || count->tripCount % numStages == 0)
      continue;
    if (count->tripCount < numStages)
      return refuse(loop, "this loop has " + std::to_string(count->tripCount) + " iterations, which are fewer than " +
                              std::to_string(numStages) + " stages")
          .withRemedy("choose a mesh axis that is smaller");
    int64_t numLeft = count->tripCount % numStages, numLayers = count->tripCount - numLeft;
    if (Status wrong = Peeler(loop, std::move(*count)).run(numLayers))
      return std::move(*wrong);
    most = std::max(most, numLeft);
  }
  return most;
}

} // namespace partita::pipeline
