//===- SearchText.cpp - a search's result and progress as text and JSON ---===//

#include "partita/Report/SearchText.h"

#include "partita/Machine/MemoryPool.h"
#include "partita/Report/Units.h"
#include "partita/Report/Warnings.h"
#include "partita/Support/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::report {

//===----------------------------------------------------------------------===//
// While it runs
//===----------------------------------------------------------------------===//

/// A state as a line of JSON.
static std::string printState(const EvaluatedState &state, llvm::ArrayRef<Goal> goals) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("evaluation", state.number);
    json.attribute("budget", state.budget);
    json.attribute("best", state.isBest);
    json.attributeObject("goals", [&] {
      for (size_t i = 0; i < goals.size(); ++i)
        json.attribute(getName(goals[i]), state.rating.parts[i]);
    });
    json.attributeArray("moves", [&] {
      for (const std::string &words : state.words)
        json.value(words);
    });
  });
  json.flush();
  return text + "\n";
}

/// The live line: `best 312.34 ms, 20.6 GB, fits; 1024 states`.
static std::string printLive(int64_t number, const Rating &best, llvm::ArrayRef<Goal> goals) {
  std::string text = "\rbest ";
  for (auto [i, goal] : llvm::enumerate(listParts(goals))) {
    double amount = double(best.parts[i]);
    switch (goal) {
    case Goal::Fit:
      text += amount == 0 ? "fits" : "short by " + printBytes(best.parts[i]);
      break;
    case Goal::Time:
      text += llvm::formatv("{0:f2} ms", amount / 1e9);
      break;
    case Goal::Memory:
      text += llvm::formatv("{0:f2} GB", amount / 1e9);
      break;
    case Goal::Communication:
      text += llvm::formatv("{0:f2} ms of communication", amount / 1e9);
      break;
    }
    text += ", ";
  }
  return text + llvm::formatv("{0} states    ", number).str();
}

SearchProgress::SearchProgress(std::string dumpPath, bool printsJson)
    : dumpPath(std::move(dumpPath)), printsJson(printsJson), isLive(!printsJson && llvm::errs().is_displayed()) {}

SearchWatch SearchProgress::getWatch() {
  if (dumpPath.empty() && !printsJson && !isLive)
    return {};
  return {[this](const EvaluatedState &state, llvm::ArrayRef<Goal> goals) { addState(state, goals); },
          !dumpPath.empty() || printsJson, [this](const FoundTactics *found) { return end(found); }};
}

void SearchProgress::addState(const EvaluatedState &state, llvm::ArrayRef<Goal> goals) {
  bool isShown = state.isBest || state.number % 100 == 0;
  if (!dumpPath.empty())
    dump += printState(state, goals);
  if (state.isBest)
    best = state.rating;
  if (printsJson && isShown)
    llvm::errs() << printState(state, goals);
  if (isLive && isShown)
    llvm::errs() << printLive(state.number, best, goals);
}

Status SearchProgress::end(const FoundTactics *found) {
  best = Rating::worst();
  if (isLive) {
    if (found && found->lowerBoundPs > 0)
      llvm::errs() << llvm::formatv("bound {0:f2} ms", double(found->lowerBoundPs) / 1e9);
    llvm::errs() << "\n";
  }
  if (dump.empty())
    return std::nullopt;
  return writeFilesTogether({{dumpPath, std::exchange(dump, "")}});
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

static std::string describe(int64_t timePs, int64_t peakBytes, int64_t limitBytes) {
  return llvm::formatv("{0,10:f3} ms {1,9:f2} GB{2}", double(timePs) / 1e9, double(peakBytes) / 1e9,
                       peakBytes <= limitBytes ? "" : "  does not fit");
}

static std::string describe(const Strategy &plan, int64_t limitBytes) {
  return describe(plan.timePs, plan.peakBytes, limitBytes) + "  " + plan.name + "\n";
}

static std::string printMeshes(llvm::ArrayRef<MeshTrial> trials) {
  std::string text;
  for (const MeshTrial &trial : trials)
    text += (&trial == trials.data() ? "meshes on the machine, each searched for a short time:\n" : "") +
            describe(trial.cost.timePs, trial.cost.peakBytes, trial.limitBytes) + "  " + trial.mesh.str() + " (" +
            trial.placement + ")\n";
  return text;
}

/// Prints the strategies that the plan is compared with.
static void printRivals(const FoundTactics &found, llvm::raw_ostream &out) {
  constexpr size_t maxSeeds = 8;
  if (!found.seeds.empty())
    out << "experts' strategies:\n";
  for (const Strategy &seed : llvm::ArrayRef(found.seeds).take_front(maxSeeds))
    out << describe(seed, found.limitBytes);
  out << describe(found.start, found.limitBytes);
  if (!found.others.empty())
    out << "runners-up:\n";
  for (const Strategy &other : found.others)
    out << describe(other, found.limitBytes);
}

static std::string printFound(const FoundTactics &found) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "search estimate" << describe(found.cost.timePs, found.cost.peakBytes, found.limitBytes)
      << llvm::formatv(" of {0:f2} GB\n", found.limitBytes / 1e9);
  if (!found.summary.empty())
    out << found.summary << "\n";
  for (const std::string &words : found.words)
    out << "  " << words << "\n";
  if (found.words.empty())
    out << "  nothing: no split makes it better\n";
  printRivals(found, out);
  if (!found.others.empty() && found.isRobust)
    out << "with links at 0.7 of their rate the plan still beats the runners-up\n";
  if (!found.isRobust)
    out << llvm::formatv("with links at 0.7 of their rate runner-up {0} is better, by {1:f2}% of its time\n",
                         found.rival + 1, 100 * found.rivalGain);
  out << "searched " << found.numEvaluations << " states of " << found.numMoves << " moves on " << found.numSearchedOps
      << " of " << found.numOps << " ops; stopped: " << getName(found.stopReason)
      << (found.winnerStage.empty() ? "" : "; found by: " + found.winnerStage) << "\n";
  if (found.lowerBoundPs > 0 && found.cost.timePs > 0)
    out << llvm::formatv("no plan of the searched program is faster than {0:f3} ms: at most {1:f1}% away\n",
                         double(found.lowerBoundPs) / 1e9,
                         100.0 * double(found.cost.timePs - found.lowerBoundPs) / double(found.cost.timePs));
  return text;
}

static RivalPlan makeRivalPlan(std::string name, const Price &price, bool isBaseline) {
  return {Strategy{std::move(name), price.computeTimePs(), price.getCost().peakBytes, std::nullopt}, isBaseline};
}

bool compareWithBaseline(SearchReport &search, const Price &price, SearchReport &baseline, const Price &baselinePrice) {
  search.rival = makeRivalPlan("yours", baselinePrice, /*isBaseline=*/true);
  baseline.rival = makeRivalPlan("found by the search", price, /*isBaseline=*/false);
  auto rank = [](const Price &each) { return std::pair(!each.report.fits(), each.computeTimePs()); };
  bool isKept = !search.found.empty() && rank(baselinePrice) < rank(price);
  if (isKept)
    reportBaselineKept();
  return isKept;
}

SearchReport withPlanCost(SearchReport report, const Price &price, int64_t timelinePs) {
  if (report.found.empty())
    return report;
  report.found.back().cost = price.getCost();
  report.found.back().cost.timePs = price.computeTimePs();
  report.found.back().simulatedPs = timelinePs;
  return report;
}

std::string printSearch(const SearchReport &report) {
  std::string text = printMeshes(report.meshes);
  for (const FoundTactics &found : report.found)
    text += printFound(found);
  return text;
}

static void writeTrial(const VariantTrial &trial, llvm::json::OStream &json) {
  json.attribute("microbatches", trial.variant.microbatches);
  if (!trial.variant.recomputed.empty())
    json.attribute("recomputed", llvm::json::Array(trial.variant.recomputed));
  if (!trial.variant.kept.empty())
    json.attribute("kept", llvm::json::Array(trial.variant.kept));
  if (trial.variant.pipeline)
    json.attributeObject("pipeline", [&] {
      json.attribute("axis", trial.variant.pipeline->axis);
      json.attribute("microbatches", trial.variant.pipeline->microbatches);
      json.attribute("repeats", trial.variant.pipeline->repeats);
    });
  json.attribute("time_ps", trial.timePs);
  json.attribute("peak_bytes", trial.peakBytes);
  json.attribute("evaluations", trial.numEvaluations);
  json.attribute("chosen", trial.isChosen);
}

void writeSearch(const SearchReport &report, llvm::json::OStream &json) {
  int64_t numEvaluations = 0;
  bool isComplete = true;
  for (const FoundTactics &each : report.found) {
    numEvaluations += each.numEvaluations;
    isComplete &= each.isComplete;
  }
  const FoundTactics &last = report.found.back();
  json.attribute("evaluations", numEvaluations);
  json.attribute("seed", report.seed);
  json.attribute("budget", last.budget);
  json.attribute("stop_reason", getName(last.stopReason));
  json.attribute("complete", isComplete);
  json.attribute("winner_stage",
                 last.winnerStage.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(last.winnerStage));
  if (last.lowerBoundPs > 0 && last.cost.timePs > 0)
    json.attribute("gap", double(last.cost.timePs - last.lowerBoundPs) / double(last.cost.timePs));
  else
    json.attribute("gap", nullptr);
  json.attribute("moves", int64_t(last.numMoves));
  json.attribute("ops", int64_t(last.numSearchedOps));
  // After an interrupt, skip the comparisons.
  if (last.stopReason == StopReason::Interrupted)
    json.attribute("robust", nullptr);
  else
    json.attribute("robust", last.isRobust);
  json.attribute("strategy", last.summary);
  json.attributeArray("meshes", [&] {
    for (const MeshTrial &trial : report.meshes)
      json.object([&] {
        json.attribute("mesh", trial.mesh.str());
        json.attribute("placement", trial.placement);
        json.attribute("time_ps", trial.cost.timePs);
        json.attribute("peak_bytes", trial.cost.peakBytes);
      });
  });
  if (!report.variants.trials.empty())
    json.attributeArray("variants", [&] {
      for (const VariantTrial &trial : report.variants.trials)
        json.object([&] { writeTrial(trial, json); });
    });
  json.attributeArray("experts", [&] {
    for (const Strategy &seed : last.seeds)
      json.object([&] {
        json.attribute("name", seed.name);
        json.attribute("time_ps", seed.timePs);
        json.attribute("simulated_ps",
                       seed.simulatedPs ? llvm::json::Value(*seed.simulatedPs) : llvm::json::Value(nullptr));
        json.attribute("peak_bytes", seed.peakBytes);
      });
  });
}

Status checkFound(llvm::ArrayRef<FoundTactics> found, const Score &score, bool isStrict) {
  if (found.empty())
    return std::nullopt;
  const FoundTactics &last = found.back();
  if (last.cost.peakBytes > last.limitBytes) {
    std::string text = "no plan was found that fits: it is short by " +
                       printBytes(last.cost.peakBytes - last.limitBytes) + " of memory on each device";
    if (!last.atPeak.empty())
      text += "; the largest values at the peak are " + llvm::join(last.atPeak, ", ");
    std::optional<int64_t> percent = score.getPoolPercent();
    return Error::doesNotFit(text).withRemedy("what was found is given all the same; " +
                                              (percent ? "it fits with " + printPool(*percent) + "; " : "") +
                                              "take more devices, or raise --memory-limit");
  }
  if (isStrict && llvm::any_of(found, [](const FoundTactics &each) { return !each.isComplete; }))
    return Error::cutShort("the search was cut short")
        .withRemedy("what was found is given all the same; give it more time, or leave --strict out");
  return std::nullopt;
}

} // namespace partita::report
