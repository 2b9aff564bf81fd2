//===- GreedyReshard.cpp - a reshard plan without search ------------------===//
//
// A dim is *ahead* if its axes are a prefix of those it has in the target. Free
// axes are sliced onto dims that are ahead. Partial sums are scattered there if
// the target has them there, and all-reduced otherwise. Then, until the target
// is reached, apply the first that is possible:
//
//   permute     each dim has its number of parts, only the axes differ
//   exchange    the last axes of a dim are the next ones of a dim that is ahead
//   gather      the axes of one dim from the first wrong one on
//
// A gather puts one more dim ahead, no step undoes that, and when all dims are
// ahead only slices are left. So the algorithm terminates.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/ReshardPlanBuilder.h"

namespace partita::cost {

namespace {

class Greedy {
public:
  Greedy(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
         const PartialSharding &to)
      : axes(axes), to(to), builder(axes, shape, elementBits, from, to) {}

  ReshardPlan run() {
    sliceFree();
    reducePartial();
    while (!builder.isDone()) {
      sliceFree();
      if (builder.isDone() || tryPermute() || tryExchange())
        continue;
      gatherWrong();
    }
    return builder.take();
  }

private:
  const DimAxes &has(uint32_t dim) const { return builder.getReached().sharding.dims[dim]; }
  const DimAxes &wants(uint32_t dim) const { return to.sharding.dims[dim]; }
  uint32_t getRank() const { return static_cast<uint32_t>(to.sharding.dims.size()); }

  bool isFree(AxisId axis) const {
    return builder.getReached().sharding.findAxis(axis) < 0 && !llvm::is_contained(builder.getReached().partial, axis);
  }
  bool isPartial(AxisId axis) const { return llvm::is_contained(builder.getReached().partial, axis); }
  bool isAhead(uint32_t dim) const {
    return has(dim).size() <= wants(dim).size() && std::equal(has(dim).begin(), has(dim).end(), wants(dim).begin());
  }

  /// The next axes that a dim that is ahead needs, as long as `test` holds for them.
  template <typename Test> llvm::SmallVector<AxisId, 2> getNext(uint32_t dim, Test test) const {
    llvm::SmallVector<AxisId, 2> next;
    if (isAhead(dim))
      for (AxisId axis : llvm::ArrayRef(wants(dim)).drop_front(has(dim).size())) {
        if (!test(axis))
          break;
        next.push_back(axis);
      }
    return next;
  }

  void sliceFree() {
    for (uint32_t dim = 0; dim < getRank(); ++dim)
      if (auto next = getNext(dim, [&](AxisId axis) { return isFree(axis); }); !next.empty())
        builder.slice(next, dim);
  }

  void reducePartial() {
    for (uint32_t dim = 0; dim < getRank(); ++dim)
      if (auto next = getNext(dim, [&](AxisId axis) { return isPartial(axis); }); !next.empty()) {
        builder.reduceScatter(next, dim);
        sliceFree();
      }
    llvm::SmallVector<AxisId, 2> rest;
    for (AxisId axis : builder.getReached().partial)
      if (!llvm::is_contained(to.partial, axis))
        rest.push_back(axis);
    if (!rest.empty())
      builder.allReduce(rest);
  }

  int64_t countParts(llvm::ArrayRef<AxisId> list) const {
    int64_t parts = 1;
    for (AxisId axis : list)
      parts *= axes[axis].size;
    return parts;
  }

  bool tryPermute() {
    for (uint32_t dim = 0; dim < getRank(); ++dim)
      if (countParts(has(dim)) != countParts(wants(dim)))
        return false;
    builder.permute(to.sharding);
    return true;
  }

  bool tryExchange() {
    for (uint32_t toDim = 0; toDim < getRank(); ++toDim)
      for (uint32_t dim = 0; dim < getRank(); ++dim) {
        auto next = getNext(toDim, [&](AxisId axis) { return llvm::is_contained(has(dim), axis); });
        if (dim != toDim && !next.empty() && llvm::ArrayRef(has(dim)).take_back(next.size()) == llvm::ArrayRef(next)) {
          builder.exchange(dim, next.size(), toDim);
          return true;
        }
      }
    return false;
  }

  void gatherWrong() {
    for (uint32_t dim = 0; dim < getRank(); ++dim) {
      if (isAhead(dim))
        continue;
      size_t right = 0;
      while (right < wants(dim).size() && has(dim)[right] == wants(dim)[right])
        ++right;
      return builder.gather(dim, has(dim).size() - right);
    }
  }

  const Axes &axes;
  const PartialSharding &to;
  ReshardPlanBuilder builder;
};

} // namespace

ReshardPlan planGreedily(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                         const PartialSharding &from, const PartialSharding &to) {
  return Greedy(axes, shape, elementBits, from, to).run();
}

} // namespace partita::cost
