//===- ExchangePrice.cpp - the time of what devices exchange in an op -----===//

#include "partita/Cost/ExchangePrice.h"

#include "partita/Cost/DeviceGroups.h"

namespace partita::cost {

/// For each device of the machine, the device from which it receives; itself if there is none.
static std::vector<int64_t> findSources(const CostModel &model, llvm::ArrayRef<AxisId> axes, int64_t by) {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> sources(order.size());
  for (const std::vector<int64_t> &group : computeGroups(model.getAxes(), axes)) {
    auto count = static_cast<int64_t>(group.size());
    for (int64_t index = 0; index < count; ++index) {
      int64_t source = index - by >= 0 && index - by < count ? index - by : index;
      sources[static_cast<size_t>(order[static_cast<size_t>(group[static_cast<size_t>(index)])])] =
          order[static_cast<size_t>(group[static_cast<size_t>(source)])];
    }
  }
  return sources;
}

CollectivePrice priceExchange(const CostModel &model, const Assignment &assignment, OpId op,
                              const OpExchange &exchange) {
  DimAxes axes = assignment.getFactorAxes(model.getTopology().getNode(op), exchange.factor);
  CollectiveRequest request;
  request.payloadBytes = exchange.payloadBytes;
  std::vector<int64_t> sources;
  LevelParts parts;
  if (exchange.kind == CollectiveKind::CollectivePermute) {
    sources = findSources(model, axes, exchange.by);
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
    else
      addJoin(model, assignment, op, factor, price);
    price.timePs = std::min(maxTimePs, price.timePs);
  }
  return price;
}

} // namespace partita::cost
