//===- Phases.h - forward, backward or update -----------------------------===//
//
//   forward   what untied results (the loss) depend on; everything, if nothing
//             is tied
//   update    what depends on optimizer state (tied arguments that forward does
//             not read), and the ops between a tied argument's own use and its
//             result
//   backward  the rest, recomputation included
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_PHASES_H
#define PARTITA_PROGRAM_PHASES_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

void assignPhases(Graph &graph);

} // namespace partita::program

#endif
