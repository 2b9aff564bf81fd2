//===- Overview.h - a plan at a glance ------------------------------------===//
//
// What `partita plan` prints and Python's `print(plan.report)` shows, on one
// screen: the strategy in a sentence, how each argument is sharded, the time,
// the memory by class, what the plan was compared with, and warnings. report.json
// has it as `overview`, from which Python prints the same lines.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_OVERVIEW_H
#define PARTITA_REPORT_OVERVIEW_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"
#include "partita/Report/SearchText.h"

namespace partita::report {

/// Arguments of one kind that are sharded alike and whose names differ only in numbers.
struct OverviewArgument {
  GroupKind kind = GroupKind::Input;
  std::string name, type;
  /// As JAX writes it: `P(None, 'model')`.
  std::string spec;
  /// For optimizer state: whether all of it is sharded as its parameters are.
  bool isAsParameter = false;
  int64_t count = 0;
  /// Of all of them together: of the whole tensors, and of the pieces on one device.
  int64_t bytes = 0, localBytes = 0;
};

/// A plan beside this one.
struct OverviewRow {
  /// `variant` (other memory actions), `rival` (the user's plan, or the found one), `mesh` (another shape of it),
  /// `expert`, `runner-up` or `unsplit`.
  llvm::StringRef kind;
  std::string name;
  int64_t timePs = 0, peakBytes = 0;
  /// Which of the two plans is faster is not known (TimeBand.h).
  bool isTooClose = false;
};

struct Overview {
  /// One sentence: what is split, or that nothing is, and what was done to the program.
  std::string strategy;
  /// What was done to the program, apart from padding: microbatches, a pipeline, recomputation; a line each.
  std::vector<std::string> memoryActions;
  /// Dims that were made longer; empty if there are none.
  std::string padding;
  /// Parameters, optimizer state, caches, inputs; the largest first among each.
  std::vector<OverviewArgument> arguments;
  /// Classes of what is alive at the peak of memory, in a fixed order; without a machine there are none.
  std::vector<std::pair<llvm::StringRef, int64_t>> memory;
  /// The best first of each kind; empty unless the plan was searched for or compared with a baseline.
  std::vector<OverviewRow> compared;
  /// What the tactics left undecided; nothing if they were searched for.
  std::vector<ConflictReport> conflicts;
  /// Further remarks, a line each.
  std::vector<std::string> notes;
};

/// The strategy of a plan in one sentence: what is split, or that nothing is, and what was done to the program.
/// `analysis` is of the plan's program, which `rewrites` made of the one that was given.
std::string describeStrategy(const Plan &plan, const SearchReport &search, const Analysis &analysis,
                             const Rewrites &rewrites);

/// Whether a dim of the program has the word `experts`.
bool hasExperts(const Analysis &analysis);

/// `analysis` is of the plan's program; `rewrites` made it of the one that was given. `price` is null without a
/// machine.
Overview buildOverview(const Plan &plan, const Score &score, const SearchReport &search, const Analysis &analysis,
                       const Rewrites &rewrites = {}, const Price *price = nullptr);

/// For a terminal; with all arguments if `isLong`.
std::string printOverview(const Overview &overview, const Score &score, bool isLong);

/// Writes the members of report.json's `overview`.
void writeOverview(const Overview &overview, llvm::json::OStream &json);

} // namespace partita::report

#endif
