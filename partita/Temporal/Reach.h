//===- Reach.h - what the axis of microbatches splits ---------------------===//
//
// From the roots, dims of arguments, the digit that counts microbatches spreads
// to every factor that can be computed microbatch by microbatch, and through it
// to the op's other dims: like a step of propagation (Propagate/Propagation.h),
// but along digits of any stride (Digits.h). An op that is reached in two ways
// stays whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_REACH_H
#define PARTITA_TEMPORAL_REACH_H

#include "partita/Program/Flatten.h"
#include "partita/Propagate/Topology.h"
#include "partita/Temporal/Digits.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

/// A dim of an argument, or of another cell, that is cut into microbatches: row i belongs to (i / stride) % count.
struct Root {
  CellId cell;
  uint32_t dim = 0;
  int64_t stride = 1;
};

struct Reached {
  /// The factor of each op that is split, if any.
  IdVector<OpId, std::optional<FactorDigit>> ops;
  /// The digit along which carried values and results of branches come in pieces.
  IdVector<CellId, std::optional<RowDigit>> boundaries;
  /// Ops that were reached in several ways, in program order.
  std::vector<OpId> conflicts;
};

/// The flat program with what all parts of the rewrite look up.
struct MicroProgram {
  const Flattened &flattened;
  const Graph &graph;
  Topology topology;
  IdVector<OpId, Rule> rules;
  /// The number of microbatches.
  int64_t count;

  MicroProgram(const Flattened &flattened, int64_t count)
      : flattened(flattened), graph(flattened.graph), topology(flattened.graph), rules(buildRules(flattened.graph)),
        count(count) {}
};

Reached computeReach(const MicroProgram &program, llvm::ArrayRef<Root> roots);

} // namespace partita::temporal

#endif
