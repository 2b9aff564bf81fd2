//===- ProductPrice.h - the time of a matrix product on one device --------===//
//
// A product of b pairs of matrices, [m, k] by [k, n], is computed in tiles of
// r rows and c columns of its result, which U units take in waves. s units may
// share the contracted dim of a tile. R is the peak rate of the operands' type
// times the share that the type reaches, e what the tile reaches of it, a the
// share left if rows are not aligned, M the memory's rate for products, v the
// bytes of operands and results:
//
//   waves(r, c, s) = ceil(b ceil(m / r) ceil(n / c) s / U)
//   work(r, c, s)  = waves (2 r c ceil(k / s) U / (R e a) + wave)
//   sums(s)        = 0 if s = 1, else split + 8 b m n s / M
//   time           = launch + min over tiles, both ways round, and s of
//                    max(work, v / M) + sums
//
// or launch + max(flops / (share of the f32 peak), v / M), outside the matrix
// units, if that is less. s is a power of two up to 32, as long as all parts
// together are at most four waves.
//
// A single row (or column) against a matrix of fewer than 10 million elements is
// a sum of products in ordinary kernels, of launch l and rate S, for which elements
// have at least two bytes:
//
//   time = l + v / S                                  rows of the matrix are contracted,
//                                                     or b n is at least 24 U
//        = 2 l + v / S                                more than 4,096 rows
//        = 2 l + v / S + w / S + max(w / S, k step)   otherwise; w: all products in f32
//
// Each other term grows with b, m, n and k, and choices only get fewer. So a part
// of a product never takes longer than the whole, unless its rows are not aligned
// or it is a single row; a sum of fewer columns may take longer than one of more.
//
// A device that does not say how it computes in tiles takes
//
//   time = launch + max(f / (R E), v / M)
//
// f the flops with m, n and k rounded up to Device::matmulTile, E the efficiency
// at that size (Device::matmulEfficiency).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_PRODUCTPRICE_H
#define PARTITA_MACHINE_PRODUCTPRICE_H

#include "partita/Machine/Machine.h"

#include "llvm/ADT/SmallVector.h"

namespace partita::machine {

/// A device's piece of a product.
struct ProductPiece {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  /// Multiplications and additions; of a convolution not all of 2 batch m n k.
  int64_t flops = 0;
  /// Of operands and results.
  int64_t bytes = 0;
  bool isAligned = true;
  /// Whether the contracted elements of the larger operand lie side by side.
  bool contractsRows = false;
};

class ProductPricer {
public:
  explicit ProductPricer(const Device &device);

  /// Launch included.
  int64_t computeTimePs(const ProductPiece &piece, llvm::StringRef elementType, ProductPrecision precision) const;
  /// Whether XLA adds products up in ordinary kernels.
  bool isSum(const ProductPiece &piece) const;

private:
  struct Tile {
    int64_t rows = 1, columns = 1;
    /// Of one step along the contracted dim, with rows that are aligned and not.
    int64_t stepFs = 0, unalignedStepFs = 0;
  };
  /// Tiles at the rate of one type of operands.
  struct TypeTiles {
    int64_t flopsPerSecond = 0;
    llvm::SmallVector<Tile, 8> tiles;
  };

  TypeTiles buildTiles(int64_t flopsPerSecond, int64_t sharePpm) const;
  int64_t computeWavesPs(const ProductPiece &piece, const TypeTiles &type, int64_t memoryPs) const;
  int64_t computeTiledPs(const ProductPiece &piece, ProductRate rate) const;
  int64_t computeSumPs(const ProductPiece &piece) const;

  const Device &device;
  /// 0 if the device does not say.
  int64_t units = 0;
  /// As Device::peaks.
  llvm::SmallVector<TypeTiles, 8> types;
};

} // namespace partita::machine

#endif
