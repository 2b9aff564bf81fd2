//===- BoundStates.cpp - the node states of an op and their costs ---------===//

#include "partita/Search/Bound/BoundStates.h"

#include "partita/Propagate/PartialSumCarriers.h"

#include <algorithm>

namespace partita::search {

StateEnumeration::StateEnumeration(const CostModel &model)
    : model(model), graph(model.getGraph()), topology(model.getTopology()),
      assignment(model.getTopology(), model.getAxes()), sumCarriers(findPartialSumCarriers(topology)),
      whole(model.getAxes().size(), noFactor) {}

int64_t StateEnumeration::computeWritten(OpId op) const {
  const OpPricer &pricer = model.getOpPricer();
  const FusionPlan &fusion = model.getFusion();
  uint32_t numUses = graph.ops[op].numUses;
  bool isUpdate = fusion.getRole(op) == FusionRole::Update;
  int64_t timePs = 0;
  llvm::ArrayRef<CellId> results = graph.getResults(op);
  for (uint32_t i = 0; i < results.size(); ++i) {
    // Constants, also moved ones, are not written.
    if (fusion.isFused(results[i]) || fusion.isConstant(results[i]))
      continue;
    int64_t bytes = pricer.computeLocalBytes(assignment, op, isUpdate ? 1 : numUses + i);
    timePs += (i == 0 && !fusion.isJoined(op) ? pricer.getStartPs(op) : 0) +
              pricer.computeWritePs(assignment, fusion, op, i, bytes);
  }
  return timePs;
}

int64_t StateEnumeration::computeRead(UseId use) const {
  const FusionPlan &fusion = model.getFusion();
  if (fusion.isFused(graph.uses[use]) || fusion.isConstant(graph.uses[use]))
    return 0;
  return model.getOpPricer().computeReadsPs(assignment, fusion, use);
}

/// The bytes of operands that are copied to another order of dims, and of the buffer it works in.
int64_t StateEnumeration::computeCopied(OpId op) const {
  llvm::ArrayRef<CellId> results = graph.getResults(op);
  const FusionPlan &fusion = model.getFusion();
  if (results.empty() || graph.cells[results[0]].kind != CellKind::OpResult || fusion.isFused(results[0]) ||
      fusion.isConstant(results[0]))
    return 0;
  const OpPricer &pricer = model.getOpPricer();
  int64_t timePs = 0;
  for (uint32_t i = 0; i < graph.ops[op].numUses; ++i)
    if (UseId use(graph.ops[op].firstUse + i); fusion.getOrders().isCopied(use))
      timePs += pricer.computeOrderCopyPs(assignment, fusion.getOrders(), use);
  int64_t bytes = pricer.computeLocalBytes(assignment, op, graph.ops[op].numUses);
  return timePs + pricer.computeBufferPs(fusion, op, bytes);
}

int64_t StateEnumeration::computeStateCost(OpId op) const {
  int64_t timePs = computeCopied(op);
  for (uint32_t i = 0; i < graph.ops[op].numUses; ++i)
    timePs += computeRead(UseId(graph.ops[op].firstUse + i));
  switch (model.getFusion().getRole(op)) {
  case FusionRole::Alone:
    return timePs + model.getOpPricer().computeTimePs(assignment, op);
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Reduction:
  case FusionRole::Update:
    return timePs + computeWritten(op);
  case FusionRole::Constant:
  case FusionRole::Identity:
    break;
  }
  return timePs;
}

StateEnumeration::FactorSizes StateEnumeration::findSizes(NodeId node) const {
  FactorSizes found;
  found.mayTakeSum = mayTakeSum(node);
  for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor) {
    OpFactorId opFactor = topology.getOpFactor(node, static_cast<uint8_t>(factor));
    found.sizes.push_back(topology.getSplitSize(opFactor));
    bool isMinor = topology.isMinor(opFactor);
    found.majors.push_back(isMinor ? topology.getMajors(opFactor).vec() : std::vector<uint8_t>());
  }
  return found;
}

static bool areMajorsSplit(llvm::ArrayRef<uint8_t> majors, llvm::ArrayRef<int64_t> partSizes) {
  return llvm::all_of(majors, [&](uint8_t major) { return partSizes[major] == 1; });
}

/// Adds the rows that begin as `row`, which leaves parts of `partSizes`; negative sizes may not be split. Majors are
/// checked when all axes are placed: the order of steps is free.
void StateEnumeration::addRows(const FactorSizes &all, std::vector<int64_t> &partSizes, BoundState &row, Pieces &known,
                               Rows &rows) const {
  if (rows.states.size() > maxStates)
    return;
  if (row.size() == model.getAxes().size()) {
    auto isAfterMajors = [&](uint8_t factor) {
      return factor >= sumFactor || areMajorsSplit(all.majors[factor], partSizes);
    };
    if (!llvm::all_of(row, isAfterMajors))
      return;
    auto [pieces, isNew] = known.try_emplace(partSizes, static_cast<uint32_t>(rows.distinct.size()));
    if (isNew)
      rows.distinct.push_back(row);
    rows.states.push_back(row);
    rows.numbers.push_back(pieces->second);
    return;
  }
  int64_t size = model.getAxes()[AxisId(static_cast<uint32_t>(row.size()))].size;
  auto addWith = [&](uint8_t factor) {
    row.push_back(factor);
    addRows(all, partSizes, row, known, rows);
    row.pop_back();
  };
  addWith(noFactor);
  for (uint32_t factor = 0; factor < partSizes.size(); ++factor)
    if (partSizes[factor] >= 0 && partSizes[factor] % size == 0) {
      partSizes[factor] /= size;
      addWith(static_cast<uint8_t>(factor));
      partSizes[factor] *= size;
    }
  if (all.mayTakeSum)
    addWith(sumFactor);
}

const StateEnumeration::Rows &StateEnumeration::findRows(NodeId node) {
  auto [entry, isNew] = knownRows.try_emplace(findSizes(node));
  if (isNew) {
    std::vector<int64_t> partSizes = entry->first.sizes;
    BoundState row;
    Pieces known;
    addRows(entry->first, partSizes, row, known, entry->second);
  }
  return entry->second;
}

/// Whether no axis that is free can split a factor.
bool StateEnumeration::isFull(const FactorSizes &all, llvm::ArrayRef<int64_t> partSizes, const BoundState &row) const {
  for (size_t axis = 0; axis < row.size(); ++axis)
    for (size_t factor = 0; factor < partSizes.size(); ++factor)
      if (row[axis] == noFactor && partSizes[factor] >= 0 && areMajorsSplit(all.majors[factor], partSizes) &&
          partSizes[factor] % model.getAxes()[AxisId(static_cast<uint32_t>(axis))].size == 0)
        return false;
  return true;
}

const StateEnumeration::DistinctRows &StateEnumeration::findDistinctRows(NodeId node) {
  auto [entry, isNew] = knownDistinctRows.try_emplace(findSizes(node));
  DistinctRows &found = entry->second;
  if (!isNew)
    return found;
  const FactorSizes &all = entry->first;
  // The sizes of parts, and a row that has them. A partial sum leaves all of them as they are.
  std::map<std::vector<int64_t>, BoundState> rows = {{all.sizes, BoundState()}};
  for (AxisId axis : idRange<AxisId>(model.getAxes().size())) {
    int64_t size = model.getAxes()[axis].size;
    std::map<std::vector<int64_t>, BoundState> longer;
    auto add = [&](const std::vector<int64_t> &partSizes, const BoundState &row, uint8_t factor) {
      auto [known, isFirst] = longer.try_emplace(partSizes, row);
      if (isFirst)
        known->second.push_back(factor);
    };
    for (const auto &[partSizes, row] : rows) {
      add(partSizes, row, noFactor);
      for (size_t factor = 0; factor < partSizes.size(); ++factor)
        if (std::vector<int64_t> smaller = partSizes; smaller[factor] >= 0 && smaller[factor] % size == 0) {
          smaller[factor] /= size;
          add(smaller, row, static_cast<uint8_t>(factor));
        }
    }
    if (longer.size() > maxStates)
      return found;
    rows = std::move(longer);
  }
  for (const auto &[partSizes, row] : rows) {
    auto isAfterMajors = [&, &sizes = partSizes](uint8_t factor) {
      return factor == noFactor || areMajorsSplit(all.majors[factor], sizes);
    };
    if (!llvm::all_of(row, isAfterMajors))
      continue;
    found.all.push_back(row);
    if (isFull(all, partSizes, row))
      found.full.push_back(row);
  }
  return found;
}

/// Neighbors begin alike, so only what differs is assigned anew.
std::vector<int64_t> StateEnumeration::computeCosts(OpId op, llvm::ArrayRef<BoundState> states) {
  NodeId node = topology.getNode(op);
  int64_t times = multiplySaturated(model.getTimes(graph.ops[op].region), model.getMultiplicity().get(op));
  size_t start = assignment.mark();
  llvm::SmallVector<size_t, 8> marks;
  BoundState current;
  std::vector<int64_t> costs;
  costs.reserve(states.size());
  for (const BoundState &row : states) {
    size_t common = std::mismatch(current.begin(), current.end(), row.begin()).first - current.begin();
    if (common < marks.size())
      assignment.rollback(marks[common]);
    marks.truncate(common);
    for (size_t axis = common; axis < row.size(); ++axis) {
      marks.push_back(assignment.mark());
      if (row[axis] != noFactor)
        assignment.assign(node, AxisId(static_cast<uint32_t>(axis)), row[axis], 0);
    }
    current = row;
    costs.push_back(multiplySaturated(computeStateCost(op), times));
  }
  assignment.rollback(start);
  return costs;
}

/// Whether a fused op neither reads nor writes outside of its kernel: then no state does.
bool StateEnumeration::costsNothing(OpId op) const {
  return model.getFusion().getRole(op) != FusionRole::Alone && computeStateCost(op) == 0;
}

/// Of any state of the op; 0 if even those with distinct pieces are too many.
int64_t StateEnumeration::computeLeastCost(OpId op) {
  if (costsNothing(op))
    return 0;
  const DistinctRows &rows = findDistinctRows(topology.getNode(op));
  bool isAlone = model.getFusion().getRole(op) == FusionRole::Alone;
  std::vector<int64_t> costs = computeCosts(op, isAlone ? rows.all : rows.full);
  return costs.empty() ? 0 : *llvm::min_element(costs);
}

BoundStates StateEnumeration::list(OpId op) {
  const Rows &rows = findRows(topology.getNode(op));
  if (rows.states.size() > maxStates)
    return {llvm::ArrayRef<BoundState>(whole), {computeLeastCost(op)}, true};
  BoundStates found{rows.states, std::vector<int64_t>(rows.states.size(), 0), false};
  if (costsNothing(op))
    return found;
  std::vector<int64_t> costs = computeCosts(op, rows.distinct);
  for (size_t row = 0; row < rows.numbers.size(); ++row)
    found.costs[row] = costs[rows.numbers[row]];
  return found;
}

} // namespace partita::search
