//===- LocalArithmetic.cpp - emits small ops for local forms --------------===//

#include "partita/Program/Rules/LocalArithmetic.h"

#include "partita/Program/Rules/Combiners.h"

#include <complex>

using namespace mlir;

namespace partita::program::rules {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Value LocalArithmetic::constant(DenseElementsAttr value) const {
  return stablehlo::ConstantOp::create(builder, loc, value.getType(), value);
}

Value LocalArithmetic::integer(int64_t value) const {
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), value));
}

Value LocalArithmetic::integers(ArrayRef<int64_t> values) const {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value LocalArithmetic::zero(RankedTensorType type) const {
  RankedTensorType scalar = type.clone(ArrayRef<int64_t>());
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  if (!complex)
    return constant(cast<DenseElementsAttr>(builder.getZeroAttr(scalar)));
  APFloat part = APFloat::getZero(cast<FloatType>(complex.getElementType()).getFloatSemantics());
  return constant(DenseElementsAttr::get(scalar, std::complex<APFloat>(part, part)));
}

Value LocalArithmetic::convert(Value value, Type elementType) const {
  if (typeOf(value).getElementType() == elementType)
    return value;
  return stablehlo::ConvertOp::create(builder, loc, typeOf(value).clone(elementType), value);
}

Value LocalArithmetic::compare(stablehlo::ComparisonDirection direction, Value lhs, Value rhs) const {
  auto order = stablehlo::ComparisonTypeAttr::get(builder.getContext(), stablehlo::ComparisonType::SIGNED);
  return stablehlo::CompareOp::create(builder, loc, typeOf(lhs).clone(builder.getI1Type()), lhs, rhs, direction, order);
}

Value LocalArithmetic::conjunction(Value lhs, Value rhs) const {
  return stablehlo::AndOp::create(builder, loc, lhs.getType(), lhs, rhs);
}

Value LocalArithmetic::select(Value predicate, Value onTrue, Value onFalse) const {
  return stablehlo::SelectOp::create(builder, loc, onTrue.getType(), predicate, onTrue, onFalse);
}

Value LocalArithmetic::broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) const {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  return stablehlo::BroadcastInDimOp::create(builder, loc, type.clone(shape), value, dims);
}

Value LocalArithmetic::stack(ValueRange scalars) const {
  SmallVector<Value> vectors;
  auto type = RankedTensorType::get({1}, typeOf(scalars.front()).getElementType());
  for (Value scalar : scalars)
    vectors.push_back(stablehlo::ReshapeOp::create(builder, loc, type, scalar));
  if (vectors.size() == 1)
    return vectors.front();
  return stablehlo::ConcatenateOp::create(builder, loc, type.clone({static_cast<int64_t>(vectors.size())}), vectors,
                                          uint64_t(0));
}

Value LocalArithmetic::allAlong(Value value, int64_t dim) const {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape.erase(shape.begin() + dim);
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Value yes = constant(DenseElementsAttr::get(scalar, true));
  auto reduce = stablehlo::ReduceOp::create(builder, loc, TypeRange{typeOf(value).clone(shape)}, ValueRange{value},
                                            ValueRange{yes}, ArrayRef(dim));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value both = conjunction(body->getArgument(0), body->getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, both);
  return reduce.getResult(0);
}

Value LocalArithmetic::isFirst(ArrayRef<Split> splits) const {
  Value first;
  for (const Split &split : splits) {
    Value here = compare(stablehlo::ComparisonDirection::EQ, split.index, integer(0));
    first = first ? conjunction(first, here) : here;
  }
  return first;
}

SmallVector<Split> getReducedSplits(const LocalContext &local) {
  SmallVector<Split> reduced;
  llvm::copy_if(local.splits, std::back_inserter(reduced), [&](const Split &split) {
    return split.parts > 1 && local.rule.factors[split.factor].kind == FactorKind::Reduce;
  });
  return reduced;
}

Value emitCountedOnce(Location loc, const LocalContext &local, Combiner combiner, Value original, Value value) {
  SmallVector<Split> reduced = getReducedSplits(local);
  if (reduced.empty() || isIdempotent(combiner) || isNeutralConstant(original, combiner))
    return value;
  LocalArithmetic emit{local.builder, loc};
  Value identity = emit.constant(getIdentity(typeOf(value), combiner));
  return emit.select(emit.isFirst(reduced), value, identity);
}

SmallVector<Value> emitInits(Operation *op, const LocalContext &local, Combiner combiner) {
  SmallVector<Value> operands(local.operands);
  for (size_t i = operands.size() / 2; i < operands.size(); ++i)
    operands[i] = emitCountedOnce(op->getLoc(), local, combiner, op->getOperand(i), operands[i]);
  return operands;
}

} // namespace partita::program::rules
