//===- Tree.h - the tree of a tree search, as flat arrays -----------------===//
//
// Lists that lead to the same state share a node (transpositions), so the tree
// is a graph, but a selected path never visits a state twice. A node's edges
// are in the order in which they were added; an edge without a child was
// selected but not evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TREE_H
#define PARTITA_SEARCH_TREE_H

#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include <unordered_map>
#include <vector>

namespace partita::search {

using TreeNodeId = Id<struct TreeNodeTag>;
using EdgeId = Id<struct EdgeTag>;

struct TreeNode {
  uint64_t state = 0;
  Rating rating;
  /// The best reward of the state and of all states reached from it.
  double best = 0;
  uint32_t visits = 0;
  /// Selected paths through here that are not backed up yet (virtual loss).
  uint32_t pendingVisits = 0;
  EdgeId firstEdge, lastEdge;
  uint32_t numEdges = 0;
  /// The moves that the space proposes here: a range of Tree::proposals, filled when the node is widened for the first
  /// time.
  uint32_t firstProposal = 0, numProposals = 0;
  bool isProposed = false;
};

struct Edge {
  MoveId move;
  TreeNodeId child;
  EdgeId next;
  /// Weight of exploration, 0 to 1: the RAVE mean of the move when the edge was added, scaled; 1 on inserted paths.
  double prior = 0;
  uint32_t visits = 0;
};

struct Tree {
  IdVector<TreeNodeId, TreeNode> nodes;
  IdVector<EdgeId, Edge> edges;
  std::vector<MoveId> proposals;
  std::unordered_map<uint64_t, TreeNodeId> states;

  EdgeId findEdge(TreeNodeId node, MoveId move) const {
    for (EdgeId edge = nodes[node].firstEdge; edge.isValid(); edge = edges[edge].next)
      if (edges[edge].move == move)
        return edge;
    return EdgeId();
  }

  /// The node of a state; adds it if there is none.
  TreeNodeId findOrAdd(uint64_t state, const Rating &rating, double reward) {
    auto [entry, isNew] = states.try_emplace(state, TreeNodeId(static_cast<uint32_t>(nodes.size())));
    if (isNew) {
      TreeNode node;
      node.state = state;
      node.rating = rating;
      node.best = reward;
      nodes.push_back(node);
    }
    return entry->second;
  }
  EdgeId addEdge(TreeNodeId node, MoveId move, double prior) {
    Edge edge;
    edge.move = move;
    edge.prior = prior;
    EdgeId id = edges.push_back(edge);
    if (nodes[node].lastEdge.isValid())
      edges[nodes[node].lastEdge].next = id;
    else
      nodes[node].firstEdge = id;
    nodes[node].lastEdge = id;
    ++nodes[node].numEdges;
    return id;
  }
};

} // namespace partita::search

#endif
