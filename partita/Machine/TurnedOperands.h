//===- TurnedOperands.h - products that want their operands turned --------===//
//
// Matrix units take 8-bit operands only with their contracted elements side by
// side. XLA's library of products turns one of floats that lies otherwise; XLA's
// own kernels turn pieces of it in each tile, which takes c times as long, and
// read it at a share q of the memory's rate S. t elements lie the other way; the
// library turns them at a share r of S:
//
//   library = product + 2 t / (S r)
//   own     = max(product, product of c k instead of k contracted elements,
//                 launch + t / (S q))
//
// Integers and products of a single row always take XLA's own kernels; other floats
// those that are faster, but the library if t is large: XLA compares the two without
// what turning takes. Sums of a single row turn nothing. Constants are from the
// products of an H200 that they may be chosen on. Other types, and devices that do
// not say how they compute in tiles, take the product's time.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_TURNEDOPERANDS_H
#define PARTITA_MACHINE_TURNEDOPERANDS_H

#include "partita/Machine/ProductPrice.h"

namespace partita::machine {

/// The time of a product of which `turnedBytes` of the operands lie the other way.
int64_t computeProductPs(const Device &device, const ProductPricer &pricer, const ProductPiece &piece,
                         llvm::StringRef elementType, ProductPrecision precision, int64_t turnedBytes);

} // namespace partita::machine

#endif
