//===- MoveRunner.cpp - applies moves to an assignment --------------------===//

#include "partita/Search/MoveRunner.h"

#include "partita/Support/Hash.h"

namespace partita::search {

MoveRunner::MoveRunner(Assignment &assignment, const MoveTable &table, const IdVector<DimId, uint8_t> &steppedDims,
                       uint32_t firstStep, MoveMemory *memory)
    : assignment(assignment), topology(assignment.getTopology()), table(table), steppedDims(steppedDims),
      propagation(assignment), memory(memory), nextStep(firstStep), axisKeys(assignment.getAxes().size(), 0) {}

void MoveRunner::rollback(const Mark &mark) {
  assignment.rollback(mark.assignment);
  nextStep = mark.step;
  setKey = mark.setKey;
  plainKey = mark.plainKey;
  orderKey = mark.orderKey;
  coupledKey = mark.coupledKey;
  axisKeys = mark.axisKeys;
}

static uint64_t hashWords(uint64_t a, uint64_t b, uint64_t c) { return mixHash(mixHash(mixHash(a) ^ b) ^ c); }

/// Mixes the axis into the summed hashes of the decisions on it.
static uint64_t weighHash(uint64_t sum, AxisId axis) { return sum * (mixHash(axis.get() + 1) | 1); }

/// A sum, so that the order of decisions does not matter.
void MoveRunner::addToKey(AxisId axis, uint64_t a, uint64_t b) {
  uint64_t hash = mixHash(mixHash(a) ^ b);
  plainKey += hash;
  setKey += weighHash(hash, axis);
}

/// Axes of one dim are ordered major to minor, so the axes that the factor had before are part of the state, too.
void MoveRunner::addOrderToKey(NodeId node, AxisId axis, uint8_t factor) {
  int64_t parts = assignment.getParts(node, factor);
  if (parts != assignment.getAxes()[axis].size)
    orderKey += hashWords(node.get(), uint64_t(1) << 63 | uint64_t(axis.get()) << 8 | factor, uint64_t(parts));
}

void MoveRunner::addSplitToKey(NodeId node, AxisId axis, uint8_t factor) {
  addToKey(axis, node.get(), factor);
  addOrderToKey(node, axis, factor);
}

/// The same for axes that pins put on one dim.
void MoveRunner::addPinOrderToKey(CellId pinned, uint32_t dim, AxisId axis) {
  uint64_t earlier = 0;
  for (AxisId other : idRange<AxisId>(assignment.getAxes().size())) {
    Pin pin = assignment.getPin(pinned, other);
    if (other != axis && pin.kind == PinKind::Tile && pin.dim == dim)
      earlier += mixHash(other.get() + 1);
  }
  if (earlier != 0)
    orderKey += hashWords(uint64_t(1) << 59 | pinned.get(), uint64_t(axis.get()) << 8 | dim, earlier);
}

bool MoveRunner::canTile(CellId cell, uint32_t dim, AxisId axis) const {
  return dim < assignment.getGraph().cells[cell].rank && propagation.canSplit(topology.getDim(cell, dim), axis);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether a pin says more than the factor of the op that defines the cell: the cell is not split so already, and its
/// definition cannot be.
bool MoveRunner::isPinDeciding(CellId cell, uint32_t dim, AxisId axis) const {
  if (propagation.findSplitDim(cell, axis) == int(dim))
    return false;
  NodeId source = topology.getSource(cell);
  return !source.isValid() || assignment.getFactor(source, axis) != noFactor;
}

void MoveRunner::runStep(CellId cell, uint32_t dim, AxisId axis) {
  CellId pinned = topology.getRepresentative(cell);
  bool isDeciding = isPinDeciding(cell, dim, axis);
  StepOutcome outcome = propagation.run(topology.getDim(cell, dim), axis, nextStep++);
  for (NodeId node : outcome.assigned) {
    uint8_t factor = assignment.getFactor(node, axis);
    addSplitToKey(node, axis, factor);
  }
  if (isDeciding) {
    addToKey(axis, pinned.get(), uint64_t(1) << 60 | dim);
    addPinOrderToKey(pinned, dim, axis);
  }
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
      addToKey(axis, pinned.get(), uint64_t(1) << 61);
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
  if (!op.isValid() || topology.getBoundaryNode(cell).isValid() ||
      factor >= assignment.getGraph().getFactors(op).size())
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
    addSplitToKey(node, axis, factor);
    splits.push_back(node);
  }
}

void MoveRunner::groupUses(CellId cell, llvm::ArrayRef<CellId> users, llvm::ArrayRef<AxisId> parts) {
  llvm::SmallVector<UseId> uses = findUses(topology, cell, users);
  if (uses.empty())
    return;
  llvm::SmallVector<UseGroup> before;
  for (UseId use : uses)
    before.push_back(assignment.getUseGroup(use));
  assignment.groupUses(uses, parts);
  // A use leaves its previous group, so the key contains both groups.
  for (size_t i = 0; i < uses.size(); ++i)
    if (UseGroup after = assignment.getUseGroup(uses[i]); after != before[i])
      setKey += hashWords(uint64_t(1) << 62 | uses[i].get(), uint64_t(before[i].number) << 32 | before[i].axes,
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

void MoveRunner::runEntries(const Move &move) {
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
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether outcomes of the move are cached. Not for use groups, which concern all axes, nor for several sub-axes, which
/// are rare.
bool MoveRunner::isRemembered(const Move &move) const {
  auto isGroup = [](const MoveEntry &entry) { return entry.kind == ActionKind::Group; };
  return memory && move.parts.size() == 1 && llvm::none_of(move.entries, isGroup);
}

MoveChange MoveRunner::describe(const Change &change, uint32_t firstStep) const {
  if (change.kind == ChangeKind::Choose)
    return {change.id, MoveChangeKind::Choose, 0, 0};
  if (change.kind == ChangeKind::Pin) {
    Pin pin = assignment.getPin(change.getCell(), change.getAxis());
    uint32_t step = assignment.getPinStep(change.getCell(), change.getAxis()) - firstStep;
    return {change.id, pin.kind == PinKind::Tile ? MoveChangeKind::Tile : MoveChangeKind::Atomic, pin.dim,
            static_cast<uint16_t>(step)};
  }
  uint32_t step = assignment.getStep(change.getNode(), change.getAxis()) - firstStep;
  return {change.id, MoveChangeKind::Assign, assignment.getFactor(change.getNode(), change.getAxis()),
          static_cast<uint16_t>(step)};
}

bool MoveRunner::isCoupled(const MoveChange &change) const {
  if (change.kind == MoveChangeKind::Assign)
    return change.value != sumFactor && memory->isCoupled(topology.getOpFactor(NodeId(change.id), change.value));
  return change.kind != MoveChangeKind::Choose && memory->isCoupled(CellId(change.id));
}

/// Each pin, factor or choice occurs at most once for an axis, so a sum of hashes identifies the set.
MoveOutcome MoveRunner::noteOutcome(const Mark &before) {
  MoveOutcome outcome;
  outcome.numSteps = nextStep - before.step;
  outcome.key = plainKey - before.plainKey;
  llvm::ArrayRef<Change> changes = assignment.getChanges(before.assignment);
  outcome.changes.reserve(changes.size());
  for (const Change &change : changes) {
    if (!change.getAxis().isValid())
      continue;
    MoveChange made = describe(change, before.step);
    uint64_t word = uint64_t(change.id) << 16 | uint64_t(made.kind) << 8 | made.value;
    uint64_t hash = mixHash(word), coupledHash = isCoupled(made) ? hash : 0;
    axisKeys[change.getAxis().get()] += hash;
    coupledKey += weighHash(coupledHash, change.getAxis());
    outcome.axisKey += hash;
    outcome.coupledKey += coupledHash;
    outcome.changes.push_back(made);
  }
  return outcome;
}

void MoveRunner::repeat(const MoveOutcome &outcome, AxisId axis) {
  for (const MoveChange &change : outcome.changes) {
    uint32_t step = nextStep + change.step;
    switch (change.kind) {
    case MoveChangeKind::Assign: {
      NodeId node(change.id);
      bool isFirst = llvm::all_of(assignment.getNodeState(node), [](uint64_t word) { return word == 0; });
      assignment.assign(node, axis, change.value, step);
      if (!isFirst && change.value != sumFactor)
        addOrderToKey(node, axis, change.value);
      break;
    }
    case MoveChangeKind::Tile: {
      bool isDeciding = isPinDeciding(CellId(change.id), change.value, axis);
      assignment.pin(CellId(change.id), axis, {PinKind::Tile, change.value}, step);
      if (isDeciding)
        addPinOrderToKey(CellId(change.id), change.value, axis);
      break;
    }
    case MoveChangeKind::Atomic:
      assignment.pin(CellId(change.id), axis, {PinKind::Atomic, change.value}, step);
      break;
    case MoveChangeKind::Choose:
      assignment.choose(DimId(change.id), axis);
      break;
    }
  }
  nextStep += outcome.numSteps;
  plainKey += outcome.key;
  setKey += weighHash(outcome.key, axis);
  axisKeys[axis.get()] += outcome.axisKey;
  coupledKey += weighHash(outcome.coupledKey, axis);
}

/// While no coupled factor is changed, symmetric axes share a situation.
MoveSituation MoveRunner::getSituation(MoveId id) const {
  AxisId axis = table.moves[id].parts.front();
  return {coupledKey == 0 ? table.symmetric[id] : id, axisKeys[axis.get()], coupledKey};
}

bool MoveRunner::runAnew(MoveId id) {
  const Move &move = table.moves[id];
  Mark before = mark();
  MoveSituation situation = getSituation(id);
  runEntries(move);
  if (memory) {
    MoveOutcome outcome = noteOutcome(before);
    if (isRemembered(move) && outcome.numSteps <= UINT16_MAX)
      memory->add(situation, std::move(outcome));
  }
  return getKey() != before.setKey + before.orderKey;
}

const MoveOutcome *MoveRunner::findOutcome(MoveId id) const {
  return isRemembered(table.moves[id]) ? memory->find(getSituation(id)) : nullptr;
}

bool MoveRunner::run(MoveId id) {
  const MoveOutcome *known = findOutcome(id);
  if (!known)
    return runAnew(id);
  uint64_t before = getKey();
  repeat(*known, table.moves[id].parts.front());
  return getKey() != before;
}

} // namespace partita::search
