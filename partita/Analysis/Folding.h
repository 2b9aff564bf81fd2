//===- Folding.h - keeps few of the layers that repeat --------------------===//
//
// A folded program is a real, smaller program: of a stack of layers that repeat,
// the first and the last ones stay, the others are elided, and the two ends are
// joined (LayerElision.h).
//
//   whole    embed ▶ L0 ▶ L1 ▶ L2 ▶ ... ▶ L29 ▶ L30 ▶ L31 ▶ loss
//   folded   embed ▶ L0 ▶ L1 ▶ ────────────────▶ L30 ▶ L31 ▶ loss
//
// Here L1 represents L1 to L29 in the forward pass: its ops and cells have the
// multiplicity 29. In the backward pass and the update, L30 represents L2 to L30.
// All others have the multiplicity 1. If a plan treats all layers of a stack
// alike, then propagation, reshards, prices and the peak of memory on the folded
// program are those of the whole one.
//
// Layers repeat if their ops have the same kind, rule, types, flops and phase,
// their cells the same ties, donation, given shardings and stepped dims, and if
// they are connected in the same way. Names, locations and the values of
// constants do not matter. A program in which nothing repeats stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_FOLDING_H
#define PARTITA_ANALYSIS_FOLDING_H

#include "partita/Analysis/Multiplicity.h"
#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// The layers that were elided from one stack.
struct FoldedStack {
  RepetitionMapId map;
  /// The number of elided periods; the representative represents itself too.
  uint32_t numRemoved = 0;
  /// Ops in one period.
  uint32_t opsPerPeriod = 0;
  /// The first elided position.
  int32_t firstRemoved = 0;
};

/// A layer chain of ops of the whole program, as a range of Folding::chainOps.
struct FoldedChain {
  uint32_t begin = 0, size = 0;
  /// Position (layer) of the first op.
  int32_t first = 0;
};

/// The position of an op or cell of the folded program in a folded stack.
struct StackPosition {
  /// Index of Folding::stacks; noStack for items that are not part of a layer.
  uint32_t stack = noStack;
  /// Its layer in the whole program.
  int32_t position = 0;
  /// The layer of the first item that it represents.
  int32_t firstCopy = 0;

  static constexpr uint32_t noStack = Multiplicity::noStack;
  bool isValid() const { return stack != noStack; }
};

/// Which ops of the whole program correspond, for each copy of a cell, to an op of the folded program that uses or
/// defines the cell.
struct CopyOps {
  enum class Kind : uint8_t {
    /// For all copies, the op from which the folded op was made.
    Origin,
    /// For copy number c, number `offset + c` of the op's layer chain; the origin if the chain has no such number.
    LayerChain,
    /// All members of the op; the layers share the cell.
    Members,
  };
  Kind kind = Kind::Origin;
  int32_t offset = 0;
};

struct Folding {
  Graph graph;
  Multiplicity multiplicity;
  /// For each cell, op and region of the folded program, those of the whole program that it represents, its origin
  /// included, in the order of the layer chain.
  IdVector<CellId, std::vector<CellId>> members;
  IdVector<OpId, std::vector<OpId>> opMembers;
  IdVector<RegionId, std::vector<RegionId>> regionMembers;
  /// The cell or op of the whole program from which this one was made, with its uses and names.
  IdVector<CellId, CellId> origins;
  IdVector<OpId, OpId> opOrigins;
  /// For each cell and op of the whole program, its representative in the folded program.
  IdVector<CellId, CellId> folded;
  IdVector<OpId, OpId> foldedOps;
  std::vector<FoldedStack> stacks;
  /// Empty if nothing was folded.
  IdVector<OpId, StackPosition> opPositions;
  IdVector<CellId, StackPosition> cellPositions;
  /// For an op in a stack, the range of its layer chain in `chainOps`.
  IdVector<OpId, FoldedChain> opChains;
  std::vector<OpId> chainOps;

  bool isFolded() const { return !stacks.empty(); }

  /// The number of cells of the whole program that the cell represents.
  uint32_t getNumCopies(CellId cell) const { return static_cast<uint32_t>(members[cell].size()); }
  /// The ops of the whole program that correspond to `op` for the copies of the cell.
  CopyOps getCopyOps(CellId cell, OpId op) const;
};

/// The number of layers that stay at each end.
enum class FoldMargin : uint8_t {
  /// One: the first and the last layer represent the others. Exact only if they are like the others.
  One = 1,
  /// Two: exact, because each representative has layers like itself on both sides.
  Two = 2,
};

/// Folds the layers that repeat. `topology` belongs to the whole program.
Folding buildFolding(const Topology &topology, const Repetition &repetition, FoldMargin margin = FoldMargin::Two);

/// A copy of the program with nothing folded.
Folding buildPlainFolding(const Graph &graph);

} // namespace partita::analysis

#endif
