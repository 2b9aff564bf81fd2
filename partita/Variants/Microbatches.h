//===- Microbatches.h - proposes numbers of microbatches ------------------===//
//
// More microbatches take less memory and more time under the same plan. So the
// smallest number that fits is looked for. Peaks of two numbers say which one may
// (PeakCurve). Larger ones are tried as long as they allow plans that are faster
// than the best one that fits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_MICROBATCHES_H
#define PARTITA_VARIANTS_MICROBATCHES_H

#include "partita/Analysis/Analysis.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

/// The loop in which the program itself adds up gradients, microbatch by microbatch: nearly all products are in it.
/// Invalid if there is none.
RegionId findOwnAccumulation(const Analysis &analysis);

/// Divisors of `rows` beyond 1, each a multiple of the one before, in the smallest steps: 2, 4, 8, 24 of 24 rows.
std::vector<int64_t> listCounts(int64_t rows);

/// In percent: a variant has to be faster by more.
inline constexpr int64_t leastGain = 1;

/// Whether a time is shorter than another by more than so many percent of it.
bool isFasterBy(int64_t timePs, int64_t thanPs, int64_t percent);

/// What was found for a number of microbatches.
struct CountTrial {
  int64_t count = 1;
  /// Whether the best plan fits, and its time.
  bool fits = false;
  int64_t timePs = 0;
  /// Of any plan, whether it fits or not: the shortest time, the smallest peak.
  int64_t fastestPs = 0, smallestBytes = 0;
};

/// What does not depend on the batch stays, the rest falls with the number: peak = fixed + variable / count.
struct PeakCurve {
  double fixed = 0, variable = 0;

  double getPeak(int64_t count) const { return fixed + variable / double(count); }
};

/// The number to try next, 0 if none can be better than what was found. `tried` begins with the program as it is, of
/// which at least `fixedBytes` stay.
int64_t chooseNextCount(llvm::ArrayRef<int64_t> counts, std::vector<CountTrial> tried, int64_t fixedBytes,
                        int64_t limitBytes);

} // namespace partita::variants

#endif
