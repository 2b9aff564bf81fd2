//===- CostUnits.cpp - what is priced together: a value or an op ----------===//

#include "partita/Cost/CostUnits.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

CostUnits::CostUnits(const Topology &topology, const FusionPlan &fusion)
    : topology(topology), graph(topology.getGraph()) {
  addUnits(fusion);
  addDependencies();
}

void CostUnits::addUnits(const FusionPlan &fusion) {
  sources.resize(graph.cells.size());
  opUnits.resize(graph.ops.size());
  // A definition's number is its position in Graph::definitions.
  units.resize(graph.definitions.size());
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result) {
      UnitId id(graph.ops[op].firstDefinition + result);
      CellId cell = graph.getResults(op)[result];
      units[id] = {UnitKind::Definition, op, result, cell};
      if (graph.cells[cell].kind == CellKind::OpResult)
        sources[cell] = id;
    }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getBoundaryNode(cell).isValid())
      sources[cell] = units.push_back({UnitKind::Boundary, OpId(), 0, cell});
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (fusion.getRole(op) == FusionRole::Alone)
      opUnits[op] = units.push_back({UnitKind::Op, op, 0, CellId()});
}

UnitId CostUnits::getSource(CellId cell) const { return sources[topology.getRepresentative(cell)]; }

void CostUnits::addDependencies() {
  Lists ofNodes(topology.getNumNodes()), ofCells(graph.cells.size());
  auto add = [](llvm::SmallVector<UnitId, 4> &list, UnitId unit) {
    if (unit.isValid() && !llvm::is_contained(list, unit))
      list.push_back(unit);
  };
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    auto &list = ofNodes[topology.getNode(op).get()];
    add(list, opUnits[op]);
    for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result)
      add(list, UnitId(graph.ops[op].firstDefinition + result));
    for (CellId operand : graph.getOperands(op))
      add(list, getSource(operand));
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getRepresentative(cell) == cell)
      add(ofCells[cell.get()], sources[cell]);
  // The reshard into a cell depends on the cell's sharding, and so does the lifetime of the value before that reshard.
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result) {
      CellId cell = graph.getResults(op)[result];
      if (graph.cells[cell].kind == CellKind::OpResult)
        continue;
      CellId representative = topology.getRepresentative(cell);
      add(ofCells[representative.get()], UnitId(graph.ops[op].firstDefinition + result));
      for (CellId operand : graph.getOperands(op))
        add(ofCells[representative.get()], getSource(operand));
    }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (NodeId node = topology.getBoundaryNode(cell); node.isValid())
      for (UnitId unit : ofCells[cell.get()])
        add(ofNodes[node.get()], unit);
  pack(ofNodes, firstOfNode, nodeUnits);
  pack(ofCells, firstOfCell, cellUnits);
}

void CostUnits::pack(const Lists &lists, std::vector<uint32_t> &firsts, std::vector<UnitId> &all) {
  firsts.assign(1, 0);
  for (const auto &list : lists) {
    all.insert(all.end(), list.begin(), list.end());
    firsts.push_back(static_cast<uint32_t>(all.size()));
  }
}

} // namespace partita::cost
