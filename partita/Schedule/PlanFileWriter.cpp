//===- PlanFileWriter.cpp - writes plan.json ------------------------------===//

#include "partita/Schedule/PlanFile.h"

#include "partita/Support/JsonList.h"

namespace partita::schedule {

using Json = llvm::json::OStream;

static void writeAction(const Action &action, const CellNames &names, Json &json) {
  json.attributeArray(getWord(action.kind), [&] {
    json.value(names.getName(action.cell));
    if (action.kind == ActionKind::Tile || action.kind == ActionKind::Side)
      json.value(action.dim);
    json.value(action.axis);
    if (action.kind == ActionKind::Assign)
      json.value(action.dim);
    if (action.kind == ActionKind::Group)
      json.array([&] {
        for (CellId user : action.users)
          json.value(names.getName(user));
      });
  });
  if (!action.tactic.empty())
    json.attribute("tactic", action.tactic);
  if (action.kind == ActionKind::Tile && action.isFirstDivisible)
    json.attribute("first_divisible", true);
}

/// `[1, 64, 64, 64]`: the dim and its parts.
static void writeOrder(const StoredOrder &order, Json &json) {
  json.attributeArray("order", [&] {
    json.value(order.dim);
    for (int64_t part : order.parts)
      json.value(part);
  });
}

static void writeValue(CellId cell, const WrittenPlan &plan, Json &json) {
  const Assignment &assignment = plan.assignment;
  const Graph &graph = assignment.getGraph();
  json.attribute("name", plan.names.getName(cell));
  json.attribute("type", printType(graph, cell));
  bool isResult = graph.cells[cell].kind == CellKind::Result;
  for (const StoredOrder &order : plan.orders)
    if (order.isResult == isResult && order.number == graph.cells[cell].number)
      writeOrder(order, json);
  json.attributeArray("sharding", [&] {
    for (const DimAxes &dim : assignment.getCellSharding(cell).dims)
      json.array([&] {
        for (const std::string &axis : getNames(assignment.getAxes(), dim))
          json.value(axis);
      });
  });
}

static void writeHead(const Assignment &assignment, const PlanCost *cost, llvm::raw_ostream &out) {
  const Graph &graph = assignment.getGraph();
  out << "{\"partita_plan\": 1,\n\"program\": ";
  {
    Json json(out);
    json.object([&] {
      json.attribute("sha256", graph.programSha256);
      json.attribute("name", graph.programName);
    });
  }
  out << ",\n\"platform\": null,\n\"mesh\": ";
  Json(out).value(assignment.getAxes().mesh.str());
  out << ",\n\"machine\": ";
  if (cost) {
    Json(out).value(cost->machine);
    out << ",\n\"placement\": ";
    Json(out).value(cost->placement);
    out << ",\n\"device_order\": ";
    if (cost->deviceOrder.empty())
      Json(out).value(nullptr);
    else
      Json(out).value(llvm::json::Array(cost->deviceOrder));
  } else {
    out << "null";
  }
  out << ",\n\"schedule\": ";
}

void writePlan(const WrittenPlan &plan, llvm::raw_ostream &out) {
  const auto &[schedule, outcome, assignment, names, reductions, cost, orders, pieced, rotated] = plan;
  writeHead(assignment, cost, out);
  {
    Json json(out);
    if (schedule)
      writeSchedule(*schedule, json);
    else
      json.value(nullptr);
  }
  if (!reductions.empty()) {
    out << ",\n\"reductions\": ";
    Json json(out);
    writePrograms(reductions, json);
  }
  if (!pieced.empty()) {
    out << ",\n\"matmul\": ";
    Json json(out);
    writePieced(pieced, json);
  }
  if (!rotated.empty()) {
    out << ",\n\"rotate\": ";
    Json json(out);
    writeRotated(rotated, json);
  }
  writeJsonList(out, "actions", outcome.actions,
                [&](Json &json, const Action &action) { json.object([&] { writeAction(action, plan.names, json); }); });
  auto write = [&](Json &json, CellId cell) { json.object([&] { writeValue(cell, plan, json); }); };
  writeJsonList(out, "arguments", assignment.getGraph().arguments, write);
  writeJsonList(out, "results", assignment.getGraph().results, write);
  out << ",\n\"cost\": ";
  if (cost) {
    Json json(out);
    json.object([&] { plan.cost->write(json); });
  } else {
    out << "null";
  }
  out << "}\n";
}

} // namespace partita::schedule
