//===- Passes.cpp - passes of partita-opt, for tests ----------------------===//

#include "partita/Program/Passes/Passes.h"

#include "partita/Dialect/Sdy/SdyDialect.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"
#include "partita/Program/Import/Import.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::program {

namespace {

struct ImportPass : PassWrapper<ImportPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportPass)

  ImportPass() = default;
  ImportPass(const ImportPass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "partita-import"; }
  StringRef getDescription() const final { return "Brings a program to the normal form"; }

  /// Import may create ops of dialects that the program does not use.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sdy::SdyDialect, stablehlo::StableHloDialect>();
  }

  void runOnOperation() override {
    ImportOptions options;
    options.function = function;
    options.ignoreShardings = ignoreShardings;
    Status error = importProgram(getOperation(), options, Limits());
    if (!error)
      return;
    // The error's own location is more precise than the module's.
    Location loc = getOperation().getLoc();
    if (error->location.line != 0)
      loc = FileLineColLoc::get(&getContext(), error->location.file, error->location.line, error->location.column);
    InFlightDiagnostic diagnostic = emitError(loc) << error->reason;
    if (!error->remedy.empty())
      diagnostic.attachNote(loc) << "remedy: " << error->remedy;
    signalPassFailure();
  }

  Option<std::string> function{*this, "function", llvm::cl::desc("The function to partition")};
  Option<bool> ignoreShardings{*this, "ignore-shardings", llvm::cl::desc("Drops the program's shardings")};
};

} // namespace

void registerPasses() {
  PassRegistration<ImportPass>();
  registerLoopsPass();
  registerRulesPass();
}

} // namespace partita::program
