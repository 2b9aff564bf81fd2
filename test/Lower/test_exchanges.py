"""Ops whose devices exchange something: argmax, top_k, convolutions and windows over a dim that is split.

JAX lowers each function, `partita plan` tiles it and checks the local program value by value, XLA runs that program on
virtual devices, and its results are compared with JAX's on one.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xla_local
from test_partition import BIN


def plan(text: str, mesh: str, tiles: dict[str, list[list[Any]]], folder: Path) -> str:
    """The local program of a schedule that puts each axis on dims of arguments, one after the other."""
    program, schedule = folder / "program.mlir", folder / "schedule.json"
    program.write_text(text)
    schedule.write_text(json.dumps({"tactics": [{"axis": axis, "tile": tile} for axis, tile in tiles.items()]}))
    done = subprocess.run(
        [BIN / "partita", "plan", program, "--mesh", mesh, "--schedule", schedule, "-o", folder / "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verified = subprocess.run(
        [BIN / "partita", "verify", program, "--plan", folder / "out" / "plan.json", "--exact"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return (folder / "out" / "local.mlir").read_text()


def run(
    function: Callable[..., Any],
    inputs: list[np.ndarray],
    mesh: str,
    tiles: dict[str, list[list[Any]]],
    folder: Path,
    exact: bool = True,
) -> str:
    """Compares; returns the local program."""
    expected = [np.asarray(value) for value in jax.tree.leaves(jax.jit(function)(*inputs))]
    local = plan(jax.jit(function).lower(*inputs).as_text(debug_info=True), mesh, tiles, folder)
    results = xla_local.run_local(local, inputs, [value.shape for value in expected])
    for result, value in zip(results, expected, strict=True):
        if exact:
            np.testing.assert_array_equal(result, value)
        else:
            np.testing.assert_allclose(result, value, rtol=2e-5, atol=2e-5)
    return local


def whole_numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Small integers as floats: sums are exact in any order, and there are ties."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def special_rows(columns: int) -> np.ndarray:
    """Rows with ties, infinities, NaNs at several places and nothing else."""
    rows = whole_numbers(6, columns)
    rows[0] = 1.0
    rows[1] = -np.inf
    rows[2, [columns // 2, columns - 1]] = np.nan
    rows[3, [1, columns - 2]] = np.inf
    rows[4] = np.nan
    return rows


MESHES = [("m=2", {"m": 1}), ("m=4", {"m": 1}), ("m=8", {"m": 1}), ("d=2,m=4", {"m": 1, "d": 0}),
          ("a=2,b=4", {"b": 1, "a": 1})]  # fmt: skip


@pytest.mark.parametrize(("mesh", "dims"), MESHES, ids=[mesh for mesh, _ in MESHES])
@pytest.mark.parametrize("columns", [8, 32])
def test_argmax(mesh: str, dims: dict[str, int], columns: int, tmp_path: Path) -> None:
    def function(x: jax.Array) -> Any:
        return jnp.argmax(x, axis=1), jnp.argmin(x, axis=1), jnp.argmax(x.astype(jnp.bfloat16), axis=1)

    tiles = {axis: [["x", dim]] for axis, dim in dims.items()}
    local = run(function, [special_rows(columns)], mesh, tiles, tmp_path)
    gathers = [line for line in local.splitlines() if "stablehlo.all_gather" in line]
    assert len(gathers) == 6
    assert not [line for line in gathers if f"x{columns}xf32>" in line]


@pytest.mark.parametrize(("mesh", "dims"), MESHES, ids=[mesh for mesh, _ in MESHES])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_top_k(mesh: str, dims: dict[str, int], k: int, tmp_path: Path) -> None:
    def function(x: jax.Array) -> Any:
        return lax.top_k(x, k), lax.top_k(x.astype(jnp.int32), k)

    tiles = {axis: [["x", dim]] for axis, dim in dims.items()}
    run(function, [whole_numbers(6, 16)], mesh, tiles, tmp_path)


def convolution(stride: int, padding: Any, dilation: int = 1, groups: int = 1) -> Callable[..., Any]:
    def apply(x: jax.Array, w: jax.Array) -> jax.Array:
        numbers = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(
            x, w, (stride, stride), padding, None, (dilation, dilation), numbers, feature_group_count=groups
        )

    def step(x: jax.Array, w: jax.Array, y: jax.Array) -> Any:
        value, pull = jax.vjp(apply, x, w)
        return value, pull(y)

    return step


CONVOLUTIONS = {
    "same": (3, 1, "SAME", 1, 1),
    "even": (4, 1, "SAME", 1, 1),
    "wide": (7, 1, "SAME", 1, 1),
    "dilated": (3, 1, "SAME", 2, 1),
    "strided": (3, 2, "SAME", 1, 1),
    "torch": (3, 2, [(1, 1), (1, 1)], 1, 1),
    "stem": (7, 2, [(3, 3), (3, 3)], 1, 1),
    "patches": (2, 2, "VALID", 1, 1),
    "causal": (3, 1, [(2, 0), (2, 0)], 1, 1),
    "depthwise": (3, 1, "SAME", 1, 4),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize(("mesh", "tiles"), [
    ("h=4", {"h": [["x", 1], ["y", 1]]}),
    ("h=2,w=4", {"h": [["x", 1], ["y", 1]], "w": [["x", 2], ["y", 2]]}),
    ("b=2,h=2,k=2", {"b": [["x", 0], ["y", 0]], "h": [["x", 1], ["y", 1]], "k": [["x", 1], ["y", 1]]}),
    ("h=8", {"h": [["x", 1], ["y", 1]]}),
], ids=["4", "2x4", "4 in two axes", "8"])  # fmt: skip
def test_convolution(name: str, mesh: str, tiles: dict[str, list[list[Any]]], tmp_path: Path) -> None:
    size, stride, padding, dilation, groups = CONVOLUTIONS[name]
    function = convolution(stride, padding, dilation, groups)
    x, w = whole_numbers(2, 16, 16, 4), whole_numbers(size, size, 4 // groups, 8, seed=1)
    y = whole_numbers(2, 16 // stride, 16 // stride, 8, seed=2)
    local = run(function, [x, w, y], mesh, tiles, tmp_path)
    assert name == "patches" or "collective_permute" in local
    assert "all_gather" not in local


def test_causal_convolution_of_one_dim(tmp_path: Path) -> None:
    """A state-space model's: each channel alone, four steps back."""

    def function(x: jax.Array, w: jax.Array) -> Any:
        def apply(x: jax.Array, w: jax.Array) -> jax.Array:
            return lax.conv_general_dilated(x, w, (1,), [(3, 0)], dimension_numbers=("NTC", "TIO", "NTC"),
                                            feature_group_count=8)  # fmt: skip

        value, pull = jax.vjp(apply, x, w)
        return value, pull(value)

    local = run(function, [whole_numbers(2, 32, 8), whole_numbers(4, 1, 8, seed=1)], "s=8", {"s": [["x", 1]]}, tmp_path)
    assert "collective_permute" in local and "all_gather" not in local


POOLS = {
    "max": (lax.max, -np.inf, 3, 2, "SAME"),
    "sum": (lax.add, 0.0, 3, 1, "SAME"),
    "wide": (lax.max, -np.inf, 5, 1, "SAME"),
    "padded": (lax.max, -np.inf, 3, 2, [(0, 0), (1, 0), (1, 0), (0, 0)]),
    "cut": (lax.add, 0.0, 2, 2, "VALID"),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("mesh", ["h=4", "h=8", "h=2,w=4"])
def test_pooling(name: str, mesh: str, tmp_path: Path) -> None:
    combine, start, size, stride, padding = POOLS[name]

    def function(x: jax.Array) -> Any:
        return lax.reduce_window(x, np.float32(start), combine, (1, size, size, 1), (1, stride, stride, 1), padding)

    tiles = {axis: [["x", dim]] for axis, dim in [("h", 1), ("w", 2)] if f"{axis}=" in mesh}
    local = run(function, [whole_numbers(2, 16, 16, 3)], mesh, tiles, tmp_path)
    assert name == "cut" or "collective_permute" in local
    assert "all_gather" not in local


VALID = {
    "valid": (3, 1, "VALID", 1, 1),
    "wide": (5, 1, "VALID", 1, 1),
    "dilated": (3, 1, "VALID", 2, 1),
    "strided": (3, 2, "VALID", 1, 1),
    "stem": (7, 2, [(2, 2), (2, 2)], 1, 1),
    "even": (2, 1, "VALID", 1, 1),
    "depthwise": (3, 1, "VALID", 1, 4),
    "full": (3, 1, [(2, 2), (2, 2)], 1, 1),
}


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize(("mesh", "axes", "rows"), [
    ("h=4", "h", 32), ("h=2,w=4", "hw", 32), ("h=8", "h", 32), ("h=4", "h", 30), ("h=3", "h", 31),
], ids=["4", "2x4", "8", "30 rows over 4", "31 rows over 3"])  # fmt: skip
def test_fewer_windows_than_rows(name: str, mesh: str, axes: str, rows: int, tmp_path: Path) -> None:
    """What is computed behind the last window is padding."""
    size, stride, padding, dilation, groups = VALID[name]
    x, w = whole_numbers(2, rows, rows, 4), whole_numbers(size, size, 4 // groups, 8, seed=1)

    def function(x: jax.Array, w: jax.Array) -> Any:
        def apply(x: jax.Array, w: jax.Array) -> jax.Array:
            numbers = ("NHWC", "HWIO", "NHWC")
            return lax.conv_general_dilated(
                x, w, (stride, stride), padding, None, (dilation, dilation), numbers, feature_group_count=groups
            )

        value, pull = jax.vjp(apply, x, w)
        return value, pull(value)

    tiles = {axis: [["x", 1 + "hw".index(axis)]] for axis in axes}
    local = run(function, [x, w], mesh, tiles, tmp_path)
    assert "collective_permute" in local


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("size", "stride"), [(3, 2), (2, 1), (3, 1), (5, 2)])
@pytest.mark.parametrize(("mesh", "rows"), [("h=4", 32), ("h=8", 64), ("h=2,w=4", 32), ("h=4", 58)])
def test_gradient_of_maxima(padding: str, size: int, stride: int, mesh: str, rows: int, tmp_path: Path) -> None:
    """Each device scatters all windows that reach into its rows."""

    def function(x: jax.Array) -> Any:
        value, pull = jax.vjp(
            lambda x: lax.reduce_window(
                x, np.float32(-np.inf), lax.max, (1, size, size, 1), (1, stride, stride, 1), padding
            ),
            x,
        )
        return pull(value)

    tiles = {axis: [["x", dim]] for axis, dim in [("h", 1), ("w", 2)] if f"{axis}=" in mesh}
    local = run(function, [whole_numbers(2, rows, rows, 3)], mesh, tiles, tmp_path)
    assert "collective_permute" in local
    # At the border, rows that devices do not divide are whole.
    assert rows % 8 or "all_gather" not in local


def fused(x: jax.Array, kernel: jax.Array, groups: int) -> jax.Array:
    """Attention of eight query heads with one projection for queries, keys and values; keys may have fewer heads."""
    size = kernel.shape[1] // (8 + 2 * groups)
    queries, keys, values = jnp.split(x @ kernel, [8 * size, (8 + groups) * size], axis=-1)
    keys, values = keys.reshape(-1, groups, size), values.reshape(-1, groups, size)
    scores = jnp.einsum("sgqh,tgh->gqst", queries.reshape(-1, groups, 8 // groups, size), keys)
    return jnp.einsum("gqst,tgh->sgqh", scores, values).reshape(-1, 8 * size)


MOVES: dict[str, Callable[..., Any]] = {
    "thirds": lambda x: tuple(jnp.split(x * 2, 3, axis=1)),
    "a slice": lambda x: x[:, 5:29] + 1,
    "two dims": lambda x: x[8:40, 24:40] * 3,
    "pad": lambda x: jnp.pad(x, ((0, 0), (3, 5)), constant_values=7.0),
    "crop and pad": lambda x: lax.pad(x, jnp.float32(2), ((0, 0, 0), (-9, 1, 0))),
    "pad of both": lambda x: lax.pad(x, jnp.float32(-np.inf), ((16, 8, 0), (8, 0, 0))),
    "concatenate": lambda x: jnp.concatenate([x, x[:, :16] * 2, x * 3], axis=1),
    "roll": lambda x: jnp.roll(x, 12, axis=1),
    "halves": lambda x: jnp.concatenate([-x[:, 24:], x[:, :24]], axis=1),
    "gradient": jax.grad(lambda x: sum(((k + 1) * part**2).sum() for k, part in enumerate(jnp.split(x, 3, axis=1)))),
    "booleans": lambda x: jnp.concatenate([x > 0, x < 2], axis=1)[:, 16:80],
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize(
    ("mesh", "tiles"),
    [
        ("d=2", {"d": [[".*", 1]]}),
        ("d=8", {"d": [[".*", 1]]}),
        ("d=4,e=2", {"d": [[".*", 0]], "e": [[".*", 1]]}),
        ("d=2,e=4", {"d": [[".*", 1]], "e": [[".*", 1]]}),
    ],
    ids=["two", "eight", "two dims", "two axes"],
)
def test_moves(name: str, mesh: str, tiles: dict[str, list[list[Any]]], tmp_path: Path) -> None:
    run(MOVES[name], [whole_numbers(48, 48)], mesh, tiles, tmp_path)


@pytest.mark.parametrize(("groups", "parts"), [(8, 2), (8, 8), (4, 2), (4, 4)])
def test_fused_projections_move_rows(groups: int, parts: int, tmp_path: Path) -> None:
    """Splitting the columns of a fused projection gathers nothing."""
    inputs = [whole_numbers(8, 8), whole_numbers(8, 2 * (8 + 2 * groups))]
    attend = functools.partial(fused, groups=groups)
    local = run(attend, inputs, f"m={parts}", {"m": [["kernel", 1]]}, tmp_path)
    assert "collective_permute" in local
    assert "all_gather" not in local


PREFIXES: dict[str, Callable[..., Any]] = {
    "sum": lambda x: jnp.cumsum(x, axis=1),
    "sum from the end": lambda x: lax.cumsum(x, 1, reverse=True),
    "product": lambda x: jnp.cumprod(jnp.sign(x) * 2, axis=1),
    "maximum": lambda x: lax.cummax(x, 1),
    "minimum of both dims": lambda x: lax.cummin(lax.cummin(x, 1), 0),
    "integers": lambda x: jnp.cumsum((x > 0).astype(jnp.int32), axis=1) - 1,
    "booleans": lambda x: lax.associative_scan(jnp.logical_or, x > 3, axis=1),
    "gradient": jax.grad(lambda x: (jnp.cumsum(x, axis=1) ** 2).sum()),
    "places in experts": lambda x: (
        jnp.cumsum(jax.nn.one_hot(jnp.abs(x[:, 0]).astype(jnp.int32), 8, dtype=jnp.int32), axis=0) - 1
    ),
}


@pytest.mark.parametrize("name", PREFIXES)
@pytest.mark.parametrize(
    ("mesh", "tiles"),
    [
        ("d=2", {"d": [[".*", 1]]}),
        ("d=8", {"d": [[".*", 0]]}),
        ("d=4,e=2", {"d": [[".*", 0]], "e": [[".*", 1]]}),
        ("d=2,e=4", {"d": [[".*", 1]], "e": [[".*", 1]]}),
    ],
    ids=["two", "eight rows", "two dims", "two axes"],
)
def test_prefixes(name: str, mesh: str, tiles: dict[str, list[list[Any]]], tmp_path: Path) -> None:
    local = run(PREFIXES[name], [whole_numbers(48, 48)], mesh, tiles, tmp_path)
    # Of what is gathered there is one row of each device. Slices with a stride, and of one column, are gathered.
    assert name in ("booleans", "places in experts") or not re.findall(r"all_gather.*-> tensor<48x48x", local)


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize(
    ("mesh", "tiles"),
    [
        ("d=2", {"d": [[".*", 1]]}),
        ("d=3", {"d": [[".*", 1]]}),
        ("d=4,e=2", {"d": [[".*", 0]], "e": [[".*", 1]]}),
        ("d=2,e=4", {"d": [[".*", 1]], "e": [[".*", 1]]}),
    ],
    ids=["two", "three", "two dims", "two axes"],
)
def test_reversal(dims: tuple[int, ...], mesh: str, tiles: dict[str, list[list[Any]]], tmp_path: Path) -> None:
    local = run(lambda x: lax.rev(x * 2, dims), [whole_numbers(48, 48)], mesh, tiles, tmp_path)
    assert "all_gather" not in local
    assert ("collective_permute" in local) == (dims != (0,) or mesh == "d=4,e=2")


def along_time(x: jax.Array, padding: Any, groups: int = 1) -> jax.Array:
    kernel = whole_numbers(4, 8 // groups, 8, seed=1)
    numbers = ("NTC", "TIO", "NTC")
    return lax.conv_general_dilated(x, kernel, (1,), padding, dimension_numbers=numbers, feature_group_count=groups)


UNEVEN: dict[str, Callable[..., Any]] = {
    "convolution": lambda x: along_time(x, "SAME"),
    "each channel alone": lambda x: along_time(x, [(3, 0)], groups=8),
    "maximum": lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 3, 1), (1, 1, 1), "SAME"),
    "sum": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 1), (1, 1, 1), "SAME"),
    "cumulative sum": lambda x: jnp.cumsum(x, axis=1),
    "cumulative maximum from the end": lambda x: lax.cummax(x, 1, reverse=True),
}


@pytest.mark.parametrize("name", UNEVEN)
@pytest.mark.parametrize("rows", [49, 50, 51])
def test_windows_of_padded_rows(name: str, rows: int, tmp_path: Path) -> None:
    """Four devices do not divide the rows; windows see what the op pads with behind them."""

    def function(x: jax.Array) -> Any:
        return (UNEVEN[name](jnp.tanh(x) * 0 + x) * jnp.arange(8.0)).sum(axis=1)

    local = run(function, [whole_numbers(2, rows, 8)], "d=4", {"d": [["x", 1]]}, tmp_path)
    assert not re.findall(rf"all_gather.*-> tensor<2x(?:{rows}|52)x8x", local)


PADDED: dict[str, Callable[..., Any]] = {
    "causal": lambda x: along_time(jnp.pad(x, ((0, 0), (3, 0), (0, 0))), "VALID"),
    "gradient of sums": jax.grad(
        lambda x: (lax.reduce_window(x, 0.0, lax.add, (1, 3, 1), (1, 2, 1), "SAME") ** 2).sum()
    ),
    "sums": lambda x: lax.reduce_window(
        lax.pad(x, np.float32(0), ((0, 0, 0), (1, 1, 0), (0, 0, 0))), 0.0, lax.add, (1, 3, 1), (1, 1, 1), "VALID"
    ),
}


@pytest.mark.parametrize("name", PADDED)
@pytest.mark.parametrize("parts", [2, 4, 8])
def test_pads_before_windows(name: str, parts: int, tmp_path: Path) -> None:
    """The pad becomes the window's own padding, so that rows of the input and of the result are the same."""
    local = run(PADDED[name], [whole_numbers(2, 48, 8)], f"d={parts}", {"d": [["x", 1]]}, tmp_path)
    assert "collective_permute" in local and "all_gather" not in local


def test_exchanges_are_rows_of_collectives(tmp_path: Path) -> None:
    """What ops exchange by themselves is counted, priced and called communication."""

    def f(logits: jax.Array, x: jax.Array, kernel: jax.Array) -> tuple[jax.Array, jax.Array]:
        y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.argmax(logits, -1), y

    inputs = [
        jax.ShapeDtypeStruct((4, 64), jnp.float32),
        jax.ShapeDtypeStruct((2, 16, 16, 4), jnp.float32),
        jax.ShapeDtypeStruct((3, 3, 4, 8), jnp.float32),
    ]
    program, schedule = tmp_path / "program.mlir", tmp_path / "schedule.json"
    program.write_text(jax.jit(f).lower(*inputs).as_text(debug_info=True))
    schedule.write_text(json.dumps({"tactics": [{"axis": "model", "tile": [["logits", 1], ["x", 1]]}]}))
    where = ["--mesh", "model=4", "--machine", "h100-sxm:1x4", "--schedule", schedule, "-o", tmp_path / "out"]
    subprocess.run([BIN / "partita", "plan", program, *where], capture_output=True, check=True)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    lines = {entry["kind"]: entry for entry in report["collectives"]}
    # The values and the numbers of the largest logits; an edge of one row from above and one from below.
    assert (lines["all_gather"]["count"], lines["all_gather"]["bytes"]) == (2, 2 * 4 * 4 * 4)
    assert (lines["collective_permute"]["count"], lines["collective_permute"]["bytes"]) == (2, 2 * 2 * 16 * 4 * 4)
    assert report["communication_ps"] == sum(entry["time_ps"] for entry in report["collectives"])
    assert report["exposed_communication_ps"] == report["communication_ps"]
    assert report["time_ps"] == report["compute_ps"] + report["exposed_communication_ps"]
    assert report["simulated_exposed_ps"] == report["communication_ps"] == report["exposed_elsewhere_ps"]
    assert "space" in report["overview"]["strategy"]
    # The page has them by source line.
    page = (tmp_path / "out" / "report.html").read_text()
    steps = set(re.findall(r"\b(?:all_gather|collective_permute) \{model\}", page))
    assert steps == {"all_gather {model}", "collective_permute {model}"}
