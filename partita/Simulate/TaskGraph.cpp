//===- TaskGraph.cpp - which op or reshard waits for which ----------------===//

#include "partita/Simulate/TaskGraph.h"

#include <map>

namespace partita::simulate {

namespace {

/// A task, by its block and its position there.
struct TaskRef {
  BlockId block;
  uint32_t task = 0;
  bool isValid() const { return block.isValid(); }
};

class Builder {
public:
  Builder(const Topology &topology, const Reshards &reshards, llvm::ArrayRef<MovedReshard> moved)
      : topology(topology), graph(topology.getGraph()), reshards(reshards), opTasks(graph.ops.size()),
        reshardTasks(reshards.size()), regionBlocks(graph.regions.size()), choices(graph.regions.size()) {
    for (const MovedReshard &each : moved) {
      this->moved.emplace(each.reshard, each);
      movedTo[each.op].push_back(each);
    }
  }

  TaskGraph run() {
    findChoices();
    regionBlocks[RegionId(0)] = addBlock(RegionId(0), {});
    addBoundaryReshards(CellKind::Argument, {});
    for (OpId op : idRange<OpId>(graph.ops.size()))
      addOp(op);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      linkOp(op);
    for (ReshardId id : idRange<ReshardId>(reshards.size()))
      linkReshard(id);
    return std::move(result);
  }

private:
  BlockId addBlock(RegionId region, TaskRef parent) {
    Block block;
    block.region = region;
    parents.push_back(parent);
    return result.blocks.push_back(std::move(block));
  }
  TaskRef addTask(BlockId block, Task task) {
    result.blocks[block].tasks.push_back(std::move(task));
    return {block, static_cast<uint32_t>(result.blocks[block].tasks.size() - 1)};
  }
  TaskRef addReshard(BlockId block, ReshardId id) {
    Task task;
    task.kind = TaskKind::Reshard;
    task.reshard = id;
    return reshardTasks[id] = addTask(block, std::move(task));
  }

  void findChoices();
  RegionId getChoice(RegionId region) const { return choices[region].isValid() ? choices[region] : region; }
  BlockId getBlock(RegionId region);
  bool joins(const Task &task, RegionId region) const;
  void addBoundaryReshards(CellKind kind, RegionId inside);
  void leave(RegionId region);
  void addMoved(BlockId block, OpId op, bool isBefore);
  void addReshards(BlockId block, IdRange<ReshardId> range);
  void addOp(OpId op);

  TaskRef lift(TaskRef task, BlockId block) const;
  void link(TaskRef before, TaskRef after);
  RegionId getGivingRegion(CellId cell) const;
  TaskRef getCompound(CellId cell) const;
  TaskRef getProducer(CellId cell, RegionId userRegion) const;
  bool isInside(RegionId region, BlockId block) const;
  void linkOp(OpId op);
  void linkReshard(ReshardId id);

  const Topology &topology;
  const Graph &graph;
  const Reshards &reshards;
  TaskGraph result;
  IdVector<OpId, TaskRef> opTasks;
  IdVector<ReshardId, TaskRef> reshardTasks;
  IdVector<RegionId, BlockId> regionBlocks;
  /// For a branch, the first region of the same choice.
  IdVector<RegionId, RegionId> choices;
  /// For each block, the task that contains it.
  IdVector<BlockId, TaskRef> parents;
  RegionId current = RegionId(0);
  std::map<ReshardId, MovedReshard> moved;
  std::map<OpId, std::vector<MovedReshard>> movedTo;
};

} // namespace

/// Branches that give one cell its value belong to one choice.
void Builder::findChoices() {
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    if (graph.cells[cell].kind != CellKind::Branch)
      continue;
    RegionId first;
    for (OpId yield : topology.getDefinitions(cell))
      first = std::min(first, graph.ops[yield].region);
    for (OpId yield : topology.getDefinitions(cell))
      choices[graph.ops[yield].region] = first;
  }
}

/// Whether the region belongs to the task: the next branch of its choice, or the body after its condition.
bool Builder::joins(const Task &task, RegionId region) const {
  if (task.blocks.empty())
    return false;
  RegionId last = result.blocks[task.blocks.back()].region;
  if (task.kind == TaskKind::Branches)
    return getChoice(last) == getChoice(region);
  return graph.regions[region].kind == RegionKind::LoopBody && graph.regions[last].kind == RegionKind::LoopCondition &&
         last.get() + 1 == region.get();
}

/// The block of a region; if there is none yet, its loop or choice becomes a task of the block around it.
BlockId Builder::getBlock(RegionId region) {
  if (regionBlocks[region].isValid())
    return regionBlocks[region];
  BlockId outside = getBlock(graph.regions[region].parent);
  std::vector<Task> &tasks = result.blocks[outside].tasks;
  bool isBranch = graph.regions[region].kind == RegionKind::Branch;
  if (tasks.empty() || !joins(tasks.back(), region)) {
    Task task;
    task.kind = isBranch ? TaskKind::Branches : TaskKind::Loop;
    addTask(outside, std::move(task));
  }
  TaskRef parent{outside, static_cast<uint32_t>(result.blocks[outside].tasks.size() - 1)};
  BlockId block = addBlock(region, parent);
  result.blocks[outside].tasks[parent.task].blocks.push_back(block);
  return regionBlocks[region] = block;
}

/// Adds the reshards that follow no op: of arguments, and of the values that the region leaves to the one around it.
void Builder::addBoundaryReshards(CellKind kind, RegionId inside) {
  for (ReshardId id : idRange<ReshardId>(reshards.size())) {
    const Reshard &reshard = reshards[id];
    // These come before all others.
    if (reshard.op.isValid())
      return;
    if (reshardTasks[id].isValid() || graph.cells[reshard.cell].kind != kind)
      continue;
    if (kind != CellKind::Argument && getGivingRegion(reshard.cell) != inside)
      continue;
    addReshard(getBlock(reshard.region), id);
  }
}

/// Call at the end of a region: the values that it leaves now exist.
void Builder::leave(RegionId region) {
  RegionKind kind = graph.regions[region].kind;
  if (kind == RegionKind::LoopBody)
    addBoundaryReshards(CellKind::Carried, region);
  if (kind == RegionKind::Branch)
    addBoundaryReshards(CellKind::Branch, region);
}

void Builder::addMoved(BlockId block, OpId op, bool isBefore) {
  if (auto found = movedTo.find(op); found != movedTo.end())
    for (const MovedReshard &each : found->second)
      if (each.isBefore == isBefore)
        addReshard(block, each.reshard);
}

void Builder::addReshards(BlockId block, IdRange<ReshardId> range) {
  for (ReshardId id : range)
    if (!moved.contains(id))
      addReshard(block, id);
}

void Builder::addOp(OpId op) {
  RegionId region = graph.ops[op].region;
  while (!isInside(region, regionBlocks[current])) {
    RegionId ended = current;
    current = graph.regions[current].parent;
    leave(ended);
  }
  BlockId block = getBlock(region);
  current = region;
  addReshards(block, reshards.getBefore(op));
  addMoved(block, op, /*isBefore=*/true);
  Task task;
  task.op = op;
  opTasks[op] = addTask(block, std::move(task));
  addMoved(block, op, /*isBefore=*/false);
  addReshards(block, reshards.getAfter(op));
}

bool Builder::isInside(RegionId region, BlockId block) const {
  RegionId outer = result.blocks[block].region;
  for (; region.isValid(); region = graph.regions[region].parent)
    if (region == outer)
      return true;
  return false;
}

/// The task of `block` that is or contains the given task; none if there is none.
TaskRef Builder::lift(TaskRef task, BlockId block) const {
  while (task.isValid() && task.block != block)
    task = parents[task.block];
  return task;
}

void Builder::link(TaskRef before, TaskRef after) {
  if (!before.isValid() || !after.isValid())
    return;
  after = lift(after, before.block);
  if (!after.isValid() || after.task <= before.task)
    return;
  Task &source = result.blocks[before.block].tasks[before.task];
  if (!source.successors.empty() && source.successors.back() == after.task)
    return;
  source.successors.push_back(after.task);
  ++result.blocks[before.block].tasks[after.task].numPredecessors;
}

/// The body of a carried value; of a branch result, the last branch. Invalid for other cells.
RegionId Builder::getGivingRegion(CellId cell) const {
  if (graph.cells[cell].kind == CellKind::Carried)
    return graph.cells[cell].region;
  if (graph.cells[cell].kind != CellKind::Branch || topology.getDefinitions(cell).empty())
    return {};
  RegionId last(0);
  for (OpId yield : topology.getDefinitions(cell))
    last = std::max(last, graph.ops[yield].region);
  return last;
}

/// The loop or choice that defines a cell; none if an op or nothing does, or if the loop or choice is empty.
TaskRef Builder::getCompound(CellId cell) const {
  RegionId region = getGivingRegion(cell);
  if (!region.isValid() || !regionBlocks[region].isValid())
    return {};
  return parents[regionBlocks[region]];
}

/// The task that produces a cell's value for a user in `userRegion`; none if the value exists from the start.
TaskRef Builder::getProducer(CellId cell, RegionId userRegion) const {
  if (TaskRef compound = getCompound(cell); compound.isValid()) {
    // Inside its loop, a carried value exists from the start of the iteration.
    for (BlockId block : result.blocks[compound.block].tasks[compound.task].blocks)
      if (isInside(userRegion, block))
        return {};
    return compound;
  }
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid() || graph.cells[cell].kind != CellKind::OpResult)
    return {};
  ReshardId bound = reshards.getDefinition(graph, definition, topology.getResultNumber(cell));
  return bound.isValid() ? reshardTasks[bound] : opTasks[definition];
}

void Builder::linkOp(OpId op) {
  const Op &info = graph.ops[op];
  for (uint32_t operand = 0; operand < info.numUses; ++operand) {
    UseId use(info.firstUse + operand);
    ReshardId reshard = reshards.uses[use];
    link(reshard.isValid() ? reshardTasks[reshard] : getProducer(graph.uses[use], info.region), opTasks[op]);
  }
  // A loop begins when its entries are done.
  if (info.role != IdentityRole::Entry)
    return;
  for (uint32_t result = 0; result < info.numDefinitions; ++result) {
    ReshardId bound = reshards.getDefinition(graph, op, result);
    TaskRef entry = bound.isValid() ? reshardTasks[bound] : opTasks[op];
    link(entry, getCompound(graph.getResults(op)[result]));
  }
}

void Builder::linkReshard(ReshardId id) {
  const Reshard &reshard = reshards[id];
  if (auto found = moved.find(id); found != moved.end()) {
    TaskRef op = opTasks[found->second.op];
    return found->second.isBefore ? link(reshardTasks[id], op) : link(op, reshardTasks[id]);
  }
  if (reshard.source.isValid())
    return link(reshardTasks[reshard.source], reshardTasks[id]);
  OpId op = reshard.op;
  if (reshard.position == ReshardPosition::AfterDefinition && op.isValid())
    return link(opTasks[op], reshardTasks[id]);
  link(getProducer(reshard.cell, reshard.region), reshardTasks[id]);
}

TaskGraph buildTaskGraph(const Topology &topology, const Reshards &reshards, llvm::ArrayRef<MovedReshard> moved) {
  return Builder(topology, reshards, moved).run();
}

} // namespace partita::simulate
