//===- NastyInputs.h - arguments that a wrong rule does not survive -------===//
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

#ifndef PARTITA_EVALUATE_VALIDATE_NASTYINPUTS_H
#define PARTITA_EVALUATE_VALIDATE_NASTYINPUTS_H

#include "partita/Evaluate/Validate/OpInstance.h"

namespace partita::evaluate {

enum class InputKind { Exact, Special, Ring };

llvm::StringRef getName(InputKind kind);

/// Arguments of the instance's @main, the same for the same seed.
std::vector<Tensor> makeNastyInputs(const OpInstance &instance, InputKind kind, uint64_t seed);

} // namespace partita::evaluate

#endif
