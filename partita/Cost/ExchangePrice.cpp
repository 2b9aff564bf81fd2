//===- ExchangePrice.cpp - the time of what devices exchange in an op -----===//

#include "partita/Cost/ExchangePrice.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Machine/CollectivePrice.h"

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

namespace {

/// Prices the exchanges of one op.
class ExchangePricer {
public:
  ExchangePricer(const CostModel &model, const Assignment &assignment, OpId op)
      : model(model), graph(model.getGraph()), assignment(assignment), op(op), node(model.getTopology().getNode(op)) {}

  void addShift(uint8_t rows);
  void addHalo(uint8_t factor);
  void addFold(uint8_t factor);
  ExchangePrice take() const { return price; }

private:
  /// The bytes of the device's piece of an operand or result.
  int64_t getBytes(uint32_t value) const { return model.getOpPricer().computeLocalBytes(assignment, op, value); }
  /// Rows of the device's piece of operand 0 along the dim that has the factor.
  int64_t countRows(uint8_t factor) const;
  void addTime(int64_t timePs) { price.timePs = std::min(maxTimePs, price.timePs + timePs); }
  /// Each device receives from the one whose number along the factor is smaller by `by`.
  void addPermute(uint8_t factor, int64_t by, int64_t bytes);

  const CostModel &model;
  const Graph &graph;
  const Assignment &assignment;
  OpId op;
  NodeId node;
  ExchangePrice price;
};

} // namespace

int64_t ExchangePricer::countRows(uint8_t factor) const {
  llvm::ArrayRef<int64_t> shape = graph.getShape(graph.getOperands(op)[0]);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && entry.factor == factor)
      return std::max<int64_t>(1, shape[entry.dim] / assignment.getParts(node, factor));
  return 1;
}

void ExchangePricer::addPermute(uint8_t factor, int64_t by, int64_t bytes) {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> sources(order.size());
  for (const std::vector<int64_t> &group : computeGroups(model.getAxes(), assignment.getFactorAxes(node, factor))) {
    auto count = static_cast<int64_t>(group.size());
    for (int64_t index = 0; index < count; ++index) {
      int64_t source = index - by >= 0 && index - by < count ? index - by : index;
      sources[static_cast<size_t>(order[static_cast<size_t>(group[static_cast<size_t>(index)])])] =
          order[static_cast<size_t>(group[static_cast<size_t>(source)])];
    }
  }
  CollectiveRequest request;
  request.kind = Collective::CollectivePermute;
  request.payloadBytes = bytes;
  request.sources = sources;
  addTime(priceCollective(model.getMachine(), request).timePs);
}

void ExchangePricer::addShift(uint8_t rows) {
  int64_t localRows = graph.getFactors(op)[rows].size / assignment.getParts(node, rows);
  addPermute(rows, 1, getBytes(0) / std::max<int64_t>(1, localRows));
}

void ExchangePricer::addHalo(uint8_t factor) {
  Halo halo = graph.getFactors(op)[factor].halo;
  int64_t rows = countRows(factor), parts = assignment.getParts(node, factor), bytes = getBytes(0);
  auto addEdge = [&](int64_t edge, int64_t sign) {
    // Rows that are beyond all devices are not sent.
    for (int64_t hop = 1; edge > 0 && hop < parts; ++hop, edge -= rows)
      addPermute(factor, sign * hop, bytes / rows * std::min(edge, rows));
  };
  addEdge(halo.low, 1);
  addEdge(halo.high, -1);
  int64_t joined = bytes + bytes / rows * (halo.low + halo.high);
  const OpPricer &pricer = model.getOpPricer();
  addTime(std::max(pricer.getLaunchPs(), pricer.computeMemoryPs(2 * joined)));
  price.copiedBytes += joined;
}

void ExchangePricer::addFold(uint8_t factor) {
  LevelParts parts;
  for (AxisId axis : assignment.getFactorAxes(node, factor))
    parts.append(model.getParts(axis));
  const Op &info = graph.ops[op];
  for (uint32_t result = 0; result < info.numDefinitions; ++result) {
    CollectiveRequest request;
    request.kind = Collective::AllGather;
    request.parts = parts;
    request.payloadBytes = getBytes(info.numUses + result) * assignment.getParts(node, factor);
    addTime(priceCollective(model.getMachine(), request).timePs);
  }
  addTime(model.getOpPricer().getLaunchPs());
}

ExchangePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op) {
  const Graph &graph = model.getGraph();
  ExchangePricer pricer(model, assignment, op);
  NodeId node = model.getTopology().getNode(op);
  if (std::optional<uint8_t> rows = findRows(graph, op); rows && assignment.getParts(node, *rows) > 1)
    pricer.addShift(*rows);
  llvm::ArrayRef<Factor> factors = graph.getFactors(op);
  for (uint8_t factor = 0; factor < factors.size(); ++factor) {
    if (!factors[factor].isExchanged() || assignment.getParts(node, factor) <= 1)
      continue;
    if (factors[factor].kind == FactorKind::Fold)
      pricer.addFold(factor);
    else
      pricer.addHalo(factor);
  }
  return pricer.take();
}

} // namespace partita::cost
