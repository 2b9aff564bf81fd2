//===- Reshards.cpp - all reshards of a program ---------------------------===//

#include "partita/Cost/Reshards.h"

#include "partita/Cost/Exchanges.h"

#include "partita/Cost/CellReshards.h"

#include <map>

namespace partita::cost {

IdRange<ReshardId> Reshards::getAfter(CellId boundary) const {
  auto first = list.raw().begin() + firsts[0], last = list.raw().begin() + firsts[1];
  auto begin = std::partition_point(first, last, [&](const Reshard &reshard) { return reshard.cell < boundary; });
  auto end = std::partition_point(begin, last, [&](const Reshard &reshard) { return reshard.cell == boundary; });
  return {static_cast<uint32_t>(begin - list.raw().begin()), static_cast<uint32_t>(end - list.raw().begin())};
}

/// The number of a reshard's position; boundary values have 0.
static uint32_t getKey(const Reshard &reshard) {
  if (!reshard.op.isValid())
    return 0;
  return 1 + 2 * reshard.op.get() + (reshard.position == ReshardPosition::AfterDefinition ? 1 : 0);
}

void Reshards::sort(size_t numOps) {
  // A stable counting sort: reshards at one position keep their order, boundary values by their cells, sources first.
  firsts.assign(2 * numOps + 3, 0);
  for (const Reshard &reshard : list.raw())
    ++firsts[getKey(reshard) + 1];
  for (size_t key = 1; key < firsts.size(); ++key)
    firsts[key] += firsts[key - 1];

  std::vector<uint32_t> next(firsts.begin(), firsts.end() - 1);
  IdVector<ReshardId, ReshardId> renumbered;
  renumbered.reserve(list.size());
  for (const Reshard &reshard : list.raw())
    renumbered.push_back(ReshardId(next[getKey(reshard)]++));
  auto renumber = [&](ReshardId &id) {
    if (id.isValid())
      id = renumbered[id];
  };
  IdVector<ReshardId, Reshard> sorted(list.size());
  for (ReshardId id : idRange<ReshardId>(list.size())) {
    renumber(list[id].source);
    sorted[renumbered[id]] = list[id];
  }
  list = std::move(sorted);
  for (UseId use : idRange<UseId>(uses.size()))
    renumber(uses[use]);
  for (ReshardId &id : definitions)
    renumber(id);
}

/// Collects the reshards of all cells.
class ReshardBuilder {
public:
  ReshardBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : graph(assignment.getGraph()), topology(assignment.getTopology()), builder(assignment, planner) {
    reshards.uses.resize(graph.uses.size());
    reshards.definitions.resize(graph.definitions.size());
  }

  Reshards run() {
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      if (topology.getBoundaryNode(cell).isValid())
        append(builder.buildOfBoundary(cell), nullptr);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result)
        append(builder.buildOfDefinition(op, result), &reshards.definitions[graph.ops[op].firstDefinition + result]);
    reshards.sort(graph.ops.size());
    return std::move(reshards);
  }

private:
  void append(const CellReshards &made, ReshardId *definition) {
    uint32_t first = reshards.list.size();
    auto renumber = [&](ReshardId id) { return id.isValid() ? ReshardId(first + id.get()) : id; };
    for (const Reshard &reshard : made.list) {
      ReshardId id = reshards.list.push_back(reshard);
      reshards.list[id].source = renumber(reshard.source);
    }
    for (auto [use, id] : made.uses)
      reshards.uses[use] = renumber(id);
    if (definition)
      *definition = renumber(made.definition);
  }

  const Graph &graph;
  const Topology &topology;
  CellReshardBuilder builder;
  Reshards reshards;
};

Reshards buildReshards(const Assignment &assignment, ReshardPlanner &planner) {
  return ReshardBuilder(assignment, planner).run();
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

IdVector<ReshardId, uint32_t> findReshards(const Reshards &reshards, llvm::ArrayRef<ReshardKey> keys) {
  std::map<ReshardKey, uint32_t> numbers;
  for (auto [number, key] : llvm::enumerate(keys))
    numbers[key] = static_cast<uint32_t>(number);
  IdVector<ReshardId, uint32_t> found;
  for (const Reshard &reshard : reshards.list.raw()) {
    auto number = numbers.find({reshard.cell, reshard.op, reshard.plan});
    found.push_back(number == numbers.end() ? noReshard : number->second);
  }
  return found;
}

/// The count of this kind and these axes; a new one if there is none.
static CollectiveCount &getCount(std::vector<CollectiveCount> &counts, CollectiveKind kind,
                                 llvm::ArrayRef<AxisId> axes) {
  auto isSame = [&](const CollectiveCount &count) { return count.kind == kind && count.axes == axes; };
  auto found = llvm::find_if(counts, isSame);
  if (found != counts.end())
    return *found;
  counts.push_back({kind, llvm::SmallVector<AxisId, 2>(axes)});
  return counts.back();
}

static void addTo(CollectiveCount &count, int64_t times, int64_t payloadBytes, int64_t sentBytes) {
  count.count += times;
  count.payloadBytes += times * payloadBytes;
  count.sentBytes += times * sentBytes;
}

std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards) {
  const Graph &graph = assignment.getGraph();
  auto getTimes = [&](RegionId region) {
    int64_t trips = graph.getMultiplicity(region);
    return trips < 0 ? 1 : trips;
  };
  std::vector<CollectiveCount> counts;
  for (const Reshard &reshard : reshards.list.raw())
    for (const ReshardStep &step : planner[reshard.plan].steps)
      if (step.kind != CollectiveKind::AllSlice)
        addTo(getCount(counts, step.kind, step.axes), getTimes(reshard.region), step.payloadBytes,
              (step.sentBits + 7) / 8);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (const OpExchange &exchange : listExchanges(assignment, op).collectives) {
      DimAxes axes = assignment.getFactorAxes(assignment.getTopology().getNode(op), exchange.factor);
      addTo(getCount(counts, exchange.kind, axes), getTimes(graph.ops[op].region), exchange.payloadBytes,
            exchange.sentBytes);
    }
  llvm::sort(counts, [](const CollectiveCount &a, const CollectiveCount &b) {
    return std::tie(a.kind, a.axes) < std::tie(b.kind, b.axes);
  });
  return counts;
}

} // namespace partita::cost
