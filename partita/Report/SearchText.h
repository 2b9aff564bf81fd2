//===- SearchText.h - what a search found, for people and files -----------===//

#ifndef PARTITA_REPORT_SEARCHTEXT_H
#define PARTITA_REPORT_SEARCHTEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Search/ScheduleSearch.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

/// What was searched for, and what came of it.
struct SearchReport {
  /// One for each automatic tactic. The last one's cost is that of the whole plan.
  std::vector<FoundTactics> found;
  /// If the shape of the mesh was searched for, too: all shapes, that of the plan first.
  std::vector<MeshTrial> meshes;
  int64_t seed = 0;
};

/// For a terminal.
std::string printSearch(const SearchReport &report);

/// The members of report.json's `search`.
void writeSearch(const SearchReport &report, llvm::json::OStream &json);

/// An error if a plan is not what was asked for: it does not fit, or it has to be complete (`--strict`) and the search
/// was cut short.
Status checkFound(llvm::ArrayRef<FoundTactics> found, bool isStrict);

/// Tells how a search goes on: `--dump-evaluated` writes every state, `--progress jsonl` prints those that are better
/// and every hundredth, so that a bar moves, and a terminal gets a line that changes.
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
