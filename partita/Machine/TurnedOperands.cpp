//===- TurnedOperands.cpp - products that want their operands turned ------===//

#include "partita/Machine/TurnedOperands.h"

#include "partita/Support/Saturating.h"

#include <algorithm>

namespace partita::machine {

/// Shares of the memory's rate: at which the library turns operands, and at which XLA's own kernels read them.
static constexpr int64_t turnedPpm = 65'000, readPpm = 400'000;

/// How much longer tiles take whose operands are turned piece by piece, in hundredths.
static constexpr int64_t floatTileHundredths = 550, integerTileHundredths = 164;

/// Operands of more bytes than this are turned by the library: between 33.6 million, which were not, and 58.7 million.
static constexpr int64_t mostTurnedInTiles = 45'000'000;

/// By XLA's own kernels.
static int64_t computeTurningTilesPs(const Device &device, const ProductPricer &pricer, const ProductPiece &piece,
                                     llvm::StringRef elementType, ProductPrecision precision, int64_t turnedBytes) {
  ProductPiece slower = piece;
  slower.k =
      multiplySaturated(piece.k, elementType.starts_with("f8") ? floatTileHundredths : integerTileHundredths) / 100;
  int64_t readPs = addSaturated(device.products.launchPs.value,
                                computeTransferPs(turnedBytes, device.memoryBytesPerSecond.value, readPpm));
  return std::max(readPs, pricer.computeTimePs(slower, elementType, precision));
}

static bool isInteger8(llvm::StringRef elementType) { return elementType == "i8" || elementType == "ui8"; }

int64_t computeProductPs(const Device &device, const ProductPricer &pricer, const ProductPiece &piece,
                         llvm::StringRef elementType, ProductPrecision precision, int64_t turnedBytes) {
  int64_t timePs = pricer.computeTimePs(piece, elementType, precision);
  bool isInteger = isInteger8(elementType);
  if (turnedBytes == 0 || device.products.tiles.empty() || pricer.isSum(piece) ||
      !(isInteger || elementType.starts_with("f8")))
    return timePs;
  int64_t tilesPs = std::max(timePs, computeTurningTilesPs(device, pricer, piece, elementType, precision, turnedBytes));
  if (isInteger || std::min(piece.m, piece.n) == 1)
    return std::min(maxTimePs, tilesPs);
  int64_t libraryPs = addSaturated(
      timePs, computeTransferPs(multiplySaturated(turnedBytes, 2), device.memoryBytesPerSecond.value, turnedPpm));
  return std::min(maxTimePs, turnedBytes > mostTurnedInTiles ? libraryPs : std::min(libraryPs, tilesPs));
}

} // namespace partita::machine
