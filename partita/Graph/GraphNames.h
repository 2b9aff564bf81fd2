//===- GraphNames.h - words for the enums of the flat program, as in JSON -===//

#ifndef PARTITA_GRAPH_GRAPHNAMES_H
#define PARTITA_GRAPH_GRAPHNAMES_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::graph {

/// The words of an enum, in the order of its values.
template <typename Enum> struct EnumWords;

template <> struct EnumWords<CellKind> {
  static constexpr llvm::StringRef words[] = {"argument", "result", "carried", "branch", "op_result"};
};
template <> struct EnumWords<OpClass> {
  static constexpr llvm::StringRef words[] = {"identity", "elementwise", "movement",   "contraction", "reduction",
                                              "indexing", "random",      "collective", "opaque"};
};
template <> struct EnumWords<IdentityRole> {
  static constexpr llvm::StringRef words[] = {"none",   "entry",   "yield",    "branch_yield",
                                              "result", "barrier", "boundary", "constraint"};
};
template <> struct EnumWords<Phase> {
  static constexpr llvm::StringRef words[] = {"forward", "backward", "update"};
};
template <> struct EnumWords<Linearity> {
  static constexpr llvm::StringRef words[] = {"none", "sum", "first", "second", "update", "zero", "choice"};
};
template <> struct EnumWords<Precision> {
  static constexpr llvm::StringRef words[] = {"default", "high", "highest"};
};
template <> struct EnumWords<RegionKind> {
  static constexpr llvm::StringRef words[] = {"program", "loop_body", "loop_condition", "branch", "manual"};
};

template <typename Enum> llvm::StringRef getWord(Enum value) {
  return EnumWords<Enum>::words[static_cast<unsigned>(value)];
}

/// The value with that word; nothing if there is none.
template <typename Enum> std::optional<Enum> findWord(llvm::StringRef word) {
  const auto *found = llvm::find(EnumWords<Enum>::words, word);
  if (found == std::end(EnumWords<Enum>::words))
    return std::nullopt;
  return static_cast<Enum>(found - std::begin(EnumWords<Enum>::words));
}

} // namespace partita::graph

#endif
