"""How much of a program is at ops without any splittable factor.

python scripts/split_coverage.py PROGRAM.mlir ...

prints a table; the exit code is 1 if a program is over 1% of FLOPs or 5% of bytes.

An op's bytes are those of its operands and results; identities move nothing and count nothing, and neither do values
that have at most one element. Loops count with their trips (unknown: 1).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PARTITA = ROOT / "build" / "bin" / "partita"
MOST_FLOPS, MOST_BYTES = 0.01, 0.05
_GROUP = re.compile(r"(?:replicate|window)=\{([^}]*)\}")
_LETTER = re.compile(r"[a-z]\d*")


@dataclass(frozen=True)
class Coverage:
    """Fractions of FLOPs and bytes at ops that nothing can split, and the largest of them by bytes."""

    flops_whole: float
    bytes_whole: float
    largest: str


def is_splittable(rule: str) -> bool:
    values = re.split(r"\) (?=reduce|replicate|window)", rule)[0]
    letters = set(_LETTER.findall(values))
    whole = {letter for group in _GROUP.findall(rule) for letter in group.split(",")}
    return bool(letters - whole)


def _trips(graph: dict[str, Any], region: int | None) -> int:
    product = 1
    while region is not None:
        product *= max(graph["regions"][region]["trips"], 1)
        region = graph["regions"][region].get("parent")
    return product


def measure(graph: dict[str, Any]) -> Coverage:
    """What a graph file (docs/graph.md) says."""
    flops = {True: 0, False: 0}
    moved = {True: 0, False: 0}
    by_kind: dict[str, int] = {}
    for op in graph["ops"]:
        if op["class"] == "identity":
            continue
        cells = [graph["cells"][i] for i in op["operands"] + op["results"]]
        sizes = [prod(cell["shape"]) * cell["bits"] // 8 for cell in cells if prod(cell["shape"]) > 1]
        times = _trips(graph, op["region"])
        splittable = is_splittable(op["rule"]) or not sizes
        flops[splittable] += op["flops"] * times
        moved[splittable] += sum(sizes) * times
        if not splittable:
            by_kind[op["kind"]] = by_kind.get(op["kind"], 0) + sum(sizes) * times
    largest = max(by_kind, key=lambda kind: by_kind[kind], default="-")
    return Coverage(flops[False] / max(sum(flops.values()), 1), moved[False] / max(sum(moved.values()), 1), largest)


def main(paths: list[str]) -> int:
    worst = 0
    print(f"{'program':40} {'flops':>8} {'bytes':>8}  largest op that nothing splits")
    for path in paths:
        command = [str(PARTITA), "plan", path, "--stop-after=flatten"]
        graph = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found = measure(graph)
        over = found.flops_whole > MOST_FLOPS or found.bytes_whole > MOST_BYTES
        worst |= over
        print(
            f"{Path(path).stem:40} {found.flops_whole:8.2%} {found.bytes_whole:8.2%}  {found.largest}{' OVER' * over}"
        )
    return int(worst)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
