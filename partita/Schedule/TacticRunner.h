//===- TacticRunner.h - runs the steps of tactics -------------------------===//
//
// Tactics.h says what to do to which cells, from a schedule or a plan file; the
// runner does it, step by step: it asks whether an axis can still split a dim,
// changes the assignment, propagates, and records the action, the tactic that
// each step belongs to, and what the tactic reached (TacticReport.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_TACTICRUNNER_H
#define PARTITA_SCHEDULE_TACTICRUNNER_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Tactics.h"

namespace partita::schedule {

/// A dim of a cell from which a step spreads.
struct TileRoot {
  CellId cell;
  uint32_t dim = 0;
};

/// Runs the steps of tactics on an assignment and records which step belongs to which tactic. Functions that return a
/// string return the reason why they did nothing; it is empty on success.
class TacticRunner {
public:
  TacticRunner(Assignment &assignment, const CellNames &names);

  /// Starts a tactic; steps belong to it until `end`.
  void begin(const std::string &name, const std::string &axis);
  /// Ends the tactic: clears its cuts and completes its report.
  void end(AfterTactic afterTactic);
  TacticReport &getReport() { return outcome.reports.back(); }

  /// Why the axis cannot split a dim of the cell now, and which tactic caused that; empty if it can.
  std::string explainTile(CellId cell, uint32_t dim, AxisId axis) const;
  /// For a dim that does not divide: which sizes would. Empty for others.
  std::string adviseSize(CellId cell, uint32_t dim, llvm::StringRef axis) const;
  /// Why the cell cannot be kept whole over the axis; empty if it can.
  std::string explainAtomic(CellId cell, AxisId axis) const;

  /// Splits the dim over all of `parts`, or over none of them. If the cell is an argument that is cut, pins it without
  /// propagation.
  std::string tile(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts);
  /// Spreads dims that are pinned to `axis` already, all in one step that decides every conflict.
  void tileTogether(llvm::ArrayRef<TileRoot> roots, AxisId axis);
  /// Splits the first dim that the parts can split, and returns it.
  std::optional<uint32_t> tileFirstDivisible(CellId cell, llvm::ArrayRef<AxisId> parts);
  void keepWhole(CellId cell, AxisId axis);
  /// Splits a factor of the op that defines the cell, and nothing else.
  std::string assign(CellId cell, uint32_t factor, llvm::ArrayRef<AxisId> parts);
  /// Groups the uses of the cell by the ops that define `users`.
  std::string group(CellId cell, llvm::ArrayRef<CellId> users, llvm::ArrayRef<AxisId> parts);

  /// Pins the dim to `axis` without propagation.
  void pinTile(CellId cell, uint32_t dim, AxisId axis);

  Assignment &getAssignment() { return assignment; }
  Propagation &getPropagation() { return propagation; }
  const CellNames &getNames() const { return names; }

  /// `state.params['w'] (tensor<8x4xf32>)`.
  std::string describe(CellId cell) const;
  ScheduleOutcome takeOutcome() { return std::move(outcome); }
  ScheduleOutcome &getOutcome() { return outcome; }

private:
  uint32_t nextStep();
  void runStep(llvm::ArrayRef<DimId> roots, AxisId axis, ConflictPolicy policy);
  /// `, since tactic 'BP'`.
  std::string blame(CellId cell, AxisId axis) const;
  bool isStepped(CellId cell, uint32_t dim);

  Assignment &assignment;
  const Topology &topology;
  const CellNames &names;
  Propagation propagation;
  TacticTrace trace;
  ScheduleOutcome outcome;
  /// Computed on first use.
  std::optional<IdVector<DimId, uint8_t>> steppedDims;
};

/// Applies the shardings that are given with the program (ProgramTactic.cpp).
Status applyGivenShardings(TacticRunner &runner, AfterTactic afterTactic);

} // namespace partita::schedule

#endif
