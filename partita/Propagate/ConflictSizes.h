//===- ConflictSizes.h - which sides of conflicts are smaller -------------===//
//
// A step that decides every conflict itself (ConflictPolicy::LargerSide) keeps
// the side that comes with more elements. Conflicts nearest to the roots are
// decided first.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_CONFLICTSIZES_H
#define PARTITA_PROPAGATE_CONFLICTSIZES_H

#include "partita/Propagate/Propagation.h"
#include "partita/Propagate/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::propagate {

/// The op factors that lose in the conflicts nearest to the roots: those of the smaller sides, and of the largest side
/// all but one of each node. The predicates say what the step reaches from the roots.
std::vector<OpFactorId> findSmallerSides(const Topology &topology, llvm::ArrayRef<DimId> roots,
                                         llvm::ArrayRef<Conflict> conflicts,
                                         llvm::function_ref<bool(DimId)> isReachedDim,
                                         llvm::function_ref<bool(OpFactorId)> isReachedFactor);

} // namespace partita::propagate

#endif
