//===- VariantProbes.cpp - which variants are worth a look ----------------===//

#include "partita/Variants/VariantProbes.h"

#include "partita/Variants/Microbatches.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace partita::variants {

bool isBetter(const VariantOutcome &a, const VariantOutcome &b) {
  if (a.fits() != b.fits())
    return a.fits();
  return a.fits() ? a.cost.timePs < b.cost.timePs : a.cost.peakBytes < b.cost.peakBytes;
}

const ProbedVariant &ProbeHistory::getBest() const {
  return *llvm::min_element(
      probed, [](const ProbedVariant &a, const ProbedVariant &b) { return isBetter(a.outcome, b.outcome); });
}

bool ProbeHistory::isProbed(const Variant &variant) const {
  return llvm::any_of(probed, [&](const ProbedVariant &known) { return known.variant == variant; });
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// Whether something else than microbatches and recomputation changes what its plans take.
static bool isOfOtherProgram(const Variant &variant) {
  return !variant.padded.empty() || variant.isReordered || variant.pipeline;
}

/// The prices under the plan, or under the one that shares most of its moves; null if there are none.
static const RematPrices *findPrices(const ProbeHistory &history, const CarriedPlan &plan) {
  const ProbeHistory::PricedPlan *nearest = nullptr;
  double most = -1;
  for (const ProbeHistory::PricedPlan &priced : history.priced) {
    auto isShared = [&](const std::string &move) { return llvm::is_contained(priced.moves, move); };
    auto numShared = double(llvm::count_if(plan.moves, isShared));
    double all = double(plan.moves.size() + priced.moves.size()) - numShared;
    if (double share = all > 0 ? numShared / all : 1; share > most) {
      most = share;
      nearest = &priced;
    }
  }
  return nearest ? &nearest->prices : nullptr;
}

static bool isKept(const Variant &variant, const RematClass &known) {
  return known.kind == RematKind::Keep ? llvm::is_contained(variant.kept, known.name)
                                       : !llvm::is_contained(variant.recomputed, known.name);
}

static Variant makeVariant(int64_t microbatches, llvm::ArrayRef<RematClass> classes, llvm::ArrayRef<size_t> kept) {
  Variant variant{microbatches};
  for (auto [number, known] : llvm::enumerate(classes)) {
    bool isChosen = llvm::is_contained(kept, number);
    if (known.kind == RematKind::Keep && isChosen)
      variant.kept.push_back(known.name);
    if (known.kind == RematKind::Recompute && !isChosen)
      variant.recomputed.push_back(known.name);
  }
  return variant;
}

/// What is expected of a plan that was priced for `base`, if as much is kept as memory allows.
static std::optional<VariantEstimate> estimate(const ProbeHistory &history, const ProbedVariant &base,
                                               const CarriedPlan &plan) {
  const RematPrices *prices = findPrices(history, plan);
  if (!prices)
    return std::nullopt;
  KnownPeak peak{base.variant.microbatches * history.givenMicrobatches, {}, double(plan.peakBytes)};
  for (auto [number, known] : llvm::enumerate(history.classes))
    if (isKept(base.variant, known))
      peak.kept.push_back(number);
  // What is not modelled moves the peak a little.
  constexpr double reserve = 0.01;
  std::optional<std::vector<size_t>> kept = chooseKept(*prices, peak, double(history.getLimit()) * (1 - reserve));
  if (!kept)
    return std::nullopt;
  VariantEstimate made{makeVariant(base.variant.microbatches, history.classes, *kept), double(plan.timePs)};
  for (size_t number : peak.kept)
    made.timePs += prices->classes[number].timePs;
  for (size_t number : *kept)
    made.timePs -= prices->classes[number].timePs;
  return made;
}

std::optional<VariantEstimate> estimateRemat(const ProbeHistory &history, int64_t microbatches) {
  std::optional<VariantEstimate> best;
  if (history.priced.empty())
    return best;
  for (const ProbedVariant &base : history.probed) {
    if (base.variant.microbatches != microbatches || isOfOtherProgram(base.variant))
      continue;
    for (const CarriedPlan &plan : base.outcome.plans)
      if (std::optional<VariantEstimate> made = estimate(history, base, plan);
          made && !history.isProbed(made->variant) && (!best || made->timePs < best->timePs))
        best = std::move(made);
  }
  return best;
}

/// Whether a time is worth a probe.
static bool isGain(const ProbeHistory &history, double timePs) {
  const VariantOutcome &best = history.getBest().outcome;
  return !best.fits() || isFasterBy(int64_t(timePs), best.cost.timePs, leastGain);
}

std::optional<Variant> proposeRemat(const ProbeHistory &history) {
  std::optional<VariantEstimate> best;
  llvm::SmallVector<int64_t> numbers{1};
  llvm::append_range(numbers, history.counts);
  for (int64_t count : numbers)
    if (std::optional<VariantEstimate> made = estimateRemat(history, count);
        made && (!best || made->timePs < best->timePs))
      best = std::move(made);
  if (!best || !isGain(history, best->timePs))
    return std::nullopt;
  return best->variant;
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

/// What was found, or is expected, with a number of microbatches.
static std::optional<CountTrial> findTrial(const ProbeHistory &history, int64_t count) {
  std::optional<CountTrial> trial;
  for (const ProbedVariant &known : history.probed) {
    if (known.variant.microbatches != count || isOfOtherProgram(known.variant))
      continue;
    const VariantOutcome &outcome = known.outcome;
    CountTrial made{count, outcome.fits(), outcome.cost.timePs, outcome.fastestPs, outcome.smallestBytes};
    if (!trial) {
      trial = made;
      continue;
    }
    if (made.fits && (!trial->fits || made.timePs < trial->timePs)) {
      trial->fits = true;
      trial->timePs = made.timePs;
    }
    trial->fastestPs = std::min(trial->fastestPs, made.fastestPs);
    trial->smallestBytes = std::min(trial->smallestBytes, made.smallestBytes);
  }
  if (!trial)
    return trial;
  if (std::optional<VariantEstimate> expected = estimateRemat(history, count))
    if (!trial->fits || expected->timePs < double(trial->timePs)) {
      trial->fits = true;
      trial->timePs = int64_t(expected->timePs);
    }
  return trial;
}

/// The time that the fastest plan would take with everything kept that saves time.
static int64_t findFastest(const ProbeHistory &history, const ProbedVariant &base) {
  double fastest = double(base.outcome.fastestPs);
  for (const CarriedPlan &plan : base.outcome.plans) {
    auto timePs = double(plan.timePs);
    if (const RematPrices *prices = findPrices(history, plan))
      for (auto [known, price] : llvm::zip_equal(history.classes, prices->classes))
        timePs -= isKept(base.variant, known) ? 0 : std::max(0.0, price.timePs);
    fastest = std::min(fastest, timePs);
  }
  return int64_t(std::max(0.0, fastest));
}

/// Whether everything is kept that saves time under a plan that was priced.
static bool keepsAll(const ProbeHistory &history, const Variant &variant) {
  return llvm::all_of(llvm::seq(history.classes.size()), [&](size_t number) {
    auto savesTime = [&](const ProbeHistory::PricedPlan &plan) { return plan.prices.classes[number].timePs > 0; };
    return isKept(variant, history.classes[number]) || llvm::none_of(history.priced, savesTime);
  });
}

/// The fastest time with a number of microbatches, whether it fits or not. What was measured with everything kept is
/// known better than what is expected of it.
static int64_t findFastest(const ProbeHistory &history, int64_t count) {
  std::optional<int64_t> measured, expected;
  for (const ProbedVariant &base : history.probed) {
    if (base.variant.microbatches != count || base.variant.isReordered || base.variant.pipeline)
      continue;
    std::optional<int64_t> &fastest = keepsAll(history, base.variant) ? measured : expected;
    fastest = std::min(fastest.value_or(INT64_MAX), findFastest(history, base));
  }
  return measured ? *measured : expected.value_or(INT64_MAX);
}

std::optional<Variant> proposeCount(const ProbeHistory &history) {
  if (history.counts.empty())
    return std::nullopt;
  std::vector<CountTrial> tried;
  llvm::SmallVector<int64_t> numbers{1};
  llvm::append_range(numbers, history.counts);
  for (int64_t count : numbers)
    if (std::optional<CountTrial> trial = findTrial(history, count))
      tried.push_back(*trial);
  for (CountTrial &trial : tried)
    trial.fastestPs = std::min(trial.fastestPs, findFastest(history, trial.count));
  int64_t count = chooseNextCount(history.counts, std::move(tried), history.fixedBytes, history.getLimit());
  return count == 0 ? std::nullopt : std::optional(Variant{count});
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

static bool isRemat(const Variant &variant) { return !variant.recomputed.empty() || !variant.kept.empty(); }

/// The best variant that a pad tactic can be added to.
static Variant findPaddable(const ProbeHistory &history, bool isInner) {
  const ProbedVariant *best = nullptr;
  for (const ProbedVariant &known : history.probed) {
    bool isRewritten = known.variant.microbatches > 1 || isRemat(known.variant);
    if (known.variant.pipeline || (isInner && isRewritten))
      continue;
    if (!best || isBetter(known.outcome, best->outcome))
      best = &known;
  }
  return best->variant;
}

/// The best variant with more groups padded, in the order of the list; another multiple takes the place of one that a
/// group has.
static Variant addPadded(const ProbeHistory &history, llvm::ArrayRef<const PaddingCandidate *> added) {
  bool isInner = llvm::any_of(added, [](const PaddingCandidate *each) { return each->isInner; });
  Variant variant = findPaddable(history, isInner);
  std::vector<std::string> before = std::move(variant.padded);
  variant.padded.clear();
  for (const PaddingCandidate &candidate : history.padding) {
    auto isOther = [&](const PaddingCandidate *each) {
      return each->group == candidate.group && each->name != candidate.name;
    };
    if (llvm::is_contained(added, &candidate) ||
        (llvm::is_contained(before, candidate.name) && llvm::none_of(added, isOther)))
      variant.padded.push_back(candidate.name);
  }
  return variant;
}

std::optional<Variant> proposePadding(const ProbeHistory &history) {
  constexpr int64_t mostProbes = 4;
  auto isPadded = [](const ProbedVariant &known) { return !known.variant.padded.empty(); };
  if (llvm::count_if(history.probed, isPadded) >= mostProbes)
    return std::nullopt;
  // Those that cost nothing together, then each by itself; those that were tried with others come last.
  llvm::SmallVector<llvm::SmallVector<const PaddingCandidate *>> steps(1), again;
  llvm::SmallDenseSet<DimGroup> cheapGroups;
  for (const PaddingCandidate &candidate : history.padding)
    if (candidate.isCheap() && cheapGroups.insert(candidate.group).second)
      steps.front().push_back(&candidate);
  for (const PaddingCandidate &candidate : history.padding) {
    bool isTried = llvm::any_of(history.probed, [&](const ProbedVariant &known) {
      return llvm::is_contained(known.variant.padded, candidate.name);
    });
    (isTried ? again : steps).push_back({&candidate});
  }
  if (llvm::any_of(history.probed, isPadded) || steps.front().size() < 2)
    steps.erase(steps.begin());
  llvm::append_range(steps, again);
  for (llvm::ArrayRef<const PaddingCandidate *> step : steps)
    if (Variant variant = addPadded(history, step); !history.isProbed(variant))
      return variant;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

std::optional<Variant> proposeReorder(const ProbeHistory &history) {
  Variant variant = history.getBest().variant;
  if (history.reorder.empty() || variant.isReordered || variant.pipeline)
    return std::nullopt;
  variant.isReordered = true;
  return history.isProbed(variant) ? std::nullopt : std::optional(std::move(variant));
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// The best pipeline, with what the best variant without one recomputes and keeps, or with everything recomputed if
/// nothing fits yet. Nothing if that cannot be better.
static std::optional<Variant> combinePipeline(const ProbeHistory &history) {
  // In percent: stages that keep or recompute other values may make so much of a difference.
  constexpr int64_t mostGain = 25;
  const ProbedVariant *pipeline = nullptr, *other = nullptr;
  for (const ProbedVariant &known : history.probed) {
    if (known.variant.pipeline && isRemat(known.variant))
      continue;
    const ProbedVariant *&best = known.variant.pipeline ? pipeline : other;
    if (!best || isBetter(known.outcome, best->outcome))
      best = &known;
  }
  if (!pipeline || !other)
    return std::nullopt;
  const VariantOutcome &best = history.getBest().outcome;
  Variant variant = pipeline->variant;
  variant.recomputed = other->variant.recomputed;
  variant.kept = other->variant.kept;
  if (!best.fits()) {
    variant = makeVariant(1, history.classes, {});
    variant.pipeline = pipeline->variant.pipeline;
  }
  bool mayGain = !best.fits() || pipeline->outcome.fastestPs / 100 * (100 - mostGain) < best.cost.timePs;
  return isRemat(variant) && mayGain && !history.isProbed(variant) ? std::optional(variant) : std::nullopt;
}

std::optional<Variant> proposePipeline(const ProbeHistory &history) {
  std::vector<PipelineTrial> tried;
  for (const ProbedVariant &known : history.probed)
    if (known.variant.pipeline && !isRemat(known.variant))
      tried.push_back(
          {*known.variant.pipeline, known.outcome.fits() ? std::optional(known.outcome.cost.timePs) : std::nullopt});
  const VariantOutcome &best = history.getBest().outcome;
  int64_t bestPs = best.fits() ? best.cost.timePs - best.cost.timePs / 100 * leastGain : INT64_MAX;
  std::optional<PipelineVariant> next = chooseNextPipeline(history.pipelines, tried, history.splitComputePs, bestPs);
  if (!next)
    return combinePipeline(history);
  Variant variant;
  variant.pipeline = std::move(next);
  return variant;
}

} // namespace partita::variants
