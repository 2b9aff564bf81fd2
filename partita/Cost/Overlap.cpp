//===- Overlap.cpp - which collectives may hide behind compute ------------===//

#include "partita/Cost/Overlap.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

Overlap::Overlap(const Topology &topology, const FusionPlan &fusion)
    : topology(topology), fusion(fusion), graph(topology.getGraph()) {
  findParameters();
  findLate();
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

bool Overlap::isLateUse(CellId cell, UseId use) const {
  OpId op = topology.getUser(use), definition = topology.getDefinition(cell);
  if (definition.isValid() && graph.ops[op].phase != graph.ops[definition].phase)
    return true;
  auto areLate = [&] { return llvm::all_of(graph.getResults(op), [&](CellId result) { return isLate(result); }); };
  switch (fusion.getRole(op)) {
  case FusionRole::Identity:
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Update:
    return areLate();
  case FusionRole::Alone:
  case FusionRole::Reduction:
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

} // namespace partita::cost
