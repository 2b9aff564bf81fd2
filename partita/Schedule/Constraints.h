//===- Constraints.h - what shardings at the border leave open ------------===//
//
// The shardings of arguments and results say much of a plan, but not all: a plan
// may split inner values otherwise than propagation from the border would. The
// constraints are shardings of inner values that, together with those at the
// border, give back the plan's inner values.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_CONSTRAINTS_H
#define PARTITA_SCHEDULE_CONSTRAINTS_H

#include "partita/Propagate/Assignment.h"
#include "partita/Schedule/PartitionRules.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

/// Rules for the inner values that need one, in program order; each pattern matches one value. Found round by round:
/// a value is constrained where it differs although its operands agree.
std::vector<PartitionRule> findConstraints(const Assignment &plan, const CellNames &names);

} // namespace partita::schedule

#endif
