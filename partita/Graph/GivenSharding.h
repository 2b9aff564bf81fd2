//===- GivenSharding.h - shardings that stand in the program itself -------===//
//
// What a program says of its arguments, results and constrained values, in the
// words of its own mesh. An axis is written as in files: `model`, or
// `model:(1)2` for a part of it. Axes of one device are left out.
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
  /// May take further axes, behind these.
  bool isOpen = false;
  /// Lower ones propagate first; none is the same as 0.
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

/// A mesh axis or a part of one. As a mixed-radix number it has the digits from `preSize` up to `preSize * size`.
struct AxisPart {
  std::string name;
  int64_t preSize = 1;
  /// 0 for all of the axis.
  int64_t size = 0;
};

/// Reads `model` or `model:(1)2`; nothing if it is neither.
std::optional<AxisPart> parseAxisPart(llvm::StringRef text);

/// Every axis is one of `mesh` or a part that divides it, no digit stands twice, and there is a dim for each of `rank`.
Status verifyGivenSharding(const GivenSharding &sharding, size_t rank, llvm::ArrayRef<GivenAxis> mesh);

} // namespace partita::graph

#endif
