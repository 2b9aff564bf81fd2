//===- AxisUses.h - what each axis of the mesh is used for ----------------===//
//
// An axis splits work along dims of certain colors: batch, heads, experts. It
// also stores arguments in parts that it does not split for work (ZeRO). What is
// told of a plan (Summary.h) and what axes are called (AxisNames.h) follows from
// these uses.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_AXISUSES_H
#define PARTITA_SEARCH_AXISUSES_H

#include "partita/Analysis/Colors.h"
#include "partita/Analysis/Multiplicity.h"
#include "partita/Propagate/Assignment.h"
#include "partita/Search/Rooms.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

/// A small map that keeps the order of insertion.
template <typename Key, typename Value> struct SmallTable {
  std::vector<std::pair<Key, Value>> entries;

  Value &operator[](const Key &key) {
    auto found = llvm::find_if(entries, [&](const auto &entry) { return entry.first == key; });
    return found == entries.end() ? entries.emplace_back(key, Value()).second : found->second;
  }
  bool contains(const Key &key) const {
    return llvm::any_of(entries, [&](const auto &entry) { return entry.first == key; });
  }
};

/// The bytes of parameters, or of their optimizer state.
struct StoredBytes {
  /// Split along colors of work, as tensor parallelism does, and along others, which are only stored in parts.
  double atWork = 0, inParts = 0;
};

/// The use of one axis or sub-axis.
struct AxisUse {
  /// The work that it splits, by the color it is split along; an invalid color for dims without one.
  SmallTable<ColorId, double> work;
  StoredBytes parameters, state;
  /// Whether it splits anything at all.
  bool isUsed = false;
};

struct AxisUses {
  IdVector<AxisId, AxisUse> ofAxis;
  /// Of all parameters, and of all optimizer state.
  double parameterBytes = 0, stateBytes = 0;
};

/// Smaller shares of the work that an axis splits, and of the bytes of parameters, are not mentioned.
inline constexpr double leastWork = 0.05, leastBytes = 0.1;

AxisUses findAxisUses(const Assignment &assignment, const Multiplicity &multiplicity, const ArgumentGroups &groups,
                      const Colors &colors);

} // namespace partita::search

#endif
