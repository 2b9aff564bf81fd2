//===- ProductPrice.cpp - the time of a matrix product on one device ------===//

#include "partita/Machine/ProductPrice.h"

#include "partita/Support/Saturating.h"

#include <algorithm>

namespace partita::machine {

/// The most units that share the contracted dim of a tile, and the most waves that all parts may take.
static constexpr int64_t mostSplits = 32, mostSplitWaves = 4;

static constexpr int64_t femtosecondsPerPicosecond = 1000;

/// A single row or column against a matrix of fewer elements than this is a sum of products: XLA's limit.
static constexpr int64_t mostSummed = 10'000'000;

/// A unit sums so many columns. If there are fewer than that for each unit, the products are written first and then
/// summed, one step for each row; of more rows than this, parts are summed, and then their sums. From the products of
/// one token on an H200 that constants may be chosen on.
static constexpr int64_t columnsOfAUnit = 24, mostSteps = 4096, stepPs = 1'200;

/// Sums of 8-bit elements take as long as sums of 16-bit ones.
static constexpr int64_t leastBytesOfElement = 2;

/// Of a product that is written.
static constexpr int64_t bytesOfProduct = 4;

/// Of partial results, in f32: written and read.
static constexpr int64_t bytesOfPart = 8;

static int64_t divideUp(int64_t value, int64_t by) { return value / by + (value % by != 0 ? 1 : 0); }

ProductPricer::ProductPricer(const Device &device) : device(device) {
  const ProductFigures &figures = device.products;
  if (figures.tiles.empty() || figures.units.value <= 0)
    return;
  units = figures.units.value;
  for (const PeakRate &peak : device.peaks) {
    int64_t share = wholePpm;
    for (const ProductTypeShare &entry : figures.typeShares)
      if (entry.type == peak.type)
        share = entry.ratePpm.value;
    types.push_back(buildTiles(peak.flopsPerSecond.value, share));
  }
}

ProductPricer::TypeTiles ProductPricer::buildTiles(int64_t flopsPerSecond, int64_t sharePpm) const {
  TypeTiles type{flopsPerSecond, {}};
  for (const ProductTile &tile : device.products.tiles) {
    int64_t flops = multiplySaturated(multiplySaturated(2 * tile.rows, tile.columns), units);
    int64_t reached = std::min(static_cast<int64_t>(static_cast<__int128>(sharePpm) * tile.ratePpm / wholePpm),
                               device.products.sustainedPpm.value);
    int64_t stepFs = computeTransferPs(multiplySaturated(flops, femtosecondsPerPicosecond), flopsPerSecond,
                                       std::max<int64_t>(reached, 1));
    auto unalignedFs = static_cast<int64_t>(
        std::min<__int128>(maxTimePs, static_cast<__int128>(stepFs) * wholePpm / device.products.unalignedPpm.value));
    type.tiles.push_back({tile.rows, tile.columns, stepFs, unalignedFs});
    if (tile.rows != tile.columns)
      type.tiles.push_back({tile.columns, tile.rows, stepFs, unalignedFs});
  }
  return type;
}

int64_t ProductPricer::computeWavesPs(const ProductPiece &piece, const TypeTiles &type, int64_t memoryPs) const {
  const ProductFigures &figures = device.products;
  int64_t elements = multiplySaturated(multiplySaturated(piece.batch, piece.m), piece.n);
  // Of the partial results of one part; asked for if there are parts.
  int64_t partPs = -1;
  int64_t best = maxTimePs;
  for (const Tile &tile : type.tiles) {
    int64_t tiles = multiplySaturated(multiplySaturated(piece.batch, divideUp(piece.m, tile.rows)),
                                      divideUp(piece.n, tile.columns));
    for (int64_t split = 1; split <= mostSplits; split *= 2) {
      int64_t parts = multiplySaturated(tiles, split), depth = divideUp(piece.k, split);
      if (split > 1 && (parts > mostSplitWaves * units || split > piece.k))
        break;
      int64_t stepsPs =
          multiplySaturated(piece.isAligned ? tile.stepFs : tile.unalignedStepFs, depth) / femtosecondsPerPicosecond;
      int64_t timePs = std::max(memoryPs, multiplySaturated(stepsPs + figures.wavePs.value, divideUp(parts, units)));
      if (split > 1) {
        if (partPs < 0)
          partPs = computeTransferPs(multiplySaturated(elements, bytesOfPart), device.memoryBytesPerSecond.value,
                                     figures.memoryPpm.value);
        timePs = addSaturated(addSaturated(timePs, figures.splitPs.value), multiplySaturated(partPs, split));
      }
      best = std::min(best, timePs);
    }
  }
  return best;
}

bool ProductPricer::isSum(const ProductPiece &piece) const {
  if (units == 0)
    return false;
  int64_t elements = multiplySaturated(std::max(piece.m, piece.n), piece.k);
  // The windows of a convolution share their elements.
  return std::min(piece.m, piece.n) == 1 && elements < mostSummed &&
         piece.bytes >= multiplySaturated(piece.batch, elements);
}

int64_t ProductPricer::computeSumPs(const ProductPiece &piece) const {
  auto computeStreamPs = [&](int64_t bytes) {
    return computeTransferPs(bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
  };
  int64_t columns = multiplySaturated(piece.batch, std::max(piece.m, piece.n));
  int64_t readBytes = multiplySaturated(multiplySaturated(columns, piece.k), leastBytesOfElement);
  int64_t timePs = addSaturated(device.launchPs.value, computeStreamPs(std::max(piece.bytes, readBytes)));
  if (!piece.contractsRows && columns < columnsOfAUnit * units) {
    timePs = addSaturated(timePs, device.launchPs.value);
    if (piece.k <= mostSteps) {
      int64_t writtenPs = computeStreamPs(multiplySaturated(multiplySaturated(columns, piece.k), bytesOfProduct));
      timePs = addSaturated(timePs, addSaturated(writtenPs, std::max(writtenPs, piece.k * stepPs)));
    }
  }
  __int128 scaled = static_cast<__int128>(timePs) * device.ops.getTimePpm(OpFamily::VectorProduct) / wholePpm;
  return static_cast<int64_t>(std::min<__int128>(scaled, maxTimePs));
}

int64_t ProductPricer::computeTiledPs(const ProductPiece &piece, ProductRate rate) const {
  const ProductFigures &figures = device.products;
  int64_t memoryPs = computeTransferPs(piece.bytes, device.memoryBytesPerSecond.value, figures.memoryPpm.value);
  if (rate.passes == 0)
    return addSaturated(figures.launchPs.value, memoryPs);
  ProductPiece passes = piece;
  passes.k = multiplySaturated(piece.k, rate.passes);
  int64_t timePs = computeWavesPs(passes, types[rate.peak], memoryPs);
  if (int64_t vector = figures.vectorPpm.value; vector > 0)
    if (int64_t peak = findPeak(device, "f32"); peak > 0)
      timePs = std::min(timePs, std::max(memoryPs, computeTransferPs(piece.flops, peak, vector)));
  return addSaturated(figures.launchPs.value, timePs);
}

/// With m, n and k rounded up to whole tiles.
static int64_t computePaddedFlops(const ProductPiece &piece, int64_t tile) {
  __int128 padded = piece.flops;
  for (int64_t size : {piece.m, piece.n, piece.k})
    if (tile > 1 && size > 0)
      padded = padded * (static_cast<__int128>((size + tile - 1) / tile) * tile) / size;
  return static_cast<int64_t>(std::min<__int128>(padded, INT64_MAX / 2));
}

int64_t ProductPricer::computeTimePs(const ProductPiece &piece, llvm::StringRef elementType,
                                     ProductPrecision precision) const {
  if (isSum(piece))
    return std::min(maxTimePs, computeSumPs(piece));
  if (units > 0)
    return std::min(maxTimePs, computeTiledPs(piece, findProductRate(device, elementType, precision)));
  int64_t memoryPs = computeTransferPs(piece.bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
  int64_t flops = computePaddedFlops(piece, device.matmulTile.value);
  return std::min(maxTimePs, std::max(addSaturated(device.launchPs.value, memoryPs),
                                      computeMatmulPs(device, elementType, flops, precision)));
}

} // namespace partita::machine
