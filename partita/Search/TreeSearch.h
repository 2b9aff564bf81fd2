//===- TreeSearch.h - deterministic Monte Carlo tree search ---------------===//
//
// The space has one agent and no randomness, so the value of a node is the best
// reward found below it, not the mean. Each iteration of run():
//
//   select     descends from the root. A node that may widen (progressive
//              widening: it has fewer than width(n) edges) ends the descent;
//              any other passes on to its edge of highest
//                Q(child) + c * prior * sqrt(n) / (1 + n(edge))
//              where Q is 1 for the best state known, and falls by a factor of e for
//              each `temperature` of reward that is missing to it
//   expand     adds the next move of that node as an edge
//   evaluate   evaluates the states of a batch of paths, and from each runs two hill
//              climbs over the moves that did best so far, in parallel: one from the
//              state itself, one from the path completed by the rest of the best
//              list. So a move that costs something shows what it is worth in a
//              plan that is as good as any otherwise
//   back up    in the order of selection: the new node, visits, best rewards, and
//              for each move of a list the reward of the list (RAVE, also AMAF)
//
// The paths of a batch are selected before any of them is evaluated. Each
// counts as a visit at once (virtual loss), so that they spread over the tree.
// Batches have a fixed size and are backed up in order, so the tree does not
// depend on the number of threads.
//
// A node widens alternately by the moves that the space proposes for the goal
// that its state misses (Walker::propose) and by the move of the highest RAVE
// mean, which starts as the reward of the move alone. Both continue to all
// moves: they order moves, they never prune any.
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

#include <cmath>

namespace partita::search {

/// RAVE: the rewards of all lists that contain a move at any position.
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
  /// The reward that a state may miss before its value falls by a factor of e. Rewards are logarithms: a tenth is 10%.
  double temperature = 0.05;
  /// Progressive widening: a node of n visits has at most factor * (n + 1)^power edges.
  double wideningFactor = 2, wideningPower = 0.5;

  uint32_t computeWidth(uint32_t visits) const;
  /// 0 to 1: the value of a reward if `best` is the best known.
  double computeValue(double reward, double best) const;
  /// The priority of an edge. `value` is that of the child's best reward. Visits include pending ones.
  double computePriority(double value, double prior, uint32_t nodeVisits, uint32_t edgeVisits) const;
};

struct TreeSearchOptions {
  SelectionRule rule;
  /// The number of paths that are selected before they are evaluated together. Part of the algorithm: it does not
  /// depend on the number of threads.
  uint32_t batchSize = 16;
  /// The number of moves that a hill climb tries.
  uint32_t climbLength = 8;
  uint32_t maxDepth = 24;
};

class TreeSearch {
public:
  TreeSearch(StateEvaluator &evaluator, TreeSearchOptions options = {});

  /// Iterates until the evaluator's budget is spent or many batches in a row find no new state. May be called again to
  /// continue with the same tree.
  void run();
  /// Adds a list that was evaluated elsewhere, such as a seed, to the RAVE statistics.
  void learn(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated);
  /// Makes a list that was evaluated elsewhere a path of the tree. Its prefixes are evaluated.
  void insertPath(const Found &found);

private:
  /// A move by which to widen a node, and the prior of its edge.
  struct Widening {
    MoveId move;
    double prior = 0;
  };
  /// A path from the root to a node, with its moves. The last edge may have no child yet.
  struct Path {
    std::vector<TreeNodeId> nodes;
    std::vector<EdgeId> edges;
    Moves moves;
    /// The move by which to widen the last node; invalid if the path ends there.
    Widening widening;
  };

  /// Descends from the root and counts a visit and a pending visit at each node. The path ends at a node that may widen
  /// and has a move left to, at the depth limit, where no edge can be followed, or where an edge would close a cycle.
  Path select();
  /// Adds the edge by which `path` widens its last node, if there is one, and appends it to the path.
  void expand(Path &path);
  /// One answer for each path: the state that it leads to, and the best state of the hill climbs from there.
  std::vector<HillClimbed> evaluate(llvm::ArrayRef<Path> paths);
  /// Removes the path's pending visits. If its state could be evaluated, makes it a node, raises the best rewards along
  /// the path and adds the lists to the RAVE statistics.
  void backUp(const Path &path, const HillClimbed &answer);

  bool startRoot();
  Widening findWidening(TreeNodeId node, const Moves &moves);
  EdgeId findBestEdge(TreeNodeId node) const;
  void removePending(const Path &path);
  void addReward(llvm::ArrayRef<MoveId> moves, double reward);
  std::vector<MoveId> rankByRave() const;
  /// The moves that a hill climb from the list tries.
  std::vector<MoveId> suggest(const Moves &moves) const;
  /// The list, and behind it the rest of the best one.
  Moves completeByBest(const Moves &moves) const;

  StateEvaluator &evaluator;
  const Space &space;
  TreeSearchOptions options;
  Tree tree;
  TreeNodeId root;
  std::vector<RaveStatistics> statistics;
  /// All moves, the highest RAVE mean first; ranked again before each batch.
  std::vector<MoveId> ranked;
  /// The best reward seen.
  double most = -HUGE_VAL;
};

} // namespace partita::search

#endif
