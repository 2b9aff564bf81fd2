//===- MathOps.cpp - elementwise math functions ---------------------------===//

#include "partita/Dialect/Chlo/MathOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/MathOps.cpp.inc"

namespace partita::chlo {

void ChloDialect::registerMathOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Chlo/MathOps.cpp.inc"
      >();
}

/// The operand's shape with elements of i1.
static LogicalResult inferPredicate(MLIRContext *context, ValueRange operands, SmallVectorImpl<Type> &inferred) {
  auto type = cast<ShapedType>(operands.front().getType());
  inferred.push_back(type.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                        DictionaryAttr, OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &inferred) {
  return inferPredicate(context, operands, inferred);
}

LogicalResult IsNegInfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                           DictionaryAttr, OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &inferred) {
  return inferPredicate(context, operands, inferred);
}

LogicalResult IsPosInfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                           DictionaryAttr, OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &inferred) {
  return inferPredicate(context, operands, inferred);
}

} // namespace partita::chlo
