//===- Phases.cpp - marks ops as forward, backward or update --------------===//

#include "partita/Program/Phases.h"

#include "partita/Graph/BorderForms.h"
#include "partita/Program/ForwardPass.h"

namespace partita::program {

namespace {

/// A set of ops that grows along the graph.
class OpSet {
public:
  explicit OpSet(const Graph &graph) : graph(graph), members(graph.ops.size(), 0) {}

  bool contains(OpId op) const { return members[op]; }
  bool insert(OpId op) { return !std::exchange(members[op], 1); }

  /// Adds all ops that depend on the cells; stops at the ops of `barrier`.
  void addDescendants(llvm::ArrayRef<CellId> cells, const Neighbors &neighbors, const OpSet &barrier) {
    llvm::SmallVector<CellId> todo(cells);
    while (!todo.empty())
      for (OpId op : neighbors.users[todo.pop_back_val()])
        if (!barrier.contains(op) && insert(op))
          todo.append(graph.getResults(op).begin(), graph.getResults(op).end());
  }

  /// Adds all ops that the cells depend on; stops at the ops of `barrier`.
  void addAncestors(llvm::ArrayRef<CellId> cells, const Neighbors &neighbors, const OpSet &barrier) {
    llvm::SmallVector<CellId> todo(cells);
    while (!todo.empty())
      for (OpId op : neighbors.definers[todo.pop_back_val()])
        if (!barrier.contains(op) && insert(op))
          todo.append(graph.getOperands(op).begin(), graph.getOperands(op).end());
  }

private:
  const Graph &graph;
  IdVector<OpId, char> members;
};

} // namespace

/// Elementwise ops from a tied result back to the op that reads its argument: `w - rate * gradient`. Stops at values
/// that a loop yields, such as a stack of gradients.
static void addOwnUpdate(const Graph &graph, const Neighbors &neighbors, const BorderForms &borderForms, const Tie &tie,
                         const OpSet &forward, OpSet &update) {
  llvm::SmallVector<CellId> todo{tie.result};
  llvm::SmallVector<OpId> chain;
  bool reachesArgument = false;
  auto isFormOfArgument = [&](CellId cell) {
    return llvm::any_of(neighbors.definers[cell], [&](OpId op) { return borderForms.getSource(op) == tie.argument; });
  };
  while (!todo.empty() && chain.size() < 64) {
    CellId cell = todo.pop_back_val();
    for (OpId op : neighbors.definers[cell]) {
      bool isOnChain = graph.ops[op].opClass == OpClass::Identity || graph.ops[op].opClass == OpClass::Elementwise;
      isOnChain &= graph.ops[op].role != IdentityRole::Yield;
      isOnChain |= borderForms.isPart(op);
      if (forward.contains(op) || !isOnChain || llvm::is_contained(chain, op))
        continue;
      chain.push_back(op);
      if (llvm::is_contained(graph.getOperands(op), tie.argument) ||
          llvm::any_of(graph.getOperands(op), isFormOfArgument)) {
        reachesArgument = true;
        todo.clear();
        break;
      }
      todo.append(graph.getOperands(op).begin(), graph.getOperands(op).end());
    }
  }
  if (reachesArgument)
    for (OpId op : chain)
      update.insert(op);
}

/// Elementwise and moving ops that lead to the cells and to nothing but the update: squares, casts.
static void addOwnOperands(const Graph &graph, const Neighbors &neighbors, llvm::SmallVector<CellId> cells,
                           const OpSet &forward, OpSet &update) {
  auto isForUpdate = [&](OpId op) {
    return llvm::all_of(graph.getResults(op), [&](CellId result) {
      return llvm::all_of(neighbors.users[result], [&](OpId user) { return update.contains(user); });
    });
  };
  while (!cells.empty())
    for (OpId op : neighbors.definers[cells.pop_back_val()]) {
      OpClass opClass = graph.ops[op].opClass;
      bool isPassed = opClass == OpClass::Elementwise || opClass == OpClass::Movement;
      if (isPassed && !forward.contains(op) && isForUpdate(op) && update.insert(op))
        cells.append(graph.getOperands(op).begin(), graph.getOperands(op).end());
    }
}

/// Reductions of gradients to one number, and all that depends on them.
static void addNorms(const Graph &graph, const Neighbors &neighbors, const OpSet &forward, OpSet &update) {
  auto isBackward = [&](OpId op) { return !forward.contains(op) && !update.contains(op); };
  OpSet needed(graph);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (isBackward(op) && graph.ops[op].opClass == OpClass::Contraction)
      needed.addAncestors(graph.getOperands(op), neighbors, forward);
  llvm::SmallVector<CellId> norms, taken;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].opClass != OpClass::Reduction || !isBackward(op) || needed.contains(op))
      continue;
    CellId result = graph.getResults(op)[0];
    if (!graph.getShape(result).empty() || graph.getShape(graph.getOperands(op)[0]).empty())
      continue;
    update.insert(op);
    norms.push_back(result);
  }
  if (norms.empty())
    return;
  update.addDescendants(norms, neighbors, forward);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (update.contains(op))
      taken.append(graph.getOperands(op).begin(), graph.getOperands(op).end());
  addOwnOperands(graph, neighbors, std::move(taken), forward, update);
}

void assignPhases(Graph &graph) {
  if (graph.ties.empty())
    return;
  Neighbors neighbors(graph);
  BorderForms borderForms(graph);
  std::optional<IdVector<OpId, uint8_t>> isForward = findForwardPass(graph, neighbors);
  if (!isForward)
    return;
  OpSet forward(graph), update(graph);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if ((*isForward)[op])
      forward.insert(op);
  llvm::SmallVector<CellId> optimizerState;
  for (const Tie &tie : graph.ties)
    if (llvm::none_of(neighbors.users[tie.argument], [&](OpId op) { return forward.contains(op); }))
      optimizerState.push_back(tie.argument);
  update.addDescendants(optimizerState, neighbors, forward);
  for (const Tie &tie : graph.ties)
    addOwnUpdate(graph, neighbors, borderForms, tie, forward, update);
  addNorms(graph, neighbors, forward, update);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    graph.ops[op].phase = forward.contains(op) ? Phase::Forward : update.contains(op) ? Phase::Update : Phase::Backward;
}

} // namespace partita::program
