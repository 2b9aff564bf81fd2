//===- PlanDifference.cpp - where two plans differ, and what it costs -----===//

#include "partita/Driver/PlanDifference.h"

#include "partita/Graph/Paths.h"
#include "partita/Report/Units.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace partita {

namespace {

struct ValueTime {
  int64_t computePs = 0, communicationPs = 0;
};

} // namespace

/// Time of what computes and of what moves each cell.
static IdVector<CellId, ValueTime> collectTimes(const ComparedPlan &plan) {
  const Graph &graph = plan.planning.getGraph();
  IdVector<CellId, ValueTime> times(graph.cells.size());
  for (const OpTime &entry : plan.pricing.tracker.listOps())
    if (!graph.getResults(entry.op).empty())
      times[graph.getResults(entry.op).front()].computePs += entry.timePs;
  for (TransferId id : idRange<TransferId>(plan.pricing.transfers.size()))
    times[plan.pricing.transfers[id].cell].communicationPs += plan.score.reshards[id.get()].timePs.value_or(0);
  return times;
}

static int64_t getLocalBytes(const ComparedPlan &plan, CellId cell, const Sharding &sharding) {
  const Graph &graph = plan.planning.getGraph();
  return computeLocalBits(plan.planning.axes, graph.getShape(cell), graph.cells[cell].elementBits, sharding) / 8;
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
  const Graph &graph = first.planning.getGraph();
  IdVector<CellId, ValueTime> before = collectTimes(first), after = collectTimes(second);
  std::map<std::tuple<std::string, std::string, std::string, std::string>, GroupDifference> groups;
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    Sharding from = first.planning.assignment->getCellSharding(cell);
    Sharding to = second.planning.assignment->getCellSharding(cell);
    GroupDifference own;
    own.before = printSharding(first.planning.axes, from);
    own.after = printSharding(second.planning.axes, to);
    own.computePs = after[cell].computePs - before[cell].computePs;
    own.communicationPs = after[cell].communicationPs - before[cell].communicationPs;
    own.bytes = getLocalBytes(second, cell, to) - getLocalBytes(first, cell, from);
    if (own.before == own.after && own.computePs == 0 && own.communicationPs == 0) {
      ++difference.numEqual;
      continue;
    }
    own.name = collapseNumbers(graph.getFullName(graph.cells[cell].name, graph.cells[cell].occurrence));
    own.type = printType(graph, cell);
    GroupDifference &group = groups[{own.name, own.type, own.before, own.after}];
    own.count = group.count + 1;
    own.computePs += group.computePs;
    own.communicationPs += group.communicationPs;
    own.bytes += group.bytes;
    group = std::move(own);
  }
  for (auto &[key, group] : groups)
    difference.groups.push_back(std::move(group));
  auto getSize = [](const GroupDifference &group) { return std::abs(group.computePs + group.communicationPs); };
  llvm::sort(difference.groups, [&](const GroupDifference &a, const GroupDifference &b) {
    return std::tuple(-getSize(a), a.name, a.type, a.before, a.after) <
           std::tuple(-getSize(b), b.name, b.type, b.before, b.after);
  });
  return difference;
}

/// `+1.2 ms`.
static std::string printChange(int64_t value, std::string (*print)(int64_t)) {
  return (value < 0 ? "-" : "+") + print(std::abs(value));
}

std::string printDifference(const PlanDifference &difference) {
  static constexpr size_t maxGroups = 25;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "first:  " << difference.first << "\nsecond: " << difference.second << "\n\n";
  out << llvm::formatv("  {0,-24}{1,12}{2,12}{3,13}\n", "", "first", "second", "difference");
  auto row = [&](llvm::StringRef name, const int64_t (&values)[2], std::string (*print)(int64_t)) {
    out << llvm::formatv("  {0,-24}{1,12}{2,12}{3,13}\n", name, print(values[0]), print(values[1]),
                         printChange(values[1] - values[0], print));
  };
  row("time", difference.timePs, printTime);
  row("compute", difference.computePs, printTime);
  row("communication", difference.communicationPs, printTime);
  row("exposed communication", difference.exposedPs, printTime);
  row("peak memory", difference.peakBytes, printBytes);
  out << "\n" << difference.groups.size() << " groups of values differ, " << difference.numEqual << " values do not\n";
  if (difference.groups.empty())
    return text;
  out << llvm::formatv("\n  {0,11}{1,11}{2,12}  {3}\n", "compute", "comm.", "bytes", "value: first -> second");
  for (const GroupDifference &group : llvm::ArrayRef(difference.groups).take_front(maxGroups)) {
    out << llvm::formatv("  {0,11}{1,11}{2,12}  {3}{4}: {5}\n", printChange(group.computePs, printTime),
                         printChange(group.communicationPs, printTime), printChange(group.bytes, printBytes),
                         group.name, group.count > 1 ? " x" + std::to_string(group.count) : "", group.type);
    std::string change =
        group.before == group.after ? group.before + ", moved otherwise" : group.before + " -> " + group.after;
    out << llvm::formatv("  {0,34}  {1}\n", "", change);
  }
  if (difference.groups.size() > maxGroups)
    out << "  and " << difference.groups.size() - maxGroups << " more\n";
  return text;
}

std::string printDifferenceJson(const PlanDifference &difference) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out, /*IndentSize=*/1);
  auto pair = [&](llvm::StringRef key, const int64_t (&values)[2]) {
    json.attributeArray(key, [&] {
      json.value(values[0]);
      json.value(values[1]);
    });
  };
  json.object([&] {
    json.attributeArray("plans", [&] {
      json.value(difference.first);
      json.value(difference.second);
    });
    pair("time_ps", difference.timePs);
    pair("compute_ps", difference.computePs);
    pair("communication_ps", difference.communicationPs);
    pair("exposed_communication_ps", difference.exposedPs);
    pair("peak_bytes", difference.peakBytes);
    json.attribute("equal_values", difference.numEqual);
    json.attributeArray("differences", [&] {
      for (const GroupDifference &group : difference.groups)
        json.object([&] {
          json.attribute("value", group.name);
          json.attribute("type", group.type);
          json.attribute("count", group.count);
          json.attribute("first", group.before);
          json.attribute("second", group.after);
          json.attribute("compute_ps", group.computePs);
          json.attribute("communication_ps", group.communicationPs);
          json.attribute("bytes", group.bytes);
        });
    });
  });
  json.flush();
  out << "\n";
  return text;
}

} // namespace partita
