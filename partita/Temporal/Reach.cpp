//===- Reach.cpp - what the axis of microbatches splits -------------------===//

#include "partita/Temporal/Reach.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/StageShift.h"

#include <set>

using namespace mlir;

namespace partita::temporal {

//===----------------------------------------------------------------------===//
// Factors that may be split
//===----------------------------------------------------------------------===//

static bool hasFactor(const ValueFactors &value, uint8_t factor) {
  return llvm::any_of(value, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// In how many places of the value the factor is.
static int64_t countFactor(const ValueFactors &value, uint8_t factor) {
  int64_t places = 0;
  for (const DimFactors &dim : value)
    places += llvm::count(dim, factor);
  return places;
}

/// Whether the rule itself gives pieces (a parallel factor) or terms (a reduced one) of every result.
static bool givesParts(const Rule &rule, uint8_t factor) {
  const Factor &known = rule.factors[factor];
  if (!known.isSplittable() || known.isExchanged())
    return false;
  auto isOnce = [&](const ValueFactors &value) { return countFactor(value, factor) <= 1; };
  if (!llvm::all_of(rule.operands, isOnce) || !llvm::all_of(rule.results, isOnce))
    return false;
  bool isParallel = known.kind == FactorKind::Parallel;
  return llvm::all_of(rule.results, [&](const ValueFactors &value) { return hasFactor(value, factor) == isParallel; });
}

static bool isSplat(Attribute value) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  return elements && !elements.empty() && elements.isSplat();
}

/// Whether the op computes with rows wherever they stand in the whole: rules shift indices by where a device's
/// contiguous piece starts, which is not where a microbatch's rows are.
static bool isIndexFree(Operation *op, const Rule &rule, uint8_t factor) {
  using namespace stablehlo;
  auto isIn = [&](unsigned operand) { return hasFactor(rule.operands[operand], factor); };
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isSplat(constant.getValue());
  if (isStageShift(op))
    return !llvm::is_contained(rule.operands[0].front(), factor);
  if (isa<DynamicSliceOp>(op))
    return isIn(0) && hasFactor(rule.results[0], factor);
  if (isa<DynamicUpdateSliceOp>(op))
    return isIn(0) && isIn(1);
  if (isa<GatherOp>(op))
    return rule.factors[factor].kind == FactorKind::Parallel;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return isIn(scatter.getInputs().size() + 1);
  return !isa<chlo::RaggedDotOp, chlo::ConstantOp, sdy::ConstantOp, CompositeOp, sdy::ManualComputationOp>(op);
}

static bool isOpen(const MicroProgram &program, OpId id, uint8_t factor) {
  const Op &op = program.graph.ops[id];
  const Rule &rule = program.rules[id];
  if (op.role == IdentityRole::Result || op.role == IdentityRole::Boundary || !givesParts(rule, factor))
    return false;
  if (op.opClass == OpClass::Identity && op.role != IdentityRole::Constraint)
    return true;
  Operation *origin = program.flattened.origins[id];
  Split split{factor, program.count, Value()};
  return isIndexFree(origin, rule, factor) && (isa<stablehlo::ReshapeOp>(origin) || isValidSplit(rule, split));
}

//===----------------------------------------------------------------------===//
// The closure
//===----------------------------------------------------------------------===//

namespace {

class ReachSearch {
public:
  ReachSearch(const MicroProgram &program, ArrayRef<Root> roots)
      : program(program), graph(program.graph), roots(roots), closedOps(graph.ops.size(), 0),
        closedCells(graph.cells.size(), 0) {}

  Reached run();

private:
  void spread();
  void enter(CellId cell, RowDigit digit);
  void visitOp(OpId op, CellId cell, RowDigit digit);
  void split(OpId op, FactorDigit digit);
  /// Closes what is reached in several ways. False if there is nothing.
  bool closeConflicts();
  bool closeCell(CellId cell);
  bool isBoundary(CellId cell) const {
    return graph.cells[cell].kind == CellKind::Carried || graph.cells[cell].kind == CellKind::Branch;
  }

  const MicroProgram &program;
  const Graph &graph;
  ArrayRef<Root> roots;
  IdVector<OpId, uint8_t> closedOps;
  IdVector<CellId, uint8_t> closedCells;
  IdVector<OpId, std::set<FactorDigit>> ops;
  IdVector<CellId, std::set<RowDigit>> cells;
  std::vector<std::pair<CellId, RowDigit>> worklist;
  Reached result;
};

} // namespace

void ReachSearch::enter(CellId cell, RowDigit digit) {
  if (!closedCells[cell] && cells[cell].insert(digit).second)
    worklist.push_back({cell, digit});
}

void ReachSearch::split(OpId op, FactorDigit digit) {
  if (!ops[op].insert(digit).second)
    return;
  const Rule &rule = program.rules[op];
  uint32_t numUses = graph.ops[op].numUses;
  for (auto [number, cell] : llvm::enumerate(graph.getOperands(op)))
    if (std::optional<RowDigit> found = findDigit(rule, getValue(rule, number), digit))
      enter(cell, *found);
  for (auto [number, cell] : llvm::enumerate(graph.getResults(op)))
    if (std::optional<RowDigit> found = findDigit(rule, getValue(rule, numUses + number), digit))
      enter(cell, *found);
}

void ReachSearch::visitOp(OpId op, CellId cell, RowDigit digit) {
  if (closedOps[op])
    return;
  const Rule &rule = program.rules[op];
  auto visit = [&](ArrayRef<CellId> values, uint32_t first) {
    for (auto [number, value] : llvm::enumerate(values))
      if (value == cell)
        if (auto found = findFactor(rule, getValue(rule, first + number), digit, program.count))
          if (isOpen(program, op, found->factor))
            split(op, *found);
  };
  visit(graph.getOperands(op), 0);
  visit(graph.getResults(op), graph.ops[op].numUses);
}

void ReachSearch::spread() {
  ops = IdVector<OpId, std::set<FactorDigit>>(graph.ops.size());
  cells = IdVector<CellId, std::set<RowDigit>>(graph.cells.size());
  for (const Root &root : roots)
    enter(root.cell, {root.dim, root.stride});
  const Topology &topology = program.topology;
  while (!worklist.empty()) {
    auto [cell, digit] = worklist.back();
    worklist.pop_back();
    for (UseId use : topology.getUses(cell))
      visitOp(topology.getUser(use), cell, digit);
    if (OpId definition = topology.getDefinition(cell); definition.isValid())
      visitOp(definition, cell, digit);
    for (OpId definition : topology.getDefinitions(cell))
      visitOp(definition, cell, digit);
  }
}

/// A carried value comes in pieces if all that define it give the same pieces.
bool ReachSearch::closeCell(CellId cell) {
  if (!isBoundary(cell) || closedCells[cell] || cells[cell].empty())
    return false;
  auto isSplit = [&](OpId definition) { return !ops[definition].empty(); };
  if (cells[cell].size() == 1 && llvm::all_of(program.topology.getDefinitions(cell), isSplit))
    return false;
  closedCells[cell] = 1;
  for (OpId definition : program.topology.getDefinitions(cell))
    closedOps[definition] = 1;
  return true;
}

bool ReachSearch::closeConflicts() {
  bool closesAny = false;
  for (OpId op : idRange<OpId>(ops.size()))
    if (ops[op].size() > 1) {
      closedOps[op] = closesAny = true;
      result.conflicts.push_back(op);
    }
  for (CellId cell : idRange<CellId>(cells.size()))
    closesAny |= closeCell(cell);
  return closesAny;
}

Reached ReachSearch::run() {
  do
    spread();
  while (closeConflicts());
  result.ops.resize(graph.ops.size());
  result.boundaries.resize(graph.cells.size());
  for (OpId op : idRange<OpId>(ops.size()))
    if (!ops[op].empty())
      result.ops[op] = *ops[op].begin();
  for (CellId cell : idRange<CellId>(cells.size()))
    if (isBoundary(cell) && !cells[cell].empty())
      result.boundaries[cell] = *cells[cell].begin();
  llvm::sort(result.conflicts);
  return std::move(result);
}

Reached computeReach(const MicroProgram &program, ArrayRef<Root> roots) { return ReachSearch(program, roots).run(); }

} // namespace partita::temporal
