//===- Import.cpp - any program to the normal form ------------------------===//

#include "partita/Program/Import/Import.h"

#include "partita/Program/Diagnostics.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Support/Containment.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace partita {

Status importProgram(ModuleOp module, const ImportOptions &options, const Limits &limits) {
  setActivity("choosing the main function");
  Result<func::FuncOp> main = import::chooseMain(module, options.function);
  if (!main)
    return main.error();
  setActivity("converting older forms of shardings");
  if (Status error = import::convertLegacyShardings(module))
    return error;
  setActivity("inlining calls");
  if (Status error = import::inlineCalls(module, limits))
    return error;
  setActivity("flattening tuples");
  if (Status error = import::flattenTuples(*main))
    return error;
  setActivity("normalizing shardings");
  if (Status error = import::normalizeShardings(module, options.ignoreShardings))
    return error;
  setActivity("removing dead code");
  import::removeDeadCode(module);
  import::renumberChannels(module);
  if (Status error = import::requireStaticShapes(module))
    return error;
  setActivity("verifying the normal form");
  return verifyNormalForm(module);
}

} // namespace partita
