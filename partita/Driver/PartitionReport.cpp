//===- PartitionReport.cpp - report.json ----------------------------------===//
//
// What DESIGN calls the score, and what a plan's user asks of it: which
// collectives there are and why. Times and memory are null until there is a
// machine to price them on.
//
//===----------------------------------------------------------------------===//

#include "partita/Driver/Partition.h"

#include "partita/Support/Version.h"

#include "llvm/Support/JSON.h"

namespace partita {

namespace {

using Json = llvm::json::OStream;

/// Writes the reshards of one partition.
class ReshardWriter {
public:
  ReshardWriter(const Planning &planning, const Partition &partition, Json &json)
      : graph(planning.getGraph()), axes(planning.axes), planning(planning), partition(partition), json(json) {}

  void write() {
    for (const Transfer &transfer : partition.transfers.list.raw())
      json.object([&] { writeTransfer(transfer); });
  }

private:
  void writeTransfer(const Transfer &transfer);
  std::string getCause(const Transfer &transfer) const;
  /// The tactic behind it: of the op that it stands at, on an axis that it moves.
  std::string getTactic(const Transfer &transfer) const;

  const Graph &graph;
  const Axes &axes;
  const Planning &planning;
  const Partition &partition;
  Json &json;
};

} // namespace

static void writeNulls(Json &json, llvm::ArrayRef<llvm::StringRef> keys) {
  for (llvm::StringRef key : keys)
    json.attribute(key, nullptr);
}

std::string ReshardWriter::getCause(const Transfer &transfer) const {
  const ReshardPlan &plan = partition.planner[transfer.plan];
  if (plan.from.partial != plan.to.partial)
    return "partial results are combined";
  if (!transfer.op.isValid())
    return "uses need another sharding than the value has";
  const Op &op = graph.ops[transfer.op];
  std::string name = graph.getName(op.kind).str() + " " + graph.getFullName(op.name, op.occurrence);
  return (transfer.position == TransferPosition::BeforeUse ? "needed by " : "given by ") + name;
}

std::string ReshardWriter::getTactic(const Transfer &transfer) const {
  const ReshardPlan &plan = partition.planner[transfer.plan];
  const Assignment &assignment = *planning.assignment;
  uint32_t step = UINT32_MAX;
  for (AxisId axis : plan.steps.empty() ? llvm::SmallVector<AxisId, 2>() : plan.steps.front().axes) {
    NodeId node = transfer.op.isValid() ? NodeId(transfer.op.get()) : assignment.getTopology().getPlace(transfer.cell);
    if (node.isValid() && assignment.getFactor(node, axis) != noFactor)
      step = assignment.getStep(node, axis);
    OpId definition = assignment.getTopology().getDefinition(transfer.cell);
    if (step == UINT32_MAX && definition.isValid() && assignment.getFactor(NodeId(definition.get()), axis) != noFactor)
      step = assignment.getStep(NodeId(definition.get()), axis);
  }
  if (step >= planning.outcome.stepTactics.size())
    return "";
  return planning.outcome.reports[planning.outcome.stepTactics[step]].name;
}

void ReshardWriter::writeTransfer(const Transfer &transfer) {
  const ReshardPlan &plan = partition.planner[transfer.plan];
  const Cell &cell = graph.cells[transfer.cell];
  int64_t multiplicity = graph.getMultiplicity(transfer.region), bytes = 0;
  for (const ReshardStep &step : plan.steps)
    bytes += step.payloadBytes;
  json.attribute("value", graph.getFullName(cell.name, cell.occurrence));
  json.attribute("loc", graph.getName(transfer.op.isValid() ? graph.ops[transfer.op].place : cell.place));
  json.attribute("from", printForm(axes, plan.from));
  json.attribute("to", printForm(axes, plan.to));
  json.attribute("steps", printSteps(axes, plan));
  json.attribute("count", std::max<int64_t>(1, multiplicity));
  json.attribute("bytes", bytes * std::max<int64_t>(1, multiplicity));
  writeNulls(json, {"time_ps", "exposed_ps"});
  json.attribute("cause", getCause(transfer));
  json.attribute("tactic", getTactic(transfer));
}

static void writeCollective(Json &json, const Axes &axes, const CollectiveCount &count) {
  json.attribute("kind", getName(count.kind));
  json.attributeArray("axes", [&] {
    for (const std::string &name : getNames(axes, count.axes))
      json.value(name);
  });
  json.attribute("count", count.count);
  json.attribute("bytes", count.payloadBytes);
  json.attribute("wire_bytes", count.sentBytes);
  writeNulls(json, {"time_ps"});
}

static void writeScore(Json &json, const Planning &planning, const Partition &partition) {
  const Graph &graph = planning.getGraph();
  writeNulls(json, {"time_ps", "compute_ps", "communication_ps", "exposed_communication_ps", "peak_bytes",
                    "limit_bytes", "fits", "flops", "mfu", "lower_bound_ps"});
  json.attributeArray("collectives", [&] {
    for (const CollectiveCount &count : countCollectives(graph, partition.planner, partition.transfers))
      json.object([&] { writeCollective(json, planning.axes, count); });
  });
  json.attributeArray("reshards", [&] { ReshardWriter(planning, partition, json).write(); });
  writeNulls(json, {"memory", "levels", "split_flops", "replicated"});
  json.attributeArray("unpriced", [&] {
    for (const UnknownOp &op : planning.flattened.unknown)
      json.object([&] {
        json.attribute("op", op.op);
        json.attribute("target", op.target);
        json.attribute("count", op.count);
      });
  });
}

std::string printPlanReport(const Planning &planning, const Partition &partition) {
  const Graph &graph = planning.getGraph();
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json json(stream, /*IndentSize=*/1);
  json.object([&] {
    writeScore(json, planning, partition);
    json.attributeArray("tactics", [&] {
      for (const TacticReport &report : planning.outcome.reports)
        writeReport(report, json);
    });
    json.attributeArray("dropped_donors", [&] {
      for (unsigned argument : partition.local.droppedDonors)
        json.value(graph.getName(graph.cells[graph.arguments[argument]].name));
    });
    writeNulls(json, {"search"});
    json.attributeObject("provenance", [&] {
      json.attribute("partita", getVersion());
      writeNulls(json, {"jax", "platform", "machine_sha256"});
    });
    json.attributeObject("checked", [&] {
      json.attribute("relation", partition.isChecked);
      json.attribute("executed", false);
    });
  });
  json.flush();
  return text + "\n";
}

} // namespace partita
