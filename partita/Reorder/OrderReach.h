//===- OrderReach.h - which dims are put into another order together ------===//
//
// From the roots, dims that shall have another order, it spreads over the factors
// of ops that compute each index alone or sum over all of them, as padding does
// (Padding/PaddingReach.h). At a slice, a pad and a concatenation along the dim
// it goes on with a *segment* of the root's elements:
//
//   qkv [0, 96)  ─slice 32:64─▶  k [32, 64)
//
// Where segments begin and end, the root is *cut*: what lies between two cuts is
// a part. A value's order has the parts of its segment; a single part is in the
// program's order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REORDER_ORDERREACH_H
#define PARTITA_REORDER_ORDERREACH_H

#include "partita/Program/DimOrder.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Reorder/Rooms.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <set>

namespace partita::reorder {

/// A dim that shall have another order: each of `groups` devices a piece of each part.
struct OrderRoot {
  mlir::Value value;
  uint32_t dim = 0;
  int64_t groups = 1;
};

/// Elements of a root's dim, and which root that is.
struct Segment {
  uint32_t root = 0;
  int64_t begin = 0, end = 0;
};

/// One entry for each dim of a value or each factor of an op; empty where nothing is reached.
using SegmentList = llvm::SmallVector<std::optional<Segment>, 4>;

/// A root that was not reached from an earlier one.
struct FusedDim {
  int64_t groups = 1, size = 1;
  std::set<int64_t> cuts;
  /// What was cut out of a value, or put into one.
  std::set<std::pair<int64_t, int64_t>> pieces;

  /// The sizes of the parts between `begin` and `end`.
  llvm::SmallVector<int64_t, 4> listParts(int64_t begin, int64_t end) const;
  /// Whether it has several parts, all of which are cut out or put in somewhere.
  bool isFused() const;
};

/// A slice, pad or concatenation along a dim, of whose longer value this is the segment.
struct OrderBridge {
  unsigned dim = 0;
  Segment whole;
};

struct OrderReach {
  std::vector<FusedDim> dims;
  /// For each root, the dim that it is or was reached from.
  std::vector<uint32_t> dimOfRoot;
  /// Only looked up, never iterated.
  llvm::DenseMap<mlir::Value, SegmentList> values;
  llvm::DenseMap<mlir::Operation *, SegmentList> ops;
  llvm::DenseMap<mlir::Operation *, OrderBridge> bridges;
  llvm::DenseMap<mlir::Operation *, Rule> rules;

  DimOrder getOrder(const Segment &segment) const;
};

/// Where the part of a bridge's longer value begins that its shorter one is; for a concatenation, that operand number
/// `operand` is.
int64_t getOffset(mlir::Operation *bridge, unsigned dim, unsigned operand = 0);

/// Values of `freeOps` depend on no argument. They are not entered: each use reorders what it needs. Roots whose size
/// the groups do not divide reach nothing.
Result<OrderReach> computeOrderReach(llvm::ArrayRef<OrderRoot> roots, const llvm::DenseSet<mlir::Operation *> &freeOps,
                                     const UserRules &userRules);

} // namespace partita::reorder

#endif
