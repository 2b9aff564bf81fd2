//===- ExchangePrice.cpp - the time of what devices exchange in an op -----===//

#include "partita/Cost/ExchangePrice.h"

#include "partita/Cost/DeviceGroups.h"

#include <numeric>

namespace partita::cost {

/// For each device of a group of `count`, the number of the one from which it receives; its own if there is none.
static std::vector<int64_t> findSources(const OpExchange &exchange, int64_t count) {
  std::vector<int64_t> sources(static_cast<size_t>(count));
  std::iota(sources.begin(), sources.end(), 0);
  for (auto [source, target] : exchange.pairs)
    sources[static_cast<size_t>(target)] = source;
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

int64_t computeExchangePs(const CostModel &model, const Assignment &assignment, OpId op, const OpExchanges &exchanges) {
  int64_t sum = 0;
  auto add = [&](int64_t timePs) { sum = std::min(maxTimePs, sum + timePs); };
  for (const OpExchange &exchange : exchanges.collectives)
    add(priceExchange(model, assignment, op, exchange).timePs);
  const OpPricer &pricer = model.getOpPricer();
  for (const ExchangeCopy &copy : exchanges.copies)
    add(std::max(pricer.getLaunchPs(), pricer.computeMemoryPs(2 * copy.bytes)));
  return sum;
}

} // namespace partita::cost
