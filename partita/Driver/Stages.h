//===- Stages.h - the stages that commands are made of --------------------===//
//
//   importFile ─▶ makePlan ─▶ scorePlan (makePrice, simulatePlan, buildScore)
//
// Each takes the options that it needs, returns a value or an error, and
// records its time in the clock.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_STAGES_H
#define PARTITA_DRIVER_STAGES_H

#include "partita/Driver/Options.h"
#include "partita/Driver/Rooms.h"
#include "partita/Report/PlanPicture.h"
#include "partita/Report/ScoreBuilder.h"
#include "partita/Report/SearchText.h"
#include "partita/Schedule/PlanSource.h"
#include "partita/Variants/MeshVariants.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::driver {

/// Reads `path` and converts it to the normal form.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importFile(llvm::StringRef path, mlir::MLIRContext &context,
                                                     const CommonOptions &common, const ReadOptions &program,
                                                     StageClock &clock);

/// The flat program in a file (docs/graph.md).
Result<Graph> readGraphFile(llvm::StringRef path, const CommonOptions &common, StageClock &clock);

/// A plan with the program it refers to.
struct MadePlan {
  /// As it is given, or rewritten by memory actions.
  VariantProgram variant;
  PlanPtr plan;
  /// The results of the searches, if there were any.
  SearchReport search;
  /// For a replayed plan, or if a search chose the placement: the machine that it was made for, and its placement
  /// there. Of a replayed plan also its price.
  std::string planMachine, planPlacement;
  std::optional<RecordedPrice> planPrice;
  /// Whether the plan may lie where it is fastest: it was searched for, and nobody said where.
  bool mayBePlaced = false;
  /// Whether the search chooses the mesh, too, and whether it may call the axes by what they carry.
  bool isMeshOpen = false, areAxesFree = false;
};

/// Further inputs of makePlan.
struct PlanSetting {
  /// Whether to hash the program, which plan.json needs.
  bool isHashed = false;
  /// Whether the plan consists only of the shardings in the program.
  bool usesProgramShardings = false;
  AfterTactic afterTactic = nullptr;
  /// The content of `--plan` or `--schedule`, if it was read before.
  std::optional<PlanSource> source = std::nullopt;
};

/// What `makePlan` plans: the program, or what tactics make of it.
Result<VariantProgram> prepareModule(mlir::ModuleOp module, const PlanningOptions &options, StageClock &clock);

/// Applies `--schedule`, replays `--plan` or searches. `module` is in normal form.
Result<MadePlan> makePlan(mlir::ModuleOp module, const PlanningOptions &options, const PlanSetting &setting,
                          StageClock &clock);

/// The same for a flat program without its MLIR module.
Result<MadePlan> makePlan(Graph graph, const PlanningOptions &options, StageClock &clock);

/// The price on `--machine`, its axes placed by `--placement`; null without a machine.
Result<PricePtr> makePrice(const MadePlan &made, const MachineOptions &options, StageClock &clock);

/// A plan that was priced and simulated; `price` is null without a machine.
struct ScoredPlan {
  MadePlan made;
  PricePtr price;
  Timeline timeline;
  Score score;

  PictureSource getPictureSource() const {
    return {*made.plan,  score,    made.search, made.variant.analysis->get(), made.variant.rewrites,
            price.get(), &timeline};
  }
  PlanPicture draw() const { return buildPicture(getPictureSource()); }
};

/// How a plan is scored.
struct ScoreSetting {
  /// Compute the lower bound also for plans that no search found.
  bool withBound = false;
  ProgramScope scope = ProgramScope::AllDevices;
};

/// Prices, simulates and scores.
Result<ScoredPlan> scorePlan(MadePlan made, const MachineOptions &options, const ScoreSetting &setting,
                             StageClock &clock);

} // namespace partita::driver

#endif
