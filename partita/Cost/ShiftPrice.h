//===- ShiftPrice.h - the time of a shift from device to device -----------===//
//
// A shift of pipeline stages (Program/Rules/StageShift.h) is the only op that talks to
// other devices by itself: split over axes, each device sends a row to its
// neighbor along them. It takes the time of that permute on the links of these
// axes, and nothing hides it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_SHIFTPRICE_H
#define PARTITA_COST_SHIFTPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// Whether the op is a shift: a collective that may be split.
bool isShift(const Graph &graph, OpId op);

/// The time in which rows cross between devices; 0 if the op is no shift or its rows are not split.
int64_t computeShiftPs(const CostModel &model, const Assignment &assignment, OpId op);

} // namespace partita::cost

#endif
