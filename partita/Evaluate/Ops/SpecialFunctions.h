//===- SpecialFunctions.h - math that the standard library lacks ----------===//
//
// Accurate to a few units in the last place of double, except near a zero of
// the function.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_SPECIALFUNCTIONS_H
#define PARTITA_EVALUATE_OPS_SPECIALFUNCTIONS_H

#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// The y with erf(y) = x; infinite at -1 and 1, NaN outside.
double erfInv(double x);

/// log|gamma(x)|
double lgamma(double x);

/// The derivative of log gamma; NaN at its poles.
double digamma(double x);

/// Sum over k >= 0 of (q + k)^-x, for x > 1; infinite at x = 1.
double hurwitzZeta(double x, double q);

/// The derivative of order n of digamma, for whole n >= 0.
double polygamma(double n, double x);

/// e^-|x| I1(x), with I1 the modified Bessel function of the first kind.
double besselI1e(double x);

} // namespace partita::evaluate

#endif
