//===- Ties.h - which argument and which result are one state -------------===//

#ifndef PARTITA_PROGRAM_TIES_H
#define PARTITA_PROGRAM_TIES_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// Ties arguments to results of the same type whose names agree after the first component, and the pairs
/// `argument=result` (by any of their names) that `pairs` lists with commas.
Status addTies(Graph &graph, llvm::StringRef pairs);

/// Notes where the factors of compound dims meet.
void addBoundaries(Graph &graph);

} // namespace partita::program

#endif
