//===- ReductionOps.cpp - reduce, reduce_window, sort, map ----------------===//

#include "partita/Dialect/StableHlo/ReductionOps.h"

#include "partita/Dialect/StableHlo/Reducer.h"
#include "partita/Dialect/StableHlo/Window.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ReductionOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ReductionOps.cpp.inc"
      >();
}

/// There are inputs, and they have one shape.
static LogicalResult verifyInputs(std::optional<Location> loc, TypeRange inputs, StringRef numberLabel,
                                  StringRef shapeLabel) {
  if (inputs.empty())
    return emitOptionalError(loc, numberLabel, " expects at least one input");
  for (Type input : inputs)
    if (failed(verifyCompatibleShape(inputs.front(), input)))
      return emitOptionalError(loc, shapeLabel, " expects inputs of one shape, got ", inputs.front(), " and ", input);
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

static LogicalResult verifyReducedDims(std::optional<Location> loc, ArrayRef<int64_t> dimensions, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dimensions) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(loc, "(C4) expects dimensions in range [0, ", rank, "), got ", dim);
    if (!seen.insert(dim).second)
      return emitOptionalError(loc, "(C5) expects dimensions not to repeat, got ", dim, " twice");
  }
  return success();
}

/// `values`, one per dim, without those of the reduced dims.
static SmallVector<int64_t> dropReduced(ArrayRef<int64_t> values, ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> kept;
  for (auto [dim, value] : llvm::enumerate(values))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dim)))
      kept.push_back(value);
  return kept;
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                         SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  TypeRange inputs = adaptor.getInputs().getTypes();
  if (failed(verifyInputs(loc, inputs, "(C3)", "(C1)")))
    return failure();
  auto input = cast<RankedTensorType>(inputs.front());
  if (failed(verifyReducedDims(loc, adaptor.getDimensions(), input.getRank())))
    return failure();
  FailureOr<SmallVector<Type>> elementTypes = getAccumulatorElementTypes(loc, adaptor.getBody(), inputs);
  if (failed(elementTypes))
    return failure();
  SmallVector<int64_t> shape = dropReduced(input.getShape(), adaptor.getDimensions());
  SmallVector<int64_t> bounds = dropReduced(getBounds(input), adaptor.getDimensions());
  for (Type elementType : *elementTypes)
    inferred.push_back(getTensorType(shape, bounds, elementType));
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty() || getNumOperands() % 2 != 0)
    return emitOpError("(C3) expects inputs and as many init_values");
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  SmallVector<int64_t> shape = dropReduced(input.getShape(), getDimensions());
  ReducerOperands operands = {
      .inputs = getInputs().getTypes(), .initValues = getInitValues().getTypes(), .shape = shape};
  return verifyReducer(*this, getBody(), operands, "(C6)");
}

//===----------------------------------------------------------------------===//
// Reduce window
//===----------------------------------------------------------------------===//

static constexpr WindowLabels reduceWindowLabels = {
    .positiveSizes = "(C5)",
    .numStrides = "(C6)",
    .positiveStrides = "(C7)",
    .numBaseDilations = "(C8)",
    .positiveBaseDilations = "(C9)",
    .numWindowDilations = "(C10)",
    .positiveWindowDilations = "(C11)",
    .paddingShape = "(C12)",
};

/// The window over inputs of one shape.
static FailureOr<SmallVector<WindowDim>> buildReduceWindow(std::optional<Location> loc,
                                                           ReduceWindowOp::Adaptor adaptor) {
  TypeRange inputs = adaptor.getInputs().getTypes();
  if (failed(verifyInputs(loc, inputs, "(C1)", "(C2)")))
    return failure();
  WindowAttrs attrs = {.sizes = adaptor.getWindowDimensions(),
                       .strides = adaptor.getWindowStrides().value_or(ArrayRef<int64_t>()),
                       .baseDilations = adaptor.getBaseDilations().value_or(ArrayRef<int64_t>()),
                       .windowDilations = adaptor.getWindowDilations().value_or(ArrayRef<int64_t>()),
                       .padding = adaptor.getPaddingAttr()};
  if (static_cast<int64_t>(attrs.sizes.size()) != cast<RankedTensorType>(inputs.front()).getRank())
    return emitOptionalError(loc, "(C4) expects window_dimensions per dim of the inputs, got ", attrs.sizes.size(),
                             " for ", inputs.front());
  return buildWindow(loc, attrs, reduceWindowLabels);
}

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                               DictionaryAttr attributes, OpaqueProperties properties,
                                               RegionRange regions, SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  FailureOr<SmallVector<WindowDim>> window = buildReduceWindow(loc, adaptor);
  if (failed(window))
    return failure();
  TypeRange inputs = adaptor.getInputs().getTypes();
  FailureOr<SmallVector<Type>> elementTypes = getAccumulatorElementTypes(loc, adaptor.getBody(), inputs);
  if (failed(elementTypes))
    return failure();
  for (auto [type, elementType] : llvm::zip(inputs, *elementTypes)) {
    auto input = cast<RankedTensorType>(type);
    SmallVector<int64_t> inputBounds(getBounds(input));
    inputBounds.resize(input.getRank(), ShapedType::kDynamic);
    FailureOr<SmallVector<int64_t>> shape = computeWindowCounts(loc, input.getShape(), *window);
    FailureOr<SmallVector<int64_t>> bounds = computeWindowCounts(loc, inputBounds, *window);
    if (failed(shape) || failed(bounds))
      return failure();
    inferred.push_back(getTensorType(*shape, *bounds, elementType));
  }
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  if (getInputs().empty() || getNumOperands() % 2 != 0)
    return emitOpError("(C1) expects inputs and as many init_values");
  ReducerOperands operands = {
      .inputs = getInputs().getTypes(), .initValues = getInitValues().getTypes(), .shape = getWindowDimensions()};
  return verifyReducer(*this, getBody(), operands, "(C13)");
}

//===----------------------------------------------------------------------===//
// Sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

LogicalResult SortOp::verify() {
  if (getInputs().empty())
    return emitOpError("(C1) expects at least one input");
  int64_t rank = cast<RankedTensorType>(getInputs().front().getType()).getRank();
  int64_t dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return emitOpError("(C4) expects dimension in range [") << -rank << ", " << rank << "), got " << dimension;
  SmallVector<Type> expected;
  for (Type input : getInputs().getTypes())
    expected.append(2, getScalarType(input));
  if (TypeRange(expected) != TypeRange(getComparator().getArgumentTypes()))
    return emitOpError("(C5) expects a comparator of arguments ") << expected;
  auto pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  std::optional<TypeRange> returned = getReturnedTypes(getComparator());
  if (!returned || returned->size() != 1 || returned->front() != pred)
    return emitOpError("(C5) expects the comparator to return ") << pred;
  return success();
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

LogicalResult MapOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                      DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                      SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty())
    return emitOptionalError(loc, "(C2) expects at least one input");
  auto input = cast<RankedTensorType>(operands.back().getType());
  Type element = getScalarType(input);
  TypeRange returned = getReturnedTypes(adaptor.getComputation()).value_or(element);
  auto result = returned.size() == 1 ? dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!result || result.getRank() != 0)
    return emitOptionalError(loc, "(C4) expects the computation to return one scalar tensor");
  inferred.push_back(RankedTensorType::get(input.getShape(), result.getElementType()));
  return success();
}

LogicalResult MapOp::verify() {
  if (getInputs().empty())
    return emitOpError("(C2) expects at least one input");
  int64_t rank = cast<RankedTensorType>(getInputs().front().getType()).getRank();
  if (!llvm::equal(getDimensions(), llvm::seq<int64_t>(0, rank)))
    return emitOpError("(C3) expects dimensions to be all ") << rank << " of the inputs, in order";
  auto expected = llvm::map_to_vector(getInputs().getTypes(), getScalarType);
  if (TypeRange(expected) != TypeRange(getComputation().getArgumentTypes()))
    return emitOpError("(C4) expects a computation of arguments ") << expected;
  return success();
}

} // namespace partita::stablehlo
