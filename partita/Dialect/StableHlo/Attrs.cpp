//===- Attrs.cpp - attributes of the stablehlo dialect --------------------===//
//
// Text of the attributes that the declarative form cannot express, and what
// makes an attribute valid by itself.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/ContractionConstraints.h"
#include "partita/Dialect/StableHlo/ConvDimensionsFormat.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"
#include "partita/Dialect/StableHlo/StructFormat.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "partita/Dialect/StableHlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/StableHlo/Attrs.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/StableHlo/Attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  StructField fields[] = {{"lhs_batching_dimensions", &lhsBatch},
                          {"rhs_batching_dimensions", &rhsBatch},
                          {"lhs_contracting_dimensions", &lhsContracting},
                          {"rhs_contracting_dimensions", &rhsContracting}};
  if (parser.parseLess() || parseStruct(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .field("lhs_batching_dimensions", getLhsBatchingDimensions())
      .field("rhs_batching_dimensions", getRhsBatchingDimensions())
      .field("lhs_contracting_dimensions", getLhsContractingDimensions())
      .field("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  StructField fields[] = {{"offset_dims", &offset},
                          {"collapsed_slice_dims", &collapsed},
                          {"operand_batching_dims", &operandBatching},
                          {"start_indices_batching_dims", &indicesBatching},
                          {"start_index_map", &indexMap},
                          {"index_vector_dim", &indexVectorDim}};
  if (parser.parseLess() || parseStruct(parser, fields))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, indexMap, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .field("offset_dims", getOffsetDims())
      .field("collapsed_slice_dims", getCollapsedSliceDims())
      .field("operand_batching_dims", getOperandBatchingDims())
      .field("start_indices_batching_dims", getStartIndicesBatchingDims())
      .field("start_index_map", getStartIndexMap())
      .field("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> updateWindow, insertedWindow, inputBatching, indicesBatching, toOperand;
  int64_t indexVectorDim = 0;
  StructField fields[] = {
      {"update_window_dims", &updateWindow},        {"inserted_window_dims", &insertedWindow},
      {"input_batching_dims", &inputBatching},      {"scatter_indices_batching_dims", &indicesBatching},
      {"scatter_dims_to_operand_dims", &toOperand}, {"index_vector_dim", &indexVectorDim}};
  if (parser.parseLess() || parseStruct(parser, fields))
    return {};
  return get(parser.getContext(), updateWindow, insertedWindow, inputBatching, indicesBatching, toOperand,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  StructPrinter(printer)
      .field("update_window_dims", getUpdateWindowDims())
      .field("inserted_window_dims", getInsertedWindowDims())
      .field("input_batching_dims", getInputBatchingDims())
      .field("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .field("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .field("index_vector_dim", getIndexVectorDim());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConvDimensions(parser);
  ConvDimensionNumbersAttr attr;
  if (parseConvDimensions(parser, attr) || parser.parseGreater())
    return {};
  return attr;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvDimensions(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Bounds: #stablehlo.bounds<4, ?>
//===----------------------------------------------------------------------===//

/// `8, ?` within `delimiter`.
static Attribute parseBounds(AsmParser &parser, AsmParser::Delimiter delimiter) {
  SmallVector<int64_t> bounds;
  auto parseBound = [&]() -> ParseResult {
    int64_t &bound = bounds.emplace_back(ShapedType::kDynamic);
    return succeeded(parser.parseOptionalQuestion()) ? success() : parser.parseInteger(bound);
  };
  if (parser.parseCommaSeparatedList(delimiter, parseBound))
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  return parseBounds(parser, AsmParser::Delimiter::LessGreater);
}

/// The long form that is read but never printed: `#stablehlo.type_extensions<bounds = [4, ?]>`.
static Attribute parseTypeExtensions(AsmParser &parser) {
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual())
    return {};
  Attribute attr = parseBounds(parser, AsmParser::Delimiter::Square);
  return !attr || parser.parseGreater() ? Attribute() : attr;
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                                 function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "Bounds length is " << getBounds().size() << ", expected to be equal to rank(" << shape.size()
                       << ") of the tensor";
  for (auto [dim, size, bound] : llvm::enumerate(shape, getBounds()))
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size))
      return emitError() << "Static dimension " << dim << " cannot have a bound, use `?` for it";
  return success();
}

//===----------------------------------------------------------------------===//
// Result accuracy
//===----------------------------------------------------------------------===//

ResultAccuracyAttr getDefaultResultAccuracy(MLIRContext *context) {
  auto mode = ResultAccuracyModeAttr::get(context, ResultAccuracyMode::DEFAULT);
  return ResultAccuracyAttr::get(context, APFloat(0.0), APFloat(0.0), 0, mode);
}

/// Parses `name = value,` if it is there.
static ParseResult parseOptionalTolerance(AsmParser &parser, StringRef name, function_ref<ParseResult()> parseValue) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseEqual() || parseValue() || parser.parseComma());
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseOptionalTolerance(parser, "atol", [&] { return parser.parseFloat(atol); }) ||
      parseOptionalTolerance(parser, "rtol", [&] { return parser.parseFloat(rtol); }) ||
      parseOptionalTolerance(parser, "ulps", [&] { return parser.parseInteger(ulps); }) ||
      parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) || parser.parseGreater())
    return {};
  return parser.getChecked<ResultAccuracyAttr>(loc, parser.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getAtol().isZero())
    printer << "atol = " << getAtol() << ", ";
  if (!getRtol().isZero())
    printer << "rtol = " << getRtol() << ", ";
  if (getUlps() != 0)
    printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << '>';
}

// The generated declaration takes these by value.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError, APFloat atol, APFloat rtol,
                                         int64_t ulps, ResultAccuracyModeAttr mode) {
  if (!mode)
    return emitError() << "expected result accuracy mode to be set";
  bool hasTolerance = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE && hasTolerance)
    return emitError() << "expected no tolerance where the mode is not TOLERANCE";
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "expected tolerances that are not negative";
  return success();
}

//===----------------------------------------------------------------------===//
// Algorithms and replica groups
//===----------------------------------------------------------------------===//

LogicalResult DotAlgorithmAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type lhsPrecisionType,
                                       Type rhsPrecisionType, Type accumulationType, int64_t lhsComponentCount,
                                       int64_t rhsComponentCount, int64_t numPrimitiveOperations,
                                       bool allowImpreciseAccumulation) {
  if (lhsComponentCount < 1)
    return emitError() << "lhs component count must be positive";
  if (rhsComponentCount < 1)
    return emitError() << "rhs component count must be positive";
  if (numPrimitiveOperations < 1)
    return emitError() << "num primitive operations must be positive";
  if (!isKnownDotAlgorithm(lhsPrecisionType, rhsPrecisionType, accumulationType, lhsComponentCount, rhsComponentCount,
                           numPrimitiveOperations, allowImpreciseAccumulation))
    return emitError() << "dot algorithm not known to be supported on any hardware";
  return success();
}

/// A mesh that is written out is known here: axes must be its own. One that is named is not.
LogicalResult ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError, Attribute mesh,
                                               ArrayAttr axes) {
  if (!isa_and_nonnull<MeshAttr, FlatSymbolRefAttr>(mesh))
    return emitError() << "mesh must be a mesh attribute or the symbol of one";
  if (!axes)
    return emitError() << "axes must be an array";
  auto meshAttr = dyn_cast<MeshAttr>(mesh);
  if (!meshAttr)
    return success();
  for (Attribute axis : axes) {
    auto axisRef = dyn_cast<AxisRefAttr>(axis);
    if (!axisRef)
      return emitError() << "axes must be axis references, got " << axis;
    auto isNamed = [&](MeshAxisAttr meshAxis) { return meshAxis.getName() == axisRef.getName(); };
    if (!llvm::any_of(meshAttr.getAxes(), isNamed))
      return emitError() << "axis \"" << axisRef.getName() << "\" is not in the mesh";
  }
  return success();
}

LogicalResult ReplicaGroupMeshAxesAttr::verifySymbolUses(Operation *op, SymbolTableCollection &symbolTable) const {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(getMesh());
  if (symbol && !symbolTable.lookupNearestSymbolFrom(op, symbol))
    return op->emitOpError() << "mesh " << symbol << " is not defined";
  return success();
}

//===----------------------------------------------------------------------===//
// All attributes
//===----------------------------------------------------------------------===//

Attribute StableHloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  if (generatedAttributeParser(parser, &mnemonic, type, attr).has_value())
    return attr;
  if (mnemonic == "type_extensions")
    return parseTypeExtensions(parser);
  parser.emitError(loc) << "unknown attribute `" << mnemonic << "` in dialect `stablehlo`";
  return {};
}

void StableHloDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

} // namespace partita::stablehlo
