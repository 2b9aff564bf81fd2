//===- Folding.h - repeated layers, once ----------------------------------===//
//
// A folded program is a real, smaller program: of a stack of layers that repeat,
// the first ones and the last ones stay, those between are cut out, and what
// stood before and behind them is joined.
//
//   whole    embed ▶ L0 ▶ L1 ▶ L2 ▶ ... ▶ L29 ▶ L30 ▶ L31 ▶ loss
//   folded   embed ▶ L0 ▶ L1 ▶ ────────────────▶ L30 ▶ L31 ▶ loss
//
// Here L1 stands for L1 to L29 in the forward pass: its ops and cells have the
// weight 29. In the backward pass and the update L30 stands for L2 to L30. All
// others have the weight 1. For plans that treat the members of each class alike,
// propagation, reshards, prices and the peak of memory on the folded program are
// those of the whole one.
//
// What is in the key of a class: kind, rule, types, flops and phase of ops, ties,
// donation, given shardings and stepped dims of cells, and how all that is
// connected. What is not: names, places and the values of constants. A program
// in which nothing repeats comes back as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_FOLDING_H
#define PARTITA_ANALYSIS_FOLDING_H

#include "partita/Analysis/Multiplicity.h"
#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// What was cut out of one stack of layers.
struct FoldedStack {
  RepetitionMapId map;
  /// Periods cut out; the representative stands for one more.
  uint32_t numRemoved = 0;
  /// Ops in one period.
  uint32_t opsPerPeriod = 0;
  /// The first position that was cut out.
  int32_t firstRemoved = 0;
};

/// The ops of the whole program that follow from one another.
struct FoldedChain {
  uint32_t begin = 0, size = 0;
  /// Position of the first.
  int32_t first = 0;
};

/// Where an op or cell of the folded program stands in a stack that was cut.
struct StackPosition {
  /// Index of Folding::stacks; noStack for what does not go with the layers.
  uint32_t stack = noStack;
  /// The layer that it is in, those cut out counted.
  int32_t position = 0;
  /// The layer of the first that it stands for.
  int32_t firstCopy = 0;

  static constexpr uint32_t noStack = Multiplicity::noStack;
  bool isValid() const { return stack != noStack; }
};

/// Which ops of the whole program do to the copies of a cell what an op of the folded one does to the cell.
struct CopyOps {
  enum class Kind : uint8_t {
    /// The one that the op was made from, to all copies.
    Origin,
    /// Of copy number c, number `offset + c` of the op's chain; where the chain has none, the one it was made from.
    LayerChain,
    /// All members of the op, to a cell that the layers share.
    Members,
  };
  Kind kind = Kind::Origin;
  int32_t offset = 0;
};

struct Folding {
  Graph graph;
  Multiplicity weights;
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
  /// Empty if nothing was folded.
  IdVector<OpId, StackPosition> opPositions;
  IdVector<CellId, StackPosition> cellPositions;
  /// Of an op in a stack, where its chain stands in `chainOps`.
  IdVector<OpId, FoldedChain> opChains;
  std::vector<OpId> chainOps;

  bool isFolded() const { return !stacks.empty(); }

  /// How many cells of the whole program it stands for.
  uint32_t getNumCopies(CellId cell) const { return static_cast<uint32_t>(members[cell].size()); }
  /// The ops of the whole program that do to the copies of the cell what `op` does to the cell.
  CopyOps getCopyOps(CellId cell, OpId op) const;
};

/// How many layers stay at each end.
enum class FoldMargin : uint8_t {
  /// One: they stand for all between, as far as the first and the last layer are like them.
  One = 1,
  /// Two: exact.
  Two = 2,
};

/// Folds what repeats. `topology` is of the whole program.
Folding buildFolding(const Topology &topology, const Repetition &repetition, FoldMargin margin = FoldMargin::Two);

/// The program as it is.
Folding buildPlainFolding(const Graph &graph);

} // namespace partita::analysis

#endif
