//===- AdversarialInputs.h - arguments that expose wrong rules ------------===//
//
// Arguments for one op on which a wrong rule shows:
//
//   exact     float mode; uneven small integers of both signs, whose sums and
//             products are exact in any order
//   special   float mode; also infinities, NaNs, zeros of both signs and the
//             extreme values of integer types
//   ring      exact mode (integers mod 2^64); uses all 64 bits
//
// Indices (of gather, scatter, dynamic_slice, dynamic_update_slice) are in
// range, out of range on both sides, and repeated. Matrices for factorizations
// are positive definite.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_ADVERSARIALINPUTS_H
#define PARTITA_VALIDATERULES_ADVERSARIALINPUTS_H

#include "partita/ValidateRules/OpInstance.h"
#include "partita/ValidateRules/Rooms.h"

namespace partita::validate {

enum class InputKind { Exact, Special, Ring };

llvm::StringRef getName(InputKind kind);

/// Arguments of the instance's @main. The same seed gives the same arguments.
std::vector<Tensor> makeAdversarialInputs(const OpInstance &instance, InputKind kind, uint64_t seed);

} // namespace partita::validate

#endif
