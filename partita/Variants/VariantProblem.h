//===- VariantProblem.h - what is planned, and what may be done to it -----===//

#ifndef PARTITA_VARIANTS_VARIANTPROBLEM_H
#define PARTITA_VARIANTS_VARIANTPROBLEM_H

#include "partita/Cost/CollectiveActions.h"
#include "partita/Search/ScheduleSearch.h"
#include "partita/Variants/VariantProgram.h"

namespace partita::variants {

struct VariantProblem {
  /// In normal form; null if there is only a flat program, which has no variants.
  mlir::ModuleOp module;
  /// As it was given.
  PlanSource source;
  FlattenOptions flatten;
  Mesh mesh;
  /// Not set if there is no machine: then nothing is searched.
  std::optional<SearchSetting> setting;
  VariantKinds allowed;
  /// Sees the search of the program as it is.
  SearchWatch watch;
  /// What may be done to the collectives of the plan that is found.
  CollectiveActions collectives = {};
};

/// The price of a schedule without automatic tactics. `plan` must outlive it.
Result<PricePtr> priceSchedule(const VariantProblem &problem, const VariantProgram &program, const Schedule &schedule,
                               PlanPtr &plan);

/// `problem`, rewritten as the tactics of `source` say, and bound to its mesh.
Result<VariantProgram> prepareBound(const VariantProblem &problem, PlanSource source);

} // namespace partita::variants

#endif
