//===- TurnedOperands.cpp - products that want their operands turned ------===//

#include "partita/Machine/TurnedOperands.h"

#include "partita/Support/Saturating.h"

#include <algorithm>

namespace partita::machine {

/// The share of the memory's rate at which bytes are turned.
static constexpr int64_t turnedPpm = 65'000;

/// How much longer tiles take whose operands are turned piece by piece, in tenths.
static constexpr int64_t turnedTileTenths = 55;

int64_t computeProductPs(const Device &device, const ProductPricer &pricer, const ProductPiece &piece,
                         llvm::StringRef elementType, ProductPrecision precision, int64_t turnedBytes) {
  int64_t timePs = pricer.computeTimePs(piece, elementType, precision);
  if (turnedBytes == 0 || device.products.tiles.empty() || !elementType.starts_with("f8"))
    return timePs;
  int64_t turnedPs = computeTransferPs(multiplySaturated(turnedBytes, 2), device.memoryBytesPerSecond.value, turnedPpm);
  ProductPiece slower = piece;
  slower.k = multiplySaturated(piece.k, turnedTileTenths) / 10;
  int64_t slowerPs = std::max(timePs, pricer.computeTimePs(slower, elementType, precision));
  return std::min({maxTimePs, addSaturated(timePs, turnedPs), slowerPs});
}

} // namespace partita::machine
