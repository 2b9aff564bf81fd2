//===- Assignment.cpp - which factor each axis splits, for every op -------===//

#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace partita::propagate {

Assignment::Assignment(const Topology &topology, const Axes &axes)
    : topology(&topology), axes(&axes), numAxes(static_cast<uint32_t>(axes.size())),
      numStateWords(std::max<uint32_t>(1, llvm::divideCeil(numAxes, axesPerWord))) {
  assert(axes.size() <= maxAxes && "more axes than a word has bits");
  for (const Axis &axis : axes.list.raw())
    axisSizes.push_back({axis.size, int8_t(llvm::isPowerOf2_64(axis.size) ? llvm::Log2_64(axis.size) : -1)});
  nodeStates.resize(topology.getNumNodes() * numStateWords, 0);
  steps.resize(topology.getNumNodes() * axes.size(), 0);
  pins.resize(getGraph().cells.size() * axes.size());
  closedDims.resize(topology.getNumDims(), 0);
  dimStates.resize(topology.getNumDims());
  restrictedDims.resize(topology.getNumDims(), 0);
  restrictedNodes.resize(topology.getNumNodes(), 0);
  pinnedCells.resize(getGraph().cells.size(), 0);
  choices.resize(topology.getNumDims(), 0);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The axes of a state word that split the factor: sets bit 8 of the 16 bits of each such axis.
static uint64_t findAxes(uint64_t word, uint8_t factor) {
  constexpr uint64_t ones = 0x0001'0001'0001'0001;
  uint64_t others = (word ^ (uint64_t(factor) + 1) * ones) & 0xFF * ones;
  return (0x100 * ones - others) & 0x100 * ones;
}

int64_t Assignment::getParts(NodeId node, uint8_t factor) const {
  int64_t parts = 1;
  for (auto [number, word] : llvm::enumerate(getNodeState(node)))
    for (uint64_t found = findAxes(word, factor); found != 0; found &= found - 1)
      parts *= axisSizes[number * axesPerWord + llvm::countr_zero(found) / 16].size;
  return parts;
}

int64_t Assignment::getPartSize(OpFactorId opFactor) const {
  int64_t partSize = topology->getSplitSize(opFactor);
  if (partSize < 0)
    return partSize;
  uint8_t factor = topology->getFactor(opFactor);
  for (auto [number, word] : llvm::enumerate(getNodeState(topology->getNode(opFactor))))
    for (uint64_t found = findAxes(word, factor); found != 0; found &= found - 1) {
      AxisSize size = axisSizes[number * axesPerWord + llvm::countr_zero(found) / 16];
      partSize = size.log2 >= 0 ? partSize >> size.log2 : partSize / size.size;
    }
  return partSize;
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
  // The entries of one dim are in the order of their positions.
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
  // Axes that the definition put into their dim, and axes that a pin put there.
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
  NodeId source = topology->getBoundaryNode(cell);
  if (source.isValid()) {
    for (uint32_t dim = 0; dim < sharding.dims.size(); ++dim)
      sharding.dims[dim] = getFactorAxes(source, dim);
  } else if (OpId definition = topology->getDefinition(cell); definition.isValid()) {
    uint32_t value = getGraph().ops[definition].numUses + topology->getResultNumber(cell);
    sharding = getValueSharding(definition, value);
    source = topology->getNode(definition);
  }
  applyPins(cell, source, sharding);
  return sharding;
}

bool Assignment::isPartialSum(CellId cell, AxisId axis) const {
  NodeId source = topology->getSource(cell);
  uint8_t factor = source.isValid() ? getFactor(source, axis) : noFactor;
  if (factor == noFactor || isPinned(topology->getRepresentative(cell), axis))
    return false;
  return factor == sumFactor || topology->isAdded(topology->getOpFactor(source, factor));
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

/// The bits of an axis in a node state, without the count of earlier axes.
static uint64_t encode(uint8_t factor) { return factor == sumFactor ? 0x8000 | 0xFF : uint64_t(factor) + 1; }

/// Besides the factor, the state of an axis holds a count: how many axes with smaller numbers came before it. The
/// counts of all axes together determine the order in which the axes came, as the inversion table of a permutation
/// does. Sums have no order.
LLVM_ATTRIBUTE_NOINLINE void Assignment::addToState(NodeId node, AxisId axis, uint8_t factor) {
  assert(getFactor(node, axis) == noFactor && "an axis splits one factor of a node");
  uint64_t *state = editState(node), code = encode(factor);
  const uint32_t *when = steps.data() + index(node, AxisId(0));
  for (uint32_t other = 0; other < numAxes && factor != sumFactor; ++other) {
    if (other == axis.get() || getFactor(node, AxisId(other)) >= sumFactor)
      continue;
    if (other < axis.get())
      code += uint64_t(when[other] <= when[axis.get()]) << 8;
    else
      state[other / axesPerWord] += uint64_t(when[axis.get()] <= when[other]) << (getShift(other) + 8);
  }
  state[axis.get() / axesPerWord] |= code << getShift(axis.get());
}

LLVM_ATTRIBUTE_NOINLINE void Assignment::removeFromState(NodeId node, AxisId axis) {
  uint64_t *state = editState(node);
  const uint32_t *when = steps.data() + index(node, AxisId(0));
  bool isSum = getFactor(node, axis) == sumFactor;
  state[axis.get() / axesPerWord] &= ~(uint64_t(0xFFFF) << getShift(axis.get()));
  for (uint32_t other = axis.get() + 1; other < numAxes && !isSum; ++other)
    if (getFactor(node, AxisId(other)) < sumFactor)
      state[other / axesPerWord] -= uint64_t(when[axis.get()] <= when[other]) << (getShift(other) + 8);
}

void Assignment::assign(NodeId node, AxisId axis, uint8_t factor, uint32_t step) {
  steps[index(node, axis)] = step;
  trail.push_back({ChangeKind::Assign, uint8_t(axis.get()), node.get()});
  // Most nodes have only one axis.
  if (numStateWords == 1 && nodeStates[node.get()] == 0)
    nodeStates[node.get()] = encode(factor) << getShift(axis.get());
  else
    addToState(node, axis, factor);
}

void Assignment::assign(llvm::ArrayRef<NodeFactor> list, AxisId axis, uint32_t step) {
  size_t first = trail.size();
  trail.resize_for_overwrite(first + list.size());
  Change *change = trail.data() + first;
  uint64_t *words = nodeStates.data();
  uint32_t *when = steps.data() + axis.get(), shift = getShift(axis.get());
  for (const NodeFactor &taken : list) {
    size_t node = taken.node.get();
    *change++ = {ChangeKind::Assign, uint8_t(axis.get()), taken.node.get()};
    when[node * numAxes] = step;
    if (numStateWords == 1 && words[node] == 0)
      words[node] = (uint64_t(taken.factor) + 1) << shift;
    else
      addToState(taken.node, axis, taken.factor);
  }
}

void Assignment::unassign(NodeId node, AxisId axis) {
  uint64_t &word = nodeStates[size_t(node.get()) * numStateWords];
  if (numStateWords == 1 && (word & ~(uint64_t(0xFFFF) << getShift(axis.get()))) == 0)
    word = 0;
  else
    removeFromState(node, axis);
  steps[index(node, axis)] = 0;
}

void Assignment::updateDims(CellId cell, AxisId axis) {
  Pin pin = getPin(cell, axis);
  uint32_t bit = uint32_t(1) << axis.get();
  for (uint32_t number = 0; number < getGraph().cells[cell].rank; ++number) {
    DimId dim = topology->getDim(cell, number);
    bool isPinned = pin.kind == PinKind::Tile && pin.dim == number;
    bool isExcluded = !isPinned && (pin.kind != PinKind::None || isClosed(dim));
    DimState &state = dimStates[dim];
    state.pinned = isPinned ? state.pinned | bit : state.pinned & ~bit;
    state.excluded = isExcluded ? state.excluded | bit : state.excluded & ~bit;
    uint8_t isRestricted = (state.pinned | state.excluded) != 0;
    if (std::exchange(restrictedDims[dim], isRestricted) != isRestricted)
      updateNodes(dim);
  }
}

/// Updates `restrictedNodes` for the nodes that define the dim.
void Assignment::updateNodes(DimId dim) {
  auto isRestricted = [&](const FactorDim &entry) { return restrictedDims[entry.dim] != 0; };
  for (OpFactorId opFactor : topology->getOpFactors(dim)) {
    auto isThis = [&](const FactorDim &entry) { return entry.dim == dim; };
    if (llvm::none_of(topology->getDefinedDims(opFactor), isThis))
      continue;
    NodeId node = topology->getNode(opFactor);
    bool hasAny = false;
    for (uint32_t factor = 0; factor < topology->getNumOpFactors(node) && !hasAny; ++factor)
      hasAny = llvm::any_of(topology->getDefinedDims(topology->getOpFactor(node, uint8_t(factor))), isRestricted);
    restrictedNodes[node] = hasAny;
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
  trail.push_back({ChangeKind::Pin, uint8_t(axis.get()), cell.get()});
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
  trail.push_back({ChangeKind::Close, Change::noAxis, dim.get()});
}

void Assignment::choose(DimId dim, AxisId axis) {
  if (isChosen(dim, axis))
    return;
  choices[dim] |= uint32_t(1) << axis.get();
  trail.push_back({ChangeKind::Choose, uint8_t(axis.get()), dim.get()});
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
    trail.push_back({ChangeKind::Group, Change::noAxis, use.get()});
    oldGroups.push_back(useGroups[use]);
    useGroups[use] = group;
  }
}

LLVM_ATTRIBUTE_NOINLINE void Assignment::undo(const Change &change) {
  switch (change.kind) {
  case ChangeKind::Assign:
    return unassign(change.getNode(), change.getAxis());
  case ChangeKind::Pin:
    return setPin(change.getCell(), change.getAxis(), oldPins.pop_back_val());
  case ChangeKind::Close:
    return setClosed(change.getDim(), false);
  case ChangeKind::Choose:
    choices[change.getDim()] &= ~(uint32_t(1) << change.axis);
    return;
  case ChangeKind::Group:
    useGroups[change.getUse()] = oldGroups.pop_back_val();
    return;
  }
}

void Assignment::rollback(size_t mark) {
  assert(mark <= trail.size() && "a mark from the future");
  for (const Change *end = trail.begin() + mark, *at = trail.end(); at != end;) {
    --at;
    // Nearly all changes are assignments.
    if (at->kind == ChangeKind::Assign)
      unassign(at->getNode(), AxisId(at->axis));
    else
      undo(*at);
  }
  trail.truncate(mark);
}

bool Assignment::isEquivalent(const Assignment &other) const {
  // The order of axes matters only on one factor.
  constexpr uint64_t factorsOnly = 0x80FF'80FF'80FF'80FF;
  auto isSame = [](uint64_t a, uint64_t b) { return ((a ^ b) & factorsOnly) == 0; };
  if (!std::equal(nodeStates.begin(), nodeStates.end(), other.nodeStates.begin(), isSame))
    return false;
  for (size_t i = 0; i < pins.size(); ++i)
    if (!(pins[i].pin == other.pins[i].pin))
      return false;
  for (NodeId node : idRange<NodeId>(topology->getNumNodes()))
    for (uint32_t factor = 0; factor < topology->getNumOpFactors(node); ++factor)
      if (getFactorAxes(node, factor) != other.getFactorAxes(node, factor))
        return false;
  for (UseId use : idRange<UseId>(getGraph().uses.size()))
    if (!(getUseGroup(use) == other.getUseGroup(use)))
      return false;
  return closedDims == other.closedDims && choices == other.choices;
}

} // namespace partita::propagate
