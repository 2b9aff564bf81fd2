//===- Perturbation.h - arguments that differ by rounding -----------------===//
//
// Running a program on arguments that are off by about a rounding error shows
// how much its results depend on rounding. A difference of that size cannot be
// told from rounding; an example is a gradient that is a difference of equal
// sums, divided by itself.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_PERTURBATION_H
#define PARTITA_VERIFY_PERTURBATION_H

#include "partita/Evaluate/Tensor.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// Multiplies each float (or part of a complex number) by 1 + u, where `seed` draws u from -`spacing` to `spacing`.
/// Other elements stay. Floats must be f64.
Tensor perturbTensor(const Tensor &tensor, double spacing, uint64_t seed);

} // namespace partita::verify

#endif
