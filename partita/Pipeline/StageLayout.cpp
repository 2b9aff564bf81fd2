//===- StageLayout.cpp - stacks as parts of stages, and back --------------===//

#include "partita/Pipeline/StageLayout.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::pipeline {

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType getStageType(Type stack, unsigned dim, int64_t numStages) {
  auto type = cast<RankedTensorType>(stack);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= numStages;
  shape.insert(shape.begin(), numStages);
  return type.clone(shape);
}

Value emitToStages(OpBuilder &builder, Value stack, unsigned dim, int64_t numStages) {
  SmallVector<int64_t> shape(getType(stack).getShape());
  shape[dim] /= numStages;
  shape.insert(shape.begin() + dim, numStages);
  Value split = stablehlo::ReshapeOp::create(builder, stack.getLoc(), getType(stack).clone(shape), stack);
  if (dim == 0)
    return split;
  SmallVector<int64_t> order{dim};
  for (int64_t other = 0; other < static_cast<int64_t>(shape.size()); ++other)
    if (other != dim)
      order.push_back(other);
  return stablehlo::TransposeOp::create(builder, stack.getLoc(), getStageType(stack.getType(), dim, numStages), split,
                                        order);
}

Value emitFromStages(OpBuilder &builder, Value stages, unsigned dim) {
  SmallVector<int64_t> shape(getType(stages).getShape());
  int64_t numStages = shape.front();
  if (dim > 0) {
    // Dim 0 goes to its place before the stacked dim.
    SmallVector<int64_t> order, moved;
    for (int64_t other = 1; other < static_cast<int64_t>(shape.size()); ++other) {
      if (other == dim + 1)
        order.push_back(0);
      order.push_back(other);
    }
    for (int64_t source : order)
      moved.push_back(shape[source]);
    stages = stablehlo::TransposeOp::create(builder, stages.getLoc(), getType(stages).clone(moved), stages, order);
  }
  shape.erase(shape.begin());
  shape[dim] *= numStages;
  return stablehlo::ReshapeOp::create(builder, stages.getLoc(), getType(stages).clone(shape), stages);
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
