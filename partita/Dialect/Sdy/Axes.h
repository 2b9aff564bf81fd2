//===- Axes.h - arithmetic on axes and sub-axes ---------------------------===//
//
// A mesh axis of size n is a mixed-radix number: split into factors k1, k2, ...
// its digits are the sub-axes (1)k1, (k1)k2, (k1 k2)k3, ... An axis ref takes
// the digits between its pre-size and its next pre-size:
//
//     "x"      of size 8:  [1, 8)        "x":(1)2           :  [1, 2)
//     "x":(2)4           :  [2, 8)        "x":(2)2           :  [2, 4)
//
// All functions here compute with such intervals. Sub-axes need not be valid,
// but where a function takes a mesh, the mesh must have the axes. Sizes beyond
// 64 bits saturate.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_AXES_H
#define PARTITA_DIALECT_SDY_AXES_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// The number of pieces that the axes make together.
int64_t computeTotalSize(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);

/// Whether a and b share a digit: "x":(1)4 and "x":(2)4 do, "x":(1)2 and "x":(2)2 do not.
bool overlap(AxisRefAttr a, AxisRefAttr b);
bool overlap(llvm::ArrayRef<AxisRefAttr> a, AxisRefAttr b);

/// Whether all digits of `inner` are in `outer`.
bool contains(AxisRefAttr outer, AxisRefAttr inner);

/// Whether `whole` is `suffix`, or can be split so that its minor part is `suffix`.
bool isSuffix(AxisRefAttr suffix, AxisRefAttr whole, MeshAttr mesh);

/// Whether one factorization of the axis has both: "x":(1)2 and "x":(1)3 have none.
bool canCoexist(AxisRefAttr a, AxisRefAttr b);

/// Whether `minor` is the sub-axis that follows the sub-axis `major`.
bool canMerge(AxisRefAttr major, AxisRefAttr minor);

/// The axis ref that covers both, which must be mergeable. It is the full axis if they cover all of it.
AxisRefAttr merge(AxisRefAttr major, AxisRefAttr minor, MeshAttr mesh);

/// What a and b share, null if nothing or if they cannot coexist.
AxisRefAttr getOverlap(AxisRefAttr a, AxisRefAttr b);

/// The digits of `axis` before those it shares with `other`. All of them if the two do not overlap; null if none is
/// left or they cannot coexist.
AxisRefAttr getPrefixWithout(AxisRefAttr axis, AxisRefAttr other);

/// The digits of `axis` after those it shares with `other`; else as above.
AxisRefAttr getSuffixWithout(AxisRefAttr axis, AxisRefAttr other, MeshAttr mesh);

/// Orders axes as the mesh has them, and sub-axes of one axis by pre-size, then size. Axes that are not in the mesh
/// come last.
struct MeshOrder {
  MeshAttr mesh;
  bool operator()(AxisRefAttr a, AxisRefAttr b) const;
};

/// Appends `axis`, merged with the last one if they can be merged.
void appendOrMerge(llvm::SmallVectorImpl<AxisRefAttr> &axes, AxisRefAttr axis, MeshAttr mesh);

/// Sorts axes into the mesh's order and merges neighbors.
void sortAndMerge(llvm::SmallVectorImpl<AxisRefAttr> &axes, MeshAttr mesh);

/// `"x":(2)4`, as messages show it.
std::string toString(AxisRefAttr axis);

/// `"x", "y":(1)2`.
std::string toString(llvm::ArrayRef<AxisRefAttr> axes);

} // namespace partita::sdy

#endif
