//===- Ties.h - arguments and results that are one state ------------------===//
//
// A training step returns the next value of each parameter that it takes. A tie
// records that the argument and the result are one state. Phases, analyses and
// costs depend on it. In order of trust:
//
//   given     by --tie; from Python, trees that come back
//   names     paths are equal without their first component, and without what
//             wraps arrays; among several results, flow decides
//   aliasing  the program writes the result into the argument's buffer, and
//             computes it from the argument element by element
//   flow      results that have no names and are computed, element by element,
//             from one argument of their type that is not tied otherwise
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_TIES_H
#define PARTITA_PROGRAM_TIES_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// Ties arguments to results of the same type: the comma-separated pairs `argument=result` in `pairs`, which may use
/// any of the names, then what names, `aliases` (of the program's own) and flow tell.
Status addTies(Graph &graph, llvm::StringRef pairs, llvm::ArrayRef<Tie> aliases);

/// Records where the factors of compound dims meet.
void addBoundaries(Graph &graph);

} // namespace partita::program

#endif
