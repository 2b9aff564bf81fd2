//===- VariantProbes.h - which variants are worth a look ------------------===//
//
// Kinds of variants take turns (VariantRules.h). Each proposes the next one from
// what is known of those before:
//
//   microbatches   the number next to the best one, or the first that may fit
//   remat          the best choice of values to keep, for any number of
//                  microbatches and any plan that was priced
//   padding        the best variant so far, with longer dims (PaddingChoice.h):
//                  first all those that hardly become longer, then one more at a
//                  time
//   reorder        the best variant so far, with dims in another order
//                  (ReorderChoice.h)
//   pipeline       the program as it is, with layers in stages (PipelineChoice.h);
//                  then the best of these, with what the best variant without a
//                  pipeline recomputes and keeps
//
// Remat needs no search to compare choices: a plan's time and peak are
// known for one variant, and prices of classes (RematChoice.h) say how both change
// with what is kept. The best estimate is then probed, and corrects later ones.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_VARIANTPROBES_H
#define PARTITA_VARIANTS_VARIANTPROBES_H

#include "partita/Schedule/Schedule.h"
#include "partita/Search/PlanFront.h"
#include "partita/Variants/PaddingChoice.h"
#include "partita/Variants/PipelineChoice.h"
#include "partita/Variants/RematChoice.h"
#include "partita/Variants/Variant.h"

namespace partita::variants {

/// What is known of a variant's plans.
struct VariantOutcome {
  Cost cost;
  int64_t limitBytes = 0;
  int64_t budget = 0, numEvaluations = 0;
  bool isInterrupted = false;
  /// The best one, then those of the front (PlanFront.h); empty without a search.
  std::vector<CarriedPlan> plans;
  /// Of any plan, whether it fits or not.
  int64_t fastestPs = 0, smallestBytes = 0;

  bool fits() const { return cost.peakBytes <= limitBytes; }
};

/// Whether `a` is the better result: one that fits before others, then the faster; of those that do not fit, the one
/// that misses less.
bool isBetter(const VariantOutcome &a, const VariantOutcome &b);

struct ProbedVariant {
  Variant variant;
  VariantOutcome outcome;
};

/// All that proposals look at.
struct ProbeHistory {
  /// The program as it is first.
  std::vector<ProbedVariant> probed;
  /// Microbatches of the program as it is, if the schedule gives a number.
  int64_t givenMicrobatches = 1;
  /// Numbers of microbatches that may be tried, in ascending order; empty if none may.
  std::vector<int64_t> counts;
  /// What stays whatever the number of microbatches is.
  int64_t fixedBytes = 0;
  /// Empty if nothing may be recomputed.
  std::vector<RematClass> classes;
  /// Prices of the classes under plans of the program as it is.
  struct PricedPlan {
    std::vector<std::string> moves;
    RematPrices prices;
  };
  std::vector<PricedPlan> priced;
  /// Groups of dims that may be longer, those that may gain most first; empty if none may.
  std::vector<PaddingCandidate> padding;
  /// Dims that may have another order; empty if none may.
  std::vector<ReorderEntry> reorder;
  /// Whether state may be stored as these make it.
  bool mayStore = false;
  /// Pipelines that may be tried, and the time of a step's compute if all axes split all of it.
  std::vector<PipelineAxis> pipelines;
  int64_t splitComputePs = 0;
  /// Why something is not tried.
  std::vector<std::string> notes;

  const ProbedVariant &getBest() const;
  bool isProbed(const Variant &variant) const;
  int64_t getLimit() const { return probed.front().outcome.limitBytes; }
};

// Proposals: the next variant to probe; nothing if none can be better.
std::optional<Variant> proposeCount(const ProbeHistory &history);
std::optional<Variant> proposeRemat(const ProbeHistory &history);
std::optional<Variant> proposePadding(const ProbeHistory &history);
std::optional<Variant> proposeReorder(const ProbeHistory &history);
std::optional<Variant> proposePipeline(const ProbeHistory &history);

/// A variant, and the time that is expected of it.
struct VariantEstimate {
  Variant variant;
  double timePs = 0;
};

/// The best choice of what is kept with so many microbatches, of those that have not been probed; nothing if none is
/// expected to fit.
std::optional<VariantEstimate> estimateRemat(const ProbeHistory &history, int64_t microbatches);

} // namespace partita::variants

#endif
