//===- LoopsPass.cpp - prints counted loops as remarks --------------------===//
//
// For tests: one remark for each loop, in the order of the program.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Program/Loops.h"
#include "partita/Program/Passes/Passes.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace partita::program {

static void print(raw_ostream &stream, const SteppedOperand &stepped) {
  if (stepped.carried)
    stream << "; carried " << *stepped.carried;
  else
    stream << "; captured";
  stream << " dim " << stepped.dim << " size " << stepped.sliceSize << " from " << stepped.first << " by "
         << stepped.stride;
  if (stepped.isRead)
    stream << " read";
  if (stepped.isWritten)
    stream << " written";
}

static std::string describe(stablehlo::WhileOp loop) {
  std::string whyNot;
  std::optional<CountedLoop> counted = analyzeLoop(loop, &whyNot);
  if (!counted)
    return "not counted: " + whyNot;
  std::string text;
  llvm::raw_string_ostream stream(text);
  const LoopCounter &induction = counted->induction;
  stream << counted->tripCount << " iterations; induction " << induction.carried << " from " << induction.start
         << " by " << induction.step << " to " << counted->bound;
  for (const SteppedOperand &stepped : counted->stepped)
    print(stream, stepped);
  return text;
}

namespace {

struct LoopsPass : PassWrapper<LoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoopsPass)

  StringRef getArgument() const final { return "partita-test-loops"; }
  StringRef getDescription() const final { return "Says what is known of each loop"; }

  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>(
        [](stablehlo::WhileOp loop) { emitRemark(loop.getLoc()) << "loop: " << describe(loop); });
    markAllAnalysesPreserved();
  }
};

} // namespace

void registerLoopsPass() { PassRegistration<LoopsPass>(); }

} // namespace partita::program
