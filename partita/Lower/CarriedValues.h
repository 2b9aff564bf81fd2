//===- CarriedValues.h - loops that carry more values ---------------------===//

#ifndef PARTITA_LOWER_CARRIEDVALUES_H
#define PARTITA_LOWER_CARRIEDVALUES_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/Rooms.h"

namespace partita::lower {

/// The loop that takes the place of `loop` and also carries `first`, which its regions have arguments and its body has
/// yields for already. `loop` is erased.
stablehlo::WhileOp addCarried(stablehlo::WhileOp loop, mlir::ValueRange first);

} // namespace partita::lower

#endif
