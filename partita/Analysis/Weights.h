//===- Weights.h - how much of a program one op stands for ----------------===//

#ifndef PARTITA_ANALYSIS_WEIGHTS_H
#define PARTITA_ANALYSIS_WEIGHTS_H

#include "partita/Graph/Graph.h"

namespace partita {

/// How many ops of the whole program an op of a folded one stands for, itself included.
struct Weights {
  /// Empty: one each.
  IdVector<OpId, int64_t> ops;

  int64_t get(OpId op) const { return ops.empty() ? 1 : ops[op]; }
};

} // namespace partita

#endif
