//===- Search.cpp - what a search finds, and how fast ---------------------===//
//
//   bench-search GRAPH.json MESH MACHINE [--search METHOD] [--budget N] ...
//
// Searches a flat program and prints, as a JSON object, what was found, what
// experts' seeds give, and how many states were looked at in how much time.
//
//===----------------------------------------------------------------------===//

#include "partita/Search/Search.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Machine/Presets.h"
#include "partita/Propagate/SteppedDims.h"
#include "partita/Search/Proposals.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace partita;

static std::string describe(const Graph &graph, const MoveTable &table, const Move &move) {
  std::string text;
  for (const MoveEntry &entry : move.entries) {
    const Target &target = table.targets[entry.target];
    const Cell &cell = graph.cells[target.members.front()];
    text += (text.empty() ? "" : " ") + getWord(entry.kind).str() + " " +
            graph.getFullName(cell.name, cell.occurrence) + "x" + std::to_string(target.members.size()) +
            (entry.dim ? "/" + std::to_string(*entry.dim) : "");
    if (text.size() > 160)
      return text + " ... over " + move.axis;
  }
  return text + " over " + move.axis;
}

static void print(const PlanProblem &problem, const char *title, const Moves &moves, bool verbose) {
  PlanWalker walker(problem);
  walker.evaluate(moves);
  const Cost &cost = walker.getCost();
  llvm::outs() << llvm::formatv("{0}: {1:f3} ms, compute {2:f3}, comm {3:f3}, exposed {4:f3}, {5:f2} GB{6}\n", title,
                                cost.timePs / 1e9, cost.computePs / 1e9, cost.communicationPs / 1e9,
                                cost.exposedPs / 1e9, cost.peakBytes / 1e9,
                                cost.peakBytes <= problem.model.getMemoryLimit() ? "" : " (does not fit)");
  if (verbose)
    for (MoveId move : moves)
      llvm::outs() << "    " << describe(problem.model.getGraph(), problem.table, problem.table.moves[move]) << "\n";
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc), positional;
  SearchOptions options;
  CostOptions costOptions;
  auto visit = [&](OptionVisitor &visitor) {
    options.visitOptions(visitor);
    costOptions.visitOptions(visitor);
  };
  Status error = parseFlags(words, visit, positional);
  if (error || positional.size() != 3) {
    llvm::errs() << (error ? error->str() + "\n" : "") << "usage: bench-search GRAPH.json MESH MACHINE [options]\n";
    return 2;
  }
  auto buffer = llvm::MemoryBuffer::getFile(positional[0]);
  if (!buffer)
    return 74;
  Result<Graph> graph = readGraph((*buffer)->getBuffer(), positional[0]);
  Result<Mesh> mesh = parseMesh(positional[1]);
  Result<Machine> machine = buildPreset(positional[2]);
  if (!graph || !mesh || !machine) {
    llvm::errs() << (!graph ? graph.error() : !mesh ? mesh.error() : machine.error()).str() << "\n";
    return 65;
  }
  Result<Placement> placement = placeRowMajor(*mesh, *machine);
  Result<std::vector<Goal>> goals = parseGoals(options.goals);
  if (!placement || !goals)
    return 2;
  Topology topology(*graph);
  Axes axes = refineAxes(*mesh, *graph);
  LiveTimes liveTimes(topology);
  CostModel model(topology, axes, *machine, *placement, costOptions, liveTimes);
  CellNames names(*graph);
  Schedule given;
  auto start = std::chrono::steady_clock::now();
  ArgumentGroups groups = findArgumentGroups(topology, findRepetition(topology));
  IdVector<DimId, uint8_t> steppedDims = findSteppedDims(topology);
  Assignment base(topology, axes);
  MoveTable table = buildMoves(groups, base, steppedDims, {});
  PlanProblem problem{model, names, given, table, steppedDims, *goals};
  PlanSpace space(problem);
  auto ready = std::chrono::steady_clock::now();
  SearchOutcome outcome = runSearch(space, options, {});
  auto end = std::chrono::steady_clock::now();
  auto ms = [](auto a, auto b) { return std::chrono::duration<double, std::milli>(b - a).count(); };
  print(problem, "start", {}, false);
  for (const Seed &seed : outcome.seeds)
    print(problem, seed.name.c_str(), seed.moves, false);
  if (outcome.best)
    print(problem, "best", outcome.best->moves, true);
  llvm::outs() << llvm::formatv("{0} ops, {1} groups, {2} moves, {3} evaluations in {4:f1} ms + {5:f1} ms ({6})\n",
                                graph->ops.size(), groups.list.size(), table.moves.size(), outcome.numEvaluations,
                                ms(start, ready), ms(ready, end), getName(outcome.stopReason));
  return 0;
}
