//===- ReshardTimeMatrix.h - times between an edge's shardings ------------===//
//
// Many edges of a pairwise problem (PairwiseBound.h) are between the same
// shardings: they share one matrix. It is stored by rows of the source and by
// rows of the target, so that messages in both directions run along rows.
//
// Times are doubles: baseline processors have no vector minimum of 64-bit
// integers. Messages are rounded down by more than the error of doubles
// (roundDown), so that the result stays a bound.
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
  /// Whether each of the source's shardings is partial.
  std::vector<uint8_t> isPartial;

  ReshardTimeMatrix(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceShardings,
                    llvm::ArrayRef<uint32_t> targetShardings);

  /// The time of impossible pairs, also times leastWeight; possible times are negligible at that weight.
  static constexpr double noWay = 0x1p110, leastWeight = 0x1p-50;

  /// An entry: the time between two shardings.
  static double getTime(ReshardTimes &times, uint32_t sourceSharding, uint32_t targetSharding);

  /// Sets `to`: for each sharding at the other end of `end`, the least of `from` plus the weighted time between.
  /// `weights` are those of the source's shardings.
  void spread(uint8_t end, llvm::ArrayRef<double> weights, llvm::ArrayRef<double> from,
              llvm::MutableArrayRef<double> to) const;
  /// The same without a matrix, for edges that there is no room for.
  static void spread(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceShardings,
                     llvm::ArrayRef<uint32_t> targetShardings, uint8_t end, llvm::ArrayRef<double> weights,
                     llvm::ArrayRef<double> from, llvm::MutableArrayRef<double> to);

  /// The largest integer that is certainly no more than the exact result that was computed as `value`.
  static int64_t roundDown(double value);
};

/// Matrices that edges share, as long as all of them together are not too large.
class ReshardTimeMatrices {
public:
  /// Null if there is no room for it.
  std::shared_ptr<const ReshardTimeMatrix> find(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceShardings,
                                                llvm::ArrayRef<uint32_t> targetShardings);
  /// Drops matrices that no edge refers to.
  void dropUnused();

private:
  /// The most pairs of shardings in all matrices.
  static constexpr size_t maxPairs = size_t(1) << 21;

  uint32_t findSet(llvm::ArrayRef<uint32_t> shardings);

  struct Hash {
    size_t operator()(const std::vector<uint32_t> &shardings) const;
  };

  std::unordered_map<std::vector<uint32_t>, uint32_t, Hash> sets;
  std::map<std::tuple<ReshardTimes *, uint32_t, uint32_t>, std::shared_ptr<const ReshardTimeMatrix>> matrices;
  size_t numPairs = 0;
};

} // namespace partita::search

#endif
