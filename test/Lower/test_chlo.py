"""CHLO ops that XLA cannot compile where it partitions: each is planned, lowered, compiled by XLA and compared."""

from __future__ import annotations

import numpy as np
import pytest

import xla_local
from test_partition import partition

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def name_of(dtype: type) -> str:
    """The element type as MLIR writes it."""
    return np.dtype(dtype).name.replace("uint", "ui").replace("int", "i")


def multiply_high(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of each product, in Python's integers."""
    width = 8 * a.dtype.itemsize
    return np.array([(int(x) * int(y)) >> width for x, y in zip(a, b, strict=True)], a.dtype)


def edge_values(dtype: type) -> np.ndarray:
    """The numbers around the ends, around 0 and around the halves of the type, and some others."""
    limits = np.iinfo(dtype)
    half = 1 << (limits.bits // 2)
    edges = [limits.min, limits.min + 1, -1, 0, 1, half - 1, half, half + 1, -half, limits.max - 1, limits.max]
    kept = [edge for edge in edges if limits.min <= edge <= limits.max]
    return np.concatenate(
        [np.array(kept, dtype), np.random.default_rng(5).integers(limits.min, limits.max, 32 - len(kept), dtype)]
    )


@pytest.mark.parametrize("dtype", INTEGERS, ids=name_of)
def test_mulhi(dtype: type) -> None:
    values = edge_values(dtype)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    tensor = f"tensor<{len(a)}x{name_of(dtype)}>"
    text = f"""func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
      %0 = chlo.mulhi %a, %b : {tensor}, {tensor} -> {tensor}
      return %0 : {tensor}
    }}"""
    local = partition(text, "x=2", ["arg0:0:x"])
    assert "chlo.mulhi" not in local
    (result,) = xla_local.run_local(local, [a, b], [a.shape])
    np.testing.assert_array_equal(result, multiply_high(a, b))


@pytest.mark.parametrize("is_lower_first", [False, True])
def test_broadcast_of_leading_dims(is_lower_first: bool) -> None:
    small, large = "tensor<4xf32>", "tensor<4x6xf32>"
    types = [small, large] if is_lower_first else [large, small]
    text = f"""func.func @main(%a: {types[0]}, %b: {types[1]}) -> {large} {{
      %0 = chlo.broadcast_subtract %a, %b {{broadcast_dimensions = array<i64: 0>}} : ({types[0]}, {types[1]}) -> {large}
      return %0 : {large}
    }}"""
    local = partition(text, "x=2", [f"arg{int(is_lower_first)}:0:x"])
    random = np.random.default_rng(6)
    column, matrix = random.standard_normal((4,), np.float32), random.standard_normal((4, 6), np.float32)
    inputs = [column, matrix] if is_lower_first else [matrix, column]
    (result,) = xla_local.run_local(local, inputs, [(4, 6)])
    expected = column[:, None] - matrix if is_lower_first else matrix - column[:, None]
    np.testing.assert_array_equal(result, expected)
