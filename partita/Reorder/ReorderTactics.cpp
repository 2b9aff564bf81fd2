//===- ReorderTactics.cpp - applies the reorder tactic of a schedule ------===//

#include "partita/Reorder/ReorderTactics.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Padding/PaddingTactics.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Support/Words.h"

using namespace mlir;

namespace partita::reorder {

const ReorderTactic *findReorderTactic(const PlanSource &source) {
  const std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule && schedule->reorder ? &*schedule->reorder : nullptr;
}

namespace {

/// The roots of a tactic, and for each the cell and the entry that names it.
struct RootList {
  std::vector<OrderRoot> roots;
  std::vector<CellId> cells;
  std::vector<const ReorderEntry *> entries;
};

} // namespace

/// As the program calls it.
static std::string nameCell(const Graph &graph, CellId cell) {
  return graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence);
}

static Status addRoots(const ReorderEntry &entry, func::FuncOp main, const Graph &graph, const CellNames &names,
                       RootList &list) {
  size_t before = list.roots.size();
  for (CellId cell : names.match(entry.pattern)) {
    if (graph.cells[cell].kind != CellKind::Argument)
      continue;
    if (entry.dim >= graph.cells[cell].rank)
      return Error::badInput(entry.location, "'" + nameCell(graph, cell) + "' has no dim " + std::to_string(entry.dim))
          .withRemedy("it has " + countWord(graph.cells[cell].rank, "dim") + ", counted from 0");
    list.roots.push_back({main.getArgument(graph.cells[cell].number), entry.dim, entry.groups});
    list.cells.push_back(cell);
    list.entries.push_back(&entry);
  }
  if (list.roots.size() == before)
    return Error::badInput(entry.location, "the pattern '" + entry.pattern.getText() + "' matches no argument");
  return std::nullopt;
}

static Status refusePlain(const RootList &list, const OrderReach &reach, const Graph &graph) {
  for (auto [root, cell, entry, number] : llvm::zip_equal(list.roots, list.cells, list.entries, reach.dimOfRoot)) {
    const FusedDim &dim = reach.dims[number];
    if (dim.isFused() && dim.groups == root.groups)
      continue;
    std::string place = "dim " + std::to_string(root.dim) + " of '" + nameCell(graph, cell) + "'";
    if (dim.groups != root.groups)
      return Error::badInput(entry->location, place + " belongs to one that " + std::to_string(dim.groups) +
                                                  " devices shall split, and not " + std::to_string(root.groups))
          .withRemedy("give all dims that belong together one number");
    return Error::badInput(entry->location, place + " has no parts side by side that " + std::to_string(root.groups) +
                                                " devices can share")
        .withRemedy("name a dim of which the program cuts slices, with a number that divides their sizes");
  }
  return std::nullopt;
}

/// The only dim of an argument that has another order; nothing if it has none, or several.
static std::optional<StoredDim> findStoredDim(const OrderReach &reach, BlockArgument argument) {
  auto known = reach.values.find(argument);
  if (known == reach.values.end())
    return std::nullopt;
  std::optional<StoredDim> found;
  for (auto [dim, segment] : llvm::enumerate(known->second)) {
    DimOrder order = segment ? reach.getOrder(*segment) : DimOrder();
    if (order.isPlain())
      continue;
    if (found)
      return std::nullopt;
    found = StoredDim{static_cast<unsigned>(dim), std::move(order)};
  }
  return found;
}

/// State, and arguments that do not come back; what has a given sharding keeps the shape that the sharding is for.
static std::vector<StoredArgument> findStoredArguments(func::FuncOp main, const Graph &graph, const OrderReach &reach) {
  std::vector<StoredState> states = findStates(graph);
  std::vector<StoredArgument> stored;
  for (CellId cell : graph.arguments) {
    unsigned number = graph.cells[cell].number;
    std::optional<StoredDim> dim = findStoredDim(reach, main.getArgument(number));
    auto isGiven = [&](const GivenSharding &sharding) { return sharding.cell == cell; };
    bool isTied = llvm::any_of(graph.ties, [&](const Tie &tie) { return tie.argument == cell; });
    if (!dim || llvm::any_of(graph.shardings, isGiven))
      continue;
    StoredArgument made{number, std::move(*dim), {}};
    for (const StoredState &state : states)
      if (state.argument == number)
        made.results.push_back(state.result);
    if (!isTied || !made.results.empty())
      stored.push_back(std::move(made));
  }
  return stored;
}

/// The rewritten program must verify: a failure is a defect of ours.
static Status verifyProgram(ModuleOp module) {
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the reordered program does not verify: " + collector.takeError("no reason").reason)
        .withRemedy("please report it with the program; --forbid reorder leaves dims as they are");
  return std::nullopt;
}

Result<ReorderReport> applyReorderTactic(ModuleOp module, const ReorderTactic &tactic, const FlattenOptions &options) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  Result<UserRules> userRules = parseUserRules(options.rules);
  if (!userRules)
    return userRules.error();
  const Graph &graph = flattened->graph;
  CellNames names(graph);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  RootList list;
  for (const ReorderEntry &entry : tactic.entries)
    if (Status wrong = addRoots(entry, main, graph, names, list))
      return std::move(*wrong);
  Result<OrderReach> reach = computeOrderReach(list.roots, flattened->freeOps, *userRules);
  if (!reach)
    return reach.error();
  if (Status wrong = refusePlain(list, *reach, graph))
    return std::move(*wrong);
  ReorderReport report;
  std::set<uint32_t> isNamed;
  for (auto [root, cell, number] : llvm::zip_equal(list.roots, list.cells, reach->dimOfRoot))
    if (isNamed.insert(number).second)
      report.dims.push_back({nameCell(graph, cell), root.dim, reach->getOrder({number, 0, reach->dims[number].size})});
  std::vector<StoredArgument> stored =
      tactic.isStored ? findStoredArguments(main, graph, *reach) : std::vector<StoredArgument>();
  report.counts = ProgramReorderer(main, *reach).run(stored);
  if (Status wrong = verifyProgram(module))
    return std::move(*wrong);
  for (const StoredArgument &argument : stored) {
    std::vector<int64_t> parts(argument.stored.order.parts.begin(), argument.stored.order.parts.end());
    report.stored.push_back({/*isResult=*/false, argument.argument, argument.stored.dim, parts});
    for (unsigned result : argument.results)
      report.stored.push_back({/*isResult=*/true, result, argument.stored.dim, parts});
  }
  return report;
}

Result<std::vector<FusedArgument>> findFusedArguments(ModuleOp module, const Flattened &flattened, int64_t groups,
                                                      const FlattenOptions &options) {
  Result<UserRules> userRules = parseUserRules(options.rules);
  if (!userRules)
    return userRules.error();
  const Graph &graph = flattened.graph;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<OrderRoot> roots;
  std::vector<FusedArgument> places;
  for (CellId cell : graph.arguments)
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
      if (size > groups && size % groups == 0) {
        roots.push_back({main.getArgument(graph.cells[cell].number), static_cast<uint32_t>(dim), groups});
        places.push_back({graph.cells[cell].number, static_cast<uint32_t>(dim), graph.getBytes(cell)});
      }
  Result<OrderReach> reach = computeOrderReach(roots, flattened.freeOps, *userRules);
  if (!reach)
    return reach.error();
  std::vector<FusedArgument> found;
  std::map<uint32_t, size_t> numberOf;
  for (auto [place, number] : llvm::zip_equal(places, reach->dimOfRoot)) {
    if (!reach->dims[number].isFused())
      continue;
    auto [known, isNew] = numberOf.try_emplace(number, found.size());
    if (isNew)
      found.push_back({place.argument, place.dim, 0});
    found[known->second].bytes += place.bytes;
  }
  return found;
}

} // namespace partita::reorder
