//===- TreeSearch.h - Monte Carlo tree search, made deterministic ---------===//
//
// The space has one agent and no chance, so a node is worth the best of what was
// found below it. Rounds of select, evaluate, back up:
//
//   select     from the root, at each node either its next proposed move, while
//              the node has fewer than widen(n) edges, or the edge of highest
//                Q(child) + c * prior * sqrt(n) / (1 + n(edge))
//              with Q scaled to the rewards seen; the rule is an argument
//   evaluate   the states that a batch of selections reached, and from each a
//              climb over the moves that have done best so far: in parallel
//   back up    in the order of selection: visits, best rewards, and for each
//              move of a list the rewards of lists that had it (RAVE)
//
// A node is widened, in turn, by what the space proposes for the goal that its
// state misses (Walker::propose) and by the move of the highest RAVE mean, which
// begins with what the move did alone at the root. Both go on to all moves: they
// order and widen, they never prune. Lists that were found before the tree are
// planted in it, so that it grows from the best of them too.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TREESEARCH_H
#define PARTITA_SEARCH_TREESEARCH_H

#include "partita/Search/Oracle.h"
#include "partita/Search/Tree.h"

namespace partita {

/// What is known of a move over all lists that had it.
struct MoveStatistics {
  /// Reward of the move alone.
  double alone = 0;
  double total = 0;
  uint32_t count = 0;

  /// Mean of the lists that had it, with the move alone as the first of them.
  double getMean() const { return (total + alone) / (count + 1); }
};

/// How an edge is chosen among a node's.
struct SelectionRule {
  double exploration = 0.6;
  double widenFactor = 2, widenPower = 0.5;

  uint32_t getWidth(uint32_t visits) const;
  /// Of an edge; `scaled` is the child's best reward scaled to what was seen, 0 to 1.
  double getPriority(double scaled, double prior, uint32_t nodeVisits, uint32_t edgeVisits) const;
};

struct TreeSearchOptions {
  SelectionRule rule;
  /// Selections before their answers are waited for: a part of the algorithm, whatever the number of threads.
  uint32_t batchSize = 16;
  /// Moves that a climb tries.
  uint32_t climbLength = 8;
  uint32_t maxDepth = 24;
};

class TreeSearch {
public:
  TreeSearch(Oracle &oracle, TreeSearchOptions options = {});

  /// Rounds until the oracle is over or the tree is exhausted.
  void run();
  /// Lets the statistics know a list that was evaluated elsewhere: a seed, say.
  void learn(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated);
  /// Makes a list that was evaluated elsewhere a path of the tree. What lies on the way is evaluated.
  void plant(const Found &found);

  const Tree &getTree() const { return tree; }
  llvm::ArrayRef<MoveStatistics> getStatistics() const { return statistics; }
  /// All moves, the most promising first.
  std::vector<MoveId> rankMoves() const;

private:
  struct Selection {
    std::vector<TreeNodeId> nodes;
    std::vector<EdgeId> edges;
    Moves moves;
  };

  bool startRoot();
  bool select(Selection &selection);
  EdgeId chooseEdge(TreeNodeId node, const Moves &moves);
  EdgeId widen(TreeNodeId node, const Moves &moves);
  /// The next of `list` that is neither in `moves` nor an edge of the node.
  EdgeId addNext(TreeNodeId node, const Moves &moves, llvm::ArrayRef<MoveId> list);
  std::vector<MoveId> suggest(const Moves &moves) const;
  void backUp(const Selection &selection, const Climbed &climbed);
  void note(llvm::ArrayRef<MoveId> moves, double reward);
  double scale(double reward) const;

  Oracle &oracle;
  const Space &space;
  TreeSearchOptions options;
  Tree tree;
  TreeNodeId root;
  std::vector<MoveStatistics> statistics;
  /// Ranked anew before each batch.
  std::vector<MoveId> ranked;
  double least = 1, most = 0;
};

} // namespace partita

#endif
