//===- ConflictClasses.h - groups conflicted nodes into conflicts ---------===//
//
// A conflict is a class of nodes that a step reaches on several factors and that
// must choose together; its sides are the consistent choices. Propagation, which
// decides or closes conflicts, and analysis, which turns them into choices for
// the search, both use this.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_CONFLICTCLASSES_H
#define PARTITA_PROPAGATE_CONFLICTCLASSES_H

#include "partita/Propagate/Propagation.h"
#include "partita/Propagate/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace partita::propagate {

/// The conflicts among `nodes`, which are ascending and have several reached op factors each. Nodes that share a cell
/// with two reached dims are in one conflict; op factors that map to the same such dim are on one side. Conflicts are
/// ordered by their first node, sides by their first op factor.
std::vector<Conflict> findConflicts(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                    llvm::function_ref<bool(DimId)> isReachedDim,
                                    llvm::function_ref<bool(OpFactorId)> isReachedFactor);

/// The only side with a chosen dim that no other side has, if it has at most one op factor of each node; otherwise
/// nothing.
std::optional<size_t> findChosenSide(const Topology &topology, const Conflict &conflict,
                                     llvm::function_ref<bool(DimId)> isChosen);

} // namespace partita::propagate

#endif
