"""How many units in the last place a function may differ from XLA's on the CPU, by op and element type.

What IEEE 754 rounds correctly is exact: add, subtract, multiply, divide, sqrt, and all that compares, rounds or
converts. Other functions are approximations on both sides: XLA takes polynomials that are good to 1 to 3 units (tanh,
log, erf), we take the C library's, good to 1. Two such answers may differ by the sum. Types narrower than f32 are
computed wide and rounded: the neighbours of a tie, 1 unit. XLA rounds 8-bit floats twice, by way of f16, so that even
sqrt may be off by 1.
"""

from __future__ import annotations

from ml_dtypes import finfo

from element_types import DTYPES, F8, is_complex, is_float
from op_cases.case import EXACT, Tolerance

ULPS: dict[str, tuple[int, int, int]] = {
    # op: f32, f64, complex. The complex ones are composed of several functions, by formulas that are not the same.
    "abs": (0, 0, 2),
    # XLA fuses products and sums where the processor and the level of optimisation let it.
    "divide": (0, 0, 4),
    "multiply": (0, 0, 2),
    "atan2": (1, 1, 0),
    "cbrt": (1, 1, 0),
    "cosine": (1, 1, 4),
    "exponential": (1, 1, 2),
    "exponential_minus_one": (3, 3, 4),
    "log": (1, 1, 2),
    "log_plus_one": (2, 2, 8),
    "logistic": (2, 2, 4),
    "power": (1, 1, 64),
    "rsqrt": (1, 1, 4),
    "sign": (0, 0, 2),
    "sine": (1, 1, 4),
    "sqrt": (0, 0, 2),
    "tan": (2, 2, 4),
    "tanh": (2, 2, 4),
    "_asin_acos_kernel": (0, 0, 4),
    "acos": (2, 2, 4),
    "acosh": (3, 3, 4),
    "asin": (2, 2, 4),
    "asinh": (2, 2, 4),
    "atan": (2, 2, 4),
    "atanh": (2, 3, 4),
    "bessel_i1e": (3, 8, 0),
    # XLA: exp(x + log 1/2), whose argument is rounded: the error of the result is that of x, times x.
    "cosh": (24, 24, 24),
    "sinh": (24, 24, 24),
    "digamma": (4, 4, 0),
    "erf": (2, 2, 0),
    # XLA: exp(-x*x), the product rounded before.
    "erfc": (2, 256, 0),
    "erf_inv": (2, 4, 0),
    "lgamma": (4, 8, 0),
    "polygamma": (16, 64, 0),
    "zeta": (8, 16, 0),
    "square": (0, 0, 1),
}
ABSOLUTE = {"digamma": 16.0, "lgamma": 32.0, "polygamma": 16.0}
"""In units of the type's rounding of 1: near their zeros these are differences of numbers of that size."""
ARITHMETIC = {"abs", "divide", "multiply"}
"""Complex functions whose infinite and NaN results are agreed on."""
EVEN_F8 = {"sqrt"}
"""Exact in wide types."""


def tolerance_of(op: str, element: str) -> Tolerance:
    if op not in ULPS:
        return EXACT
    f32, f64, complex_ulps = ULPS[op]
    if is_complex(element):
        return Tolerance(ulps=complex_ulps, finite_only=op not in ARITHMETIC) if complex_ulps else EXACT
    wide = finfo(DTYPES["f64" if element == "f64" else "f32"])
    # The smallest numbers become zeros where XLA's formula halves them.
    absolute = max(ABSOLUTE.get(op, 0.0) * float(wide.eps), 2 * float(wide.smallest_normal))
    if element in ("f32", "f64"):
        return Tolerance(f32 if element == "f32" else f64, absolute)
    if is_float(element) and (f32 > 0 or op in EVEN_F8 and element in F8):
        return Tolerance(1, absolute)
    return EXACT
