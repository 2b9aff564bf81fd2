//===- RandomSpace.h - the search space of a random program, for tests ----===//

#ifndef PARTITA_TESTING_RANDOMSPACE_H
#define PARTITA_TESTING_RANDOMSPACE_H

#include "partita/Machine/Presets.h"
#include "partita/Propagate/SteppedDims.h"
#include "partita/Search/PlanSpace.h"
#include "partita/Search/Proposals.h"
#include "partita/Testing/RandomGraph.h"
#include "partita/Testing/Rooms.h"

namespace partita::fixtures {

/// A random program, its moves, and everything that walkers need. Must not be copied or moved.
struct RandomSpace {
  /// Elements have no type, so no argument is a weight, unless `element` names one.
  explicit RandomSpace(uint64_t seed, const CostOptions &cost = {}, llvm::StringRef meshText = "x=2,y=2",
                       llvm::StringRef machineText = "h100-sxm:1x4", llvm::StringRef element = "")
      : graph(buildNamedGraph(seed, element)), topology(graph), mesh(*parseMesh(meshText)),
        axes(refineAxes(mesh, graph)), machine(*buildPreset(machineText)), placement(*placeRowMajor(mesh, machine)),
        liveTimes(topology), model(topology, axes, machine, placement, cost, liveTimes), names(graph),
        steppedDims(findSteppedDims(topology)), groups(findArgumentGroups(topology, findRepetition(topology))) {
    Assignment base(topology, axes);
    table = buildMoves(groups, base, steppedDims, {});
  }

  /// Walkers of one problem share their caches; walkers of two problems do not.
  PlanProblem getProblem() {
    shared.push_back(std::make_unique<SharedPrices>());
    memories.push_back(std::make_unique<MoveMemory>(topology, axes));
    return {model, names, given, table, steppedDims, {Goal::Fit, Goal::Time}, *shared.back(), *memories.back()};
  }

  Moves drawMoves(RandomNumbers &random) const {
    Moves moves;
    for (uint32_t size = 1 + random.below(5); size > 0; --size)
      moves.push_back(MoveId(random.below(static_cast<uint32_t>(table.moves.size()))));
    return moves;
  }

  Graph graph;
  Topology topology;
  Mesh mesh;
  Axes axes;
  Machine machine;
  Placement placement;
  LiveTimes liveTimes;
  CostModel model;
  CellNames names;
  IdVector<DimId, uint8_t> steppedDims;
  ArgumentGroups groups;
  Schedule given;
  MoveTable table;
  std::vector<std::unique_ptr<SharedPrices>> shared;
  std::vector<std::unique_ptr<MoveMemory>> memories;

private:
  /// Random programs have no names, but tactics need them.
  static Graph buildNamedGraph(uint64_t seed, llvm::StringRef element) {
    Graph graph = buildRandomGraph(seed);
    NameId name = graph.names.push_back("value");
    NameId type = element.empty() ? NameId() : graph.names.push_back(element.str());
    for (CellId id : idRange<CellId>(graph.cells.size())) {
      Cell &cell = graph.cells[id];
      cell.element = type;
      if (cell.kind == CellKind::OpResult) {
        cell.name = name;
        cell.occurrence = id.get();
      } else if (cell.kind == CellKind::Argument || cell.kind == CellKind::Result) {
        cell.name = graph.names.push_back("boundary" + std::to_string(id.get()));
      }
    }
    return graph;
  }
};

} // namespace partita::fixtures

#endif
