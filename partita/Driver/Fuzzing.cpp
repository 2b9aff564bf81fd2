//===- Fuzzing.cpp - `partita fuzz` ---------------------------------------===//

#include "partita/Driver/Fuzzing.h"

#include "partita/Fuzz/Campaign.h"

namespace partita {

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
    return std::nullopt;
  if (Status error = fuzz::saveFailures(report, campaign, llvm::errs()))
    return error;
  Error error = Error::internal(std::to_string(report.failures.size()) + " random cases failed");
  error.code = ExitCode::Difference;
  return error;
}

} // namespace partita
