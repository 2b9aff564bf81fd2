"""The peak of a plan with rotated loops is what its local program shows, to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rotation_programs
from test_recount import run
from test_recount_pieces import LATE, WINDOW, count


@pytest.mark.parametrize("mesh", ["data=2", "data=8"])
@pytest.mark.parametrize("name", list(rotation_programs.CASES))
def test_peak_with_rotated_loops(name: str, mesh: str, tmp_path: Path) -> None:
    program = rotation_programs.save(name, tmp_path, int(mesh[-1]))
    machine, out = tmp_path / "machine.json", tmp_path / "out"
    described = json.loads(machine.read_text())
    described["device"] |= {"issue_window": WINDOW, "late_window": LATE}
    machine.write_text(json.dumps(described))
    given: list[str | Path] = ["--mesh", mesh, "--schedule", tmp_path / "schedule.json"]
    run("plan", program, *given, "--machine", machine, "--assume-trips=3", "--allow=rotate", "-o", out)
    made, counted = count(program, out, given)
    assert made["rotate"]
    assert made["cost"]["peak_bytes"] == counted
    # Whichever of them are rotated.
    for number in range(len(made["rotate"])):
        fewer = made | {"rotate": made["rotate"][:number] + made["rotate"][number + 1 :]}
        (tmp_path / "fewer.json").write_text(json.dumps(fewer))
        run("plan", program, "--plan", tmp_path / "fewer.json", "--machine", machine, "-o", out)
        _, counted = count(program, out, given)
        assert json.loads((out / "report.json").read_text())["peak_bytes"] == counted
