//===- RematTactics.cpp - applies the remat tactic of a schedule ----------===//

#include "partita/Remat/RematTactics.h"

#include "partita/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::remat {

static Status addPatterns(llvm::ArrayRef<std::string> texts, llvm::StringRef option, std::vector<Pattern> &patterns) {
  for (const std::string &text : texts) {
    Result<Pattern> pattern = Pattern::parse(text, SourceLocation{option.str(), 0, 0});
    if (!pattern)
      return pattern.error();
    patterns.push_back(std::move(*pattern));
  }
  return std::nullopt;
}

Result<PlanSource> addRematTactic(PlanSource source, llvm::ArrayRef<std::string> recompute,
                                  llvm::ArrayRef<std::string> keep) {
  if (recompute.empty() && keep.empty())
    return source;
  if (source.plan)
    return Error::usage("--recompute and --keep exclude --plan")
        .withRemedy("apply the tactics of the plan anew, with --schedule instead of --plan");
  std::optional<RematTactic> &tactic = source.schedule->remat;
  if (!tactic)
    tactic = RematTactic{"remat", {}, {}};
  if (Status wrong = addPatterns(recompute, "--recompute", tactic->recompute))
    return std::move(*wrong);
  if (Status wrong = addPatterns(keep, "--keep", tactic->keep))
    return std::move(*wrong);
  return source;
}

const RematTactic *findRematTactic(const PlanSource &source) {
  const std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule && schedule->remat ? &*schedule->remat : nullptr;
}

/// What to write instead of a pattern that matches nothing.
static std::string advise(const Pattern &pattern, llvm::ArrayRef<RematClass> classes) {
  constexpr size_t maxNames = 40;
  if (classes.empty())
    return "no value of the program is needed by both passes; recomputation is for training steps";
  std::vector<llvm::StringRef> names;
  for (const RematClass &known : classes.take_front(maxNames))
    names.push_back(known.name);
  std::string more = classes.size() > maxNames ? " and " + std::to_string(classes.size() - maxNames) + " more" : "";
  return adviseName(pattern.getText(), names, "values are called") + more;
}

static Status matchAll(llvm::ArrayRef<Pattern> patterns, const RematTactic &tactic, llvm::ArrayRef<RematClass> classes,
                       std::vector<std::string> &names) {
  for (const Pattern &pattern : patterns) {
    bool isFound = false;
    for (const RematClass &known : classes)
      if (pattern.matches(known.name)) {
        isFound = true;
        names.push_back(known.name);
      }
    if (!isFound)
      return Error::badInput(tactic.location,
                             "the pattern '" + pattern.getText() + "' matches no value that the backward pass needs")
          .withRemedy(advise(pattern, classes));
  }
  return std::nullopt;
}

Result<RematRequest> makeRequest(const RematTactic &tactic, llvm::ArrayRef<RematClass> classes) {
  RematRequest request;
  if (Status wrong = matchAll(tactic.recompute, tactic, classes, request.recompute))
    return std::move(*wrong);
  if (Status wrong = matchAll(tactic.keep, tactic, classes, request.keep))
    return std::move(*wrong);
  llvm::erase_if(request.recompute, [&](const std::string &name) { return llvm::is_contained(request.keep, name); });
  return request;
}

Result<RematReport> applyRematTactic(mlir::ModuleOp module, const RematTactic &tactic, const FlattenOptions &options) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  Result<RematRequest> request = makeRequest(tactic, findRematClasses(module, *flattened));
  if (!request)
    return request.error();
  return rematerialize(module, *flattened, *request);
}

} // namespace partita::remat
