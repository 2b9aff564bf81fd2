//===- Fuzzing.cpp - `partita fuzz` ---------------------------------------===//

#include "partita/Driver/Fuzzing.h"

#include "partita/Fuzz/Campaign.h"
#include "partita/Fuzz/Coverage.h"

namespace partita {

/// An error if some kind of split was seen too rarely.
static Status checkCoverage(const fuzz::CampaignReport &report, int64_t fewest) {
  if (fewest == 0)
    return std::nullopt;
  fuzz::printExempt(llvm::outs());
  std::vector<std::string> uncovered = fuzz::findUncovered(report.splits, fewest);
  llvm::outs() << fuzz::countKinds(report.splits) << " kinds of splits, " << uncovered.size() << " of them fewer than "
               << fewest << " times\n";
  for (const std::string &line : uncovered)
    llvm::outs() << "  " << line << "\n";
  llvm::outs().flush();
  if (uncovered.empty())
    return std::nullopt;
  Error error = Error::internal("kinds of splits are seen too rarely: " + uncovered.front());
  error.code = ExitCode::Difference;
  return std::move(error).withRemedy("run more cases, or let the generator draw them more often (partita/Fuzz)");
}

Status runFuzz(const Options &options) {
  fuzz::CampaignOptions campaign = options.fuzz;
  campaign.seed = options.validator.seed;
  campaign.relation = !options.noCheck;
  if (campaign.emitted > 0)
    return fuzz::emitCases(campaign, llvm::errs());
  fuzz::CampaignReport report = fuzz::runCampaign(campaign, llvm::errs());
  report.print(llvm::outs());
  llvm::outs().flush();
  if (report.failures.empty())
    return checkCoverage(report, campaign.fewestSplits);
  if (Status error = fuzz::saveFailures(report, campaign, llvm::errs()))
    return error;
  Error error = Error::internal(std::to_string(report.failures.size()) + " random cases failed");
  error.code = ExitCode::Difference;
  return error;
}

} // namespace partita
