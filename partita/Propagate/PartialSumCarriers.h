//===- PartialSumCarriers.h - who might ever take a partial sum -----------------===//
//
// Most linear ops stand between ops that are not linear, and would never agree
// to carry a partial sum, whatever is split. They are found once, so that steps
// need not look at them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMCARRIERS_H
#define PARTITA_PROPAGATE_PARTIALSUMCARRIERS_H

#include "partita/Propagate/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::propagate {

/// Whether the op passes partial sums of this operand on, while those in which it is not linear are whole.
bool isLinearIn(const Op &op, uint32_t operand);

/// The operands in which an op is linear, all together.
llvm::ArrayRef<CellId> getLinearOperands(const Graph &graph, OpId op);

/// Where chains of linear ops come together.
inline bool isAdd(const Op &op) { return op.linearity == Linearity::Sum && op.numUses > 1; }

/// 1 for each node that takes the sum if every reduction that can be split is, and nothing is pinned; those beyond the
/// greatest such set never do.
IdVector<NodeId, uint8_t> findPartialSumCarriers(const Topology &topology);

} // namespace partita::propagate

#endif
