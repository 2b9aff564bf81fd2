//===- TreeSearch.cpp - deterministic Monte Carlo tree search -------------===//

#include "partita/Search/TreeSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita::search {

uint32_t SelectionRule::computeWidth(uint32_t visits) const {
  return static_cast<uint32_t>(std::ceil(wideningFactor * std::pow(double(visits + 1), wideningPower)));
}

double SelectionRule::computeValue(double reward, double best) const {
  return std::exp(std::min(0.0, reward - best) / temperature);
}

double SelectionRule::computePriority(double value, double prior, uint32_t nodeVisits, uint32_t edgeVisits) const {
  return value + exploration * prior * std::sqrt(double(nodeVisits)) / (1.0 + edgeVisits);
}

TreeSearch::TreeSearch(StateEvaluator &evaluator, TreeSearchOptions options)
    : evaluator(evaluator), space(evaluator.getSpace()), options(options),
      statistics(space.getNumMoves() + space.getNumLocalMoves()) {
  this->options.maxDepth = std::min<uint32_t>(options.maxDepth, maxMoves);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The paths of a program of few plans mostly end in known states, and would go on doing so until the last of them is
/// found. So there are so many in advance, and one for each state that is new.
void TreeSearch::run() {
  constexpr int64_t batchesInAdvance = 64, pathsOfAState = 1;
  if (!root.isValid() && !startRoot())
    return;
  const int64_t first = evaluator.getNumEvaluations();
  auto mayGoOn = [&](int64_t numPaths) {
    int64_t numNew = evaluator.getNumEvaluations() - first;
    return !evaluator.isOver() && numPaths < batchesInAdvance * options.batchSize + pathsOfAState * numNew;
  };
  for (int64_t numPaths = 0; mayGoOn(numPaths); numPaths += options.batchSize) {
    ranked = rankByRave();
    std::vector<Path> paths;
    for (uint32_t i = 0; i < options.batchSize; ++i) {
      Path path = select();
      expand(path);
      // The root has no edge to follow and no move left.
      if (path.moves.empty())
        removePending(path);
      else
        paths.push_back(std::move(path));
    }
    std::vector<HillClimbed> answers = evaluate(paths);
    for (size_t i = 0; i < answers.size(); ++i)
      backUp(paths[i], answers[i]);
  }
}

TreeSearch::Path TreeSearch::select() {
  Path path;
  for (TreeNodeId node = root;;) {
    path.nodes.push_back(node);
    ++tree.nodes[node].visits;
    ++tree.nodes[node].pendingVisits;
    if (path.moves.size() >= options.maxDepth)
      return path;
    if (tree.nodes[node].numEdges < options.rule.computeWidth(tree.nodes[node].visits))
      path.widening = findWidening(node, path.moves);
    if (path.widening.move.isValid())
      return path;
    EdgeId edge = findBestEdge(node);
    if (!edge.isValid())
      return path;
    ++tree.edges[edge].visits;
    path.edges.push_back(edge);
    path.moves.push_back(tree.edges[edge].move);
    node = tree.edges[edge].child;
    if (llvm::is_contained(path.nodes, node))
      return path;
  }
}

void TreeSearch::expand(Path &path) {
  if (!path.widening.move.isValid())
    return;
  EdgeId edge = tree.addEdge(path.nodes.back(), path.widening.move, path.widening.prior);
  ++tree.edges[edge].visits;
  path.edges.push_back(edge);
  path.moves.push_back(path.widening.move);
}

std::vector<MoveId> TreeSearch::suggest(const Moves &moves) const {
  std::vector<MoveId> suggestions;
  // Use another window of the ranking for each list, so that climbs from neighbors differ.
  size_t skip = hashMoves(moves) % (options.climbLength + 1);
  for (MoveId move : ranked) {
    if (suggestions.size() == options.climbLength)
      break;
    if (llvm::is_contained(moves, move))
      continue;
    if (skip > 0)
      --skip;
    else
      suggestions.push_back(move);
  }
  return suggestions;
}

Moves TreeSearch::completeByBest(const Moves &moves) const {
  Moves list = moves;
  for (MoveId move : evaluator.getBest()->moves)
    if (list.size() < maxMoves && !llvm::is_contained(list, move))
      list.push_back(move);
  return list;
}

std::vector<HillClimbed> TreeSearch::evaluate(llvm::ArrayRef<Path> paths) {
  std::vector<HillClimb> climbs;
  for (const Path &path : paths)
    for (const Moves &start : {path.moves, completeByBest(path.moves)})
      climbs.push_back({start, suggest(start)});
  std::vector<HillClimbed> answers = evaluator.hillClimb(climbs), results;
  for (size_t i = 0; i < paths.size(); ++i) {
    results.push_back(answers[2 * i]);
    const HillClimbed &completed = answers[2 * i + 1];
    if (completed.start.rating != Rating::worst() &&
        completed.best.evaluated.rating < results.back().best.evaluated.rating)
      results.back().best = completed.best;
  }
  return results;
}

void TreeSearch::backUp(const Path &path, const HillClimbed &answer) {
  removePending(path);
  if (answer.start.rating == Rating::worst())
    return;
  double own = space.getReward(answer.start.rating);
  double reward = std::max(own, space.getReward(answer.best.evaluated.rating));
  addReward(path.moves, own);
  if (answer.best.moves.size() > path.moves.size())
    addReward(answer.best.moves, reward);
  TreeNodeId leaf = tree.findOrAdd(answer.start.state, answer.start.rating, own);
  tree.edges[path.edges.back()].child = leaf;
  tree.nodes[leaf].best = std::max(tree.nodes[leaf].best, reward);
  for (TreeNodeId node : path.nodes)
    tree.nodes[node].best = std::max(tree.nodes[node].best, reward);
}

//===----------------------------------------------------------------------===//
// The terms of the selection rule
//===----------------------------------------------------------------------===//

/// Alternates between the moves that the space proposes at the node and those with the highest RAVE mean. Takes the
/// first one that is neither in `moves` nor an edge of the node. The later in its order, the smaller the prior.
TreeSearch::Widening TreeSearch::findWidening(TreeNodeId node, const Moves &moves) {
  constexpr double half = 8;
  if (!tree.nodes[node].isProposed) {
    std::vector<MoveId> proposed = evaluator.propose(moves);
    TreeNode &at = tree.nodes[node];
    at.isProposed = true;
    at.firstProposal = static_cast<uint32_t>(tree.proposals.size());
    at.numProposals = static_cast<uint32_t>(proposed.size());
    llvm::append_range(tree.proposals, proposed);
  }
  auto isNew = [&](MoveId move) { return !llvm::is_contained(moves, move) && !tree.findEdge(node, move).isValid(); };
  auto findIn = [&](llvm::ArrayRef<MoveId> order) {
    for (auto [rank, move] : llvm::enumerate(order))
      if (isNew(move))
        return Widening{move, half / (half + double(rank))};
    return Widening();
  };
  const TreeNode &at = tree.nodes[node];
  Widening found;
  if (at.numEdges % 2 == 0)
    found = findIn(llvm::ArrayRef(tree.proposals).slice(at.firstProposal, at.numProposals));
  return found.move.isValid() ? found : findIn(ranked);
}

/// The edge of the highest priority, the first of equals. Skips edges without an evaluated child and those that do not
/// change the state.
EdgeId TreeSearch::findBestEdge(TreeNodeId node) const {
  EdgeId best;
  double highest = -1;
  for (EdgeId id = tree.nodes[node].firstEdge; id.isValid(); id = tree.edges[id].next) {
    const Edge &edge = tree.edges[id];
    if (!edge.child.isValid() || edge.child == node)
      continue;
    const TreeNode &child = tree.nodes[edge.child];
    double priority = options.rule.computePriority(options.rule.computeValue(child.best, most), edge.prior,
                                                   tree.nodes[node].visits, edge.visits + child.pendingVisits);
    if (priority > highest) {
      highest = priority;
      best = id;
    }
  }
  return best;
}

void TreeSearch::removePending(const Path &path) {
  for (TreeNodeId node : path.nodes)
    --tree.nodes[node].pendingVisits;
}

void TreeSearch::addReward(llvm::ArrayRef<MoveId> moves, double reward) {
  most = std::max(most, reward);
  for (MoveId move : moves) {
    statistics[move.get()].total += reward;
    ++statistics[move.get()].count;
  }
}

std::vector<MoveId> TreeSearch::rankByRave() const {
  std::vector<MoveId> list;
  for (MoveId move : idRange<MoveId>(statistics.size()))
    list.push_back(move);
  llvm::sort(list, [&](MoveId a, MoveId b) {
    return std::pair(-statistics[a.get()].getMean(), a) < std::pair(-statistics[b.get()].getMean(), b);
  });
  return list;
}

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// Evaluates the empty list, which is the root, and every move alone. Returns false if the budget does not allow the
/// first.
bool TreeSearch::startRoot() {
  std::vector<Moves> lists{Moves()};
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    lists.push_back(Moves{move});
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  if (answers.front().rating == Rating::worst())
    return false;
  double reward = space.getReward(answers.front().rating);
  root = tree.findOrAdd(answers.front().state, answers.front().rating, reward);
  addReward({}, reward);
  for (size_t i = 1; i < lists.size(); ++i) {
    if (answers[i].rating == Rating::worst())
      continue;
    statistics[i - 1].alone = space.getReward(answers[i].rating);
    addReward({}, statistics[i - 1].alone);
  }
  return true;
}

void TreeSearch::learn(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated) {
  if (evaluated.rating != Rating::worst())
    addReward(moves, space.getReward(evaluated.rating));
}

void TreeSearch::insertPath(const Found &found) {
  if (!root.isValid() && !startRoot())
    return;
  std::vector<Moves> prefixes;
  for (size_t size = 1; size <= std::min<size_t>(found.moves.size(), options.maxDepth); ++size)
    prefixes.emplace_back(found.moves.begin(), found.moves.begin() + size);
  std::vector<Evaluated> answers = evaluator.evaluate(prefixes);
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

} // namespace partita::search
