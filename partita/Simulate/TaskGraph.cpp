//===- TaskGraph.cpp - who waits for whom ---------------------------------===//

#include "partita/Simulate/TaskGraph.h"

namespace partita {

namespace {

/// A task, by its block and its position there.
struct TaskRef {
  BlockId block;
  uint32_t task = 0;
  bool isValid() const { return block.isValid(); }
};

class Builder {
public:
  Builder(const Topology &topology, const Transfers &transfers)
      : topology(topology), graph(topology.getGraph()), transfers(transfers), opTasks(graph.ops.size()),
        transferTasks(transfers.size()), regionBlocks(graph.regions.size()), choices(graph.regions.size()) {}

  TaskGraph run() {
    findChoices();
    regionBlocks[RegionId(0)] = addBlock(RegionId(0), {});
    addPlaceTransfers(CellKind::Argument, {});
    for (OpId op : idRange<OpId>(graph.ops.size()))
      addOp(op);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      linkOp(op);
    for (TransferId id : idRange<TransferId>(transfers.size()))
      linkTransfer(id);
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
  TaskRef addTransfer(BlockId block, TransferId id) {
    Task task;
    task.kind = TaskKind::Transfer;
    task.transfer = id;
    return transferTasks[id] = addTask(block, std::move(task));
  }

  void findChoices();
  RegionId getChoice(RegionId region) const { return choices[region].isValid() ? choices[region] : region; }
  BlockId getBlock(RegionId region);
  bool joins(const Task &task, RegionId region) const;
  void addPlaceTransfers(CellKind kind, RegionId inside);
  void leave(RegionId region);
  void addOp(OpId op);

  TaskRef lift(TaskRef task, BlockId block) const;
  void link(TaskRef before, TaskRef after);
  RegionId getGivingRegion(CellId cell) const;
  TaskRef getCompound(CellId cell) const;
  TaskRef getProducer(CellId cell, RegionId userRegion) const;
  bool isInside(RegionId region, BlockId block) const;
  void linkOp(OpId op);
  void linkTransfer(TransferId id);

  const Topology &topology;
  const Graph &graph;
  const Transfers &transfers;
  TaskGraph result;
  IdVector<OpId, TaskRef> opTasks;
  IdVector<TransferId, TaskRef> transferTasks;
  IdVector<RegionId, BlockId> regionBlocks;
  /// Of a branch, the first region of the same choice.
  IdVector<RegionId, RegionId> choices;
  /// Of each block, the task that it is part of.
  IdVector<BlockId, TaskRef> parents;
  RegionId current = RegionId(0);
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

/// Whether the region is part of what the task runs: the next branch of a choice, or the body behind a condition.
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

/// Transfers that stand behind no op: of arguments, and of what the region gives to the one around it.
void Builder::addPlaceTransfers(CellKind kind, RegionId inside) {
  for (TransferId id : idRange<TransferId>(transfers.size())) {
    const Transfer &transfer = transfers[id];
    // They stand before all others.
    if (transfer.op.isValid())
      return;
    if (transferTasks[id].isValid() || graph.cells[transfer.cell].kind != kind)
      continue;
    if (kind != CellKind::Argument && getGivingRegion(transfer.cell) != inside)
      continue;
    addTransfer(getBlock(transfer.region), id);
  }
}

/// The region has ended: what it leaves behind is there.
void Builder::leave(RegionId region) {
  RegionKind kind = graph.regions[region].kind;
  if (kind == RegionKind::LoopBody)
    addPlaceTransfers(CellKind::Carried, region);
  if (kind == RegionKind::Branch)
    addPlaceTransfers(CellKind::Branch, region);
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
  for (TransferId id : transfers.getBefore(op))
    addTransfer(block, id);
  Task task;
  task.op = op;
  opTasks[op] = addTask(block, std::move(task));
  for (TransferId id : transfers.getAfter(op))
    addTransfer(block, id);
}

bool Builder::isInside(RegionId region, BlockId block) const {
  RegionId outer = result.blocks[block].region;
  for (; region.isValid(); region = graph.regions[region].parent)
    if (region == outer)
      return true;
  return false;
}

/// The task of `block` that the task is, or is inside of; none if there is no such task.
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

/// The loop or choice that gives a cell its value; none if no such thing does, or if it is empty.
TaskRef Builder::getCompound(CellId cell) const {
  RegionId region = getGivingRegion(cell);
  if (!region.isValid() || !regionBlocks[region].isValid())
    return {};
  return parents[regionBlocks[region]];
}

/// The task that a cell's value comes from, as a user in `userRegion` sees it; none if it is there from the start.
TaskRef Builder::getProducer(CellId cell, RegionId userRegion) const {
  if (TaskRef compound = getCompound(cell); compound.isValid()) {
    // Inside its loop, a carried value is what the iteration began with.
    for (BlockId block : result.blocks[compound.block].tasks[compound.task].blocks)
      if (isInside(userRegion, block))
        return {};
    return compound;
  }
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid() || graph.cells[cell].kind != CellKind::OpResult)
    return {};
  TransferId bound = transfers.getDefinition(graph, definition, topology.getResultNumber(cell));
  return bound.isValid() ? transferTasks[bound] : opTasks[definition];
}

void Builder::linkOp(OpId op) {
  const Op &info = graph.ops[op];
  for (uint32_t operand = 0; operand < info.numUses; ++operand) {
    UseId use(info.firstUse + operand);
    TransferId transfer = transfers.uses[use];
    link(transfer.isValid() ? transferTasks[transfer] : getProducer(graph.uses[use], info.region), opTasks[op]);
  }
  // A loop begins when its entries are done.
  if (info.role != IdentityRole::Entry)
    return;
  for (uint32_t result = 0; result < info.numDefinitions; ++result) {
    TransferId bound = transfers.getDefinition(graph, op, result);
    TaskRef entry = bound.isValid() ? transferTasks[bound] : opTasks[op];
    link(entry, getCompound(graph.getResults(op)[result]));
  }
}

void Builder::linkTransfer(TransferId id) {
  const Transfer &transfer = transfers[id];
  if (transfer.source.isValid())
    return link(transferTasks[transfer.source], transferTasks[id]);
  OpId op = transfer.op;
  if (transfer.position == TransferPosition::AfterDefinition && op.isValid())
    return link(opTasks[op], transferTasks[id]);
  link(getProducer(transfer.cell, transfer.region), transferTasks[id]);
}

TaskGraph buildTaskGraph(const Topology &topology, const Transfers &transfers) {
  return Builder(topology, transfers).run();
}

} // namespace partita
