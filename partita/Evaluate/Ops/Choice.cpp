//===- Choice.cpp - compare, select, clamp --------------------------------===//

#include "partita/Evaluate/Ops/Choice.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Evaluate/Arithmetic.h"
#include "partita/Evaluate/Ops/Broadcast.h"
#include "partita/Evaluate/Ops/TotalOrder.h"

#include <functional>

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Calls `work` with the function object of a relation.
template <typename Work> static void visitDirection(stablehlo::ComparisonDirection direction, Work work) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return work(std::equal_to<>());
  case stablehlo::ComparisonDirection::NE:
    return work(std::not_equal_to<>());
  case stablehlo::ComparisonDirection::GE:
    return work(std::greater_equal<>());
  case stablehlo::ComparisonDirection::GT:
    return work(std::greater<>());
  case stablehlo::ComparisonDirection::LE:
    return work(std::less_equal<>());
  case stablehlo::ComparisonDirection::LT:
    return work(std::less<>());
  }
}

static uint64_t getReal(RingPair value) { return value.real; }
static uint64_t getImag(RingPair value) { return value.imag; }
template <typename T> static T getReal(std::complex<T> value) { return value.real(); }
template <typename T> static T getImag(std::complex<T> value) { return value.imag(); }

template <typename T, typename Relation>
static void compareInto(Tensor &result, const Tensor &a, const Tensor &b, bool inTotalOrder, Relation relation) {
  constexpr bool isEquality =
      std::is_same_v<Relation, std::equal_to<>> || std::is_same_v<Relation, std::not_equal_to<>>;
  if constexpr (std::is_floating_point_v<T>) {
    if (inTotalOrder)
      return mapTo<uint8_t, T>(result, [&](T x, T y) { return relation(getTotalOrder(x), getTotalOrder(y)); }, a, b);
  }
  if constexpr (std::is_arithmetic_v<T> || isEquality)
    mapTo<uint8_t, T>(result, relation, a, b);
  else
    mapTo<uint8_t, T>(
        result,
        [&](T x, T y) {
          return relation(getReal(x), getReal(y)) || (getReal(x) == getReal(y) && relation(getImag(x), getImag(y)));
        },
        a, b);
}

Tensor compare(const Tensor &a, const Tensor &b, stablehlo::ComparisonDirection direction, bool inTotalOrder,
               RankedTensorType type) {
  Tensor result(type, a.getMode());
  visitDirection(direction, [&](auto relation) {
    visitKind(a.getKind(), [&]<typename T>(T *) { compareInto<T>(result, a, b, inTotalOrder, relation); });
  });
  return result;
}

static Status evaluateCompare(stablehlo::CompareOp op, Call &call) {
  Type elementType = call.operands[0].getElementType();
  if (!isEvaluable(elementType))
    return unsupportedElement(op, elementType);
  bool inTotalOrder = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  call.results.push_back(
      compare(call.operands[0], call.operands[1], op.getComparisonDirection(), inTotalOrder, resultType(op)));
  return std::nullopt;
}

/// A predicate of floats. In exact mode it is `inRing` for all elements.
template <typename OpT, auto predicate, bool inRing> static Status evaluatePredicate(OpT op, Call &call) {
  const Tensor &operand = call.operands[0];
  if (!isa<FloatType>(operand.getElementType()))
    return unsupportedElement(op, operand.getElementType());
  Tensor result(resultType(op), call.mode);
  if (operand.getKind() == StorageKind::Ring)
    llvm::fill(result.edit<uint8_t>(), inRing);
  else if (operand.getKind() == StorageKind::Double)
    mapTo<uint8_t, double>(result, predicate, operand);
  else
    mapTo<uint8_t, float>(result, predicate, operand);
  call.results.push_back(std::move(result));
  return std::nullopt;
}

static bool isFinite(double value) { return std::isfinite(value); }
static bool isInf(double value) { return std::isinf(value); }
static bool isPosInf(double value) { return std::isinf(value) && value > 0; }
static bool isNegInf(double value) { return std::isinf(value) && value < 0; }

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

Tensor select(const Tensor &pred, Tensor onTrue, Tensor onFalse) {
  ArrayRef<uint8_t> choices = pred.get<uint8_t>();
  if (pred.getRank() == 0)
    return choices.front() ? onTrue : onFalse;
  visitKind(onTrue.getKind(), [&]<typename T>(T *) {
    mapInPlace(
        onTrue.edit<T>(), [](T chosen, T other, uint8_t choice) { return choice ? chosen : other; }, onFalse.get<T>(),
        choices);
  });
  return onTrue;
}

static Status evaluateSelect(stablehlo::SelectOp op, Call &call) {
  call.results.push_back(select(call.operands[0], takeOperand(call, 1, resultType(op)), call.operands[2]));
  return std::nullopt;
}

namespace {

/// minimum(maximum(x, low), high)
struct Clamp {
  static uint8_t ofBool(uint8_t x, uint8_t low, uint8_t high) { return Minimum::ofBool(Maximum::ofBool(x, low), high); }
  template <typename T> static T ofInteger(T x, T low, T high, unsigned width) {
    return Minimum::ofInteger(Maximum::ofInteger(x, low, width), high, width);
  }
  template <typename T> static T ofFloat(T x, T low, T high) {
    return Minimum::ofFloat(Maximum::ofFloat(x, low), high);
  }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> x, std::complex<T> low, std::complex<T> high) {
    return Minimum::ofComplex(Maximum::ofComplex(x, low), high);
  }
  template <typename T> static T ofRing(T x, T low, T high) { return Minimum::ofRing(Maximum::ofRing(x, low), high); }
};

} // namespace

/// The bounds may be scalars.
static Status evaluateClamp(stablehlo::ClampOp op, Call &call) {
  RankedTensorType type = resultType(op);
  if (!isEvaluable(type.getElementType()))
    return unsupportedElement(op, type.getElementType());
  Tensor low = broadcastScalar(call.operands[0], type), high = broadcastScalar(call.operands[2], type);
  Tensor result = takeOperand(call, 1, type);
  apply<Clamp>(result, low, high);
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerChoice(OpTable &table) {
  table.add<stablehlo::CompareOp, evaluateCompare>();
  table.add<stablehlo::IsFiniteOp, evaluatePredicate<stablehlo::IsFiniteOp, isFinite, true>>();
  table.add<chlo::IsInfOp, evaluatePredicate<chlo::IsInfOp, isInf, false>>();
  table.add<chlo::IsPosInfOp, evaluatePredicate<chlo::IsPosInfOp, isPosInf, false>>();
  table.add<chlo::IsNegInfOp, evaluatePredicate<chlo::IsNegInfOp, isNegInf, false>>();
  table.add<stablehlo::SelectOp, evaluateSelect>();
  table.add<stablehlo::ClampOp, evaluateClamp>();
}

} // namespace partita::evaluate
