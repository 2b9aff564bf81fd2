//===- Exchanges.cpp - collectives that ops run by themselves -------------===//

#include "partita/Cost/Exchanges.h"

#include "partita/Graph/OpKind.h"
#include "partita/Graph/RowMoves.h"

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

namespace {

/// Lists what one op exchanges along one of its factors.
class ExchangeLister {
public:
  ExchangeLister(const Assignment &assignment, OpId op, uint8_t factor, OpExchanges &exchanges)
      : assignment(assignment), graph(assignment.getGraph()), op(op), factor(factor),
        info(graph.getFactors(op)[factor]), exchanges(exchanges),
        parts(assignment.getParts(assignment.getTopology().getNode(op), factor)) {}

  void run();
  /// Each device sends `bytes` to the one whose number is larger by `by`.
  void addShift(int64_t by, int64_t bytes);
  /// The last one sends to the first.
  void addRotation(int64_t bytes);

private:
  void addPermute(std::vector<std::pair<int64_t, int64_t>> pairs, int64_t bytes);
  void addGather(int64_t bytes);
  void addHalo();
  /// Rows of an operand from the pieces before it and behind it, and the piece joined with them.
  void addEdges(uint32_t operand, Halo halo, int64_t rows);
  void addFold();
  void addMoves();
  void addShiftCopies(uint32_t operand, const RowMoves &plan, int64_t rowBytes);
  void addReversal();
  void addPrefix();

  const Assignment &assignment;
  const Graph &graph;
  OpId op;
  uint8_t factor;
  const Factor &info;
  OpExchanges &exchanges;
  int64_t parts;
};

} // namespace

void ExchangeLister::addPermute(std::vector<std::pair<int64_t, int64_t>> pairs, int64_t bytes) {
  exchanges.collectives.push_back({CollectiveKind::CollectivePermute, factor, std::move(pairs), bytes, bytes});
}

/// Of `bytes` from each device.
void ExchangeLister::addGather(int64_t bytes) {
  exchanges.collectives.push_back({CollectiveKind::AllGather, factor, {}, bytes * parts, bytes * (parts - 1)});
}

void ExchangeLister::addShift(int64_t by, int64_t bytes) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t source = std::max<int64_t>(0, -by); source < std::min(parts, parts - by); ++source)
    pairs.emplace_back(source, source + by);
  addPermute(std::move(pairs), bytes);
}

void ExchangeLister::addRotation(int64_t bytes) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t source = 0; source < parts; ++source)
    pairs.emplace_back(source, (source + 1) % parts);
  addPermute(std::move(pairs), bytes);
}

/// Edges of neighbors, several hops away where pieces are smaller than the halo.
void ExchangeLister::addEdges(uint32_t operand, Halo halo, int64_t rows) {
  int64_t bytes = computePieceBytes(assignment, op, operand);
  auto addEdge = [&](int64_t edge, int64_t sign) {
    // Rows that are beyond all devices are not sent.
    for (int64_t hop = 1; edge > 0 && hop < parts; ++hop, edge -= rows)
      addShift(sign * hop, bytes / rows * std::min(edge, rows));
  };
  addEdge(halo.low, 1);
  addEdge(halo.high, -1);
  int64_t joined = bytes + bytes / rows * (halo.low + halo.high);
  exchanges.copies.push_back({joined, joined});
}

void ExchangeLister::addHalo() {
  int64_t rows = countPieceRows(assignment, op, factor);
  addEdges(0, info.halo, rows);
  if (graph.ops[op].kind != OpKind::SelectAndScatter)
    return;
  // The windows before the piece that reach into it (Program/Rules/WindowRules.cpp).
  int64_t windows = std::max<int64_t>(1, info.size / parts), stride = std::max<int64_t>(1, rows / windows);
  addEdges(1, {info.halo.low / stride, 0}, windows);
  // The rows of neighbors are cut off again.
  exchanges.copies.push_back({computePieceBytes(assignment, op, 0), 0});
}

/// Partial results, and a kernel that folds them.
void ExchangeLister::addFold() {
  const Op &own = graph.ops[op];
  for (uint32_t result = 0; result < own.numDefinitions; ++result)
    addGather(computePieceBytes(assignment, op, own.numUses + result));
  exchanges.copies.push_back({});
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

/// Rows that are sent are copied. What is computed is written first, so that it is not computed once more for them;
/// kernels that use the result read what stays.
void ExchangeLister::addShiftCopies(uint32_t operand, const RowMoves &plan, int64_t rowBytes) {
  for (const MoveRound &round : plan.rounds)
    exchanges.copies.push_back({round.rows * rowBytes, round.rows * rowBytes});
  bool isComputed = graph.cells[graph.getOperands(op)[operand]].kind == CellKind::OpResult;
  int64_t bytes = computePieceBytes(assignment, op, operand);
  if (isComputed && !plan.kept.moves.empty())
    exchanges.copies.push_back({bytes, bytes});
}

/// The buffer that the rows of the result are written to is filled, written and read. Where one value is shifted along
/// a dim that stays as long, there is none.
void ExchangeLister::addMoves() {
  const Op &own = graph.ops[op];
  int64_t shift = *info.shift, margin = 0, rowBytes = 0;
  size_t numBlocks = 0, numOperands = 0;
  bool keepsSize = true;
  std::optional<int64_t> resultSize = findSize(graph, op, own.numUses, factor);
  for (uint32_t operand = 0; operand < own.numUses && resultSize; ++operand)
    if (std::optional<int64_t> size = findSize(graph, op, operand, factor)) {
      RowMoves plan = planRowMoves(*size, *resultSize, shift, parts);
      int64_t bytes = computePieceBytes(assignment, op, operand) / std::max<int64_t>(1, *size / parts);
      for (const MoveRound &round : plan.rounds) {
        std::vector<std::pair<int64_t, int64_t>> pairs;
        for (const RowMove &move : round.moves)
          pairs.emplace_back(move.source, move.target);
        addPermute(std::move(pairs), round.rows * bytes);
      }
      keepsSize = keepsSize && *size == *resultSize && ++numOperands == 1;
      if (keepsSize)
        addShiftCopies(operand, plan, bytes);
      numBlocks += plan.rounds.size() + (plan.kept.moves.empty() ? 0 : 1);
      margin = std::max(margin, plan.maxRows);
      rowBytes = std::max(rowBytes, bytes);
      shift -= *size;
    }
  if (keepsSize)
    return;
  int64_t buffer = computePieceBytes(assignment, op, own.numUses) + 2 * margin * rowBytes;
  exchanges.copies.push_back({buffer, buffer});
  exchanges.copies.append(numBlocks, {margin * rowBytes, 0});
}

/// What arrives is reversed from there.
void ExchangeLister::addReversal() {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t source = 0; source < parts; ++source)
    pairs.emplace_back(source, parts - 1 - source);
  int64_t bytes = computePieceBytes(assignment, op, 0);
  addPermute(std::move(pairs), bytes);
  exchanges.copies.push_back({0, bytes});
}

/// One row of each result, a kernel that combines those that count, and one that adds them to the device's own.
void ExchangeLister::addPrefix() {
  const Op &own = graph.ops[op];
  int64_t rows = countPieceRows(assignment, op, factor);
  for (uint32_t result = 0; result < own.numDefinitions; ++result) {
    int64_t bytes = computePieceBytes(assignment, op, own.numUses + result);
    addGather((bytes + rows - 1) / rows);
    exchanges.copies.push_back({bytes, bytes});
  }
  exchanges.copies.push_back({});
}

void ExchangeLister::run() {
  if (info.kind == FactorKind::Fold)
    addFold();
  else if (info.shift)
    addMoves();
  else if (info.isReversed)
    addReversal();
  else if (info.isPrefix)
    addPrefix();
  else
    addHalo();
}

int64_t OpExchanges::getKeptBytes() const {
  int64_t sum = 0;
  for (const ExchangeCopy &copy : copies)
    sum += copy.keptBytes;
  return sum;
}

OpExchanges listExchanges(const Assignment &assignment, OpId op) {
  const Graph &graph = assignment.getGraph();
  NodeId node = assignment.getTopology().getNode(op);
  OpExchanges exchanges;
  if (std::optional<uint8_t> rows = findRows(graph, op); rows && assignment.getParts(node, *rows) > 1) {
    ExchangeLister lister(assignment, op, *rows, exchanges);
    int64_t bytes = computePieceBytes(assignment, op, 0) / countPieceRows(assignment, op, *rows);
    if (graph.ops[op].kind == OpKind::Gather)
      lister.addRotation(bytes);
    else
      lister.addShift(1, bytes);
  }
  for (auto [number, info] : llvm::enumerate(graph.getFactors(op)))
    if (auto factor = static_cast<uint8_t>(number); info.isExchanged() && assignment.getParts(node, factor) > 1)
      ExchangeLister(assignment, op, factor, exchanges).run();
  return exchanges;
}

} // namespace partita::cost
