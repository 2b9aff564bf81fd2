//===- CollectiveLayouts.h - what collectives do to layouts -------------------===//
//
//   all_reduce         takes its digits out of the partial ones
//   reduce_scatter     the same, and puts them behind those of a dim
//   all_gather         takes them from the minor end of a dim
//   all_to_all         from the minor end of one dim to that of another
//   collective_permute gives each device what another had
//   dynamic_slice      at a multiple of the device's index: puts digits behind
//                      those of a dim (`all_slice`)
//
// Anything else they may do to a value is refused: a sum over devices that hold
// the same, a gather of pieces in another order than theirs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_COLLECTIVELAYOUTS_H
#define PARTITA_VERIFY_RELATION_COLLECTIVELAYOUTS_H

#include "partita/Verify/Relation/IndexExpression.h"
#include "partita/Verify/Rooms.h"

#include "llvm/ADT/DenseMap.h"

namespace partita::verify {

/// Whether the op is one of the collectives that are known here.
bool isCollective(mlir::Operation *op);

class CollectiveLayouts {
public:
  /// `axes` are the axes of the mesh.
  explicit CollectiveLayouts(llvm::ArrayRef<Digit> axes);

  /// The layout of the result of a collective on a value of layout `layout`.
  Result<PieceLayout> apply(mlir::Operation *op, const PieceLayout &layout);

private:
  /// The digits in which the devices of each group differ, in the order in which the groups list them.
  Result<Digits> findGroupDigits(mlir::Operation *op, mlir::Attribute groups, GroupStrategy strategy);
  Result<PieceLayout> applyPermute(mlir::Operation *op, mlir::DenseIntElementsAttr pairs, const PieceLayout &layout);

  Digits axes;
  int64_t numDevices;
  /// The axes, taken apart as far as they can be: several ways, where a size has different prime factors.
  llvm::SmallVector<Digits> atoms;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, Digits> known;
};

/// The layout after a slice that starts at `starts`, in elements, and takes `sizes`; an error if it is not a piece of
/// the value.
Result<PieceLayout> applySlice(mlir::Operation *op, const PieceLayout &layout, llvm::ArrayRef<IndexExpression> starts,
                               llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizes);

} // namespace partita::verify

#endif
