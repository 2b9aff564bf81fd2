//===- Matrices.h - arguments that are multiplied, and their dims ---------===//
//
// Follows each argument through what only moves, casts or joins its elements, to
// its first product or convolution, by the factors of the ops on the way. A dim
// of the argument is summed over there (an input), or stays in the result (an
// output), or each place of it has a matrix of its own (experts).
//
// Outputs are followed on, into products of activations with each other:
//
//   wq [d, heads, head_dim]   x wq = q [b, t, heads, head_dim]
//                             q k: heads is a batch of it, head_dim is summed over
//
// So heads can be split over devices, and head_dim cannot, unless the scores are
// then summed over them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_MATRICES_H
#define PARTITA_SCHEDULE_MATRICES_H

#include "partita/Propagate/Topology.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

/// An argument that is multiplied.
struct Matrix {
  CellId argument;
  /// Its dims in the order in which they are best split: the largest output first, then experts, inputs last. Of
  /// attention only heads. A dim of which only a part is multiplied, or that is joined with those of others before, is
  /// not among them.
  std::vector<uint32_t> dims;
};

/// The matrices among `candidates`, in the order of their first use.
std::vector<Matrix> findMatrices(const Topology &topology, llvm::ArrayRef<CellId> candidates);

/// The matrices among all arguments. Less is known here: a value that a loop carries, or a sum of two, may be an
/// activation that an argument starts, and of two arguments whose product is taken one is an activation.
std::vector<Matrix> findMatrices(const Topology &topology);

} // namespace partita::schedule

#endif
