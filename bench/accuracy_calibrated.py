"""Times of ops on an H200 with the preset and with the preset calibrated on that H200: a section of `make accuracy`.

`partita measure` ran on an H200 and gave h200_measured.jsonl: copies, products and programs of other shapes than those
that are predicted here. `partita calibrate` fits the preset's figures to half of them. Errors are those of the rows of
`gpu_ops.py` that are only reported.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

import gpu_ops
import partita
from accuracy_gpu import ROOT
from accuracy_ops import PRESET, Prediction, predict_all, read_machine

MEASURED = ROOT / "bench" / "data" / "h200_measured.jsonl"


def summarize(label: str, rows: Sequence[Prediction]) -> str:
    errors = [row.error for row in rows]
    logs = [abs(math.log(row.ratio)) for row in rows]
    return (
        f"  {label:34} {len(rows):4} rows  median {100 * median(errors):5.1f}%  mean {100 * mean(errors):5.1f}%"
        f"  mean factor {math.exp(mean(logs)):.3f}"
    )


def report() -> tuple[list[str], bool]:
    found = partita.calibrate(PRESET, MEASURED, name="h200-sxm, calibrated")
    with tempfile.TemporaryDirectory() as folder:
        found.save(Path(folder) / "calibrated.json")
        machines = {"preset": read_machine(PRESET), "calibrated": read_machine(f"{folder}/calibrated.json")}
    lines = str(found).splitlines()
    kept = {
        name: [row for row in predict_all(gpu_ops.RECORDED, "kernel_us", machine) if not row.is_fitted]
        for name, machine in machines.items()
    }
    for title, kinds in (
        ("all rows that are only reported", (True, False)),
        ("products", (True,)),
        ("other ops", (False,)),
    ):
        lines.append(f"{title}:")
        lines += [
            summarize(name, [row for row in rows if ("product" in row.kind) in kinds]) for name, rows in kept.items()
        ]
    return lines, True


if __name__ == "__main__":
    print("\n".join(report()[0]))
