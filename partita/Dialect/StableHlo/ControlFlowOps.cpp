//===- ControlFlowOps.cpp - loops, branches, tuples -----------------------===//
//
// Text of `while` and `tuple`, and verification of loops and branches. The
// result type of a branching op is the most specific type that holds the values
// of all branches.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ControlFlowOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/Reducer.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

/// The tuple type alone: it says what the operands are.
static ParseResult parseTupleOpType(OpAsmParser &parser, SmallVectorImpl<Type> &operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected tuple type");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

static void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange, Type result) { printer.printType(result); }

} // namespace partita::stablehlo

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ControlFlowOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ControlFlowOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  auto printBinding = [&](auto binding) { printer << std::get<0>(binding) << " = " << std::get<1>(binding); };
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()), printer, printBinding);
  printer << ')';
  if (!getOperand().empty())
    printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `(%iterArg = %init, ...)`; a comma may stand before the parenthesis.
static ParseResult parseBindings(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (parser.parseLParen())
    return failure();
  while (failed(parser.parseOptionalRParen())) {
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalRParen()))
      break;
    if (parser.parseComma())
      return failure();
  }
  return success();
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parseBindings(parser, arguments, operands))
    return failure();
  if (!operands.empty() && (parser.parseColon() || parser.parseTypeList(result.types)))
    return failure();
  // Checks that there are as many types as bindings.
  if (parser.resolveOperands(operands, result.types, loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, result.types))
    argument.type = type;
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

LogicalResult WhileOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

static bool isPredicate(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.getRank() == 0 && shaped.getElementType().isInteger(1);
}

LogicalResult WhileOp::verifyRegions() {
  TypeRange types = getOperandTypes();
  TypeRange condTypes = getCond().getArgumentTypes(), bodyTypes = getBody().getArgumentTypes();
  if (!areCompatible(types, condTypes))
    return emitOpError("(C1) requires cond to take the operands' types ") << types << ", got " << condTypes;
  if (!areCompatible(types, bodyTypes))
    return emitOpError("(C2) requires body to take the operands' types ") << types << ", got " << bodyTypes;
  TypeRange returned = *getReturnedTypes(getBody());
  if (!areCompatible(types, returned))
    return emitOpError("(C2) requires body to return the operands' types ") << types << ", got " << returned;
  TypeRange decided = *getReturnedTypes(getCond());
  if (decided.size() != 1 || !isPredicate(decided.front()))
    return emitOpError("(C1) requires cond to return one tensor<i1>, got ") << decided;
  return success();
}

//===----------------------------------------------------------------------===//
// if, case
//===----------------------------------------------------------------------===//

/// What is known of a dim whichever of two compatible types it has: size and bound.
static std::pair<int64_t, int64_t> joinDims(RankedTensorType a, RankedTensorType b, int64_t dim) {
  if (!a.isDynamicDim(dim) && !b.isDynamicDim(dim))
    return {a.getDimSize(dim), ShapedType::kDynamic};
  auto getMaximum = [dim](RankedTensorType type) {
    ArrayRef<int64_t> bounds = getBounds(type);
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    return bounds.empty() ? ShapedType::kDynamic : bounds[dim];
  };
  int64_t maxA = getMaximum(a), maxB = getMaximum(b);
  bool unbounded = ShapedType::isDynamic(maxA) || ShapedType::isDynamic(maxB);
  return {ShapedType::kDynamic, unbounded ? ShapedType::kDynamic : std::max(maxA, maxB)};
}

/// The most specific type that holds values of both compatible types.
static Type joinTypes(Type a, Type b) {
  auto rankedA = dyn_cast<RankedTensorType>(a), rankedB = dyn_cast<RankedTensorType>(b);
  if (a == b || !rankedA || !rankedB)
    return a;
  SmallVector<int64_t> sizes, bounds;
  for (int64_t dim = 0; dim < rankedA.getRank(); ++dim) {
    auto [size, bound] = joinDims(rankedA, rankedB, dim);
    sizes.push_back(size);
    bounds.push_back(bound);
  }
  return getTensorType(sizes, bounds, rankedA.getElementType());
}

namespace {

/// Where the specification states what branches must be.
struct BranchLabels {
  StringRef inputs;
  StringRef outputs;
};

} // namespace

/// Result types of an op that runs one of `branches`.
static LogicalResult inferBranches(std::optional<Location> loc, Type selector, RegionRange branches,
                                   BranchLabels labels, SmallVectorImpl<Type> &inferred) {
  if (cast<RankedTensorType>(selector).getRank() != 0)
    return emitOptionalError(loc, "(I1) requires a scalar to choose the branch, got ", selector);
  for (auto [index, branch] : llvm::enumerate(branches)) {
    if (branch->getNumArguments() != 0)
      return emitOptionalError(loc, labels.inputs, " requires branches without arguments, branch ", index, " has ",
                               branch->getNumArguments());
    std::optional<TypeRange> returned = getReturnedTypes(*branch);
    if (!returned)
      return emitOptionalError(loc, "branch ", index, " has no terminator");
    if (index == 0)
      llvm::append_range(inferred, *returned);
    if (!areCompatible(TypeRange(inferred), *returned))
      return emitOptionalError(loc, labels.outputs, " requires branches that return equal types, branch 0 returns ",
                               TypeRange(inferred), " and branch ", index, " returns ", *returned);
    for (auto [known, type] : llvm::zip(inferred, *returned))
      known = joinTypes(known, type);
  }
  return success();
}

LogicalResult IfOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                     OpaqueProperties, RegionRange regions, SmallVectorImpl<Type> &inferred) {
  return inferBranches(loc, operands.front().getType(), regions, {"(C1)", "(C2)"}, inferred);
}

LogicalResult CaseOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange regions, SmallVectorImpl<Type> &inferred) {
  if (regions.empty())
    return emitOptionalError(loc, "(C1) requires at least one branch");
  return inferBranches(loc, operands.front().getType(), regions, {"(C2)", "(C3)"}, inferred);
}

//===----------------------------------------------------------------------===//
// optimization_barrier, tuple, get_tuple_element
//===----------------------------------------------------------------------===//

LogicalResult OptimizationBarrierOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                      DictionaryAttr, OpaqueProperties, RegionRange,
                                                      SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                        DictionaryAttr, OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &inferred) {
  inferred.push_back(TupleType::get(context, TypeRange(operands)));
  return success();
}

LogicalResult GetTupleElementOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                  DictionaryAttr attributes, OpaqueProperties properties,
                                                  RegionRange regions, SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto tuple = cast<TupleType>(operands.front().getType());
  if (adaptor.getIndex() >= tuple.size())
    return emitOptionalError(loc, "(C1) requires an index within the tuple's ", tuple.size(), " elements, got ",
                             adaptor.getIndex());
  inferred.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}

} // namespace partita::stablehlo
