"""CHLO ops that XLA cannot compile where it partitions: each is planned, lowered, compiled by XLA and compared."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import xla_local
from test_partition import BIN, partition

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


RAGGED = """func.func @main(%x: tensor<48x16xf32>, %w: tensor<8x16x24xf32>, %s: tensor<8xi32>)
    -> (tensor<48x24xf32>, tensor<48x16xf32>, tensor<8x16x24xf32>) {
  %0 = "chlo.ragged_dot"(%x, %w, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],
    rhs_group_dimensions = [0]>}> : (tensor<48x16xf32>, tensor<8x16x24xf32>, tensor<8xi32>) -> tensor<48x24xf32>
  %1 = "chlo.ragged_dot"(%0, %w, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0],
    rhs_group_dimensions = [0]>}> : (tensor<48x24xf32>, tensor<8x16x24xf32>, tensor<8xi32>) -> tensor<48x16xf32>
  %2 = "chlo.ragged_dot"(%x, %0, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}>
    : (tensor<48x16xf32>, tensor<48x24xf32>, tensor<8xi32>) -> tensor<8x16x24xf32>
  return %0, %1, %2 : tensor<48x24xf32>, tensor<48x16xf32>, tensor<8x16x24xf32>
}
"""


@pytest.mark.parametrize("sizes", [[6] * 8, [0, 0, 20, 0, 5, 1, 22, 0], [48, 0, 0, 0, 0, 0, 0, 0], [1] * 8])
@pytest.mark.parametrize(
    ("mesh", "tiles"),
    [
        ("expert=8", ["arg1:0:expert", "result2:0:expert"]),
        ("expert=4,data=2", ["arg1:0:expert", "result2:0:expert", "arg0:0:data"]),
        ("expert=2,data=2,model=2", ["arg0:0:data", "arg1:0:expert", "arg1:2:model", "result2:0:expert"]),
    ],
)
def test_ragged_dot_with_split_groups(mesh: str, tiles: list[str], sizes: list[int], tmp_path: Path) -> None:
    """Each device has some groups' matrices and computes their rows, and their gradients. XLA has no ragged products on
    CPUs, so the evaluator runs them."""
    local = partition(RAGGED, mesh, tiles)
    groups = 8 // int(mesh.removeprefix("expert=")[0])
    assert len(re.findall(rf"tensor<{groups}xi32>\) -> tensor", local)) == 3, local
    random = np.random.default_rng(7)
    x, w = random.standard_normal((48, 16), np.float32), random.standard_normal((8, 16, 24), np.float32)
    x[3], w[6, 2] = np.inf, np.nan  # of one group alone
    np.savez(tmp_path / "inputs.npz", arg0=x, arg1=w, arg2=np.array(sizes, np.int32))
    (tmp_path / "whole.mlir").write_text(RAGGED)
    (tmp_path / "local.mlir").write_text(local)
    done = subprocess.run(
        [BIN / "partita", "verify", "whole.mlir", "--local", "local.mlir", "--inputs", "inputs.npz", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert not json.loads(done.stdout)["vacuous"]


def test_ragged_dot_costs_one_product_for_each_row() -> None:
    done = subprocess.run(
        [BIN / "partita", "plan", "-", "--mesh", "expert=8", "--stop-after=flatten"],
        input=RAGGED, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    flops = [int(number) for number in re.findall(r'"chlo.ragged_dot".*"flops":(\d+)', done.stdout)]
    assert flops == [2 * 48 * 16 * 24] * 3
