"""Are two results equal? Every leaf by its norm, and where f32 itself is too coarse, by the same programs in f64.

With b one device's result and a the planned one's, a leaf is equal if
    ‖a − b‖ ≤ 1e-5 ‖b‖.
Some leaves are zero but for rounding, such as the gradient of a key's bias under softmax and what Adam makes of it, and
no two orders of summation agree on them. Rounding shrinks with the precision, a mistake does not: so both programs, the
planned one with its collectives and that of one device, are run again in f64, with results A and B, and the leaf is
equal if
    ‖b − B‖ > 1e-6 ‖B‖   one device is no better in f32, and
    ‖A − B‖ ≤ 1e-5 max(‖B‖, ‖b − B‖)   all of the difference was rounding.
Such leaves are counted and shown. Integers and booleans must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-5
ROUNDING = 1e-6


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


def is_rounding(b: np.ndarray, wide_a: np.ndarray, wide_b: np.ndarray) -> bool:
    """Whether one device is as far off in f32, and both agree where rounding is a billion times smaller."""
    own, size = _norm(b.astype(np.float64) - wide_b), _norm(wide_b)
    return own > ROUNDING * size and _norm(wide_a - wide_b) <= TOLERANCE * max(size, own)


def compare(
    names: Sequence[str],
    planned: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    in_f64: Callable[[], tuple[Sequence[np.ndarray], Sequence[np.ndarray]] | None],
) -> Comparison:
    """`in_f64` gives the results of both programs in f64, planned and expected; None if they have no meaning there."""
    errors = [relative_error(a, b) for a, b in zip(planned, expected, strict=True)]
    beyond = [i for i, error in enumerate(errors) if not error <= TOLERANCE]
    doubtful = [i for i in beyond if _are_floats(planned[i], expected[i])]
    wide = in_f64() if doubtful else None
    excused = [i for i in doubtful if wide is not None and is_rounding(expected[i], wide[0][i], wide[1][i])]
    differences = [f"{names[i]}: {errors[i]:.1e}" for i in beyond if i not in excused]
    worst = max((error for error in errors if error <= TOLERANCE), default=0.0)
    return Comparison(worst, tuple(names[i] for i in excused), tuple(differences))


def _are_floats(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.dtype.name in ("float32", "bfloat16")
