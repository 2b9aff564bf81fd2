//===- Transfers.cpp - all reshards of a program --------------------------===//

#include "partita/Cost/Transfers.h"

#include "partita/Cost/CellTransfers.h"

namespace partita {

IdRange<TransferId> Transfers::getAfter(CellId place) const {
  auto first = list.raw().begin() + firsts[0], last = list.raw().begin() + firsts[1];
  auto begin = std::partition_point(first, last, [&](const Transfer &transfer) { return transfer.cell < place; });
  auto end = std::partition_point(begin, last, [&](const Transfer &transfer) { return transfer.cell == place; });
  return {static_cast<uint32_t>(begin - list.raw().begin()), static_cast<uint32_t>(end - list.raw().begin())};
}

/// Number of a transfer's position: places are 0.
static uint32_t getKey(const Transfer &transfer) {
  if (!transfer.op.isValid())
    return 0;
  return 1 + 2 * transfer.op.get() + (transfer.position == TransferPosition::AfterDefinition ? 1 : 0);
}

void Transfers::sort(size_t numOps) {
  // A counting sort, so that what stands at one position keeps its order: places by their cells, sources first.
  firsts.assign(2 * numOps + 3, 0);
  for (const Transfer &transfer : list.raw())
    ++firsts[getKey(transfer) + 1];
  for (size_t key = 1; key < firsts.size(); ++key)
    firsts[key] += firsts[key - 1];

  std::vector<uint32_t> next(firsts.begin(), firsts.end() - 1);
  IdVector<TransferId, TransferId> renumbered;
  renumbered.reserve(list.size());
  for (const Transfer &transfer : list.raw())
    renumbered.push_back(TransferId(next[getKey(transfer)]++));
  auto renumber = [&](TransferId &id) {
    if (id.isValid())
      id = renumbered[id];
  };
  IdVector<TransferId, Transfer> sorted(list.size());
  for (TransferId id : idRange<TransferId>(list.size())) {
    renumber(list[id].source);
    sorted[renumbered[id]] = list[id];
  }
  list = std::move(sorted);
  for (UseId use : idRange<UseId>(uses.size()))
    renumber(uses[use]);
  for (TransferId &id : definitions)
    renumber(id);
}

/// Puts the transfers of all cells together.
class TransferBuilder {
public:
  TransferBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : graph(assignment.getGraph()), topology(assignment.getTopology()), builder(assignment, planner) {
    transfers.uses.resize(graph.uses.size());
    transfers.definitions.resize(graph.definitions.size());
  }

  Transfers run() {
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      if (topology.getPlace(cell).isValid())
        append(builder.buildOfPlace(cell), nullptr);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      for (uint32_t result = 0; result < graph.ops[op].numDefinitions; ++result)
        append(builder.buildOfDefinition(op, result), &transfers.definitions[graph.ops[op].firstDefinition + result]);
    transfers.sort(graph.ops.size());
    return std::move(transfers);
  }

private:
  void append(const CellTransfers &made, TransferId *definition) {
    uint32_t first = transfers.list.size();
    auto renumber = [&](TransferId id) { return id.isValid() ? TransferId(first + id.get()) : id; };
    for (const Transfer &transfer : made.list) {
      TransferId id = transfers.list.push_back(transfer);
      transfers.list[id].source = renumber(transfer.source);
    }
    for (auto [use, id] : made.uses)
      transfers.uses[use] = renumber(id);
    if (definition)
      *definition = renumber(made.definition);
  }

  const Graph &graph;
  const Topology &topology;
  CellTransferBuilder builder;
  Transfers transfers;
};

Transfers buildTransfers(const Assignment &assignment, ReshardPlanner &planner) {
  return TransferBuilder(assignment, planner).run();
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

std::vector<CollectiveCount> countCollectives(const Graph &graph, const ReshardPlanner &planner,
                                              const Transfers &transfers) {
  std::vector<CollectiveCount> counts;
  for (const Transfer &transfer : transfers.list.raw()) {
    int64_t trips = graph.getMultiplicity(transfer.region), times = trips < 0 ? 1 : trips;
    for (const ReshardStep &step : planner[transfer.plan].steps) {
      if (step.kind == CollectiveKind::AllSlice)
        continue;
      auto isSame = [&](const CollectiveCount &count) { return count.kind == step.kind && count.axes == step.axes; };
      auto found = llvm::find_if(counts, isSame);
      if (found == counts.end())
        found = counts.insert(counts.end(), {step.kind, step.axes});
      found->count += times;
      found->payloadBytes += times * step.payloadBytes;
      found->sentBytes += times * ((step.sentBits + 7) / 8);
    }
  }
  llvm::sort(counts, [](const CollectiveCount &a, const CollectiveCount &b) {
    return std::tie(a.kind, a.axes) < std::tie(b.kind, b.axes);
  });
  return counts;
}

} // namespace partita
