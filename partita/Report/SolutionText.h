//===- SolutionText.h - result of `partita solve` as text and JSON --------===//

#ifndef PARTITA_REPORT_SOLUTIONTEXT_H
#define PARTITA_REPORT_SOLUTIONTEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Solve/Solver.h"

namespace partita::report {

/// A line for each figure, and the choices in a list as the contest wants them.
std::string printSolution(const ChoiceProblem &problem, const Solution &solution);

/// Without choices if none were found. Sums beyond 64 bits saturate.
std::string printSolutionJson(const ChoiceProblem &problem, const Solution &solution);

/// DoesNotFit if there are no choices within the limit, or none were found.
Status checkSolution(const ChoiceProblem &problem, const Solution &solution);

} // namespace partita::report

#endif
