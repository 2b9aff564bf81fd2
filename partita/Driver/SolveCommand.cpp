//===- SolveCommand.cpp - problems of choice that are given as files ------===//

#include "partita/Driver/Commands.h"
#include "partita/Report/SolutionText.h"
#include "partita/Solve/ProblemReader.h"
#include "partita/Solve/Solver.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/Interrupt.h"
#include "partita/Support/StageClock.h"

#include <chrono>

namespace partita::driver {

Status runSolve(const SolveCommand &options, Operands files) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  Result<int64_t> deadlineMs = parseDeadline(options.deadline);
  if (!deadlineMs)
    return deadlineMs.error();
  StageClock clock(options.common.timing);
  auto problem = clock.run("read", [&] { return readProblem(files.front(), options.common.limits); });
  if (!problem)
    return problem.error();
  setActivity("solving " + files.front());
  catchInterrupts();
  SolverOptions solver;
  solver.seed = options.seed;
  solver.numThreads = options.threads;
  solver.budget = options.budget;
  solver.isOver = [&] {
    return isInterrupted() || (*deadlineMs > 0 && Clock::now() >= begin + std::chrono::milliseconds(*deadlineMs));
  };
  Solution solution = clock.run("solve", [&] { return solveProblem(*problem, solver); });
  std::string text = options.json ? printSolutionJson(*problem, solution) : printSolution(*problem, solution);
  if (Status error = emit(options.common.output, std::move(text)))
    return error;
  if (!solution.choices.empty() || problem->nodes.empty())
    return std::nullopt;
  if (solution.isInfeasible)
    return Error::doesNotFit("no choice of strategies is within the usage limit")
        .withRemedy("raise \"usage_limit\", or give nodes strategies that use less");
  return Error::doesNotFit("no choice of strategies within the usage limit was found; there may be one")
      .withRemedy("raise --budget, or \"usage_limit\" in the file");
}

} // namespace partita::driver
