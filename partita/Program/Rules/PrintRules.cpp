//===- PrintRules.cpp - rules for people and tests ------------------------===//

#include "partita/Program/Diagnostics.h"
#include "partita/Program/Rules/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace partita {

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

/// Ops that have a rule: not the frame of functions and terminators.
static bool hasRule(Operation *op) {
  return !isa<ModuleOp, func::FuncOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

Result<std::string> printRules(Operation *root, const UserRules &userRules) {
  std::string text;
  Status error;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!hasRule(op))
      return WalkResult::advance();
    Result<OpRule> rule = computeRule(op, userRules);
    if (!rule) {
      error = rule.error();
      return WalkResult::interrupt();
    }
    text += op->getName().getStringRef().str() + ": " + printRule(rule->rule);
    if (!rule->whole.empty())
      text += "  // " + rule->whole;
    text += "\n";
    // Regions of reducers and comparators are part of their op.
    bool isControlFlow =
        llvm::is_contained({"stablehlo.while", "stablehlo.case", "stablehlo.if"}, op->getName().getStringRef());
    return isControlFlow ? WalkResult::advance() : WalkResult::skip();
  });
  if (error)
    return std::move(*error);
  return text;
}

} // namespace partita
