//===- PrintRules.cpp - rules for people and tests ------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace partita::program {

Result<UserRules> parseUserRules(llvm::ArrayRef<std::string> entries) {
  UserRules rules;
  for (llvm::StringRef entry : entries) {
    auto [target, text] = entry.split('=');
    if (target.empty() || text.empty())
      return Error::usage("--rule expects TARGET=RULE, not '" + entry.str() + "'");
    rules[target] = text.str();
  }
  return rules;
}

/// Whether the op has a rule. Functions, meshes, terminators and control flow have none; the ops in their regions do.
static bool hasRule(Operation *op) {
  using namespace stablehlo;
  return !isa<ModuleOp, func::FuncOp, sdy::MeshOp, WhileOp, CaseOp, IfOp, sdy::ManualComputationOp>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

Status visitRules(Operation *root, const UserRules &userRules,
                  llvm::function_ref<void(Operation *, const OpRule &)> visit) {
  Status error;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!hasRule(op))
      return WalkResult::advance();
    Result<OpRule> rule = computeRule(op, userRules);
    if (!rule) {
      error = rule.error();
      return WalkResult::interrupt();
    }
    visit(op, *rule);
    return WalkResult::skip();
  });
  return error;
}

std::string printOpRule(Operation *op, const OpRule &rule) {
  std::string text = op->getName().getStringRef().str() + ": " + printRule(rule.rule);
  return rule.whole.empty() ? text : text + "  // " + rule.whole;
}

Result<std::string> printRules(Operation *root, const UserRules &userRules) {
  std::string text;
  Status error =
      visitRules(root, userRules, [&](Operation *op, const OpRule &rule) { text += printOpRule(op, rule) + "\n"; });
  if (error)
    return std::move(*error);
  return text;
}

} // namespace partita::program
