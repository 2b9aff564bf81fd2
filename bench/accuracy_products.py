"""Predicted times of matrix products against measured tables of other chips: a section of `make accuracy`.

Figures of b200 were fitted on the rows of its table whose sizes have an even hash; those of h100 come from an H200, and
no row of its table was used. Rows that are faster than the chip's peak are left out.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
DATA = ROOT.parent / "shared" / "data"
#: The table, the machine and the types of its rows that are compared.
TABLES = (("h100", "h100-sxm:1x1"), ("b200", "b200:1x1"), ("mi350", "mi300x:1x1"))
TYPES = ("bf16", "f32")


@dataclass(frozen=True)
class Product:
    sizes: tuple[int, int, int, int]
    type: str
    measured_us: float

    @property
    def is_fitted(self) -> bool:
        batch, m, k, n = self.sizes
        return hashlib.sha256(f"{batch},{m},{n},{k}".encode()).digest()[0] % 2 == 0


def read_table(name: str) -> list[Product]:
    with (DATA / f"gemm_{name}.csv").open() as file:
        return [
            Product((int(row["b"]), int(row["m"]), int(row["k"]), int(row["n"])), row["lhs"], float(row["time_us"]))
            for row in csv.DictReader(file)
            if row["lhs"] in TYPES and row["rhs"] == row["lhs"] and row["out"] == row["lhs"] and row["over_peak"] == "0"
        ]


def predict(machine: str, products: list[Product]) -> list[float]:
    """Microseconds."""
    lines = [
        json.dumps({"machine": machine, "kind": "product", "sizes": product.sizes, "type": product.type})
        for product in products
    ]
    command = [str(BIN / "partita"), "machines", "--price", "-"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    return [json.loads(line)["time_ps"] / 1e6 for line in done.stdout.splitlines()]


def summarize(label: str, pairs: list[tuple[float, float]]) -> str:
    errors = sorted(abs(predicted / measured - 1) for predicted, measured in pairs)
    bias = math.exp(sum(math.log(predicted / measured) for predicted, measured in pairs) / len(pairs))
    return (
        f"  {label:28} {len(pairs):4} rows  median {100 * median(errors):5.1f}%"
        f"  90th {100 * quantiles(errors, n=10)[-1]:5.1f}%  bias x{bias:.2f}"
    )


def report() -> tuple[list[str], bool]:
    lines = []
    for name, machine in TABLES:
        if not (DATA / f"gemm_{name}.csv").is_file():
            lines.append(f"{name}: the measured table is not here")
            continue
        lines.append(f"{name}: {machine}")
        products = read_table(name)
        times = predict(machine, products)
        for kind in TYPES:
            for half, is_fitted in (("even half", True), ("odd half", False)):
                pairs = [
                    (time, product.measured_us)
                    for time, product in zip(times, products, strict=True)
                    if product.type == kind and product.is_fitted == is_fitted
                ]
                if len(pairs) > 1:
                    lines.append(summarize(f"{kind}, {half}", pairs))
    return lines, True


if __name__ == "__main__":
    for line in report()[0]:
        print(line)
