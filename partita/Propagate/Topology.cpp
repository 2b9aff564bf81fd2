//===- Topology.cpp - who touches which dim: the graph, indexed -----------===//

#include "partita/Propagate/Topology.h"

namespace partita {

/// Turns counts into the beginnings of ranges; one entry more than there are counts.
static void accumulate(std::vector<uint32_t> &counts) {
  uint32_t sum = 0;
  for (uint32_t &count : counts) {
    uint32_t begin = sum;
    sum += count;
    count = begin;
  }
}

Topology::Topology(const Graph &graph) : graph(&graph) {
  addPlaces();
  addSlots();
  addSlotDims();
  indexDims();
  indexUses();
  indexDefinitions();
  findZeros();
  findStacks();
}

llvm::ArrayRef<Factor> Topology::getFactors(NodeId node) const {
  if (isOp(node))
    return graph->getFactors(getOp(node));
  const Cell &cell = graph->cells[getPlaceCell(node)];
  return llvm::ArrayRef(placeFactors).slice(cell.firstDim, cell.rank);
}

static bool isPlaceKind(CellKind kind) {
  return kind == CellKind::Argument || kind == CellKind::Carried || kind == CellKind::Branch;
}

void Topology::addPlaces() {
  size_t numCells = graph->cells.size();
  representatives.resize(numCells);
  places.resize(numCells);
  definitions.resize(numCells);
  sources.resize(numCells);
  resultNumbers.resize(numCells, 0);
  firstDims.resize(numCells, 0);
  for (CellId cell : idRange<CellId>(numCells))
    representatives[cell] = cell;
  for (const Tie &tie : graph->ties)
    if (graph->getShape(tie.argument) == graph->getShape(tie.result))
      representatives[tie.result] = tie.argument;
  firstDefinitions.assign(numCells + 1, 0);
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (auto [number, cell] : llvm::enumerate(graph->getResults(op))) {
      if (isPlaceKind(graph->cells[cell].kind)) {
        ++firstDefinitions[cell.get()];
        continue;
      }
      definitions[cell] = op;
      resultNumbers[cell] = number;
    }
  size_t numDims = 0;
  for (CellId cell : idRange<CellId>(numCells))
    numDims += representatives[cell] == cell ? graph->cells[cell].rank : 0;
  dimCells.reserve(numDims);
  for (CellId cell : idRange<CellId>(numCells)) {
    if (isPlaceKind(graph->cells[cell].kind)) {
      places[cell] = NodeId(graph->ops.size() + placeCells.size());
      placeCells.push_back(cell);
    }
    sources[cell] = places[cell].isValid() ? places[cell] : NodeId(definitions[cell].get());
    if (representatives[cell] != cell)
      continue;
    firstDims[cell] = dimCells.size();
    for (uint32_t dim = 0; dim < graph->cells[cell].rank; ++dim)
      dimCells.push_back(cell);
  }
}

void Topology::addSlots() {
  // Factors of a place are its dims: they stand where the sizes stand.
  for (int64_t size : graph->sizes)
    placeFactors.push_back({FactorKind::Parallel, Combiner::None, size});
  size_t numNodes = graph->ops.size() + placeCells.size();
  firstSlots.reserve(numNodes + 1);
  uint32_t numSlots = 0;
  for (NodeId node : idRange<NodeId>(numNodes)) {
    firstSlots.push_back(numSlots);
    numSlots += isOp(node) ? graph->ops[getOp(node)].numFactors : graph->cells[getPlaceCell(node)].rank;
  }
  firstSlots.push_back(numSlots);
  slots.resize(numSlots + 1);
  splitSizes.resize(numSlots);
  for (NodeId node : idRange<NodeId>(numNodes)) {
    uint8_t number = 0;
    for (const Factor &factor : getFactors(node)) {
      SlotId id = getSlot(node, number);
      SlotInfo &slot = slots[id];
      slot.node = node;
      slot.factor = number++;
      slot.isAdded = factor.combiner == Combiner::Add;
      // Of a factor of 1 nothing is left to split, whatever it is.
      bool mayBeSplit = factor.size == 1 || (factor.isSplittable() && factor.size > 1);
      splitSizes[id] = mayBeSplit ? factor.size : -1;
    }
  }
}

/// Of all slots of an op, of which `slot` is the first: one for each factor, side by side.
void Topology::addOpDims(SlotInfo &slot) {
  OpId op = getOp(slot.node);
  llvm::ArrayRef<CellId> operands = graph->getOperands(op), results = graph->getResults(op);
  llvm::ArrayRef<DimFactor> entries = graph->getDimFactors(op);
  llvm::MutableArrayRef<SlotInfo> ofFactor(&slot, graph->ops[op].numFactors);
  // How many dims each has, then where they begin. Operands come before results.
  for (const DimFactor &entry : entries) {
    SlotInfo &own = ofFactor[entry.factor];
    ++own.firstDim;
    own.firstDefinedDim += entry.value < operands.size();
    own.isMinor |= entry.position != 0;
  }
  llvm::SmallVector<uint32_t, 8> next;
  uint32_t end = slotDims.size();
  for (SlotInfo &own : ofFactor) {
    uint32_t begin = end;
    next.push_back(begin);
    end += own.firstDim;
    own.firstDim = begin;
    own.firstDefinedDim += begin;
  }
  slotDims.resize(end);
  for (const DimFactor &entry : entries) {
    bool isOperand = entry.value < operands.size();
    CellId cell = isOperand ? operands[entry.value] : results[entry.value - operands.size()];
    slotDims[next[entry.factor]++] = {getDim(cell, entry.dim)};
  }
  for (const SlotInfo &own : ofFactor) {
    firstMajors.push_back(majors.size());
    if (!own.isMinor)
      continue;
    for (const DimFactor &entry : entries)
      for (const DimFactor &other : entries)
        if (entry.factor == own.factor && other.value == entry.value && other.dim == entry.dim &&
            other.position < entry.position)
          majors.push_back(other.factor);
  }
}

void Topology::addSlotDims() {
  firstMajors.reserve(slots.size());
  size_t numDims = 0;
  for (const Op &op : graph->ops.raw())
    numDims += op.numDimFactors;
  for (CellId cell : placeCells)
    numDims += graph->cells[cell].rank;
  slotDims.reserve(numDims);
  for (NodeId node : idRange<NodeId>(getNumNodes())) {
    uint32_t numSlots = getNumSlots(node);
    if (isOp(node) && numSlots > 0)
      addOpDims(slots[getSlot(node, 0)]);
    for (uint32_t factor = 0; !isOp(node) && factor < numSlots; ++factor) {
      SlotInfo &slot = slots[getSlot(node, static_cast<uint8_t>(factor))];
      slot.firstDim = slot.firstDefinedDim = slotDims.size();
      firstMajors.push_back(majors.size());
      slotDims.push_back({getDim(getPlaceCell(node), factor)});
    }
  }
  SlotInfo &end = slots[SlotId(static_cast<uint32_t>(getNumSlots()))];
  end.firstDim = end.firstDefinedDim = slotDims.size();
  firstMajors.push_back(majors.size());
}

void Topology::indexDims() {
  firstDimSlots.assign(dimCells.size() + 1, 0);
  for (const SlotDim &entry : slotDims)
    ++firstDimSlots[entry.dim.get()];
  accumulate(firstDimSlots);
  std::vector<uint32_t> next = firstDimSlots;
  dimSlots.resize(slotDims.size());
  for (SlotId slot : idRange<SlotId>(getNumSlots()))
    for (const SlotDim &entry : getDims(slot))
      dimSlots[next[entry.dim.get()]++] = slot;
}

void Topology::indexUses() {
  users.resize(graph->uses.size());
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (uint32_t i = 0; i < graph->ops[op].numUses; ++i)
      users[UseId(graph->ops[op].firstUse + i)] = op;
  firstUses.assign(graph->cells.size() + 1, 0);
  for (CellId cell : graph->uses.raw())
    ++firstUses[representatives[cell].get()];
  accumulate(firstUses);
  std::vector<uint32_t> next = firstUses;
  cellUses.resize(graph->uses.size());
  for (UseId use : idRange<UseId>(graph->uses.size()))
    cellUses[next[representatives[graph->uses[use]].get()]++] = use;
}

/// They were counted with the places.
void Topology::indexDefinitions() {
  accumulate(firstDefinitions);
  placeDefinitions.resize(firstDefinitions.back());
  if (placeDefinitions.empty())
    return;
  std::vector<uint32_t> next = firstDefinitions;
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (CellId cell : graph->getResults(op))
      if (places[cell].isValid())
        placeDefinitions[next[cell.get()]++] = op;
}

/// Whether `op` gives nothing but zeros; known of the ops before it.
static bool givesZeros(const Graph &graph, OpId op, const IdVector<CellId, uint8_t> &zeros) {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  auto isZero = [&](CellId cell) { return zeros[cell] != 0; };
  switch (graph.ops[op].linearity) {
  case Linearity::None:
  case Linearity::Second:
    return false;
  case Linearity::Zero:
    return true;
  case Linearity::Sum:
    return llvm::all_of(operands, isZero);
  case Linearity::First:
    return operands.size() == 1 && isZero(operands[0]);
  case Linearity::Update:
    return isZero(operands[0]) && isZero(operands[1]);
  }
  return false;
}

void Topology::findZeros() {
  zeros.resize(graph->cells.size(), 0);
  for (OpId op : idRange<OpId>(graph->ops.size()))
    if (givesZeros(*graph, op, zeros))
      for (CellId cell : graph->getResults(op))
        if (definitions[cell] == op)
          zeros[cell] = 1;
}

static bool isInside(const Graph &graph, RegionId region, RegionId outer) {
  while (region.isValid() && region != outer)
    region = graph.regions[region].parent;
  return region.isValid();
}

bool isOfLoop(const Graph &graph, RegionId region, RegionId body) {
  return isInside(graph, region, body) || graph.regions[region].kind == RegionKind::LoopCondition;
}

void Topology::findStacks() {
  stacks.resize(graph->cells.size(), 0);
  for (const SteppedDim &step : graph->steppedDims) {
    const Cell &cell = graph->cells[step.cell];
    auto isUpdated = [&](UseId use) {
      const Op &user = graph->ops[getUser(use)];
      return (user.linearity == Linearity::Update && use.get() == user.firstUse) ||
             !isOfLoop(*graph, user.region, cell.region);
    };
    if (cell.kind == CellKind::Carried && step.loop == cell.region && llvm::all_of(getUses(step.cell), isUpdated))
      stacks[step.cell] = 1;
  }
}

} // namespace partita
