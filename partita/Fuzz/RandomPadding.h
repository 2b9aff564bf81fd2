//===- RandomPadding.h - random dims that are made longer -----------------===//
//
// A random dim is seldom one of a rare op, and some classes of remainders are rare
// (Remainders.h). So most dims are drawn among those of a drawn op, the name of each
// being as likely as any other, and for a drawn class. RandomTargets.h splits what
// became longer in the same way.
//
//===----------------------------------------------------------------------===//

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
std::optional<PadTactic> drawPadding(uint64_t seed, const Mesh &mesh, const Flattened &flattened);

/// Pads `module` as far as the tactic's values are there: a case that is made smaller may have lost some.
Status applyDrawnPadding(mlir::ModuleOp module, const PadTactic &tactic, PaddedElements &elements);

} // namespace partita::fuzz

#endif
