//===- Reducer.cpp - verifies reducer regions -----------------------------===//

#include "partita/Dialect/StableHlo/Reducer.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

std::optional<TypeRange> getReturnedTypes(Region &region) {
  if (region.empty() || !region.front().mightHaveTerminator())
    return std::nullopt;
  return TypeRange(region.front().getTerminator()->getOperandTypes());
}

FailureOr<SmallVector<Type>> getAccumulatorElementTypes(std::optional<Location> loc, Region &region, TypeRange inputs) {
  TypeRange accumulators = getReturnedTypes(region).value_or(inputs);
  if (accumulators.size() != inputs.size())
    return emitOptionalError(loc, "expects the reducer to return ", inputs.size(), " values, got ",
                             accumulators.size());
  SmallVector<Type> elementTypes;
  for (Type type : accumulators) {
    if (!isa<RankedTensorType>(type))
      return emitOptionalError(loc, "expects the reducer to return tensors, got ", type);
    elementTypes.push_back(getElementTypeOrSelf(type));
  }
  return elementTypes;
}

Type getScalarType(Type tensor) { return RankedTensorType::get({}, getElementTypeOrSelf(tensor)); }

static unsigned getBitWidth(Type elementType) {
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return 2 * getBitWidth(complexType.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType))
    return quantized.getStorageTypeIntegralWidth();
  return elementType.getIntOrFloatBitWidth();
}

/// Both integers, both floats, both complex, or quantized forms of one type.
static bool areOneKind(Type a, Type b) {
  auto quantizedA = dyn_cast<quant::QuantizedType>(a);
  auto quantizedB = dyn_cast<quant::QuantizedType>(b);
  if (quantizedA && quantizedB)
    return quantizedA.getExpressedType() == quantizedB.getExpressedType();
  return (isa<IntegerType>(a) && isa<IntegerType>(b)) || (isa<FloatType>(a) && isa<FloatType>(b)) ||
         (isa<ComplexType>(a) && isa<ComplexType>(b));
}

bool isPromotable(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  return areOneKind(from, to) && getBitWidth(from) <= getBitWidth(to);
}

/// Promotion as programs have it: floats may also lose precision on their way into an accumulator.
static bool isAccumulable(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  return (isa<FloatType>(from) && isa<FloatType>(to)) || isPromotable(from, to);
}

bool areAlike(Type a, Type b) {
  Type elementA = getElementTypeOrSelf(a), elementB = getElementTypeOrSelf(b);
  bool areFloats = isa<FloatType>(elementA) && isa<FloatType>(elementB);
  return succeeded(verifyCompatibleShape(a, b)) && (areFloats || elementA == elementB);
}

/// Whether `shape` is what remains of `full` when some dims are left out.
static bool isSubsequence(ArrayRef<int64_t> shape, ArrayRef<int64_t> full) {
  for (int64_t size : full)
    if (!shape.empty() &&
        (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape.front()) || size == shape.front()))
      shape = shape.drop_front();
  return shape.empty();
}

/// Numbers and kinds of arguments and returned values.
static LogicalResult verifyArity(Operation *op, Block &block, TypeRange returned, size_t numInputs, StringRef label) {
  if (block.getNumArguments() != 2 * numInputs)
    return op->emitOpError() << label << " expects a reducer of " << 2 * numInputs << " arguments, got "
                             << block.getNumArguments();
  if (returned.size() != numInputs)
    return op->emitOpError() << label << " expects the reducer to return " << numInputs << " values, got "
                             << returned.size();
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(block.getArgumentTypes(), isTensor) || !llvm::all_of(returned, isTensor))
    return op->emitOpError() << label << " expects the reducer to take and return tensors";
  return success();
}

/// The i-th accumulator and element against the i-th input.
static LogicalResult verifyAccumulation(Operation *op, Type accumulator, Type taken, Type element, Type input,
                                        Type initValue, StringRef label) {
  if (!areAlike(accumulator, taken) || getElementTypeOrSelf(accumulator) != getElementTypeOrSelf(taken))
    return op->emitOpError() << label << " expects the reducer to return the accumulator type " << taken
                             << " that it takes, got " << accumulator;
  if (!areAlike(accumulator, element))
    return op->emitOpError() << label << " expects the reducer's element type " << element
                             << " to be that of its accumulator " << accumulator;
  if (failed(verifyCompatibleShape(initValue, accumulator)) || !isAccumulable(initValue, accumulator))
    return op->emitOpError() << label << " expects a reducer that accumulates from an initial value of type "
                             << initValue << ", got accumulator " << accumulator;
  if (!isAccumulable(input, element))
    return op->emitOpError() << label << " expects a reducer to which elements of " << input << " can be promoted, got "
                             << element;
  return success();
}

LogicalResult verifyReducer(Operation *op, Region &region, const ReducerOperands &operands, StringRef label) {
  std::optional<TypeRange> returned = getReturnedTypes(region);
  if (!returned)
    return op->emitOpError() << label << " expects a reducer with a terminator";
  Block &block = region.front();
  size_t numInputs = operands.inputs.size();
  if (failed(verifyArity(op, block, *returned, numInputs, label)))
    return failure();
  for (size_t i = 0; i < numInputs; ++i) {
    Type element = block.getArgument(numInputs + i).getType();
    if (failed(verifyAccumulation(op, (*returned)[i], block.getArgument(i).getType(), element, operands.inputs[i],
                                  operands.initValues[i], label)))
      return failure();
    if (!isSubsequence(cast<ShapedType>(element).getShape(), operands.shape))
      return op->emitOpError() << label << " expects the shape of reducer argument " << numInputs + i
                               << " to be part of the op's, got " << element;
  }
  return success();
}

} // namespace partita::stablehlo
