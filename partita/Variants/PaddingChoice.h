//===- PaddingChoice.h - which dims a search tries to pad -----------------===//
//
// A vocabulary of 50257 stays whole on every mesh; one of 50264 divides by 8 and
// costs 0.01% more. 12 heads on 8 devices are 16 then, which is a third more, and
// still less than what devices compute that hold 12. What is tried is about
// groups of dims that belong together (DimGroups.h), arguments' or inner ones,
// such as the heads behind a reshape:
//
//   listPadding     for each group and each of its sizes the multiples of one axis
//                   or of several that do not divide it and make it at most half
//                   longer, if the group has a share of what the program computes
//                   with; where that takes little more, also such that each piece
//                   is a multiple of 8 elements
//   boundGains      what splitting the group could save under the best plan of the
//                   program as it is: with an op of t that s devices share, of
//                   which f share the group, and padding from n to m for k devices,
//
//                     t - t * s / min(devices, s / f * k) * m / n
//
//                   what products gain whose rows become multiples of 16 bytes, and
//                   of the time of reshards of values that have the group, as far
//                   as compute does not hide it, (1 - 1/k) / (1 - 1/devices)
//   choosePadding   those that may save more than 1%, the most first
//
// Whether they do is for probes to say (VariantProbes.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_PADDINGCHOICE_H
#define PARTITA_VARIANTS_PADDINGCHOICE_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/Price.h"
#include "partita/Program/Flatten.h"
#include "partita/Variants/DimGroups.h"

namespace partita::variants {

/// A dim by which a tactic names a class.
struct NamedDim {
  CellId cell;
  uint32_t dim = 0;
  std::string cellName;
};

/// A group of dims, and what it may be padded to.
struct PaddingCandidate {
  DimGroup group = 0;
  /// The classes of the group that have dims of this size, in ascending order, and a dim of each.
  std::vector<DimClass> classes = {};
  std::vector<NamedDim> dims = {};
  /// Tactics that rewrite a program before it is padded may change the names of inner values.
  bool isInner = false;
  /// The dim's, before and after. With it become longer the dims that have it as their major part.
  int64_t size = 0, paddedSize = 0;
  /// The devices that can share it then, and what divides it.
  int64_t pieces = 1, multiple = 1;
  /// Of all values that have such a dim.
  double bytes = 0;
  int64_t gainPs = 0;
  /// `heads 12 -> 16`; no two candidates have one name.
  std::string name = {};

  /// Whether it costs so little that it is tried together with others.
  bool isCheap() const { return (paddedSize - size) * 50 <= size; }
};

/// The multiples that a dim of this size may be padded to, the largest first. `isCompound`: reshapes cut dims of the
/// group, so that parts of an axis may split it as well.
std::vector<int64_t> listMultiples(int64_t size, const Mesh &mesh, bool isCompound);

/// In a fixed order, without gains and names.
std::vector<PaddingCandidate> listPadding(const Flattened &flattened, const LazyAnalysis &analysis, const Mesh &mesh);

/// `price` is of a plan of the program of which the candidates are.
void boundGains(const Price &price, const Analysis &analysis, llvm::MutableArrayRef<PaddingCandidate> candidates);

/// If the plan does not fit, all are kept: it is memory then that they may save. Of one group the best two.
std::vector<PaddingCandidate> choosePadding(llvm::ArrayRef<PaddingCandidate> all, int64_t timePs, bool fits);

/// By the words for the groups.
void namePadding(const Analysis &analysis, llvm::MutableArrayRef<PaddingCandidate> candidates);

} // namespace partita::variants

#endif
