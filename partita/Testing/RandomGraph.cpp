//===- RandomGraph.cpp - graphs of random ops, for tests ------------------===//

#include "partita/Testing/RandomGraph.h"

#include "partita/Graph/RulePool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <map>
#include <numeric>

namespace partita::fixtures {

namespace {

class GraphMaker {
public:
  GraphMaker(uint64_t seed, bool withStacks) : withStacks(withStacks), random(seed), rules(graph), shapes(graph) {}

  Graph build(uint32_t numTwins) {
    region = graph.regions.push_back({});
    for (uint32_t i = 0, count = 2 + random.below(3); i < count; ++i)
      graph.arguments.push_back(addCell(CellKind::Argument, randomShape()));
    for (uint32_t i = 0; i < numTwins; ++i)
      graph.arguments.push_back(addCell(CellKind::Argument, shapeOf(graph.arguments.front())));
    for (uint32_t i = 0, count = 3 + random.below(14); i < count; ++i)
      addAnything();
    if (body.isValid())
      closeLoop();
    for (uint32_t i = 0, count = 1 + random.below(3); i < count; ++i)
      addResult(random.pick(available));
    for (uint32_t i = 0; i < numTwins; ++i)
      addResult(random.pick(findAlike(graph.arguments.front())));
    return std::move(graph);
  }

private:
  CellId addCell(CellKind kind, llvm::ArrayRef<int64_t> shape) {
    Cell cell;
    cell.kind = kind;
    cell.elementBits = 32;
    cell.firstDim = shapes.add(shape);
    cell.rank = shape.size();
    cell.region = region;
    CellId id = graph.cells.push_back(cell);
    if (kind != CellKind::Result)
      available.push_back(id);
    return id;
  }

  std::vector<int64_t> randomShape() {
    std::vector<int64_t> shape(random.below(4));
    for (int64_t &size : shape)
      size = random.pick(sizes);
    return shape;
  }

  void addAnything() {
    uint32_t what = random.below(100);
    if (what < 30)
      addElementwise();
    else if (what < 65)
      addAnyRule();
    else if (what < 75)
      addSumOfReductions();
    else if (what < 80)
      addZeros(shapeOf(random.pick(available)));
    else if (what < 88)
      addBranch();
    else if (body.isValid())
      closeLoop();
    else
      openLoop();
  }

  OpId addOp(llvm::ArrayRef<CellId> operands, llvm::ArrayRef<CellId> results, const Rule &rule,
             Linearity linearity = Linearity::None, IdentityRole role = IdentityRole::None) {
    Op op;
    op.linearity = linearity;
    op.role = role;
    op.opClass = role == IdentityRole::None ? OpClass::Opaque : OpClass::Identity;
    op.region = region;
    op.firstUse = graph.uses.size();
    op.numUses = operands.size();
    for (CellId cell : operands)
      graph.uses.push_back(cell);
    op.firstDefinition = graph.definitions.size();
    op.numDefinitions = results.size();
    llvm::append_range(graph.definitions, results);
    rules.add(rule).setOn(op);
    return graph.ops.push_back(op);
  }

  std::vector<int64_t> shapeOf(CellId cell) { return graph.getShape(cell).vec(); }
  std::vector<int64_t> shapeWithout(CellId cell, uint32_t dim) {
    std::vector<int64_t> shape = shapeOf(cell);
    shape.erase(shape.begin() + dim);
    return shape;
  }

  /// One factor for each dim, the same in all values.
  static Rule makeIdentityRule(llvm::ArrayRef<int64_t> shape, size_t numOperands) {
    Rule rule;
    ValueFactors value;
    for (int64_t size : shape)
      value.push_back({rule.addFactor(FactorKind::Parallel, size)});
    rule.operands.assign(numOperands, value);
    rule.results.push_back(value);
    return rule;
  }

  std::vector<CellId> findAlike(CellId cell) {
    std::vector<CellId> alike;
    for (CellId other : available)
      if (graph.getShape(other) == graph.getShape(cell))
        alike.push_back(other);
    return alike;
  }

  Linearity randomLinearity(size_t numOperands) {
    if (random.chance(30))
      return Linearity::None;
    if (numOperands == 1)
      return random.chance(50) ? Linearity::Sum : Linearity::First;
    std::vector<Linearity> kinds = {Linearity::Sum,   Linearity::Sum,    Linearity::Sum,
                                    Linearity::First, Linearity::Second, Linearity::Update};
    if (numOperands == 3)
      kinds.push_back(Linearity::Choice);
    return random.pick(kinds);
  }

  void addElementwise() {
    CellId first = random.pick(available);
    std::vector<CellId> alike = findAlike(first), operands = {first};
    while (operands.size() < 3 && random.chance(60))
      operands.push_back(random.pick(alike));
    std::vector<int64_t> shape = shapeOf(first);
    Rule rule = makeIdentityRule(shape, operands.size());
    IdentityRole role = operands.size() == 1 && random.chance(20) ? IdentityRole::Barrier : IdentityRole::None;
    addOp(operands, addCell(CellKind::OpResult, shape), rule, randomLinearity(operands.size()), role);
  }

  CellId addZeros(llvm::ArrayRef<int64_t> shape) {
    CellId zeros = addCell(CellKind::OpResult, shape);
    addOp({}, zeros, makeIdentityRule(shape, 0), Linearity::Zero);
    return zeros;
  }

  /// The sum of a cell over one of its dims.
  CellId addReduction(CellId cell, uint32_t dim) {
    std::vector<int64_t> shape = shapeOf(cell);
    Rule rule = makeIdentityRule(shape, 1);
    rule.factors[dim] = {FactorKind::Reduce, Combiner::Add, shape[dim]};
    rule.results[0].erase(rule.results[0].begin() + dim);
    shape.erase(shape.begin() + dim);
    CellId result = addCell(CellKind::OpResult, shape);
    addOp(cell, result, rule);
    return result;
  }

  CellId addSum(CellId a, CellId b) {
    std::vector<int64_t> shape = shapeOf(a);
    CellId result = addCell(CellKind::OpResult, shape);
    addOp({a, b}, result, makeIdentityRule(shape, 2), Linearity::Sum);
    return result;
  }

  void addSumOfReductions() {
    CellId cell = random.pick(available);
    if (graph.cells[cell].rank == 0)
      return;
    uint32_t dim = random.below(graph.cells[cell].rank);
    CellId first = addReduction(cell, dim), second = addReduction(cell, dim);
    addSum(first, random.chance(20) ? addZeros(shapeOf(first)) : second);
  }

  void addBranch() {
    std::vector<CellId> alike = findAlike(random.pick(available));
    std::vector<int64_t> shape = shapeOf(alike.front());
    std::vector<CellId> yielded = {random.pick(alike), random.pick(alike)};
    CellId branch = addCell(CellKind::Branch, shape);
    for (CellId cell : yielded)
      addOp(cell, branch, makeIdentityRule(shape, 1), Linearity::Sum, IdentityRole::BranchYield);
  }

  /// A carried value that starts as zeros and into which each iteration writes the sum of a cell over one of its dims.
  void addStack() {
    CellId summed = random.pick(available);
    if (graph.cells[summed].rank == 0 || graph.cells[summed].rank == 4)
      return;
    uint32_t dim = random.below(graph.cells[summed].rank);
    std::vector<int64_t> shape = shapeWithout(summed, dim);
    shape.insert(shape.begin(), 3);
    CellId initial = addZeros(shape);
    RegionId outside = region;
    region = body;
    CellId stack = addCell(CellKind::Carried, shape);
    region = outside;
    addOp(initial, stack, makeIdentityRule(shape, 1), Linearity::Sum, IdentityRole::Entry);
    region = body;
    CellId slice = addReduction(summed, dim);
    Rule rule = makeIdentityRule(shape, 2);
    rule.factors[0].kind = FactorKind::Replicate;
    rule.operands[1].erase(rule.operands[1].begin());
    CellId next = addCell(CellKind::OpResult, shape);
    addOp({stack, slice}, next, rule, Linearity::Update);
    region = outside;
    carried.push_back(stack);
    accumulated[stack] = next;
    graph.steppedDims.push_back({stack, 0, body});
    stacks.push_back(stack);
  }

  void openLoop() {
    body = graph.regions.push_back({RegionKind::LoopBody, region, 3, {}});
    while (withStacks && random.chance(40))
      addStack();
    for (uint32_t i = 0, count = 1 + random.below(2); i < count; ++i) {
      CellId summed = random.pick(available);
      bool isAccumulation = graph.cells[summed].rank > 0 && random.chance(50);
      uint32_t dim = isAccumulation ? random.below(graph.cells[summed].rank) : 0;
      CellId initial = isAccumulation ? addZeros(shapeWithout(summed, dim)) : random.pick(available);
      std::vector<int64_t> shape = shapeOf(initial);
      RegionId outside = region;
      region = body;
      carried.push_back(addCell(CellKind::Carried, shape));
      region = outside;
      addOp(initial, carried.back(), makeIdentityRule(shape, 1), Linearity::Sum, IdentityRole::Entry);
      region = body;
      if (isAccumulation)
        accumulated[carried.back()] = addSum(carried.back(), addReduction(summed, dim));
      region = outside;
    }
    region = body;
  }

  void closeLoop() {
    for (CellId cell : carried) {
      auto sum = accumulated.find(cell);
      CellId next = sum != accumulated.end() && random.chance(80) ? sum->second : random.pick(findAlikeLate(cell));
      addOp(next, cell, makeIdentityRule(shapeOf(cell), 1), Linearity::Sum, IdentityRole::Yield);
    }
    carried.clear();
    region = RegionId(0);
    body = RegionId();
    // Code behind the loop may add stacks up, also with stacks of other loops.
    for (CellId first : stacks)
      for (CellId second : stacks)
        if (graph.getShape(first) == graph.getShape(second) && random.chance(40))
          addSum(first, second);
  }

  /// Mostly a value that the body has computed.
  std::vector<CellId> findAlikeLate(CellId cell) {
    std::vector<CellId> alike = findAlike(cell);
    if (alike.size() > 2 && random.chance(80))
      alike.erase(alike.begin(), alike.begin() + alike.size() / 2);
    return alike;
  }

  void addResult(CellId cell) {
    std::vector<int64_t> shape = shapeOf(cell);
    CellId result = addCell(CellKind::Result, shape);
    graph.results.push_back(result);
    addOp(cell, result, makeIdentityRule(shape, 1), Linearity::Sum, IdentityRole::Result);
    for (CellId argument : graph.arguments) {
      bool isTied = llvm::any_of(graph.ties, [&](const Tie &tie) { return tie.argument == argument; });
      if (!isTied && graph.getShape(argument) == graph.getShape(result) && random.chance(60)) {
        graph.ties.push_back({argument, result});
        return;
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Any rule
  //===--------------------------------------------------------------------===//

  /// A factor of `size` that the value does not have yet: an existing one or a new one.
  uint8_t pickFactor(Rule &rule, int64_t size, const ValueFactors &value) {
    std::vector<uint8_t> fitting;
    for (uint8_t factor : llvm::seq(static_cast<uint8_t>(rule.factors.size()))) {
      auto isHere = [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); };
      if (rule.factors[factor].size == size && !llvm::any_of(value, isHere))
        fitting.push_back(factor);
    }
    if (!fitting.empty() && random.chance(60))
      return random.pick(fitting);
    FactorKind kind = random.chance(8) ? FactorKind::Replicate : FactorKind::Parallel;
    return rule.addFactor(random.chance(2) ? FactorKind::Window : kind, size);
  }

  ValueFactors makeOperand(Rule &rule, llvm::ArrayRef<int64_t> shape) {
    ValueFactors value(shape.size());
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (random.chance(size == 1 ? 70 : 4))
        continue;
      int64_t minor = random.chance(30) ? random.pick(sizes) : 1;
      if (minor > 1 && size % minor == 0 && size > minor)
        value[dim].push_back(pickFactor(rule, size / minor, value));
      else
        minor = size;
      value[dim].push_back(pickFactor(rule, minor, value));
    }
    return value;
  }

  ValueFactors makeResult(Rule &rule) {
    std::vector<uint8_t> chosen;
    for (uint8_t factor : llvm::seq(static_cast<uint8_t>(rule.factors.size())))
      if (random.chance(70))
        chosen.push_back(factor);
    if (random.chance(15))
      chosen.push_back(rule.addFactor(FactorKind::Parallel, random.pick(sizes)));
    random.shuffle(chosen);
    ValueFactors value;
    for (uint8_t factor : chosen) {
      bool isMinor = !value.empty() && value.back().size() < 3 && random.chance(25);
      if (!isMinor && value.size() == 4)
        break;
      if (!isMinor)
        value.emplace_back();
      value.back().push_back(factor);
    }
    return value;
  }

  static std::vector<int64_t> shapeOf(const Rule &rule, const ValueFactors &value) {
    std::vector<int64_t> shape;
    for (const DimFactors &dim : value) {
      shape.push_back(1);
      for (uint8_t factor : dim)
        shape.back() *= rule.factors[factor].size;
    }
    return shape;
  }

  /// A factor that no result has is reduced, or unsplittable.
  void setReduced(Rule &rule) {
    Combiner combiner = random.chance(80) ? Combiner::Add : Combiner::Maximum;
    for (uint8_t factor : llvm::seq(static_cast<uint8_t>(rule.factors.size()))) {
      auto isIn = [&](const ValueFactors &value) {
        return llvm::any_of(value, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
      };
      Factor &info = rule.factors[factor];
      if (info.kind != FactorKind::Parallel || llvm::any_of(rule.results, isIn))
        continue;
      info.kind = random.chance(90) ? FactorKind::Reduce : FactorKind::Replicate;
      info.combiner = info.kind == FactorKind::Reduce ? combiner : Combiner::None;
    }
  }

  void addBoundaries(CellId cell, const Rule &rule, const ValueFactors &value) {
    for (auto [dim, factors] : llvm::enumerate(value)) {
      int64_t stride = 1;
      for (size_t position = factors.size(); position > 1; --position) {
        stride *= rule.factors[factors[position - 1]].size;
        graph.boundaries.push_back({cell, static_cast<uint32_t>(dim), stride});
      }
    }
  }

  void addAnyRule() {
    std::vector<CellId> operands = {random.pick(available)};
    while (operands.size() < 3 && random.chance(55))
      operands.push_back(random.chance(25) ? operands.front() : random.pick(available));
    Rule rule;
    for (CellId cell : operands)
      rule.operands.push_back(makeOperand(rule, graph.getShape(cell)));
    for (uint32_t i = 0, count = random.chance(20) ? 2 : 1; i < count; ++i)
      rule.results.push_back(makeResult(rule));
    setReduced(rule);
    std::vector<CellId> results;
    for (const ValueFactors &value : rule.results)
      results.push_back(addCell(CellKind::OpResult, shapeOf(rule, value)));
    addOp(operands, results, rule, results.size() == 1 ? randomLinearity(operands.size()) : Linearity::None);
    for (auto [cell, value] : llvm::zip(operands, rule.operands))
      addBoundaries(cell, rule, value);
    for (auto [cell, value] : llvm::zip(results, rule.results))
      addBoundaries(cell, rule, value);
  }

  bool withStacks;
  RandomNumbers random;
  Graph graph;
  RulePool rules;
  ShapePool shapes;
  std::vector<CellId> available;
  RegionId region, body;
  std::vector<CellId> carried;
  std::map<CellId, CellId> accumulated;
  std::vector<CellId> stacks;
  const std::vector<int64_t> sizes = {1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16};
};

} // namespace

Graph buildRandomGraph(uint64_t seed, bool withStacks, uint32_t numTwins) {
  return GraphMaker(seed, withStacks).build(numTwins);
}

//===----------------------------------------------------------------------===//
// Renumbering
//===----------------------------------------------------------------------===//

/// A random order of the ops in which definitions come before uses.
static std::vector<OpId> shuffleOps(const Graph &graph, RandomNumbers &random) {
  std::vector<OpId> order;
  std::vector<bool> isDone(graph.ops.size(), false), isDefined(graph.cells.size(), false);
  for (uint32_t cell = 0; cell < graph.cells.size(); ++cell)
    isDefined[cell] = graph.cells[CellId(cell)].kind != CellKind::OpResult;
  while (order.size() < graph.ops.size()) {
    std::vector<OpId> ready;
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (!isDone[op.get()] && llvm::all_of(graph.getOperands(op), [&](CellId cell) { return isDefined[cell.get()]; }))
        ready.push_back(op);
    order.push_back(random.pick(ready));
    isDone[order.back().get()] = true;
    for (CellId cell : graph.getResults(order.back()))
      isDefined[cell.get()] = true;
  }
  return order;
}

Renumbered renumber(const Graph &graph, RandomNumbers &random) {
  Renumbered out;
  RulePool rules(out.graph);
  out.graph.sizes = graph.sizes;
  out.graph.regions = graph.regions;
  std::vector<uint32_t> cellOrder(graph.cells.size());
  std::iota(cellOrder.begin(), cellOrder.end(), 0);
  random.shuffle(cellOrder);
  out.cells.resize(graph.cells.size());
  for (uint32_t old : cellOrder)
    out.cells[CellId(old)] = out.graph.cells.push_back(graph.cells[CellId(old)]);
  out.ops.resize(graph.ops.size());
  out.factors.resize(graph.ops.size());
  for (OpId old : shuffleOps(graph, random)) {
    Op op = graph.ops[old];
    op.firstUse = out.graph.uses.size();
    for (CellId cell : graph.getOperands(old))
      out.graph.uses.push_back(out.cells[cell]);
    op.firstDefinition = out.graph.definitions.size();
    for (CellId cell : graph.getResults(old))
      out.graph.definitions.push_back(out.cells[cell]);
    Rule rule = buildRule(graph, old);
    std::vector<uint8_t> &map = out.factors[old];
    map.resize(rule.factors.size());
    std::iota(map.begin(), map.end(), 0);
    random.shuffle(map);
    llvm::SmallVector<Factor, 6> factors(rule.factors.size());
    for (auto [factor, info] : llvm::enumerate(rule.factors))
      factors[map[factor]] = info;
    rule.factors = factors;
    auto rename = [&](ValueFactors &value) {
      for (DimFactors &dim : value)
        for (uint8_t &factor : dim)
          factor = map[factor];
    };
    llvm::for_each(rule.operands, rename);
    llvm::for_each(rule.results, rename);
    rules.add(rule).setOn(op);
    out.ops[old] = out.graph.ops.push_back(op);
  }
  for (CellId cell : graph.arguments)
    out.graph.arguments.push_back(out.cells[cell]);
  for (CellId cell : graph.results)
    out.graph.results.push_back(out.cells[cell]);
  for (const Tie &tie : graph.ties)
    out.graph.ties.push_back({out.cells[tie.argument], out.cells[tie.result]});
  for (const SplitBoundary &boundary : graph.boundaries)
    out.graph.boundaries.push_back({out.cells[boundary.cell], boundary.dim, boundary.stride});
  random.shuffle(out.graph.boundaries);
  for (const SteppedDim &step : graph.steppedDims)
    out.graph.steppedDims.push_back({out.cells[step.cell], step.dim, step.loop});
  return out;
}

} // namespace partita::fixtures
