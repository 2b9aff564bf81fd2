"""Collectives that run as programs of steps, as a plan says: lowered, checked value by value, in exact mode, under XLA.

Every program that `machines --price` lists for a collective over two or three axes of 8 devices, and that keeps the
order of pieces, stands in a schedule; XLA runs the local program on virtual devices. The choice itself is tested on a
cluster whose nodes have one network card.
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

import xla_local
from check_reductions import compare_programs, order_programs
from check_reductions import list_programs as list_all
from test_partition import BIN

Program = dict[str, Any]


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / "partita", *words], capture_output=True, text=True, check=False)


def list_programs(goal: str, mesh: dict[str, int], folder: Path, most: int) -> list[Program]:
    """The first so many programs of a collective over all axes that keep the order of pieces; each axis is a level of a
    machine."""
    free = {"launch_ps": 0, "hop_ps": 0, "rate_ppm": 1_000_000}
    levels = [
        {"name": name, "kind": "switch", "size": size, "bytes_per_second": 10**9, "devices_per_port": 1}
        | {"protocols": [free], "peer_hop_ps": 0}
        for name, size in mesh.items()
    ]
    machine = folder / "machine.json"
    machine.write_text(json.dumps({"base": "a100-sxm-40:2x8", "name": "levels", "levels": levels}))
    count = math.prod(mesh.values())
    request = {"mesh": f"all={count}", "kind": goal, "axes": ["all"], "bytes": 1 << 20, "programs": most}
    requests = folder / "requests.jsonl"
    requests.write_text(json.dumps(request) + "\n")
    done = call("machines", machine, "--price", requests)
    assert done.returncode == 0, done.stderr
    programs = json.loads(done.stdout)["programs"]
    # Steps of an exchange always change the order of pieces on the way.
    listed = [each["steps"] for each in programs if goal == "all_to_all" or not each["reordered"]]
    return [{"collective": goal, "axes": list(mesh), "steps": steps} for steps in listed if len(steps) > 1]


def write_plan(
    text: str, mesh: dict[str, int], tiles: dict[str, list[list[Any]]], programs: Any, folder: Path, *options: str
) -> str:
    """The local program, statically checked and executed in exact mode; what it prints is in `folder`."""
    program, schedule = folder / "program.mlir", folder / "schedule.json"
    program.write_text(text)
    rounds = range(max(map(len, tiles.values())))
    tactics = [{"axis": axis, "tile": [tile[i]]} for i in rounds for axis, tile in tiles.items() if i < len(tile)]
    schedule.write_text(json.dumps({"tactics": tactics, "reductions": programs}))
    words = ",".join(f"{name}={size}" for name, size in mesh.items())
    done = call("plan", program, "--mesh", words, "--schedule", schedule, "-o", folder / "out", *options)
    # Some programs of three axes mix the order of pieces on the way; of exchanges, all but those over minor axes first.
    is_exchange = programs != "auto" and programs[0]["collective"] == "all_to_all"
    if (len(mesh) > 2 or is_exchange) and "these steps are not" in done.stderr:
        return ""
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    verified = call("verify", program, "--plan", folder / "out" / "plan.json", "--exact")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    return (folder / "out" / "local.mlir").read_text()


def whole_numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-4, 5, shape).astype(np.float32)


def compare(function: Callable[..., Any], inputs: list[np.ndarray], local: str) -> None:
    expected = [np.asarray(value) for value in jax.tree.leaves(jax.jit(function)(*inputs))]
    results = xla_local.run_local(local, inputs, [value.shape for value in expected])
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)


def lower(function: Callable[..., Any], inputs: list[np.ndarray]) -> str:
    return str(jax.jit(function).lower(*inputs).as_text(debug_info=True))


# What the axes of a mesh split, tactic by tactic: `[argument or result, dim]`. Sums over a contracted dim are partial,
# and scattered if the result is split; a sorted dim is gathered.
CASES: dict[str, tuple[Callable[..., Any], list[np.ndarray], list[list[Any]]]] = {
    "all_reduce": (lambda x, w: x @ w, [whole_numbers(6, 16), whole_numbers(16, 8)], [["x", 1]]),
    "reduce_scatter": (
        lambda x, w: x @ w,
        [whole_numbers(16, 16), whole_numbers(16, 8)],
        [["x", 1], ["result0", 0]],
    ),
    "all_gather": (lambda x: jnp.sort(x, axis=0), [whole_numbers(16, 6)], [["x", 0]]),
    "all_to_all": (
        lambda x: jnp.sort(jnp.sort(x, axis=1), axis=0),
        [whole_numbers(16, 32)],
        [["x", 0], ["result0", 1]],
    ),
}


@pytest.mark.parametrize("mesh", [{"a": 2, "b": 4}, {"a": 4, "b": 2}, {"a": 2, "b": 2, "c": 2}], ids=str)
@pytest.mark.parametrize("goal", list(CASES))
@pytest.mark.parametrize("most", [12, pytest.param(100_000, marks=pytest.mark.long)])
def test_every_program_is_the_collective(goal: str, mesh: dict[str, int], most: int, tmp_path: Path) -> None:
    function, inputs, tiles = CASES[goal]
    text = lower(function, inputs)
    programs = list_programs(goal, mesh, tmp_path, most)
    run = 0
    for number, program in enumerate(programs):
        folder = tmp_path / str(number)
        folder.mkdir()
        local = write_plan(text, mesh, dict.fromkeys(mesh, tiles), [program], folder)
        if not local:
            continue
        kinds = [kind for kind, _ in program["steps"] if kind != "slice"]
        emitted = {kind: local.count(f'"stablehlo.{kind}"') + local.count(f"stablehlo.{kind} ") for kind in set(kinds)}
        # A plan that would send more for the program than for a reshard in another place takes that one.
        is_detour = goal == "reduce_scatter" and {"all_reduce", "all_gather"} & set(kinds)
        if is_detour and emitted != {kind: kinds.count(kind) for kind in set(kinds)}:
            continue
        run += 1
        assert emitted == {kind: kinds.count(kind) for kind in set(kinds)}, program
        if number % 3 == 0 or most > 12:
            compare(function, inputs, local)
    if goal == "all_to_all":
        # b, a; of three axes c, b, a or bc, a or c, ab.
        assert run == {2: 1, 3: 3}[len(mesh)]
    else:
        assert run > len(programs) // (2 if goal != "reduce_scatter" else 8)


@pytest.mark.parametrize("mesh", [{"a": 2, "b": 4}, {"a": 2, "b": 2}], ids=str)
@pytest.mark.parametrize("dims", [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2)], ids=str)
def test_exchanges_in_steps_move_any_dim_to_any_other(
    mesh: dict[str, int], dims: tuple[int, int], tmp_path: Path
) -> None:
    """Where axes are of one size, the static check has to see steps that run over the wrong ones."""
    source, target = dims
    inputs = [whole_numbers(16, 16, 16)]

    def function(x: jax.Array) -> jax.Array:
        return jnp.sort(jnp.sort(x, axis=target), axis=source)

    text = lower(function, inputs)
    steps = [["all_to_all", ["b"]], ["all_to_all", ["a"]]]
    program = {"collective": "all_to_all", "axes": ["a", "b"], "steps": steps}
    tiles: list[list[Any]] = [["x", source], ["result0", target]]
    local = write_plan(text, mesh, dict.fromkeys(mesh, tiles), [program], tmp_path)
    assert local.count('"stablehlo.all_to_all"') == 2
    compare(function, inputs, local)
    checked = tmp_path / "checked.mlir"
    words = ("verify", tmp_path / "program.mlir", "--local", checked, "--relation")
    checked.write_text(local)
    assert call(*words).returncode == 0
    first, second = re.findall(r'"stablehlo\.all_to_all".*replica_groups = (dense<.*?>)', local)
    assert first != second
    if mesh["a"] == mesh["b"]:
        for wrong in (
            local.replace(first, "$").replace(second, first).replace("$", second),
            local.replace(first, second),
        ):
            checked.write_text(wrong)
            refused = call(*words)
            assert refused.returncode != 0, refused.stdout


def test_an_exchange_across_nodes_is_chosen_in_steps(tmp_path: Path) -> None:
    """Few bytes, and each device of one exchange waits for all devices of all other nodes."""
    machine = tmp_path / "machine.json"
    levels = {"node": {"peer_hop_ps": 40_000_000}}
    machine.write_text(json.dumps({"base": "h100-sxm:2x4", "name": "slow-peers", "levels": levels}))
    function, inputs, tiles = CASES["all_to_all"]
    text = lower(function, inputs)
    local = write_plan(text, {"data": 8}, {"data": tiles}, "auto", tmp_path, "--machine", str(machine))
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert [(each["collective"], each["steps"]) for each in plan["reductions"]] == [
        ("all_to_all", [["all_to_all", ["data:(2)4"]], ["all_to_all", ["data:(1)2"]]])
    ]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["time_ps"] < report["without_reductions_ps"]
    compare(function, inputs, local)
    # Inside nodes, across, and inside again: parts that lie inside are no neighbors, so each has a step of its own.
    turned = tmp_path / "turned"
    turned.mkdir()
    placed = ("--machine", str(machine), "--placement", "a=nvlink:2,b=node+nvlink:2")
    local = write_plan(text, {"a": 2, "b": 4}, dict.fromkeys("ab", tiles), "auto", turned, *placed)
    plan = json.loads((turned / "out" / "plan.json").read_text())
    parts = ["b:(2)2", "b:(1)2", "a"]
    assert [each["steps"] for each in plan["reductions"]] == [[["all_to_all", [part]] for part in parts]]
    compare(function, inputs, local)


@pytest.mark.parametrize("sizes", [(2, 4), (2, 2, 2)], ids=str)
def test_programs_run_in_exact_mode(sizes: tuple[int, ...], tmp_path: Path) -> None:
    """Of each collective some of all programs, exchanges and those that leave chunks in another order included;
    `make check-reductions` runs them all."""
    for goal, listed in list_all(tmp_path, sizes).items():
        proven = order_programs(goal, listed, sizes)
        assert len(proven) == len(listed) > 1
        sample = proven[:: max(1, len(proven) // 12)]
        assert compare_programs(goal, sample, sizes) == (len(sample), len(sample)), goal
    # Chunks that come out in another order than the program says are seen.
    inner_first = [("reduce_scatter", (1,)), ("reduce_scatter", (0,))]
    assert compare_programs("reduce_scatter", [(inner_first, range(8))], (2, 4)) == (0, 0)


CLUSTER = {
    "base": "v100-sxm2:2x4",
    "name": "one-card",
    "levels": {"node": {"devices_per_port": 4, "bytes_per_second": "8 GB/s"}},
}


def gradients(x: jax.Array, w: jax.Array) -> jax.Array:
    return jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w)


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(CLUSTER))
    return path


def test_reductions_are_chosen_for_the_machine(cluster: Path, tmp_path: Path) -> None:
    """One axis over both levels: it is split where the node ends."""
    inputs = [whole_numbers(16, 1024), whole_numbers(1024, 512)]
    text, machine = lower(gradients, inputs), ("--machine", str(cluster))
    local = write_plan(text, {"data": 8}, {"data": [["x", 0]]}, "auto", tmp_path, *machine)
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    steps = [["reduce_scatter", ["data:(2)4"]], ["all_reduce", ["data:(1)2"]], ["all_gather", ["data:(2)4"]]]
    assert [each["steps"] for each in plan["reductions"]] == [steps]
    assert plan["schedule"]["reductions"] == plan["reductions"]
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["time_ps"] < report["without_reductions_ps"]
    printed = (tmp_path / "printed.txt").read_text()
    assert re.search(
        r"all_reduce over data, 2\S+ MB, runs as reduce_scatter over data:\(2\)4; all_reduce over", printed
    )
    assert "collectives in steps: " in printed
    assert local.count('"stablehlo.all_reduce"') == local.count('"stablehlo.reduce_scatter"') == 1
    compare(gradients, inputs, local)
    # The same bytes again, also when the plan is replayed.
    again = call("plan", tmp_path / "program.mlir", "--plan", tmp_path / "out" / "plan.json", "-o", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again" / "local.mlir").read_text() == local
    # On a machine where each GPU has a card of its own the plan is what it is, with another time.
    made = (tmp_path / "program.mlir", "--plan", tmp_path / "out" / "plan.json")
    other = call("score", *made, "--machine", "h100-sxm:2x4", "--json")
    scored = json.loads(other.stdout)
    assert scored["reductions"] == plan["reductions"]
    assert scored["time_ps"] != report["time_ps"] and scored["without_reductions_ps"] != report["without_reductions_ps"]


def test_a_search_chooses_reductions_unless_it_may_not(cluster: Path, tmp_path: Path) -> None:
    inputs = [whole_numbers(512, 1024), whole_numbers(1024, 512)]
    program = tmp_path / "program.mlir"
    program.write_text(lower(gradients, inputs))
    words = ("plan", program, "--mesh", "data=8", "--machine", cluster)
    found = {}
    for name, options in {"allowed": (), "forbidden": ("--forbid", "reductions")}.items():
        done = call(*words, "-o", tmp_path / name, *options)
        assert done.returncode == 0, done.stderr
        found[name] = json.loads((tmp_path / name / "plan.json").read_text())
    assert "reductions" not in found["forbidden"]
    if "reductions" in found["allowed"]:
        assert found["allowed"]["cost"]["time_ps"] < found["forbidden"]["cost"]["time_ps"]
    # One level: nothing to choose, and the local program does not depend on the machine.
    for machine in ("h100-sxm:1x8", "v100-sxm2:1x8"):
        done = call(*words[:-1], machine, "-o", tmp_path / machine)
        assert "reductions" not in json.loads((tmp_path / machine / "plan.json").read_text())


@pytest.mark.parametrize(
    ("reductions", "words"),
    [
        (
            [{"collective": "all_reduce", "axes": ["data"], "steps": [["all_reduce", ["model"]]]}],
            "not an axis of the mesh",
        ),
        (
            [{"collective": "all_reduce", "axes": ["data"], "steps": [["slice", ["data"]]]}],
            "these steps are not all_reduce",
        ),
        ([{"collective": "all_reduce", "axes": ["data"], "steps": []}], "expected a list of steps"),
        ("never", '"reductions" must be a list'),
    ],
)
def test_wrong_reductions_are_refused(reductions: Any, words: str, tmp_path: Path) -> None:
    program, schedule = tmp_path / "program.mlir", tmp_path / "schedule.json"
    program.write_text(lower(gradients, [whole_numbers(8, 8), whole_numbers(8, 8)]))
    schedule.write_text(json.dumps({"tactics": [], "reductions": reductions}))
    done = call("plan", program, "--mesh", "data=8", "--schedule", schedule)
    assert done.returncode == 65 and words in done.stderr, done.stderr
