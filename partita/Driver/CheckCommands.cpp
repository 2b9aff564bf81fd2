//===- CheckCommands.cpp - commands that run programs and compare ---------===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Driver/Commands.h"
#include "partita/Driver/Lowering.h"
#include "partita/Driver/Stages.h"
#include "partita/Evaluate/Inputs.h"
#include "partita/Fuzz/Coverage.h"
#include "partita/Program/Reader.h"
#include "partita/Report/ResultText.h"
#include "partita/Report/VerificationText.h"
#include "partita/Support/AtomicFile.h"
#include "partita/ValidateRules/PaddingValidator.h"
#include "partita/Verify/StaticCheck.h"
#include "partita/Verify/Verify.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::driver {

Status runEval(const EvalCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  auto inputs = clock.run(
      "inputs", [&] { return makeInputs(options.inputs, **module, options.evaluator, options.common.limits); });
  if (!inputs)
    return inputs.error();
  setActivity("evaluating " + files.front());
  auto results =
      clock.run("evaluate", [&] { return evaluate::evaluate(**module, std::move(*inputs), options.evaluator); });
  if (!results)
    return results.error();
  if (options.common.output.empty())
    return emit(options.common.output, printResults(*results));
  Result<std::string> packed = packResults(*results);
  if (!packed)
    return packed.error();
  return emit(options.common.output, std::move(*packed));
}

/// How many of the flags that name a plan, or what it is made of, are given.
static int countPlans(const PlanOptions &plan) {
  int given = !plan.plan.empty() + !plan.schedule.empty();
  return given == 0 && plan.isRewriting() ? 1 : given;
}

/// The local program of `--local`, or that of the plan that `--plan` or `--schedule` give for `original`. `rewritten`
/// becomes the program that the plan is lowered from, if one of its tactics rewrites the original.
static Result<OwningOpRef<ModuleOp>> makeLocal(ModuleOp original, const VerifyCommand &options, StageClock &clock,
                                               OwningOpRef<ModuleOp> &rewritten) {
  const PlanningOptions &planning = options.planning;
  OwningOpRef<ModuleOp> given;
  if (!options.local.empty()) {
    auto read = importFile(options.local, *original.getContext(), planning.common, planning.program, clock);
    if (!read || countPlans(planning.plan) == 0)
      return read;
    given = std::move(*read);
  }
  Result<MadePlan> made = makePlan(original, planning, {}, clock);
  if (!made)
    return made.error();
  rewritten = std::move(made->variant.rewritten);
  if (given)
    return given;
  ModuleOp planned = rewritten ? *rewritten : original;
  Result<LocalProgram> local = lowerMade(*made, planned, clock);
  if (!local)
    return local.error();
  return std::move(local->module);
}

/// The static check, without running anything.
static Status checkOnly(ModuleOp original, ModuleOp local, const VerifyCommand &options, StageClock &clock) {
  auto found = clock.run("relation", [&] { return checkStatically(original, local, options.planning.flatten.rules); });
  if (!found)
    return found.error();
  std::string text = options.json ? printStaticCheckJson(*found) : printStaticCheck(*found);
  if (Status error = emit(options.planning.common.output, std::move(text)))
    return error;
  return found->difference;
}

Status runVerify(const VerifyCommand &options, Operands files) {
  const PlanningOptions &planning = options.planning;
  int numPlans = countPlans(planning.plan), given = !options.local.empty() + numPlans;
  // The form of a local program is that of the program that its plan makes of the original.
  bool isWithPlan = options.relation && numPlans == 1 && given == 2;
  if (given != 1 && !isWithPlan)
    return Error::usage("partita verify needs one local program, not " + std::to_string(given))
        .withRemedy("give it with --local FILE, or what it is made of with --plan FILE or --schedule FILE");
  StageClock clock(planning.common.timing);
  auto context = makeContext();
  auto original = importFile(files.front(), *context, planning.common, planning.program, clock);
  if (!original)
    return original.error();
  OwningOpRef<ModuleOp> rewritten;
  auto local = makeLocal(**original, options, clock, rewritten);
  if (!local)
    return local.error();
  setActivity("verifying " + files.front());
  if (options.relation)
    return checkOnly(rewritten ? *rewritten : **original, **local, options, clock);
  auto found = clock.run("verify", [&] {
    // A file of somebody's with longer arguments is a mistake, unless it is for devices.
    bool mayBeStored = options.local.empty() || isForDevices(**local);
    return verifyLocal(**original, **local, options.inputs, options.evaluator, planning.common.limits, mayBeStored);
  });
  if (!found)
    return found.error();
  std::string text = options.json ? printVerificationJson(*found) : printVerification(*found);
  if (Status error = emit(planning.common.output, std::move(text)))
    return error;
  return toStatus(*found);
}

/// Reads the program without import: a file may hold thousands of functions, one op each.
Status runValidateRules(const ValidateRulesCommand &options, Operands files) {
  auto context = makeContext();
  auto module = readProgram(files.front(), *context, options.common.limits);
  if (!module)
    return module.error();
  setActivity("validating the rules of " + files.front());
  std::string text;
  auto validate = options.validator.padding ? validate::validatePaddings : validate::validateRules;
  Status wrong = validate(**module, options.flatten.rules, options.validator, text);
  Status error = emit(options.common.output, std::move(text));
  return error ? error : wrong;
}

Status runFuzz(const FuzzCommand &options, Operands) {
  const CampaignOptions &campaign = options.campaign;
  if (campaign.emitted > 0)
    return emitCases(campaign, llvm::errs());
  CampaignReport report = runCampaign(campaign, llvm::errs());
  report.print(llvm::outs());
  llvm::outs().flush();
  if (report.failures.empty())
    return checkCoverage(report.splits, campaign.fewestSplits, llvm::outs());
  if (Status error = saveFailures(report, campaign, llvm::errs()))
    return error;
  return Error::difference(std::to_string(report.failures.size()) + " random cases failed");
}

} // namespace partita::driver
