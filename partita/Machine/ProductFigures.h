//===- ProductFigures.h - how a device computes matrix products -----------===//
//
// Compute units (the SMs of a GPU) take tiles of a product's result, one tile
// each at a time, in waves. ProductPrice.h has the formula.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PRODUCTFIGURES_H
#define PARTITA_MACHINE_PRODUCTFIGURES_H

#include "partita/Machine/Figure.h"

#include <vector>

namespace partita::machine {

/// A tile of the result, or that tile turned by 90 degrees, and the share of a unit's peak rate that it reaches.
struct ProductTile {
  int64_t rows = 1, columns = 1;
  int64_t ratePpm = wholePpm;
  bool operator==(const ProductTile &) const = default;
};

/// The share of their peak rate that products of one type reach, on top of that of the tile.
struct ProductTypeShare {
  std::string type;
  Figure ratePpm;
  bool operator==(const ProductTypeShare &) const = default;
};

struct ProductFigures {
  Figure units;
  /// Beside the waves and the traffic.
  Figure launchPs;
  /// Of each wave, beside its flops.
  Figure wavePs;
  /// Of adding up the parts of a contracted dim that units share, beside the traffic.
  Figure splitPs;
  /// The most of their peak rate that products reach under load: those of 16 bits in whole steps draw more power than
  /// the device may take, and its clock falls.
  Figure sustainedPpm{wholePpm, ""};
  /// Share of the memory's rate at which operands are read and results written.
  Figure memoryPpm{wholePpm, ""};
  /// What is left of the rate if the rows of an operand are no multiple of 16 bytes.
  Figure unalignedPpm{wholePpm, ""};
  /// Share of the peak rate of f32 that products outside the matrix units reach; 0: there are none.
  Figure vectorPpm;
  /// By the names of Device::peaks; those of other types reach all of it.
  std::vector<ProductTypeShare> typeShares;
  std::vector<ProductTile> tiles;
  std::string tilesSource;
  /// Of all their rates together, as Figure::widthPpm.
  int64_t tilesWidthPpm = 0;
  bool operator==(const ProductFigures &) const = default;
};

} // namespace partita::machine

#endif
