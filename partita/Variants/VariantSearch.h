//===- VariantSearch.h - decides about memory actions with the plan -------===//
//
// What fits depends on the sharding and on memory actions together. So variants
// of the program are searched like the program itself:
//
//   1. The program as it is, with the whole budget. If it fits, recomputes
//      nothing, and no plan that was evaluated, whether that fits or not, is
//      faster by more than 1%, this is the result: then memory actions could only
//      add time.
//   2. Probes of variants, an eighth of the budget each, from the plans of the
//      variants before (PlanFront.h) and from seeds. Kinds of variants propose
//      them (VariantRules.h): numbers of microbatches (Microbatches.h), values to
//      recompute or to keep (RematChoice.h), longer dims (PaddingChoice.h).
//   3. The best variant, with a quarter of the budget.
//
// A variant is taken if it fits and the program as it is does not, or if it is
// faster by more than 1%. A schedule without automatic tactics is left as it is,
// unless its temporal tactic asks for a choice.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_VARIANTSEARCH_H
#define PARTITA_VARIANTS_VARIANTSEARCH_H

#include "partita/Search/MeshSearch.h"
#include "partita/Support/StageClock.h"
#include "partita/Variants/VariantProblem.h"

namespace partita::variants {

/// The best plan that was found for one variant.
struct VariantTrial {
  Variant variant;
  int64_t timePs = 0, peakBytes = 0;
  /// States that were evaluated.
  int64_t numEvaluations = 0;
  bool isChosen = false;
};

struct VariantReport {
  /// The program as it is first; empty if no variant was tried.
  std::vector<VariantTrial> trials;
  /// Why no variant, or no more of them, could be tried.
  std::vector<std::string> notes;
};

struct SearchedVariant {
  VariantProgram program;
  SearchedSchedule searched;
  VariantReport report;
  /// Of the search of the program as it is.
  MeshFindings plain = {};
  Mesh mesh = {};
  /// Where the axes of its mesh lie on the machine, as a user writes it; empty: chosen for the mesh.
  std::string placement = {};
};

/// Whether a schedule leaves something to be chosen: automatic tactics, or the number of microbatches.
bool isSearched(const Schedule &schedule);

/// Replaces the automatic tactics of `plain`, the program as it is, or of the best variant. `plain` is bound to the
/// mesh.
Result<SearchedVariant> searchVariants(const VariantProblem &problem, VariantProgram plain, StageClock &clock);

} // namespace partita::variants

#endif
