//===- TacticReport.h - what a tactic did, for people ---------------------===//
//
// After each tactic its user sees what it split, what it met and what it left
// whole. Values of repeated layers are one entry with a count.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_TACTICREPORT_H
#define PARTITA_SCHEDULE_TACTICREPORT_H

#include "partita/Propagate/Propagation.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

/// What became of one entry of a tactic.
struct EntryReport {
  ActionKind kind = ActionKind::Tile;
  std::string pattern;
  /// Cells that the pattern matches, and of those: how many the action holds on, and how many had no dim for
  /// `first_divisible`. The rest is in TacticReport::refused.
  uint32_t matched = 0, applied = 0, skipped = 0;
};

/// Cells alike in all but a number in their names.
struct CellGroup {
  std::string name;
  std::string type;
  std::string sharding;
  uint32_t count = 0;
  /// Of all of them together: whole, and on each device.
  int64_t bytes = 0, localBytes = 0;
};

/// Conflicts alike in all but numbers.
struct ConflictReport {
  struct Side {
    /// Cells of the side, one for each of the conflicts, as a pattern, and their dim: what to write under `side` or
    /// `tile` to choose it.
    std::string pattern;
    uint32_t dim = 0;
  };
  std::string axis;
  uint32_t count = 0, numOps = 0;
  /// Source positions and kinds of some of the ops.
  std::vector<std::string> places;
  std::vector<Side> sides;
};

/// Ops at which the axis came to an end.
struct StopReport {
  std::string op, location, reason;
  uint32_t count = 0;
};

/// Collectives that the program has after this tactic; what prices plans fills it in.
struct CollectiveReport {
  std::string kind, axes;
  int64_t count = 0, bytes = 0;
};

struct TacticReport {
  std::string name, axis;
  std::vector<EntryReport> entries;
  /// Actions of an optional tactic that could not apply, with the reason.
  std::vector<std::string> refused;
  /// Arguments, results and tiled inner values that the tactic split.
  std::vector<CellGroup> tiled;
  uint32_t numSplitOps = 0, numOps = 0;
  std::vector<ConflictReport> conflicts;
  std::vector<StopReport> stops;
  /// Arguments that no axis splits so far.
  std::vector<CellGroup> wholeArguments;
  std::vector<CollectiveReport> collectives;
};

/// What a tactic left behind while it ran.
struct TacticTrace {
  /// Steps [firstStep, endStep).
  uint32_t firstStep = 0, endStep = 0;
  struct Split {
    NodeId node;
    AxisId axis;
  };
  std::vector<Split> splits;
  std::vector<Conflict> conflicts;
  /// Cells that were tiled by themselves.
  std::vector<CellId> tiled;
};

/// Fills in what follows from the trace and from the assignment as the tactic left it.
void describeTactic(const TacticTrace &trace, const Assignment &assignment, const CellNames &names,
                    TacticReport &report);

/// `tensor<8x4xf32>`.
std::string printType(const Graph &graph, CellId cell);

} // namespace partita::schedule

#endif
