//===- PeakProfile.cpp - the bytes alive at each point, and their peak ----===//

#include "partita/Cost/PeakProfile.h"

namespace partita::cost {

PeakProfile::PeakProfile(size_t numPoints) {
  // One more point, at which values that live to the end are released.
  size_t size = (numPoints + 1 + blockSize - 1) / blockSize * blockSize;
  leaves.resize(size, 0);
  do {
    size = (size + blockSize - 1) / blockSize;
    levels.emplace_back(size);
    dirty.emplace_back(size);
  } while (size > 1);
}

void PeakProfile::startAnew() {
  std::fill(leaves.begin(), leaves.end(), 0);
  dirty[0].clear();
}

void PeakProfile::finishAnew() {
  for (uint32_t block = 0; block < levels[0].size(); ++block)
    updateLeafBlock(block);
  for (size_t level = 1; level < levels.size(); ++level)
    for (uint32_t block = 0; block < levels[level].size(); ++block)
      updateUpperBlock(level, block);
}

void PeakProfile::updateLeafBlock(uint32_t block) {
  const int64_t *first = leaves.data() + size_t(block) * blockSize;
  int64_t sum = 0, most = INT64_MIN;
  for (uint32_t i = 0; i < blockSize; ++i) {
    sum += first[i];
    most = std::max(most, sum);
  }
  levels[0][block] = {sum, most};
}

void PeakProfile::updateUpperBlock(size_t level, uint32_t block) {
  const std::vector<Block> &below = levels[level - 1];
  size_t first = size_t(block) * blockSize, last = std::min(first + blockSize, below.size());
  int64_t sum = 0, most = INT64_MIN;
  for (size_t i = first; i < last; ++i) {
    most = std::max(most, sum + below[i].maxPrefix);
    sum += below[i].sum;
  }
  levels[level][block] = {sum, most};
}

int64_t PeakProfile::computePeak() {
  for (BlockId block : dirty[0].get())
    updateLeafBlock(block.get());
  for (size_t level = 1; level < levels.size(); ++level) {
    for (BlockId block : dirty[level - 1].get())
      dirty[level].add(BlockId(block.get() / blockSize));
    dirty[level - 1].clear();
    for (BlockId block : dirty[level].get())
      updateUpperBlock(level, block.get());
  }
  dirty.back().clear();
  return levels.back()[0].maxPrefix;
}

uint32_t PeakProfile::findPeakPoint() {
  int64_t peak = computePeak(), sum = 0;
  for (uint32_t point = 0; point < leaves.size(); ++point) {
    sum += leaves[point];
    if (sum == peak)
      return point;
  }
  assert(false && "the peak is at some point");
  return 0;
}

} // namespace partita::cost
