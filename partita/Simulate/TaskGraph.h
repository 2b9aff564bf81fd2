//===- TaskGraph.h - which op or reshard waits for which ------------------===//
//
// The program as tasks in blocks. A block is a region. A loop, its condition
// and body in sequence, is one task of the block around it, and so are the
// branches of one choice. A task waits only for tasks of its own block: if an
// op inside a loop needs a value from outside, the loop's task waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_TASKGRAPH_H
#define PARTITA_SIMULATE_TASKGRAPH_H

#include "partita/Cost/Reshards.h"
#include "partita/Simulate/Rooms.h"

namespace partita::simulate {

using BlockId = Id<struct BlockTag>;

enum class TaskKind : uint8_t { Op, Reshard, Loop, Branches };

struct Task {
  TaskKind kind = TaskKind::Op;
  OpId op;
  ReshardId reshard;
  /// Loop: condition and body; Branches: one of them runs.
  llvm::SmallVector<BlockId, 2> blocks;
  /// Later tasks of the same block that wait for it.
  llvm::SmallVector<uint32_t, 4> successors;
  uint32_t numPredecessors = 0;
};

/// Tasks of one region, in program order.
struct Block {
  RegionId region;
  std::vector<Task> tasks;
};

struct TaskGraph {
  /// The first one is the program.
  IdVector<BlockId, Block> blocks;
};

/// A reshard that stands elsewhere than in the list of reshards: in front of an op, which waits for it, though nothing
/// comes before it in its region; or behind an op, for which it waits.
struct MovedReshard {
  ReshardId reshard;
  OpId op;
  bool isBefore = false;
};

TaskGraph buildTaskGraph(const Topology &topology, const Reshards &reshards, llvm::ArrayRef<MovedReshard> moved);

} // namespace partita::simulate

#endif
