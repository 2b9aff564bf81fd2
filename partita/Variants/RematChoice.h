//===- RematChoice.h - proposes values to recompute or to keep ------------===//
//
// Values that both passes need come in classes, alike in all layers (Remat). The
// opening is a knapsack: where bytes are missing, those classes are recomputed
// whose cones take least time for each byte; where memory is left, those are kept
// that save most time for each byte. It compares whole tensors, as if a plan
// split all classes alike; the search of the variant then prices what comes out.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_REMATCHOICE_H
#define PARTITA_VARIANTS_REMATCHOICE_H

#include "partita/Remat/Rematerialize.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

/// Classes, by their numbers in ascending order, with the bytes that they take and the flops of their cones.
struct RematChoice {
  std::vector<size_t> classes;
  double bytes = 0, flops = 0;
};

/// The classes to recompute so that `bytes` less are kept, if all that can be recomputed come to that.
RematChoice chooseRecomputed(llvm::ArrayRef<RematClass> classes, double bytes);

/// The classes to keep that take `bytes` at most.
RematChoice chooseKept(llvm::ArrayRef<RematClass> classes, double bytes);

} // namespace partita::variants

#endif
