"""Are two results equal? Every leaf by its norm, and where f32 itself is too coarse, by the same program in f64.

With b one device's result, a the planned one's and f that of one device in f64, a leaf is equal if
    ‖a − b‖ ≤ 1e-5 ‖b‖,
or else, f being asked, if a is as good as b:
    ‖a − f‖ ≤ 4 ‖b − f‖  and  ‖b − f‖ > 1e-6 ‖f‖.
The second case is that of values which are zero but for rounding, such as the gradient of a key's bias under softmax
and what Adam makes of it; such leaves are counted and shown. Where b has no digit right, ‖b − f‖ > ‖f‖/2, the leaf is
noise, and Adam's second moment the square of noise: 4² stands for 4 there. Integers and booleans must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-5
ROUNDING = 1e-6
FACTOR = 4.0


@dataclass(frozen=True)
class Comparison:
    """`worst` is the largest ‖a − b‖/‖b‖ of the leaves equal by it, `by_f64` those that f64 decided."""

    worst: float
    by_f64: tuple[str, ...]
    differences: tuple[str, ...]


def _norm(array: np.ndarray) -> float:
    return float(np.linalg.norm(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64).ravel()))


def relative_error(a: np.ndarray, b: np.ndarray) -> float:
    """‖a − b‖/‖b‖; infinite for other shapes, types or non-finite numbers in other places."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return float("inf")
    if b.dtype.kind not in "fc" and b.dtype.name != "bfloat16":
        return 0.0 if np.array_equal(a, b) else float("inf")
    wide_a, wide_b = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (a, b))
    finite = np.isfinite(wide_b)
    if not np.array_equal(wide_a[~finite], wide_b[~finite], equal_nan=True):
        return float("inf")
    error, size = _norm(wide_a[finite] - wide_b[finite]), _norm(wide_b[finite])
    return error / size if size > 0 else (0.0 if error == 0 else float("inf"))


def as_good(a: np.ndarray, b: np.ndarray, f: np.ndarray) -> bool:
    """Whether a is as near to f as b is, and b so far that its own rounding is what was seen."""
    own, size = _norm(b.astype(np.float64) - f), _norm(f)
    factor = FACTOR**2 if own > size / 2 else FACTOR
    return own > ROUNDING * size and _norm(a.astype(np.float64) - f) <= factor * own


def compare(
    names: Sequence[str],
    planned: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    arbiter: Callable[[], Sequence[np.ndarray] | None],
) -> Comparison:
    errors = [relative_error(a, b) for a, b in zip(planned, expected, strict=True)]
    beyond = [i for i, error in enumerate(errors) if not error <= TOLERANCE]
    wide = arbiter() if any(_is_close_float(planned[i], expected[i]) for i in beyond) else None
    excused = [
        i for i in beyond
        if wide is not None and _is_close_float(planned[i], expected[i]) and as_good(planned[i], expected[i], wide[i])
    ]  # fmt: skip
    differences = [f"{names[i]}: {errors[i]:.1e}" for i in beyond if i not in excused]
    worst = max((error for error in errors if error <= TOLERANCE), default=0.0)
    return Comparison(worst, tuple(names[i] for i in excused), tuple(differences))


def _is_close_float(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype == np.float32
