//===- Pricing.cpp - how long pricing takes -------------------------------===//
//
//   bench-pricing GRAPH.json data=8,model=8 h100-sxm:8x8 [ROUNDS]
//
// Like bench-propagation, takes steps and rolls them back, but also prices each
// step and undoes its price. Prints, for the best round of each, in processor
// time:
//
//   ns_per_touched_op         pricing a step, undo included, for each op or boundary
//                             value that took a factor, without propagation
//   incremental_per_second    one op takes a factor, is priced and undone
//   full_per_second           evaluations of the whole program from scratch, after
//                             some steps
//   full_of_others_per_second the same for assignments that differ from the one before
//                             by two steps, one undone and one done, without
//                             propagation
//
// With ROUNDS, runs and prices the steps exactly that often, for instruction
// counts (bench/instructions.py).
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/CostTracker.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Propagate/Propagation.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace partita;
using namespace partita::cost;

namespace {

struct Root {
  DimId dim;
  AxisId axis;
};

/// A node and a factor that it could take alone.
struct Single {
  NodeId node;
  AxisId axis;
  uint8_t factor;
};

/// What to price after the propagation of a step.
enum class Priced { Nothing, Changes, Everything };

class Bench {
public:
  Bench(const Graph &graph, const Axes &axes, const Machine &machine, const Placement &placement)
      : axes(axes), topology(graph), assignment(topology, axes), propagation(assignment), liveTimes(topology),
        model(topology, axes, machine, placement, {}, liveTimes), planner(axes), tracker(model, assignment, planner),
        evaluator(model, assignment, planner) {
    collectRoots();
    collectSingles();
  }

  void print() {
    int64_t touched = 0;
    double stepsOnly = measure([&] { touched = runSteps(Priced::Nothing); });
    double withPrices = measure([&] { runSteps(Priced::Changes); });
    double withEvaluations = measure([&] { runSteps(Priced::Everything); });
    double incremental = measure([&] { runSingles(); });
    applySome();
    double full = measure([&] { evaluator.evaluate(); });
    auto perSecond = [](double count, double seconds) { return seconds > 0 ? count / seconds : 0; };
    llvm::outs() << llvm::formatv(
        "{{\"ops\": {0}, \"units\": {1}, \"points\": {2}, \"steps\": {3}, \"touched\": {4}, \"ns_per_touched_op\": "
        "{5:f1}, \"propagation_ns_per_touched_op\": {6:f1}, \"incremental_per_second\": {7:f0}, \"full_per_second\": "
        "{8:f0}, \"full_of_others_per_second\": {9:f0}, \"plans\": {10}}\n",
        topology.getGraph().ops.size(), model.getUnits().size(), liveTimes.getNumPoints(), roots.size(), touched,
        (withPrices - stepsOnly) * 1e9 / double(std::max<int64_t>(1, touched)),
        stepsOnly * 1e9 / double(std::max<int64_t>(1, touched)), perSecond(double(singles.size()), incremental),
        perSecond(1, full), perSecond(double(roots.size()), withEvaluations - stepsOnly), planner.size());
  }

  /// Runs and prices all steps `rounds` times.
  void repeat(int64_t rounds) {
    int64_t touched = 0;
    for (int64_t round = 0; round < rounds; ++round)
      touched = runSteps(Priced::Changes);
    llvm::outs() << llvm::formatv("{{\"touched\": {0}}\n", touched);
  }

private:
  void collectRoots() {
    std::vector<Root> all;
    for (CellId cell : topology.getGraph().arguments)
      for (uint32_t dim = 0; dim < topology.getGraph().cells[cell].rank; ++dim)
        for (AxisId axis : idRange<AxisId>(axes.size()))
          if (propagation.explainRoot(topology.getDim(cell, dim), axis).empty())
            all.push_back({topology.getDim(cell, dim), axis});
    for (size_t i = 0; i < all.size(); i += 1 + all.size() / 60)
      roots.push_back(all[i]);
  }

  void collectSingles() {
    for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
      for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor) {
        OpFactorId opFactor = topology.getOpFactor(node, factor);
        AxisId axis(node.get() % std::max<size_t>(1, axes.size()));
        if (axes.size() > 0 && !topology.isMinor(opFactor) && topology.getSplitSize(opFactor) > 0 &&
            topology.getSplitSize(opFactor) % axes[axis].size == 0)
          singles.push_back({node, axis, static_cast<uint8_t>(factor)});
      }
  }

  int64_t runSteps(Priced priced) {
    int64_t touched = 0;
    for (const Root &root : roots) {
      size_t mark = assignment.mark();
      propagation.run(root.dim, root.axis, 1);
      touched += static_cast<int64_t>(assignment.mark() - mark);
      if (priced == Priced::Changes)
        tracker.update();
      if (priced == Priced::Everything)
        evaluator.evaluate();
      tracker.rollback(mark);
      assignment.rollback(mark);
    }
    return touched;
  }

  void runSingles() {
    for (const Single &single : singles) {
      size_t mark = assignment.mark();
      assignment.assign(single.node, single.axis, single.factor, 1);
      tracker.update();
      tracker.rollback(mark);
      assignment.rollback(mark);
    }
  }

  void applySome() {
    uint32_t step = 0;
    for (const Root &root : roots)
      if (step < 6 && propagation.explainRoot(root.dim, root.axis).empty())
        propagation.run(root.dim, root.axis, ++step);
  }

  /// Seconds of the best round.
  template <typename Run> static double measure(Run run) {
    double best = 1e9, spent = 0;
    for (int round = 0; round < 3 || spent < 1.5; ++round) {
      // Processor time, so that other processes do not count.
      std::clock_t start = std::clock();
      int count = 0;
      do
        run();
      while (++count < 1'000'000 && std::clock() - start < CLOCKS_PER_SEC / 20);
      double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
      best = std::min(best, seconds / count);
      spent += seconds;
    }
    return best;
  }

  const Axes &axes;
  Topology topology;
  Assignment assignment;
  Propagation propagation;
  LiveTimes liveTimes;
  CostModel model;
  ReshardPlanner planner;
  CostTracker tracker;
  CostEvaluator evaluator;
  std::vector<Root> roots;
  std::vector<Single> singles;
};

} // namespace

int main(int argc, char **argv) {
  int64_t rounds = 0;
  if (argc < 4 || argc > 5 || (argc == 5 && llvm::StringRef(argv[4]).getAsInteger(10, rounds))) {
    llvm::errs() << "usage: bench-pricing GRAPH.json MESH MACHINE [ROUNDS]\n";
    return 2;
  }
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  if (!buffer) {
    llvm::errs() << argv[1] << ": " << buffer.getError().message() << "\n";
    return 74;
  }
  Result<Graph> graph = readGraph((*buffer)->getBuffer(), argv[1]);
  Result<Mesh> mesh = parseMesh(argv[2]);
  Result<Machine> machine = resolveMachine(argv[3]);
  if (!graph || !mesh || !machine) {
    llvm::errs() << (!graph ? graph.error() : !mesh ? mesh.error() : machine.error()).str() << "\n";
    return 65;
  }
  Result<Placement> placement = placeRowMajor(*mesh, *machine);
  if (!placement) {
    llvm::errs() << placement.error().str() << "\n";
    return 2;
  }
  Axes axes = refineAxes(*mesh, *graph);
  Bench bench(*graph, axes, *machine, *placement);
  if (rounds > 0)
    bench.repeat(rounds);
  else
    bench.print();
  return 0;
}
