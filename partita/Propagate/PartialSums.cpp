//===- PartialSums.cpp - who carries partial sums on ----------------------===//
//
// The greatest set that agrees with itself: everything that might take a sum
// does, until something that it rests on does not. What no split reduction
// feeds is then taken out again.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/PartialSums.h"

namespace partita {

namespace {

class Derivation {
public:
  explicit Derivation(const Assignment &assignment)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()) {
    sums.ops.resize(graph.ops.size(), 0);
    sums.carried.resize(graph.cells.size(), 0);
    sums.zeros.resize(graph.cells.size(), 0);
    reduced.resize(graph.ops.size(), 0);
    pinned.resize(graph.cells.size(), 0);
    isQueued.resize(graph.ops.size(), 0);
  }

  PartialSums run();

private:
  // What might be.
  void findPins();
  void addCandidates(OpId op);
  void addCarried(CellId cell);
  void findZeros(OpId op);

  // What agrees.
  /// Axes over which the cell's value is partial.
  uint32_t getPartial(CellId cell) const;
  uint32_t getPartialOrZero(CellId cell) const { return sums.zeros[cell] ? ~uint32_t(0) : getPartial(cell); }
  /// Axes over which the op at every use of the cell takes the sum.
  uint32_t getTakenByAllUses(CellId cell) const;
  uint32_t getAgreement(OpId op) const;
  uint32_t getAgreement(CellId carried) const;
  void shrink(OpId op);
  void shrinkCarried(CellId cell);
  void enqueueAround(CellId cell);
  void settle();
  bool dropUnfed();

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  PartialSums sums;
  IdVector<OpId, uint32_t> reduced;
  IdVector<CellId, uint32_t> pinned;
  std::vector<CellId> carriedCells;
  std::vector<OpId> queue;
  IdVector<OpId, uint8_t> isQueued;
};

} // namespace

//===----------------------------------------------------------------------===//
// What might be
//===----------------------------------------------------------------------===//

static uint32_t getAssignedAxes(const Assignment &assignment, NodeId node) {
  uint32_t mask = 0;
  for (AxisId axis : idRange<AxisId>(assignment.getAxes().size()))
    if (assignment.getFactor(node, axis) != noFactor)
      mask |= uint32_t(1) << axis.get();
  return mask;
}

static uint32_t getAllAxes(const Assignment &assignment) {
  return static_cast<uint32_t>((uint64_t(1) << assignment.getAxes().size()) - 1);
}

void Derivation::findPins() {
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (AxisId axis : idRange<AxisId>(assignment.getAxes().size()))
      if (assignment.getPin(topology.getRepresentative(cell), axis).kind != PinKind::None)
        pinned[cell] |= uint32_t(1) << axis.get();
}

void Derivation::findZeros(OpId op) {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  auto isZero = [&](CellId cell) { return sums.zeros[cell] != 0; };
  bool isAllZero = false;
  switch (graph.ops[op].linearity) {
  case Linearity::None:
    break;
  case Linearity::Zero:
    isAllZero = true;
    break;
  case Linearity::Sum:
    isAllZero = llvm::all_of(operands, isZero);
    break;
  case Linearity::First:
    isAllZero = isZero(operands[0]) && operands.size() == 1;
    break;
  case Linearity::Second:
    break;
  case Linearity::Update:
    isAllZero = isZero(operands[0]) && isZero(operands[1]);
    break;
  }
  if (isAllZero)
    for (CellId cell : graph.getResults(op))
      if (topology.getDefinition(cell) == op)
        sums.zeros[cell] = 1;
}

void Derivation::addCandidates(OpId op) {
  const Op &info = graph.ops[op];
  if (assignment.getCombiner(op) == Combiner::Add)
    for (AxisId axis : assignment.getReducedAxes(op))
      reduced[op] |= uint32_t(1) << axis.get();
  bool isBound = info.role == IdentityRole::Result || info.role == IdentityRole::Constraint ||
                 info.role == IdentityRole::BranchYield || info.role == IdentityRole::Boundary;
  bool isLinear = info.linearity != Linearity::None && info.linearity != Linearity::Zero;
  if (!isBound && isLinear)
    sums.ops[op] = getAllAxes(assignment) & ~getAssignedAxes(assignment, topology.getNode(op));
}

void Derivation::addCarried(CellId cell) {
  carriedCells.push_back(cell);
  sums.carried[cell] = getAllAxes(assignment) & ~getAssignedAxes(assignment, topology.getPlace(cell)) & ~pinned[cell];
}

//===----------------------------------------------------------------------===//
// What agrees
//===----------------------------------------------------------------------===//

uint32_t Derivation::getPartial(CellId cell) const {
  if (graph.cells[cell].kind == CellKind::Carried)
    return sums.carried[cell];
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid())
    return 0;
  return (reduced[definition] | sums.ops[definition]) & ~pinned[cell];
}

uint32_t Derivation::getTakenByAllUses(CellId cell) const {
  uint32_t taken = ~uint32_t(0);
  for (UseId use : topology.getUses(cell))
    taken &= sums.ops[topology.getUser(use)];
  return taken;
}

uint32_t Derivation::getAgreement(OpId op) const {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  CellId result = graph.getResults(op).front();
  bool isCarried = graph.cells[result].kind == CellKind::Carried;
  uint32_t taken = isCarried ? sums.carried[result] : getTakenByAllUses(result) & ~pinned[result];
  switch (graph.ops[op].linearity) {
  case Linearity::None:
  case Linearity::Zero:
    return 0;
  case Linearity::First:
    return getPartial(operands[0]) & taken;
  case Linearity::Second:
    return getPartial(operands[1]) & taken;
  case Linearity::Update:
    return getPartialOrZero(operands[0]) & getPartialOrZero(operands[1]) & taken;
  case Linearity::Sum:
    break;
  }
  if (operands.size() == 1)
    return getPartialOrZero(operands[0]) & taken;
  uint32_t all = ~uint32_t(0), saved = 0;
  for (CellId operand : operands) {
    all &= getPartialOrZero(operand);
    saved |= getPartial(operand) & getTakenByAllUses(operand);
  }
  return all & saved;
}

static bool isInside(const Graph &graph, RegionId region, RegionId outer) {
  while (region.isValid() && region != outer)
    region = graph.regions[region].parent;
  return region.isValid();
}

/// Entry, yield and all uses in the body take the sum.
uint32_t Derivation::getAgreement(CellId carried) const {
  uint32_t taken = ~uint32_t(0);
  RegionId body = graph.cells[carried].region;
  for (UseId use : topology.getUses(carried)) {
    OpId user = topology.getUser(use);
    RegionId region = graph.ops[user].region;
    if (isInside(graph, region, body) || graph.regions[region].kind == RegionKind::LoopCondition)
      taken &= sums.ops[user];
  }
  for (OpId definition : topology.getDefinitions(carried))
    taken &= sums.ops[definition];
  return taken;
}

void Derivation::enqueueAround(CellId cell) {
  auto add = [&](OpId op) {
    if (sums.ops[op] != 0 && !isQueued[op]) {
      isQueued[op] = 1;
      queue.push_back(op);
    }
  };
  for (UseId use : topology.getUses(cell))
    add(topology.getUser(use));
  if (OpId definition = topology.getDefinition(cell); definition.isValid())
    add(definition);
  for (OpId definition : topology.getDefinitions(cell))
    add(definition);
}

void Derivation::shrinkCarried(CellId cell) {
  uint32_t agreed = sums.carried[cell] & getAgreement(cell);
  if (agreed == sums.carried[cell])
    return;
  sums.carried[cell] = agreed;
  enqueueAround(cell);
}

void Derivation::shrink(OpId op) {
  uint32_t agreed = sums.ops[op] & getAgreement(op);
  if (agreed == sums.ops[op])
    return;
  sums.ops[op] = agreed;
  auto revisit = [&](CellId cell) {
    enqueueAround(cell);
    if (graph.cells[cell].kind == CellKind::Carried)
      shrinkCarried(cell);
  };
  for (CellId operand : graph.getOperands(op))
    revisit(operand);
  for (CellId result : graph.getResults(op))
    revisit(result);
}

void Derivation::settle() {
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (sums.ops[op] != 0) {
      isQueued[op] = 1;
      queue.push_back(op);
    }
  for (CellId cell : carriedCells)
    shrinkCarried(cell);
  while (!queue.empty()) {
    OpId op = queue.back();
    queue.pop_back();
    isQueued[op] = 0;
    shrink(op);
  }
}

/// Takes out sums that no split reduction feeds; whether there were any.
bool Derivation::dropUnfed() {
  IdVector<CellId, uint32_t> fed(graph.cells.size(), 0);
  std::vector<CellId> stack;
  auto feed = [&](CellId cell, uint32_t axes) {
    if ((axes & ~fed[cell]) == 0)
      return;
    fed[cell] |= axes;
    stack.push_back(cell);
  };
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (reduced[op] != 0)
      for (CellId cell : graph.getResults(op))
        feed(cell, reduced[op] & getPartial(cell));
  while (!stack.empty()) {
    CellId cell = stack.back();
    stack.pop_back();
    for (UseId use : topology.getUses(cell))
      for (CellId result : graph.getResults(topology.getUser(use)))
        feed(result, fed[cell] & sums.ops[topology.getUser(use)] & getPartial(result));
  }
  bool isChanged = false;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    // What brings zeros to a carried value takes the sum with it.
    uint32_t kept = sums.ops[op] & fed[graph.ops[op].numDefinitions ? graph.getResults(op).front() : CellId(0)];
    isChanged |= kept != sums.ops[op];
    sums.ops[op] = kept;
  }
  for (CellId cell : carriedCells) {
    isChanged |= (sums.carried[cell] & ~fed[cell]) != 0;
    sums.carried[cell] &= fed[cell];
  }
  return isChanged;
}

PartialSums Derivation::run() {
  findPins();
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    findZeros(op);
    addCandidates(op);
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (graph.cells[cell].kind == CellKind::Carried)
      addCarried(cell);
  do
    settle();
  while (dropUnfed());
  return std::move(sums);
}

PartialSums derivePartialSums(const Assignment &assignment) { return Derivation(assignment).run(); }

} // namespace partita
