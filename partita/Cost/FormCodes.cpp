//===- FormCodes.cpp - forms as a word or two -----------------------------===//

#include "partita/Cost/FormCodes.h"

#include "partita/Cost/CellTransfers.h"

namespace partita {

/// Above every code of a place.
static constexpr uint64_t partialCode = 0xFF00;
static constexpr uint32_t maxPosition = 32;

static uint64_t getPlaceCode(uint32_t dim, uint32_t position) { return 1 + uint64_t(dim) * maxPosition + position; }
static uint64_t getPartialCode(Combiner combiner) { return partialCode + static_cast<uint64_t>(combiner); }

FormCodes::FormCodes(const Topology &topology, const Axes &axes, const FusionPlan &fusion)
    : topology(topology), graph(topology.getGraph()), fusion(fusion), numAxes(axes.size()),
      numWords((axes.size() + axesPerWord - 1) / axesPerWord) {
  addTables();
}

void FormCodes::addTables() {
  isBrought.resize(graph.uses.size(), 0);
  isSliced.resize(graph.uses.size(), 0);
  firstFactors.resize(graph.uses.size() + graph.definitions.size());
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    for (uint32_t value = 0; value < info.numUses + info.numDefinitions; ++value) {
      uint32_t first = factorDims.size();
      bool isOperand = value < info.numUses;
      firstFactors[isOperand ? info.firstUse + value
                             : graph.uses.size() + info.firstDefinition + value - info.numUses] = first;
      factorDims.resize(first + info.numFactors);
      for (const DimFactor &entry : graph.getDimFactors(op))
        if (entry.value == value)
          factorDims[first + entry.factor] = {entry.dim, entry.position};
    }
    if (fusion.getRole(op) == FusionRole::Slice && info.numUses > 0)
      isSliced[UseId(info.firstUse)] = 1;
    if (info.numDefinitions == 1 && graph.cells[graph.getResults(op)[0]].kind != CellKind::OpResult)
      for (uint32_t number = 0; number < info.numUses; ++number)
        isBrought[UseId(info.firstUse + number)] = 1;
  }
}

/// Codes of the axes that split a factor of the value.
void FormCodes::placeAxes(const Assignment &assignment, NodeId node, const FactorDim *dims, UnitKey &key,
                          size_t first) const {
  struct Placed {
    AxisId axis;
    FactorDim at;
  };
  llvm::SmallVector<Placed, 8> placed;
  for (AxisId axis : idRange<AxisId>(numAxes)) {
    uint8_t factor = assignment.getFactor(node, axis);
    if (factor < sumFactor && dims[factor].dim != noDim)
      placed.push_back({axis, dims[factor]});
  }
  auto isBefore = [&](const Placed &a, const Placed &b) {
    if (a.at.position != b.at.position)
      return a.at.position < b.at.position;
    uint32_t stepA = assignment.getStep(node, a.axis), stepB = assignment.getStep(node, b.axis);
    return stepA != stepB ? stepA < stepB : a.axis < b.axis;
  };
  for (const Placed &one : placed) {
    uint32_t position = 0;
    if (placed.size() > 1)
      for (const Placed &other : placed)
        position += other.at.dim == one.at.dim && isBefore(other, one);
    set(key, first, one.axis, getPlaceCode(one.at.dim, position));
  }
}

void FormCodes::addOperand(const Assignment &assignment, UseId use, UnitKey &key) const {
  size_t first = begin(key);
  OpId op = topology.getUser(use);
  NodeId node = topology.getNode(op);
  const Op &info = graph.ops[op];
  placeAxes(assignment, node, factorDims.data() + firstFactors[use.get()], key, first);
  if (info.linearity == Linearity::None || !takesSums(info, use.get() - info.firstUse))
    return;
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.getFactor(node, axis) == sumFactor)
      set(key, first, axis, getPartialCode(Combiner::Add));
}

void FormCodes::addResult(const Assignment &assignment, OpId op, uint32_t result, UnitKey &key) const {
  size_t first = begin(key);
  NodeId node = topology.getNode(op);
  placeAxes(assignment, node,
            factorDims.data() + firstFactors[graph.uses.size() + graph.ops[op].firstDefinition + result], key, first);
  llvm::ArrayRef<Factor> factors = graph.getFactors(op);
  for (AxisId axis : idRange<AxisId>(numAxes)) {
    uint8_t factor = assignment.getFactor(node, axis);
    if (factor == sumFactor)
      set(key, first, axis, getPartialCode(Combiner::Add));
    else if (factor < factors.size() && factors[factor].kind == FactorKind::Reduce)
      set(key, first, axis, getPartialCode(factors[factor].combiner));
  }
}

void FormCodes::addSharding(const Sharding &sharding, UnitKey &key, size_t first) const {
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    for (auto [position, axis] : llvm::enumerate(axes))
      set(key, first, axis, getPlaceCode(dim, position));
}

bool FormCodes::isPinned(const Assignment &assignment, CellId cell) const {
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.isPinned(cell, axis))
      return true;
  return false;
}

void FormCodes::addPlace(const Assignment &assignment, CellId cell, UnitKey &key) const {
  size_t first = begin(key);
  addSharding(assignment.getCellSharding(cell), key, first);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (assignment.isPartialSum(cell, axis))
      set(key, first, axis, getPartialCode(Combiner::Add));
}

/// The form of the cell to which an identity brings its operand.
void FormCodes::addBroughtForm(const Assignment &assignment, OpId op, UnitKey &key) const {
  CellId cell = graph.getResults(op)[0], representative = topology.getRepresentative(cell);
  if (topology.getPlace(cell).isValid())
    return addPlace(assignment, cell, key);
  size_t first = begin(key);
  if (representative != cell || isPinned(assignment, cell))
    return addSharding(assignment.getCellSharding(cell), key, first);
  placeAxes(assignment, topology.getNode(op),
            factorDims.data() + firstFactors[graph.uses.size() + graph.ops[op].firstDefinition], key, first);
}

bool FormCodes::isBroughtChanged(const Assignment &assignment, OpId op) const {
  UnitKey given, wanted;
  addResult(assignment, op, 0, given);
  addBroughtForm(assignment, op, wanted);
  return given != wanted;
}

/// The argument whose buffer a result takes, if that depends on the assignment.
void FormCodes::addPair(const DonorPairs &pairs, OpId op, UnitKey &key) const {
  if (CellId cell = graph.getResults(op)[0]; pairs.matters(cell))
    key.push_back(pairs.getArgument(cell).get());
}

void FormCodes::addUse(const Assignment &assignment, const DonorPairs &pairs, UseId use, UnitKey &key) const {
  addOperand(assignment, use, key);
  if (isSliced[use])
    addResult(assignment, topology.getUser(use), 0, key);
  if (!isBrought[use])
    return;
  key.push_back(isBroughtChanged(assignment, topology.getUser(use)));
  addPair(pairs, topology.getUser(use), key);
}

void FormCodes::build(const Assignment &assignment, const DonorPairs &pairs, const Unit &unit, UnitKey &key) const {
  switch (unit.kind) {
  case UnitKind::Op: {
    size_t first = begin(key);
    for (AxisId axis : idRange<AxisId>(numAxes))
      set(key, first, axis, assignment.getFactor(topology.getNode(unit.op), axis));
    return;
  }
  case UnitKind::Place:
    addPlace(assignment, unit.cell, key);
    break;
  case UnitKind::Definition:
    addResult(assignment, unit.op, unit.result, key);
    // What is written is what it is updated with.
    if (fusion.getRole(unit.op) == FusionRole::Update)
      addOperand(assignment, UseId(graph.ops[unit.op].firstUse + 1), key);
    if (graph.cells[unit.cell].kind != CellKind::OpResult) {
      addPair(pairs, unit.op, key);
      return addBroughtForm(assignment, unit.op, key);
    }
    if (isPinned(assignment, unit.cell)) {
      uint64_t pinned = 0;
      for (AxisId axis : idRange<AxisId>(numAxes))
        pinned |= uint64_t(assignment.isPinned(unit.cell, axis)) << axis.get();
      key.push_back(pinned);
      addSharding(assignment.getCellSharding(unit.cell), key, begin(key));
    }
    break;
  }
  for (UseId use : topology.getUses(unit.cell))
    addUse(assignment, pairs, use, key);
}

} // namespace partita
