//===- PlanReport.h - plan.json and report.json ---------------------------===//
//
// Writes the two JSON files of a plan. plan.json holds decisions and can be
// replayed; report.json explains and prices them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PLANREPORT_H
#define PARTITA_REPORT_PLANREPORT_H

#include "partita/Report/Overview.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/ScoreBuilder.h"
#include "partita/Report/SearchText.h"
#include "partita/Report/Trace.h"
#include "partita/Temporal/TemporalTactics.h"

namespace partita::report {

/// The content of report.json: the score of a plan, its overview, what each tactic did, the searches, and the static
/// check.
struct Report {
  const Plan &plan;
  const Score &score;
  const SearchReport &search;
  const Overview &overview;
  /// Numbers of donated arguments whose buffer no result can take.
  llvm::ArrayRef<unsigned> droppedDonors;
  /// Whether the local program has passed the static check.
  bool isChecked = false;
  const Rewrites &rewrites;
};

/// report.json. Times and memory are null without a machine.
std::string printReport(const Report &report);

/// What `partita plan` prints: the overview; in detail, also what each given tactic did or how the search went, and the
/// score.
std::string printPlanText(const Plan &plan, const Overview &overview, const Score &score, const SearchReport &search,
                          bool isDetailed);

/// plan.json (Schedule/PlanFile.h), with the score as its cost if the plan is priced.
std::string printPlan(const Plan &plan, const Price *price, const Score &score, const Rewrites &rewrites);

} // namespace partita::report

#endif
