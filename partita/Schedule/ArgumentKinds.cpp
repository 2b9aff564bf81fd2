//===- ArgumentKinds.cpp - tells parameters, state and inputs apart -------===//

#include "partita/Schedule/ArgumentKinds.h"

namespace partita::schedule {

llvm::StringRef getWord(GroupKind kind) {
  static constexpr llvm::StringRef words[] = {"input", "parameter", "optimizer_state", "state", "inner"};
  return words[static_cast<unsigned>(kind)];
}

namespace {

class KindFinder {
public:
  KindFinder(const Topology &topology, llvm::function_ref<bool(CellId)> isRepeated)
      : topology(topology), graph(topology.getGraph()), isRepeated(isRepeated), tiedResults(graph.cells.size()) {
    found.kinds.resize(graph.cells.size(), GroupKind::Inner);
    found.parameters.resize(graph.cells.size());
    for (const Tie &tie : graph.ties)
      tiedResults[tie.argument] = tie.result;
  }

  ArgumentKinds run();

private:
  bool isUsedForward(CellId cell) const;
  bool isComputedForward(CellId result) const;
  bool isWeight(CellId cell) const;
  GroupKind findKind(CellId cell) const;
  CellId findParameter(CellId state) const;

  const Topology &topology;
  const Graph &graph;
  llvm::function_ref<bool(CellId)> isRepeated;
  IdVector<CellId, CellId> tiedResults;
  ArgumentKinds found;
};

} // namespace

bool KindFinder::isUsedForward(CellId cell) const {
  return llvm::any_of(topology.getUses(cell),
                      [&](UseId use) { return graph.ops[topology.getUser(use)].phase == Phase::Forward; });
}

/// Whether the returned value comes from the forward pass. For a value that a loop leaves, the yielded value counts.
bool KindFinder::isComputedForward(CellId result) const {
  OpId identity = topology.getDefinition(result);
  if (!identity.isValid() || graph.ops[identity].numUses == 0)
    return false;
  CellId returned = graph.getOperands(identity).front();
  OpId definition = topology.getDefinition(returned);
  if (llvm::ArrayRef<OpId> yields = topology.getDefinitions(returned); !yields.empty())
    definition = yields.back();
  return graph.ops[definition.isValid() ? definition : identity].phase == Phase::Forward;
}

/// Whether the cell, perhaps moved or cast, is the right-hand side of a contraction or the table of a lookup.
bool KindFinder::isWeight(CellId cell) const {
  for (int steps = 0; steps < 8; ++steps) {
    CellId next;
    for (UseId use : topology.getUses(cell)) {
      OpId user = topology.getUser(use);
      const Op &op = graph.ops[user];
      if (op.opClass == OpClass::Contraction)
        return use.get() - op.firstUse == 1;
      if (op.opClass == OpClass::Indexing)
        return use.get() == op.firstUse;
      bool isPassedOn = op.numUses == 1 && op.role != IdentityRole::Result;
      if (isPassedOn && op.numDefinitions == 1 && !next.isValid())
        next = graph.getResults(user).front();
    }
    if (!next.isValid())
      return false;
    cell = next;
  }
  return false;
}

static bool isFloat(llvm::StringRef element) { return element.starts_with("f") || element.starts_with("bf"); }

GroupKind KindFinder::findKind(CellId cell) const {
  bool isForward = isUsedForward(cell);
  if (CellId result = tiedResults[cell]; result.isValid()) {
    if (!isForward)
      return GroupKind::OptimizerState;
    return isComputedForward(result) ? GroupKind::State : GroupKind::Parameter;
  }
  return GroupKind::Input;
}

/// Follows the state through elementwise ops of the update to the result of a parameter.
CellId KindFinder::findParameter(CellId state) const {
  constexpr size_t maxOps = 64;
  std::vector<CellId> pending{state};
  llvm::SmallVector<OpId, 32> seen;
  for (size_t i = 0; i < pending.size() && seen.size() < maxOps; ++i)
    for (UseId use : topology.getUses(pending[i])) {
      OpId user = topology.getUser(use);
      const Op &op = graph.ops[user];
      bool isElementwise = op.opClass == OpClass::Elementwise || op.opClass == OpClass::Identity;
      if (!isElementwise || op.phase == Phase::Forward || op.numDefinitions != 1 || llvm::is_contained(seen, user))
        continue;
      CellId result = graph.getResults(user).front();
      if (graph.getShape(result) != graph.getShape(state))
        continue;
      CellId argument = topology.getRepresentative(result);
      if (argument != result && found.kinds[argument] == GroupKind::Parameter)
        return argument;
      seen.push_back(user);
      if (graph.cells[result].kind == CellKind::OpResult)
        pending.push_back(result);
    }
  return CellId();
}

ArgumentKinds KindFinder::run() {
  bool isTrained = false;
  for (CellId cell : graph.arguments) {
    found.kinds[cell] = findKind(cell);
    isTrained |= found.kinds[cell] == GroupKind::Parameter;
  }
  for (CellId cell : graph.arguments) {
    bool isFloating = isFloat(graph.getName(graph.cells[cell].element));
    if (!isTrained && found.kinds[cell] == GroupKind::Input && isFloating &&
        ((isRepeated && isRepeated(cell)) || isWeight(cell)))
      found.kinds[cell] = GroupKind::Parameter;
  }
  for (CellId cell : graph.arguments)
    if (found.kinds[cell] == GroupKind::OptimizerState)
      found.parameters[cell] = findParameter(cell);
  return std::move(found);
}

ArgumentKinds findArgumentKinds(const Topology &topology, llvm::function_ref<bool(CellId)> isRepeated) {
  return KindFinder(topology, isRepeated).run();
}

} // namespace partita::schedule
