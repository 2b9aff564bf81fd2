//===- CustomRules.cpp - custom calls, composites, tokens, host transfer --===//
//
// The rule of a custom call comes from the first of these that exists: the
// user's rule, `sdy.sharding_rule` in the program, the number of batch dims
// that JAX states, the table of targets (CustomTargets.h). Nothing is known
// about other calls: they stay whole, which is always right, and are reported.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/CustomTargets.h"
#include "partita/Program/Rules/LeadingDims.h"
#include "partita/Program/Rules/StatedRules.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr const char *scalePerIndex = "everything: a value is quantized by a scale for each index of a dim";

static OpRule makeUnknownRule(Operation *op, std::string why) {
  OpRule result = makeWholeRule(op, std::move(why));
  result.isUnknown = true;
  return result;
}

/// The rule in `text`. On an error, sets `context.error` and keeps the op whole.
static OpRule makeStatedRule(Operation *op, StringRef text, RuleContext &context) {
  Result<Rule> rule = parseStatedRule(text, op);
  if (rule)
    return {.rule = std::move(*rule), .whole = "what the stated rule keeps whole", .isUnknown = false};
  context.error = rule.error();
  return makeRule(op);
}

static sdy::OpShardingRuleAttr getShardingRule(Operation *op) {
  return op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleName);
}

//===----------------------------------------------------------------------===//
// custom_call
//===----------------------------------------------------------------------===//

static OpRule ruleOfShapeBaked(stablehlo::CustomCallOp op, bool hasRule, RuleContext &context) {
  if (hasRule)
    context.error = Error::unsupported(locationOf(op), "a rule cannot split '" + op.getCallTargetName().str() +
                                                           "': it is compiled for the shapes it was made with")
                        .withRemedy("make it a composite partita.kernel.* with a rule, whose decomposition can be "
                                    "compiled for other shapes");
  return makeUnknownRule(op, "everything: a kernel compiled for these shapes");
}

/// How many leading dims JAX says are batch dims.
static std::optional<int64_t> findStatedBatchRank(stablehlo::CustomCallOp op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto stated = attributes ? attributes.getAs<StringAttr>("num_batch_dims") : StringAttr();
  int64_t rank = 0;
  if (!stated || stated.getValue().getAsInteger(10, rank) || rank < 0)
    return std::nullopt;
  return rank;
}

static std::optional<int64_t> findBatchRank(stablehlo::CustomCallOp op, const CustomTarget &target) {
  if (std::optional<int64_t> stated = findStatedBatchRank(op))
    return stated;
  if (target.kind != TargetKind::Batched || op->getNumOperands() == 0)
    return std::nullopt;
  int64_t rank = getShape(op->getOperand(0)).size();
  return rank < target.coreRank ? std::nullopt : std::optional(rank - target.coreRank);
}

/// Whether the call does nothing but compute results from operands of these shapes.
static bool isPlainCall(stablehlo::CustomCallOp op) {
  return !op.getHasSideEffect() && op.getCalledComputations().empty() && !op->hasAttr("indices_of_shape_operands");
}

static bool hasOneShape(Operation *op) {
  return op->getNumResults() > 0 && haveLeadingDims(op, getShape(op->getResult(0)).size()) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return getShape(operand) == getShape(op->getResult(0)); }) &&
         llvm::all_of(op->getResults(), [&](Value result) { return getShape(result) == getShape(op->getResult(0)); });
}

static OpRule ruleOfKnownTarget(stablehlo::CustomCallOp op, const CustomTarget &target) {
  bool isPlain = isPlainCall(op);
  // An annotation changes no value, though it is marked as having an effect.
  if (target.kind == TargetKind::Elementwise && op.getCalledComputations().empty() && hasOneShape(op))
    return makeElementwiseRule(op);
  std::optional<int64_t> batchRank = isPlain ? findBatchRank(op, target) : std::nullopt;
  if (!batchRank || !haveLeadingDims(op, *batchRank))
    return makeUnknownRule(op, "everything: nothing is known of the target '" + op.getCallTargetName().str() + "'");
  OpRule result = makeRule(op);
  addLeadingDims(op, result, *batchRank);
  result.whole = "all but the batch dims";
  return result;
}

/// Whether a value has a scale for each index of a dim. A piece would need a piece of the scales, which are part of the
/// type.
static bool hasScalePerIndex(Operation *op) {
  auto isPerAxis = [](Type type) { return isa<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), isPerAxis) || llvm::any_of(op->getResultTypes(), isPerAxis);
}

static OpRule ruleOfCustomCall(stablehlo::CustomCallOp op, RuleContext &context) {
  CustomTarget target = findCustomTarget(op.getCallTargetName());
  auto user = context.userRules.find(op.getCallTargetName());
  bool isUsers = user != context.userRules.end();
  sdy::OpShardingRuleAttr stated = getShardingRule(op);
  if (target.kind == TargetKind::ShapeBaked)
    return ruleOfShapeBaked(op, isUsers || stated, context);
  if (hasScalePerIndex(op))
    return makeUnknownRule(op, scalePerIndex);
  if (isUsers)
    return makeStatedRule(op, user->second, context);
  if (stated)
    return {
        .rule = convertShardingRule(stated, op), .whole = "what its sdy.sharding_rule keeps whole", .isUnknown = false};
  return ruleOfKnownTarget(op, target);
}

//===----------------------------------------------------------------------===//
// composite
//===----------------------------------------------------------------------===//

/// Kernels have a rule of their own. The op on the pieces names the decomposition of the whole: inlining must make one
/// for the pieces' shapes.
static OpRule ruleOfComposite(stablehlo::CompositeOp op, RuleContext &context) {
  if (!op.getName().starts_with("partita.kernel."))
    return makeUnknownRule(op, "everything: nothing is known of the composite '" + op.getName().str() + "'");
  auto text = op.getCompositeAttributes().getAs<StringAttr>("rule");
  if (hasScalePerIndex(op))
    return makeUnknownRule(op, scalePerIndex);
  if (!text)
    return makeUnknownRule(op, "everything: the kernel '" + op.getName().str() + "' states no rule");
  return makeStatedRule(op, text, context);
}

//===----------------------------------------------------------------------===//
// Tokens and transfer
//===----------------------------------------------------------------------===//

template <typename OpT> static OpRule ruleOfToken(OpT op, RuleContext &) { return makeRule(op); }

template <typename OpT> static OpRule ruleOfTransfer(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: what goes to or comes from elsewhere has the whole's shape");
}

void registerCustomRules(RuleTable &table) {
  table.add<stablehlo::CustomCallOp, ruleOfCustomCall>();
  table.add<stablehlo::CompositeOp, ruleOfComposite>();
  table.add<stablehlo::CreateTokenOp, ruleOfToken<stablehlo::CreateTokenOp>>();
  table.add<stablehlo::AfterAllOp, ruleOfToken<stablehlo::AfterAllOp>>();
  table.add<stablehlo::InfeedOp, ruleOfTransfer<stablehlo::InfeedOp>>();
  table.add<stablehlo::OutfeedOp, ruleOfTransfer<stablehlo::OutfeedOp>>();
  table.add<stablehlo::SendOp, ruleOfTransfer<stablehlo::SendOp>>();
  table.add<stablehlo::RecvOp, ruleOfTransfer<stablehlo::RecvOp>>();
}

} // namespace partita::program::rules
