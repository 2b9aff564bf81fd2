//===- LateProducts.h - how much later products may run -------------------===//
//
// Depends on the program alone. XLA schedules from the last op to the first, and
// puts a product where its result is needed, which may be behind ops that do not
// wait for it: the gradient of the values of an attention runs behind that of its
// scores, and the gradients of weights, which only the update needs, behind the
// layer's other products. Until then the operands stay alive.
//
// The latest op of a contraction is the first of these: the op before the first
// one that needs its result; the `size`-th op behind it that stands alone (counted
// as in IssueWindow.h); the next contraction of the same kind, types and shapes in
// the region, so that no window is longer than a layer. Ops that fuse run where
// they are needed, too, so what a transpose of the result waits for counts, not the
// transpose. A use in a loop or a branch that the contraction is not in is where
// that begins.
//
// What the next barrier needs first is made right before it: gradients that pass
// the barrier before the next layer is recomputed.
//
//   dV = dot  dP = dot  dS = multiply(dP)  dQ = dot(dS)  dx = dot(dV)
//
// Here the latest op of dV is dQ, if `size` is 2 or more.
//
// The size is the machine's (Device::lateWindow).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_LATEPRODUCTS_H
#define PARTITA_COST_LATEPRODUCTS_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The latest op of each op of `graph`: the op itself, unless it is a contraction. `roles` are indexed by its ops.
IdVector<OpId, OpId> computeLatestOps(const Graph &graph, const IdVector<OpId, FusionRole> &roles, uint32_t size);

} // namespace partita::cost

#endif
