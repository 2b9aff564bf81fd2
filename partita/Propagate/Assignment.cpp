//===- Assignment.cpp - which factor each axis splits, everywhere ---------===//

#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace partita {

static constexpr uint32_t axesPerWord = 4;

Assignment::Assignment(const Topology &topology, const Axes &axes)
    : topology(&topology), axes(&axes), numAxes(static_cast<uint32_t>(axes.size())),
      numRowWords(std::max<uint32_t>(1, llvm::divideCeil(numAxes, axesPerWord))) {
  assert(axes.size() <= maxAxes && "more axes than a word has bits");
  for (const Axis &axis : axes.list.raw())
    axisSizes.push_back({axis.size, int8_t(llvm::isPowerOf2_64(axis.size) ? llvm::Log2_64(axis.size) : -1)});
  factors.resize(topology.getNumNodes() * axes.size(), noFactor);
  steps.resize(factors.size(), 0);
  rows.resize(topology.getNumNodes() * numRowWords, 0);
  pins.resize(getGraph().cells.size() * axes.size());
  closedDims.resize(topology.getNumDims(), 0);
  dimStates.resize(topology.getNumDims());
  restrictedDims.resize(topology.getNumDims(), 0);
  pinnedCells.resize(getGraph().cells.size(), 0);
  rests.reserve(topology.getNumSlots());
  for (SlotId slot : idRange<SlotId>(topology.getNumSlots()))
    rests.push_back(topology.getSplitSize(slot));
  choices.resize(topology.getNumDims(), 0);
}

//===----------------------------------------------------------------------===//
// What follows from it
//===----------------------------------------------------------------------===//

int64_t Assignment::getParts(NodeId node, uint8_t factor) const {
  int64_t parts = 1;
  const uint8_t *row = &factors[index(node, AxisId(0))];
  for (uint32_t axis = 0; axis < numAxes; ++axis)
    if (row[axis] == factor)
      parts *= (*axes)[AxisId(axis)].size;
  return parts;
}

DimAxes Assignment::getFactorAxes(NodeId node, uint8_t factor) const {
  DimAxes list;
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (getFactor(node, axis) == factor)
      list.push_back(axis);
  if (list.size() > 1)
    llvm::sort(list,
               [&](AxisId a, AxisId b) { return std::pair(getStep(node, a), a) < std::pair(getStep(node, b), b); });
  return list;
}

void Assignment::addFactorAxes(NodeId node, llvm::ArrayRef<DimFactor> dimFactors, uint32_t value,
                               Sharding &sharding) const {
  // Entries of one dim stand in the order of their positions.
  for (const DimFactor &entry : dimFactors)
    if (entry.value == value)
      sharding.dims[entry.dim].append(getFactorAxes(node, entry.factor));
}

Sharding Assignment::getValueSharding(OpId op, uint32_t value) const {
  const Graph &graph = getGraph();
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  CellId cell = value < operands.size() ? operands[value] : graph.getResults(op)[value - operands.size()];
  Sharding sharding(graph.cells[cell].rank);
  addFactorAxes(topology->getNode(op), graph.getDimFactors(op), value, sharding);
  return sharding;
}

void Assignment::applyPins(CellId cell, NodeId definition, Sharding &sharding) const {
  // The axes that are in their dim because of the definition, and because of a pin.
  uint32_t given = 0, pinned = 0;
  for (AxisId axis : idRange<AxisId>(numAxes)) {
    Pin pin = getPin(cell, axis);
    int found = sharding.findAxis(axis);
    uint32_t bit = uint32_t(1) << axis.get();
    bool isKept = pin.kind == PinKind::None || (pin.kind == PinKind::Tile && found == pin.dim);
    if (found >= 0 && isKept)
      given |= bit;
    else if (found >= 0)
      llvm::erase(sharding.dims[found], axis);
    if (pin.kind != PinKind::Tile)
      continue;
    pinned |= bit;
    if (!isKept)
      sharding.dims[pin.dim].push_back(axis);
  }
  if (pinned == 0)
    return;
  auto getFirstStep = [&](AxisId axis) {
    uint32_t ofDefinition = given >> axis.get() & 1 ? getStep(definition, axis) : UINT32_MAX;
    return pinned >> axis.get() & 1 ? std::min(ofDefinition, getPinStep(cell, axis)) : ofDefinition;
  };
  auto isEarlier = [&](AxisId a, AxisId b) { return getFirstStep(a) < getFirstStep(b); };
  for (DimAxes &dim : sharding.dims)
    for (auto *at = dim.begin(); at != dim.end(); ++at)
      std::rotate(std::upper_bound(dim.begin(), at, *at, isEarlier), at, at + 1);
}

Sharding Assignment::getCellSharding(CellId cell) const {
  cell = topology->getRepresentative(cell);
  Sharding sharding(getGraph().cells[cell].rank);
  NodeId place = topology->getPlace(cell);
  if (place.isValid()) {
    for (uint32_t dim = 0; dim < sharding.dims.size(); ++dim)
      sharding.dims[dim] = getFactorAxes(place, dim);
  } else if (OpId definition = topology->getDefinition(cell); definition.isValid()) {
    uint32_t value = getGraph().ops[definition].numUses + topology->getResultNumber(cell);
    sharding = getValueSharding(definition, value);
    place = topology->getNode(definition);
  }
  applyPins(cell, place, sharding);
  return sharding;
}

bool Assignment::isPartialSum(CellId cell, AxisId axis) const {
  NodeId source = topology->getSource(cell);
  uint8_t factor = source.isValid() ? getFactor(source, axis) : noFactor;
  if (factor == noFactor || isPinned(topology->getRepresentative(cell), axis))
    return false;
  return factor == sumFactor || topology->isAdded(topology->getSlot(source, factor));
}

llvm::SmallVector<AxisId, 2> Assignment::getReducedAxes(OpId op) const {
  llvm::SmallVector<AxisId, 2> reduced;
  llvm::ArrayRef<Factor> factors = getGraph().getFactors(op);
  for (AxisId axis : idRange<AxisId>(numAxes)) {
    uint8_t factor = getFactor(topology->getNode(op), axis);
    if (factor < factors.size() && factors[factor].kind == FactorKind::Reduce)
      reduced.push_back(axis);
  }
  return reduced;
}

Combiner Assignment::getCombiner(OpId op) const {
  llvm::SmallVector<AxisId, 2> reduced = getReducedAxes(op);
  if (reduced.empty())
    return Combiner::None;
  return getGraph().getFactors(op)[getFactor(topology->getNode(op), reduced.front())].combiner;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// What a row says of an axis.
static uint64_t encode(uint8_t factor) { return factor == sumFactor ? 0x8000 | 0xFF : uint64_t(factor) + 1; }

LLVM_ATTRIBUTE_NOINLINE void Assignment::updateRow(NodeId node) {
  uint64_t *row = rows.data() + size_t(node.get()) * numRowWords;
  const uint8_t *taken = factors.data() + index(node, AxisId(0));
  const uint32_t *when = steps.data() + index(node, AxisId(0));
  uint64_t word = 0;
  for (uint32_t axis = 0; axis < numAxes; ++axis) {
    uint32_t position = axis % axesPerWord;
    if (taken[axis] != noFactor) {
      // How many axes of smaller number came before: for all axes together that says in which order they came, as the
      // inversions of a permutation do.
      uint64_t count = 0;
      for (uint32_t other = 0; other < axis && taken[axis] != sumFactor; ++other)
        count += taken[other] < sumFactor && when[other] <= when[axis];
      word |= (encode(taken[axis]) | count << 8) << (16 * position);
    }
    if (position == axesPerWord - 1 || axis + 1 == numAxes) {
      *row++ = word;
      word = 0;
    }
  }
}

void Assignment::assign(NodeId node, AxisId axis, uint8_t factor, uint32_t step) {
  size_t entry = index(node, axis);
  assert(factors[entry] == noFactor && "an axis splits one factor of a node");
  factors[entry] = factor;
  steps[entry] = step;
  if (factor != sumFactor) {
    int64_t &rest = rests[topology->getSlot(node, factor)];
    AxisSize size = axisSizes[axis.get()];
    rest = size.log2 >= 0 ? rest >> size.log2 : rest / size.size;
  }
  trail.push_back({ChangeKind::Assign, axis, node.get()});
  // The first axis of most nodes is the last.
  if (numRowWords == 1 && rows[node.get()] == 0)
    rows[node.get()] = encode(factor) << (16 * axis.get());
  else
    updateRow(node);
}

void Assignment::unassign(NodeId node, AxisId axis) {
  size_t entry = index(node, axis);
  if (factors[entry] != sumFactor)
    rests[topology->getSlot(node, factors[entry])] *= axisSizes[axis.get()].size;
  factors[entry] = noFactor;
  steps[entry] = 0;
  if (numRowWords == 1 && (rows[node.get()] & ~(uint64_t(0xFFFF) << (16 * axis.get()))) == 0)
    rows[node.get()] = 0;
  else
    updateRow(node);
}

void Assignment::updateDims(CellId cell, AxisId axis) {
  Pin pin = getPin(cell, axis);
  uint32_t bit = uint32_t(1) << axis.get();
  for (uint32_t number = 0; number < getGraph().cells[cell].rank; ++number) {
    DimId dim = topology->getDim(cell, number);
    bool isPinned = pin.kind == PinKind::Tile && pin.dim == number;
    bool isBarred = !isPinned && (pin.kind != PinKind::None || isClosed(dim));
    DimState &state = dimStates[dim];
    state.pinned = isPinned ? state.pinned | bit : state.pinned & ~bit;
    state.barred = isBarred ? state.barred | bit : state.barred & ~bit;
    restrictedDims[dim] = (state.pinned | state.barred) != 0;
  }
}

void Assignment::setPin(CellId cell, AxisId axis, PinEntry entry) {
  pins[index(cell, axis)] = entry;
  uint32_t bit = uint32_t(1) << axis.get();
  pinnedCells[cell] = entry.pin.kind != PinKind::None ? pinnedCells[cell] | bit : pinnedCells[cell] & ~bit;
  updateDims(cell, axis);
}

void Assignment::pin(CellId cell, AxisId axis, Pin pin, uint32_t step) {
  assert(topology->getRepresentative(cell) == cell && "pins are on representatives");
  if (getPin(cell, axis) == pin)
    return;
  trail.push_back({ChangeKind::Pin, axis, cell.get()});
  oldPins.push_back(pins[index(cell, axis)]);
  setPin(cell, axis, {pin, step});
}

void Assignment::setClosed(DimId dim, bool isClosed) {
  closedDims[dim] = isClosed;
  for (AxisId axis : idRange<AxisId>(numAxes))
    updateDims(topology->getCell(dim), axis);
}

void Assignment::close(DimId dim) {
  if (isClosed(dim))
    return;
  setClosed(dim, true);
  trail.push_back({ChangeKind::Close, AxisId(), dim.get()});
}

void Assignment::choose(DimId dim, AxisId axis) {
  if (isChosen(dim, axis))
    return;
  choices[dim] |= uint32_t(1) << axis.get();
  trail.push_back({ChangeKind::Choose, axis, dim.get()});
}

void Assignment::groupUses(llvm::ArrayRef<UseId> uses, llvm::ArrayRef<AxisId> groupAxes) {
  if (uses.empty())
    return;
  if (useGroups.empty())
    useGroups.resize(getGraph().uses.size(), UseGroup());
  UseGroup group{uses.front().get() + 1, 0};
  for (AxisId axis : groupAxes)
    group.axes |= uint32_t(1) << axis.get();
  for (UseId use : uses) {
    trail.push_back({ChangeKind::Group, AxisId(), use.get()});
    oldGroups.push_back(useGroups[use]);
    useGroups[use] = group;
  }
}

void Assignment::rollback(size_t mark) {
  assert(mark <= trail.size() && "a mark from the future");
  while (trail.size() > mark) {
    const Change &change = trail.back();
    switch (change.kind) {
    case ChangeKind::Assign:
      unassign(change.getNode(), change.axis);
      break;
    case ChangeKind::Pin:
      setPin(change.getCell(), change.axis, oldPins.back());
      oldPins.pop_back();
      break;
    case ChangeKind::Close:
      setClosed(change.getDim(), false);
      break;
    case ChangeKind::Choose:
      choices[change.getDim()] &= ~(uint32_t(1) << change.axis.get());
      break;
    case ChangeKind::Group:
      useGroups[change.getUse()] = oldGroups.back();
      oldGroups.pop_back();
      break;
    }
    trail.pop_back();
  }
}

bool Assignment::isEquivalent(const Assignment &other) const {
  if (factors != other.factors)
    return false;
  for (size_t i = 0; i < pins.size(); ++i)
    if (!(pins[i].pin == other.pins[i].pin))
      return false;
  for (NodeId node : idRange<NodeId>(topology->getNumNodes()))
    for (uint32_t factor = 0; factor < topology->getNumSlots(node); ++factor)
      if (getFactorAxes(node, factor) != other.getFactorAxes(node, factor))
        return false;
  for (UseId use : idRange<UseId>(getGraph().uses.size()))
    if (!(getUseGroup(use) == other.getUseGroup(use)))
      return false;
  return closedDims == other.closedDims && choices == other.choices;
}

} // namespace partita
