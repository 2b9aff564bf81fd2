//===- Colours.h - dims that are sharded alike ----------------------------===//
//
// A colour is what propagation reaches from one dim with nothing decided before
// and no side of a conflict chosen: the dims that slots tie together, from
// definitions to uses and back, without the slots of conflicts. A conflict is an op that one class of dims reaches on
// two factors (x @ x^T, attention under a split sequence); its slots are closed
// and classes are found anew, until there are none, exactly as propagation does
// with conflicts that nothing decides. Its sides are the consistent ways out.
//
// What corresponds in repeated layers is one colour, and one conflict.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_COLOURS_H
#define PARTITA_ANALYSIS_COLOURS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Propagate/Propagation.h"

namespace partita {

using ColourId = Id<struct ColourTag>;

struct Colour {
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

/// A side of a conflict, in colours.
struct ColourSide {
  std::vector<ColourId> colours;
  bool operator==(const ColourSide &) const = default;
};

/// Conflicts that correspond in repeated layers, or that part the same colours: one bit of a decision.
struct ColourConflict {
  std::vector<ColourSide> sides;
  /// The first one, with its slots and dims, and how many there are in all layers.
  Conflict first;
  size_t count = 0;
};

struct Colours {
  /// Those that an argument or an inner tile point carries; most bytes first.
  IdVector<ColourId, Colour> list;
  /// Invalid for dims of no such colour.
  IdVector<DimId, ColourId> ofDim;
  std::vector<ColourConflict> conflicts;
};

/// Linear in the program but for the number of times that closed conflicts lead to new ones.
Colours findColours(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups);

/// Says what colours are (ColourWords.cpp); part of findColours.
void nameColours(const Topology &topology, const ArgumentGroups &groups, Colours &colours);

} // namespace partita

#endif
