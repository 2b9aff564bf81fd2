//===- RulesPass.cpp - prints every op's rule as a remark -----------------===//
//
// For tests: one remark for each op that has a rule, in program order, at the
// op's location.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Passes/Passes.h"
#include "partita/Program/Rules/Rules.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::program {

namespace {

struct RulesPass : PassWrapper<RulesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RulesPass)

  RulesPass() = default;
  RulesPass(const RulesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "partita-test-rules"; }
  StringRef getDescription() const final { return "Says the partitioning rule of each op"; }

  void runOnOperation() override {
    Status error;
    Result<UserRules> userRules = parseUserRules(SmallVector<std::string>(rules.begin(), rules.end()));
    if (!userRules)
      error = userRules.error();
    else
      error = visitRules(getOperation(), *userRules, [](Operation *op, const OpRule &rule) {
        emitRemark(op->getLoc()) << "rule: " << printOpRule(op, rule);
      });
    if (error) {
      emitError(getOperation().getLoc()) << error->str();
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  ListOption<std::string> rules{*this, "rule", llvm::cl::desc("TARGET=RULE for custom calls")};
};

} // namespace

void registerRulesPass() { PassRegistration<RulesPass>(); }

} // namespace partita::program
