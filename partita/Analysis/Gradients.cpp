//===- Gradients.cpp - where loops accumulate gradients of parameters -----===//

#include "partita/Analysis/Gradients.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace partita::analysis {

namespace {

/// Follows definitions from the next state of parameters, through the update and movements, back to the gradients.
class GradientWalk {
public:
  GradientWalk(const Topology &topology, llvm::ArrayRef<int64_t> shape)
      : topology(topology), graph(topology.getGraph()), shape(shape) {}

  void run(CellId result);
  Gradients take(GroupId parameter);

private:
  void visit(CellId cell);
  void visitCarried(CellId cell);

  const Topology &topology;
  const Graph &graph;
  llvm::ArrayRef<int64_t> shape;
  std::vector<CellId> work;
  std::set<CellId> seen;
  std::set<CellId> kept, sources;
};

} // namespace

/// A carried value that starts at zero is a sum or a stack.
void GradientWalk::visitCarried(CellId cell) {
  auto isZero = [&](OpId op) {
    return graph.ops[op].role != IdentityRole::Entry || topology.isZero(graph.getOperands(op).front());
  };
  if (graph.getShape(cell) == shape && llvm::all_of(topology.getDefinitions(cell), isZero))
    kept.insert(cell);
  for (OpId op : topology.getDefinitions(cell))
    llvm::append_range(work, graph.getOperands(op));
}

void GradientWalk::visit(CellId cell) {
  if (graph.cells[cell].kind == CellKind::Carried)
    return visitCarried(cell);
  OpId id = topology.getDefinition(cell);
  if (!id.isValid() || topology.getBoundaryNode(cell).isValid() || graph.ops[id].phase == Phase::Forward)
    return;
  llvm::ArrayRef<CellId> operands = graph.getOperands(id);
  switch (graph.ops[id].opClass) {
  case OpClass::Contraction:
  case OpClass::Reduction:
    sources.insert(cell);
    return;
  case OpClass::Indexing:
    // A slice that a loop writes into a stack; or a scatter, which computes the gradient of a table.
    if (graph.ops[id].linearity == Linearity::Update && graph.cells[operands[0]].kind == CellKind::Carried)
      work.push_back(operands[1]);
    else
      sources.insert(cell);
    return;
  case OpClass::Movement:
    // A broadcast is not the gradient of a parameter of its size.
    if (operands.size() == 1 && graph.getBytes(operands.front()) >= graph.getBytes(cell))
      work.push_back(operands.front());
    return;
  case OpClass::Identity:
  case OpClass::Elementwise:
    llvm::append_range(work, operands);
    return;
  default:
    return;
  }
}

void GradientWalk::run(CellId result) {
  constexpr size_t maxCells = 512;
  size_t before = seen.size();
  OpId last = topology.getDefinition(result);
  if (!last.isValid())
    return;
  llvm::append_range(work, graph.getOperands(last));
  while (!work.empty() && seen.size() < before + maxCells) {
    CellId cell = work.back();
    work.pop_back();
    if (graph.cells[cell].rank > 0 && seen.insert(cell).second)
      visit(cell);
  }
}

Gradients GradientWalk::take(GroupId parameter) {
  Gradients found{parameter, {}, {}};
  found.kept.assign(kept.begin(), kept.end());
  found.sources.assign(sources.begin(), sources.end());
  return found;
}

std::vector<Gradients> findGradients(const Topology &topology, const ArgumentGroups &groups) {
  const Graph &graph = topology.getGraph();
  std::map<GroupId, GradientWalk> walks;
  for (const Tie &tie : graph.ties) {
    GroupId id = groups.ofCell[tie.argument];
    if (id.isValid() && groups.list[id].kind == GroupKind::Parameter)
      walks.try_emplace(id, topology, graph.getShape(tie.argument)).first->second.run(tie.result);
  }
  std::vector<Gradients> list;
  for (auto &[id, walk] : walks) {
    Gradients found = walk.take(id);
    if (!found.kept.empty() && !found.sources.empty())
      list.push_back(std::move(found));
  }
  return list;
}

} // namespace partita::analysis
