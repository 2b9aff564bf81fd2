//===- Analysis.h - what is known of a program before it is split ---------===//
//
// One value, built from a graph and then const: which layers repeat, the program
// that they fold into, which arguments form groups, which dims have one color,
// when values are alive. `partita analyze` prints it, and the search works on it.
//
//   graph ─▶ topology ─▶ repetition ─┬▶ groups ─▶ colors
//                                    └▶ folding ─▶ FoldedProgram
//
// Parts that not every run needs are built on first use, which must be in one
// thread.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_ANALYSIS_H
#define PARTITA_ANALYSIS_ANALYSIS_H

#include "partita/Analysis/Colors.h"
#include "partita/Analysis/LiveTimes.h"
#include "partita/Analysis/Rooms.h"

#include <optional>

namespace partita::analysis {

/// The program that the search works on: folded, or unfolded. Its parts refer to each other and to the analysis that
/// built it.
struct FoldedProgram {
  /// `whole` and `groups` belong to the whole program.
  FoldedProgram(const Topology &whole, const ArgumentGroups &groups, const Folding &folding);
  FoldedProgram(const FoldedProgram &) = delete;
  FoldedProgram &operator=(const FoldedProgram &) = delete;

  const Graph &getGraph() const { return folding.graph; }
  Colors computeColors() const { return findColors(topology, findRepetition(topology), groups); }

  const Folding &folding;
  Topology topology;
  LiveTimes liveTimes;
  IdVector<DimId, uint8_t> steppedDims;
  /// The arguments that are decided together: groups, or each argument alone if nothing was folded. `wholeGroups` has
  /// the cells of the whole program, `groups` those of this one.
  ArgumentGroups wholeGroups, groups;
};

class Analysis {
public:
  /// Keeps a reference to the graph.
  explicit Analysis(const Graph &graph);
  Analysis(const Analysis &) = delete;
  Analysis &operator=(const Analysis &) = delete;

  const Graph &getGraph() const { return topology.getGraph(); }
  const Topology &getTopology() const { return topology; }
  const Repetition &getRepetition() const { return repetition; }
  const ArgumentGroups &getGroups() const { return groups; }
  const Colors &getColors() const;
  /// The program folded with two layers at each end (FoldMargin::Two), so that prices are exact.
  const Folding &getFolding() const;

  const FoldedProgram &getFolded() const;
  /// The whole program in the same shape, nothing folded.
  const FoldedProgram &getUnfolded() const;

private:
  Topology topology;
  Repetition repetition;
  ArgumentGroups groups;
  mutable std::optional<Colors> colors;
  mutable std::optional<Folding> folding, plain;
  mutable std::optional<FoldedProgram> folded, unfolded;
};

/// An analysis that is built when it is first needed, which must be in one thread.
class LazyAnalysis {
public:
  /// Keeps a reference to the graph.
  explicit LazyAnalysis(const Graph &graph) : graph(graph) {}

  const Graph &getGraph() const { return graph; }
  const Analysis &get() const {
    if (!value)
      value.emplace(graph);
    return *value;
  }

private:
  const Graph &graph;
  mutable std::optional<Analysis> value;
};

} // namespace partita::analysis

#endif
