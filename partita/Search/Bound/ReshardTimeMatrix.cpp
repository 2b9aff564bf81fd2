//===- ReshardTimeMatrix.cpp - times between an edge's shardings ----------===//

#include "partita/Search/Bound/ReshardTimeMatrix.h"

#include "partita/Support/Hash.h"

#include <algorithm>
#include <cmath>

namespace partita::search {

static double convertTime(int64_t timePs) {
  return timePs == ReshardTimes::noWay ? ReshardTimeMatrix::noWay : double(timePs);
}

double ReshardTimeMatrix::getTime(ReshardTimes &times, uint32_t sourceSharding, uint32_t targetSharding) {
  bool isAny = sourceSharding == ReshardTimes::anySharding || targetSharding == ReshardTimes::anySharding;
  return isAny ? 0 : convertTime(times.getTimes(sourceSharding)[targetSharding]);
}

ReshardTimeMatrix::ReshardTimeMatrix(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceShardings,
                                     llvm::ArrayRef<uint32_t> targetShardings)
    : numSource(sourceShardings.size()), numTarget(targetShardings.size()), bySource(numSource * numTarget),
      byTarget(numSource * numTarget), isPartial(numSource) {
  for (size_t i = 0; i < numSource; ++i) {
    if (sourceShardings[i] == ReshardTimes::anySharding)
      continue;
    isPartial[i] = times.isPartial(sourceShardings[i]);
    const int64_t *row = times.getTimes(sourceShardings[i]);
    for (size_t j = 0; j < numTarget; ++j) {
      int64_t timePs = targetShardings[j] == ReshardTimes::anySharding ? 0 : row[targetShardings[j]];
      bySource[i * numTarget + j] = byTarget[j * numSource + i] = convertTime(timePs);
    }
  }
}

void ReshardTimeMatrix::spread(uint8_t end, llvm::ArrayRef<double> weights, llvm::ArrayRef<double> from,
                               llvm::MutableArrayRef<double> to) const {
  std::fill(to.begin(), to.end(), HUGE_VAL);
  double *least = to.data();
  if (end == 0) {
    for (size_t i = 0; i < numSource; ++i) {
      const double *row = bySource.data() + i * numTarget;
      double weight = weights[i], own = from[i];
      for (size_t j = 0; j < numTarget; ++j) {
        double value = own + weight * row[j];
        least[j] = value < least[j] ? value : least[j];
      }
    }
    return;
  }
  const double *weight = weights.data();
  for (size_t j = 0; j < numTarget; ++j) {
    const double *row = byTarget.data() + j * numSource;
    double own = from[j];
    for (size_t i = 0; i < numSource; ++i) {
      double value = own + weight[i] * row[i];
      least[i] = value < least[i] ? value : least[i];
    }
  }
}

void ReshardTimeMatrix::spread(ReshardTimes &times, llvm::ArrayRef<uint32_t> sourceShardings,
                               llvm::ArrayRef<uint32_t> targetShardings, uint8_t end, llvm::ArrayRef<double> weights,
                               llvm::ArrayRef<double> from, llvm::MutableArrayRef<double> to) {
  std::fill(to.begin(), to.end(), HUGE_VAL);
  for (size_t i = 0; i < sourceShardings.size(); ++i) {
    bool isAny = sourceShardings[i] == ReshardTimes::anySharding;
    const int64_t *row = isAny ? nullptr : times.getTimes(sourceShardings[i]);
    for (size_t j = 0; j < targetShardings.size(); ++j) {
      bool isFree = isAny || targetShardings[j] == ReshardTimes::anySharding;
      double time = weights[i] * (isFree ? 0 : convertTime(row[targetShardings[j]]));
      double &least = to[end == 0 ? j : i];
      least = std::min(least, from[end == 0 ? i : j] + time);
    }
  }
}

int64_t ReshardTimeMatrix::roundDown(double value) {
  // Three operations, each within 2^-53 of its result, on numbers that cancel at most in part; least weights add less
  // than 2^-8.
  constexpr double most = 0x1p61, error = 0x1p-48;
  return static_cast<int64_t>(std::floor(std::min(value, most) - std::abs(std::min(value, most)) * error - 1));
}

size_t ReshardTimeMatrices::Hash::operator()(const std::vector<uint32_t> &shardings) const {
  uint64_t hash = shardings.size();
  for (uint32_t sharding : shardings)
    hash = mixHash(hash ^ sharding);
  return hash;
}

uint32_t ReshardTimeMatrices::findSet(llvm::ArrayRef<uint32_t> shardings) {
  return sets.try_emplace(shardings.vec(), static_cast<uint32_t>(sets.size())).first->second;
}

std::shared_ptr<const ReshardTimeMatrix> ReshardTimeMatrices::find(ReshardTimes &times,
                                                                   llvm::ArrayRef<uint32_t> sourceShardings,
                                                                   llvm::ArrayRef<uint32_t> targetShardings) {
  auto key = std::tuple(&times, findSet(sourceShardings), findSet(targetShardings));
  auto known = matrices.find(key);
  if (known != matrices.end())
    return known->second;
  size_t pairs = sourceShardings.size() * targetShardings.size();
  if (numPairs + pairs > maxPairs)
    return nullptr;
  numPairs += pairs;
  return matrices.emplace(key, std::make_shared<const ReshardTimeMatrix>(times, sourceShardings, targetShardings))
      .first->second;
}

void ReshardTimeMatrices::dropUnused() {
  for (auto entry = matrices.begin(); entry != matrices.end();) {
    bool isUnused = entry->second.use_count() == 1;
    if (isUnused)
      numPairs -= entry->second->numSource * entry->second->numTarget;
    entry = isUnused ? matrices.erase(entry) : std::next(entry);
  }
}

} // namespace partita::search
