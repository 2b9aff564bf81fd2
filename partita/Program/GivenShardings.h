//===- GivenShardings.h - from sdy's shardings to the flat program's ------===//

#ifndef PARTITA_PROGRAM_GIVENSHARDINGS_H
#define PARTITA_PROGRAM_GIVENSHARDINGS_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// What the program says of an op's result: by a constraint, or in the attribute `sdy.sharding` of any op. Null if it
/// says nothing. Shardings of manual computations are types of their bodies, not wishes: they are not given here.
sdy::TensorShardingAttr findGivenSharding(mlir::OpResult result);

/// Adds shardings to a graph as its cells are made. All of them must be over one mesh; those over a mesh of one device
/// or of no axes mean nothing and are left out.
class GivenShardings {
public:
  explicit GivenShardings(Graph &graph) : graph(graph) {}

  /// What the program says of `cell`. `owner` is the op that says it; a null `sharding` says nothing.
  Status add(CellId cell, sdy::TensorShardingAttr sharding, mlir::Operation *owner);

private:
  Status setMesh(sdy::MeshAttr other, mlir::Operation *owner);
  std::vector<std::string> nameAxes(llvm::ArrayRef<sdy::AxisRefAttr> axes) const;

  Graph &graph;
  /// The mesh of all shardings; null before the first.
  sdy::MeshAttr mesh;
};

/// An argument and a result that the program shards differently are two states, whatever their names say.
void dropContradictedTies(Graph &graph);

} // namespace partita::program

#endif
