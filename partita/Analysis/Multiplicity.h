//===- Multiplicity.h - how many ops and cells one represents -------------===//
//
// A folded program (Folding.h) keeps a few of the layers that repeat. The cost
// model multiplies what these cost by their multiplicity, so that a folded
// program costs as much as the whole one.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_MULTIPLICITY_H
#define PARTITA_ANALYSIS_MULTIPLICITY_H

#include "partita/Analysis/Rooms.h"
#include "partita/Graph/Graph.h"

namespace partita::analysis {

/// The number of ops and cells of the whole program that one of a folded program represents, itself included. An op
/// runs `ops` times. A reshard of a cell, or anything else that is done to a cell, runs `cells` times, whichever op it
/// belongs to: the first user of a cell that represents many may represent only itself.
struct Multiplicity {
  /// Empty: one each.
  IdVector<OpId, int64_t> ops;
  IdVector<CellId, int64_t> cells;
  /// The number of the stack of layers that the op belongs to, or noStack.
  IdVector<OpId, uint32_t> stacks;

  static constexpr uint32_t noStack = UINT32_MAX;

  int64_t get(OpId op) const { return ops.empty() ? 1 : ops[op]; }
  int64_t get(CellId cell) const { return cells.empty() ? 1 : cells[cell]; }
  /// The number of ops represented by `user` that use a result of one op represented by `op`. All of them if the op
  /// occurs once for all layers, or if a layer of one stack gives a value to all layers of another.
  int64_t getNumUsers(OpId op, OpId user) const {
    bool goesAlong = stacks.empty() || (stacks[op] != noStack && stacks[op] == stacks[user]);
    return goesAlong ? 1 : get(user);
  }
};

} // namespace partita::analysis

#endif
