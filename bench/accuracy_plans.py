"""Whole plans on eight H200s, as this build prices them, against what `gpu_plans.py` recorded: a section of
`make accuracy`.

XLA compiled the local programs for eight GPUs, and one GPU ran what one device computes of some. Plans of given
schedules are priced anew. Found ones are left out: this build finds others. Whether the collectives are those that were
recorded says whether lowering has changed since. No figure was fitted on these rows.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import mean, median
from typing import Any

from accuracy_gpu import ROOT, Compared, score
from gpu_plans import MACHINE, MESH
from models import exported

RECORDED = ROOT / "bench" / "data" / "gpu_plans.json"


def price(program: str, schedule: str) -> dict[str, Any]:
    path: Path = ROOT / "models" / "schedules" / f"{schedule}.json"
    return score(exported.find(program), path, MESH, MACHINE)


def count_collectives(priced: dict[str, Any]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for entry in priced["collectives"]:
        counts[entry["kind"]] += entry["count"]
    return dict(counts)


def summarize(rows: list[Compared], what: str) -> str:
    errors = [row.error for row in rows]
    return f"{what}: {len(rows)} rows, median error {100 * median(errors):.1f}%, mean {100 * mean(errors):.1f}%"


def report() -> tuple[list[str], bool]:
    recorded = json.loads(RECORDED.read_text())
    given = [entry for entry in recorded["plans"] if not entry["schedule"].endswith(".found")]
    measured = {(entry["program"], entry["schedule"]): entry.get("measured_us") for entry in recorded["shares"]}
    memory, compute = [], []
    for entry in given:
        key = entry["program"], entry["schedule"]
        priced = price(*key)
        is_same = count_collectives(priced) == entry["predicted"]["collectives"]
        local = entry["measured"]["local"]
        if "peak_bytes" in local:
            memory.append(Compared(" ".join(key), priced["peak_bytes"] / 1e9, local["peak_bytes"] / 1e9, is_same))
        if measured.get(key):
            compute.append(Compared(" ".join(key), priced["compute_ps"] / 1e9, measured[key] / 1e3, is_same))
    left = len(recorded["plans"]) - len(given)
    lines = [
        summarize(memory, "peak memory of local programs"),
        *(row.line("GB") for row in memory),
        summarize(compute, "compute of one device's share"),
        *(row.line("ms") for row in compute),
        f"{left} found plans are of the build that recorded them (docs/gpu.md); * other collectives than were recorded",
    ]
    return lines, True


if __name__ == "__main__":
    print("\n".join(report()[0]))
