//===- CustomCallVerify.cpp - verifies custom calls -----------------------===//
//
// Layouts must fit their values. Aliases name an operand part and a result part
// of one type. The calling convention decides the kind of the configuration. A
// result that is a buffer must alias an operand, and no operand buffer becomes
// two results; only the targets that create, pin and unpin buffers are exempt.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/CustomOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

#include <set>

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static bool isPermutation(DenseIntElementsAttr layout, int64_t rank) {
  if (layout.getNumElements() != rank)
    return false;
  llvm::SmallBitVector seen(rank);
  for (const APInt &dim : layout) {
    if (dim.isNegative() || dim.getSExtValue() >= rank || seen.test(dim.getSExtValue()))
      return false;
    seen.set(dim.getSExtValue());
  }
  return true;
}

static LogicalResult verifyLayout(CustomCallOp op, Type type, DenseIntElementsAttr layout) {
  if (isa<TupleType>(type))
    return op.emitOpError("has no layouts for values of tuple type ") << type;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped && !layout.empty())
    return op.emitOpError("requires an empty layout for a value of type ") << type << ", got " << layout;
  if (shaped && shaped.hasRank() && !isPermutation(layout, shaped.getRank()))
    return op.emitOpError("requires a layout that permutes the dims of ") << type << ", got " << layout;
  return success();
}

static LogicalResult verifyLayouts(CustomCallOp op, TypeRange types, ArrayAttr layouts, StringRef name) {
  if (types.size() != layouts.size())
    return op.emitOpError() << name << " requires one layout for each of " << types.size() << " values, got "
                            << layouts.size();
  for (auto [type, layout] : llvm::zip(types, layouts))
    if (failed(verifyLayout(op, type, cast<DenseIntElementsAttr>(layout))))
      return failure();
  return success();
}

/// The values that result layouts describe: the elements of a single tuple, else the results.
static TypeRange getLaidOutResults(CustomCallOp op) {
  if (op.getNumResults() == 1)
    if (auto tuple = dyn_cast<TupleType>(op.getResult(0).getType()))
      return tuple.getTypes();
  return op.getResultTypes();
}

static LogicalResult verifyLayouts(CustomCallOp op) {
  std::optional<ArrayAttr> operandLayouts = op.getOperandLayouts(), resultLayouts = op.getResultLayouts();
  if (operandLayouts.has_value() != resultLayouts.has_value())
    return op.emitOpError("requires layouts for both operands and results, or for neither");
  if (!operandLayouts)
    return success();
  if (failed(verifyLayouts(op, op.getOperandTypes(), *operandLayouts, "operand_layouts")))
    return failure();
  return verifyLayouts(op, getLaidOutResults(op), *resultLayouts, "result_layouts");
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// The part of a value of type `type` at the path `indices` through nested tuples; null if there is none.
static Type getPart(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// All results as one value: several of them, or none, as a tuple.
static Type getOutputType(CustomCallOp op) {
  if (op.getNumResults() == 1)
    return op.getResult(0).getType();
  return TupleType::get(op.getContext(), op.getResultTypes());
}

static LogicalResult verifyAlias(CustomCallOp op, OutputOperandAliasAttr alias) {
  int64_t index = alias.getOperandIndex();
  if (index < 0 || index >= static_cast<int64_t>(op.getInputs().size()))
    return op.emitOpError("requires operand_index of an alias to be in [0, ")
           << op.getInputs().size() << "), got " << index;
  Type operandPart = getPart(op.getInputs()[index].getType(), alias.getOperandTupleIndices());
  if (!operandPart)
    return op.emitOpError("requires operand_tuple_indices of an alias to name a part of operand ") << index;
  Type outputPart = getPart(getOutputType(op), alias.getOutputTupleIndices());
  if (!outputPart)
    return op.emitOpError("requires output_tuple_indices of an alias to name a part of the results");
  if (operandPart != outputPart)
    return op.emitOpError("requires aliases of one type, got operand part ")
           << operandPart << " and output part " << outputPart;
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

using Path = SmallVector<int64_t>;

/// Calls `verifyLeaf` for each part of `type` that is not a tuple, with the path to it.
static LogicalResult verifyLeaves(Type type, Path &path, function_ref<LogicalResult(Type)> verifyLeaf) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return verifyLeaf(type);
  for (auto [index, element] : llvm::enumerate(tuple.getTypes())) {
    path.push_back(index);
    if (failed(verifyLeaves(element, path, verifyLeaf)))
      return failure();
    path.pop_back();
  }
  return success();
}

/// No buffer is aliased twice, and each that results aliases an operand. Aliases are known to be valid.
static LogicalResult verifyBufferAliases(CustomCallOp op) {
  std::set<Path> aliasedOutputs;
  std::set<std::pair<int64_t, Path>> aliasedOperands;
  for (auto alias : op.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    Path outputPath(alias.getOutputTupleIndices()), operandPath(alias.getOperandTupleIndices());
    if (!isa<MemRefType>(getPart(op.getInputs()[alias.getOperandIndex()].getType(), operandPath)))
      continue;
    if (!aliasedOutputs.insert(outputPath).second)
      return op.emitOpError("requires a buffer output to be aliased once, [") << outputPath << "] is aliased again";
    if (!aliasedOperands.insert({alias.getOperandIndex(), operandPath}).second)
      return op.emitOpError("requires a buffer operand to be aliased once, operand ")
             << alias.getOperandIndex() << " is aliased again";
  }
  Path path;
  return verifyLeaves(getOutputType(op), path, [&](Type type) -> LogicalResult {
    if (isa<MemRefType>(type) && !aliasedOutputs.count(path))
      return op.emitOpError("requires buffer output [") << path << "] to alias an operand";
    return success();
  });
}

/// `Pin` and `Unpin`: the one input as the one result, on the other side of tensor and buffer.
template <typename InputType, typename ResultType> static LogicalResult verifyPinning(CustomCallOp op) {
  bool isUnary = op.getInputs().size() == 1 && op.getNumResults() == 1;
  if (!isUnary || !isa<InputType>(op.getInputs()[0].getType()) || !isa<ResultType>(op.getResult(0).getType()))
    return op.emitOpError("requires one input and one result, a tensor and a buffer, in the order of ")
           << op.getCallTargetName();
  Type input = op.getInputs()[0].getType(), result = op.getResult(0).getType();
  if (failed(verifyCompatibleShape(input, result)) || getElementTypeOrSelf(input) != getElementTypeOrSelf(result))
    return op.emitOpError("requires input and result of one shape and element type, got ")
           << input << " and " << result;
  return success();
}

static LogicalResult verifyBuffers(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  if (target == "Pin")
    return verifyPinning<TensorType, MemRefType>(op);
  if (target == "Unpin")
    return verifyPinning<MemRefType, TensorType>(op);
  if (target != "CreateBuffer")
    return verifyBufferAliases(op);
  if (!op.getInputs().empty() || op.getNumResults() != 1 || !isa<MemRefType>(op.getResult(0).getType()))
    return op.emitOpError("requires CreateBuffer to have no input and one buffer as result");
  return success();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Typed calls take a dictionary, all others a string.
static LogicalResult verifyBackendConfig(CustomCallOp op) {
  std::optional<Attribute> config = op.getBackendConfig();
  if (!config)
    return success();
  bool isTyped = op.getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (isTyped ? isa<DictionaryAttr>(*config) : isa<StringAttr>(*config))
    return success();
  return op.emitOpError("requires backend_config to be a ")
         << (isTyped ? "dictionary" : "string") << " for " << stringifyCustomCallApiVersion(op.getApiVersion());
}

LogicalResult CustomCallOp::verify() {
  if (failed(verifyLayouts(*this)))
    return failure();
  for (auto alias : getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>())
    if (failed(verifyAlias(*this, alias)))
      return failure();
  if (failed(verifyBackendConfig(*this)))
    return failure();
  return verifyBuffers(*this);
}

} // namespace partita::stablehlo
