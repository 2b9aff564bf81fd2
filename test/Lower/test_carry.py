"""Reductions that a loop makes an iteration later, as a plan says: lowered, checked value by value, in exact mode,
under XLA."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import carry_programs
import xla_local
from carry_programs import CASES, MICRO
from test_matmul import call, count, plan
from test_rotate import count_carried

MESHES = ["data=2", "data=8", "data=4,model=2"]


def save(name: str, mesh: str, folder: Path) -> tuple[Path, tuple[str | Path, ...]]:
    devices = int(np.prod([int(size) for size in re.findall(r"\d", mesh)]))
    program = carry_programs.save(name, folder, devices)
    return program, ("--schedule", folder / "schedule.json", "--machine", folder / "machine.json")


def list_reductions(made: dict[str, Any]) -> list[str]:
    return [each["value"] for each in made.get("rotate", []) if "user" not in each]


def carry_all(program: Path, mesh: str, *given: str | Path) -> tuple[dict[str, Any], str]:
    """The plan that the price chooses, with all other reductions carried that can be."""
    folder = program.parent
    made, local = plan(program, mesh, "chosen", *given, "--allow=rotate")
    report = json.loads((folder / "chosen" / "report.json").read_text())
    reduced = [
        each["value"] for each in report["reshards"] if each["steps"].startswith(("reduce_scatter", "all_reduce"))
    ]
    for name in dict.fromkeys(reduced):
        if name in list_reductions(made):
            continue
        more = made | {"rotate": [*made.get("rotate", []), {"value": name}]}
        (folder / "more.json").write_text(json.dumps(more))
        done = call("plan", program, "--plan", folder / "more.json", "-o", folder / "more")
        if done.returncode == 65:
            assert "no loop reduces" in done.stderr
            continue
        assert done.returncode == 0, done.stderr
        made, local = more, (folder / "more" / "local.mlir").read_text()
        verified = call("verify", program, "--plan", folder / "more" / "plan.json", "--exact")
        assert verified.returncode == 0, verified.stdout + verified.stderr
    return made, local


def compare(name: str, inputs: list[Any], local: str) -> None:
    function = (CASES | MICRO)[name][0]
    expected = [np.asarray(value) for value in jax.tree.leaves(jax.jit(function)(*inputs))]
    flat = [np.asarray(value) for value in jax.tree.leaves(inputs)]
    results = xla_local.run_local(local, flat, [value.shape for value in expected])
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)


def count_reductions(local: str) -> int:
    return count(local, "reduce_scatter") + count(local, "all_reduce")


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", list(CASES))
def test_carried_reductions_compute_the_same(name: str, mesh: str, tmp_path: Path) -> None:
    program, given = save(name, mesh, tmp_path)
    _, whole = plan(program, mesh, "plain", *given, "--assume-trips=3")
    made, local = carry_all(program, mesh, *given, "--assume-trips=3")
    reductions = list_reductions(made)
    assert len(reductions) == (1 if name in ("counted", "equal_stacks") else 2)
    # Each is made once more, behind its loop.
    assert count_reductions(local) == count_reductions(whole) + len(reductions)
    assert sum(count_carried(local)) >= sum(count_carried(whole)) + len(made["rotate"])
    if mesh == "data=8":
        compare(name, CASES[name][1], local)


@pytest.mark.parametrize("mesh", ["data=4", "data=2,model=2"])
@pytest.mark.parametrize("name", list(MICRO))
def test_microbatches(name: str, mesh: str, tmp_path: Path) -> None:
    """A loop that Partita makes, around the program's own if there is one: sums that are kept split."""
    program, given = save(name, mesh, tmp_path)
    (tmp_path / "schedule.json").write_text(json.dumps({"tactics": [{"preset": "fsdp", "axis": "data"}]}))
    given = (*given, "--accumulate", "2")
    _, whole = plan(program, mesh, "plain", *given)
    made, local = carry_all(program, mesh, *given)
    reductions = list_reductions(made)
    assert reductions
    assert count_reductions(local) == count_reductions(whole) + len(reductions)


def test_the_price_chooses(tmp_path: Path) -> None:
    """What ends its iteration, if that pays."""
    program, given = save("train", "data=8", tmp_path)
    plain, _ = plan(program, "data=8", "plain", *given)
    made, _ = plan(program, "data=8", "made", *given, "--allow=rotate")
    assert len(list_reductions(made)) == 2
    assert made["cost"]["time_ps"] < plain["cost"]["time_ps"]
    assert made["cost"]["simulated_ps"] == pytest.approx(made["cost"]["time_ps"], rel=0.02)
    reductions = [each for each in made["cost"]["collectives"] if each["kind"] == "reduce_scatter"]
    before = [each for each in plain["cost"]["collectives"] if each["kind"] == "reduce_scatter"]
    assert sum(each["count"] for each in reductions) == sum(each["count"] for each in before) + 2
    report = json.loads((tmp_path / "made" / "report.json").read_text())
    assert report["rotate"] == made["rotate"]
    assert report["time_ps"] < report["without_rotate_ps"]
    said = re.search(r"reduces? (\d+) gradients? an iteration later: ", (tmp_path / "made.txt").read_text())
    assert said and int(said[1]) == 2


@pytest.mark.parametrize("trips", [0, 1, 2, 3])
def test_any_number_of_trips(trips: int, tmp_path: Path) -> None:
    program, given = save("counted", "data=8", tmp_path)
    made, local = carry_all(program, "data=8", *given, "--assume-trips=3")
    assert len(list_reductions(made)) == 1
    compare("counted", [*CASES["counted"][1][:-1], np.array(trips, np.int32)], local)


def test_a_plan_says_what_is_carried(tmp_path: Path) -> None:
    """Replayed to the same bytes, and taken back by leaving it out, one by one; each of them is right by itself."""
    program, given = save("remat", "data=8", tmp_path)
    made, local = carry_all(program, "data=8", *given)
    _, plain = plan(program, "data=8", "plain", *given)
    again = call("plan", program, "--plan", tmp_path / "more" / "plan.json", "-o", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again" / "local.mlir").read_text() == local
    assert json.loads((tmp_path / "again" / "plan.json").read_text())["rotate"] == made["rotate"]
    for kept in ([], *([{"value": name}] for name in list_reductions(made))):
        less = {key: value for key, value in made.items() if key != "rotate"} | ({"rotate": kept} if kept else {})
        (tmp_path / "less.json").write_text(json.dumps(less))
        done = call("plan", program, "--plan", tmp_path / "less.json", "-o", tmp_path / "less")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "less" / "local.mlir").read_text()
        assert count_reductions(text) == count_reductions(plain) + len(kept)
        assert kept or text == plain
        compare("remat", CASES["remat"][1], text)


def test_what_nobody_can_carry_is_refused(tmp_path: Path) -> None:
    program, given = save("remat", "data=8", tmp_path)
    made, _ = carry_all(program, "data=8", *given)
    name = list_reductions(made)[0]
    for wrong in ([{"value": name}] * 2, [{"value": r"state['w_in']"}]):
        (tmp_path / "wrong.json").write_text(json.dumps(made | {"rotate": wrong}))
        done = call("plan", program, "--plan", tmp_path / "wrong.json", "-o", tmp_path / "wrong")
        assert done.returncode == 65 and '"rotate": no loop reduces \'' in done.stderr, done.stderr


def test_what_is_written_into_a_stack_split_by_layers_is_refused(tmp_path: Path) -> None:
    """Each device looks whether it has the layer, so a write is several ops. The price and the lowering agree."""
    program = carry_programs.save("train", tmp_path, 6)
    schedule = json.loads((tmp_path / "schedule.json").read_text())
    schedule["tactics"].append({"axis": "pipe", "tile": [[r"state\['w_.*", 0]]})
    (tmp_path / "schedule.json").write_text(json.dumps(schedule))
    given = ("--schedule", tmp_path / "schedule.json", "--machine", tmp_path / "machine.json", "--allow=rotate")
    made, _ = plan(program, "data=2,pipe=3", "made", *given)
    report = json.loads((tmp_path / "made" / "report.json").read_text())
    reduced = {
        each["value"]
        for each in report["reshards"]
        if each["steps"].startswith(("reduce_scatter", "all_reduce")) and "while" in each["value"]
    }
    assert reduced and not list_reductions(made)
    for name in reduced:
        (tmp_path / "wrong.json").write_text(json.dumps(made | {"rotate": [{"value": name}]}))
        done = call("plan", program, "--plan", tmp_path / "wrong.json", "-o", tmp_path / "wrong")
        assert done.returncode == 65 and '"rotate": no loop reduces \'' in done.stderr, done.stderr


GROUP, OTHER = "[[0, 1, 2, 3, 4, 5, 6, 7]]", "[[1, 0, 2, 3, 4, 5, 6, 7]]"
WRITE = r"(stablehlo\.dynamic_update_slice )(%[\w#]+), (%\w+), (%[\w#]+)"
MUTANTS = {
    "train": ["left out", "group behind", "one behind", "ones first", "index of this iteration", "counter", "stack"],
    "counted": ["difference", "twice", "sum of this iteration", "other sum behind", "ones first"],
}


def split(local: str) -> list[str]:
    """What is in front of the last loop, the loop, and what is behind it."""
    place = local.rindex("stablehlo.while")
    end = local.index("\n", [found.end() for found in re.finditer(r"stablehlo\.return %iterArg", local)][-1])
    return [local[:place], local[place:end], local[end:]]


def mutate(local: str, what: str) -> str:
    """One change of what the last loop carries, or of what stands behind it."""
    front, loop, behind = split(local)
    match what:
        case "left out":
            # What the loop gives, without the last write.
            made = re.search(rf"(%\d+) = {WRITE}", behind)
            assert made
            behind = behind[: made.end()] + re.sub(rf"{made[1]}\b", made[3], behind[made.end() :])
        case "group behind":
            behind = behind.replace(GROUP, OTHER, 1)
        case "one behind":
            place = front.rindex("\n")
            front = f"{front[:place]}\n%wrong = stablehlo.constant dense<1> : tensor<i32>{front[place:]}"
            behind = re.sub(WRITE, r"\1\2, \3, %wrong", behind, count=1)
        case "ones first":
            zeros = r"(%cst\w* = stablehlo\.constant dense<)0(\.0+e\+00> : tensor<(?:8x16|16x8)xf32>)"
            front = re.sub(zeros, r"\g<1>1\2", front, count=1)
        case "index of this iteration":
            index = re.search(r"stablehlo\.dynamic_slice %iterArg_\w+, (%\w+)", loop)
            assert index
            loop = re.sub(WRITE, rf"\1\2, \3, {index[1]}", loop, count=1)
        case "counter":
            # What is carried as the index.
            counter = re.search(r"compare LT, (%iterArg\w+),", loop)
            index = re.search(r"stablehlo\.dynamic_slice %iterArg_\w+, (%\w+)", loop)
            assert counter and index
            before, yields = loop.rsplit("stablehlo.return", 1)
            loop = before + "stablehlo.return" + re.sub(rf"{index[1]}, ", f"{counter[1]}, ", yields, count=1)
        case "stack":
            # It does not begin with zeros.
            front = re.sub(
                r"(%cst\w* = stablehlo\.constant dense<)0(\.0+e\+00> : tensor<f32>)",
                r"\g<1>1\2",
                front,
            )
        case "difference":
            behind = re.sub(r"stablehlo\.add (%\d+#\d+), (%\d+) ", r"stablehlo.subtract \1, \2 ", behind, count=1)
        case "twice":
            behind = re.sub(r"stablehlo\.add (%\d+#\d+), (%\d+) ", r"stablehlo.add \2, \2 ", behind, count=1)
        case "sum of this iteration":
            # The sum begins anew in each iteration.
            loop = re.sub(r"stablehlo\.add %iterArg_\w+, (%\d+#1) ", r"stablehlo.add \1, \1 ", loop, count=1)
        case "other sum behind":
            behind = behind.replace(GROUP, OTHER, 1)
    return front + loop + behind


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, all_of in MUTANTS.items() for what in all_of])
def test_mutants_are_refused(name: str, what: str, tmp_path: Path) -> None:
    """By the static check."""
    program, given = save(name, "data=8", tmp_path)
    _, local = carry_all(program, "data=8", *given, "--assume-trips=3")
    file = tmp_path / "changed.mlir"
    file.write_text(local)
    accepted = call("verify", program, "--local", file, "--relation")
    assert accepted.returncode == 0, accepted.stderr
    changed = mutate(local, what)
    assert changed != local
    file.write_text(changed)
    refused = call("verify", program, "--local", file, "--relation")
    assert refused.returncode == 1, refused.stdout + refused.stderr
