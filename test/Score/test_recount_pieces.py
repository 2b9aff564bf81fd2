"""The peak of a plan with products in pieces, or an exchange in steps, is what its local program shows, to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import piece_programs
import recount_plan
from test_recount import run

WINDOW, LATE = 2, 8
"""Of the machine that is described here: gathers are issued early, and products run late."""


def count(program: Path, out: Path, given: list[str | Path]) -> tuple[dict[str, Any], int]:
    """plan.json, and the peak that is counted from the local program."""
    normal = program.parent / "normal.mlir"
    run("plan", program, *given, "--stop-after=accumulate", "--locations", "-o", normal)
    made: dict[str, Any] = json.loads((out / "plan.json").read_text())
    return made, recount_plan.count_plan(normal.read_text(), (out / "local.mlir").read_text(), WINDOW, LATE)


@pytest.mark.parametrize("mesh", piece_programs.MESHES)
@pytest.mark.parametrize("name", list(piece_programs.CASES))
def test_peak_with_products_in_pieces(name: str, mesh: str, tmp_path: Path) -> None:
    program, machine = piece_programs.save(name, mesh, tmp_path), tmp_path / "machine.json"
    described = json.loads(machine.read_text())
    described["device"] |= {"issue_window": WINDOW, "late_window": LATE}
    machine.write_text(json.dumps(described))
    given: list[str | Path] = ["--mesh", mesh, "--schedule", tmp_path / "schedule.json"]
    out = tmp_path / "out"
    run("plan", program, *given, "--machine", machine, "--allow=matmul", "-o", out)
    made, counted = count(program, out, given)
    assert made["matmul"]
    assert made["cost"]["peak_bytes"] == counted
    # Whichever of them run in pieces.
    for number in range(len(made["matmul"])):
        fewer = made | {"matmul": made["matmul"][:number] + made["matmul"][number + 1 :]}
        (tmp_path / "fewer.json").write_text(json.dumps(fewer))
        run("plan", program, "--plan", tmp_path / "fewer.json", "--machine", machine, "-o", out)
        planned, counted = count(program, out, given)
        assert json.loads((out / "report.json").read_text())["peak_bytes"] == counted
        assert len(planned["matmul"]) == len(made["matmul"]) - 1 or len(made["matmul"]) == 1


@pytest.mark.parametrize("dims", [(0, 1), (2, 0)], ids=str)
def test_peak_with_an_exchange_in_steps(dims: tuple[int, int], tmp_path: Path) -> None:
    """Reshapes between the steps are no buffers of their own."""
    source, target = dims
    program, schedule, out = tmp_path / "program.mlir", tmp_path / "schedule.json", tmp_path / "out"

    def sort(x: jax.Array) -> jax.Array:
        return jnp.sort(jnp.sort(x, axis=target), axis=source) * 2

    x = jax.ShapeDtypeStruct((16, 16, 16), "float32")
    program.write_text(jax.jit(sort).lower(x).as_text(debug_info=True))
    steps = [["all_to_all", ["b"]], ["all_to_all", ["a"]]]
    tiles = [{"axis": axis, "tile": [tile]} for tile in (["x", source], ["result0", target]) for axis in "ab"]
    reductions = [{"collective": "all_to_all", "axes": ["a", "b"], "steps": steps}]
    schedule.write_text(json.dumps({"tactics": tiles, "reductions": reductions}))
    machine = tmp_path / "machine.json"
    windows = {"issue_window": WINDOW, "late_window": LATE}
    machine.write_text(json.dumps({"base": "h100-sxm:2x4", "name": "windows", "device": windows}))
    given: list[str | Path] = ["--mesh", "a=2,b=4", "--schedule", schedule]
    run("plan", program, *given, "--machine", machine, "-o", out)
    made, counted = count(program, out, given)
    assert (out / "local.mlir").read_text().count("stablehlo.all_to_all") == 2
    assert made["cost"]["peak_bytes"] == counted
