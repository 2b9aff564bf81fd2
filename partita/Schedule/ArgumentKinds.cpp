//===- ArgumentKinds.cpp - tells parameters, state and inputs apart -------===//

#include "partita/Schedule/ArgumentKinds.h"

#include "partita/Graph/BorderForms.h"
#include "partita/Graph/ElementTypes.h"
#include "partita/Schedule/BatchClasses.h"
#include "partita/Schedule/RandomKeys.h"

namespace partita::schedule {

llvm::StringRef getWord(GroupKind kind) {
  static constexpr llvm::StringRef words[] = {"input", "parameter", "optimizer_state", "state", "counter", "inner"};
  return words[static_cast<unsigned>(kind)];
}

namespace {

class KindFinder {
public:
  KindFinder(const Topology &topology, llvm::function_ref<bool(CellId)> isRepeated)
      : topology(topology), graph(topology.getGraph()), borderForms(graph), isRepeated(isRepeated),
        tiedResults(graph.cells.size()) {
    found.kinds.resize(graph.cells.size(), GroupKind::Inner);
    found.parameters.resize(graph.cells.size());
    for (const Tie &tie : graph.ties)
      tiedResults[tie.argument] = tie.result;
  }

  ArgumentKinds run();

private:
  bool isUsedForward(CellId cell) const;
  bool isComputedForward(CellId result) const;
  UseId findConsumer(CellId cell) const;
  bool isWeight(CellId cell) const;
  bool isTable(CellId cell) const;
  bool isPassedThrough(CellId argument) const;
  GroupKind findTiedKind(CellId cell) const;
  GroupKind findUntiedKind(CellId cell, const BatchClasses &batch, bool isTrained) const;
  CellId findParameter(CellId state) const;

  const Topology &topology;
  const Graph &graph;
  BorderForms borderForms;
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

/// The use, perhaps behind moves and casts, by a contraction or a lookup; invalid if there is none.
UseId KindFinder::findConsumer(CellId cell) const {
  for (int steps = 0; steps < 8; ++steps) {
    CellId next;
    for (UseId use : topology.getUses(cell)) {
      OpId user = topology.getUser(use);
      const Op &op = graph.ops[user];
      if (op.opClass == OpClass::Contraction || op.opClass == OpClass::Indexing)
        return use;
      bool isPassedOn = op.numUses == 1 && op.role != IdentityRole::Result;
      if (isPassedOn && op.numDefinitions == 1 && !next.isValid())
        next = graph.getResults(user).front();
    }
    if (!next.isValid())
      return UseId();
    cell = next;
  }
  return UseId();
}

/// Whether the cell is the right-hand side of a contraction or the table of a lookup.
bool KindFinder::isWeight(CellId cell) const {
  UseId use = findConsumer(cell);
  if (!use.isValid())
    return false;
  const Op &op = graph.ops[topology.getUser(use)];
  return use.get() - op.firstUse == (op.opClass == OpClass::Contraction ? 1 : 0);
}

bool KindFinder::isTable(CellId cell) const {
  UseId use = findConsumer(cell);
  return use.isValid() && graph.ops[topology.getUser(use)].kind == OpKind::Gather &&
         use.get() == graph.ops[topology.getUser(use)].firstUse;
}

/// Whether the result is the argument itself.
bool KindFinder::isPassedThrough(CellId argument) const {
  CellId result = tiedResults[argument];
  OpId identity = result.isValid() ? topology.getDefinition(result) : OpId();
  return identity.isValid() && llvm::is_contained(graph.getOperands(identity), argument);
}

GroupKind KindFinder::findTiedKind(CellId cell) const {
  if (!isFloat(graph, cell) && (graph.cells[cell].rank <= 1 || isKey(graph, cell)))
    return GroupKind::Counter;
  if (isComputedForward(tiedResults[cell]))
    return GroupKind::State;
  return isUsedForward(cell) ? GroupKind::Parameter : GroupKind::OptimizerState;
}

/// A weight has no dim of the batch, and is of floats or quantized. Where the batch is not known, weights repeat layer
/// by layer, are multiplied or looked up in, unless the program has other parameters.
GroupKind KindFinder::findUntiedKind(CellId cell, const BatchClasses &batch, bool isTrained) const {
  if (isKey(graph, cell) && graph.cells[cell].rank == 1)
    return GroupKind::Counter;
  if (graph.cells[cell].rank == 0 || topology.getUses(cell).empty())
    return GroupKind::Input;
  bool isQuantized = !isFloat(graph, cell) && graph.cells[cell].elementBits > 1 && graph.cells[cell].elementBits < 32;
  if (batch.isKnown()) {
    bool isWeightLike = !batch.hasBatch(cell) || (isFloat(graph, cell) && isTable(cell));
    return (isFloat(graph, cell) || isQuantized) && isWeightLike ? GroupKind::Parameter : GroupKind::Input;
  }
  bool isWeightLike = isWeight(cell) || (isRepeated && isRepeated(cell));
  return isFloat(graph, cell) && !isTrained && isWeightLike ? GroupKind::Parameter : GroupKind::Input;
}

/// Follows the state through elementwise ops of the update to the result of a parameter.
CellId KindFinder::findParameter(CellId state) const {
  constexpr size_t maxOps = 64;
  std::vector<CellId> pending{state};
  llvm::SmallVector<OpId, 32> seen;
  for (size_t i = 0; i < pending.size() && seen.size() < maxOps; ++i) {
    llvm::SmallVector<OpId> users(borderForms.getOrders(pending[i]));
    for (UseId use : topology.getUses(pending[i]))
      users.push_back(topology.getUser(use));
    for (OpId user : users) {
      const Op &op = graph.ops[user];
      bool isForm = borderForms.getSource(user) == pending[i];
      bool isElementwise = op.opClass == OpClass::Elementwise || op.opClass == OpClass::Identity || isForm;
      if (!isElementwise || op.phase == Phase::Forward || op.numDefinitions != 1 || llvm::is_contained(seen, user))
        continue;
      CellId result = graph.getResults(user).front();
      bool keepsShape = isForm || graph.getShape(result) == graph.getShape(pending[i]);
      if (!keepsShape)
        continue;
      CellId argument = topology.getRepresentative(result);
      if (argument != result && found.kinds[argument] == GroupKind::Parameter)
        return argument;
      seen.push_back(user);
      if (graph.cells[result].kind == CellKind::OpResult)
        pending.push_back(result);
    }
  }
  return CellId();
}

ArgumentKinds KindFinder::run() {
  bool isTrained = false;
  std::vector<CellId> others;
  for (CellId cell : graph.arguments)
    if (!tiedResults[cell].isValid() || (isPassedThrough(cell) && isUsedForward(cell))) {
      others.push_back(cell);
    } else {
      found.kinds[cell] = findTiedKind(cell);
      isTrained |= found.kinds[cell] == GroupKind::Parameter;
    }
  std::vector<CellId> fed = others;
  llvm::copy_if(graph.arguments, std::back_inserter(fed),
                [&](CellId cell) { return found.kinds[cell] == GroupKind::State; });
  BatchClasses batch(graph, found.kinds, fed);
  for (CellId cell : others)
    found.kinds[cell] = findUntiedKind(cell, batch, isTrained);
  for (CellId cell : graph.arguments)
    if (found.kinds[cell] == GroupKind::OptimizerState)
      found.parameters[cell] = findParameter(cell);
  return std::move(found);
}

ArgumentKinds findArgumentKinds(const Topology &topology, llvm::function_ref<bool(CellId)> isRepeated) {
  return KindFinder(topology, isRepeated).run();
}

} // namespace partita::schedule
