//===- PadProgram.cpp - makes dims of a program longer --------------------===//

#include "partita/Padding/PadProgram.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Graph/Paths.h"
#include "partita/Padding/ProgramPadder.h"
#include "partita/Program/VerifyKinds.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::padding {

std::string namePadded(llvm::StringRef argument) { return (paddedName + "(" + toPath(argument) + ")").str(); }

/// Copies of free values with other sizes leave the original unused. Users follow what they use.
static void removeDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() && wouldOpBeTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (mlir::Region &region : op.getRegions())
      for (Block &inner : region)
        removeDeadOps(inner);
  }
}

Result<PaddedProgram> padProgram(ModuleOp module, const Flattened &flattened, const PaddingRequest &request,
                                 const UserRules &userRules) {
  Result<PaddingReach> reach = computeReach(request.roots, flattened.freeOps, userRules);
  if (!reach)
    return reach.error();
  auto main = module.lookupSymbol<func::FuncOp>("main");
  PaddedProgram result{reach->groups, reach->groupOfRoot, {}, PaddedElements()};
  ProgramPadder padder(main, *reach, flattened.freeOps, userRules, request.isPoisoned);
  result.counts = padder.run(request.stored);
  for (const auto &[value, known] : padder.getPaddedValues())
    result.elements[value] = known.shape;
  removeDeadOps(main.getBody().front());
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the padded program does not verify: " + collector.takeError("no reason").reason)
        .withRemedy("please report it with the program; --no-padding leaves sizes as they are");
  return result;
}

} // namespace partita::padding
