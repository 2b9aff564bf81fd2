//===- PlanDifference.cpp - where two plans differ, and what it costs -----===//

#include "partita/Report/PlanDifference.h"

#include "partita/Graph/Paths.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace partita::report {

namespace {

/// The cost of a cell in one plan.
struct ValueCost {
  int64_t computePs = 0, communicationPs = 0;
  std::string moves;
};

} // namespace

/// The time of the op and of the reshards of each cell.
static IdVector<CellId, ValueCost> collectCosts(const ComparedPlan &plan) {
  const Graph &graph = plan.plan.getGraph();
  IdVector<CellId, ValueCost> costs(graph.cells.size());
  for (const OpTime &entry : plan.price.times.ops)
    if (!graph.getResults(entry.op).empty())
      costs[graph.getResults(entry.op).front()].computePs += entry.timePs;
  for (ReshardId id : idRange<ReshardId>(plan.plan.reshards.size())) {
    ValueCost &cost = costs[plan.plan.reshards[id].cell];
    const ScoreReshard &reshard = plan.score.reshards[id.get()];
    cost.communicationPs += reshard.timePs.value_or(0);
    if (!llvm::StringRef(cost.moves).contains(reshard.steps))
      cost.moves += (cost.moves.empty() ? "" : " and ") + reshard.steps;
  }
  return costs;
}

static int64_t getLocalBytes(const ComparedPlan &plan, CellId cell, const Sharding &sharding) {
  const Graph &graph = plan.plan.getGraph();
  return computeLocalBits(plan.plan.axes, graph.getShape(cell), graph.cells[cell].elementBits, sharding) / 8;
}

static std::vector<CollectiveDifference> compareCollectives(const Score *const (&scores)[2]) {
  std::map<std::pair<std::string, std::string>, CollectiveDifference> found;
  for (int side = 0; side < 2; ++side)
    for (const ScoreCollective &entry : scores[side]->collectives) {
      std::string axes = llvm::join(entry.axes, ",");
      CollectiveDifference &own = found[{entry.kind, axes}];
      own.kind = entry.kind;
      own.axes = std::move(axes);
      own.count[side] += entry.count;
      own.bytes[side] += entry.bytes;
      own.timePs[side] += entry.timePs.value_or(0);
    }
  std::vector<CollectiveDifference> list;
  for (auto &[key, entry] : found)
    list.push_back(std::move(entry));
  return list;
}

/// The difference at one cell.
static GroupDifference compareCell(const ComparedPlan *const (&plans)[2], CellId cell,
                                   const ValueCost *const (&costs)[2]) {
  const Graph &graph = plans[0]->plan.getGraph();
  GroupDifference own;
  int64_t bytes[2];
  for (int side = 0; side < 2; ++side) {
    Sharding sharding = plans[side]->plan.assignment.getCellSharding(cell);
    own.shardings[side] = printSharding(plans[side]->plan.axes, sharding);
    own.moves[side] = costs[side]->moves;
    bytes[side] = getLocalBytes(*plans[side], cell, sharding);
  }
  own.count = 1;
  own.computePs = costs[1]->computePs - costs[0]->computePs;
  own.communicationPs = costs[1]->communicationPs - costs[0]->communicationPs;
  own.bytes = bytes[1] - bytes[0];
  own.isArgument = graph.cells[cell].kind == CellKind::Argument;
  own.name = collapseNumbers(graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence));
  own.type = printType(graph, cell);
  own.loc = graph.getName(graph.cells[cell].location).str();
  return own;
}

static void addTo(GroupDifference &group, GroupDifference &&own) {
  own.count += group.count;
  own.computePs += group.computePs;
  own.communicationPs += group.communicationPs;
  own.bytes += group.bytes;
  if (group.count > 0)
    own.loc = group.loc;
  group = std::move(own);
}

static void compareValues(const ComparedPlan *const (&plans)[2], PlanDifference &difference) {
  IdVector<CellId, ValueCost> costs[] = {collectCosts(*plans[0]), collectCosts(*plans[1])};
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>, GroupDifference>
      groups;
  for (CellId cell : idRange<CellId>(plans[0]->plan.getGraph().cells.size())) {
    GroupDifference own = compareCell(plans, cell, {&costs[0][cell], &costs[1][cell]});
    if (own.shardings[0] == own.shardings[1] && own.computePs == 0 && own.communicationPs == 0) {
      ++difference.numEqual;
      continue;
    }
    addTo(groups[{own.name, own.type, own.shardings[0], own.shardings[1], own.moves[0], own.moves[1]}], std::move(own));
  }
  for (auto &[key, group] : groups)
    difference.groups.push_back(std::move(group));
  auto getKey = [](const GroupDifference &group) {
    return std::tuple(-std::abs(group.computePs + group.communicationPs), group.name, group.type, group.shardings[0],
                      group.shardings[1], group.moves[0], group.moves[1]);
  };
  llvm::sort(difference.groups,
             [&](const GroupDifference &a, const GroupDifference &b) { return getKey(a) < getKey(b); });
}

PlanDifference comparePlans(const ComparedPlan &first, const ComparedPlan &second) {
  PlanDifference difference;
  const ComparedPlan *plans[] = {&first, &second};
  for (int side = 0; side < 2; ++side) {
    const ScorePrices &prices = *plans[side]->score.prices;
    (side ? difference.second : difference.first) = plans[side]->score.name;
    difference.timePs[side] = prices.timePs;
    difference.computePs[side] = prices.computePs;
    difference.communicationPs[side] = prices.communicationPs;
    difference.exposedPs[side] = prices.exposedCommunicationPs;
    difference.peakBytes[side] = prices.peakBytes;
  }
  difference.collectives = compareCollectives({&first.score, &second.score});
  compareValues(plans, difference);
  return difference;
}

} // namespace partita::report
