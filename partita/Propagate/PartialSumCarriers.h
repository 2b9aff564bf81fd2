//===- PartialSumCarriers.h - which nodes can ever carry a partial sum ----===//
//
// Most linear ops stand between ops that are not linear, and can never carry a
// partial sum, whatever is split. They are found once for a program, so that
// steps need not visit them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMCARRIERS_H
#define PARTITA_PROPAGATE_PARTIALSUMCARRIERS_H

#include "partita/Propagate/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::propagate {

/// Whether the op carries partial sums of this operand, while the operands in which it is not linear are whole.
bool isLinearIn(const Op &op, uint32_t operand);

/// The operands in which an op is linear.
llvm::ArrayRef<CellId> getLinearOperands(const Graph &graph, OpId op);

/// Whether the op adds several operands: chains of linear ops meet there.
inline bool isAdd(const Op &op) { return op.linearity == Linearity::Sum && op.numUses > 1; }

/// 1 for each node that would carry a sum if every reduction that can be split were split and nothing were pinned. The
/// other nodes never carry one.
IdVector<NodeId, uint8_t> findPartialSumCarriers(const Topology &topology);

} // namespace partita::propagate

#endif
