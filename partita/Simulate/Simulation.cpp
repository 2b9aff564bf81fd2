//===- Simulation.cpp - a list scheduler for compute and network ----------===//

#include "partita/Simulate/Simulation.h"

#include "partita/Simulate/BlockRun.h"

#include <tuple>

namespace partita::simulate {

void BlockTimeline::add(const BlockTimeline &other, int64_t startPs, int64_t count) {
  auto multiply = [&](int64_t timePs) { return multiplyBounded(timePs, count); };
  networkPs = std::min(maxTimePs, networkPs + multiply(other.networkPs));
  for (size_t stream = 0; stream < busyPs.size(); ++stream)
    busyPs[stream] = std::min(maxTimePs, busyPs[stream] + multiply(other.busyPs[stream]));
  for (const Exposure &exposure : other.exposures)
    exposures.push_back({exposure.reshard, multiply(exposure.timePs)});
  for (TimelineEvent event : other.events) {
    event.startPs += startPs;
    event.endPs += startPs;
    events.push_back(event);
  }
}

namespace {

/// Runs blocks, and the loops and branches in them.
class Simulator {
public:
  explicit Simulator(const TimedTasks &tasks) : tasks(tasks) {}

  /// The host begins to issue the block's tasks at `issuePs`, which may be before the block starts.
  BlockTimeline runBlock(BlockId block, int64_t issuePs) const {
    auto runCompound = [&](const Task &task, int64_t beginPs) {
      return task.kind == TaskKind::Loop ? runLoop(task, beginPs) : runBranches(task, beginPs);
    };
    return BlockRun(tasks, tasks.getBlock(block), issuePs, runCompound).run();
  }

private:
  BlockTimeline runLoop(const Task &loop, int64_t issuePs) const;
  BlockTimeline runTrip(const Task &loop, int64_t issuePs) const;
  BlockTimeline runBranches(const Task &task, int64_t issuePs) const;

  const TimedTasks &tasks;
};

} // namespace

/// Condition and body, one after the other.
BlockTimeline Simulator::runTrip(const Task &loop, int64_t issuePs) const {
  BlockTimeline once(tasks.getNumStreams());
  for (BlockId block : loop.blocks) {
    BlockTimeline part = runBlock(block, issuePs - once.durationPs);
    once.add(part, once.durationPs, 1);
    once.durationPs += part.durationPs;
    issuePs = std::min(maxTimePs, issuePs + tasks.getIssuePs(block));
  }
  return once;
}

BlockTimeline Simulator::runLoop(const Task &loop, int64_t issuePs) const {
  const SimulationOptions &options = tasks.getOptions();
  int64_t trips = tasks.getTrips(loop), lastPs = -1, tripIssuePs = 0;
  int64_t issueEndPs = std::min(maxTimePs, issuePs + tasks.computeIssuePs(loop));
  for (BlockId block : loop.blocks)
    tripIssuePs = std::min(maxTimePs, tripIssuePs + tasks.getIssuePs(block));
  BlockTimeline all(tasks.getNumStreams());
  for (int64_t trip = 0; trip < trips; ++trip) {
    BlockTimeline once = runTrip(loop, issuePs - all.durationPs);
    issuePs = std::min(maxTimePs, issuePs + tripIssuePs);
    all.add(once, all.durationPs, 1);
    all.durationPs = std::min(maxTimePs, all.durationPs + once.durationPs);
    bool isSteady = options.issuePs == 0 || once.durationPs == std::exchange(lastPs, once.durationPs);
    int64_t rest = trips - trip - 1;
    if (rest == 0 || (!isSteady && trip + 1 < options.maxIterations))
      continue;
    // The skipped iterations may use up the host's lead.
    int64_t skipped = std::max(multiplyBounded(rest, once.durationPs), issueEndPs - all.durationPs);
    once.events.clear();
    all.add(once, 0, rest);
    RegionId region = tasks.getBlock(loop.blocks.back()).region;
    all.events.push_back({computeStream, all.durationPs, all.durationPs + skipped, OpId(), ReshardId(), region, rest});
    all.durationPs += skipped;
    break;
  }
  return all;
}

BlockTimeline Simulator::runBranches(const Task &task, int64_t issuePs) const {
  BlockTimeline longest(tasks.getNumStreams());
  for (BlockId block : task.blocks)
    if (BlockTimeline own = runBlock(block, issuePs); own.durationPs > longest.durationPs)
      longest = std::move(own);
  return longest;
}

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options) {
  TimedTasks tasks(topology, reshards, durations, options);
  BlockTimeline all = Simulator(tasks).runBlock(BlockId(0), 0);
  llvm::sort(all.events, [](const TimelineEvent &a, const TimelineEvent &b) {
    return std::tuple(a.startPs, a.stream, a.endPs, a.op, a.reshard) <
           std::tuple(b.startPs, b.stream, b.endPs, b.op, b.reshard);
  });
  Timeline timeline;
  timeline.totalPs = all.durationPs;
  timeline.events = std::move(all.events);
  timeline.busyPs = std::move(all.busyPs);
  timeline.exposedPs.resize(durations.reshards.size(), 0);
  for (const Exposure &exposure : all.exposures)
    timeline.exposedPs[exposure.reshard] += exposure.timePs;
  return timeline;
}

} // namespace partita::simulate
