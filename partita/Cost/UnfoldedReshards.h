//===- UnfoldedReshards.h - from a folded program's reshards to the whole's ===//
//
// A plan that treats repeated layers alike has, at each op of the whole program,
// the reshards of the op that represents it in the folded program
// (Analysis/Folding.h). So the reshards of the whole program follow from those
// of the folded one, without propagation and prices on the whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_UNFOLDEDRESHARDS_H
#define PARTITA_COST_UNFOLDEDRESHARDS_H

#include "partita/Analysis/Folding.h"
#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"

#include <optional>

namespace partita::cost {

struct UnfoldedReshards {
  Reshards reshards;
  /// For each of them, the one of the folded program that it repeats.
  IdVector<ReshardId, ReshardId> origins;
};

/// `whole` belongs to the program that was folded. Nullopt if a value of the whole program takes a reshard that no op
/// has, because its layer is not like the one that represents it.
std::optional<UnfoldedReshards> unfoldReshards(const Folding &folding, const Topology &whole, const Reshards &folded);

} // namespace partita::cost

#endif
