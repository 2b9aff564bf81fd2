"""For every program of the zoo and every schedule of its family: is the plan's peak what its local program shows?

    python test/Score/check_peaks.py [PATTERN [--recompute PATTERN] [--keep PATTERN] [--accumulate COUNT]]

Options say how the program is rewritten first. Prints the pairs that differ, and how many are equal to the byte; exits
with 1 if one is not (`make check-peaks`).
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

import recount_plan
from models import exported
from test_recount import CASES, LATE, MACHINE, MESH, ROOT, WINDOW, run


def count_both(model: str, layout: str, strategy: str, folder: Path, rewrites: list[str]) -> tuple[int, int]:
    """The peak that the plan reports, and the one that is counted."""
    program, schedule = exported.find(f"{model}.tiny"), ROOT / "models" / "schedules" / f"{layout}.{strategy}.json"
    out, normal = folder / "out", folder / "normal.mlir"
    run("plan", program, "--mesh", MESH, "--schedule", schedule, "--machine", MACHINE, "-o", out, *rewrites)
    stop = ["--stop-after=accumulate", "--locations"]
    run("plan", program, "--mesh", MESH, "--schedule", schedule, *rewrites, *stop, "-o", normal)
    reported: int = json.loads((out / "report.json").read_text())["peak_bytes"]
    return reported, recount_plan.count_plan(normal.read_text(), (out / "local.mlir").read_text(), WINDOW, LATE)


def main() -> int:
    pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
    equal = total = 0
    for model, layout, strategy in CASES:
        if not pattern.search(f"{model} {strategy}"):
            continue
        total += 1
        try:
            with tempfile.TemporaryDirectory() as folder:
                reported, counted = count_both(model, layout, strategy, Path(folder), sys.argv[2:])
            message = f"the plan says {reported}, its local program {counted}"
        except (AssertionError, KeyError, ValueError) as error:
            reported, counted, message = 0, 1, f"not counted: {error!r}"
        equal += reported == counted
        if reported != counted:
            print(f"{model} {strategy}: {message}", flush=True)
    print(f"{equal} of {total} equal")
    return 0 if equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
