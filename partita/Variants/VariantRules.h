//===- VariantRules.h - the kinds of variants, as a search sees them ------===//
//
// A table with one row for each kind: when a search may choose it, what it has to
// know of the program, when it is worth a probe, which variant comes next, what
// that rewrites, and what it is called. VariantSearch.h runs the rows:
//
//   isOpen ─▶ collect ─▶ mayGain ─▶ prepare ─▶ (propose ─▶ addTactics ─▶ search)*
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_VARIANTRULES_H
#define PARTITA_VARIANTS_VARIANTRULES_H

#include "partita/Variants/VariantProbes.h"
#include "partita/Variants/VariantProblem.h"

namespace partita::variants {

/// The program as it is, after its search.
class SearchedProgram {
public:
  SearchedProgram(const VariantProblem &problem, const VariantProgram &program, const SearchedSchedule &searched)
      : problem(problem), program(program), searched(searched) {}

  /// Of what was found; null if that has none. It takes as long as a hundred states, so it is made when it is first
  /// needed.
  const Price *getPrice() const;

  const VariantProblem &problem;
  const VariantProgram &program;
  const SearchedSchedule &searched;

private:
  mutable bool isPriced = false;
  mutable PlanPtr plan;
  mutable PricePtr price;
};

struct VariantRule {
  VariantKind kind;
  /// In notes: `microbatches`.
  llvm::StringLiteral noun;
  /// Whether the plans of other variants and seeds are all that a probe tries, once something fits.
  bool isGlance = false;
  /// Whether plans of other variants are of no use to it: what they split over an axis, it splits otherwise.
  bool isApart = false;
  /// Whether the schedule leaves it to the search.
  bool (*isOpen)(const Schedule &schedule) = nullptr;
  /// Adds what takes little time to find out; may be null.
  void (*collect)(const SearchedProgram &on, ProbeHistory &history) = nullptr;
  /// Whether it may make a program faster that fits as it is.
  bool (*mayGain)(const ProbeHistory &history) = nullptr;
  /// Adds what proposals need beyond that; may be null. An error says why the kind is refused.
  Status (*prepare)(const SearchedProgram &on, ProbeHistory &history) = nullptr;
  /// The next variant to probe; nothing if none can be better.
  std::optional<Variant> (*propose)(const ProbeHistory &history) = nullptr;
  /// Adds what makes the variant to the schedule; nothing if the variant does nothing of this kind.
  void (*addTactics)(const Variant &variant, const ProbeHistory &history, Schedule &schedule) = nullptr;
  /// `4 microbatches`; empty if the variant does nothing of this kind.
  std::string (*describe)(const Variant &variant) = nullptr;
};

/// In the order in which they propose.
llvm::ArrayRef<VariantRule> getVariantRules();

} // namespace partita::variants

#endif
