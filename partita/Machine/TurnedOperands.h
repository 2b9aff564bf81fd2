//===- TurnedOperands.h - products that want their operands turned --------===//
//
// Matrix units take operands of 8-bit floats only with their contracted elements
// side by side. XLA turns one that lies otherwise, or takes a kernel that turns
// pieces of it. t bytes are turned, at a share r of the memory's rate S:
//
//   time = min(product + 2 t / (S r), product of c k instead of k contracted elements)
//
// r and c are from the products of an H200 that constants may be chosen on. Other
// types, and devices that do not say how they compute in tiles, take the product's
// time.
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
