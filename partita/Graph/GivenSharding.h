//===- GivenSharding.h - shardings that are given with a program ----------===//
//
// Shardings of arguments, results and inner values that the program itself
// states, or its user (Schedule/PartitionRules.h). They say where arrays lie, in
// no order. An axis is written as in files: `model`, or `model:(1)2` for a part
// of it. Axes of one device are left out.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_GIVENSHARDING_H
#define PARTITA_GRAPH_GIVENSHARDING_H

#include "partita/Graph/Ids.h"
#include "partita/Graph/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace partita::graph {

/// An axis of the program's mesh.
struct GivenAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const GivenAxis &) const = default;
};

struct GivenDim {
  /// Major to minor.
  std::vector<std::string> axes;
  /// Whether the dim may take further axes, minor to these.
  bool isOpen = false;
  /// Lower priorities propagate first; none means 0.
  std::optional<int64_t> priority;
  bool operator==(const GivenDim &) const = default;
};

struct GivenSharding {
  CellId cell;
  std::vector<GivenDim> dims;
  /// Axes over which the cell stays whole.
  std::vector<std::string> replicated;
  bool operator==(const GivenSharding &) const = default;
};

/// Whether one value can have both shardings: in each dim the one with fewer axes is open to those that the other has
/// beyond them, and no axis splits a dim of one and another dim of the other, or one over which the other stays whole.
bool areCompatible(const GivenSharding &a, const GivenSharding &b);

/// A mesh axis or a part of one. With the position along the axis as a mixed-radix number, a part has the digits from
/// `preSize` up to `preSize * size`.
struct AxisPart {
  std::string name;
  int64_t preSize = 1;
  /// 0 for all of the axis.
  int64_t size = 0;
};

/// Parses `model` or `model:(1)2`; nothing if the text is neither.
std::optional<AxisPart> parseAxisPart(llvm::StringRef text);

/// Checks that every axis is one of `mesh` or a part that divides it, that no digit appears twice, and that there are
/// `rank` dims.
Status verifyGivenSharding(const GivenSharding &sharding, size_t rank, llvm::ArrayRef<GivenAxis> mesh);

} // namespace partita::graph

#endif
