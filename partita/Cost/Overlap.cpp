//===- Overlap.cpp - which collectives may hide behind compute ------------===//

#include "partita/Cost/Overlap.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

Overlap::Overlap(const Topology &topology, const FusionPlan &fusion)
    : topology(topology), fusion(fusion), graph(topology.getGraph()) {
  findParameters();
  findLate();
  findJoin();
  findBarriers();
  findGatherFences();
}

/// Ops that move or convert one operand (free operands and indices do not count).
static bool passesOn(const Op &op, FusionRole role) {
  if (op.numUses == 0 || op.numDefinitions != 1)
    return false;
  switch (role) {
  case FusionRole::Identity:
    return op.numUses == 1;
  case FusionRole::Slice:
    // The rows that a lookup takes are not known before, so they cannot be gathered ahead.
    return op.kind != OpKind::Gather;
  case FusionRole::Movement:
    return op.numUses == 1;
  case FusionRole::Elementwise:
    return op.numUses == 1 && op.kind == OpKind::Convert;
  case FusionRole::Alone:
  case FusionRole::Update:
  case FusionRole::Reduction:
  case FusionRole::Constant:
    return false;
  }
  return false;
}

void Overlap::findParameters() {
  parameters.resize(graph.cells.size(), 0);
  for (CellId cell : graph.arguments)
    parameters[cell] = 1;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (!passesOn(graph.ops[op], fusion.getRole(op)))
      continue;
    CellId from = graph.getOperands(op)[0], to = graph.getResults(op)[0];
    CellKind kind = graph.cells[to].kind;
    bool isUnchanged = kind == CellKind::Carried && topology.getDefinitions(to).size() == 1;
    if (parameters[from] && (kind == CellKind::OpResult || isUnchanged))
      parameters[to] = 1;
  }
}

/// The op that gives the cell; of what a loop carries, the one that yields it.
OpId Overlap::getLastDefinition(CellId cell) const {
  OpId definition = topology.getDefinition(cell);
  bool hasSeveral = !definition.isValid() && !topology.getDefinitions(cell).empty();
  return hasSeveral ? topology.getDefinitions(cell).back() : definition;
}

bool Overlap::isLateUse(CellId cell, UseId use) const {
  OpId op = topology.getUser(use), definition = getLastDefinition(cell);
  if (definition.isValid() && graph.ops[op].phase != graph.ops[definition].phase)
    return true;
  auto areLate = [&] { return llvm::all_of(graph.getResults(op), [&](CellId result) { return isLate(result); }); };
  switch (fusion.getRole(op)) {
  case FusionRole::Identity:
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Update:
  case FusionRole::Reduction:
    return areLate();
  case FusionRole::Alone:
  case FusionRole::Constant:
    return false;
  }
  return false;
}

/// Computes the greatest fixed point: a value is late until a use shows that it is not.
void Overlap::findLate() {
  late.resize(graph.cells.size(), 1);
  std::vector<CellId> pending;
  auto check = [&](CellId cell) {
    if (!late[cell])
      return;
    // The caller waits for plain results; a tied result, the next state, is needed only by the next step.
    bool isWanted = graph.cells[cell].kind == CellKind::Result && topology.getRepresentative(cell) == cell;
    if (!isWanted && llvm::all_of(topology.getUses(cell), [&](UseId use) { return isLateUse(cell, use); }))
      return;
    late[cell] = 0;
    pending.push_back(cell);
  };
  for (uint32_t number = graph.cells.size(); number-- > 0;)
    check(CellId(number));
  while (!pending.empty()) {
    CellId cell = pending.back();
    pending.pop_back();
    auto checkOperands = [&](OpId op) {
      for (CellId operand : graph.getOperands(op))
        check(operand);
    };
    if (OpId definition = topology.getDefinition(cell); definition.isValid())
      checkOperands(definition);
    for (OpId definition : topology.getDefinitions(cell))
      checkOperands(definition);
  }
}

/// Whether an op of the update takes a late value of an earlier phase.
bool Overlap::isGradient(CellId cell, OpId user) const {
  OpId definition = getLastDefinition(cell);
  return definition.isValid() && isLate(cell) && !fusion.isFree(cell) && graph.ops[definition].phase != Phase::Update &&
         graph.ops[user].phase == Phase::Update;
}

/// The ops on which a tied result depends.
IdVector<OpId, uint8_t> Overlap::findUseful() const {
  IdVector<OpId, uint8_t> useful(graph.ops.size(), 0);
  IdVector<CellId, uint8_t> needed(graph.cells.size(), 0);
  for (uint32_t number = graph.ops.size(); number-- > 0;) {
    OpId op(number);
    auto isNeeded = [&](CellId cell) {
      return needed[cell] || (graph.cells[cell].kind == CellKind::Result && topology.getRepresentative(cell) != cell);
    };
    if (!llvm::any_of(graph.getResults(op), isNeeded))
      continue;
    useful[op] = 1;
    for (CellId operand : graph.getOperands(op))
      needed[operand] = 1;
  }
  return useful;
}

void Overlap::findJoin() {
  std::vector<CellId> gradients;
  IdVector<CellId, uint32_t> numbers(graph.cells.size(), UINT32_MAX);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (CellId cell : graph.getOperands(op))
      if (isGradient(cell, op) && numbers[cell] == UINT32_MAX) {
        numbers[cell] = static_cast<uint32_t>(gradients.size());
        gradients.push_back(cell);
      }
  if (gradients.size() < 2)
    return;
  IdVector<OpId, uint8_t> useful = findUseful();
  IdVector<CellId, llvm::BitVector> needs(graph.cells.size());
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (graph.ops[op].phase != Phase::Update)
      continue;
    llvm::BitVector all(gradients.size());
    for (CellId cell : graph.getOperands(op)) {
      if (isGradient(cell, op))
        all.set(numbers[cell]);
      else if (!needs[cell].empty())
        all |= needs[cell];
    }
    if (all.none())
      continue;
    if (all.all() && useful[op] && graph.ops[op].region.get() == 0) {
      join = op;
      return;
    }
    for (CellId cell : graph.getResults(op))
      needs[cell] = all;
  }
}

static bool isInLoop(const Graph &graph, RegionId region) {
  for (; region.isValid(); region = graph.regions[region].parent)
    if (graph.regions[region].kind == RegionKind::LoopBody)
      return true;
  return false;
}

void Overlap::findBarriers() {
  barriers.resize(graph.cells.size());
  auto isBarrier = [&](UseId use) { return graph.ops[topology.getUser(use)].role == IdentityRole::Barrier; };
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    const Cell &info = graph.cells[cell];
    llvm::ArrayRef<UseId> uses = topology.getUses(cell);
    if (info.kind != CellKind::OpResult || uses.empty() || !isBarrier(uses[0]))
      continue;
    OpId barrier = topology.getUser(uses[0]);
    // What has passed a barrier is reduced.
    if (OpId definition = getLastDefinition(cell);
        definition.isValid() && graph.ops[definition].role == IdentityRole::Barrier)
      continue;
    bool mayWait = (info.rank == 0 || isLate(cell)) && graph.ops[barrier].region == info.region;
    if (mayWait && llvm::none_of(uses.drop_front(), isBarrier) && (hasJoin() || !isInLoop(graph, info.region)))
      barriers[cell] = barrier;
  }
}

void Overlap::findGatherFences() {
  fences.resize(graph.ops.size(), 0);
  awaited.resize(graph.ops.size(), 0);
  auto isBarrier = [&](OpId op) { return graph.ops[op].role == IdentityRole::Barrier; };
  for (uint32_t first = 0, end; first < graph.ops.size(); first = std::max(first + 1, end)) {
    end = first;
    bool passesParameter = false;
    while (end < graph.ops.size() && isBarrier(OpId(end)) &&
           graph.ops[OpId(end)].region == graph.ops[OpId(first)].region)
      passesParameter |= isParameter(graph.getOperands(OpId(end++))[0]);
    if (!passesParameter)
      continue;
    fences[OpId(end - 1)] = 1;
    for (uint32_t number = first; number < end; ++number)
      awaited[OpId(number)] = !isLate(graph.getOperands(OpId(number))[0]);
  }
}

} // namespace partita::cost
