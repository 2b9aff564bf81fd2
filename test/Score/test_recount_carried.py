"""The peak of a plan with reductions an iteration later is what its local program shows, to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carry_programs
from test_recount import run
from test_recount_pieces import LATE, WINDOW, count


@pytest.mark.parametrize("mesh", ["data=2", "data=8"])
@pytest.mark.parametrize("name", list(carry_programs.CASES))
def test_peak_with_carried_reductions(name: str, mesh: str, tmp_path: Path) -> None:
    program = carry_programs.save(name, tmp_path, int(mesh[-1]))
    machine, out = tmp_path / "machine.json", tmp_path / "out"
    described = json.loads(machine.read_text())
    described["device"] |= {"issue_window": WINDOW, "late_window": LATE}
    machine.write_text(json.dumps(described))
    given: list[str | Path] = ["--mesh", mesh, "--schedule", tmp_path / "schedule.json"]
    run("plan", program, *given, "--machine", machine, "--assume-trips=3", "--allow=rotate", "-o", out)
    made = json.loads((out / "plan.json").read_text())
    report = json.loads((out / "report.json").read_text())
    reduced = [
        each["value"]
        for each in report["reshards"]
        if each["steps"] == "reduce_scatter {data} 1" and "while" in each["value"]
    ]
    gathers = [each for each in made.get("rotate", []) if "user" in each]
    carried = [{"value": value} for value in reduced]
    if name in ("counted", "narrow_sum", "equal_stacks"):
        carried = [
            {"value": each["value"]} for each in report["reshards"] if each["steps"] == "reduce_scatter {data} 0"
        ]
    assert carried
    # Both, and each by itself, with gathers of the next iteration and without.
    for listed in ([*gathers, *carried], carried, *([each] for each in carried), [*gathers[:1], carried[0]]):
        (tmp_path / "carried.json").write_text(json.dumps(made | {"rotate": listed}))
        run("plan", program, "--plan", tmp_path / "carried.json", "--machine", machine, "-o", out)
        _, counted = count(program, out, given)
        assert json.loads((out / "report.json").read_text())["peak_bytes"] == counted
