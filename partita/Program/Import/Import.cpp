//===- Import.cpp - any program to the normal form ------------------------===//

#include "partita/Program/Import/Import.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Import/Steps.h"
#include "partita/Program/Rules/StagedCalls.h"
#include "partita/Support/Containment.h"

using namespace mlir;

namespace partita::program {

/// Runs the steps that the survey asks for.
static Status normalize(ModuleOp module, func::FuncOp main, const import::Survey &survey, const ImportOptions &options,
                        const Limits &limits) {
  setActivity("decomposing ops");
  if (survey.hasDecomposable)
    import::decomposeOps(module);
  setActivity("converting older forms of shardings");
  if (survey.hasShardings)
    if (Status error = import::convertLegacyShardings(module))
      return error;
  setActivity("inlining calls");
  // Older notations of shardings contain calls.
  if (survey.hasCalls || survey.hasShardings)
    if (Status error = import::inlineCalls(module, limits))
      return error;
  setActivity("flattening tuples");
  if (survey.hasTuples)
    if (Status error = import::flattenTuples(main))
      return error;
  setActivity("normalizing shardings");
  if (survey.hasShardings)
    if (Status error = import::normalizeShardings(module, options.ignoreShardings))
      return error;
  setActivity("joining pads with windows");
  if (survey.hasWindows)
    import::joinPads(module);
  if (survey.hasWholeUpdates)
    import::dropWholeUpdates(module);
  // Calls may have stood between constants or slices and what uses them.
  setActivity("writing updates at known places");
  import::writeStaticUpdates(module);
  setActivity("shifting rows");
  import::shiftRows(module);
  return std::nullopt;
}

Status importProgram(ModuleOp module, const ImportOptions &options, const Limits &limits) {
  setActivity("choosing the main function");
  Result<func::FuncOp> main = import::chooseMain(module, options.function);
  if (!main)
    return main.error();
  import::Survey survey = import::surveyProgram(module);
  if (survey.hasAnything())
    if (Status error = normalize(module, *main, survey, options, limits))
      return error;
  // The survey counts custom calls as shardings, which older programs wrote so.
  if (survey.hasShardings)
    dropStageMarks(module);
  setActivity("removing dead code");
  import::removeDeadCode(module);
  if (survey.hasChannels)
    import::renumberChannels(module);
  setActivity("verifying the normal form");
  // A program that no step changed is still valid MLIR, so only the normal form is checked.
  return survey.hasAnything() ? verifyNormalForm(module) : import::checkNormalForm(module);
}

} // namespace partita::program
