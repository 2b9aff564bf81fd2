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

/// Solves the relaxed problem within three quarters of the work, and rounds it several times on the way, since one
/// rounding may be far from another that is just as good. Sets `bound` to what has been solved, to go on with; null if
/// that was a smaller problem: where there are too many shardings, sub-axes of a mesh axis are decided together.
std::vector<Moves> decodeRelaxedPlans(const PlanProblem &problem, BoundOptions options,
                                      std::unique_ptr<BoundAscent> &bound);

} // namespace partita::search

#endif
