//===- TimedTasks.h - tasks with their durations --------------------------===//
//
// The task graph (TaskGraph.h) and what is known of each task before anything
// runs: how long it takes and on which stream, how it runs beside compute, and
// how many ops and reshards the host issues for it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_TIMEDTASKS_H
#define PARTITA_SIMULATE_TIMEDTASKS_H

#include "partita/Machine/Machine.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Simulation.h"
#include "partita/Simulate/TaskGraph.h"

#include <algorithm>

namespace partita::simulate {

/// A product of a time and a count, at most maxTimePs.
inline int64_t multiplyBounded(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::min<__int128>(static_cast<__int128>(a) * b, maxTimePs));
}

class TimedTasks {
public:
  /// Keeps references to durations and options.
  TimedTasks(const Topology &topology, const Reshards &reshards, const Durations &durations,
             const SimulationOptions &options);

  const Block &getBlock(BlockId block) const { return graph.blocks[block]; }
  const SimulationOptions &getOptions() const { return options; }
  uint32_t getNumStreams() const { return durations.numStreams; }
  size_t getNumReshards() const { return durations.reshards.size(); }

  int64_t getDuration(const Task &task) const {
    if (task.kind == TaskKind::Op)
      return durations.ops[task.op];
    return task.kind == TaskKind::Reshard ? durations.reshards[task.reshard].timePs : 0;
  }
  /// How long the network is busy while an op runs.
  int64_t getBesidePs(const Task &task) const {
    return task.kind == TaskKind::Op && !durations.beside.empty() ? durations.beside[task.op] : 0;
  }
  bool isTimeless(const Task &task) const { return getDuration(task) == 0 && task.blocks.empty(); }
  /// The stream on which a task is shown.
  uint32_t getStream(const Task &task) const {
    if (task.kind == TaskKind::Reshard)
      return durations.reshards[task.reshard].stream;
    bool isPlaced = task.kind == TaskKind::Op && !durations.opStreams.empty();
    return isPlaced ? durations.opStreams[task.op] : computeStream;
  }
  /// Whether compute goes on beside it.
  bool isBeside(const Task &task) const {
    return task.kind == TaskKind::Reshard && durations.reshards[task.reshard].overlap != ReshardOverlap::None &&
           getStream(task) != computeStream;
  }
  /// Gathers of parameters.
  bool isPrefetched(const Task &task) const {
    return isBeside(task) && durations.reshards[task.reshard].overlap == ReshardOverlap::Prefetched;
  }
  bool isLate(const Task &task) const {
    return isBeside(task) && durations.reshards[task.reshard].overlap == ReshardOverlap::Late;
  }
  bool endsIteration(const Task &task) const {
    return isBeside(task) && durations.reshards[task.reshard].overlap == ReshardOverlap::LateAtEnd;
  }
  int64_t getBytes(const Task &task) const { return durations.reshards[task.reshard].bytes; }
  /// Whether compute stops for the network somewhere in it.
  bool isFence(const Task &task) const;
  GatherFencePart getGatherFence(const Task &task) const {
    bool isPart = task.kind == TaskKind::Op && !durations.gatherFences.empty();
    return isPart ? durations.gatherFences[task.op] : GatherFencePart();
  }

  int64_t getTrips(const Task &loop) const;
  /// The time in which the host issues what a task, or one run of a block, consists of.
  int64_t computeIssuePs(const Task &task) const;
  int64_t getIssuePs(BlockId block) const { return issuePs[block]; }

private:
  void findTalking();
  void computeAllIssuePs();

  const Graph &program;
  TaskGraph graph;
  const Durations &durations;
  const SimulationOptions &options;
  /// Whether a block has collectives.
  IdVector<BlockId, uint8_t> talks;
  IdVector<BlockId, int64_t> issuePs;
};

} // namespace partita::simulate

#endif
