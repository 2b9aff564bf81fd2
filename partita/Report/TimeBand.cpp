//===- TimeBand.cpp - how far a step may be from its predicted time -------===//

#include "partita/Report/TimeBand.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita::report {

/// What two plans of one program do not share of a width.
static constexpr int64_t ownShareOfWidthPpm = 400'000;

int64_t computeTimeWidthPpm(const ScorePrices &prices, const Machine &machine) {
  if (machine.stepWidthPpm == 0 || prices.timePs <= 0)
    return 0;
  auto share = [&](int64_t partPs, int64_t wholePs) {
    return wholePs > 0 ? std::clamp(static_cast<double>(partPs) / static_cast<double>(wholePs), 0.0, 1.0) : 0.0;
  };
  const Device &device = machine.device;
  int64_t widest =
      std::max({device.products.tilesWidthPpm, device.products.memoryPpm.widthPpm, device.memoryPpm.widthPpm});
  double compute = share(prices.computePs, prices.timePs) * static_cast<double>(widest);
  int64_t busyPs = 0;
  for (const ScoreLevel &level : prices.levels)
    busyPs += level.busyPs;
  double links = 0;
  for (const ScoreLevel &level : prices.levels)
    if (std::optional<uint32_t> number = machine.findLevel(level.name))
      links += share(level.busyPs, busyPs) * static_cast<double>(machine.levels[*number].bytesPerSecond.widthPpm);
  links *= share(prices.exposedCommunicationPs, prices.timePs);
  auto steps = static_cast<double>(machine.stepWidthPpm);
  return std::llround(std::sqrt(steps * steps + compute * compute + links * links));
}

std::string printWidth(int64_t widthPpm) {
  constexpr int64_t ppmOfPercent = 10'000;
  if (widthPpm == 0)
    return "";
  return " \u00b1 " + std::to_string((widthPpm + ppmOfPercent - 1) / ppmOfPercent) + "%";
}

bool isTooClose(const ScorePrices &prices, int64_t timePs) {
  auto apart = static_cast<__int128>(std::abs(timePs - prices.timePs)) * machine::wholePpm;
  int64_t ownPpm = prices.timeWidthPpm * ownShareOfWidthPpm / machine::wholePpm;
  return prices.timeWidthPpm > 0 && apart <= static_cast<__int128>(prices.timePs) * ownPpm;
}

} // namespace partita::report
