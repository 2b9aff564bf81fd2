//===- ScatterOps.cpp - scatter and select_and_scatter --------------------===//

#include "partita/Dialect/StableHlo/IndexedDims.h"
#include "partita/Dialect/StableHlo/IndexingOps.h"
#include "partita/Dialect/StableHlo/Reducer.h"
#include "partita/Dialect/StableHlo/Window.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                          DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                          SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  TypeRange inputs = adaptor.getInputs().getTypes();
  FailureOr<SmallVector<Type>> elementTypes = getAccumulatorElementTypes(loc, adaptor.getUpdateComputation(), inputs);
  if (failed(elementTypes))
    return failure();
  for (auto [input, elementType] : llvm::zip(inputs, *elementTypes))
    inferred.push_back(cast<RankedTensorType>(input).clone(elementType));
  return success();
}

/// Repeated or unsorted indices under a promise of the opposite have no meaning.
Speculation::Speculatability ScatterOp::getSpeculatability() {
  bool isPromising = getIndicesAreSorted() || getUniqueIndices();
  return isPromising ? Speculation::NotSpeculatable : Speculation::RecursivelySpeculatable;
}

static LogicalResult verifySameShapes(Operation *op, TypeRange types, StringRef label, StringRef name) {
  for (Type type : types)
    if (failed(verifyCompatibleShape(types.front(), type)))
      return op->emitOpError() << label << " expects " << name << " of one shape, got " << types.front() << " and "
                               << type;
  return success();
}

/// Updates have a size per index vector and, along a window, no more than the input.
static LogicalResult verifyUpdates(Operation *op, const IndexedDims &dims, RankedTensorType input,
                                   RankedTensorType indices, RankedTensorType updates) {
  auto isDynamic = [](int64_t size) { return ShapedType::isDynamic(size); };
  for (auto [dim, inputDim] : llvm::zip(dims.window.dims, getWindowedOperandDims(dims, input.getRank()))) {
    int64_t size = updates.getDimSize(dim), limit = input.getDimSize(inputDim);
    if (!isDynamic(size) && !isDynamic(limit) && size > limit)
      return op->emitOpError() << "(C4) expects windows of updates within the input, got " << size << " for " << limit
                               << " in dim " << dim << " of updates";
  }
  for (auto [dim, indicesDim] :
       llvm::zip(getIndexedSlicesDims(dims, indices.getRank()), getIndexCountDims(dims, indices.getRank()))) {
    int64_t size = updates.getDimSize(dim), count = indices.getDimSize(indicesDim);
    if (!isDynamic(size) && !isDynamic(count) && size != count)
      return op->emitOpError() << "(C4) expects updates for every index vector, got " << size << " for " << count
                               << " in dim " << dim << " of updates";
  }
  return success();
}

/// Every input with its updates against the indices.
static LogicalResult verifyWrites(ScatterOp op) {
  auto indices = cast<RankedTensorType>(op.getScatterIndices().getType());
  IndexedDims dims = getIndexedDims(op.getScatterDimensionNumbers());
  for (auto [inputType, updatesType] : llvm::zip(op.getInputs().getTypes(), op.getUpdates().getTypes())) {
    auto input = cast<RankedTensorType>(inputType), updates = cast<RankedTensorType>(updatesType);
    if (failed(verifyIndexedDims(op.getLoc(), dims, input, indices)))
      return failure();
    int64_t rank = getSlicesRank(dims, indices.getRank());
    if (updates.getRank() != rank)
      return op.emitOpError("(C4) expects updates of rank ") << rank << ", got " << updates;
    if (failed(verifyUpdates(op, dims, input, indices, updates)))
      return failure();
  }
  return success();
}

LogicalResult ScatterOp::verify() {
  if (getInputs().empty() || getNumOperands() % 2 == 0)
    return emitOpError("(C5) expects inputs and as many updates");
  if (failed(verifySameShapes(*this, getInputs().getTypes(), "(C1)", "inputs")) ||
      failed(verifySameShapes(*this, getUpdates().getTypes(), "(C3)", "updates")) || failed(verifyWrites(*this)))
    return failure();
  auto initValues = llvm::map_to_vector(getUpdates().getTypes(), getScalarType);
  ReducerOperands operands = {.inputs = getInputs().getTypes(), .initValues = initValues, .shape = {}};
  return verifyReducer(*this, getUpdateComputation(), operands, "(C23)");
}

//===----------------------------------------------------------------------===//
// Select and scatter
//===----------------------------------------------------------------------===//

LogicalResult SelectAndScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                   DictionaryAttr attributes, OpaqueProperties properties,
                                                   RegionRange regions, SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  Type operand = adaptor.getOperand().getType();
  FailureOr<SmallVector<Type>> elementTypes = getAccumulatorElementTypes(loc, adaptor.getScatter(), operand);
  if (failed(elementTypes))
    return failure();
  inferred.push_back(cast<RankedTensorType>(operand).clone(elementTypes->front()));
  return success();
}

static constexpr WindowLabels selectAndScatterLabels = {
    .positiveSizes = "(C5)",
    .numStrides = "(C6)",
    .positiveStrides = "(C7)",
    .numBaseDilations = "",
    .positiveBaseDilations = "",
    .numWindowDilations = "",
    .positiveWindowDilations = "",
    .paddingShape = "(C8)",
};

/// There is an element of `source` for each window of `operand`.
static LogicalResult verifySource(SelectAndScatterOp op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  WindowAttrs attrs = {.sizes = op.getWindowDimensions().value_or(ArrayRef<int64_t>()),
                       .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
                       .baseDilations = {},
                       .windowDilations = {},
                       .padding = op.getPaddingAttr()};
  if (static_cast<int64_t>(attrs.sizes.size()) != operand.getRank())
    return op.emitOpError("(C4) expects window_dimensions per dim of the operand, got ")
           << attrs.sizes.size() << " for " << operand;
  FailureOr<SmallVector<WindowDim>> window = buildWindow(op.getLoc(), attrs, selectAndScatterLabels);
  if (failed(window))
    return failure();
  FailureOr<SmallVector<int64_t>> counts = computeWindowCounts(op.getLoc(), operand.getShape(), *window);
  if (failed(counts))
    return failure();
  auto expected = RankedTensorType::get(*counts, operand.getElementType());
  if (!areAlike(expected, op.getSource().getType()))
    return op.emitOpError("(C1, C2) expects a source element per window: ")
           << expected << ", got " << op.getSource().getType();
  return success();
}

/// `select` says which of two elements of `operand` to prefer.
static LogicalResult verifySelect(SelectAndScatterOp op) {
  Block &block = op.getSelect().front();
  Type element = getScalarType(op.getOperand().getType());
  if (block.getNumArguments() != 2)
    return op.emitOpError("(C9) expects a select region of 2 arguments, got ") << block.getNumArguments();
  for (Type argument : block.getArgumentTypes())
    if (!isa<RankedTensorType>(argument) || !areAlike(argument, element))
      return op.emitOpError("(C9) expects select to take ") << element << ", got " << argument;
  std::optional<TypeRange> returned = getReturnedTypes(op.getSelect());
  auto pred = RankedTensorType::get({}, IntegerType::get(op.getContext(), 1));
  if (!returned || returned->size() != 1 || returned->front() != pred)
    return op.emitOpError("(C9) expects select to return ") << pred;
  return success();
}

LogicalResult SelectAndScatterOp::verify() {
  if (failed(verifySource(*this)) || failed(verifySelect(*this)))
    return failure();
  Type source = getScalarType(getSource().getType()), initValue = getInitValue().getType();
  return verifyReducer(*this, getScatter(), {.inputs = source, .initValues = initValue, .shape = {}}, "(C10)");
}

} // namespace partita::stablehlo
