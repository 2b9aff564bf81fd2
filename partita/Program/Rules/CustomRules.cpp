//===- CustomRules.cpp - custom calls, composites, tokens, host transfer --===//
//
// The rule of a custom call comes from the first of these that exists: the
// user's rule, the table of kernels (KernelCalls.h), `sdy.sharding_rule` in the
// program, the number of batch dims that JAX states, the table of targets
// (CustomTargets.h). Nothing is known about other calls: they stay whole, which
// is always right, and are reported.
//
// The flops of a call are those of the table of kernels, of the user's rule
// (`([b,i])->([b,i]) flops=1024`), or of the frontend attribute partita_flops.
// Calls of LAPACK and of cuSOLVER are priced as what they compute (graph::OpKind), those whose work is linear as their
// traffic, annotations too. All others have no price.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/CustomTargets.h"
#include "partita/Program/Rules/KernelCalls.h"
#include "partita/Program/Rules/LeadingDims.h"
#include "partita/Program/Rules/StagedCalls.h"
#include "partita/Program/Rules/StatedRules.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr const char *scalePerIndex = "everything: a value is quantized by a scale for each index of a dim";

static OpRule makeUnknownRule(Operation *op, std::string why) {
  OpRule result = makeWholeRule(op, std::move(why));
  result.isUnknown = true;
  // The decomposition of a composite has a price.
  result.isUnpriced = isa<stablehlo::CustomCallOp>(op);
  return result;
}

/// What JAX, or Partita's Python package, states about a call by this name.
static std::optional<int64_t> findStatedNumber(Operation *op, StringRef name) {
  auto attributes = op->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto stated = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
  int64_t number = 0;
  if (!stated || stated.getValue().getAsInteger(10, number) || number < 0)
    return std::nullopt;
  return number;
}

/// Gives the rule the flops that are stated. A call without any has no price.
static OpRule withStatedFlops(Operation *op, OpRule rule) {
  if (!rule.flops)
    rule.flops = findStatedNumber(op, "partita_flops");
  rule.isUnpriced = !rule.flops && isa<stablehlo::CustomCallOp>(op);
  return rule;
}

/// The rule in `text`, which may end in `flops=1024`. On an error, sets `context.error` and keeps the op whole.
static OpRule makeStatedRule(Operation *op, StringRef text, RuleContext &context) {
  auto [einsum, price] = text.split(" flops=");
  int64_t flops = 0;
  bool hasPrice = einsum.size() != text.size();
  if (hasPrice && (price.getAsInteger(10, flops) || flops < 0)) {
    context.error = Error::badInput(locationOf(op), "'" + price.str() + "' is no number of flops")
                        .withRemedy("write the number for the whole call behind its rule: ([b,i])->([b,i]) flops=1024");
    return makeRule(op);
  }
  Result<Rule> rule = parseStatedRule(einsum, op);
  if (rule)
    return withStatedFlops(op, {.rule = std::move(*rule),
                                .whole = "what the stated rule keeps whole",
                                .flops = hasPrice ? std::optional(flops) : std::nullopt});
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

static std::optional<int64_t> findBatchRank(stablehlo::CustomCallOp op, const CustomTarget &target) {
  if (std::optional<int64_t> stated = findStatedNumber(op, "num_batch_dims"))
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

/// Gives the rule what is known of the target's work, or else what is stated.
static OpRule withPrice(stablehlo::CustomCallOp op, const CustomTarget &target, OpRule rule) {
  if (target.kind != TargetKind::Batched || op->getNumOperands() == 0)
    return withStatedFlops(op, std::move(rule));
  rule.opName = target.opName;
  // Linear in its operands: a solver of tridiagonal systems, say.
  if (target.opName.empty())
    rule.flops = cast<ShapedType>(op->getOperand(0).getType()).getNumElements();
  return rule;
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
  return withPrice(op, target, std::move(result));
}

/// Whether a value has a scale for each index of a dim. A piece would need a piece of the scales, which are part of the
/// type.
static bool hasScalePerIndex(Operation *op) {
  auto isPerAxis = [](Type type) { return isa<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), isPerAxis) || llvm::any_of(op->getResultTypes(), isPerAxis);
}

static OpRule ruleOfUnmarkedCall(stablehlo::CustomCallOp op, RuleContext &context) {
  CustomTarget target = findCustomTarget(op.getCallTargetName());
  auto user = context.userRules.find(op.getCallTargetName());
  bool isUsers = user != context.userRules.end();
  sdy::OpShardingRuleAttr stated = getShardingRule(op);
  std::optional<KernelCall> kernel = isPlainCall(op) ? findKernelCall(op) : std::nullopt;
  std::optional<OpRule> known = kernel ? makeKernelRule(op, *kernel) : std::nullopt;
  if (target.kind == TargetKind::ShapeBaked && (isUsers || stated || !known))
    return ruleOfShapeBaked(op, isUsers || stated, context);
  if (hasScalePerIndex(op))
    return makeUnknownRule(op, scalePerIndex);
  if (isUsers)
    return makeStatedRule(op, user->second, context);
  if (known)
    return *known;
  if (stated)
    return withPrice(op, target,
                     {.rule = convertShardingRule(stated, op), .whole = "what its sdy.sharding_rule keeps whole"});
  return ruleOfKnownTarget(op, target);
}

static OpRule ruleOfCustomCall(stablehlo::CustomCallOp op, RuleContext &context) {
  if (isStagedCall(op))
    return ruleOfStagedCall(op, context);
  OpRule result = ruleOfUnmarkedCall(op, context);
  if (std::optional<int64_t> flops = findStatedNumber(op, pieceFlopsName)) {
    result.flops = flops;
    result.isUnpriced = false;
  }
  return result;
}

/// The call on pieces. Kernels have their sizes in their configuration, too.
static Pieces localCustomCall(stablehlo::CustomCallOp op, const LocalContext &local) {
  if (isStagedCall(op))
    return localStagedCall(op, local);
  Pieces pieces = emitSame(op, local);
  if (local.splits.empty() || pieces.empty())
    return pieces;
  if (std::optional<KernelCall> kernel = findKernelCall(op))
    adaptKernelSizes(pieces.front().getDefiningOp<stablehlo::CustomCallOp>(), *kernel);
  return pieces;
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
  table.add<stablehlo::CustomCallOp, ruleOfCustomCall, localCustomCall>();
  table.add<stablehlo::CompositeOp, ruleOfComposite>();
  table.add<stablehlo::CreateTokenOp, ruleOfToken<stablehlo::CreateTokenOp>>();
  table.add<stablehlo::AfterAllOp, ruleOfToken<stablehlo::AfterAllOp>>();
  table.add<stablehlo::InfeedOp, ruleOfTransfer<stablehlo::InfeedOp>>();
  table.add<stablehlo::OutfeedOp, ruleOfTransfer<stablehlo::OutfeedOp>>();
  table.add<stablehlo::SendOp, ruleOfTransfer<stablehlo::SendOp>>();
  table.add<stablehlo::RecvOp, ruleOfTransfer<stablehlo::RecvOp>>();
}

} // namespace partita::program::rules
