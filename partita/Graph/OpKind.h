//===- OpKind.h - the ops that are told apart by more than their class ----===//
//
// Class, linearity and rule say most of what the rooms behind flatten ask of an
// op. The kind says the rest, and only where someone asks: a transpose and a
// reshape both move elements, but only one of them changes the order of dims.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_OPKIND_H
#define PARTITA_GRAPH_OPKIND_H

#include "partita/Graph/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace partita::graph {

enum class OpKind : uint8_t {
  Other,
  Add,
  BroadcastInDim,
  Compare,
  Constant,
  Convert,
  DotGeneral,
  DynamicSlice,
  DynamicUpdateSlice,
  Gather,
  Reshape,
  Scatter,
  SelectAndScatter,
  Slice,
  Sort,
  TopK,
  Transpose,
};

/// The kind of the op that a program spells `opName`, as in `stablehlo.reshape`. No other spelling is known.
OpKind findOpKind(llvm::StringRef opName);

/// Its result is a part of operand 0.
constexpr bool readsPart(OpKind kind) {
  return kind == OpKind::Slice || kind == OpKind::DynamicSlice || kind == OpKind::Gather;
}

/// Dims longer than one come out in the order in which they went in, if none is split or merged.
constexpr bool keepsDimOrder(OpKind kind) { return kind == OpKind::Reshape || kind == OpKind::BroadcastInDim; }

/// Compares the elements of a dim with each other, in a kernel of its own.
constexpr bool ranksElements(OpKind kind) {
  return kind == OpKind::Sort || kind == OpKind::TopK || kind == OpKind::SelectAndScatter;
}

} // namespace partita::graph

#endif
