"""Gathers that a loop makes an iteration ahead, as a plan says: lowered, checked value by value, in exact mode, under
XLA."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rotation_programs
from rotation_programs import CASES, save
from test_matmul import call, compare, plan

MESHES = ["data=2", "data=8", "data=4,model=2"]


def save_for(name: str, mesh: str, folder: Path) -> tuple[Path, tuple[str | Path, ...]]:
    devices = int(np.prod([int(size) for size in re.findall(r"\d", mesh)]))
    program = save(name, folder, devices)
    return program, ("--schedule", folder / "schedule.json", "--machine", folder / "machine.json")


def count_carried(local: str) -> list[int]:
    return [int(found) for found in re.findall(r"%\d+:(\d+) = stablehlo.while", local)]


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", list(CASES))
def test_rotated_loops_compute_the_same(name: str, mesh: str, tmp_path: Path) -> None:
    program, given = save_for(name, mesh, tmp_path)
    given = (*given, "--assume-trips=3")
    plain, whole = plan(program, mesh, "plain", *given)
    made, local = plan(program, mesh, "rotated", *given, "--allow=rotate")
    assert "rotate" not in plain
    assert made["cost"]["time_ps"] < plain["cost"]["time_ps"]
    added = sum(count_carried(local)) - sum(count_carried(whole))
    assert added == len(made["rotate"]) > 0
    assert local.count('"stablehlo.all_gather"') == whole.count('"stablehlo.all_gather"') + added
    if mesh == "data=8":
        compare(*CASES[name], local)


@pytest.mark.parametrize("trips", [0, 1, 2, 3])
def test_any_number_of_trips(trips: int, tmp_path: Path) -> None:
    program, given = save_for("counted", "data=8", tmp_path)
    _, local = plan(program, "data=8", "rotated", *given, "--assume-trips=3", "--allow=rotate")
    function, inputs = CASES["counted"]
    compare(function, [*inputs[:-1], np.array(trips, np.int32)], local)


def test_a_plan_says_what_is_rotated(tmp_path: Path) -> None:
    """Replayed to the same bytes, and taken back by leaving it out, one by one."""
    program, given = save_for("remat", "data=8", tmp_path)
    made, local = plan(program, "data=8", "made", *given, "--allow=rotate")
    _, plain = plan(program, "data=8", "plain", *given)
    again = call("plan", program, "--plan", tmp_path / "made" / "plan.json", "-o", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again" / "local.mlir").read_text() == local
    assert json.loads((tmp_path / "again" / "plan.json").read_text())["rotate"] == made["rotate"]
    gathers = plain.count('"stablehlo.all_gather"')
    for number in range(len(made["rotate"])):
        kept = made["rotate"][:number]
        less = {key: value for key, value in made.items() if key != "rotate"} | ({"rotate": kept} if kept else {})
        (tmp_path / "less.json").write_text(json.dumps(less))
        done = call("plan", program, "--plan", tmp_path / "less.json", "-o", tmp_path / "less")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "less" / "local.mlir").read_text()
        assert text.count('"stablehlo.all_gather"') == gathers + number
        assert number > 0 or text == plain
        verified = call("verify", program, "--plan", tmp_path / "less" / "plan.json", "--exact")
        assert verified.returncode == 0, verified.stderr


@pytest.mark.parametrize(
    ("rotate", "words"),
    [
        ({}, '"rotate" must be a list'),
        ([3], "expected an object"),
        ([{"user": "x"}], 'the member "value" is missing'),
        ([{"value": "x"}], "no loop reduces 'x' so that it could be reduced an iteration later"),
        ([{"value": 1, "user": "x"}], "expected the name of a value"),
        ([{"value": "nothing", "user": "x"}], "the program has no value 'nothing'"),
        ([{"value": "x", "user": "w_in"}], "no loop gathers 'x' before 'w_in'"),
        ([{"value": "x", "user": "x", "by": 2}], 'unknown member "by"'),
        ("twice", "or it is named twice"),
    ],
)
def test_wrong_rotations_are_refused(rotate: Any, words: str, tmp_path: Path) -> None:
    program, given = save_for("forward", "data=8", tmp_path)
    made, _ = plan(program, "data=8", "made", *given, "--allow=rotate")
    wrong = [made["rotate"][0]] * 2 if rotate == "twice" else rotate
    (tmp_path / "wrong.json").write_text(json.dumps(made | {"rotate": wrong}))
    done = call("plan", program, "--plan", tmp_path / "wrong.json", "-o", tmp_path / "wrong")
    assert done.returncode == 65 and words in done.stderr, done.stderr


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_what_a_search_finds_for_gpus_is_rotated(platform: str, tmp_path: Path) -> None:
    """Without a word of it; schedules of one's own only where it is named."""
    program, given = save_for("forward", "data=8", tmp_path)
    machine, schedule = tmp_path / "machine.json", tmp_path / "schedule.json"
    machine.write_text(json.dumps(json.loads(machine.read_text()) | {"platform": platform}))
    made, _ = plan(program, "data=8", "given", *given)
    assert "rotate" not in made
    tactics = json.loads(schedule.read_text())["tactics"]
    schedule.write_text(json.dumps({"tactics": [*tactics, {"name": "rest", "auto": {}, "axes": ["data"]}]}))
    made, _ = plan(program, "data=8", "found", *given)
    assert ("rotate" in made) == (platform == "cuda")
    made, _ = plan(program, "data=8", "forbidden", *given, "--forbid=rotate")
    assert "rotate" not in made


def test_the_report_says_what_is_rotated(tmp_path: Path) -> None:
    program, given = save_for("backward", "data=8", tmp_path)
    made, _ = plan(program, "data=8", "made", *given, "--allow=rotate")
    report = json.loads((tmp_path / "made" / "report.json").read_text())
    assert report["rotate"] == made["rotate"]
    assert report["time_ps"] < report["without_rotate_ps"]
    text = (tmp_path / "made.txt").read_text()
    said = re.search(r"(\d) loops? gathers? (\d+) parameters? an iteration ahead: ", text)
    assert said and int(said[2]) == len(made["rotate"])
    # Each is gathered once more, in front of its loop.
    gathers = sum(each["count"] for each in report["collectives"] if each["kind"] == "all_gather")
    plain, _ = plan(program, "data=8", "plain", *given)
    assert gathers == len(made["rotate"]) + sum(
        each["count"] for each in plain["cost"]["collectives"] if each["kind"] == "all_gather"
    )


def test_what_a_rotated_loop_costs(tmp_path: Path) -> None:
    """Three iterations with two gathers each: each of these runs four times, and only the first time is exposed."""
    program, given = save_for("forward", "data=8", tmp_path)
    plain, _ = plan(program, "data=8", "plain", *given)
    made, _ = plan(program, "data=8", "made", *given, "--allow=rotate")
    gathers = [each for each in made["cost"]["collectives"] if each["kind"] == "all_gather"]
    assert [each["count"] for each in gathers] == [8]
    once = gathers[0]["time_ps"] // 8
    assert plain["cost"]["communication_ps"] == 6 * once
    assert made["cost"]["exposed_communication_ps"] == 2 * once
    for cost in (plain["cost"], made["cost"]):
        assert cost["simulated_ps"] == pytest.approx(cost["time_ps"], rel=1e-4)
    assert made["cost"]["lower_bound_ps"] <= made["cost"]["time_ps"]


GROUP, OTHER = "[[0, 1, 2, 3, 4, 5, 6, 7]]", "[[1, 0, 2, 3, 4, 5, 6, 7]]"
COUNTERS = ["counter of this iteration", "counter after the next"]
MUTANTS = ["index", "both groups", "group in front", "group ahead", *COUNTERS]


def mutate(local: str, what: str) -> str:
    """One change of what is computed ahead, in front of the loop or at the end of its body."""
    place = local.index("stablehlo.while")
    front, loop = local[:place], local[place:]
    counter = re.search(r"stablehlo\.add (%iterArg\w*), %c\w* : tensor<i32>", loop)[1]  # type: ignore[index]
    ahead = r"( *)(%\d+ = stablehlo\.dynamic_slice %iterArg\w*, )(%\d+)"
    match what:
        case "index":
            wrong = r"\1%wrong = stablehlo.constant dense<1> : tensor<i32>\n\1\2%wrong"
            front = re.sub(r"( *)(%\d+ = stablehlo\.dynamic_slice %arg\d+, )%\w+", wrong, front, count=1)
        case "both groups":
            front, loop = (part.replace(GROUP, OTHER, 1) for part in (front, loop))
        case "group in front":
            front = front.replace(GROUP, OTHER, 1)
        case "group ahead":
            loop = loop.replace(GROUP, OTHER, 1)
        case "counter of this iteration":
            loop = re.sub(ahead, rf"\1\2{counter}", loop, count=1)
        case "counter after the next":
            wrong = r"\1%wrong = stablehlo.add \3, \3 : tensor<i32>\n\1\2%wrong"
            loop = re.sub(ahead, wrong, loop, count=1)
    return front + loop


@pytest.mark.parametrize("what", MUTANTS)
def test_mutants_are_refused(what: str, tmp_path: Path) -> None:
    """By the static check, and they are wrong."""
    program, given = save_for("forward", "data=8", tmp_path)
    _, local = plan(program, "data=8", "made", *given, "--allow=rotate")
    changed = mutate(local, what)
    assert changed != local
    file = tmp_path / "changed.mlir"
    file.write_text(changed)
    inputs = {"x": rotation_programs.X, "w_in": rotation_programs.IN, "w_out": rotation_programs.OUT}
    drawn = np.random.default_rng(3)
    inputs = {name: drawn.integers(-3, 4, array.shape).astype(np.float32) for name, array in inputs.items()}
    np.savez(tmp_path / "inputs.npz", **inputs)
    refused = call("verify", program, "--local", file, "--relation")
    said = "is no piece of a value" if what == "both groups" else "carries a value that is not what its next iteration"
    assert refused.returncode == 1 and said in refused.stderr, refused.stderr
    executed = call("verify", program, "--local", file, "--exact", "--inputs", tmp_path / "inputs.npz")
    assert executed.returncode == 1, executed.stdout + executed.stderr
