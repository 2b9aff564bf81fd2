//===- Partition.h - from an assignment to what a user gets ---------------===//
//
// The last calls of `partita plan`: which reshards the assignment has, the
// device-local program, the annotated original, and the files of `--output`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_PARTITION_H
#define PARTITA_DRIVER_PARTITION_H

#include "partita/Driver/Pricing.h"
#include "partita/Lower/Spmd.h"
#include "partita/Report/Score.h"
#include "partita/Support/AtomicFile.h"

namespace partita {

/// A planned program, lowered. The planning must stay.
struct Partition {
  explicit Partition(const Axes &axes) : planner(axes) {}
  Partition(const Partition &) = delete;

  ReshardPlanner planner;
  Transfers transfers;
  LocalProgram local;
  /// Whether the local program has passed the static check.
  bool isChecked = false;
};

/// Adds the collectives that the assignment has so far to a tactic's report.
void addCollectives(const Assignment &assignment, TacticReport &report);

/// Reshards and local program of `module`, of which `planning` is the plan.
Result<std::unique_ptr<Partition>> makePartition(mlir::ModuleOp module, const Planning &planning, StageClock &clock);

/// The static check of the local program (Evaluate/Relation), unless `--no-check`: a program that fails it is a defect
/// of ours, an internal error at the place of the op.
Status checkPartition(mlir::ModuleOp module, Partition &partition, const Options &options, StageClock &clock);

/// report.json.
std::string printPlanReport(const Planning &planning, const Partition &partition, const Score &score,
                            const Options &options);

/// plan.json, annotated.mlir, local.mlir and report.json in the folder `--output`, and trace.json if there is a
/// pricing. Annotates `module` in place.
std::vector<FileToWrite> buildPlanFiles(mlir::ModuleOp module, Planning &planning, const Partition &partition,
                                        const Score &score, const Pricing *pricing, const Options &options,
                                        StageClock &clock);

} // namespace partita

#endif
