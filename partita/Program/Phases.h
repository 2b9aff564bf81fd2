//===- Phases.h - marks ops as forward, backward or update ----------------===//
//
// Gives each op of a training step its phase:
//
//   forward   ops that the loss and metrics beside it depend on (ForwardPass.h);
//             all ops if nothing is trained
//   update    ops that depend on optimizer state (tied arguments that forward does
//             not read), ops between the use of a tied argument and its result, and
//             what takes gradients to one number, with all that follows from it: the
//             norm that clips them, unless a contraction of the backward pass needs
//             it
//   backward  all others, including recomputation
//
// A tie says that an argument and a result are one state (Ties.h).
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
