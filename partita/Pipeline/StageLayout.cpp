//===- StageLayout.cpp - stacks as parts of stages, and back --------------===//

#include "partita/Pipeline/StageLayout.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::pipeline {

using rules::LocalArithmetic;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

std::string StageBlocks::str() const {
  std::string text = std::to_string(stages) + " stages";
  return repeats == 1 ? text : std::to_string(count()) + " blocks of " + text;
}

RankedTensorType getBlockType(Type stack, unsigned dim, StageBlocks blocks) {
  auto type = cast<RankedTensorType>(stack);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= blocks.count();
  shape.insert(shape.begin(), blocks.stages);
  return type.clone(shape);
}

RankedTensorType getStageType(Type stack, unsigned dim, int64_t numStages) {
  return getBlockType(stack, dim, {numStages});
}

Value emitAlike(OpBuilder &builder, Value value, unsigned dim, ArrayRef<int64_t> shape) {
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

/// The dims of `value` in this order, unless they are.
static Value emitOrdered(OpBuilder &builder, Value value, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t source : order)
    shape.push_back(getType(value).getDimSize(source));
  return stablehlo::TransposeOp::create(builder, value.getLoc(), getType(value).clone(shape), value, order);
}

static Value emitReshaped(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  return stablehlo::ReshapeOp::create(builder, value.getLoc(), getType(value).clone(shape), value);
}

/// The layers of each repeat, cut out along `from` and, changed by `emitPart`, joined along `to`.
static Value emitByRepeats(OpBuilder &builder, Value value, unsigned from, unsigned to, StageBlocks blocks,
                           llvm::function_ref<Value(Value)> emitPart) {
  RankedTensorType type = getType(value);
  int64_t size = type.getDimSize(from) / blocks.repeats;
  SmallVector<int64_t> shape(type.getShape()), strides(type.getRank(), 1);
  shape[from] = size;
  SmallVector<Value> parts;
  for (int64_t repeat = 0; repeat < blocks.repeats; ++repeat) {
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape());
    starts[from] = repeat * size;
    limits[from] = starts[from] + size;
    // Ops of several parts look alike; the static check goes by their locations then.
    auto name = builder.getStringAttr("repeat_part" + llvm::Twine(repeat));
    Location loc = NameLoc::get(name, value.getLoc());
    parts.push_back(
        emitPart(stablehlo::SliceOp::create(builder, loc, type.clone(shape), value, starts, limits, strides)));
  }
  SmallVector<int64_t> joined(getType(parts.front()).getShape());
  joined[to] *= blocks.repeats;
  return stablehlo::ConcatenateOp::create(builder, value.getLoc(), type.clone(joined), parts, uint64_t(to));
}

Value emitToStages(OpBuilder &builder, Value stack, unsigned dim, StageBlocks blocks) {
  SmallVector<int64_t> shape(getType(stack).getShape()), order;
  RankedTensorType type = getStageType(stack.getType(), dim, blocks.stages);
  bool isCircular = blocks.repeats > 1;
  Value alike = isCircular ? emitAlike(builder, stack, dim, type.getShape().drop_front()) : Value();
  if (alike)
    return LocalArithmetic{builder, stack.getLoc()}.broadcast(alike, type.getShape(),
                                                              llvm::to_vector(llvm::seq<int64_t>(1, type.getRank())));
  if (isCircular && blocks.areCut)
    return emitByRepeats(builder, stack, dim, dim + 1, blocks,
                         [&](Value part) { return emitToStages(builder, part, dim, {blocks.stages}); });
  // [a, v, P, k, c], where v is there only if it is not 1.
  shape[dim] /= blocks.count();
  shape.insert(shape.begin() + dim, blocks.stages);
  if (isCircular)
    shape.insert(shape.begin() + dim, blocks.repeats);
  int64_t stage = dim + (isCircular ? 1 : 0);
  order.push_back(stage);
  for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other)
    if (other != stage)
      order.push_back(other);
  Value made = emitOrdered(builder, emitReshaped(builder, stack, shape), order);
  return isCircular ? emitReshaped(builder, made, type.getShape()) : made;
}

Value emitFromStages(OpBuilder &builder, Value stages, unsigned dim, StageBlocks blocks) {
  int64_t numRepeats = blocks.repeats;
  if (numRepeats > 1 && blocks.areCut)
    return emitByRepeats(builder, stages, dim + 1, dim, blocks,
                         [&](Value part) { return emitFromStages(builder, part, dim, {blocks.stages}); });
  SmallVector<int64_t> shape(getType(stages).getShape()), order;
  int64_t numStages = shape.front();
  if (numRepeats > 1) {
    SmallVector<int64_t> parts(shape);
    parts[dim + 1] /= numRepeats;
    parts.insert(parts.begin() + dim + 1, numRepeats);
    stages = emitReshaped(builder, stages, parts);
  }
  // Dim 0 goes to its place before the layers of a block.
  int64_t place = dim + (numRepeats > 1 ? 2 : 1);
  for (int64_t other = 1; other < getType(stages).getRank(); ++other) {
    if (other == place)
      order.push_back(0);
    order.push_back(other);
  }
  stages = emitOrdered(builder, stages, order);
  shape.erase(shape.begin());
  shape[dim] *= numStages;
  return emitReshaped(builder, stages, shape);
}

Value emitStageSum(OpBuilder &builder, Value stages) {
  Location loc = stages.getLoc();
  RankedTensorType type = getType(stages);
  RankedTensorType scalar = type.clone(ArrayRef<int64_t>());
  bool isOr = rules::getSumCombiner(type.getElementType()) == Combiner::Or;
  Value start = rules::LocalArithmetic{builder, loc}.constant(
      rules::getIdentity(scalar, rules::getSumCombiner(type.getElementType())));
  auto reduce = stablehlo::ReduceOp::create(builder, loc, TypeRange{type.clone(type.getShape().drop_front())},
                                            ValueRange{stages}, ValueRange{start}, ArrayRef<int64_t>{0});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value a = body->getArgument(0), b = body->getArgument(1);
  Value sum = isOr ? stablehlo::OrOp::create(builder, loc, scalar, a, b).getResult()
                   : stablehlo::AddOp::create(builder, loc, scalar, a, b).getResult();
  stablehlo::ReturnOp::create(builder, loc, sum);
  return reduce.getResult(0);
}

Value emitOneStage(OpBuilder &builder, Value stages, int64_t position) {
  Location loc = stages.getLoc();
  rules::LocalArithmetic emit{builder, loc};
  RankedTensorType type = getType(stages);
  auto numbers = RankedTensorType::get({type.getDimSize(0)}, builder.getI64Type());
  Value iota = stablehlo::IotaOp::create(builder, loc, numbers, 0);
  Value wanted = emit.broadcast(emit.integer(position), numbers.getShape(), {});
  Value isHere = emit.compare(stablehlo::ComparisonDirection::EQ, iota, wanted);
  auto scalar = type.clone(ArrayRef<int64_t>());
  Value none = emit.constant(rules::getIdentity(scalar, rules::getSumCombiner(type.getElementType())));
  Value masked =
      emit.select(emit.broadcast(isHere, type.getShape(), {0}), stages, emit.broadcast(none, type.getShape(), {}));
  return emitStageSum(builder, masked);
}

} // namespace partita::pipeline
