//===- MoveRunner.cpp - does to an assignment what a move says ------------===//

#include "partita/Search/MoveRunner.h"

#include "partita/Search/Hash.h"

namespace partita {

MoveRunner::MoveRunner(Assignment &assignment, const MoveTable &table, const IdVector<DimId, uint8_t> &steppedDims,
                       uint32_t firstStep)
    : assignment(assignment), topology(assignment.getTopology()), table(table), steppedDims(steppedDims),
      propagation(assignment), nextStep(firstStep) {}

void MoveRunner::rollback(const Mark &mark) {
  assignment.rollback(mark.assignment);
  nextStep = mark.step;
  key = mark.key;
}

/// A sum, so that the order of decisions does not matter.
void MoveRunner::addToKey(uint64_t a, uint64_t b, uint64_t c) { key += mixHash(mixHash(mixHash(a) ^ b) ^ c); }

bool MoveRunner::canTile(CellId cell, uint32_t dim, AxisId axis) const {
  return dim < assignment.getGraph().cells[cell].rank && propagation.canSplit(topology.getDim(cell, dim), axis);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void MoveRunner::runStep(CellId cell, uint32_t dim, AxisId axis) {
  CellId pinned = topology.getRepresentative(cell);
  bool isHeld = propagation.findSplitDim(cell, axis) == int(dim);
  NodeId source = topology.getSource(cell);
  bool isTaken = source.isValid() && assignment.getFactor(source, axis) != noFactor;
  StepOutcome outcome = propagation.run(topology.getDim(cell, dim), axis, nextStep++);
  for (NodeId node : outcome.assigned) {
    uint8_t factor = assignment.getFactor(node, axis);
    // Which axes the factor had before is part of the state: axes of one dim are major to minor.
    addToKey(node.get(), uint64_t(axis.get()) << 8 | factor, uint64_t(assignment.getParts(node, factor)));
  }
  if (!isHeld && (isTaken || !source.isValid()))
    addToKey(pinned.get(), uint64_t(axis.get()) << 8 | dim, uint64_t(1) << 60);
  llvm::append_range(splits, outcome.assigned);
  llvm::append_range(conflicts, std::move(outcome.conflicts));
}

bool MoveRunner::tile(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts) {
  Mark before = mark();
  size_t numSplits = splits.size(), numConflicts = conflicts.size();
  for (AxisId axis : parts) {
    if (canTile(cell, dim, axis)) {
      runStep(cell, dim, axis);
      continue;
    }
    rollback(before);
    splits.resize(numSplits);
    conflicts.resize(numConflicts);
    return false;
  }
  return true;
}

void MoveRunner::tileFirstDivisible(CellId cell, llvm::ArrayRef<AxisId> parts) {
  for (uint32_t dim = 0; dim < assignment.getGraph().cells[cell].rank; ++dim)
    if (!steppedDims[topology.getDim(cell, dim)] && tile(cell, dim, parts))
      return;
}

void MoveRunner::keepWhole(CellId cell, llvm::ArrayRef<AxisId> parts) {
  for (AxisId axis : parts)
    if (!propagation.explainAtomic(cell, axis).empty())
      return;
  CellId pinned = topology.getRepresentative(cell);
  for (AxisId axis : parts) {
    if (assignment.getPin(pinned, axis).kind != PinKind::Atomic)
      addToKey(pinned.get(), axis.get(), uint64_t(1) << 61);
    assignment.pin(pinned, axis, {PinKind::Atomic, 0}, nextStep++);
  }
}

void MoveRunner::addChoices(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts) {
  for (AxisId axis : parts)
    if (!canTile(cell, dim, axis))
      return;
  for (AxisId axis : parts)
    propagation.addChoice(topology.getDim(cell, dim), axis);
}

void MoveRunner::assignFactor(CellId cell, uint8_t factor, llvm::ArrayRef<AxisId> parts) {
  OpId op = topology.getDefinition(cell);
  if (!op.isValid() || topology.getPlace(cell).isValid() || factor >= assignment.getGraph().getFactors(op).size())
    return;
  NodeId node = topology.getNode(op);
  Mark before = mark();
  for (AxisId axis : parts) {
    if (!propagation.explainFactor(node, factor, axis).empty()) {
      rollback(before);
      return;
    }
    if (assignment.getFactor(node, axis) == factor)
      continue;
    assignment.assign(node, axis, factor, nextStep++);
    addToKey(node.get(), uint64_t(axis.get()) << 8 | factor, uint64_t(assignment.getParts(node, factor)));
    splits.push_back(node);
  }
}

void MoveRunner::groupUses(CellId cell, llvm::ArrayRef<CellId> users, llvm::ArrayRef<AxisId> parts) {
  llvm::SmallVector<UseId> uses;
  for (UseId use : topology.getUses(cell))
    if (llvm::any_of(assignment.getGraph().getResults(topology.getUser(use)),
                     [&](CellId result) { return llvm::is_contained(users, result); }))
      uses.push_back(use);
  if (uses.empty())
    return;
  llvm::sort(uses);
  llvm::SmallVector<UseGroup> before;
  for (UseId use : uses)
    before.push_back(assignment.getUseGroup(use));
  assignment.groupUses(uses, parts);
  // A use leaves the group that it was in, so the order of groups matters: from which to which.
  for (size_t i = 0; i < uses.size(); ++i)
    if (UseGroup after = assignment.getUseGroup(uses[i]); after != before[i])
      addToKey(uint64_t(1) << 62 | uses[i].get(), uint64_t(before[i].number) << 32 | before[i].axes,
               uint64_t(after.number) << 32 | after.axes);
}

void MoveRunner::runEntry(const MoveEntry &entry, llvm::ArrayRef<AxisId> parts) {
  for (CellId cell : table.targets[entry.target].members) {
    switch (entry.kind) {
    case ActionKind::Atomic:
      keepWhole(cell, parts);
      break;
    case ActionKind::Cut:
      for (AxisId axis : parts)
        propagation.addCut(cell, axis);
      break;
    case ActionKind::Side:
      for (AxisId axis : parts)
        propagation.addChoice(topology.getDim(cell, *entry.dim), axis);
      break;
    case ActionKind::Assign:
      assignFactor(cell, static_cast<uint8_t>(*entry.dim), parts);
      break;
    case ActionKind::Group:
      groupUses(cell, table.targets[entry.users].members, parts);
      break;
    case ActionKind::Tile:
      if (entry.dim)
        tile(cell, *entry.dim, parts);
      else
        tileFirstDivisible(cell, parts);
      break;
    }
  }
}

bool MoveRunner::run(const Move &move) {
  uint64_t before = key;
  splits.clear();
  conflicts.clear();
  for (const MoveEntry &entry : move.entries)
    if (entry.kind != ActionKind::Tile && entry.kind != ActionKind::Group)
      runEntry(entry, move.parts);
  for (const MoveEntry &entry : move.entries)
    if (entry.kind == ActionKind::Tile && entry.dim)
      for (CellId cell : table.targets[entry.target].members)
        addChoices(cell, *entry.dim, move.parts);
  for (const MoveEntry &entry : move.entries)
    if (entry.kind == ActionKind::Tile || entry.kind == ActionKind::Group)
      runEntry(entry, move.parts);
  propagation.clearCuts();
  return key != before;
}

} // namespace partita
