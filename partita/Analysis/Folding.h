//===- Folding.h - repeated layers, once ----------------------------------===//
//
// A folded program is a real, smaller program: of a stack of layers that repeat,
// the first ones and the last ones stay, those between are cut out, and what
// stood before and behind them is joined.
//
//   whole    embed ▶ L0 ▶ L1 ▶ L2 ▶ L3 ▶ ... ▶ L30 ▶ L31 ▶ loss
//   folded   embed ▶ L0 ▶ L1 ▶ ─────────────────────▶ L31 ▶ loss
//
// Here L1, the representative, stands for L1 to L30: its ops and cells have the
// weight 30, all others 1. For plans that treat the members of each class alike,
// propagation, transfers and prices on the folded program are those of the whole
// one.
//
// What is in the key of a class: kind, rule, types, flops and phase of ops, ties,
// donation, given shardings and stepped dims of cells, and how all that is
// connected. What is not: names, places and the values of constants. A program
// in which nothing repeats comes back as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_FOLDING_H
#define PARTITA_ANALYSIS_FOLDING_H

#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Weights.h"

namespace partita {

/// What was cut out of one stack of layers.
struct FoldedStack {
  ShiftId shift;
  /// Periods cut out; the representative stands for one more.
  uint32_t numRemoved = 0;
  /// Ops in one period, and how many of the stack's ops stayed.
  uint32_t opsPerPeriod = 0;
};

struct Folding {
  Graph graph;
  Weights weights;
  /// Of each cell, op and region of the folded program, what it stands for in the whole one, in the order of the chain.
  /// The one that it was made from is among them.
  IdVector<CellId, std::vector<CellId>> members;
  IdVector<OpId, std::vector<OpId>> opMembers;
  IdVector<RegionId, std::vector<RegionId>> regionMembers;
  /// The cell or op of the whole program that this one was made from: its own uses and names.
  IdVector<CellId, CellId> origins;
  IdVector<OpId, OpId> opOrigins;
  /// Of each cell and op of the whole program, what stands for it.
  IdVector<CellId, CellId> folded;
  IdVector<OpId, OpId> foldedOps;
  std::vector<FoldedStack> stacks;

  bool isFolded() const { return !stacks.empty(); }
};

/// Folds what repeats. `topology` is of the whole program.
Folding buildFolding(const Topology &topology, const Repetition &repetition);

/// The program as it is.
Folding buildPlainFolding(const Graph &graph);

} // namespace partita

#endif
