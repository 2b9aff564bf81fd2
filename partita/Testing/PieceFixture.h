//===- PieceFixture.h - products that may run in pieces, for tests --------===//
//
// out = f(x w) v, with `rows`, `hidden` and `active` between. Under `pieceSchedule`
// the columns of w and the rows of v are split, and so are the rows of x and of
// the result: rows are gathered before the first product, and the sums of the
// second one are scattered.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_PIECEFIXTURE_H
#define PARTITA_TESTING_PIECEFIXTURE_H

#include "partita/Cost/Price.h"
#include "partita/Testing/CostFixture.h"
#include "partita/Testing/Rooms.h"

namespace partita::fixtures {

inline constexpr llvm::StringLiteral pieceGraph = R"json({"partita_graph": 1,
"program": {"name": "block", "sha256": "00"}, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 8], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "w", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 8], "name": "v", "number": 2},
  {"bits": 32, "type": "f32", "shape": [16, 8], "name": "rows"},
  {"bits": 32, "type": "f32", "shape": [16, 16], "name": "hidden"},
  {"bits": 32, "type": "f32", "shape": [16, 16], "name": "active"},
  {"bits": 32, "type": "f32", "shape": [16, 8], "name": "out"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16, 8], "name": "result"}],
"ops": [
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [0, 0], "results": [3],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 4096, "operands": [3, 1], "results": [4],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [4], "results": [5],
   "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 4096, "operands": [5, 2], "results": [6],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [7],
   "rule": "([a,b])->([a,b])"}]}
)json";

inline constexpr llvm::StringLiteral pieceSchedule = R"json({"tactics": [
  {"axis": "m", "tile": [["w", 1], ["v", 0]]}, {"axis": "m", "tile": [["x", 0], ["result", 0]]}]})json";

/// A plan with the graph that it is of. Its parts refer to each other, so it must not be copied or moved.
class PieceFixture {
public:
  PieceFixture(llvm::StringRef mesh, llvm::StringRef schedule = pieceSchedule, llvm::StringRef graphText = pieceGraph)
      : graph(*readGraph(graphText, "g.json")), program(graph), plan(build(*parseMesh(mesh), schedule)) {}

  /// The plan with these in pieces, or why there is none.
  Result<PlanPtr> buildWith(std::vector<PiecedCollective> pieced) const {
    return buildWithPieces(*plan, std::move(pieced));
  }
  /// All that could run in pieces.
  std::vector<PiecedReshard> findAll() const {
    std::vector<PiecedReshard> found;
    for (ReshardId id : idRange<ReshardId>(plan->reshards.size()))
      if (auto pieced = findPieces(plan->assignment, plan->planner, plan->reshards, id))
        found.push_back(std::move(*pieced));
    return found;
  }
  static PricePtr price(const Plan &plan, const Machine &machine, const CostOptions &options = {}) {
    return pricePlan(plan, {machine, *placeRowMajor(plan.getMesh(), machine), options});
  }

  Graph graph;
  PlannedProgram program;
  PlanPtr plan;

private:
  PlanPtr build(const Mesh &mesh, llvm::StringRef text) const {
    StageClock clock(/*prints=*/false);
    return std::move(*buildPlan(program, mesh, *readSchedule(text, "s.json"), {}, clock));
  }
};

} // namespace partita::fixtures

#endif
