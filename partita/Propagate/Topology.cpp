//===- Topology.cpp - the graph, indexed by nodes, op factors and dims ----===//

#include "partita/Propagate/Topology.h"

#include "partita/Graph/SeparatedTies.h"

namespace partita::propagate {

/// Turns counts into the beginnings of ranges. The last entry becomes the end of the last range.
static void accumulate(std::vector<uint32_t> &counts) {
  uint32_t sum = 0;
  for (uint32_t &count : counts) {
    uint32_t begin = sum;
    sum += count;
    count = begin;
  }
}

Topology::Topology(const Graph &graph) : graph(&graph) {
  addBoundaryNodes();
  addOpFactors();
  addFactorDims();
  indexDims();
  indexUses();
  indexDefinitions();
  findZeros();
  findStacks();
}

llvm::ArrayRef<Factor> Topology::getFactors(NodeId node) const {
  if (isOp(node))
    return graph->getFactors(getOp(node));
  const Cell &cell = graph->cells[getBoundaryCell(node)];
  return llvm::ArrayRef(boundaryFactors).slice(cell.firstDim, cell.rank);
}

static bool isBoundaryKind(CellKind kind) {
  return kind == CellKind::Argument || kind == CellKind::Carried || kind == CellKind::Branch;
}

void Topology::addBoundaryNodes() {
  size_t numCells = graph->cells.size();
  representatives.resize(numCells);
  boundaryNodes.resize(numCells);
  definitions.resize(numCells);
  sources.resize(numCells);
  resultNumbers.resize(numCells, 0);
  firstDims.resize(numCells, 0);
  for (CellId cell : idRange<CellId>(numCells))
    representatives[cell] = cell;
  for (auto [tie, isSeparated] : llvm::zip_equal(graph->ties, findSeparatedTies(*graph)))
    if (!isSeparated)
      representatives[tie.result] = tie.argument;
  firstDefinitions.assign(numCells + 1, 0);
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (auto [number, cell] : llvm::enumerate(graph->getResults(op))) {
      if (isBoundaryKind(graph->cells[cell].kind)) {
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
    if (isBoundaryKind(graph->cells[cell].kind)) {
      boundaryNodes[cell] = NodeId(graph->ops.size() + boundaryCells.size());
      boundaryCells.push_back(cell);
    }
    sources[cell] = boundaryNodes[cell].isValid() ? boundaryNodes[cell] : NodeId(definitions[cell].get());
    if (representatives[cell] != cell)
      continue;
    firstDims[cell] = dimCells.size();
    for (uint32_t dim = 0; dim < graph->cells[cell].rank; ++dim)
      dimCells.push_back(cell);
  }
}

void Topology::addOpFactors() {
  // The factors of a boundary node are its dims: they have the same positions as the sizes.
  for (int64_t size : graph->sizes)
    boundaryFactors.push_back({FactorKind::Parallel, Combiner::None, size});
  size_t numNodes = graph->ops.size() + boundaryCells.size();
  firstOpFactors.reserve(numNodes + 1);
  uint32_t numOpFactors = 0;
  for (NodeId node : idRange<NodeId>(numNodes)) {
    firstOpFactors.push_back(numOpFactors);
    numOpFactors += isOp(node) ? graph->ops[getOp(node)].numFactors : graph->cells[getBoundaryCell(node)].rank;
  }
  firstOpFactors.push_back(numOpFactors);
  opFactors.resize(numOpFactors + 1);
  splitSizes.resize(numOpFactors);
  for (NodeId node : idRange<NodeId>(numNodes)) {
    uint8_t number = 0;
    for (const Factor &factor : getFactors(node)) {
      OpFactorId id = getOpFactor(node, number);
      OpFactorInfo &opFactor = opFactors[id];
      opFactor.node = node;
      opFactor.factor = number++;
      opFactor.isAdded = factor.combiner == Combiner::Add;
      // A factor of size 1 counts as splittable, whatever its kind: nothing is left to split.
      bool mayBeSplit = factor.size == 1 || (factor.isSplittable() && factor.size > 1);
      splitSizes[id] = mayBeSplit ? factor.size : -1;
    }
  }
}

/// Adds the dims of all op factors of an op, of which `opFactor` is the first; they are adjacent.
void Topology::addOpDims(OpFactorInfo &opFactor) {
  OpId op = getOp(opFactor.node);
  llvm::ArrayRef<CellId> operands = graph->getOperands(op), results = graph->getResults(op);
  llvm::ArrayRef<DimFactor> entries = graph->getDimFactors(op);
  llvm::MutableArrayRef<OpFactorInfo> ofFactor(&opFactor, graph->ops[op].numFactors);
  // Count the dims of each, then compute where they begin. Operands come before results.
  for (const DimFactor &entry : entries) {
    OpFactorInfo &own = ofFactor[entry.factor];
    ++own.firstDim;
    own.firstDefinedDim += entry.value < operands.size();
    own.isMinor |= entry.position != 0;
  }
  llvm::SmallVector<uint32_t, 8> next;
  uint32_t end = factorDims.size();
  for (OpFactorInfo &own : ofFactor) {
    uint32_t begin = end;
    next.push_back(begin);
    end += own.firstDim;
    own.firstDim = begin;
    own.firstDefinedDim += begin;
  }
  factorDims.resize(end);
  for (const DimFactor &entry : entries) {
    bool isOperand = entry.value < operands.size();
    CellId cell = isOperand ? operands[entry.value] : results[entry.value - operands.size()];
    factorDims[next[entry.factor]++] = {getDim(cell, entry.dim)};
  }
  for (const OpFactorInfo &own : ofFactor) {
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

void Topology::addFactorDims() {
  firstMajors.reserve(opFactors.size());
  size_t numDims = 0;
  for (const Op &op : graph->ops.raw())
    numDims += op.numDimFactors;
  for (CellId cell : boundaryCells)
    numDims += graph->cells[cell].rank;
  factorDims.reserve(numDims);
  for (NodeId node : idRange<NodeId>(getNumNodes())) {
    uint32_t numOpFactors = getNumOpFactors(node);
    if (isOp(node) && numOpFactors > 0)
      addOpDims(opFactors[getOpFactor(node, 0)]);
    for (uint32_t factor = 0; !isOp(node) && factor < numOpFactors; ++factor) {
      OpFactorInfo &opFactor = opFactors[getOpFactor(node, static_cast<uint8_t>(factor))];
      opFactor.firstDim = opFactor.firstDefinedDim = factorDims.size();
      firstMajors.push_back(majors.size());
      factorDims.push_back({getDim(getBoundaryCell(node), factor)});
    }
  }
  OpFactorInfo &end = opFactors[OpFactorId(static_cast<uint32_t>(getNumOpFactors()))];
  end.firstDim = end.firstDefinedDim = factorDims.size();
  firstMajors.push_back(majors.size());
}

void Topology::indexDims() {
  firstDimOpFactors.assign(dimCells.size() + 1, 0);
  for (const FactorDim &entry : factorDims)
    ++firstDimOpFactors[entry.dim.get()];
  accumulate(firstDimOpFactors);
  std::vector<uint32_t> next = firstDimOpFactors;
  dimOpFactors.resize(factorDims.size());
  for (OpFactorId opFactor : idRange<OpFactorId>(getNumOpFactors()))
    for (const FactorDim &entry : getDims(opFactor))
      dimOpFactors[next[entry.dim.get()]++] = opFactor;
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

/// addBoundaryNodes has counted the definitions.
void Topology::indexDefinitions() {
  accumulate(firstDefinitions);
  boundaryDefinitions.resize(firstDefinitions.back());
  if (boundaryDefinitions.empty())
    return;
  std::vector<uint32_t> next = firstDefinitions;
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (CellId cell : graph->getResults(op))
      if (boundaryNodes[cell].isValid())
        boundaryDefinitions[next[cell.get()]++] = op;
}

/// Whether `op` gives only zeros; `zeros` is complete for the ops before it.
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
  case Linearity::Choice:
    return isZero(operands[1]) && isZero(operands[2]);
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

llvm::SmallVector<UseId> findUses(const Topology &topology, CellId cell, llvm::ArrayRef<CellId> results) {
  llvm::SmallVector<UseId> uses;
  for (UseId use : topology.getUses(cell))
    if (llvm::any_of(topology.getGraph().getResults(topology.getUser(use)),
                     [&](CellId result) { return llvm::is_contained(results, result); }))
      uses.push_back(use);
  llvm::sort(uses);
  return uses;
}

bool isOfLoop(const Graph &graph, RegionId region, RegionId body) {
  for (; region.isValid(); region = graph.regions[region].parent) {
    // A loop's condition is the region before its body.
    bool isCondition = region.get() + 1 == body.get() && graph.regions[region].kind == RegionKind::LoopCondition;
    if (region == body || isCondition)
      return true;
  }
  return false;
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

} // namespace partita::propagate
