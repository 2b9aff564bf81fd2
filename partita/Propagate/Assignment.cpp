//===- Assignment.cpp - which factor each axis splits, everywhere ---------===//

#include "partita/Propagate/Assignment.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita {

Assignment::Assignment(const Topology &topology, const Axes &axes) : topology(&topology), axes(&axes) {
  assert(axes.size() <= maxAxes && "more axes than a word has bits");
  entries.resize(topology.getNumNodes() * axes.size());
  pins.resize(getGraph().cells.size() * axes.size());
  closedDims.resize(topology.getNumDims(), 0);
  pinnedAxes.resize(topology.getNumDims(), 0);
  choices.resize(topology.getNumDims(), 0);
}

//===----------------------------------------------------------------------===//
// What follows from it
//===----------------------------------------------------------------------===//

int64_t Assignment::getParts(NodeId node, uint8_t factor) const {
  int64_t parts = 1;
  const Entry *row = &entries[index(node, AxisId(0))];
  for (uint32_t axis = 0; axis < axes->size(); ++axis)
    if (row[axis].factor == factor)
      parts *= (*axes)[AxisId(axis)].size;
  return parts;
}

DimAxes Assignment::getFactorAxes(NodeId node, uint8_t factor) const {
  DimAxes list;
  for (AxisId axis : idRange<AxisId>(axes->size()))
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
  for (AxisId axis : idRange<AxisId>(axes->size())) {
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
  if (getPin(topology->getRepresentative(cell), axis).kind != PinKind::None)
    return false;
  if (NodeId place = topology->getPlace(cell); place.isValid())
    return getFactor(place, axis) == sumFactor;
  OpId definition = topology->getDefinition(cell);
  if (!definition.isValid())
    return false;
  uint8_t factor = getFactor(topology->getNode(definition), axis);
  llvm::ArrayRef<Factor> factors = getGraph().getFactors(definition);
  return factor == sumFactor || (factor < factors.size() && factors[factor].combiner == Combiner::Add);
}

llvm::SmallVector<AxisId, 2> Assignment::getReducedAxes(OpId op) const {
  llvm::SmallVector<AxisId, 2> reduced;
  llvm::ArrayRef<Factor> factors = getGraph().getFactors(op);
  for (AxisId axis : idRange<AxisId>(axes->size())) {
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

void Assignment::assign(NodeId node, AxisId axis, uint8_t factor, uint32_t step) {
  Entry &entry = entries[index(node, axis)];
  assert(entry.factor == noFactor && "an axis splits one factor of a node");
  entry = {factor, step};
  trail.push_back({ChangeKind::Assign, axis, index(node, axis), {}});
}

void Assignment::setPin(CellId cell, AxisId axis, PinEntry entry) {
  PinEntry &current = pins[index(cell, axis)];
  uint32_t bit = uint32_t(1) << axis.get();
  if (current.pin.kind == PinKind::Tile)
    pinnedAxes[topology->getDim(cell, current.pin.dim)] &= ~bit;
  if (entry.pin.kind == PinKind::Tile)
    pinnedAxes[topology->getDim(cell, entry.pin.dim)] |= bit;
  current = entry;
}

void Assignment::pin(CellId cell, AxisId axis, Pin pin, uint32_t step) {
  assert(topology->getRepresentative(cell) == cell && "pins are on representatives");
  if (getPin(cell, axis) == pin)
    return;
  trail.push_back({ChangeKind::Pin, axis, index(cell, axis), pins[index(cell, axis)]});
  setPin(cell, axis, {pin, step});
}

void Assignment::close(DimId dim) {
  if (isClosed(dim))
    return;
  closedDims[dim] = 1;
  trail.push_back({ChangeKind::Close, AxisId(), dim.get(), {}});
}

void Assignment::choose(DimId dim, AxisId axis) {
  if (isChosen(dim, axis))
    return;
  choices[dim] |= uint32_t(1) << axis.get();
  trail.push_back({ChangeKind::Choose, axis, dim.get(), {}});
}

void Assignment::rollback(size_t mark) {
  assert(mark <= trail.size() && "a mark from the future");
  while (trail.size() > mark) {
    const Change &change = trail.back();
    switch (change.kind) {
    case ChangeKind::Assign:
      entries[change.index] = Entry();
      break;
    case ChangeKind::Pin:
      setPin(CellId(change.index / axes->size()), change.axis, change.oldPin);
      break;
    case ChangeKind::Close:
      closedDims[DimId(change.index)] = 0;
      break;
    case ChangeKind::Choose:
      choices[DimId(change.index)] &= ~(uint32_t(1) << change.axis.get());
      break;
    }
    trail.pop_back();
  }
}

bool Assignment::isEquivalent(const Assignment &other) const {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].factor != other.entries[i].factor)
      return false;
  for (size_t i = 0; i < pins.size(); ++i)
    if (!(pins[i].pin == other.pins[i].pin))
      return false;
  for (NodeId node : idRange<NodeId>(topology->getNumNodes()))
    for (uint32_t factor = 0; factor < topology->getNumSlots(node); ++factor)
      if (getFactorAxes(node, factor) != other.getFactorAxes(node, factor))
        return false;
  return closedDims == other.closedDims && choices == other.choices;
}

} // namespace partita
