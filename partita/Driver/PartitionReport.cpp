//===- PartitionReport.cpp - report.json ----------------------------------===//
//
// The score of the plan, and what its user asks of it beyond: what each tactic
// did, which donors were dropped. Times and memory are null where there is no
// machine to price them on.
//
//===----------------------------------------------------------------------===//

#include "partita/Driver/Partition.h"
#include "partita/Driver/Searching.h"
#include "partita/Support/Version.h"

#include "llvm/Support/JSON.h"

namespace partita {

using Json = llvm::json::OStream;

static void writeNulls(Json &json, llvm::ArrayRef<llvm::StringRef> keys) {
  for (llvm::StringRef key : keys)
    json.attribute(key, nullptr);
}

std::string printPlanReport(const Planning &planning, const Partition &partition, const Score &score,
                            const Options &options) {
  const Graph &graph = planning.getGraph();
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json json(stream, /*IndentSize=*/1);
  json.object([&] {
    writeScore(score, json);
    json.attributeArray("tactics", [&] {
      for (const TacticReport &report : planning.outcome.reports)
        writeReport(report, json);
    });
    json.attributeArray("dropped_donors", [&] {
      for (unsigned argument : partition.local.droppedDonors)
        json.value(graph.getName(graph.cells[graph.arguments[argument]].name));
    });
    if (planning.found.empty())
      writeNulls(json, {"search"});
    else
      json.attributeObject("search", [&] { writeFound(planning.found, planning.meshes, options, json); });
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
