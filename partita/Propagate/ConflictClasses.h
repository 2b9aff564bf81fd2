//===- ConflictClasses.h - conflicted nodes, sorted into conflicts --------===//
//
// Shared by propagation, which decides or closes conflicts, and by analysis,
// which turns them into choices for a search.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_CONFLICTCLASSES_H
#define PARTITA_PROPAGATE_CONFLICTCLASSES_H

#include "partita/Propagate/Propagation.h"
#include "partita/Propagate/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace partita::propagate {

/// The conflicts among `nodes` (ascending, each with several reached opFactors): nodes that share a cell with two
/// reached dims are in one conflict; opFactors that meet on such a dim are on one side. Ordered by their first node;
/// sides by their first opFactor.
std::vector<Conflict> findConflicts(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                    llvm::function_ref<bool(DimId)> isReachedDim,
                                    llvm::function_ref<bool(OpFactorId)> isReachedFactor);

/// The side on which a chosen dim stands that no other side has, if it is the only one and takes at most one opFactor
/// of each node.
std::optional<size_t> findChosenSide(const Topology &topology, const Conflict &conflict,
                                     llvm::function_ref<bool(DimId)> isChosen);

} // namespace partita::propagate

#endif
