//===- GivenShardings.h - sdy's shardings in the flat program -------------===//
//
// A program may give shardings to its arguments, results and inner values.
// Flatten adds each of them to the graph's cell here. Partitioning treats them
// as given.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_GIVENSHARDINGS_H
#define PARTITA_PROGRAM_GIVENSHARDINGS_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// The sharding that the program gives an op's result, by a constraint or by the attribute `sdy.sharding`. Null if it
/// gives none. Shardings of manual computations are not included: they are the types of the body, not requests.
sdy::TensorShardingAttr findGivenSharding(mlir::OpResult result);

/// Adds shardings to a graph while its cells are built. All must use one mesh. Those over a mesh of one device or
/// without axes mean nothing and are left out.
class GivenShardings {
public:
  explicit GivenShardings(Graph &graph) : graph(graph) {}

  /// Adds the sharding of `cell`, if it is not null. `owner` is the op that carries it.
  Status add(CellId cell, sdy::TensorShardingAttr sharding, mlir::Operation *owner);

private:
  Status setMesh(sdy::MeshAttr other, mlir::Operation *owner);
  std::vector<std::string> nameAxes(llvm::ArrayRef<sdy::AxisRefAttr> axes) const;

  Graph &graph;
  /// The mesh of all shardings; null before the first.
  sdy::MeshAttr mesh;
};

} // namespace partita::program

#endif
