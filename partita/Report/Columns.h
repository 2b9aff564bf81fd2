//===- Columns.h - text that fits on a screen -----------------------------===//
//
// What a terminal shows of a plan has at most `screenColumns` columns. Tables cut
// what is too long for a cell; sentences go on in the next row.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_COLUMNS_H
#define PARTITA_REPORT_COLUMNS_H

#include "partita/Report/Rooms.h"

#include "llvm/ADT/StringRef.h"
#include <string>

namespace partita::report {

inline constexpr size_t screenColumns = 120, screenLines = 40;

/// The characters of a UTF-8 text.
size_t countColumns(llvm::StringRef text);

/// With spaces behind it, if it is shorter.
std::string pad(const std::string &text, size_t width);

/// A text that is too long without its middle, and without parts of words: the end of a change names the axis.
std::string cut(llvm::StringRef text, size_t width);

/// A sentence behind its label, in rows that end with a line feed. Rows end behind a `;`, or else behind a `,` outside
/// parentheses, or else outside parentheses, as long as that leaves them half full, and else at any space. All but the
/// first row have `indent` spaces in place of the label:
///
///   strategy: batch over data and model; parameters and optimizer state over both (ZeRO-3);
///             9 activations kept instead of recomputed
///
/// A word that is longer than a row stays in one piece.
std::string wrap(llvm::StringRef label, llvm::StringRef text, size_t indent);

/// The same, with all rows below the first one's text.
std::string wrap(llvm::StringRef label, llvm::StringRef text);

} // namespace partita::report

#endif
