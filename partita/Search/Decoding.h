//===- Decoding.h - the bound's relaxed plan as moves ---------------------===//
//
// The lower bound relaxes the choice of all shardings to pairwise choices and
// solves that (Bound/Bound.h). Its solution is no plan: it decides op by op. This
// decodes it to moves: again and again the move is taken whose propagation
// agrees most with what the relaxed plan decides, weighted by the time of the
// ops, until no move agrees with more than it contradicts.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_DECODING_H
#define PARTITA_SEARCH_DECODING_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// The list that comes closest to the relaxed plan.
Moves decodeRelaxedPlan(const PlanProblem &problem, const RelaxedPlan &plan);

} // namespace partita::search

#endif
