//===- ComplexMath.h - functions of complex numbers -----------------------===//
//
// What the standard library does not have, or has with other results at
// infinities and NaN than XLA.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_COMPLEXMATH_H
#define PARTITA_EVALUATE_OPS_COMPLEXMATH_H

#include <complex>

namespace partita::evaluate {

using ComplexDouble = std::complex<double>;

ComplexDouble complexExpm1(ComplexDouble z);
ComplexDouble complexLog1p(ComplexDouble z);
ComplexDouble complexRsqrt(ComplexDouble z);
ComplexDouble complexCbrt(ComplexDouble z);
ComplexDouble complexLogistic(ComplexDouble z);
ComplexDouble complexPower(ComplexDouble base, ComplexDouble exponent);
ComplexDouble complexAtan2(ComplexDouble y, ComplexDouble x);
/// sqrt(a^2 - x^2) + i log(a + sqrt(a^2 - 1)), where a = (|z + 1| + |z - 1|) / 2 and x = re z.
ComplexDouble asinAcosKernel(ComplexDouble z);

} // namespace partita::evaluate

#endif
