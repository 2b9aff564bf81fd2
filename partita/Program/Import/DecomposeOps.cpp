//===- DecomposeOps.cpp - ops that XLA does not partition, in StableHLO ---===//
//
// XLA cannot partition a program with `mulhi`: its way back from HLO has no
// StableHLO op for it. XLA cannot compile binary ops at all if their
// `broadcast_dimensions` are not the last dims.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace partita::stablehlo;

namespace partita::program::import {

static constexpr llvm::StringLiteral broadcastDimensions = "broadcast_dimensions";
static constexpr unsigned widestInteger = 64;

bool mayDecompose(Operation *op) {
  auto hasName = [](StringAttr name) { return name == broadcastDimensions; };
  return isa<chlo::MulhiOp>(op) ||
         (isa<chlo::ChloDialect>(op->getDialect()) && llvm::any_of(op->getName().getAttributeNames(), hasName));
}

/// Shifts each element to the right by `bits`.
static Value emitShiftRight(ImplicitLocOpBuilder &builder, Value value, unsigned bits, bool isSigned) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned width = type.getElementTypeBitWidth();
  Value amount = ConstantOp::create(builder, DenseElementsAttr::get(type, APInt(width, bits)));
  if (isSigned)
    return ShiftRightArithmeticOp::create(builder, value, amount);
  return ShiftRightLogicalOp::create(builder, value, amount);
}

/// The upper half of a product of at most 64 bits, from the whole product.
static Value emitNarrowMulhi(ImplicitLocOpBuilder &builder, Value lhs, Value rhs, unsigned width, bool isSigned) {
  auto type = cast<RankedTensorType>(lhs.getType());
  // XLA supports few ops on types of less than a byte.
  auto wide = builder.getIntegerType(std::max(2 * width, 8U));
  if (!isSigned)
    wide = IntegerType::get(builder.getContext(), wide.getWidth(), IntegerType::Unsigned);
  auto widen = [&](Value value) { return ConvertOp::create(builder, type.clone(wide), value); };
  Value product = MulOp::create(builder, widen(lhs), widen(rhs));
  return ConvertOp::create(builder, type, emitShiftRight(builder, product, width, isSigned));
}

/// The upper half of a product of 128 bits, from halves of the factors: with a = a1 2^32 + a0 and b alike,
///   t = a1 b0 + (a0 b0 >> 32),  s = a0 b1 + (t mod 2^32),  high(a b) = a1 b1 + (t >> 32) + (s >> 32).
/// No sum overflows. The upper halves have the factors' sign.
static Value emitWideMulhi(ImplicitLocOpBuilder &builder, Value lhs, Value rhs, bool isSigned) {
  constexpr unsigned half = widestInteger / 2;
  auto type = cast<RankedTensorType>(lhs.getType());
  auto mask = DenseElementsAttr::get(type, APInt::getLowBitsSet(widestInteger, half));
  auto low = [&](Value value) -> Value { return AndOp::create(builder, value, ConstantOp::create(builder, mask)); };
  auto high = [&](Value value) { return emitShiftRight(builder, value, half, isSigned); };
  auto multiply = [&](Value a, Value b) -> Value { return MulOp::create(builder, a, b); };
  auto add = [&](Value a, Value b) -> Value { return AddOp::create(builder, a.getType(), a, b); };
  Value a0 = low(lhs), a1 = high(lhs), b0 = low(rhs), b1 = high(rhs);
  Value carried = emitShiftRight(builder, multiply(a0, b0), half, /*isSigned=*/false);
  Value t = add(multiply(a1, b0), carried);
  Value s = add(multiply(a0, b1), low(t));
  return add(add(multiply(a1, b1), high(t)), high(s));
}

/// Leaves ops with dynamic shapes alone; a later step refuses them.
static void decomposeMulhi(chlo::MulhiOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || op.getLhs().getType() != type || op.getRhs().getType() != type)
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  bool isSigned = !type.getElementType().isUnsignedInteger();
  unsigned width = type.getElementTypeBitWidth();
  Value result = width == widestInteger ? emitWideMulhi(builder, op.getLhs(), op.getRhs(), isSigned)
                                        : emitNarrowMulhi(builder, op.getLhs(), op.getRhs(), width, isSigned);
  result.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Gives the operand of lower rank dims of size 1, so that dims correspond from the last one on.
static void alignBroadcast(Operation *op) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>(broadcastDimensions);
  if (!dims || op->getNumOperands() != 2)
    return;
  auto lhs = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto rhs = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  if (!lhs || !rhs || !lhs.hasStaticShape() || !rhs.hasStaticShape() || lhs.getRank() == rhs.getRank())
    return;
  unsigned lower = lhs.getRank() < rhs.getRank() ? 0 : 1;
  RankedTensorType small = lower == 0 ? lhs : rhs, large = lower == 0 ? rhs : lhs;
  int64_t leading = large.getRank() - small.getRank();
  if (llvm::equal(dims.asArrayRef(), llvm::seq(leading, large.getRank())))
    return;
  SmallVector<int64_t> shape(large.getRank(), 1);
  for (auto [dim, size] : llvm::zip(dims.asArrayRef(), small.getShape()))
    shape[dim] = size;
  OpBuilder builder(op);
  op->setOperand(lower, BroadcastInDimOp::create(builder, op->getLoc(), small.clone(shape), op->getOperand(lower),
                                                 dims.asArrayRef()));
  op->removeAttr(broadcastDimensions);
}

void decomposeOps(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto mulhi = dyn_cast<chlo::MulhiOp>(op))
      decomposeMulhi(mulhi);
    else if (mayDecompose(op))
      alignBroadcast(op);
  });
}

} // namespace partita::program::import
