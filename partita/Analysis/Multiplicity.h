//===- Multiplicity.h - how much of a program one op or cell stands for --------===//

#ifndef PARTITA_ANALYSIS_MULTIPLICITY_H
#define PARTITA_ANALYSIS_MULTIPLICITY_H

#include "partita/Analysis/Rooms.h"
#include "partita/Graph/Graph.h"

namespace partita::analysis {

/// How many ops and cells of the whole program one of a folded program stands for, itself included. An op is executed
/// as often as `ops` says. What is done to a cell, a reshard of it say, is done as often as `cells` says, wherever it
/// stands: the first user of a cell that stands for many may stand for itself alone.
struct Multiplicity {
  /// Empty: one each.
  IdVector<OpId, int64_t> ops;
  IdVector<CellId, int64_t> cells;
  /// Ops that go with the layers of a stack have its number, others none.
  IdVector<OpId, uint32_t> stacks;

  static constexpr uint32_t noStack = UINT32_MAX;

  int64_t get(OpId op) const { return ops.empty() ? 1 : ops[op]; }
  int64_t get(CellId cell) const { return cells.empty() ? 1 : cells[cell]; }
  /// How many ops of the whole program that `user` stands for take what one of those gives that `op` stands for: all of
  /// them if `op` is there once for all layers, as what a layer of one stack gives to all layers of another is.
  int64_t getNumUsers(OpId op, OpId user) const {
    bool goesAlong = stacks.empty() || (stacks[op] != noStack && stacks[op] == stacks[user]);
    return goesAlong ? 1 : get(user);
  }
};

} // namespace partita::analysis

#endif
