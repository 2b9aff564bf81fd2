//===- PeakProfile.h - the bytes alive at each point, and their peak ------===//
//
// Stores differences between neighboring points, and above them levels of
// blocks, each with its sum and its largest prefix sum. Adding to a range
// touches two differences. Computing the peak updates the blocks that have
// changed since, at most one on each level for each change.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PEAKPROFILE_H
#define PARTITA_COST_PEAKPROFILE_H

#include "partita/Cost/IdSet.h"
#include "partita/Cost/Rooms.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace partita::cost {

class PeakProfile {
public:
  explicit PeakProfile(size_t numPoints);

  /// Adds `bytes` at points [first, last].
  void add(uint32_t first, uint32_t last, int64_t bytes) {
    change(first, bytes);
    change(last + 1, -bytes);
  }

  /// Fills the profile from scratch: startAnew, then any number of addAnew, then finishAnew, with no other calls in
  /// between.
  void startAnew();
  void addAnew(uint32_t first, uint32_t last, int64_t bytes) {
    leaves[first] += bytes;
    leaves[last + 1] -= bytes;
  }
  void finishAnew();

  /// The most bytes alive at a point; 0 if there are no points.
  int64_t computePeak();
  /// The first point with that many bytes.
  uint32_t findPeakPoint();

private:
  static constexpr uint32_t blockSize = 16;
  using BlockId = Id<struct BlockTag>;
  struct Block {
    int64_t sum = 0, maxPrefix = 0;
  };

  void change(uint32_t point, int64_t bytes) {
    leaves[point] += bytes;
    dirty[0].add(BlockId(point / blockSize));
  }
  void updateLeafBlock(uint32_t block);
  void updateUpperBlock(size_t level, uint32_t block);

  std::vector<int64_t> leaves;
  /// levels[0] are blocks of leaves, levels[i + 1] of levels[i]; the last has one block.
  std::vector<std::vector<Block>> levels;
  /// Changed blocks of each level; between calls there are none above levels[0].
  std::vector<IdSet<BlockId>> dirty;
};

} // namespace partita::cost

#endif
