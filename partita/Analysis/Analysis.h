//===- Analysis.h - what is known of a program before it is split ---------===//
//
// One value, built from a graph and constant from then on: what repeats, what it
// folds into, which arguments belong together, which dims are sharded alike, when
// values are alive. `partita analyze` prints it and the search works on it.
//
//   graph ─▶ topology ─▶ repetition ─┬▶ groups ─▶ colors
//                                    └▶ folding ─▶ FoldedProgram
//
// What not every run needs is built when it is first asked for: one thread asks.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_ANALYSIS_H
#define PARTITA_ANALYSIS_ANALYSIS_H

#include "partita/Analysis/Colors.h"
#include "partita/Analysis/LiveTimes.h"
#include "partita/Analysis/Rooms.h"

#include <optional>

namespace partita::analysis {

/// A program that a search works on in place of the whole one: folded, or as it is. Parts refer to each other and to
/// the analysis that gave it.
struct FoldedProgram {
  /// `groups` are those of the whole program.
  FoldedProgram(const Topology &whole, const ArgumentGroups &groups, const Folding &folding);
  FoldedProgram(const FoldedProgram &) = delete;
  FoldedProgram &operator=(const FoldedProgram &) = delete;

  const Graph &getGraph() const { return folding.graph; }
  Colors computeColors() const { return findColors(topology, findRepetition(topology), groups); }

  const Folding &folding;
  Topology topology;
  LiveTimes liveTimes;
  IdVector<DimId, uint8_t> steppedDims;
  /// What is decided together: groups, or, if nothing was folded, each argument alone. With the cells of the whole
  /// program, and with those of this one.
  ArgumentGroups wholeGroups, groups;
};

class Analysis {
public:
  /// The graph is referred to.
  explicit Analysis(const Graph &graph);
  Analysis(const Analysis &) = delete;
  Analysis &operator=(const Analysis &) = delete;

  const Graph &getGraph() const { return topology.getGraph(); }
  const Topology &getTopology() const { return topology; }
  const Repetition &getRepetition() const { return repetition; }
  const ArgumentGroups &getGroups() const { return groups; }
  const Colors &getColors() const;
  /// What repeats, folded with two layers at each end (FoldMargin::Two), so that prices are exact.
  const Folding &getFolding() const;

  const FoldedProgram &getFolded() const;
  /// The program as it is.
  const FoldedProgram &getUnfolded() const;

private:
  Topology topology;
  Repetition repetition;
  ArgumentGroups groups;
  mutable std::optional<Colors> colors;
  mutable std::optional<Folding> folding, plain;
  mutable std::optional<FoldedProgram> folded, unfolded;
};

} // namespace partita::analysis

#endif
