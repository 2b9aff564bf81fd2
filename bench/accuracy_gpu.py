"""Predictions against what was recorded: three sections of `make accuracy`.

memory    what XLA's GPU pipeline allocates for local programs of real size (`gpu_memory.py`), against `peak_bytes`;
          the same for eight CPU devices (`cpu_memory.py`), without a goal
timing    parts of transformers (`gpu_timing.py`), timed on one H200 under load (`gpu_sustained.py`), against `time_ps`
          on one device

No figure was fitted on these rows. A row whose text is no longer the one that was recorded is marked with a star: what
it compares are two programs of the same plan.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import cpu_memory
import gpu_memory
import gpu_sustained
import gpu_timing
from models import exported

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
MEMORY_GOALS, MEMORY_FLOOR = (0.05, 0.10), 0.15


@dataclass(frozen=True)
class Compared:
    label: str
    predicted: float
    measured: float
    is_same_text: bool

    @property
    def error(self) -> float:
        return abs(self.predicted / self.measured - 1)

    def line(self, unit: str) -> str:
        star = " " if self.is_same_text else "*"
        return (
            f"  {self.label:58}{star} {self.predicted:9.2f} {unit}, measured {self.measured:9.2f}"
            f"  x{self.predicted / self.measured:.2f}"
        )


def score(program: Path, schedule: Path, mesh: str, machine: str) -> dict[str, Any]:
    command = [
        str(BIN / "partita"), "score", str(program), "--schedule", str(schedule), "--mesh", mesh, "--machine", machine,
        "--json",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name}: {done.stderr.strip()}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare_memory() -> list[Compared]:
    rows = json.loads(gpu_memory.RECORDED.read_text())["rows"]
    recorded = {(row["program"], row["mesh"], row["schedule"]): row for row in rows if "peak_bytes" in row}
    compared = []
    for program, family, mesh, name in gpu_memory.list_rows():
        row = recorded.get((program, mesh, f"{family}.{name}"))
        if row is None:
            continue
        path = exported.find(program)
        schedule = ROOT / "models" / "schedules" / f"{family}.{name}.json"
        digest = hashlib.sha256(gpu_memory.plan(path, f"{family}.{name}", mesh).encode()).hexdigest()
        peak = score(path, schedule, mesh, "h200-sxm:1x8")["peak_bytes"]
        label = f"{program} {mesh} {name}"
        compared.append(Compared(label, peak / 1e9, row["peak_bytes"] / 1e9, digest == row["sha256"]))
    return compared


def report_memory() -> tuple[list[str], bool]:
    """The section's lines, and whether its floor holds."""
    compared = compare_memory()
    errors = sorted(entry.error for entry in compared)
    middle, high = median(errors), errors[int(0.95 * (len(errors) - 1))]
    verdict = "met" if middle <= MEMORY_GOALS[0] and high <= MEMORY_GOALS[1] else "MISSED"
    summary = (
        f"{len(compared)} plans: median error {100 * middle:.1f}%, 95th percentile {100 * high:.1f}%; "
        f"goals {100 * MEMORY_GOALS[0]:.0f}% and {100 * MEMORY_GOALS[1]:.0f}%: {verdict}"
    )
    return [summary, *(entry.line("GB") for entry in compared)], middle <= MEMORY_FLOOR


def compare_cpu_memory() -> list[Compared]:
    rows = json.loads(cpu_memory.RECORDED.read_text())["rows"]
    recorded = {(row["program"], row["schedule"]): row for row in rows if "temp_bytes" in row}
    compared = []
    for program, name in cpu_memory.list_rows():
        row = recorded.get((program, name))
        if row is None:
            continue
        path = cpu_memory.write_f32(program)
        schedule = ROOT / "models" / "schedules" / f"{name}.json"
        digest = hashlib.sha256(gpu_memory.plan(path, name, cpu_memory.MESH).encode()).hexdigest()
        peak = score(path, schedule, cpu_memory.MESH, "h200-sxm:1x8")["peak_bytes"]
        allocated = row["argument_bytes"] + row["output_bytes"] + row["temp_bytes"] - row["alias_bytes"]
        compared.append(Compared(f"{program} {name}", peak / 1e9, allocated / 1e9, digest == row["sha256"]))
    return compared


def report_cpu_memory() -> tuple[list[str], bool]:
    compared = compare_cpu_memory()
    errors = [entry.error for entry in compared]
    summary = f"{len(compared)} plans in f32, nothing donated: median error {100 * median(errors):.1f}%; no goal"
    return [summary, *(entry.line("GB") for entry in compared)], True


def compare_timing(folder: Path) -> list[Compared]:
    recorded = {row["name"]: row for row in json.loads(gpu_timing.RECORDED.read_text())["rows"]}
    loaded = {row["name"]: row["sustained_us"] for row in json.loads(gpu_sustained.RECORDED.read_text())["rows"]}
    gpu_timing.prepare(folder)
    schedule = folder / "none.json"
    schedule.write_text('{"tactics": []}\n')
    compared = []
    for entry in json.loads((folder / "index.json").read_text()):
        row = recorded.get(entry["name"])
        if row is None or "measured_us" not in row:
            continue
        program = folder / "program.mlir"
        program.write_bytes(gzip.decompress((folder / entry["file"]).read_bytes()))
        time = score(program, schedule, "device=1", "h200-sxm:1x1")["time_ps"]
        measured = loaded.get(entry["name"], row["measured_us"])
        compared.append(Compared(entry["name"], time / 1e6, measured, entry["sha256"] == row["sha256"]))
    return compared


def report_timing() -> tuple[list[str], bool]:
    with tempfile.TemporaryDirectory() as folder:
        compared = compare_timing(Path(folder))
    errors = [entry.error for entry in compared]
    summary = f"{len(compared)} programs: MAPE {100 * mean(errors):.1f}%, median error {100 * median(errors):.1f}%"
    return [summary, *(entry.line("us") for entry in compared)], True


if __name__ == "__main__":
    for line in report_memory()[0] + report_timing()[0]:
        print(line)
