//===- LinalgOps.cpp - solvers, FFT, batch norm, random numbers -----------===//

#include "partita/Dialect/StableHlo/LinalgOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/LinalgOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerLinalgOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/LinalgOps.cpp.inc"
      >();
}

static bool areCompatibleSizes(int64_t a, int64_t b) { return succeeded(verifyCompatibleShape(a, b)); }

//===----------------------------------------------------------------------===//
// Solvers
//===----------------------------------------------------------------------===//

/// `type` is a matrix, or a batch of matrices, with as many rows as columns.
static LogicalResult verifySquare(std::optional<Location> loc, RankedTensorType type, StringRef rankLabel,
                                  StringRef squareLabel) {
  int64_t rank = type.getRank();
  if (rank < 2)
    return emitOptionalError(loc, rankLabel, " requires 'a' of rank 2 or more, got ", type);
  if (!areCompatibleSizes(type.getDimSize(rank - 2), type.getDimSize(rank - 1)))
    return emitOptionalError(loc, squareLabel, " requires equal minor dimensions of 'a', got ", type);
  return success();
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                           DictionaryAttr, OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &inferred) {
  auto a = cast<RankedTensorType>(operands.front().getType());
  if (failed(verifySquare(loc, a, "(C2)", "(C3)")))
    return failure();
  inferred.push_back(a);
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                  DictionaryAttr attributes, OpaqueProperties properties,
                                                  RegionRange regions, SmallVectorImpl<Type> &inferred) {
  TriangularSolveOp::Adaptor adaptor(operands, attributes, properties, regions);
  auto a = cast<RankedTensorType>(operands[0].getType()), b = cast<RankedTensorType>(operands[1].getType());
  if (!areCompatibleElementTypes(a, b))
    return emitOptionalError(loc, "(C1) requires equal element types of 'a' and 'b', got ", a, " and ", b);
  if (failed(verifySquare(loc, a, "(C2)", "(C3)")))
    return failure();
  int64_t rank = a.getRank();
  if (b.getRank() != rank)
    return emitOptionalError(loc, "(C2) requires operands of one rank, got ", a, " and ", b);
  if (!areCompatibleSizes(a.getDimSize(rank - 1), b.getDimSize(rank - (adaptor.getLeftSide() ? 2 : 1))))
    return emitOptionalError(loc, "(C3) requires 'a' and 'b' to share a dimension, got ", a, " and ", b);
  if (failed(verifyCompatibleShape(a.getShape().drop_back(2), b.getShape().drop_back(2))))
    return emitOptionalError(loc, "(C3) requires compatible batch dimensions, got ", a, " and ", b);
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(loc, "requires a valid transpose_a");
  inferred.push_back(b);
  return success();
}

//===----------------------------------------------------------------------===//
// fft
//===----------------------------------------------------------------------===//

/// The result's element type: RFFT takes reals to complex numbers, IRFFT back, the others stay with complex ones.
static FailureOr<Type> inferFftElementType(std::optional<Location> loc, FftType type, Type elementType) {
  if (type == FftType::RFFT) {
    if (!elementType.isF32() && !elementType.isF64())
      return emitOptionalError(loc, "(C2) requires f32 or f64 elements for RFFT, got ", elementType);
    return Type(ComplexType::get(elementType));
  }
  auto complexType = dyn_cast<ComplexType>(elementType);
  if (!complexType)
    return emitOptionalError(loc, "(C2) requires complex elements but for RFFT, got ", elementType);
  return type == FftType::IRFFT ? complexType.getElementType() : elementType;
}

/// Success if the transformed dims of a real transform have the sizes that `length` says. The last dim of a complex
/// operand holds half of the spectrum.
static LogicalResult verifyFftSizes(std::optional<Location> loc, FftType type, RankedTensorType operand,
                                    ArrayRef<int64_t> length) {
  if (type != FftType::RFFT && type != FftType::IRFFT)
    return success();
  SmallVector<int64_t> wanted(length);
  int64_t last = operand.getShape().back();
  if (type == FftType::IRFFT && (wanted.back() != 0 || !areCompatibleSizes(last, 0)))
    wanted.back() = wanted.back() / 2 + 1;
  for (auto [size, want] : llvm::zip_equal(operand.getShape().take_back(wanted.size()), wanted))
    if (!areCompatibleSizes(size, want))
      return emitOptionalError(loc, type == FftType::RFFT ? "(C4)" : "(C5)",
                               " requires dimensions compatible with fft_length, got ", size, " for ", want);
  return success();
}

LogicalResult FftOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                      DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                      SmallVectorImpl<Type> &inferred) {
  FftOp::Adaptor adaptor(operands, attributes, properties, regions);
  auto operand = cast<RankedTensorType>(operands.front().getType());
  ArrayRef<int64_t> length = adaptor.getFftLength();
  FftType type = adaptor.getFftType();
  if (length.empty() || length.size() > 3)
    return emitOptionalError(loc, "(C3) requires 1 to 3 values of fft_length, got ", length.size());
  FailureOr<Type> elementType = inferFftElementType(loc, type, operand.getElementType());
  if (failed(elementType))
    return failure();
  if (operand.getRank() < static_cast<int64_t>(length.size()))
    return emitOptionalError(loc, "(C1) requires an operand of rank ", length.size(), " or more, got ", operand);
  if (type == FftType::IRFFT && length.back() < 0)
    return emitOptionalError(loc, "(C4) requires fft_length not to be negative, got ", length.back());
  if (failed(verifyFftSizes(loc, type, operand, length)))
    return failure();
  SmallVector<int64_t> sizes(operand.getShape()), bounds(getBounds(operand));
  if (type == FftType::RFFT && length.back() != 0)
    sizes.back() = length.back() / 2 + 1;
  if (type == FftType::IRFFT)
    sizes.back() = length.back();
  if (!bounds.empty() && (type == FftType::RFFT || type == FftType::IRFFT))
    bounds.back() = ShapedType::kDynamic;
  inferred.push_back(getTensorType(sizes, bounds, *elementType));
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// All of these types are compatible with each other.
static LogicalResult verifyAlike(std::optional<Location> loc, TypeRange types, StringRef what) {
  for (Type type : types)
    for (Type other : types)
      if (!areCompatibleShapes(type, other))
        return emitOptionalError(loc, "requires ", what, " of compatible shapes, got ", type, " and ", other);
  return success();
}

/// Checks `tensors` and `vectors`, the operands by rank, and infers one result like the first tensor and
/// `vectorResults` more with a value per feature.
static LogicalResult inferBatchNorm(std::optional<Location> loc, TypeRange tensors, TypeRange vectors,
                                    int64_t featureIndex, int64_t vectorResults, SmallVectorImpl<Type> &inferred) {
  auto tensor = cast<RankedTensorType>(tensors.front());
  for (TypeRange types : {tensors, vectors})
    for (Type type : types)
      if (!areCompatibleElementTypes(type, tensor))
        return emitOptionalError(loc, "(C2) requires equal element types of all operands, got ", type, " and ", tensor);
  if (failed(verifyAlike(loc, tensors, "operand and grad_output")) || failed(verifyAlike(loc, vectors, "vectors")))
    return failure();
  if (featureIndex < 0 || featureIndex >= tensor.getRank())
    return emitOptionalError(loc, "(C1) requires feature_index in [0, ", tensor.getRank(), "), got ", featureIndex);
  int64_t features = tensor.getDimSize(featureIndex);
  int64_t vectorSize = cast<RankedTensorType>(vectors.front()).getDimSize(0);
  if (!areCompatibleSizes(features, vectorSize))
    return emitOptionalError(loc, "requires vectors of ", features, " elements, one per feature, got ", vectorSize);
  ArrayRef<int64_t> bounds = getBounds(tensor);
  inferred.push_back(tensor);
  inferred.append(vectorResults, getTensorType(features, bounds.empty() ? bounds : bounds.slice(featureIndex, 1),
                                               tensor.getElementType()));
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                DictionaryAttr attributes, OpaqueProperties properties,
                                                RegionRange regions, SmallVectorImpl<Type> &inferred) {
  BatchNormGradOp::Adaptor adaptor(operands, attributes, properties, regions);
  Type tensors[] = {adaptor.getOperand().getType(), adaptor.getGradOutput().getType()};
  return inferBatchNorm(loc, tensors, operands.slice(1, 3).getTypes(), adaptor.getFeatureIndex(), 2, inferred);
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                     DictionaryAttr attributes, OpaqueProperties properties,
                                                     RegionRange regions, SmallVectorImpl<Type> &inferred) {
  BatchNormInferenceOp::Adaptor adaptor(operands, attributes, properties, regions);
  return inferBatchNorm(loc, operands.take_front().getTypes(), operands.drop_front().getTypes(),
                        adaptor.getFeatureIndex(), 0, inferred);
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                    DictionaryAttr attributes, OpaqueProperties properties,
                                                    RegionRange regions, SmallVectorImpl<Type> &inferred) {
  BatchNormTrainingOp::Adaptor adaptor(operands, attributes, properties, regions);
  return inferBatchNorm(loc, operands.take_front().getTypes(), operands.drop_front().getTypes(),
                        adaptor.getFeatureIndex(), 2, inferred);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The shape that an operand states: its values where it is a constant, else dynamic sizes.
static SmallVector<int64_t> getStatedShape(Value shape) {
  DenseIntElementsAttr constant;
  if (matchPattern(shape, m_Constant(&constant)))
    return llvm::map_to_vector(constant.getValues<APInt>(), [](const APInt &size) { return size.getSExtValue(); });
  int64_t rank = cast<RankedTensorType>(shape.getType()).getDimSize(0);
  return SmallVector<int64_t>(rank, ShapedType::kDynamic);
}

LogicalResult RngOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                      DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                      SmallVectorImpl<Type> &inferred) {
  RngOp::Adaptor adaptor(operands, attributes, properties, regions);
  Type aType = getElementTypeOrSelf(adaptor.getA()), bType = getElementTypeOrSelf(adaptor.getB());
  if (aType != bType)
    return emitOptionalError(loc, "(C1) requires equal element types of 'a' and 'b', got ", aType, " and ", bType);
  if (adaptor.getRngDistribution() == RngDistribution::NORMAL && !isa<FloatType>(aType))
    return emitOptionalError(loc, "(C2) requires float elements for a normal distribution, got ", aType);
  SmallVector<int64_t> shape = getStatedShape(adaptor.getShape());
  if (llvm::any_of(shape, [](int64_t size) { return size < 0 && !ShapedType::isDynamic(size); }))
    return emitOptionalError(loc, "(C3) requires a shape of sizes that are not negative");
  inferred.push_back(RankedTensorType::get(shape, aType));
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  if (!areCompatibleShapes(getInitialState().getType(), getOutputState().getType()))
    return emitOpError("(C1) requires states of compatible shapes, got ")
           << getInitialState().getType() << " and " << getOutputState().getType();
  return success();
}

} // namespace partita::stablehlo
