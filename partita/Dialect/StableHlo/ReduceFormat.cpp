//===- ReduceFormat.cpp - parses and prints reduce ------------------------===//
//
// A reducer that is one commutative op has a short form:
//
//   stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] : types
//
// All others are written out, accumulator and element in pairs:
//
//   stablehlo.reduce(%a init: %b) across dimensions = [0] : types
//    reducer(%x: tensor<f32>, %y: tensor<f32>)  { ... }
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/ReductionOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

/// Whether the short form can name ops of this kind.
static bool isShortReducer(OperationName name) {
  return name.getDialectNamespace() == StableHloDialect::getDialectNamespace() &&
         name.hasTrait<OpTrait::NOperands<2>::Impl>() && name.hasTrait<OpTrait::OneResult>() &&
         name.hasTrait<OpTrait::ZeroRegions>() && name.hasTrait<OpTrait::IsCommutative>();
}

/// The op of a reducer that the short form can express, else null.
static Operation *getShortReducer(ReduceOp reduce) {
  Block &block = reduce.getBody().front();
  if (!llvm::hasSingleElement(block.without_terminator()) || reduce.getInputs().empty())
    return nullptr;
  Operation &op = block.front();
  auto type = RankedTensorType::get({}, getElementTypeOrSelf(reduce.getInputs().front().getType()));
  auto hasType = [&](Type other) { return other == type; };
  bool isPlain = isShortReducer(op.getName()) && llvm::all_of(op.getOperandTypes(), hasType) &&
                 llvm::all_of(op.getResultTypes(), hasType) && llvm::equal(block.getArguments(), op.getOperands()) &&
                 llvm::equal(op.getResults(), block.getTerminator()->getOperands());
  return isPlain ? &op : nullptr;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printReducer(OpAsmPrinter &printer, ReduceOp reduce) {
  Block &block = reduce.getBody().front();
  unsigned numInputs = reduce.getInputs().size();
  printer.printNewline();
  printer << " reducer";
  for (unsigned i = 0; i < numInputs; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(numInputs + i));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(reduce.getBody(), /*printEntryBlockArgs=*/false);
}

void ReduceOp::print(OpAsmPrinter &printer) {
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), printer, [&](auto pair) {
    printer << '(' << std::get<0>(pair) << " init: " << std::get<1>(pair) << ')';
  });
  Operation *shortReducer = getShortReducer(*this);
  if (shortReducer) {
    printer << " applies ";
    printer.printKeywordOrString(shortReducer->getName().getStringRef());
  }
  printer << " across dimensions = ";
  printDimList(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getDimensionsAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (!shortReducer)
    printReducer(printer, *this);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// `(%a init: %b), ...`: inputs, then their initial values. Like jaxlib, it accepts a comma at the end of the list.
static ParseResult parseInputs(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  SmallVector<OpAsmParser::UnresolvedOperand> initValues;
  auto parsePair = [&]() -> ParseResult {
    if (failed(parser.parseOptionalLParen()))
      return success();
    return failure(parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("init") || parser.parseColon() ||
                   parser.parseOperand(initValues.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  operands.append(initValues);
  return success();
}

/// `across dimensions = [0] {attributes} : types`.
static ParseResult parseDimsAndType(OpAsmParser &parser, OperationState &state, FunctionType &type) {
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual())
    return failure();
  FailureOr<SmallVector<int64_t>> dims = parseDimList(parser);
  if (failed(dims) || parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  state.addAttribute(ReduceOp::getDimensionsAttrName(state.name), parser.getBuilder().getDenseI64ArrayAttr(*dims));
  state.addTypes(type.getResults());
  return success();
}

/// `reducer(%x: type, %y: type) ... { ... }`.
static ParseResult parseReducer(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments, elements;
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(elements.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  arguments.append(elements);
  return parser.parseRegion(region, arguments);
}

/// Fills `region` with a reducer that is the one op `name` on scalars of `elementType`.
static void buildShortReducer(Region &region, Location loc, OperationName name, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  OpBuilder builder(elementType.getContext());
  Block *block = builder.createBlock(&region, region.end(), {type, type}, {loc, loc});
  OperationState state(loc, name, block->getArguments(), type);
  Operation *op = builder.create(state);
  ReturnOp::create(builder, loc, op->getResults());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  state.location = parser.getEncodedSourceLoc(loc);
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  if (parseInputs(parser, operands))
    return failure();
  Region &region = *state.addRegion();

  if (failed(parser.parseOptionalKeyword("applies")))
    return failure(parseDimsAndType(parser, state, type) ||
                   parser.resolveOperands(operands, type.getInputs(), loc, state.operands) ||
                   parseReducer(parser, region));

  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name))
    return failure();
  if (!isShortReducer(*name))
    return parser.emitError(loc, "expected a commutative op of two operands and one result, got ") << *name;
  std::optional<Location> explicitLoc;
  if (parseDimsAndType(parser, state, type) || parser.parseOptionalLocationSpecifier(explicitLoc) ||
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands))
    return failure();
  state.location = explicitLoc.value_or(state.location);
  Type elementType = type.getInputs().empty() ? Type() : getElementTypeOrSelf(type.getInput(0));
  if (!elementType || !TensorType::isValidElementType(elementType))
    return parser.emitError(loc, "expected an input that is a tensor");
  buildShortReducer(region, state.location, *name, elementType);
  return success();
}

} // namespace partita::stablehlo
