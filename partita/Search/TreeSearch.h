//===- TreeSearch.h - Monte Carlo tree search, made deterministic ---------===//
//
// The space has one agent and no chance, so a node is worth the best reward
// found below it, not the mean. Each iteration of run():
//
//   select     descends from the root. A node that may widen (progressive
//              widening: it has fewer than width(n) edges) ends the descent;
//              any other passes on to its edge of highest
//                Q(child) + c * prior * sqrt(n) / (1 + n(edge))
//              with Q scaled to the rewards seen so far
//   expand     adds the next move of that node as an edge
//   evaluate   asks for the states of a batch of paths, and from each for a hill
//              hillClimb over the moves that did best so far, in parallel
//   back up    in the order of selection: the new node, visits, best rewards, and
//              for each move of a list the reward of the list (RAVE, also AMAF)
//
// The paths of a batch are selected before any of them is evaluated. Each counts
// as a visit at once (virtual loss), so that they spread over the tree. Batches
// have a fixed size and are backed up in order, so the tree does not depend on
// the number of threads.
//
// A node widens in turn by what the space proposes for the goal that its state
// misses (Walker::propose) and by the move of the highest RAVE mean, which begins
// with the reward of the move alone. Both go on to all moves: they order and
// widen, they never prune.
//
// The model is the evaluator, the selection rule is SelectionRule; both are
// arguments. The tree is flat arrays (Tree.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TREESEARCH_H
#define PARTITA_SEARCH_TREESEARCH_H

#include "partita/Search/Rooms.h"
#include "partita/Search/StateEvaluator.h"
#include "partita/Search/Tree.h"

namespace partita::search {

/// RAVE: the rewards of all lists that had a move, wherever in the list.
struct RaveStatistics {
  /// Reward of the move alone.
  double alone = 0;
  double total = 0;
  uint32_t count = 0;

  /// Mean over the lists, with the move alone as the first of them.
  double getMean() const { return (total + alone) / (count + 1); }
};

/// When a node widens, and which of its edges is followed otherwise.
struct SelectionRule {
  double exploration = 0.6;
  /// Progressive widening: a node of n visits has at most factor * (n + 1)^power edges.
  double wideningFactor = 2, wideningPower = 0.5;

  uint32_t computeWidth(uint32_t visits) const;
  /// Of an edge; `value` is the child's best reward scaled to those seen, 0 to 1. Visits include pending ones.
  double computePriority(double value, double prior, uint32_t nodeVisits, uint32_t edgeVisits) const;
};

struct TreeSearchOptions {
  SelectionRule rule;
  /// Paths selected before they are evaluated together: a part of the algorithm, whatever the number of threads.
  uint32_t batchSize = 16;
  /// Moves that a hill hillClimb tries.
  uint32_t climbLength = 8;
  uint32_t maxDepth = 24;
};

class TreeSearch {
public:
  TreeSearch(StateEvaluator &evaluator, TreeSearchOptions options = {});

  /// Iterates until the evaluator's budget is spent or many batches in a row find no new state. May be called again:
  /// the tree goes on growing.
  void run();
  /// Adds a list that was evaluated elsewhere, a seed say, to the RAVE statistics.
  void learn(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated);
  /// Makes a list that was evaluated elsewhere a path of the tree. Its prefixes are evaluated.
  void insertPath(const Found &found);

private:
  /// From the root to a node; the moves on the way. The last edge may lead to no node yet.
  struct Path {
    std::vector<TreeNodeId> nodes;
    std::vector<EdgeId> edges;
    Moves moves;
    /// The move to widen the last node by; invalid if the path ends there.
    MoveId widening;
  };

  /// Descends from the root and counts a visit and a pending visit at each node. The path ends at a node that may widen
  /// and has a move left to, at the depth limit, where no edge can be followed, or where an edge would close a cycle.
  Path select();
  /// Adds the edge that `path` is to widen its last node by, if there is one, and appends it to the path.
  void expand(Path &path);
  /// One answer for each path: the state that it leads to, and the best of the hill hillClimb from there.
  std::vector<HillClimbed> evaluate(llvm::ArrayRef<Path> paths);
  /// Takes the path's pending visits back. If its state could be evaluated, makes it a node, raises the best rewards on
  /// the way and adds the lists to the RAVE statistics.
  void backUp(const Path &path, const HillClimbed &answer);

  bool startRoot();
  MoveId findWidening(TreeNodeId node, const Moves &moves);
  EdgeId findBestEdge(TreeNodeId node) const;
  void removePending(const Path &path);
  void addReward(llvm::ArrayRef<MoveId> moves, double reward);
  std::vector<MoveId> rankByRave() const;
  /// Where the reward lies between the least and the most that were seen.
  double scale(double reward) const;

  StateEvaluator &evaluator;
  const Space &space;
  TreeSearchOptions options;
  Tree tree;
  TreeNodeId root;
  std::vector<RaveStatistics> statistics;
  /// All moves, the highest RAVE mean first; ranked anew before each batch.
  std::vector<MoveId> ranked;
  double least = 1, most = 0;
};

} // namespace partita::search

#endif
