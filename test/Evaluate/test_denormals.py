"""Denormal numbers of f32 and f64, with NumPy as the judge: XLA on the CPU takes them for zeros, IEEE 754 does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from element_types import NAMES, tensor_type
from partita_eval import evaluate

BINARY: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
UNARY: dict[str, Callable[..., np.ndarray]] = {
    "abs": np.abs,
    "negate": np.negative,
    "sqrt": np.sqrt,
    "sign": lambda a: np.where(a == 0, a, np.sign(a)),
    "floor": np.floor,
    "ceil": np.ceil,
}
COMPARISONS = {"EQ": np.equal, "LT": np.less, "GE": np.greater_equal}
DTYPES = [np.float32, np.float64]


def values(dtype: type) -> np.ndarray:
    """Denormals among zeros and ordinary numbers, all pairs of them: two vectors."""
    limits = np.finfo(dtype)
    tiny = [limits.smallest_subnormal, limits.smallest_normal / 2, limits.smallest_normal - limits.smallest_subnormal]
    positive = np.array([0, *tiny, limits.smallest_normal, 0.5, 1, 2, limits.max], dtype)
    both = np.concatenate([positive, -positive])
    return np.stack([np.repeat(both, len(both)), np.tile(both, len(both))])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [*BINARY, *UNARY])
def test_arithmetic(op: str, dtype: type) -> None:
    a, b = values(dtype)
    kind = tensor_type(a.shape, NAMES[np.dtype(dtype)])
    operands = "%a, %b" if op in BINARY else "%a"
    text = f"""func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{
      %r = stablehlo.{op} {operands} : {kind}
      return %r : {kind}
    }}"""
    with np.errstate(all="ignore"):
        expected = BINARY[op](a, b) if op in BINARY else UNARY[op](a)
    (ours,) = evaluate(text, [a, b])
    # Of two zeros of different sign, NumPy gives either.
    if op not in ("maximum", "minimum"):
        finite = ~np.isnan(expected)
        assert np.array_equal(np.signbit(ours[finite]), np.signbit(expected[finite]))
    assert np.array_equal(ours, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("direction", COMPARISONS)
def test_comparison(direction: str, dtype: type) -> None:
    a, b = values(dtype)
    kind = tensor_type(a.shape, NAMES[np.dtype(dtype)])
    flag = tensor_type(a.shape, "i1")
    text = f"""func.func @main(%a: {kind}, %b: {kind}) -> {flag} {{
      %r = stablehlo.compare {direction}, %a, %b : ({kind}, {kind}) -> {flag}
      return %r : {flag}
    }}"""
    (ours,) = evaluate(text, [a, b])
    assert np.array_equal(ours, COMPARISONS[direction](a, b))


@pytest.mark.parametrize(("source", "target"), [(np.float32, np.float64), (np.float64, np.float32)])
def test_conversion(source: type, target: type) -> None:
    a = np.concatenate([values(source)[0], np.array([1e-40, 1e-45, 7e-46, -1e-39], source)])
    kinds = [tensor_type(a.shape, NAMES[np.dtype(dtype)]) for dtype in (source, target)]
    text = f"""func.func @main(%a: {kinds[0]}) -> {kinds[1]} {{
      %r = stablehlo.convert %a : ({kinds[0]}) -> {kinds[1]}
      return %r : {kinds[1]}
    }}"""
    with np.errstate(all="ignore"):
        expected = a.astype(target)
    (ours,) = evaluate(text, [a])
    assert ours.tobytes() == expected.tobytes()
