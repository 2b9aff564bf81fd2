//===- Exchanges.cpp - collectives that ops run by themselves -------------===//

#include "partita/Cost/Exchanges.h"

namespace partita::cost {

/// The factor of the rows of operand 0; nothing if it is none that may be split.
static std::optional<uint8_t> findRows(const Graph &graph, OpId op) {
  if (graph.ops[op].opClass != OpClass::Collective)
    return std::nullopt;
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && entry.dim == 0 && graph.getFactors(op)[entry.factor].kind == FactorKind::Parallel)
      return entry.factor;
  return std::nullopt;
}

bool isShift(const Graph &graph, OpId op) { return findRows(graph, op).has_value(); }

int64_t computePieceBytes(const Assignment &assignment, OpId op, uint32_t value) {
  const Graph &graph = assignment.getGraph();
  const Op &info = graph.ops[op];
  CellId cell = value < info.numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - info.numUses];
  int64_t bits = graph.cells[cell].elementBits;
  for (int64_t size : graph.getShape(cell))
    bits *= size;
  NodeId node = assignment.getTopology().getNode(op);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == value)
      bits /= assignment.getParts(node, entry.factor);
  return (bits + 7) / 8;
}

int64_t countPieceRows(const Assignment &assignment, OpId op, uint8_t factor) {
  const Graph &graph = assignment.getGraph();
  llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getOperands(op)[0]);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && entry.factor == factor)
      return std::max<int64_t>(1, shape[entry.dim] / assignment.getParts(assignment.getTopology().getNode(op), factor));
  return 1;
}

static OpExchange makePermute(uint8_t factor, int64_t by, int64_t bytes) {
  return {CollectiveKind::CollectivePermute, factor, by, {}, bytes, bytes};
}

/// Edges of neighbors, several hops away where pieces are smaller than the halo.
static void addHalo(const Assignment &assignment, OpId op, uint8_t factor, llvm::SmallVectorImpl<OpExchange> &list) {
  Halo halo = assignment.getGraph().getFactors(op)[factor].halo;
  int64_t rows = countPieceRows(assignment, op, factor), bytes = computePieceBytes(assignment, op, 0);
  int64_t parts = assignment.getParts(assignment.getTopology().getNode(op), factor);
  auto addEdge = [&](int64_t edge, int64_t sign) {
    // Rows that are beyond all devices are not sent.
    for (int64_t hop = 1; edge > 0 && hop < parts; ++hop, edge -= rows)
      list.push_back(makePermute(factor, sign * hop, bytes / rows * std::min(edge, rows)));
  };
  addEdge(halo.low, 1);
  addEdge(halo.high, -1);
}

static void addFold(const Assignment &assignment, OpId op, uint8_t factor, llvm::SmallVectorImpl<OpExchange> &list) {
  const Op &info = assignment.getGraph().ops[op];
  int64_t parts = assignment.getParts(assignment.getTopology().getNode(op), factor);
  for (uint32_t result = 0; result < info.numDefinitions; ++result) {
    int64_t bytes = computePieceBytes(assignment, op, info.numUses + result);
    list.push_back({CollectiveKind::AllGather, factor, 0, {}, bytes * parts, bytes * (parts - 1)});
  }
}

/// The whole size of the dim of a value that begins with the factor; nothing if it has none.
static std::optional<int64_t> findSize(const Graph &graph, OpId op, uint32_t value, uint8_t factor) {
  const Op &info = graph.ops[op];
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == value && entry.factor == factor) {
      CellId cell = value < info.numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - info.numUses];
      return graph.getShape(cell)[entry.dim];
    }
  return std::nullopt;
}

llvm::SmallVector<OperandMoves, 2> listMoves(const Assignment &assignment, OpId op, uint8_t factor) {
  const Graph &graph = assignment.getGraph();
  const Op &info = graph.ops[op];
  int64_t parts = assignment.getParts(assignment.getTopology().getNode(op), factor);
  int64_t shift = graph.getFactors(op)[factor].shift.value_or(0);
  std::optional<int64_t> resultSize = findSize(graph, op, info.numUses, factor);
  llvm::SmallVector<OperandMoves, 2> list;
  for (uint32_t operand = 0; operand < info.numUses && resultSize; ++operand)
    if (std::optional<int64_t> size = findSize(graph, op, operand, factor)) {
      int64_t rows = std::max<int64_t>(1, *size / parts);
      list.push_back(
          {computePieceBytes(assignment, op, operand) / rows, planRowMoves(*size, *resultSize, shift, parts)});
      shift -= *size;
    }
  return list;
}

static void addMoves(const Assignment &assignment, OpId op, uint8_t factor, llvm::SmallVectorImpl<OpExchange> &list) {
  for (OperandMoves &moves : listMoves(assignment, op, factor))
    for (MoveRound &round : moves.plan.rounds) {
      int64_t bytes = round.rows * moves.rowBytes;
      list.push_back({CollectiveKind::CollectivePermute, factor, 0, std::move(round.moves), bytes, bytes});
    }
}

llvm::SmallVector<OpExchange, 2> listExchanges(const Assignment &assignment, OpId op) {
  const Graph &graph = assignment.getGraph();
  NodeId node = assignment.getTopology().getNode(op);
  llvm::SmallVector<OpExchange, 2> list;
  if (std::optional<uint8_t> rows = findRows(graph, op); rows && assignment.getParts(node, *rows) > 1)
    list.push_back(makePermute(*rows, 1, computePieceBytes(assignment, op, 0) / countPieceRows(assignment, op, *rows)));
  llvm::ArrayRef<Factor> factors = graph.getFactors(op);
  for (uint8_t factor = 0; factor < factors.size(); ++factor) {
    if (!factors[factor].isExchanged() || assignment.getParts(node, factor) <= 1)
      continue;
    if (factors[factor].kind == FactorKind::Fold)
      addFold(assignment, op, factor, list);
    else if (factors[factor].shift)
      addMoves(assignment, op, factor, list);
    else
      addHalo(assignment, op, factor, list);
  }
  return list;
}

} // namespace partita::cost
