//===- Presets.h - strategies with names, for any program -----------------===//
//
//   {"preset": "data_parallel", "axis": "data"}   the batch is split
//   {"preset": "zero2", "axis": "data"}           optimizer state is split, parameters are whole
//   {"preset": "zero3", "axis": "data"}           both are split
//   {"preset": "fsdp", "axis": "data"}            data_parallel, then zero3
//   {"preset": "megatron", "axis": "model"}       matrices are split along their outputs, those behind them along
//                                                 their inputs
//
// A preset is expanded into ordinary tactics before a schedule is applied, for
// the program at hand: ArgumentRoles.h says what is a batch, a parameter or
// optimizer state, and Matrices.h which dims are outputs. Each of them can be
// given as patterns instead.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PRESETS_H
#define PARTITA_SCHEDULE_PRESETS_H

#include "partita/Propagate/Topology.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/PlanSource.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

bool hasPresets(const Schedule &schedule);

/// The schedule with tactics in place of presets.
Result<Schedule> expandPresets(Schedule schedule, const Topology &topology, const CellNames &names);

/// The same for the schedule in `source`, if it has one.
Result<PlanSource> expandPresets(PlanSource source, const Graph &graph);

} // namespace partita::schedule

#endif
