//===- StateFlow.h - which arguments a result is the next value of --------===//
//
// The next value of a state is computed from the old one element by element
// (`w - rate * gradient`), or by writing a part of it (a cache).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_STATEFLOW_H
#define PARTITA_PROGRAM_STATEFLOW_H

#include "partita/Graph/BorderForms.h"
#include "partita/Graph/ElementTypes.h"
#include "partita/Program/Neighbors.h"

namespace partita::program {

/// What a result is computed from, element by element. Arguments are listed nearest first.
struct StateSources {
  /// Those of the result's type, and the number of ops on the shortest way to each.
  llvm::SmallVector<CellId> arguments;
  llvm::SmallVector<uint32_t> distances;
  /// Those of its type into which a part is written on the way, as into a cache.
  llvm::SmallVector<CellId> written;
  /// Those of its shape and another element type: what a weight of 16 bits is a cast of.
  llvm::SmallVector<CellId> casts;
  /// Whether it is also computed from what is no function of single elements: a gradient.
  bool hasOthers = false;
};

class StateFlow {
public:
  StateFlow(const Graph &graph, const Neighbors &neighbors)
      : graph(graph), neighbors(neighbors), borderForms(graph), seenBy(graph.cells.size(), 0) {}

  /// Follows elementwise ops, loops and branches from the result back, through values of its shape; between other forms
  /// at the border, of their shape. A loop that takes slices of an argument and stacks what it makes of them computes
  /// element by element, too.
  StateSources findSources(CellId result);

private:
  /// A cell and how far it is.
  using Reached = std::pair<CellId, uint32_t>;
  /// Ops that are not followed by a walk through elementwise ops.
  struct Ends {
    /// What is updated in parts, and the pieces that a loop stacks.
    llvm::SmallVector<CellId> updated, stacked;
    /// What slices are taken from.
    llvm::SmallVector<CellId> sliced;
    bool hasOthers = false;
  };

  /// The arguments of the cells' shape that they are computed from.
  llvm::SmallVector<Reached> walk(llvm::ArrayRef<CellId> starts, Ends &ends);
  void addWritten(llvm::SmallVector<CellId> updated, StateSources &found, CellId result);
  void addStacked(llvm::ArrayRef<CellId> stacked, StateSources &found, CellId result);

  const Graph &graph;
  const Neighbors &neighbors;
  BorderForms borderForms;
  /// The number of the last walk that reached each cell.
  IdVector<CellId, uint32_t> seenBy;
  uint32_t numWalks = 0;
};

/// Whether two cells have one shape and one element type.
bool haveSameType(const Graph &graph, CellId a, CellId b);

/// Whether the op picks whole rows of its operand, as many as that has: members of a population that are replaced by
/// better ones, beams that follow their parents.
bool isExchangeOfRows(const Graph &graph, OpId op);

} // namespace partita::program

#endif
