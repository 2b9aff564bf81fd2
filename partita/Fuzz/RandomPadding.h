//===- RandomPadding.h - random dims that are made longer -----------------===//

#ifndef PARTITA_FUZZ_RANDOMPADDING_H
#define PARTITA_FUZZ_RANDOMPADDING_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Machine/Mesh.h"
#include "partita/Padding/PadProgram.h"
#include "partita/Program/Flatten.h"
#include "partita/Schedule/Schedule.h"

namespace partita::fuzz {

/// For most programs, dims of arguments and inner values that shall divide by axes of the mesh or by other
/// numbers; padding is poisoned every other time, and state is stored padded in one of three. The choice has random
/// numbers of its own, so that other cases do not depend on it.
std::optional<PadTactic> drawPadding(uint64_t seed, const Mesh &mesh, const Graph &graph);

/// Pads `module` as far as the tactic's values are there: a case that is made smaller may have lost some.
Status applyDrawnPadding(mlir::ModuleOp module, const PadTactic &tactic, PaddedElements &elements);

} // namespace partita::fuzz

#endif
