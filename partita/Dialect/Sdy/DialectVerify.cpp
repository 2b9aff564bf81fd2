//===- DialectVerify.cpp - sdy attributes on ops of other dialects --------===//
//
// Any op may carry `sdy.sharding`, one sharding per result, and
// `sdy.sharding_rule`; a function carries one `sdy.sharding` for each argument
// and result.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/Sdy/ShardingVerify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace partita::sdy {

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

/// A dim is mapped to one factor or to several of a size other than 1, none of which the tensor has already.
static LogicalResult verifyDimMapping(DimMappingAttr mapping, ArrayRef<int64_t> sizes, llvm::BitVector &used,
                                      const ErrorAt &error) {
  ArrayRef<int64_t> factors = mapping.getFactorIndices();
  if (factors.empty())
    return error() << "a dim is mapped to no factor";
  for (int64_t factor : factors) {
    if (factor < 0 || factor >= static_cast<int64_t>(sizes.size()))
      return error() << "factor " << getFactorSymbol(factor) << " has no size";
    if (used.test(factor))
      return error() << "factor " << getFactorSymbol(factor) << " is used twice";
    if (factors.size() > 1 && sizes[factor] == 1)
      return error() << "factor " << getFactorSymbol(factor) << " of size 1 shares a dim with others";
    used.set(factor);
  }
  return success();
}

/// Adds to `used` the factors of all `mappings`, which belong to values of `types`.
static LogicalResult verifyMappings(ArrayRef<TensorMappingAttr> mappings, TypeRange types, ArrayRef<int64_t> sizes,
                                    llvm::BitVector &used, const ErrorAt &error) {
  if (mappings.empty() || mappings.size() != types.size())
    return error() << "the rule has " << mappings.size() << " mappings for " << types.size() << " values";
  for (auto [index, mapping, type] : llvm::enumerate(mappings, types)) {
    ErrorAt valueError = error.with(Twine(index));
    auto tensor = dyn_cast<ShapedType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return valueError() << "a rule needs static shapes, not " << type;
    if (mapping.getRank() != tensor.getRank())
      return valueError() << "mapping has " << mapping.getRank() << " dims, the tensor " << tensor.getRank();
    llvm::BitVector usedHere(sizes.size());
    for (DimMappingAttr dim : mapping.getDimMappings())
      if (failed(verifyDimMapping(dim, sizes, usedHere, valueError)))
        return failure();
    used |= usedHere;
  }
  return success();
}

/// Adds to `seen` the factors of a set, which are sorted, in range and not in `seen`.
static LogicalResult verifyFactorSet(ArrayRef<int64_t> factors, llvm::BitVector &seen, StringRef name,
                                     const ErrorAt &error) {
  int64_t previous = -1;
  for (int64_t factor : factors) {
    if (factor <= previous)
      return error() << name << " factors must be sorted and each be there once";
    if (factor >= static_cast<int64_t>(seen.size()))
      return error() << name << " factor " << getFactorSymbol(factor) << " has no size";
    if (seen.test(factor))
      return error() << "factor " << getFactorSymbol(factor) << " is of two kinds";
    seen.set(factor);
    previous = factor;
  }
  return success();
}

static LogicalResult verifyFactorKinds(OpShardingRuleAttr rule, const llvm::BitVector &inResults,
                                       const ErrorAt &error) {
  llvm::BitVector kinds(rule.getNumFactors()), blocked(rule.getNumFactors());
  if (failed(verifyFactorSet(rule.getReductionFactors(), kinds, "reduction", error)) ||
      failed(verifyFactorSet(rule.getNeedReplicationFactors(), kinds, "need_replication", error)) ||
      failed(verifyFactorSet(rule.getPermutationFactors(), kinds, "permutation", error)) ||
      failed(verifyFactorSet(rule.getBlockedPropagationFactors(), blocked, "blocked_propagation", error)))
    return failure();
  for (int64_t factor : rule.getReductionFactors())
    if (inResults.test(factor))
      return error() << "reduction factor " << getFactorSymbol(factor) << " is in a result";
  return success();
}

LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op) {
  ErrorAt error(op);
  ArrayRef<int64_t> sizes = rule.getFactorSizes();
  llvm::BitVector inOperands(sizes.size()), inResults(sizes.size());
  if (failed(
          verifyMappings(rule.getOperandMappings(), op->getOperandTypes(), sizes, inOperands, error.with("operand"))) ||
      failed(verifyMappings(rule.getResultMappings(), op->getResultTypes(), sizes, inResults, error.with("result"))))
    return failure();
  llvm::BitVector used = inOperands;
  used |= inResults;
  if (!used.all())
    return error() << "factor " << getFactorSymbol(used.find_first_unset()) << " is in no operand and no result";
  return verifyFactorKinds(rule, inResults, error);
}

//===----------------------------------------------------------------------===//
// Propagation's record
//===----------------------------------------------------------------------===//

/// The value that `ref` names, null if the op has none.
static Value getValue(EdgeValueRefAttr ref, Operation *op) {
  bool isResult = ref.getType() == EdgeNodeType::RESULT;
  int64_t count = isResult ? op->getNumResults() : op->getNumOperands();
  if (ref.getIndex() < 0 || ref.getIndex() >= count)
    return {};
  return isResult ? Value(op->getResult(ref.getIndex())) : op->getOperand(ref.getIndex());
}

LogicalResult verifyPropagationEdges(PropagationEdgesAttr edges, Operation *op) {
  ErrorAt error(op);
  SmallVector<EdgeValueRefAttr> refs;
  SmallVector<AxisRefAttr> axes;
  for (PropagationOneStepAttr step : edges)
    for (AxisToPropagationDetailsAttr entry : step.getAxisEntries()) {
      axes.push_back(entry.getAxisName());
      refs.push_back(entry.getSource());
      llvm::append_range(refs, entry.getTargets());
    }

  SmallVector<TensorShardingAttr> shardings;
  for (EdgeValueRefAttr ref : refs) {
    Value value = getValue(ref, op);
    if (TensorShardingAttr sharding = value ? getSharding(value) : TensorShardingAttr())
      shardings.push_back(sharding);
    else if (!value)
      return error() << "the op has no " << stringifyEdgeNodeType(ref.getType()) << ' ' << ref.getIndex();
  }
  MeshAttr mesh = shardings.empty() ? MeshAttr() : lookupCommonMesh(shardings, op);
  if (!mesh)
    return error() << "propagation edges must name values that have shardings on one mesh";
  for (AxisRefAttr axis : axes)
    if (!mesh.hasAxis(axis.getName()))
      return error() << "the mesh has no axis \"" << axis.getName() << '"';
  return success();
}

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

static bool isListOfEdges(Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  return list && llvm::all_of(list, llvm::IsaPred<PropagationEdgesAttr>);
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  ErrorAt error(op);
  auto wrongKind = [&](StringRef kind) { return error() << attr.getName() << " must be a " << kind; };
  if (attr.getName() == kShardingName) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attr.getValue());
    return shardings ? verifyShardings(shardings, op->getResultTypes(), error.with("result"))
                     : wrongKind("#sdy.sharding_per_value");
  }
  if (attr.getName() == kShardingRuleName) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attr.getValue());
    return rule ? verifyShardingRule(rule, op) : wrongKind("#sdy.op_sharding_rule");
  }
  if (attr.getName() == kPropagationEdgesName) {
    auto edges = dyn_cast<PropagationEdgesAttr>(attr.getValue());
    return edges ? verifyPropagationEdges(edges, op) : wrongKind("#sdy.propagation_edges");
  }
  bool isList = attr.getName() == kResultPropagationEdgesName || attr.getName() == kBlockArgPropagationEdgesName;
  return isList && !isListOfEdges(attr.getValue()) ? wrongKind("list of #sdy.propagation_edges") : success();
}

/// An attribute on the argument or result `index` of a function.
static LogicalResult verifyFunctionValue(func::FuncOp function, NamedAttribute attr, TypeRange types, unsigned index,
                                         StringRef kind) {
  if (attr.getName() != kShardingName || index >= types.size())
    return success();
  ErrorAt error(function, Twine(kind) + " " + Twine(index));
  auto sharding = dyn_cast<TensorShardingAttr>(attr.getValue());
  return sharding ? verifySharding(sharding, types[index], error)
                  : error() << kShardingName << " must be a #sdy.sharding";
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function ? verifyFunctionValue(function, attr, function.getArgumentTypes(), index, "argument") : success();
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function ? verifyFunctionValue(function, attr, function.getResultTypes(), index, "result") : success();
}

} // namespace partita::sdy
