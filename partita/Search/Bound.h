//===- Bound.h - no plan is faster ----------------------------------------===//
//
// Time is compute plus what is exposed of communication, summed over the program.
// The compute of an op depends on its own row alone (for each axis the factor
// that it splits), so with every op at its cheapest row and no communication
//
//   bound = sum over ops of n(op) * min over rows r of c(op, r)
//
//   n    how often it runs: trips of its region and its weight     CostModel
//   c    of an op that stands alone its time; of others what they  OpPricer,
//        write and read outside of their kernels, and the launch   FusionPlan
//
// Rows are those that divide; what else may forbid one is left out. What memory
// forces upon a plan is not part of it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_H
#define PARTITA_SEARCH_BOUND_H

#include "partita/Cost/CostModel.h"

namespace partita {

/// No assignment of the model's program takes less time.
int64_t computeLowerBoundPs(const CostModel &model);

} // namespace partita

#endif
