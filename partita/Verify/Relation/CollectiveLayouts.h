//===- CollectiveLayouts.h - how collectives change layouts ---------------===//
//
// A layout says which digits of the device's number split each dim, and over which
// the value is partial (PieceLayout.h). A collective changes these lists:
//
//   all_reduce         removes its digits from the partial ones
//   reduce_scatter     the same, and appends them to those of a dim
//   all_gather         removes them from the minor end of a dim
//   all_to_all         moves them from the minor end of one dim to that of another
//   collective_permute gives each device what another had; in a circle, the piece
//                      of a shifted digit (RotatedPieces.h)
//   dynamic_slice      at a multiple of the device's index: appends digits to
//                      those of a dim (`all_slice`)
//
// An all_to_all may be several, each over some of the digits (ExchangeSteps.h).
// Any other use of a collective is refused: a sum over devices that hold the
// same value, a gather of pieces in another order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_COLLECTIVELAYOUTS_H
#define PARTITA_VERIFY_RELATION_COLLECTIVELAYOUTS_H

#include "partita/Verify/Relation/ExchangeSteps.h"
#include "partita/Verify/Relation/RotatedPieces.h"
#include "partita/Verify/Rooms.h"

#include "llvm/ADT/DenseMap.h"

namespace partita::verify {

/// Whether the op is a collective that the check supports.
bool isCollective(mlir::Operation *op);

class CollectiveLayouts {
public:
  /// `axes` are the axes of the mesh.
  explicit CollectiveLayouts(llvm::ArrayRef<PieceDigit> axes);

  /// The layout of the result of a collective on a value of layout `layout`.
  Result<PieceLayout> apply(mlir::Operation *op, const PieceLayout &layout);
  /// The layout after all steps of an exchange.
  Result<PieceLayout> apply(const ExchangeSteps &exchange, const PieceLayout &layout);
  /// The same for a permute of a sum of terms.
  Result<TermSum> apply(stablehlo::CollectivePermuteOp op, const TermSum &sum);

private:
  /// The digits in which the devices of each group differ, in the order in which the groups list them.
  Result<Digits> findGroupDigits(mlir::Operation *op, mlir::Attribute groups, GroupStrategy strategy);
  Result<PieceLayout> applyPermute(mlir::Operation *op, mlir::DenseIntElementsAttr pairs, const PieceLayout &layout);
  /// The layout of what devices receive from `sources`, if digits that are not shifted express it.
  Result<PieceLayout> applySources(mlir::Operation *op, llvm::ArrayRef<int64_t> sources, const PieceLayout &layout);

  Digits axes;
  int64_t numDevices;
  /// The axes, split into prime factors. There are several ways if a size has different prime factors.
  llvm::SmallVector<Digits> atoms;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, Digits> known;
};

/// The layout after a slice of `sizes` that starts at element `starts`. An error if it is not a piece of the value.
Result<PieceLayout> applySlice(mlir::Operation *op, const PieceLayout &layout, llvm::ArrayRef<IndexExpression> starts,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizes);

} // namespace partita::verify

#endif
