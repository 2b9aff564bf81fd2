//===- SolveCommand.cpp - problems of choice that are given as files ------===//

#include "partita/Driver/Commands.h"
#include "partita/Report/SolutionText.h"
#include "partita/Solve/ProblemReader.h"
#include "partita/Solve/Solver.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/Interrupt.h"
#include "partita/Support/StageClock.h"

namespace partita::driver {

Status runSolve(const SolveCommand &options, Operands files) {
  Result<int64_t> deadlineMs = parseDeadline(options.deadline);
  if (!deadlineMs)
    return deadlineMs.error();
  StageClock clock(options.common.timing);
  auto problem = clock.run("read", [&] { return readProblem(files.front(), options.common.limits); });
  if (!problem)
    return problem.error();
  setActivity("solving " + files.front());
  catchInterrupts();
  SolverOptions solver = options.solver;
  solver.deadlineMs = *deadlineMs;
  solver.isOver = isInterrupted;
  Solution solution = clock.run("solve", [&] { return solveProblem(*problem, solver); });
  std::string text = options.json ? printSolutionJson(*problem, solution) : printSolution(*problem, solution);
  Status error = emit(options.common.output, std::move(text));
  return error ? error : checkSolution(*problem, solution);
}

} // namespace partita::driver
