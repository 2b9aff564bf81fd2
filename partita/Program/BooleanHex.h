//===- BooleanHex.h - large boolean constants in text ---------------------===//
//
// MLIR writes large constants in hexadecimal: `dense<"0x0100"> : tensor<2xi1>`.
// MLIR 22 packs eight booleans into a byte, and so does a JAX that contains an
// MLIR of that age. A JAX with a newer MLIR (0.10.2, for one) writes one byte
// for each boolean. A single byte stands for all elements.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_BOOLEANHEX_H
#define PARTITA_PROGRAM_BOOLEANHEX_H

#include "partita/Program/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace partita::program {

/// `text` with booleans packed as the parser reads them. Every other character keeps its offset, so that positions in
/// errors and locations stay right. Nothing if there is nothing to change.
std::optional<std::string> packBooleanHex(llvm::StringRef text);

/// How booleans are written where MLIR would write packed hexadecimal.
enum class BooleanText {
  /// `[true, false]`, which every version of JAX reads.
  Words,
  /// One byte each in hexadecimal, as jaxlib 0.10.2 writes them.
  Bytes,
};

/// The output of MLIR's printer, with packed booleans written as `form` says.
std::string unpackBooleanHex(std::string text, BooleanText form);

} // namespace partita::program

#endif
