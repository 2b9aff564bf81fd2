//===- BooleanHex.h - large boolean constants in text ---------------------===//
//
// MLIR writes large constants in hexadecimal: `dense<"0x0100"> : tensor<2xi1>`.
// Of booleans, MLIR 22 puts eight into a byte, as does JAX with an MLIR that is
// as old. JAX with a newer one (0.10.2 has it) writes a byte for each; a single
// byte stands for all elements.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_BOOLEANHEX_H
#define PARTITA_PROGRAM_BOOLEANHEX_H

#include "partita/Program/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace partita::program {

/// `text` with booleans packed as the parser reads them; every other character keeps its place, so that positions in
/// errors and locations stay. Nothing if there is nothing to change.
std::optional<std::string> packBooleanHex(llvm::StringRef text);

/// How booleans are written where MLIR would write packed hexadecimal.
enum class BooleanText {
  /// `[true, false]`, which every version of JAX reads.
  Words,
  /// A byte each in hexadecimal, as jaxlib 0.10.2 writes them.
  Bytes,
};

/// `text`, as MLIR's printer gives it, without packed booleans.
std::string unpackBooleanHex(std::string text, BooleanText form);

} // namespace partita::program

#endif
