//===- Colors.h - classes of dims that are split alike --------------------===//
//
// A color is the set of dims that propagation reaches from one dim if nothing is
// decided yet and no side of a conflict is chosen: the dims that op factors
// connect, from definitions to uses and back, except op factors of conflicts.
//
// A conflict is an op that one class of dims reaches on two factors (x @ x^T,
// attention under a split sequence); its sides are the consistent choices. As in
// propagation, the op factors of conflicts are closed and the classes computed
// again, until there are no conflicts.
//
// Corresponding dims of repeated layers have one color, and corresponding
// conflicts are one conflict.
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
  /// In ascending order.
  std::vector<DimId> dims;
  /// The dims of arguments in this color, as group and number of the dim; in order.
  std::vector<std::pair<GroupId, uint32_t>> arguments;
  /// The size of all dims; 0 if they differ (a part of a compound dim).
  int64_t size = 0;
  /// Bytes of all cells that have a dim of this color.
  int64_t bytes = 0;
  /// `batch`, `sequence`, `heads`, `vocabulary`, ...; empty if unknown.
  std::string word;
};

/// A side of a conflict: the colors that it splits.
struct ColorSide {
  std::vector<ColorId> colors;
  bool operator==(const ColorSide &) const = default;
};

/// Conflicts that correspond in repeated layers, or that separate the same colors: one choice for the search.
struct ColorConflict {
  std::vector<ColorSide> sides;
  /// The first of them, with its op factors and dims, and their number in all layers.
  Conflict first;
  size_t count = 0;
};

struct Colors {
  /// Colors that a member of a group has; most bytes first.
  IdVector<ColorId, Color> list;
  /// Invalid for dims with no such color.
  IdVector<DimId, ColorId> ofDim;
  std::vector<ColorConflict> conflicts;
};

/// The color's word; without one `dim of size 11008`, or `inner dims` if sizes differ.
std::string getPhrase(const Color &color);

/// Takes time linear in the program for each round in which closed conflicts lead to new ones.
Colors findColors(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups);

/// Sets `Color::word` (ColorWords.cpp); part of findColors.
void nameColors(const Topology &topology, const ArgumentGroups &groups, Colors &colors);

} // namespace partita::analysis

#endif
