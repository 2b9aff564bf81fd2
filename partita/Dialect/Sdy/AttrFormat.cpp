//===- AttrFormat.cpp - parses and prints sdy attributes and bodies -------===//

#include "partita/Dialect/Sdy/AttrFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::sdy {

/// `{"x", "y":(1)2}` after the opening brace.
static ParseResult parseAxesAndBrace(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes) {
  FailureOr<SmallVector<AxisRefAttr>> parsed = FieldParser<SmallVector<AxisRefAttr>>::parse(parser);
  if (failed(parsed))
    return parser.emitError(parser.getCurrentLocation(), "expected a list of axes");
  axes.assign(parsed->begin(), parsed->end());
  return parser.parseRBrace();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// `"x", "y", ?}`: axes, and whether the dim is closed.
static ParseResult parseDimAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes, bool &isClosed) {
  isClosed = true;
  while (failed(parser.parseOptionalRBrace())) {
    if (!axes.empty() && parser.parseComma())
      return failure();
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return parser.parseRBrace();
    }
    FailureOr<AxisRefAttr> axis = FieldParser<AxisRefAttr>::parse(parser);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
  }
  return success();
}

/// `p3`, if it is there.
static ParseResult parsePriority(AsmParser &parser, std::optional<int64_t> &priority) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  StringRef digits = word.drop_front();
  int64_t number = 0;
  bool isNumber = word.front() == 'p' && llvm::all_of(digits, llvm::isDigit) && llvm::to_integer(digits, number);
  if (!isNumber || (digits.size() > 1 && digits.front() == '0'))
    return parser.emitError(loc, "expected a priority such as p0 or p12, got ") << word;
  priority = number;
  return success();
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  if (parser.parseLBrace() || parseDimAxes(parser, axes, isClosed) || parsePriority(parser, priority))
    return {};
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printer.printStrippedAttrOrType(getAxes());
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority())
    printer << 'p' << *getPriority();
}

ParseResult parseMeshOrRef(AsmParser &parser, Attribute &meshOrRef) {
  if (succeeded(parser.parseOptionalKeyword(MeshAttr::getMnemonic()))) {
    FailureOr<MeshAttr> mesh = FieldParser<MeshAttr>::parse(parser);
    meshOrRef = mesh.value_or(MeshAttr());
    return failure(failed(mesh));
  }
  FailureOr<FlatSymbolRefAttr> symbol = FieldParser<FlatSymbolRefAttr>::parse(parser);
  if (failed(symbol))
    return parser.emitError(parser.getCurrentLocation(), "expected a mesh or the symbol of one");
  meshOrRef = *symbol;
  return success();
}

void printMeshOrRef(AsmPrinter &printer, Attribute meshOrRef) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef)) {
    printer << MeshAttr::getMnemonic();
    printer.printStrippedAttrOrType(mesh);
  } else {
    printer << meshOrRef;
  }
}

ParseResult parseNamedAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &replicated,
                           SmallVectorImpl<AxisRefAttr> &unreduced) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseOptionalKeyword(&keyword, {"replicated", "unreduced"}))
      return parser.emitError(loc, "expected replicated or unreduced axes");
    SmallVectorImpl<AxisRefAttr> &axes = keyword == "replicated" ? replicated : unreduced;
    if (!axes.empty())
      return parser.emitError(loc) << keyword << " axes are given twice";
    if (parser.parseEqual() || parser.parseLBrace() || parseAxesAndBrace(parser, axes))
      return failure();
  }
  return success();
}

void printNamedAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> replicated, ArrayRef<AxisRefAttr> unreduced) {
  for (auto [keyword, axes] : {std::pair("replicated", replicated), std::pair("unreduced", unreduced)}) {
    if (axes.empty())
      continue;
    printer << ", " << keyword << "={";
    printer.printStrippedAttrOrType(axes);
    printer << '}';
  }
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

/// Factors from here on are written z_1, z_2, ...
static constexpr int64_t kFactorZ = 'z' - 'i';

std::string getFactorSymbol(int64_t factor) {
  if (factor <= kFactorZ)
    return std::string(1, static_cast<char>('i' + factor));
  return "z_" + std::to_string(factor - kFactorZ);
}

/// Takes `z_12` off the front of `word`.
static FailureOr<int64_t> takeNumberedFactor(StringRef &word) {
  word = word.drop_front(2);
  StringRef digits = word.take_while(llvm::isDigit);
  int64_t number = 0;
  if (digits.empty() || digits.front() == '0' || !llvm::to_integer(digits, number) ||
      number > std::numeric_limits<int64_t>::max() - kFactorZ)
    return failure();
  word = word.drop_front(digits.size());
  return number + kFactorZ;
}

/// Takes one factor off the front of `word`: 'ijz_1' gives 0, and leaves 'jz_1'.
static FailureOr<int64_t> takeFactor(AsmParser &parser, StringRef &word) {
  SMLoc loc = parser.getCurrentLocation();
  if (word.starts_with("z_")) {
    FailureOr<int64_t> factor = takeNumberedFactor(word);
    if (failed(factor))
      return parser.emitError(loc, "expected a positive number without leading zeros after z_");
    return *factor;
  }
  char letter = word.front();
  if (letter < 'i' || letter > 'z')
    return parser.emitError(loc, "expected a factor from i to z, got ") << StringRef(&letter, 1);
  word = word.drop_front();
  return letter - 'i';
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  // No factor at all is for the verifier to reject.
  SmallVector<int64_t> factors;
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return get(parser.getContext(), factors);
  while (!word.empty()) {
    FailureOr<int64_t> factor = takeFactor(parser, word);
    if (failed(factor))
      return {};
    factors.push_back(*factor);
  }
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  for (int64_t factor : getFactorIndices())
    printer << getFactorSymbol(factor);
}

ParseResult parseFactorSizes(AsmParser &parser, SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    FailureOr<int64_t> factor = takeFactor(parser, word);
    if (failed(factor))
      return failure();
    if (!word.empty() || *factor != static_cast<int64_t>(sizes.size()))
      return parser.emitError(loc, "expected the size of factor ") << getFactorSymbol(sizes.size());
    return failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back()));
  });
}

void printFactorSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return;
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(sizes), printer,
                        [&](auto entry) { printer << getFactorSymbol(entry.index()) << '=' << entry.value(); });
  printer << '}';
}

ParseResult parseFactorSet(AsmParser &parser, SmallVectorImpl<int64_t> &factors, StringRef keyword) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  if (parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    FailureOr<int64_t> factor = takeFactor(parser, word);
    factors.push_back(factor.value_or(0));
    return failure(failed(factor));
  });
}

void printFactorSet(AsmPrinter &printer, ArrayRef<int64_t> factors, StringRef keyword) {
  if (factors.empty())
    return;
  printer << ' ' << keyword << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) { printer << getFactorSymbol(factor); });
  printer << '}';
}

ParseResult parseCustomRuleMark(AsmParser &parser, bool &isCustom) {
  isCustom = succeeded(parser.parseOptionalComma());
  return isCustom ? parser.parseKeyword("custom") : ParseResult::success();
}

void printCustomRuleMark(AsmPrinter &printer, bool isCustom) {
  if (isCustom)
    printer << ", custom";
}

//===----------------------------------------------------------------------===//
// Propagation's record
//===----------------------------------------------------------------------===//

Attribute EdgeValueRefAttr::parse(AsmParser &parser, Type) {
  FailureOr<EdgeNodeType> type = FieldParser<EdgeNodeType>::parse(parser);
  int64_t index = 0;
  if (failed(type) || parser.parseMinus() || parser.parseInteger(index))
    return {};
  return get(parser.getContext(), *type, index);
}

void EdgeValueRefAttr::print(AsmPrinter &printer) const {
  printer << stringifyEdgeNodeType(getType()) << '-' << getIndex();
}

Attribute PropagationOneStepAttr::parse(AsmParser &parser, Type) {
  int64_t step = 0;
  if (parser.parseLBrace() || parser.parseKeyword("step") || parser.parseMinus() || parser.parseInteger(step) ||
      parser.parseEqual() || parser.parseLSquare())
    return {};
  FailureOr<SmallVector<AxisToPropagationDetailsAttr>> entries =
      FieldParser<SmallVector<AxisToPropagationDetailsAttr>>::parse(parser);
  if (failed(entries) || parser.parseRSquare() || parser.parseRBrace())
    return {};
  return get(parser.getContext(), step, *entries);
}

void PropagationOneStepAttr::print(AsmPrinter &printer) const {
  printer << "{step-" << getStepIndex() << " = [";
  printer.printStrippedAttrOrType(getAxisEntries());
  printer << "]}";
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

ParseResult parseShardingList(AsmParser &parser, TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<TensorShardingAttr> sharding = FieldParser<TensorShardingAttr>::parse(parser);
    list.push_back(sharding.value_or(TensorShardingAttr()));
    return failure(failed(sharding));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

void printShardingList(AsmPrinter &printer, Operation *, TensorShardingPerValueAttr shardings) {
  printer << '[';
  printer.printStrippedAttrOrType(shardings.getShardings());
  printer << ']';
}

ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true,
                                          /*allowAttrs=*/true) ||
                 parser.parseRegion(body, arguments));
}

void printBodyWithArguments(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace partita::sdy
