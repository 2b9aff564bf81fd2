//===- PlanReport.cpp - plan.json and report.json -------------------------===//

#include "partita/Report/PlanReport.h"

#include "partita/Report/RewriteText.h"
#include "partita/Report/TacticText.h"
#include "partita/Support/Version.h"

namespace partita::report {

using Json = llvm::json::OStream;

static void writeNulls(Json &json, llvm::ArrayRef<llvm::StringRef> keys) {
  for (llvm::StringRef key : keys)
    json.attribute(key, nullptr);
}

std::string printReport(const Report &report) {
  const Graph &graph = report.plan.getGraph();
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json json(stream, /*IndentSize=*/1);
  json.object([&] {
    writeScore(report.score, json);
    json.attributeObject("overview", [&] { writeOverview(report.overview, json); });
    writeRewrites(report.rewrites, json);
    json.attributeArray("tactics", [&] {
      for (const TacticReport &tactic : report.plan.outcome.reports)
        writeTactic(tactic, json);
    });
    json.attributeArray("dropped_donors", [&] {
      for (unsigned argument : report.droppedDonors)
        json.value(graph.getName(graph.cells[graph.arguments[argument]].name));
    });
    if (report.search.found.empty())
      writeNulls(json, {"search"});
    else
      json.attributeObject("search", [&] { writeSearch(report.search, json); });
    json.attributeObject("provenance", [&] {
      json.attribute("partita", getVersion());
      writeNulls(json, {"jax", "platform", "machine_sha256"});
    });
    json.attributeObject("checked", [&] {
      json.attribute("relation", report.isChecked);
      json.attribute("executed", false);
    });
  });
  json.flush();
  return text + "\n";
}

std::string printPlanText(const Plan &plan, const Overview &overview, const Score &score, const SearchReport &search,
                          bool isDetailed) {
  std::string text = printOverview(overview, score, isDetailed);
  if (isDetailed)
    text += "\n" + (search.found.empty() ? printTactics(plan, /*asJson=*/false) : printSearch(search)) + "\n" +
            printScore(score);
  return text;
}

std::string printPlan(const Plan &plan, const Price *price, const Score &score, const Rewrites &rewrites) {
  auto writeCost = [&](Json &json) { writeScore(score, json); };
  std::optional<PlanCost> cost;
  if (price) {
    llvm::ArrayRef<int64_t> order = price->model.getDeviceOrder();
    cost = PlanCost{price->getMachine().name, score.placement, {}, writeCost};
    if (!llvm::is_sorted(order))
      cost->deviceOrder = order.vec();
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  writePlan({plan.schedule ? &*plan.schedule : nullptr, plan.outcome, plan.assignment, plan.program.names,
             plan.reductions, cost ? &*cost : nullptr,
             rewrites.reordered ? llvm::ArrayRef(rewrites.reordered->stored) : llvm::ArrayRef<StoredOrder>(),
             plan.pieced, plan.rotatedNames},
            out);
  return text;
}

} // namespace partita::report
