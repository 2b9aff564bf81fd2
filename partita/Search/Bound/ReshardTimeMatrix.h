//===- ReshardTimeMatrix.h - times between the forms of an edge's two ends -------===//
//
// Many edges of a pairwise problem (PairwiseBound.h) go between the same forms:
// they share one matrix. It is kept by rows of the source and by rows of the
// target, so that numbers are sent either way along rows.
//
// Times are doubles: a baseline processor has no least of two 64-bit integers.
// What is sent is rounded down by more than doubles err (roundDown), so that all
// stays a bound.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_RESHARDTIMEMATRIX_H
#define PARTITA_SEARCH_BOUND_RESHARDTIMEMATRIX_H

#include "partita/Search/Bound/PairwiseBound.h"
#include "partita/Search/Rooms.h"

#include <map>
#include <memory>
#include <unordered_map>

namespace partita::search {

struct ReshardTimeMatrix {
  size_t numSource = 0, numTarget = 0;
  std::vector<double> bySource, byTarget;
  /// Of the source's forms.
  std::vector<uint8_t> isPartial;

  ReshardTimeMatrix(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceForms, llvm::ArrayRef<uint32_t> targetForms);

  /// What there is no way for, weighed by least weight; times of ways weigh next to nothing by that.
  static constexpr double noWay = 0x1p110, leastWeight = 0x1p-50;

  /// `to`: for each form at the other end of `end` the least of `from` there and the weighed time between. Multiplicity
  /// are those of the source's forms.
  void spread(uint8_t end, llvm::ArrayRef<double> weights, llvm::ArrayRef<double> from,
              llvm::MutableArrayRef<double> to) const;

  /// The largest integer that is sure to be no more than the exact result of what was computed as `value`.
  static int64_t roundDown(double value);
};

/// Matrices that edges share, as long as all of them together are not too large.
class ReshardTimeMatrices {
public:
  /// Null if it is not kept.
  std::shared_ptr<const ReshardTimeMatrix> find(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceForms,
                                                llvm::ArrayRef<uint32_t> targetForms);
  /// Those that no edge has any more.
  void dropUnused();

private:
  /// Pairs of forms that are kept.
  static constexpr size_t maxPairs = size_t(1) << 21;

  uint32_t findSet(llvm::ArrayRef<uint32_t> forms);

  struct Hash {
    size_t operator()(const std::vector<uint32_t> &forms) const;
  };

  std::unordered_map<std::vector<uint32_t>, uint32_t, Hash> sets;
  std::map<std::tuple<ReshardTimes *, uint32_t, uint32_t>, std::shared_ptr<const ReshardTimeMatrix>> matrices;
  size_t numPairs = 0;
};

} // namespace partita::search

#endif
