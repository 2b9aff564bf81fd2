//===- SearchText.h - a search's result and progress as text and JSON -----===//
//
// The summary that `partita plan` prints after a search, the `search` member of
// report.json, and progress while the search runs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_SEARCHTEXT_H
#define PARTITA_REPORT_SEARCHTEXT_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"
#include "partita/Search/MeshSearch.h"
#include "partita/Variants/VariantSearch.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// A plan beside that of a report.
struct RivalPlan {
  Strategy strategy;
  /// Whether the user gave it, with `--baseline`.
  bool isBaseline = false;
};

/// The searches behind a plan and their results.
struct SearchReport {
  /// One for each automatic tactic. The last one's cost is that of the whole plan.
  std::vector<FoundTactics> found;
  /// If the search also chose the shape of the mesh, or its placement: all that were tried, that of the plan first.
  std::vector<MeshTrial> meshes;
  int64_t seed = 0;
  /// A plan that the search was not asked for but compared with: the user's own or, if that is the plan, the found one.
  std::optional<RivalPlan> rival;
  /// Memory actions that were tried.
  VariantReport variants = {};
};

/// Makes each of two plans the other's rival. Whether the user's own is to be taken, which a warning says: a search
/// found nothing that fits where the user's does not, or that is faster.
bool compareWithBaseline(SearchReport &search, const Price &price, SearchReport &baseline, const Price &baselinePrice);

/// The same with the cost and the timeline of the whole plan: a search may have priced a folded program, and simulates
/// only where plans are close.
SearchReport withPlanCost(SearchReport report, const Price &price, int64_t timelinePs);

/// For a terminal.
std::string printSearch(const SearchReport &report);

/// The members of report.json's `search`.
void writeSearch(const SearchReport &report, llvm::json::OStream &json);

/// An error if a plan does not fit, or if the search was stopped early although it must complete (`--strict`).
Status checkFound(llvm::ArrayRef<FoundTactics> found, const Score &score, bool isStrict);

/// Shows the progress of a search. `--dump-evaluated` writes every state. `--progress jsonl` prints states that are
/// better and every hundredth, so that a progress bar moves. A terminal gets one changing line.
class SearchProgress {
public:
  SearchProgress(std::string dumpPath, bool printsJson);

  /// Refers to this object.
  SearchWatch getWatch();

private:
  void addState(const EvaluatedState &state, llvm::ArrayRef<Goal> goals);
  Status end(const FoundTactics *found);

  std::string dumpPath, dump;
  bool printsJson, isLive;
  Rating best = Rating::worst();
};

} // namespace partita::report

#endif
