//===- CostFixture.h - a graph, a mesh and a simple machine, for tests ----===//

#ifndef PARTITA_TESTING_COSTFIXTURE_H
#define PARTITA_TESTING_COSTFIXTURE_H

#include "partita/Cost/CostReport.h"
#include "partita/Testing/PlanningFixture.h"
#include "partita/Testing/Rooms.h"

namespace partita::fixtures {

/// Devices behind one switch. All rates are 10^12 per second, so that a byte or a flop takes a picosecond; launches
/// take no time. Nothing overlaps in memory unless there is an issue window, and products run where they stand unless
/// there is a late window.
inline Machine makeSimpleMachine(int64_t numDevices, int64_t issueWindow = 0, int64_t lateWindow = 0) {
  static constexpr int64_t tera = 1'000'000'000'000;
  Machine machine;
  machine.name = "simple";
  machine.device.peaks = {{"f32", {tera, ""}}};
  machine.device.memoryBytes = {1'000'000, ""};
  machine.device.memoryBytesPerSecond = {tera, ""};
  machine.device.issueWindow = issueWindow;
  machine.device.lateWindow = lateWindow;
  Level level;
  level.name = "switch";
  level.size = numDevices;
  level.bytesPerSecond = {tera, ""};
  level.protocols = {{{0, ""}, {0, ""}, {wholePpm, ""}}};
  machine.levels.push_back(level);
  return machine;
}

/// Its parts refer to each other, so it must not be copied or moved.
class CostFixture : public PlanningFixture {
public:
  CostFixture(llvm::StringRef graphText, llvm::StringRef meshText, const CostOptions &options = {},
              int64_t issueWindow = 0, int64_t lateWindow = 0)
      : PlanningFixture(graphText, meshText),
        machine(makeSimpleMachine(axes.mesh.getNumDevices(), issueWindow, lateWindow)),
        placement(*placeRowMajor(axes.mesh, machine)), liveTimes(topology),
        model(topology, axes, machine, placement, options, liveTimes), planner(axes) {}

  Cost evaluate() { return evaluateCost(model, assignment, planner); }
  Reshards buildReshards() { return cost::buildReshards(assignment, planner); }
  CostReport buildReport() { return buildCostReport(model, assignment, buildReshards(), planner); }

  Machine machine;
  Placement placement;
  LiveTimes liveTimes;
  CostModel model;
  ReshardPlanner planner;
};

} // namespace partita::fixtures

#endif
