//===- NextAfter.cpp - the next number of a float type --------------------===//

#include "partita/Evaluate/Ops/NextAfter.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/FloatFormat.h"

using namespace mlir;

namespace partita::evaluate {

/// Numbers of one sign are ordered as their bits are.
static float nextInFormat(float x, float y, const FloatFormat &format) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return std::copysign(format.decode(1), y);
  bool isAway = (x < y) == (x > 0);
  uint32_t bits = format.encode(x);
  return format.decode(isAway ? bits + 1 : bits - 1);
}

Tensor nextAfter(Tensor x, const Tensor &y) {
  switch (x.getKind()) {
  case StorageKind::Double:
    mapInPlace(x.edit<double>(), [](double a, double b) { return std::nextafter(a, b); }, y.get<double>());
    break;
  case StorageKind::Float:
    if (x.getElementType().isF32())
      mapInPlace(x.edit<float>(), [](float a, float b) { return std::nextafter(a, b); }, y.get<float>());
    else
      mapInPlace(
          x.edit<float>(),
          [format = FloatFormat(x.getElementType())](float a, float b) { return nextInFormat(a, b, format); },
          y.get<float>());
    break;
  default:
    mapInPlace(
        x.edit<uint64_t>(),
        [function = ringFunction("next_after")](uint64_t a, uint64_t b) { return ringHash(function, a, b); },
        y.get<uint64_t>());
  }
  return x;
}

static Status evaluateNextAfter(chlo::NextAfterOp op, Call &call) {
  call.results.push_back(nextAfter(takeOperand(call, 0, resultType(op)), call.operands[1]));
  return std::nullopt;
}

void registerNextAfter(OpTable &table) { table.add<chlo::NextAfterOp, evaluateNextAfter>(); }

} // namespace partita::evaluate
