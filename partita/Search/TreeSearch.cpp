//===- TreeSearch.cpp - Monte Carlo tree search, made deterministic -------===//

#include "partita/Search/TreeSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita {

uint32_t SelectionRule::getWidth(uint32_t visits) const {
  return static_cast<uint32_t>(std::ceil(widenFactor * std::pow(double(visits + 1), widenPower)));
}

double SelectionRule::getPriority(double scaled, double prior, uint32_t nodeVisits, uint32_t edgeVisits) const {
  return scaled + exploration * prior * std::sqrt(double(nodeVisits)) / (1.0 + edgeVisits);
}

TreeSearch::TreeSearch(Oracle &oracle, TreeSearchOptions options)
    : oracle(oracle), space(oracle.getSpace()), options(options),
      statistics(space.getNumMoves() + space.getNumDeviations()) {
  this->options.maxDepth = std::min<uint32_t>(options.maxDepth, maxMoves);
}

double TreeSearch::scale(double reward) const {
  return most > least ? std::clamp((reward - least) / (most - least), 0.0, 1.0) : 0.5;
}

void TreeSearch::note(llvm::ArrayRef<MoveId> moves, double reward) {
  least = std::min(least, reward);
  most = std::max(most, reward);
  for (MoveId move : moves) {
    statistics[move.get()].total += reward;
    ++statistics[move.get()].count;
  }
}

std::vector<MoveId> TreeSearch::rankMoves() const {
  std::vector<MoveId> list;
  for (MoveId move : idRange<MoveId>(statistics.size()))
    list.push_back(move);
  llvm::sort(list, [&](MoveId a, MoveId b) {
    return std::pair(-statistics[a.get()].getMean(), a) < std::pair(-statistics[b.get()].getMean(), b);
  });
  return list;
}

/// Evaluates the empty list and every move alone.
bool TreeSearch::startRoot() {
  std::vector<Moves> lists{Moves()};
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    lists.push_back(Moves{move});
  std::vector<Evaluated> answers = oracle.evaluate(lists);
  if (answers.front().rating == Rating::worst())
    return false;
  double reward = space.getReward(answers.front().rating);
  root = tree.findOrAdd(answers.front().state, answers.front().rating, reward);
  note({}, reward);
  for (size_t i = 1; i < lists.size(); ++i) {
    bool isReached = answers[i].rating != Rating::worst();
    statistics[i - 1].alone = isReached ? space.getReward(answers[i].rating) : 0;
    if (isReached)
      note({}, statistics[i - 1].alone);
  }
  return true;
}

void TreeSearch::learn(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated) {
  if (evaluated.rating != Rating::worst())
    note(moves, space.getReward(evaluated.rating));
}

void TreeSearch::plant(const Found &found) {
  if (!root.isValid() && !startRoot())
    return;
  std::vector<Moves> prefixes;
  for (size_t size = 1; size <= std::min<size_t>(found.moves.size(), options.maxDepth); ++size)
    prefixes.emplace_back(found.moves.begin(), found.moves.begin() + size);
  std::vector<Evaluated> answers = oracle.evaluate(prefixes);
  double reward = space.getReward(found.evaluated.rating);
  TreeNodeId node = root;
  for (size_t i = 0; i < prefixes.size() && answers[i].rating != Rating::worst(); ++i) {
    tree.nodes[node].best = std::max(tree.nodes[node].best, reward);
    EdgeId edge = tree.findEdge(node, prefixes[i].back());
    if (!edge.isValid())
      edge = tree.addEdge(node, prefixes[i].back(), 1);
    double own = space.getReward(answers[i].rating);
    tree.edges[edge].child = tree.findOrAdd(answers[i].state, answers[i].rating, own);
    node = tree.edges[edge].child;
    tree.nodes[node].best = std::max({tree.nodes[node].best, own, i + 1 == found.moves.size() ? reward : own});
  }
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

EdgeId TreeSearch::addNext(TreeNodeId node, const Moves &moves, llvm::ArrayRef<MoveId> list) {
  for (MoveId move : list)
    if (!llvm::is_contained(moves, move) && !tree.findEdge(node, move).isValid())
      return tree.addEdge(node, move, scale(statistics[move.get()].getMean()));
  return EdgeId();
}

/// What is proposed for the node's goal and what has done well anywhere, in turn.
EdgeId TreeSearch::widen(TreeNodeId node, const Moves &moves) {
  if (!tree.nodes[node].isProposed) {
    std::vector<MoveId> proposed = oracle.propose(moves);
    TreeNode &at = tree.nodes[node];
    at.isProposed = true;
    at.firstProposal = static_cast<uint32_t>(tree.proposals.size());
    at.numProposals = static_cast<uint32_t>(proposed.size());
    llvm::append_range(tree.proposals, proposed);
  }
  const TreeNode &at = tree.nodes[node];
  if (at.numEdges % 2 == 0) {
    llvm::ArrayRef<MoveId> proposed = llvm::ArrayRef(tree.proposals).slice(at.firstProposal, at.numProposals);
    if (EdgeId edge = addNext(node, moves, proposed); edge.isValid())
      return edge;
  }
  return addNext(node, moves, ranked);
}

EdgeId TreeSearch::chooseEdge(TreeNodeId node, const Moves &moves) {
  const TreeNode &at = tree.nodes[node];
  if (at.numEdges < options.rule.getWidth(at.visits))
    if (EdgeId edge = widen(node, moves); edge.isValid())
      return edge;
  EdgeId chosen;
  double highest = -1;
  for (EdgeId id = tree.nodes[node].firstEdge; id.isValid(); id = tree.edges[id].next) {
    const Edge &edge = tree.edges[id];
    if (!edge.child.isValid() || edge.child == node)
      continue;
    const TreeNode &child = tree.nodes[edge.child];
    double priority = options.rule.getPriority(scale(child.best), edge.prior, at.visits, edge.visits + child.pending);
    if (priority > highest) {
      highest = priority;
      chosen = id;
    }
  }
  return chosen;
}

/// Whether there is something to evaluate.
bool TreeSearch::select(Selection &selection) {
  TreeNodeId node = root;
  while (true) {
    selection.nodes.push_back(node);
    ++tree.nodes[node].visits;
    ++tree.nodes[node].pending;
    EdgeId edge = selection.moves.size() < options.maxDepth ? chooseEdge(node, selection.moves) : EdgeId();
    if (!edge.isValid())
      return !selection.moves.empty();
    ++tree.edges[edge].visits;
    selection.edges.push_back(edge);
    selection.moves.push_back(tree.edges[edge].move);
    TreeNodeId child = tree.edges[edge].child;
    if (!child.isValid())
      return true;
    if (llvm::is_contained(selection.nodes, child))
      return true;
    node = child;
  }
}

std::vector<MoveId> TreeSearch::suggest(const Moves &moves) const {
  std::vector<MoveId> list;
  // Another window of the ranking for each list, so that climbs from neighbours differ.
  size_t skip = hashMoves(moves) % (options.climbLength + 1);
  for (MoveId move : ranked) {
    if (list.size() == options.climbLength)
      break;
    if (llvm::is_contained(moves, move))
      continue;
    if (skip > 0)
      --skip;
    else
      list.push_back(move);
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Back up
//===----------------------------------------------------------------------===//

void TreeSearch::backUp(const Selection &selection, const Climbed &climbed) {
  for (TreeNodeId node : selection.nodes)
    --tree.nodes[node].pending;
  if (climbed.start.rating == Rating::worst())
    return;
  double own = space.getReward(climbed.start.rating);
  double reward = std::max(own, space.getReward(climbed.best.evaluated.rating));
  note(selection.moves, own);
  if (climbed.best.moves.size() > selection.moves.size())
    note(climbed.best.moves, reward);
  if (!selection.edges.empty()) {
    Edge &edge = tree.edges[selection.edges.back()];
    edge.child = tree.findOrAdd(climbed.start.state, climbed.start.rating, own);
    TreeNode &leaf = tree.nodes[edge.child];
    leaf.best = std::max(leaf.best, reward);
  }
  for (TreeNodeId node : selection.nodes)
    tree.nodes[node].best = std::max(tree.nodes[node].best, reward);
}

void TreeSearch::run() {
  if (!root.isValid() && !startRoot())
    return;
  uint32_t numIdle = 0;
  while (!oracle.isOver() && numIdle < 64) {
    ranked = rankMoves();
    std::vector<Selection> selections;
    std::vector<Climb> climbs;
    for (uint32_t i = 0; i < options.batchSize; ++i) {
      Selection selection;
      if (!select(selection)) {
        for (TreeNodeId node : selection.nodes)
          --tree.nodes[node].pending;
        continue;
      }
      climbs.push_back({selection.moves, suggest(selection.moves)});
      selections.push_back(std::move(selection));
    }
    int64_t before = oracle.getNumEvaluations();
    std::vector<Climbed> answers = oracle.climb(climbs);
    for (size_t i = 0; i < answers.size(); ++i)
      backUp(selections[i], answers[i]);
    numIdle = oracle.getNumEvaluations() == before ? numIdle + 1 : 0;
  }
}

} // namespace partita
