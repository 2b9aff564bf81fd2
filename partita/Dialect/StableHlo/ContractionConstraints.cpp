//===- ContractionConstraints.cpp - constraints of dots and convolutions --===//

#include "partita/Dialect/StableHlo/ContractionConstraints.h"

using namespace mlir;

namespace partita::stablehlo {

LogicalResult verifyPrecisionConfig(std::optional<Location> loc, std::optional<ArrayAttr> config, StringRef label) {
  if (config && config->size() > 2)
    return emitOptionalError(loc, label, " requires at most 2 precisions, got ", config->size());
  return success();
}

static quant::QuantizedType getQuantized(Type tensorType) {
  return dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(tensorType));
}

bool isQuantized(Type tensorType) { return getQuantized(tensorType) != nullptr; }

/// lhs, rhs and result are quantized.
static LogicalResult verifyAllQuantized(std::optional<Location> loc, quant::QuantizedType lhs, quant::QuantizedType rhs,
                                        quant::QuantizedType result, const QuantizationLabels &labels) {
  if (lhs.getStorageType() != rhs.getStorageType())
    return emitOptionalError(loc, labels.storageTypes, " requires equal storage types of lhs and rhs");
  if (lhs.getExpressedType() != rhs.getExpressedType() || lhs.getExpressedType() != result.getExpressedType())
    return emitOptionalError(loc, labels.expressedTypes, " requires equal expressed types of lhs, rhs and result");
  if (isa<quant::UniformQuantizedType>(rhs) && !isa<quant::UniformQuantizedType>(result))
    return emitOptionalError(loc, labels.granularity, " requires a result quantized per tensor where rhs is");
  return success();
}

LogicalResult verifyQuantizedContraction(std::optional<Location> loc, Type lhs, Type rhs, Type result,
                                         const QuantizationLabels &labels) {
  quant::QuantizedType lhsType = getQuantized(lhs), rhsType = getQuantized(rhs), resultType = getQuantized(result);
  if (!rhsType || (lhsType != nullptr) != (resultType != nullptr))
    return emitOptionalError(loc, labels.isQuantized, " requires rhs quantized, and lhs and result both or neither");
  if (lhsType)
    return verifyAllQuantized(loc, lhsType, rhsType, resultType, labels);
  Type elementType = getElementTypeOrSelf(lhs);
  if (elementType != rhsType.getExpressedType() || elementType != getElementTypeOrSelf(result))
    return emitOptionalError(loc, labels.hybrid, " requires lhs and result of the expressed type of rhs");
  return success();
}

static bool isFloat8(Type type) {
  return isa<Float8E3M4Type, Float8E4M3Type, Float8E4M3FNType, Float8E4M3FNUZType, Float8E4M3B11FNUZType,
             Float8E5M2Type, Float8E5M2FNUZType>(type);
}

bool isKnownDotAlgorithm(Type lhsPrecision, Type rhsPrecision, Type accumulation, int64_t lhsComponents,
                         int64_t rhsComponents, int64_t primitiveOperations, bool allowImpreciseAccumulation) {
  if (lhsComponents != 1 || rhsComponents != 1)
    return false;
  if (isFloat8(lhsPrecision) && isFloat8(rhsPrecision))
    return accumulation.isF32() && primitiveOperations == 1;
  if (lhsPrecision != rhsPrecision || allowImpreciseAccumulation)
    return false;
  auto passes = [&](std::initializer_list<int64_t> counts) { return llvm::is_contained(counts, primitiveOperations); };
  if (lhsPrecision.isBF16() && accumulation.isF32())
    return passes({1, 3, 6, 9});
  if (lhsPrecision.isTF32())
    return accumulation.isF32() && passes({1, 3});
  if (lhsPrecision.isF16() && accumulation.isF32())
    return passes({1});
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(lhsPrecision) && accumulation == lhsPrecision &&
         passes({1});
}

} // namespace partita::stablehlo
