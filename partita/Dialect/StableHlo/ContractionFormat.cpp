//===- ContractionFormat.cpp - parses and prints dots and convolutions ----===//

#include "partita/Dialect/StableHlo/ContractionFormat.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// `= [0] x [1]`.
static ParseResult parseDimPair(AsmParser &parser, SmallVector<int64_t> &lhs, SmallVector<int64_t> &rhs) {
  if (parser.parseEqual())
    return failure();
  FailureOr<SmallVector<int64_t>> left = parseDimList(parser);
  if (failed(left) || parser.parseKeyword("x"))
    return failure();
  FailureOr<SmallVector<int64_t>> right = parseDimList(parser);
  if (failed(right))
    return failure();
  lhs = std::move(*left);
  rhs = std::move(*right);
  return success();
}

static void printDimPair(AsmPrinter &printer, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  printDimList(printer, lhs);
  printer << " x ";
  printDimList(printer, rhs);
}

ParseResult parseDotDimensions(OpAsmParser &parser, DotDimensionNumbersAttr &dims) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parseDimPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") || parseDimPair(parser, lhsContracting, rhsContracting))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
  return success();
}

void printDotDimensions(OpAsmPrinter &printer, Operation *, DotDimensionNumbersAttr dims) {
  ArrayRef<int64_t> lhsBatching = dims.getLhsBatchingDimensions(), rhsBatching = dims.getRhsBatchingDimensions();
  if (!lhsBatching.empty() || !rhsBatching.empty()) {
    printer << "batching_dims = ";
    printDimPair(printer, lhsBatching, rhsBatching);
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimPair(printer, dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions());
}

/// `precision = [DEFAULT, HIGH]`.
static ParseResult parsePrecisionList(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    return success(values.emplace_back(PrecisionAttr::parse(parser, {})) != nullptr);
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  return failed(parser.parseOptionalComma()) ? success() : parsePrecisionList(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr value) { printer << stringifyPrecision(value.getValue()); });
  printer << ']';
}

/// `= <lhs_precision_type = tf32, ...>`.
static ParseResult parseAlgorithm(OpAsmParser &parser, DotAlgorithmAttr &algorithm) {
  if (parser.parseEqual())
    return failure();
  algorithm = dyn_cast_if_present<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, {}));
  return success(algorithm != nullptr);
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision, DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("algorithm")))
    return parseAlgorithm(parser, algorithm);
  if (parsePrecisionList(parser, precision))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("algorithm") || parseAlgorithm(parser, algorithm));
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op, ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  printer.printStrippedAttrOrType(algorithm);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// `[[0, 1], [2, 3]]`.
static ParseResult parsePadding(OpAsmParser &parser, DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    FailureOr<SmallVector<int64_t>> pair = parseDimList(parser);
    if (failed(pair))
      return failure();
    if (pair->size() != 2)
      return parser.emitError(loc, "Expected array with 2 elements, got ") << pair->size() << " elements instead";
    llvm::append_range(values, *pair);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  int64_t count = static_cast<int64_t>(values.size()) / 2;
  auto type = RankedTensorType::get({count, 2}, parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, ArrayRef(values));
  return success();
}

static ParseResult parseDims(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  FailureOr<SmallVector<int64_t>> values = parseDimList(parser);
  if (failed(values))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(*values);
  return success();
}

static ParseResult parseReversal(OpAsmParser &parser, DenseBoolArrayAttr &reversal) {
  FailureOr<SmallVector<int64_t>> values = parseDimList(parser);
  if (failed(values))
    return failure();
  reversal =
      parser.getBuilder().getDenseBoolArrayAttr(llvm::map_to_vector(*values, [](int64_t value) { return value != 0; }));
  return success();
}

ParseResult parseConvWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides, DenseIntElementsAttr &padding,
                            DenseI64ArrayAttr &lhsDilation, DenseI64ArrayAttr &rhsDilation,
                            DenseBoolArrayAttr &reversal) {
  SmallVector<StringRef> seen;
  StringRef name;
  auto parseField = [&]() -> ParseResult {
    if (name == "pad")
      return parsePadding(parser, padding);
    if (name == "reverse")
      return parseReversal(parser, reversal);
    return parseDims(parser, name == "stride" ? strides : name == "lhs_dilate" ? lhsDilation : rhsDilation);
  };
  for (;;) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&name)))
      return success();
    bool isKnown = llvm::is_contained({"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"}, name);
    if (!isKnown || llvm::is_contained(seen, name))
      return parser.emitError(loc, "Unexpected keyword ") << name;
    seen.push_back(name);
    if (parser.parseEqual() || parseField())
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
}

static void printPadding(OpAsmPrinter &printer, DenseIntElementsAttr padding) {
  auto values =
      llvm::map_to_vector(padding.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); });
  printer << '[';
  llvm::interleaveComma(llvm::seq<size_t>(values.size() / 2), printer,
                        [&](size_t pair) { printDimList(printer, ArrayRef(values).slice(2 * pair, 2)); });
  printer << ']';
}

static void printReversal(OpAsmPrinter &printer, ArrayRef<bool> reversal) {
  printer << '[';
  llvm::interleaveComma(reversal, printer, [&](bool value) { printer << (value ? "true" : "false"); });
  printer << ']';
}

void printConvWindow(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                     DenseI64ArrayAttr lhsDilation, DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  llvm::ListSeparator separator;
  auto printDims = [&](StringRef name, DenseI64ArrayAttr dims) {
    if (!dims)
      return;
    printer << StringRef(separator) << name << " = ";
    printDimList(printer, dims);
  };
  printDims("stride", strides);
  if (padding) {
    printer << StringRef(separator) << "pad = ";
    printPadding(printer, padding);
  }
  printDims("lhs_dilate", lhsDilation);
  printDims("rhs_dilate", rhsDilation);
  if (reversal) {
    printer << StringRef(separator) << "reverse = ";
    printReversal(printer, reversal);
  }
}

} // namespace partita::stablehlo
