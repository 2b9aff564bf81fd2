//===- Sharding.h - how one tensor is divided among the devices -----------===//
//
// A sharding gives, for each dim of a tensor, the axes that split it, major to
// minor. It prints as `[{data}, {}, {model}]`. A partial sharding also has
// axes over which the pieces must still be combined: `[{data}, {}]
// partial(add) {model}`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_SHARDING_H
#define PARTITA_PROPAGATE_SHARDING_H

#include "partita/Propagate/Axes.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

/// Axes of one dim, major to minor.
using DimAxes = llvm::SmallVector<AxisId, 2>;

/// One entry for each dim; an axis occurs at most once.
struct Sharding {
  llvm::SmallVector<DimAxes, 4> dims;

  Sharding() = default;
  explicit Sharding(size_t rank) : dims(rank) {}

  bool isReplicated() const {
    return llvm::all_of(dims, [](const DimAxes &axes) { return axes.empty(); });
  }
  /// The dim that `axis` splits, or -1.
  int findAxis(AxisId axis) const;
  bool operator==(const Sharding &) const = default;
};

/// What the devices hold: pieces of a tensor that may be partial results, to be combined over some axes.
struct PartialSharding {
  Sharding sharding;
  /// Axes over which the pieces are partial, in ascending order; one combiner for all of them.
  llvm::SmallVector<AxisId, 2> partial;
  Combiner combiner = Combiner::None;
  bool operator==(const PartialSharding &) const = default;
};

/// The shape of a device's piece.
llvm::SmallVector<int64_t> getLocalShape(const Axes &axes, llvm::ArrayRef<int64_t> shape, const Sharding &sharding);

/// `[{data}, {}, {model}]`, and `partial(add) {model}` behind it.
std::string printSharding(const Axes &axes, const Sharding &sharding);
std::string printPartialSharding(const Axes &axes, const PartialSharding &sharding);

} // namespace partita::propagate

#endif
