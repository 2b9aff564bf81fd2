//===- SearchOptions.h - options of the search ----------------------------===//
//
// What a user can say about a search: its method, its budget and deadline, its
// goals, and what it shows on the way. Each field is also a flag of the commands
// that search and a keyword of the Python package.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCHOPTIONS_H
#define PARTITA_SEARCH_SEARCHOPTIONS_H

#include "partita/Search/Rooms.h"
#include "partita/Support/OptionTable.h"

namespace partita::search {

struct SearchOptions {
  std::string method = "mcts";
  bool noSeeds = false;
  /// Names of stages, separated by commas; empty: all.
  std::string stages;
  bool noFold = false;
  /// 0: chosen by the number of moves (chooseBudget).
  int64_t budget = 0;
  /// `2s`, `500ms`, or seconds; empty: none.
  std::string deadline;
  /// Seed of random choices.
  int64_t seed = 0;
  /// 0: one for each processor, at most 8.
  int64_t threads = 0;
  std::string goals = "fit,time";
  bool strict = false;
  int64_t depth = 3;
  std::string progress;
  std::string dumpEvaluated;
  /// The folder of an earlier plan, from whose search this one goes on; empty: none.
  std::string resume;

  void visitOptions(OptionVisitor &visitor) {
    visitor.choice({"search", "method", "How to search; none: only --schedule and the program's own shardings"}, method,
                   {"mcts", "beam", "random", "exhaustive", "none"});
    visitor.toggle({"no-seeds", "", "Does not start from known strategies (data, tensor, ZeRO, ...)"}, noSeeds);
    visitor.text({"stages", "names", "Runs only these stages of mcts, as docs/search.md lists them: seeds,greedy,tree"},
                 stages);
    visitor.toggle({"no-fold", "", "Searches repeated layers one by one, which is slower"}, noFold);
    visitor.integer(
        {"budget", "evaluations", "Candidate plans to evaluate at most; 0 chooses by the size of the program"}, budget,
        0, INT64_MAX);
    visitor.text({"deadline", "time", "Ends the search after that time with the best found: 2s, 500ms"}, deadline);
    visitor.integer({"threads", "threads",
                     "Threads of the search; the result does not depend on them; 0: one for each processor, at most 8"},
                    threads, 0, 256);
    visitor.integer({"seed", "number", "Chooses the random moves of the search"}, seed, 0, INT64_MAX);
    visitor.text({"goals", "goals", "What to optimize, the most important first: of fit, time, memory, communication"},
                 goals);
    visitor.toggle({"strict", "", "A search that was cut short is an error, exit code 10"}, strict);
    visitor.integer({"depth", "moves", "Of exhaustive search: moves of a plan at most"}, depth, 0, 16);
    visitor.choice({"progress", "form", "Prints how the search goes on to standard error"}, progress, {"jsonl"});
    visitor.text({"dump-evaluated", "path", "Writes every candidate plan that was evaluated, a JSON object a line"},
                 dumpEvaluated);
    visitor.text({"resume", "folder",
                  "Goes on from the search of an earlier plan: --budget counts behind what that one evaluated"},
                 resume);
  }
};

/// Parses `2s`, `500ms` or `2` (seconds) to milliseconds; 0 for an empty text.
Result<int64_t> parseDeadline(llvm::StringRef text);

} // namespace partita::search

#endif
