//===- Perturbation.h - arguments that differ by rounding -----------------------===//
//
// How much the results of a program depend on rounding is found by running it on
// arguments that are off by about as much: what differs then cannot be told from
// rounding (a gradient that is a difference of equal sums, divided by itself).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_PERTURBATION_H
#define PARTITA_VERIFY_PERTURBATION_H

#include "partita/Evaluate/Tensor.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// Each float (or part of a complex number) times 1 + u, u drawn by `seed` from -`spacing` to `spacing`; what is no
/// float stays. Elements must be f64 where they are floats.
Tensor perturbTensor(const Tensor &tensor, double spacing, uint64_t seed);

} // namespace partita::verify

#endif
