//===- Colors.h - dims that are sharded alike ----------------------------===//
//
// A color is what propagation reaches from one dim with nothing decided before
// and no side of a conflict chosen: the dims that opFactors tie together, from
// definitions to uses and back, without the opFactors of conflicts. A conflict is an op that one class of dims reaches
// on two factors (x @ x^T, attention under a split sequence); its opFactors are closed and classes are found anew,
// until there are none, exactly as propagation does with conflicts that nothing decides. Its sides are the consistent
// ways out.
//
// What corresponds in repeated layers is one color, and one conflict.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_COLORS_H
#define PARTITA_ANALYSIS_COLORS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Propagation.h"

namespace partita::analysis {

using ColorId = Id<struct ColorTag>;

struct Color {
  /// All of them, in ascending order.
  std::vector<DimId> dims;
  /// Of the dims that arguments carry, the groups and the dim's number; in order.
  std::vector<std::pair<GroupId, uint32_t>> arguments;
  /// The size that all dims have; 0 if they differ (a part of a compound dim).
  int64_t size = 0;
  /// Elements of all cells that have such a dim, in bytes.
  int64_t bytes = 0;
  /// What it is: `batch`, `sequence`, `heads`, `vocabulary`, ...; empty if nothing tells.
  std::string word;
};

/// A side of a conflict, in colors.
struct ColorSide {
  std::vector<ColorId> colors;
  bool operator==(const ColorSide &) const = default;
};

/// Conflicts that correspond in repeated layers, or that part the same colors: one bit of a decision.
struct ColorConflict {
  std::vector<ColorSide> sides;
  /// The first one, with its opFactors and dims, and how many there are in all layers.
  Conflict first;
  size_t count = 0;
};

struct Colors {
  /// Those that an argument or an inner tile point carries; most bytes first.
  IdVector<ColorId, Color> list;
  /// Invalid for dims of no such color.
  IdVector<DimId, ColorId> ofDim;
  std::vector<ColorConflict> conflicts;
};

/// Linear in the program but for the number of times that closed conflicts lead to new ones.
Colors findColors(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups);

/// Says what colors are (ColorWords.cpp); part of findColors.
void nameColors(const Topology &topology, const ArgumentGroups &groups, Colors &colors);

} // namespace partita::analysis

#endif
