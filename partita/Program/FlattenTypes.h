//===- FlattenTypes.h - element types in the flat program -----------------===//
//
// The flat program keeps an element type as its bits in memory and its name.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_FLATTENTYPES_H
#define PARTITA_PROGRAM_FLATTENTYPES_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "partita/Program/Rooms.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace partita::program {

/// Bits that one element takes in memory: sub-byte types are packed, i1 takes a byte.
inline uint32_t getElementBits(mlir::Type type) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type))
    return 2 * getElementBits(complex.getElementType());
  if (auto quantized = mlir::dyn_cast<mlir::quant::QuantizedType>(type))
    return quantized.getStorageTypeIntegralWidth();
  if (type.isInteger(1))
    return 8;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

inline std::string printElementType(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

} // namespace partita::program

#endif
