//===- ForwardPass.h - which results the forward pass computes ------------===//
//
// A training step returns more than a loss: norms of gradients, of parameters
// and of updates, learning rates, statistics. Only some of it is computed by the
// forward pass. What tells them apart is where gradients come from.
//
//   state       a tied argument of floats whose result is computed from it element
//               by element: a parameter, a moment, an average
//   batch dims  dims whose class (LinkedDims.h) no state has
//   source      an op whose operands have batch dims and whose results have none,
//               found from the next value of a state back through values without
//               batch dims: the contraction that sums a gradient over the batch.
//               Where rows of the next value are exchanged, as members of a
//               population are, it is that of the rows before
//   trained     for one result, the states that it depends on without depending
//               on all of their sources
//
// The loss is among the results with the most trained bytes; an array without
// batch dims is one (of the members of an ensemble) only if it depends on all that
// is fed to the gradients. Another result belongs to the forward pass if it
// depends on the batch and not on the gradient of a trained state. So do caches,
// statistics and environments: results that are tied, depend on the batch or on
// products with what is trained, and on no gradient. Without a loss among the
// results, it is what gradients depend on and stands before all of them; then some
// source must be a sum over the batch, or the program is a simulation. So is one
// that takes nothing but fields that it gives back, and one whose states all have
// the dim of the tokens is a recurrence that decodes.
//
// Where a loop runs several steps, what it carries to the next step is a new
// state: dependences are those of one step, and what is read behind the loop is
// the state that the last step gave.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_FORWARDPASS_H
#define PARTITA_PROGRAM_FORWARDPASS_H

#include "partita/Program/Neighbors.h"

#include <optional>

namespace partita::program {

/// For each op, whether it belongs to the forward pass. None if nothing is trained: then the whole program is one.
std::optional<IdVector<OpId, uint8_t>> findForwardPass(const Graph &graph, const Neighbors &neighbors);

} // namespace partita::program

#endif
