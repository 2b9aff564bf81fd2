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

static void writeValue(CellId cell, const Assignment &assignment, const CellNames &names, Json &json) {
  json.attribute("name", names.getName(cell));
  json.attribute("type", printType(assignment.getGraph(), cell));
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
  const auto &[schedule, outcome, assignment, names, reductions, cost] = plan;
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
  writeJsonList(out, "actions", outcome.actions,
                [&](Json &json, const Action &action) { json.object([&] { writeAction(action, plan.names, json); }); });
  auto write = [&](Json &json, CellId cell) {
    json.object([&] { writeValue(cell, plan.assignment, plan.names, json); });
  };
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
