//===- Quantity.h - numbers with units ------------------------------------===//
//
//   parseQuantity("80 GiB", QuantityUnit::Bytes)              85'899'345'920
//   parseQuantity("3.62e14", QuantityUnit::FlopsPerSecond)    362'000'000'000'000
//   parseQuantity("400 Gb/s", QuantityUnit::BytesPerSecond)   50'000'000'000
//
// The arithmetic is decimal and exact. A number without a unit is in the unit
// itself and must be whole; with one it is rounded to the nearest whole number.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_QUANTITY_H
#define PARTITA_MACHINE_QUANTITY_H

#include "partita/Machine/Rooms.h"
#include "partita/Support/Error.h"

#include <cstdint>

namespace partita::machine {

/// What a number counts.
enum class QuantityUnit : uint8_t { Count, Bytes, BytesPerSecond, FlopsPerSecond, Picoseconds, Ppm };

/// The number that the text stands for, or a usage error with the forms that it may have.
Result<int64_t> parseQuantity(llvm::StringRef text, QuantityUnit unit);

} // namespace partita::machine

#endif
