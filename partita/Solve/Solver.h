//===- Solver.h - good choices for a problem, and a lower bound -----------===//
//
// The stages, each named in the solution:
//
//   reduce     a smaller problem (Reduction.h), which may already be decided
//   enumerate  all labels, where there are few
//   eliminate  exactly, where memory limits nothing and tables stay small
//              (Elimination.h)
//   dual       the bound (DualAscent.h), whose relaxed minimum is rounded now and
//              then; each rounded solution is bettered in a few regions
//   dive       the same, but variables are fixed a few at a time and the dual goes
//              on in between
//   regions    the best one is bettered for the rest of the budget
//              (NeighborhoodSearch.h)
//
// The budget counts work, not time: the same problem and options give the same
// solution, with any number of threads, unless `isOver` ended the run.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_SOLVER_H
#define PARTITA_SOLVE_SOLVER_H

#include "partita/Solve/ChoiceProblem.h"
#include "partita/Support/OptionTable.h"

#include <functional>

namespace partita::solve {

struct SolverOptions {
  int64_t seed = 0, numThreads = 2;
  /// Entries of cost tables that may be looked at, in millions.
  int64_t budget = 80'000;
  /// Asked now and then; if true, the best so far is returned. May be empty.
  std::function<bool()> isOver;
  /// The same after so long; 0: never.
  int64_t deadlineMs = 0;

  uint64_t getSeed() const { return static_cast<uint64_t>(seed); }
  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"budget", "millions", "Entries of cost tables to look at, in millions; says when the search ends"},
                    budget, 1, 1'000'000'000);
    visitor.integer({"threads", "threads", "Threads of the search; the result does not depend on them"}, numThreads, 1,
                    256);
    visitor.integer({"seed", "number", "Chooses the random regions of the search"}, seed, 0, INT64_MAX);
  }
};

struct Solution {
  /// Empty if none within the limit was found.
  Choices choices;
  ChoiceValue value;
  /// No choices within the limit cost less.
  Total lowerBound = 0;
  /// The limit cannot be met, or all choices are ruled out: proved.
  bool isInfeasible = false;
  /// Which stage found the choices, and why the solver stopped: "optimal", "infeasible", "budget" or "over".
  const char *stage = "reduce", *stopped = "optimal";
  int64_t iterations = 0, regions = 0, work = 0;
  /// The size of the reduced problem.
  size_t numVariables = 0, numRows = 0;

  /// (cost - bound) / cost; 0 where both are 0.
  double computeGap() const;
};

Solution solveProblem(const ChoiceProblem &problem, const SolverOptions &options);

} // namespace partita::solve

#endif
