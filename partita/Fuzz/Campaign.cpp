//===- Campaign.cpp - runs many random cases and reports them -------------===//

#include "partita/Fuzz/Campaign.h"

#include "partita/Fuzz/Children.h"
#include "partita/Fuzz/Coverage.h"
#include "partita/Fuzz/Shrink.h"
#include "partita/Support/AtomicFile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace partita::fuzz {

/// Cases per round; after each round the campaign checks whether they are enough.
static constexpr int64_t casesPerRound = 1000;

static CaseOutcome runSeed(uint64_t seed, MLIRContext &context, const CampaignOptions &options) {
  Result<Case> input = makeCase(seed, context);
  if (!input)
    return {Verdict::Wrong, "the generator failed: " + input.error().str(), {}, 0};
  input->relation = !options.noCheck;
  return runCase(*input);
}

/// Replaces numbers by `#`, so that similar reasons count as one.
static std::string generalize(StringRef reason) {
  std::string text;
  for (char c : reason.take_front(200))
    if (!llvm::isDigit(c))
      text += c;
    else if (text.empty() || text.back() != '#')
      text += '#';
  return text;
}

void CampaignReport::add(uint64_t seed, const CaseOutcome &outcome) {
  ++cases;
  switch (outcome.verdict) {
  case Verdict::Counted:
    ++counted;
    collectives += outcome.collectives;
    for (const auto &[name, count] : outcome.splits)
      splits[name] += count;
    return;
  case Verdict::Vacuous:
    ++vacuous;
    return;
  case Verdict::Rejected:
    ++rejected;
    ++rejections[generalize(outcome.reason)];
    return;
  case Verdict::Wrong:
  case Verdict::Crashed:
    failures.push_back({seed, outcome.verdict, outcome.reason});
  }
}

static void printCounts(raw_ostream &out, StringRef title, const std::map<std::string, int64_t> &counts) {
  if (counts.empty())
    return;
  out << title << "\n";
  for (const auto &[name, count] : counts)
    out << llvm::formatv("  {0,8}  {1}\n", count, name);
}

void CampaignReport::print(raw_ostream &out) const {
  printCounts(out, "split ops in counted cases, by kind of factor", splits);
  printCounts(out, "rejected, because", rejections);
  for (const FailedCase &failure : ArrayRef(failures).take_front(40))
    out << getName(failure.verdict) << ": seed " << failure.seed << ": " << failure.reason << "\n";
  int64_t crashed = llvm::count_if(failures, [](const FailedCase &f) { return f.verdict == Verdict::Crashed; });
  out << "seeds " << firstSeed << " to " << firstSeed + cases - 1 << ": " << cases << " cases, " << counted
      << " counted with " << collectives << " collectives, " << vacuous << " vacuous, " << rejected << " rejected, "
      << failures.size() - crashed << " wrong, " << crashed << " crashed\n";
}

/// Whether more cases are needed: until the requested number is reached, and longer if some kinds of splits are still
/// rare.
static bool goesOn(const CampaignReport &report, const CampaignOptions &options) {
  if (report.counted < options.count)
    return true;
  return options.fewestSplits > 0 && report.failures.empty() && report.counted / 4 < options.count &&
         !findUncovered(report.splits, options.fewestSplits).empty();
}

CampaignReport runCampaign(const CampaignOptions &options, raw_ostream &progress) {
  CampaignReport report;
  report.firstSeed = options.seed;
  int64_t next = 10;
  while (goesOn(report, options)) {
    uint64_t first = report.firstSeed + report.cases;
    auto run = [&](uint64_t seed, MLIRContext &context) { return runSeed(seed, context, options); };
    std::vector<CaseOutcome> outcomes = runSeeds(first, casesPerRound, options.jobs, run);
    for (auto [index, outcome] : llvm::enumerate(outcomes))
      report.add(first + index, outcome);
    if (report.counted * 10 / options.count * 10 >= next) {
      next = report.counted * 10 / options.count * 10 + 10;
      progress << "fuzz: " << report.cases << " cases, " << report.counted << " counted, " << report.failures.size()
               << " failed\n";
    }
    // More of the same would tell nothing new.
    if (report.failures.size() >= 1000 || (report.cases >= 20 * casesPerRound && report.counted == 0))
      break;
  }
  return report;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static std::string print(ModuleOp module, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo();
  module.print(stream, flags);
  return text;
}

/// `program` is the file that the schedule is for.
static std::string printNote(const Case &input, const CaseOutcome &outcome, StringRef program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("seed", static_cast<int64_t>(input.seed));
    json.attribute("mesh", input.mesh.str());
    json.attribute("verdict", getName(outcome.verdict));
    json.attribute("reason", outcome.reason);
    json.attribute("command", "partita verify " + program.str() + " --mesh " + input.mesh.str() +
                                  " --schedule schedule.json --inputs seed:" + std::to_string(input.seed % 1000));
  });
  return text + "\n";
}

static Status save(const Case &original, const Case &small, const CaseOutcome &outcome, const std::string &folder) {
  std::vector<FileToWrite> files;
  files.push_back({folder + "/original.mlir", print(*original.module, true)});
  files.push_back({folder + "/program.mlir", print(*small.module, true)});
  if (Result<Schedule> schedule = buildSchedule(small.tactics))
    files.push_back({folder + "/schedule.json", printSchedule(*schedule)});
  bool isRewritten = false;
  if (outcome.verdict == Verdict::Wrong)
    if (Result<LoweredCase> lowered = lowerCase(small, /*allForms=*/false)) {
      files.push_back({folder + "/local.mlir", print(*lowered->local, false)});
      isRewritten = static_cast<bool>(lowered->rewritten);
      if (isRewritten)
        files.push_back({folder + "/rewritten.mlir", print(*lowered->rewritten, true)});
    }
  files.push_back({folder + "/case.json", printNote(small, outcome, isRewritten ? "rewritten.mlir" : "program.mlir")});
  return writeFilesTogether(files);
}

Status emitCases(const CampaignOptions &options, raw_ostream &progress) {
  std::unique_ptr<MLIRContext> context = makeFuzzContext();
  int64_t saved = 0;
  for (uint64_t seed = options.seed; saved < options.emitted; ++seed) {
    Result<Case> input = makeCase(seed, *context, /*portable=*/true);
    if (!input)
      return input.error();
    // Others run the forms on the program's own arguments.
    if ((input->padding && input->padding->isStored) || (input->reorder && input->reorder->isStored))
      continue;
    CaseOutcome outcome = runInChild([&] { return runCase(*input); });
    std::string folder = options.folder + "/seed-" + std::to_string(seed);
    if (outcome.verdict == Verdict::Wrong || outcome.verdict == Verdict::Crashed)
      progress << "fuzz: portable seed " << seed << " is " << getName(outcome.verdict) << ": " << outcome.reason
               << "\n";
    if (outcome.verdict != Verdict::Counted)
      continue;
    Result<LoweredCase> lowered = lowerCase(*input, /*allForms=*/true);
    if (!lowered)
      return lowered.error();
    std::vector<FileToWrite> files = {{folder + "/program.mlir", print(*input->module, false)},
                                      {folder + "/local.mlir", print(*lowered->local, false)},
                                      {folder + "/annotated.mlir", print(*lowered->annotated, false)},
                                      {folder + "/case.json", printNote(*input, outcome, "program.mlir")}};
    if (Status error = writeFilesTogether(files))
      return error;
    ++saved;
  }
  return std::nullopt;
}

Status saveFailures(const CampaignReport &report, const CampaignOptions &options, raw_ostream &progress) {
  std::unique_ptr<MLIRContext> context = makeFuzzContext();
  for (const FailedCase &failure : ArrayRef(report.failures).take_front(options.mostShrunk)) {
    Result<Case> input = makeCase(failure.seed, *context);
    if (!input)
      continue;
    input->relation = !options.noCheck;
    Case small = shrinkCase(*input, CaseOutcome{failure.verdict, failure.reason, {}, 0});
    CaseOutcome outcome = runInChild([&] { return runCase(small); });
    std::string folder = options.folder + "/seed-" + std::to_string(failure.seed);
    if (Status error = save(*input, small, outcome, folder))
      return error;
    progress << "fuzz: seed " << failure.seed << " is saved in " << folder << ": " << outcome.reason << "\n";
  }
  return std::nullopt;
}

} // namespace partita::fuzz
