//===- TacticReport.h - what a tactic did, for its user -------------------===//
//
// After each tactic the user sees what it split, which conflicts it found, where
// it stopped and which arguments are still whole. Values of repeated layers are
// one entry with a count.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_TACTICREPORT_H
#define PARTITA_SCHEDULE_TACTICREPORT_H

#include "partita/Propagate/Propagation.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

/// The result of one entry of a tactic.
struct EntryReport {
  ActionKind kind = ActionKind::Tile;
  std::string pattern;
  /// The number of cells that the pattern matches; on how many of them the action holds; and how many have no dim for
  /// `first_divisible`. The others are in TacticReport::refused.
  uint32_t matched = 0, applied = 0, skipped = 0;
};

/// Cells that differ only in numbers in their names.
struct CellGroup {
  std::string name;
  std::string type;
  std::string sharding;
  uint32_t count = 0;
  /// Of all of them together: of the whole tensors, and of the pieces on one device.
  int64_t bytes = 0, localBytes = 0;
};

/// Conflicts that differ only in numbers.
struct ConflictReport {
  struct Side {
    /// A pattern for one cell of the side in each of the conflicts, and the dim of these cells: an entry for `side` or
    /// `tile` that chooses the side.
    std::string pattern;
    uint32_t dim = 0;
  };
  std::string axis;
  uint32_t count = 0, numOps = 0;
  /// Some of the ops: source location and name.
  std::vector<std::string> ops;
  std::vector<Side> sides;
};

/// Ops at which the axis stopped propagating.
struct StopReport {
  std::string op, location, reason;
  uint32_t count = 0;
};

/// Collectives that the program has after this tactic; AfterTactic fills it in.
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

/// What a tactic recorded while it ran.
struct TacticTrace {
  /// Steps [firstStep, endStep).
  uint32_t firstStep = 0, endStep = 0;
  struct Split {
    NodeId node;
    AxisId axis;
  };
  std::vector<Split> splits;
  std::vector<Conflict> conflicts;
  /// Cells that the tactic tiled directly.
  std::vector<CellId> tiled;
};

/// Fills in the report from the trace and from the assignment after the tactic.
void describeTactic(const TacticTrace &trace, const Assignment &assignment, const CellNames &names,
                    TacticReport &report);

/// `tensor<8x4xf32>`.
std::string printType(const Graph &graph, CellId cell);

} // namespace partita::schedule

#endif
