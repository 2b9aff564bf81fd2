//===- Ties.h - arguments and results that are one state ------------------===//
//
// A training step returns the next value of each parameter that it takes. A tie
// records that the argument and the result are one state. Phases, analyses and
// costs depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_TIES_H
#define PARTITA_PROGRAM_TIES_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// Ties arguments to results of the same type whose names agree after the first component. Also ties the
/// comma-separated pairs `argument=result` in `pairs`, which may use any of the names.
Status addTies(Graph &graph, llvm::StringRef pairs);

/// Records where the factors of compound dims meet.
void addBoundaries(Graph &graph);

} // namespace partita::program

#endif
