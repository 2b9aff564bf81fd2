//===- CustomOps.cpp - custom calls, composites, tokens, host transfer ----===//
//
// Effects, text and verification of these ops; custom calls are verified in
// CustomCallVerify.cpp.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/CustomOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace partita::stablehlo {

/// One token type where operands and result have it, else the function type.
static ParseResult parseTokenTypes(OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                                   SmallVectorImpl<Type> &operandTypes, Type &result) {
  operandTypes.resize(operands.size());
  return parseOneOrFunctionType(parser, llvm::map_to_vector(operandTypes, [](Type &type) { return &type; }), result);
}

static void printTokenTypes(OpAsmPrinter &printer, Operation *op, OperandRange, TypeRange operandTypes, Type result) {
  printOneOrFunctionType(printer, op, llvm::to_vector(operandTypes), result);
}

} // namespace partita::stablehlo

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CustomOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerCustomOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/CustomOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// custom_call, composite
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getHasSideEffect())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

/// `namespace.op`: words between dots, the first of which starts with a letter and has no `$`.
static bool isNamespacedOpName(StringRef name) {
  static const llvm::Regex pattern("^[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+$");
  return pattern.match(name);
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (!isNamespacedOpName(getName()))
    return emitOpError("(C1) requires a name such as \"my_namespace.my_op\", got \"") << getName() << '"';
  auto function = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getDecompositionAttr());
  if (!function)
    return emitOpError("(C2) requires ") << getDecompositionAttr() << " to be a function";
  FunctionType type = function.getFunctionType();
  if (getOperandTypes() != TypeRange(type.getInputs()))
    return emitOpError("(C3) requires operands of the decomposition's types ")
           << type.getInputs() << ", got " << getOperandTypes();
  if (getResultTypes() != TypeRange(type.getResults()))
    return emitOpError("(C4) requires results of the decomposition's types ")
           << type.getResults() << ", got " << getResultTypes();
  return success();
}

//===----------------------------------------------------------------------===//
// Tokens and transfer
//===----------------------------------------------------------------------===//

LogicalResult CreateTokenOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                              OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(TokenType::get(context));
  return success();
}

LogicalResult AfterAllOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                           OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(TokenType::get(context));
  return success();
}

LogicalResult OutfeedOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(TokenType::get(context));
  return success();
}

LogicalResult SendOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(TokenType::get(context));
  return success();
}

/// What arrives: tensors, then a token.
static LogicalResult verifyReceived(Operation *op, StringRef countLabel, StringRef tensorLabel, StringRef tokenLabel) {
  TypeRange types = op->getResultTypes();
  if (types.empty())
    return op->emitOpError() << countLabel << " requires at least one result";
  for (Type type : types.drop_back())
    if (!isa<TensorType>(type))
      return op->emitOpError() << tensorLabel << " requires all results but the last to be tensors, got " << type;
  if (!isa<TokenType>(types.back()))
    return op->emitOpError() << tokenLabel << " requires the last result to be a token, got " << types.back();
  return success();
}

/// One array of integers for each tensor that arrives.
static LogicalResult verifyInfeedLayout(InfeedOp op, ArrayAttr layout) {
  size_t numTensors = op.getNumResults() - 1;
  if (layout.size() != numTensors)
    return op.emitOpError("requires one layout for each of ") << numTensors << " tensors, got " << layout.size();
  for (Attribute tensorLayout : layout) {
    auto dims = dyn_cast<ArrayAttr>(tensorLayout);
    if (!dims || !llvm::all_of(dims, llvm::IsaPred<IntegerAttr>))
      return op.emitOpError("requires layouts to be arrays of integers, got ") << tensorLayout;
  }
  return success();
}

LogicalResult InfeedOp::verify() {
  if (failed(verifyReceived(*this, "(C1)", "(C2)", "(C3)")))
    return failure();
  return getLayout() ? verifyInfeedLayout(*this, *getLayout()) : success();
}

namespace {

/// The `type` of a channel handle.
enum ChannelType : int64_t { DeviceToDevice = 1, DeviceToHost = 2, HostToDevice = 3 };

} // namespace

static LogicalResult verifyChannelType(Operation *op, ChannelHandleAttr channel, bool isHostTransfer,
                                       ChannelType hostType) {
  int64_t expected = isHostTransfer ? hostType : DeviceToDevice;
  if (channel.getType() != expected)
    return op->emitOpError("(C5) requires channel type ")
           << expected << " where is_host_transfer is " << (isHostTransfer ? "true" : "false") << ", got "
           << channel.getType();
  return success();
}

LogicalResult SendOp::verify() {
  return verifyChannelType(*this, getChannelHandle(), getIsHostTransfer(), DeviceToHost);
}

LogicalResult RecvOp::verify() {
  if (failed(verifyChannelType(*this, getChannelHandle(), getIsHostTransfer(), HostToDevice)))
    return failure();
  return verifyReceived(*this, "(C2)", "(C3)", "(C4)");
}

} // namespace partita::stablehlo
