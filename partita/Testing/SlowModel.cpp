//===- SlowModel.cpp - a direct definition of propagation, for tests ------===//

#include "partita/Testing/SlowModel.h"

#include <gtest/gtest.h>

namespace partita::fixtures::slow {

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

Model::Model(const Graph &graph, const Axes &axes) : graph(graph), axes(axes) {
  for (int cell = 0; cell < int(graph.cells.size()); ++cell)
    representatives[cell] = cell;
  for (const Tie &tie : graph.ties)
    representatives[int(tie.result.get())] = int(tie.argument.get());
  for (int op = 0; op < int(graph.ops.size()); ++op)
    nodes.insert(op);
  for (int cell = 0; cell < int(graph.cells.size()); ++cell)
    if (isPlace(cell))
      nodes.insert(-1 - cell);
}

bool Model::isPlace(int cell) const {
  CellKind kind = graph.cells[CellId(cell)].kind;
  return kind == CellKind::Argument || kind == CellKind::Carried || kind == CellKind::Branch;
}

std::vector<int64_t> Model::getFactorSizes(Node node) const {
  if (node < 0)
    return graph.getShape(CellId(-1 - node)).vec();
  std::vector<int64_t> sizes;
  for (const Factor &factor : graph.getFactors(OpId(node)))
    sizes.push_back(factor.size);
  return sizes;
}

std::vector<Model::Mapping> Model::getMappings(Node node) const {
  std::vector<Mapping> mappings;
  if (node < 0) {
    for (int dim = 0; dim < int(graph.cells[CellId(-1 - node)].rank); ++dim)
      mappings.push_back({{-1 - node, dim}, {dim}, true});
    return mappings;
  }
  std::vector<CellId> values = graph.getOperands(OpId(node)).vec();
  size_t numOperands = values.size();
  for (CellId result : graph.getResults(OpId(node)))
    values.push_back(result);
  for (size_t value = 0; value < values.size(); ++value)
    for (int dim = 0; dim < int(graph.cells[values[value]].rank); ++dim) {
      std::map<int, int> byPosition;
      for (const DimFactor &entry : graph.getDimFactors(OpId(node)))
        if (entry.value == value && entry.dim == dim)
          byPosition[entry.position] = entry.factor;
      Mapping mapping{{getCell(int(values[value].get())), dim}, {}, value >= numOperands};
      for (auto [position, factor] : byPosition)
        mapping.factors.push_back(factor);
      mappings.push_back(mapping);
    }
  return mappings;
}

/// The source of the cell's value: its boundary node, or the op whose result it is.
Node Model::getDefinition(int cell) const {
  if (isPlace(cell))
    return -1 - cell;
  for (int op = 0; op < int(graph.ops.size()); ++op)
    for (CellId result : graph.getResults(OpId(op)))
      if (int(result.get()) == cell)
        return op;
  ADD_FAILURE() << "a cell without definition";
  return 0;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

int Model::getFactor(Node node, int axis) const {
  auto it = decisions.find({node, axis});
  return it == decisions.end() ? -1 : it->second.factor;
}

int64_t Model::countParts(Node node, int factor) const {
  int64_t parts = 1;
  for (int axis = 0; axis < int(axes.size()); ++axis)
    if (getFactor(node, axis) == factor)
      parts *= axes[AxisId(axis)].size;
  return parts;
}

std::vector<std::vector<int>> Model::getSharding(int cell) const {
  cell = getCell(cell);
  // For each dim: (step that put the axis there, axis).
  std::vector<std::set<std::pair<int, int>>> found(graph.cells[CellId(cell)].rank);
  Node definition = getDefinition(cell);
  for (int axis = 0; axis < int(axes.size()); ++axis) {
    int dim = -1, step = INT_MAX;
    for (const Mapping &mapping : getMappings(definition))
      for (int factor : mapping.factors)
        if (mapping.dim.first == cell && mapping.isDefined && factor == getFactor(definition, axis)) {
          dim = mapping.dim.second;
          step = decisions.at({definition, axis}).step;
        }
    if (auto pin = pins.find({cell, axis}); pin != pins.end()) {
      step = dim == pin->second.dim ? std::min(step, pin->second.step) : pin->second.step;
      dim = pin->second.dim;
    }
    if (dim >= 0)
      found[dim].insert({step, axis});
  }
  std::vector<std::vector<int>> sharding(found.size());
  for (size_t dim = 0; dim < found.size(); ++dim)
    for (auto [step, axis] : found[dim])
      sharding[dim].push_back(axis);
  return sharding;
}

//===----------------------------------------------------------------------===//
// Reach
//===----------------------------------------------------------------------===//

bool Model::isOpen(OpFactor opFactor, int axis) const {
  auto [node, factor] = opFactor;
  if (getFactor(node, axis) != -1)
    return false;
  if (node >= 0) {
    FactorKind kind = graph.getFactors(OpId(node))[factor].kind;
    if (kind == FactorKind::Replicate || kind == FactorKind::Window)
      return false;
  }
  std::vector<int64_t> sizes = getFactorSizes(node);
  int64_t parts = countParts(node, factor) * axes[AxisId(axis)].size;
  if (sizes[factor] % parts != 0 || sizes[factor] == 0)
    return false;
  for (const Mapping &mapping : getMappings(node)) {
    auto at = llvm::find(mapping.factors, factor);
    if (at == mapping.factors.end())
      continue;
    for (auto major = mapping.factors.begin(); major != at; ++major)
      if (countParts(node, *major) != sizes[*major])
        return false;
    if (!mapping.isDefined)
      continue;
    auto [cell, dim] = mapping.dim;
    auto pin = pins.find({cell, axis});
    bool isPinnedHere = pin != pins.end() && pin->second.dim == dim;
    if (closed.count(mapping.dim) && !isPinnedHere)
      return false;
    // The cell has its pins in addition to the axes of its definition.
    bool hasPins = false;
    for (int other = 0; other < int(axes.size()); ++other)
      hasPins |= pins.count({cell, other}) && pins.at({cell, other}).dim == dim;
    if (!hasPins)
      continue;
    std::set<int> together = {axis};
    std::vector<std::vector<int>> sharding = getSharding(cell);
    for (int other : sharding[dim])
      together.insert(other);
    int64_t product = 1;
    for (int other : together)
      product *= axes[AxisId(other)].size;
    if (graph.getShape(CellId(cell))[dim] % product != 0)
      return false;
  }
  return true;
}

bool Model::mayEnter(Dim dim, int axis) const {
  auto pin = pins.find({dim.first, axis});
  if (cuts.count({dim.first, axis}))
    return false;
  if (pin != pins.end())
    return pin->second.dim == dim.second;
  return !closed.count(dim);
}

void Model::computeReach(const std::vector<Dim> &roots, int axis, const std::set<OpFactor> &shut, std::set<Dim> &dims,
                         std::set<OpFactor> &opFactors) const {
  dims = std::set<Dim>(roots.begin(), roots.end());
  opFactors.clear();
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Node node : nodes)
      for (const Mapping &mapping : getMappings(node))
        for (int factor : mapping.factors) {
          OpFactor opFactor = {node, factor};
          if (dims.count(mapping.dim) && !shut.count(opFactor) && isOpen(opFactor, axis))
            isChanged |= opFactors.insert(opFactor).second;
          if (opFactors.count(opFactor) && mayEnter(mapping.dim, axis))
            isChanged |= dims.insert(mapping.dim).second;
        }
  }
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

std::set<Conflict> Model::findConflicts(const std::set<Dim> &dims, const std::set<OpFactor> &opFactors) const {
  std::map<Node, int> counts;
  for (auto [node, factor] : opFactors)
    ++counts[node];
  std::map<int, int> dimCounts;
  for (auto [cell, dim] : dims)
    ++dimCounts[cell];
  // Finds classes by relabeling until nothing changes.
  std::map<OpFactor, int> side, conflict;
  for (auto opFactor : opFactors)
    if (counts[opFactor.first] > 1)
      side.emplace(opFactor, int(side.size()));
  std::map<OpFactor, std::set<Dim>> dimsOf;
  for (auto [opFactor, color] : side)
    for (const Mapping &mapping : getMappings(opFactor.first))
      if (llvm::is_contained(mapping.factors, opFactor.second))
        dimsOf[opFactor].insert(mapping.dim);
  conflict = side;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    auto paint = [&](int &a, int &b) {
      isChanged |= a != b;
      a = b = std::min(a, b);
    };
    for (auto &[a, colorA] : side)
      for (auto &[b, colorB] : side) {
        if (a.first == b.first)
          paint(conflict[a], conflict[b]);
        for (Dim dimA : dimsOf[a])
          for (Dim dimB : dimsOf[b]) {
            if (dimA.first != dimB.first || dimCounts[dimA.first] < 2)
              continue;
            paint(conflict[a], conflict[b]);
            if (dimA == dimB)
              paint(colorA, colorB);
          }
      }
  }
  std::map<int, std::map<int, SlowSide>> sorted;
  for (auto [opFactor, color] : side) {
    SlowSide &target = sorted[conflict[opFactor]][color];
    target.opFactors.insert(opFactor);
    target.dims.insert(dimsOf[opFactor].begin(), dimsOf[opFactor].end());
  }
  std::set<Conflict> conflicts;
  for (auto &[number, sides] : sorted) {
    Conflict found;
    for (auto &[color, one] : sides)
      found.insert(one);
    conflicts.insert(found);
  }
  return conflicts;
}

const SlowSide *Model::findChosen(const Conflict &conflict, int axis) const {
  const SlowSide *chosen = nullptr;
  for (const SlowSide &side : conflict) {
    bool isChosen = false;
    for (Dim dim : side.dims) {
      // A dim that two sides share chooses neither.
      auto has = [&](const SlowSide &other) { return other.dims.count(dim) != 0; };
      auto pin = pins.find({dim.first, axis});
      bool isTile = pin != pins.end() && pin->second.dim == dim.second;
      isChosen |= (isTile || choices.count({dim, axis})) && std::count_if(conflict.begin(), conflict.end(), has) == 1;
    }
    if (isChosen && chosen)
      return nullptr;
    if (isChosen)
      chosen = &side;
  }
  std::set<Node> seen;
  if (chosen)
    for (auto [node, factor] : chosen->opFactors)
      if (!seen.insert(node).second)
        return nullptr;
  return chosen;
}

//===----------------------------------------------------------------------===//
// Partial sums
//===----------------------------------------------------------------------===//

bool Model::isZero(int cell) const {
  if (isPlace(cell))
    return false;
  Node op = getDefinition(cell);
  auto isZeroCell = [&](CellId operand) { return isZero(int(operand.get())); };
  llvm::ArrayRef<CellId> operands = graph.getOperands(OpId(op));
  switch (graph.ops[OpId(op)].linearity) {
  case Linearity::Zero:
    return true;
  case Linearity::Sum:
    return llvm::all_of(operands, isZeroCell);
  case Linearity::First:
    return operands.size() == 1 && isZeroCell(operands[0]);
  case Linearity::Update:
    return isZeroCell(operands[0]) && isZeroCell(operands[1]);
  case Linearity::Choice:
    return isZeroCell(operands[1]) && isZeroCell(operands[2]);
  default:
    return false;
  }
}

std::vector<int> Model::getLinearOperands(Node op) const {
  std::vector<int> all;
  for (CellId cell : graph.getOperands(OpId(op)))
    all.push_back(int(cell.get()));
  switch (graph.ops[OpId(op)].linearity) {
  case Linearity::Sum:
    return all;
  case Linearity::First:
    return {all[0]};
  case Linearity::Second:
    return {all[1]};
  case Linearity::Update:
    return {all[0], all[1]};
  case Linearity::Choice:
    return {all[1], all[2]};
  default:
    return {};
  }
}

bool Model::isPartial(int cell, int axis, const std::set<Node> &taking) const {
  if (isPinned(cell, axis))
    return false;
  Node node = getDefinition(cell);
  int factor = getFactor(node, axis);
  if (factor == sum || taking.count(node))
    return true;
  return node >= 0 && factor >= 0 && graph.getFactors(OpId(node))[factor].combiner == Combiner::Add;
}

/// Whether every use of the cell (in its loop's body) carries the sum, in an operand in which the user is linear.
bool Model::isTaken(int cell, bool inBodyOnly, int axis, const std::set<Node> &taking) const {
  for (int op = 0; op < int(graph.ops.size()); ++op) {
    if (inBodyOnly && graph.ops[OpId(op)].region != graph.cells[CellId(cell)].region)
      continue;
    bool takesSum = taking.count(op) || getFactor(op, axis) == sum;
    Linearity linearity = graph.ops[OpId(op)].linearity;
    llvm::ArrayRef<CellId> operands = graph.getOperands(OpId(op));
    for (size_t i = 0; i < operands.size(); ++i) {
      bool isLinear = linearity == Linearity::Sum || (linearity == Linearity::First && i == 0) ||
                      (linearity == Linearity::Second && i == 1) || (linearity == Linearity::Update && i < 2) ||
                      (linearity == Linearity::Choice && (i == 1 || i == 2));
      if (getCell(int(operands[i].get())) == getCell(cell) && !(takesSum && isLinear))
        return false;
    }
  }
  return true;
}

/// Whether the loop of the carried value steps through it slice by slice and only writes the slices.
bool Model::isStack(int cell) const {
  auto isStep = [&](const SteppedDim &step) {
    return int(step.cell.get()) == cell && step.loop == graph.cells[CellId(cell)].region;
  };
  if (!llvm::any_of(graph.steppedDims, isStep))
    return false;
  for (int op = 0; op < int(graph.ops.size()); ++op) {
    llvm::ArrayRef<CellId> operands = graph.getOperands(OpId(op));
    for (size_t i = 0; i < operands.size(); ++i)
      if (int(operands[i].get()) == cell && graph.ops[OpId(op)].region == graph.cells[CellId(cell)].region &&
          (graph.ops[OpId(op)].linearity != Linearity::Update || i != 0))
        return false;
  }
  return true;
}

bool Model::mayTakeSum(Node node, int axis) const {
  if (getFactor(node, axis) != -1)
    return false;
  if (node < 0)
    return graph.cells[CellId(-1 - node)].kind == CellKind::Carried && !isPinned(-1 - node, axis);
  IdentityRole role = graph.ops[OpId(node)].role;
  if (role == IdentityRole::Result || role == IdentityRole::BranchYield || role == IdentityRole::Constraint ||
      role == IdentityRole::Boundary)
    return false;
  return !getLinearOperands(node).empty();
}

bool Model::agrees(Node node, int axis, const std::set<Node> &taking) const {
  auto takesSum = [&](Node other) { return taking.count(other) || getFactor(other, axis) == sum; };
  if (node < 0) {
    int cell = -1 - node;
    for (int op = 0; op < int(graph.ops.size()); ++op)
      if (llvm::is_contained(graph.getResults(OpId(op)), CellId(cell)) && !takesSum(op))
        return false;
    return isTaken(cell, !isStack(cell), axis, taking);
  }
  std::vector<int> operands = getLinearOperands(node);
  for (int operand : operands)
    if (!isPartial(operand, axis, taking) && !isZero(operand))
      return false;
  int result = int(graph.getResults(OpId(node)).front().get());
  if (graph.cells[CellId(result)].kind == CellKind::Carried)
    return takesSum(-1 - result);
  // A reduction is saved if an operand need not be reduced for another use.
  bool isSaved = false;
  for (int operand : operands)
    isSaved |= isPartial(operand, axis, taking) && isTaken(operand, false, axis, taking);
  if (!isSaved || (graph.ops[OpId(node)].linearity == Linearity::Sum && operands.size() > 1))
    return isSaved;
  return !isPinned(result, axis) && isTaken(result, false, axis, taking);
}

/// The greatest set of nodes that is consistent with itself and that split reductions reach.
void Model::takeSums(int axis, int step) {
  std::set<Node> taking;
  for (Node node : nodes)
    if (mayTakeSum(node, axis))
      taking.insert(node);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    std::set<Node> kept;
    for (Node node : taking)
      if (agrees(node, axis, taking))
        kept.insert(node);
    // Reached: an operand is partial without any candidate, or comes from a node that is reached.
    std::set<Node> fed;
    for (bool isGrowing = true; isGrowing;) {
      isGrowing = false;
      for (Node node : kept) {
        bool isFed = false;
        if (node >= 0)
          for (int operand : getLinearOperands(node))
            isFed |= isPartial(operand, axis) || (isPartial(operand, axis, kept) && fed.count(getDefinition(operand)));
        int cell = node < 0 ? -1 - node : int(graph.getResults(OpId(node)).front().get());
        // A carried value and its definitions are reached together.
        if (isPlace(cell))
          for (Node other : fed)
            isFed |=
                other == -1 - cell || (other >= 0 && llvm::is_contained(graph.getResults(OpId(other)), CellId(cell)));
        if (isFed)
          isGrowing |= fed.insert(node).second;
      }
    }
    isChanged = fed != taking;
    taking = fed;
  }
  for (Node node : taking)
    decisions[{node, axis}] = {sum, step};
}

bool Model::isSound() const {
  for (auto [key, decision] : decisions)
    if (decision.factor == sum && key.first >= 0)
      for (int operand : getLinearOperands(key.first))
        if (!isZero(operand) && !isPartial(operand, key.second))
          return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

bool Model::mayBeAtomic(int cell, int axis) const {
  cell = getCell(cell);
  auto pin = pins.find({cell, axis});
  if (pin != pins.end() && pin->second.dim < 0)
    return true;
  bool isInner = graph.cells[CellId(cell)].kind == CellKind::OpResult;
  if ((!isInner || pin != pins.end()))
    for (const std::vector<int> &dim : getSharding(cell))
      if (llvm::is_contained(dim, axis))
        return false;
  if (!isPartial(cell, axis))
    return true;
  if (isPlace(cell))
    return false;
  for (int op = 0; op < int(graph.ops.size()); ++op)
    for (CellId operand : graph.getOperands(OpId(op)))
      if (int(operand.get()) == cell && getFactor(op, axis) == sum)
        return false;
  return true;
}

bool Model::mayTile(Dim dim, int axis) const {
  auto [cell, number] = dim;
  std::vector<std::vector<int>> sharding = getSharding(cell);
  if (llvm::is_contained(sharding[number], axis))
    return true;
  if (cuts.count({cell, axis}) || closed.count(dim))
    return false;
  if (auto pin = pins.find({cell, axis}); pin != pins.end() && pin->second.dim < 0)
    return false;
  // What prevents an atomic pin prevents a tile pin as well.
  if (!mayBeAtomic(cell, axis))
    return false;
  int64_t parts = axes[AxisId(axis)].size;
  for (int other : sharding[number])
    parts *= axes[AxisId(other)].size;
  int64_t size = graph.getShape(CellId(cell))[number];
  return size > 0 && size % parts == 0;
}

void Model::makeAtomic(int cell, int axis, int step) { pins.insert({{getCell(cell), axis}, {-1, step}}); }

std::set<Conflict> Model::tile(const std::vector<Dim> &roots, int axis, int step) {
  for (auto [cell, dim] : roots)
    pins.insert({{cell, axis}, {dim, step}});
  std::set<OpFactor> shut, opFactors;
  std::set<Dim> dims;
  std::set<Conflict> recorded;
  while (true) {
    computeReach(roots, axis, shut, dims, opFactors);
    std::set<Conflict> conflicts = findConflicts(dims, opFactors);
    if (conflicts.empty())
      break;
    bool isAnyChosen = false;
    for (const Conflict &conflict : conflicts)
      if (const SlowSide *chosen = findChosen(conflict, axis)) {
        isAnyChosen = true;
        ++numDecided;
        for (const SlowSide &side : conflict)
          if (&side != chosen)
            shut.insert(side.opFactors.begin(), side.opFactors.end());
      }
    if (isAnyChosen)
      continue;
    recorded = conflicts;
    for (const Conflict &conflict : conflicts)
      for (const SlowSide &side : conflict)
        shut.insert(side.opFactors.begin(), side.opFactors.end());
  }
  for (auto [node, factor] : opFactors)
    decisions[{node, axis}] = {factor, step};
  takeSums(axis, step);
  return recorded;
}

} // namespace partita::fixtures::slow
