//===- PaddingTactics.cpp - applies the pad tactic of a schedule ----------===//

#include "partita/Padding/PaddingTactics.h"

#include "partita/Graph/LinkedDims.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::padding {

const PadTactic *findPadTactic(const PlanSource &source) {
  const std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule && schedule->padding ? &*schedule->padding : nullptr;
}

/// Where reshapes divide the dim, padding goes by groups: whole heads of 64 elements. Of several strides the largest
/// that wastes no more than a third.
static int64_t chooseInner(const Graph &graph, const LinkedDims &linked, CellId cell, uint32_t dim, int64_t multiple) {
  int64_t size = graph.getShape(cell)[dim], inner = 1;
  DimClass own = linked.get(cell, dim);
  for (const SplitBoundary &boundary : graph.boundaries) {
    if (linked.get(boundary.cell, boundary.dim) != own || graph.getShape(boundary.cell)[boundary.dim] != size ||
        boundary.stride <= inner || size % boundary.stride != 0)
      continue;
    int64_t padded = PaddingGroup{size / boundary.stride, multiple}.getPaddedRows() * boundary.stride;
    if (3 * padded <= 4 * size)
      inner = boundary.stride;
  }
  return inner;
}

/// The result of `origin` that an op of the graph stands for: a barrier has an op for each of its values.
static unsigned findResultNumber(const Flattened &flattened, OpId op, unsigned number) {
  if (flattened.graph.ops[op].role != IdentityRole::Barrier)
    return number;
  unsigned before = 0;
  for (OpId other : idRange<OpId>(op.get()))
    before += flattened.origins[other] == flattened.origins[op];
  return before;
}

static Value findInnerValue(const Flattened &flattened, CellId id) {
  const Graph &graph = flattened.graph;
  const Cell &cell = graph.cells[id];
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (auto [number, made] : llvm::enumerate(graph.getResults(op)))
      if (made == id) {
        Operation *origin = flattened.origins[op];
        unsigned index = cell.kind == CellKind::OpResult ? findResultNumber(flattened, op, number) : cell.number;
        return index < origin->getNumResults() ? Value(origin->getResult(index)) : Value();
      }
  return {};
}

/// The value of the program that a cell is; null for one that stands for several.
static Value findValue(func::FuncOp main, const Flattened &flattened, CellId id) {
  const Cell &cell = flattened.graph.cells[id];
  Value value = cell.kind == CellKind::Argument ? Value(main.getArgument(cell.number))
                : cell.kind == CellKind::Result ? main.getBody().front().getTerminator()->getOperand(cell.number)
                                                : findInnerValue(flattened, id);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return type && type.getShape() == flattened.graph.getShape(id) ? value : Value();
}

namespace {

/// The roots of a tactic, and their names.
struct RootList {
  PaddingRequest request;
  std::vector<PaddedDim> dims;
};

} // namespace

static Status addRoots(const PadEntry &entry, func::FuncOp main, const Flattened &flattened, const CellNames &names,
                       const LinkedDims &linked, RootList &list) {
  const Graph &graph = flattened.graph;
  std::vector<CellId> cells = names.match(entry.pattern);
  if (cells.empty())
    return Error::badInput(entry.location, "the pattern '" + entry.pattern.getText() + "' matches no value");
  for (CellId cell : cells) {
    if (entry.dim >= graph.cells[cell].rank)
      return Error::badInput(entry.location, "'" + names.getName(cell) + "' has no dim " + std::to_string(entry.dim))
          .withRemedy("it has " + countWord(graph.cells[cell].rank, "dim") + ", counted from 0");
    Value value = findValue(main, flattened, cell);
    int64_t size = graph.getShape(cell)[entry.dim];
    if (!value || size < 1)
      continue;
    int64_t inner = chooseInner(graph, linked, cell, entry.dim, entry.multiple);
    list.request.roots.push_back({value, entry.dim, entry.multiple, inner});
    const Cell &entered = graph.cells[cell];
    list.dims.push_back({graph.getFullName(entered.name, entered.occurrence), entry.dim, size, 0});
  }
  return std::nullopt;
}

/// The first dim of each group, with its new size.
static std::vector<PaddedDim> describeGroups(const RootList &list, const PaddedProgram &padded) {
  std::vector<PaddedDim> dims;
  for (size_t root = 0; root < list.dims.size(); ++root) {
    uint32_t group = padded.groupOfRoot[root];
    const PaddingGroup &rows = padded.groups[group];
    bool isFirst = !llvm::is_contained(llvm::ArrayRef(padded.groupOfRoot).take_front(root), group);
    if (!isFirst || rows.getPaddedRows() == rows.rows)
      continue;
    dims.push_back(list.dims[root]);
    dims.back().paddedSize = dims.back().size / rows.rows * rows.getPaddedRows();
  }
  return dims;
}

std::vector<StoredState> findStates(const Graph &graph) {
  std::vector<StoredState> states;
  auto isGiven = [&](CellId cell) {
    return llvm::any_of(graph.shardings, [&](const GivenSharding &sharding) { return sharding.cell == cell; });
  };
  for (const Tie &tie : graph.ties) {
    if (isGiven(tie.argument) || isGiven(tie.result))
      continue;
    StoredState state{graph.cells[tie.argument].number, graph.cells[tie.result].number};
    auto isSame = [&](const StoredState &other) {
      return other.argument == state.argument || other.result == state.result;
    };
    if (llvm::none_of(states, isSame))
      states.push_back(state);
  }
  return states;
}

Result<PaddingReport> applyPadTactic(ModuleOp module, const PadTactic &tactic, const FlattenOptions &options,
                                     PaddedElements *elements) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  Result<UserRules> userRules = parseUserRules(options.rules);
  if (!userRules)
    return userRules.error();
  CellNames names(flattened->graph);
  LinkedDims linked(flattened->graph);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  RootList list;
  list.request.isPoisoned = tactic.isPoisoned;
  for (const PadEntry &entry : tactic.entries)
    if (Status wrong = addRoots(entry, main, *flattened, names, linked, list))
      return std::move(*wrong);
  if (tactic.isStored)
    list.request.stored = findStates(flattened->graph);
  SmallVector<Type> before(main.getArgumentTypes());
  Result<PaddedProgram> padded = padProgram(module, *flattened, list.request, *userRules);
  if (!padded)
    return padded.error();
  if (elements)
    *elements = std::move(padded->elements);
  PaddingReport report{describeGroups(list, *padded), {}, padded->counts};
  for (StoredState state : list.request.stored)
    if (before[state.argument] != main.getArgument(state.argument).getType())
      report.stored.push_back({state, cast<RankedTensorType>(before[state.argument]).getShape().vec()});
  return report;
}

} // namespace partita::padding
