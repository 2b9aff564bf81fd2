//===- Stages.h - the calls that commands are made of ---------------------===//
//
//   importFile ─▶ PlanningProgram ─▶ makePlan ─▶ makePrice ─▶ simulatePlan ─▶ reports
//
// Each takes the options that it needs, gives a value or an error, and notes its
// time.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_STAGES_H
#define PARTITA_DRIVER_STAGES_H

#include "partita/Driver/Options.h"
#include "partita/Driver/Rooms.h"
#include "partita/Report/ScoreBuilder.h"
#include "partita/Report/SearchText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::driver {

/// Writes a command's result to `--output`, or to standard output.
Status emit(const CommonOptions &options, std::string text);

/// Reads `path` and brings it to the normal form.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importFile(llvm::StringRef path, mlir::MLIRContext &context,
                                                     const CommonOptions &common, const ReadOptions &program,
                                                     StageClock &clock);

/// The flat program in a file (docs/graph.md).
Result<Graph> readGraphFile(llvm::StringRef path, const CommonOptions &common, StageClock &clock);

/// A plan, and what it was made from. Parts refer to each other.
struct MadePlan {
  std::unique_ptr<const Flattened> flattened;
  std::unique_ptr<const PlannedProgram> program;
  PlanPtr plan;
  /// What searches found, if there were any.
  SearchReport search;
  /// Of a plan that was replayed: the machine that it was made for, and its placement there.
  std::string planMachine, planPlacement;
};

/// What else a plan is made with.
struct PlanSetting {
  /// Whether plan.json is wanted, which needs the hash of the program.
  bool isHashed = false;
  /// The shardings that stand in the program are all the plan there is.
  bool isAnnotated = false;
  AfterTactic afterTactic = nullptr;
};

/// Applies `--schedule`, replays `--plan` or searches. `module` is in normal form.
Result<MadePlan> makePlan(mlir::ModuleOp module, const PlanningOptions &options, const PlanSetting &setting,
                          StageClock &clock);

/// The same for a flat program without the program it came from.
Result<MadePlan> makePlan(Graph graph, const PlanningOptions &options, StageClock &clock);

/// The price on `--machine`, its axes placed by `--placement`; null where no machine is named.
Result<PricePtr> makePrice(const MadePlan &made, const MachineOptions &options, StageClock &clock);

/// A plan that was priced and simulated; no price where there is no machine.
struct ScoredPlan {
  MadePlan made;
  PricePtr price;
  Timeline timeline;
  Score score;
};

/// How a plan is scored.
struct ScoreSetting {
  /// Plans that were not searched for are bounded, too.
  bool withBound = false;
  ProgramScope scope = ProgramScope::AllDevices;
};

/// Prices, simulates and scores.
Result<ScoredPlan> scorePlan(MadePlan made, const MachineOptions &options, const ScoreSetting &setting,
                             StageClock &clock);

} // namespace partita::driver

#endif
