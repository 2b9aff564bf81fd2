//===- LoopNest.h - the loops over mesh axes around one op ----------------===//
//
// Each axis that splits a factor of an op is one loop around it. Loops are in
// the order of the steps that decided them, except that where several axes
// split one dim of a result, the major one is outside. Adjacent sub-axes of one
// mesh axis that split the same factor are one loop.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_LOOPNEST_H
#define PARTITA_LOWER_LOOPNEST_H

#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Assignment.h"

#include <optional>

namespace partita::lower {

/// One loop of a nest.
struct NestLoop {
  /// Major to minor: one axis, or adjacent sub-axes of one mesh axis.
  llvm::SmallVector<AxisId, 1> axes;
  int64_t size = 1;
  /// The factor that they split.
  uint8_t factor = noFactor;
};

/// "At level `level`, operand `operand` is sliced along `dim` by the position of loop `loop`."
struct NestSlice {
  unsigned level = 0;
  unsigned operand = 0;
  unsigned dim = 0;
  unsigned loop = 0;
};

struct LoopNest {
  /// Outermost first.
  llvm::SmallVector<NestLoop, 2> loops;

  /// The loops that split a dim, major to minor.
  llvm::SmallVector<unsigned, 2> findLoops(const DimFactors &dim) const;
};

/// The loops of an op, whose rule is `rule`; no loops if it is not split. Nullopt if two dims of its results need the
/// same two loops in different orders.
std::optional<LoopNest> buildNest(const Assignment &assignment, OpId op, const Rule &rule);

/// The loops that split a value as `sharding` says, dim by dim; a loop's factor is the number of the dim.
LoopNest buildNest(const Axes &axes, const Sharding &sharding);

/// The slices of an operand, each at the first level where its position and its input exist.
llvm::SmallVector<NestSlice> collectSlices(const LoopNest &nest, const ValueFactors &factors, unsigned operand);

} // namespace partita::lower

#endif
