//===- BorderPads.cpp - ops that pad arguments and cut results ------------===//

#include "partita/Graph/BorderPads.h"

namespace partita::graph {

bool isPad(const Graph &graph, OpId op) {
  const Op &info = graph.ops[op];
  if (info.kind != OpKind::Other || info.numUses != 2 || info.numDefinitions != 1)
    return false;
  CellId operand = graph.getOperands(op)[0], result = graph.getResults(op)[0];
  if (graph.cells[graph.getOperands(op)[1]].rank != 0 || graph.cells[operand].rank != graph.cells[result].rank)
    return false;
  llvm::ArrayRef<int64_t> before = graph.getShape(operand), after = graph.getShape(result);
  return before != after && llvm::all_of(llvm::zip_equal(before, after),
                                         [](auto sizes) { return std::get<0>(sizes) <= std::get<1>(sizes); });
}

BorderPads::BorderPads(const Graph &graph) : isAtBorder(graph.ops.size(), 0) {
  IdVector<CellId, uint8_t> isReturned(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].role == IdentityRole::Result)
      for (CellId cell : graph.getOperands(op))
        isReturned[cell] = 1;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool padsArgument = isPad(graph, op) && graph.cells[graph.getOperands(op)[0]].kind == CellKind::Argument;
    bool cutsResult = graph.ops[op].kind == OpKind::Slice && isReturned[graph.getResults(op)[0]];
    isAtBorder[op] = padsArgument || cutsResult;
  }
}

} // namespace partita::graph
