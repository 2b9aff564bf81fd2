//===- TimedTasks.cpp - tasks with their durations ------------------------===//

#include "partita/Simulate/TimedTasks.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::simulate {

TimedTasks::TimedTasks(const Topology &topology, const Reshards &reshards, const Durations &durations,
                       const SimulationOptions &options)
    : program(topology.getGraph()), graph(buildTaskGraph(topology, reshards, durations.moved)), durations(durations),
      options(options) {
  findTalking();
  computeAllIssuePs();
}

bool TimedTasks::isFence(const Task &task) const {
  if (!task.blocks.empty())
    return llvm::any_of(task.blocks, [&](BlockId block) { return talks[block] != 0; });
  return getDuration(task) > 0 && getStream(task) != computeStream && !isBeside(task);
}

/// Inner blocks come after outer ones, so visits them in reverse.
void TimedTasks::findTalking() {
  talks.resize(graph.blocks.size(), 0);
  for (uint32_t block = graph.blocks.size(); block-- > 0;)
    talks[BlockId(block)] = llvm::any_of(graph.blocks[BlockId(block)].tasks, [&](const Task &task) {
      return isFence(task) || (getDuration(task) > 0 && getStream(task) != computeStream);
    });
}

/// As above.
void TimedTasks::computeAllIssuePs() {
  issuePs.resize(graph.blocks.size(), 0);
  if (options.issuePs == 0)
    return;
  for (uint32_t block = graph.blocks.size(); block-- > 0;)
    for (const Task &task : graph.blocks[BlockId(block)].tasks)
      issuePs[BlockId(block)] = std::min(maxTimePs, issuePs[BlockId(block)] + computeIssuePs(task));
}

int64_t TimedTasks::getTrips(const Task &loop) const {
  int64_t trips = program.regions[graph.blocks[loop.blocks.back()].region].trips;
  return trips >= 0 ? trips : options.assumedTrips;
}

int64_t TimedTasks::computeIssuePs(const Task &task) const {
  int64_t sum = 0, most = 0;
  for (BlockId block : task.blocks) {
    sum = std::min(maxTimePs, sum + issuePs[block]);
    most = std::max(most, issuePs[block]);
  }
  if (task.kind == TaskKind::Loop)
    return multiplyBounded(sum, getTrips(task));
  if (task.kind == TaskKind::Branches)
    return most;
  bool isJoined = task.op.isValid() && !durations.joined.empty() && durations.joined[task.op] != 0;
  if (getDuration(task) == 0 || isJoined)
    return 0;
  int64_t peers = task.kind == TaskKind::Reshard ? durations.reshards[task.reshard].peers : 0;
  return std::min(maxTimePs, options.issuePs + multiplyBounded(options.issuePeerPs, peers));
}

} // namespace partita::simulate
