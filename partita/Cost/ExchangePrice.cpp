//===- ExchangePrice.cpp - the time of what devices exchange in an op -----===//

#include "partita/Cost/ExchangePrice.h"

#include "partita/Cost/DeviceGroups.h"

namespace partita::cost {

/// For each device of a group of `count`, the number of the one from which it receives; its own if there is none.
static std::vector<int64_t> findSources(const OpExchange &exchange, int64_t count) {
  std::vector<int64_t> sources(static_cast<size_t>(count));
  for (int64_t index = 0; index < count; ++index) {
    bool isThere = exchange.moves.empty() && index - exchange.by >= 0 && index - exchange.by < count;
    sources[static_cast<size_t>(index)] = isThere ? index - exchange.by : index;
  }
  for (const RowMove &move : exchange.moves)
    sources[static_cast<size_t>(move.target)] = move.source;
  return sources;
}

/// The same for each device of the machine.
static std::vector<int64_t> findSources(const CostModel &model, llvm::ArrayRef<AxisId> axes,
                                        const OpExchange &exchange) {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> result(order.size()), sources;
  for (const std::vector<int64_t> &group : computeGroups(model.getAxes(), axes)) {
    if (sources.empty())
      sources = findSources(exchange, static_cast<int64_t>(group.size()));
    for (auto [device, source] : llvm::zip_equal(group, sources))
      result[static_cast<size_t>(order[static_cast<size_t>(device)])] =
          order[static_cast<size_t>(group[static_cast<size_t>(source)])];
  }
  return result;
}

CollectivePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op,
                              const OpExchange &exchange) {
  DimAxes axes = assignment.getFactorAxes(model.getTopology().getNode(op), exchange.factor);
  CollectiveRequest request;
  request.payloadBytes = exchange.payloadBytes;
  std::vector<int64_t> sources;
  LevelParts parts;
  if (exchange.kind == CollectiveKind::CollectivePermute) {
    sources = findSources(model, axes, exchange);
    request.kind = Collective::CollectivePermute;
    request.sources = sources;
  } else {
    for (AxisId axis : axes)
      parts.append(model.getParts(axis));
    request.kind = Collective::AllGather;
    request.parts = parts;
  }
  return priceCollective(model.getMachine(), request);
}

/// Adds the copy of the operand's piece with the edges of its neighbors.
static void addJoin(const CostModel &model, const Assignment &assignment, OpId op, uint8_t factor,
                    ExchangePrice &price) {
  Halo halo = model.getGraph().getFactors(op)[factor].halo;
  int64_t bytes = computePieceBytes(assignment, op, 0);
  int64_t joined = bytes + bytes / countPieceRows(assignment, op, factor) * (halo.low + halo.high);
  const OpPricer &pricer = model.getOpPricer();
  price.timePs += std::max(pricer.getLaunchPs(), pricer.computeMemoryPs(2 * joined));
  price.copiedBytes += joined;
}

/// Adds the buffer that the rows of the result are written to: it is filled, written and read.
static void addBuffer(const CostModel &model, const Assignment &assignment, OpId op, uint8_t factor,
                      ExchangePrice &price) {
  int64_t margin = 0, rowBytes = 0, numBlocks = 0;
  for (const OperandMoves &moves : listMoves(assignment, op, factor)) {
    margin = std::max(margin, moves.plan.maxRows);
    rowBytes = std::max(rowBytes, moves.rowBytes);
    numBlocks += static_cast<int64_t>(moves.plan.rounds.size()) + !moves.plan.kept.moves.empty();
  }
  int64_t bytes = computePieceBytes(assignment, op, model.getGraph().ops[op].numUses) + 2 * margin * rowBytes;
  const OpPricer &pricer = model.getOpPricer();
  int64_t blockPs = std::max(pricer.getLaunchPs(), pricer.computeMemoryPs(2 * margin * rowBytes));
  price.timePs += std::max(pricer.getLaunchPs(), pricer.computeMemoryPs(2 * bytes)) + numBlocks * blockPs;
  price.copiedBytes += bytes;
}

ExchangePrice priceExchanges(const CostModel &model, const Assignment &assignment, OpId op) {
  ExchangePrice price;
  for (const OpExchange &exchange : listExchanges(assignment, op))
    price.timePs = std::min(maxTimePs, price.timePs + priceExchange(model, assignment, op, exchange).timePs);
  llvm::ArrayRef<Factor> factors = model.getGraph().getFactors(op);
  NodeId node = model.getTopology().getNode(op);
  for (uint8_t factor = 0; factor < factors.size(); ++factor) {
    if (!factors[factor].isExchanged() || assignment.getParts(node, factor) <= 1)
      continue;
    if (factors[factor].kind == FactorKind::Fold)
      price.timePs += model.getOpPricer().getLaunchPs();
    else if (factors[factor].shift)
      addBuffer(model, assignment, op, factor, price);
    else
      addJoin(model, assignment, op, factor, price);
    price.timePs = std::min(maxTimePs, price.timePs);
  }
  return price;
}

} // namespace partita::cost
