//===- AdversarialInputs.h - arguments that a wrong rule does not survive -------===//
//
//   exact     float mode; uneven small integers of both signs, whose sums and
//             products are exact in any order
//   special   float mode; besides them infinities, NaNs and zeros of both signs,
//             and the extreme values of integer types
//   ring      ring mode; all 64 bits are used
//
// Indices (of gather, scatter, dynamic_slice, dynamic_update_slice) are in range
// and out of it on both sides, and repeat. Matrices that are factorised can be.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_ADVERSARIALINPUTS_H
#define PARTITA_VALIDATERULES_ADVERSARIALINPUTS_H

#include "partita/ValidateRules/OpInstance.h"
#include "partita/ValidateRules/Rooms.h"

namespace partita::validate {

enum class InputKind { Exact, Special, Ring };

llvm::StringRef getName(InputKind kind);

/// Arguments of the instance's @main, the same for the same seed.
std::vector<Tensor> makeAdversarialInputs(const OpInstance &instance, InputKind kind, uint64_t seed);

} // namespace partita::validate

#endif
