"""Products that run in pieces beside their gathers and scatters, as a plan says: lowered, checked value by value, in
exact mode, under XLA.

Which of the programs' gathers and scatters run so is chosen on a machine with slow links, or is written into plan.json.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import xla_local
from piece_programs import CASES, MESHES, Function, save
from test_partition import BIN


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / "partita", *words], capture_output=True, text=True, check=False)


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


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_what_a_search_finds_for_gpus_runs_in_pieces(platform: str, tmp_path: Path) -> None:
    """Without a word of it: XLA's schedules for other machines have not been looked at."""
    program = save("block", "model=8", tmp_path)
    schedule, machine = tmp_path / "schedule.json", tmp_path / "machine.json"
    machine.write_text(json.dumps(json.loads(machine.read_text()) | {"platform": platform}))
    given = ("--schedule", schedule, "--machine", machine)
    made, _ = plan(program, "model=8", "given", *given)
    assert "matmul" not in made
    tactics = json.loads(schedule.read_text())["tactics"]
    schedule.write_text(json.dumps({"tactics": [*tactics, {"name": "rest", "auto": {}, "axes": ["model"]}]}))
    made, _ = plan(program, "model=8", "found", *given)
    assert ("matmul" in made) == (platform == "cuda")
    made, _ = plan(program, "model=8", "forbidden", *given, "--forbid=matmul")
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
