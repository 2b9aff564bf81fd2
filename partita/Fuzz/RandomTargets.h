//===- RandomTargets.h - splits that random schedules seldom have ---------===//
//
// A tile of a random dim seldom splits a padded one, or one along which windows
// slide: it has to be this dim, and an axis that divides it. So some tactics are
// drawn among those that do. Of padded ones each op's name is as likely as any other, and
// so is each class of remainders (Remainders.h) of that op.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMTARGETS_H
#define PARTITA_FUZZ_RANDOMTARGETS_H

#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Padding/PadProgram.h"

namespace partita::fuzz {

/// For most seeds a tactic that splits a padded factor of an op, and one that splits a factor along which devices
/// exchange edges, rows or sums. `elements` are the padded values of the program that `flattened` is of.
std::vector<DrawnTactic> drawTargets(uint64_t seed, const Mesh &mesh, const Flattened &flattened,
                                     const PaddedElements &elements);

} // namespace partita::fuzz

#endif
