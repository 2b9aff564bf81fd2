//===- OpKind.h - ops that need more than their class ---------------------===//
//
// Class, linearity and rule describe most of an op for the rooms after flatten.
// The kind distinguishes the few ops for which that is not enough: a transpose
// and a reshape both move elements, but only a transpose changes the order of
// dims. OpKind.cpp has the only table of op names.
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
  Cholesky,
  Compare,
  Constant,
  Convert,
  DotGeneral,
  DynamicSlice,
  DynamicUpdateSlice,
  /// Eigenvectors of a symmetric matrix.
  Eigh,
  Fft,
  Gather,
  Lu,
  Qr,
  Reshape,
  Scatter,
  SelectAndScatter,
  Slice,
  /// An elementwise function of dozens of instructions: tanh, erf, power.
  SlowFunction,
  Sort,
  Svd,
  TopK,
  Transpose,
  TriangularSolve,
};

/// The kind of the op `opName`, such as `stablehlo.reshape`, or of a known call, such as `call.qr`; `Other` if the
/// table does not have it.
OpKind findOpKind(llvm::StringRef opName);

/// Whether the result is a part of operand 0.
constexpr bool readsPart(OpKind kind) {
  return kind == OpKind::Slice || kind == OpKind::DynamicSlice || kind == OpKind::Gather;
}

/// Whether dims larger than 1 keep their order, if none is split or merged.
constexpr bool keepsDimOrder(OpKind kind) { return kind == OpKind::Reshape || kind == OpKind::BroadcastInDim; }

/// Whether the op compares the elements of a dim with each other, in a separate kernel.
constexpr bool ranksElements(OpKind kind) {
  return kind == OpKind::Sort || kind == OpKind::TopK || kind == OpKind::SelectAndScatter;
}

} // namespace partita::graph

#endif
