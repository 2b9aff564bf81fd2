"""The formula that search uses against the simulated timeline: a section of `make accuracy`.

Search's time is a sum over segments (docs/cost.md); a score's is that of a list scheduler over streams. For every
program of the zoo at its published size, in scanned form, and every schedule that fits it: how far the two are apart.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from statistics import median

from accuracy_gpu import BIN, ROOT
from gpu_memory import list_rows
from models import exported

MACHINES = (("h100-sxm:1x8", "data=4,model=2"), ("tpu-v5e:4x2", "data=4,model=2"))


UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def compare(program: Path, schedule: Path, mesh: str, machine: str) -> tuple[float, float]:
    """Seconds by the timeline and by the formula, as the table for people has them."""
    command = [
        str(BIN / "partita"), "score", str(program), "--schedule", str(schedule), "--mesh", mesh, "--machine", machine,
    ]  # fmt: skip
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"^  time +([0-9.]+) (\w+) .*search's formula ([0-9.]+) (\w+)", text, re.MULTILINE)
    assert found, text[:500]
    return float(found[1]) * UNITS[found[2]], float(found[3]) * UNITS[found[4]]


def report() -> tuple[list[str], bool]:
    lines = []
    for machine, mesh in MACHINES:
        ratios = []
        for program, family, _, name in list_rows():
            schedule = ROOT / "models" / "schedules" / f"{family}.{name}.json"
            simulated, formula = compare(exported.find(program), schedule, mesh, machine)
            ratios.append((formula / simulated, f"{program} {name}"))
        ratios.sort()
        middle = median(ratio for ratio, _ in ratios)
        lines.append(
            f"{machine}: {len(ratios)} plans, formula / timeline: median {middle:.3f}, "
            f"least {ratios[0][0]:.3f} ({ratios[0][1]}), most {ratios[-1][0]:.3f} ({ratios[-1][1]})"
        )
    return lines, True


if __name__ == "__main__":
    for line in report()[0]:
        print(line)
