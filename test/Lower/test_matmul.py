"""Products that run in pieces beside their gathers and scatters, as a plan says: lowered, checked value by value, in
exact mode, under XLA.

Blocks of two products under tensor and sequence parallelism gather their rows and scatter their sums over one axis,
and their gradients do the reverse. Which of these run in pieces is chosen on a machine with slow links, so that the
tiny programs gain, or is written into plan.json.
"""

from __future__ import annotations

import json
import math
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
from slow_links import make_machine
from test_partition import BIN

Function = Callable[..., Any]


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / "partita", *words], capture_output=True, text=True, check=False)


def whole_numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-2, 3, shape).astype(np.float32)


def block(x: Any, w_in: Any, w_out: Any) -> Any:
    """The rows of `x` are split; inside, the columns of `w_in` and the rows of `w_out` are."""
    inner = x @ w_in
    return x + jnp.where(inner > 0, inner, -inner) @ w_out


def one_block(x: Any, w_in: Any, w_out: Any) -> Any:
    return block(x * 2.0, w_in, w_out)


def gated(x: Any, w_in: Any, w_gate: Any, w_out: Any) -> Any:
    """Two products share the gathered rows."""
    rows = x * 2.0
    return rows + ((rows @ w_in) * (rows @ w_gate)) @ w_out


def gradients(x: Any, w_in: Any, w_out: Any) -> Any:
    return jax.grad(lambda *args: jnp.sum(one_block(*args) ** 2), argnums=(0, 1, 2))(x, w_in, w_out)


def looped(x: Any, w_in: Any, w_out: Any) -> Any:
    """Layers in a loop, forwards and backwards."""

    def loss(x: Any, w_in: Any, w_out: Any) -> Any:
        layers = lax.scan(lambda rows, w: (block(rows, *w), None), x * 2.0, (w_in, w_out))
        return jnp.sum(layers[0] ** 2)

    return jax.grad(loss, argnums=(0, 1, 2))(x, w_in, w_out)


def weights(*shape: int) -> np.ndarray:
    """Few of them are not zero: whole numbers stay small enough to be exact through several products."""
    drawn = np.random.default_rng(1)
    return (drawn.integers(-1, 2, shape) * (drawn.random(shape) < 0.2)).astype(np.float32)


X, IN, OUT = whole_numbers(2, 16, 8), weights(8, 16), weights(16, 8)
STACKED = (weights(3, 8, 16), weights(3, 16, 8))
CASES: dict[str, tuple[Function, list[np.ndarray]]] = {
    "block": (one_block, [X, IN, OUT]),
    "gated": (gated, [X, IN, weights(8, 16), OUT]),
    "gradients": (gradients, [X, IN, OUT]),
    "loop": (looped, [X, *STACKED]),
}
MESHES = ["model=2", "model=4", "data=2,model=4", "model=4,data=2", "model=8"]


def make_schedule(name: str, mesh: str) -> dict[str, Any]:
    """Batches over `data`; columns, then rows of weights over `model`, and rows of all else."""
    inner = 2 if name == "loop" else 1
    tiles: list[tuple[str, list[list[Any]]]] = [("data", [["x", 0]])] if "data" in mesh else []
    columns = [["w_in", inner]] + ([["w_gate", inner]] if name == "gated" else [])
    tiles += [("model", [*columns, ["w_out", inner - 1]]), ("model", [["x", 1]])]
    return {"tactics": [{"axis": axis, "tile": tile} for axis, tile in tiles]}


def save(name: str, mesh: str, folder: Path) -> Path:
    """The program; its schedule and the machine stand beside it."""
    function, inputs = CASES[name]
    program = folder / "program.mlir"
    program.write_text(str(jax.jit(function).lower(*inputs).as_text(debug_info=True)))
    (folder / "schedule.json").write_text(json.dumps(make_schedule(name, mesh)))
    devices = math.prod(int(size) for size in re.findall(r"\d", mesh))
    (folder / "machine.json").write_text(json.dumps(make_machine(devices)))
    return program


def plan(program: Path, mesh: str, out: str, *options: str | Path) -> tuple[dict[str, Any], str]:
    """plan.json and the local program, statically checked and executed in exact mode."""
    folder = program.parent
    done = call("plan", program, "--mesh", mesh, *options, "-o", folder / out)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / f"{out}.txt").write_text(done.stdout)
    verified = call("verify", program, "--plan", folder / out / "plan.json", "--exact")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return json.loads((folder / out / "plan.json").read_text()), (folder / out / "local.mlir").read_text()


def count(local: str, kind: str) -> int:
    return len(re.findall(rf'"stablehlo\.{kind}"', local))


def compare(function: Function, inputs: list[np.ndarray], local: str) -> None:
    expected = [np.asarray(value) for value in jax.tree.leaves(jax.jit(function)(*inputs))]
    results = xla_local.run_local(local, inputs, [value.shape for value in expected])
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", list(CASES))
def test_pieces_compute_the_same(name: str, mesh: str, tmp_path: Path) -> None:
    program = save(name, mesh, tmp_path)
    given = ("--schedule", tmp_path / "schedule.json", "--machine", tmp_path / "machine.json")
    plain, whole = plan(program, mesh, "plain", *given)
    pieced, local = plan(program, mesh, "pieced", *given, "--allow=matmul")
    assert "matmul" not in plain
    listed = pieced["matmul"]
    parts = int(re.search(r"model=(\d)", mesh)[1])  # type: ignore[index]
    for kind in ("all_gather", "reduce_scatter"):
        assert count(local, kind) == count(whole, kind) - sum(each["collective"] == kind for each in listed)
    assert count(local, "collective_permute") == count(whole, "collective_permute") + len(listed) * (parts - 1)
    assert pieced["cost"]["time_ps"] < plain["cost"]["time_ps"]
    if mesh in ("data=2,model=4", "model=8"):
        compare(*CASES[name], local)


def test_a_plan_says_what_runs_in_pieces(tmp_path: Path) -> None:
    """Replayed to the same bytes, on another machine, too; and taken back by leaving it out."""
    program = save("gradients", "data=2,model=4", tmp_path)
    given = ("--schedule", tmp_path / "schedule.json", "--machine", tmp_path / "machine.json")
    mesh = "data=2,model=4"
    made, local = plan(program, mesh, "made", *given, "--allow=matmul")
    _, plain = plan(program, mesh, "plain", *given)
    file = tmp_path / "made" / "plan.json"
    again = call("plan", program, "--plan", file, "-o", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again" / "local.mlir").read_text() == local
    replayed = json.loads((tmp_path / "again" / "plan.json").read_text())
    assert replayed["matmul"] == made["matmul"]
    less = dict(made)
    del less["matmul"]
    (tmp_path / "less.json").write_text(json.dumps(less))
    done = call("plan", program, "--plan", tmp_path / "less.json", "-o", tmp_path / "less")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "less" / "local.mlir").read_text() == plain


@pytest.mark.parametrize(
    ("matmul", "words"),
    [
        ({}, '"matmul" must be a list'),
        ([{"collective": "all_reduce", "value": "x"}], "expected a collective that runs in pieces"),
        ([{"collective": "all_gather", "value": "x"}], 'the member "user" is missing'),
        ([{"collective": "all_gather", "value": "nothing", "user": "x"}], "the program has no value 'nothing'"),
        ([{"collective": "reduce_scatter", "value": "x"}], "are not scattered along rows of its product"),
        ([{"collective": "all_gather", "value": "x", "user": "x", "by": 2}], 'unknown member "by"'),
    ],
)
def test_wrong_pieces_are_refused(matmul: Any, words: str, tmp_path: Path) -> None:
    program = save("block", "model=4", tmp_path)
    made, _ = plan(program, "model=4", "made", "--schedule", tmp_path / "schedule.json")
    (tmp_path / "wrong.json").write_text(json.dumps(made | {"matmul": matmul}))
    done = call("plan", program, "--plan", tmp_path / "wrong.json", "-o", tmp_path / "wrong")
    assert done.returncode == 65 and words in done.stderr, done.stderr


def test_pieces_are_not_chosen_unless_allowed(tmp_path: Path) -> None:
    """Nor where products of pieces are too small for the machine."""
    program = save("block", "model=8", tmp_path)
    given = ("--schedule", tmp_path / "schedule.json", "--allow=matmul")
    made, _ = plan(program, "model=8", "real", *given, "--machine", "tpu-v5e:4x2")
    assert "matmul" not in made
    slow = ("--machine", tmp_path / "machine.json")
    made, _ = plan(program, "model=8", "slow", *given, *slow)
    assert "matmul" in made
    made, _ = plan(program, "model=8", "forbidden", *given, *slow, "--forbid=matmul")
    assert "matmul" not in made


def test_the_report_says_what_runs_in_pieces(tmp_path: Path) -> None:
    program = save("gated", "model=8", tmp_path)
    given = ("--schedule", tmp_path / "schedule.json", "--machine", tmp_path / "machine.json")
    made, local = plan(program, "model=8", "made", *given, "--allow=matmul")
    report = json.loads((tmp_path / "made" / "report.json").read_text())
    assert report["matmul"] == made["matmul"]
    assert report["time_ps"] < report["without_matmul_ps"]
    gathers = [each for each in made["matmul"] if each["collective"] == "all_gather"]
    # Both products of the gathered rows run in pieces, beside the same permutes.
    assert len(gathers) == 1
    assert (
        "2 products run in pieces beside their gathers, 1 product runs in pieces beside its scatter: "
        in (tmp_path / "made.txt").read_text()
    )
    permutes = [line for line in report["collectives"] if line["kind"] == "collective_permute"]
    assert sum(line["count"] for line in permutes) == count(local, "collective_permute") == 14
