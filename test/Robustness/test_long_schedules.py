"""Reading, applying, reporting and replaying takes time that is linear in the number of tactics, actions and rules.

Processor times of one run are compared with each other, so that the machine and its load do not matter.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import DONE, PROGRAM, run

FEW, MANY = 5_000, 40_000
TILE = [["x", 0]]
OPTIONAL = {"axis": "data", "tile": TILE, "optional": True}
SCHEDULES: dict[str, Callable[[int], Any]] = {
    "tactics without names": lambda count: {"tactics": [OPTIONAL] * count},
    "tactics": lambda count: {"tactics": [{"name": f"t{i}", **OPTIONAL} for i in range(count)]},
    "patterns": lambda count: {"tactics": [{"axis": "data", "tile": TILE * count}]},
    "atomic values": lambda count: {"tactics": [{"axis": "data", "atomic": ["w"], **OPTIONAL}] * count},
    "rules": lambda count: [[f"x|y{i}", ["data", None]] for i in range(count)],
}


def seconds(*words: str | Path) -> float:
    """Processor time, the less of two runs."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = run("partita", *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert answer.code == DONE, answer.err
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once(), once())


@pytest.mark.parametrize("kind", SCHEDULES)
def test_time_is_linear(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "program.mlir"
    program.write_text(PROGRAM)
    apply, replay = [], []
    for count in (FEW, MANY):
        schedule, out = tmp_path / f"{count}.json", tmp_path / str(count)
        schedule.write_text(json.dumps(SCHEDULES[kind](count)))
        apply.append(seconds("plan", program, "--mesh=data=2", f"--schedule={schedule}", f"--output={out}"))
        replay.append(seconds("plan", program, f"--plan={out / 'plan.json'}", f"--output={tmp_path / 'again'}"))
    # Eight times as many: quadratic parts take 64 times as long.
    assert apply[1] < 24 * max(apply[0], 0.02) and replay[1] < 24 * max(replay[0], 0.02), (apply, replay)
