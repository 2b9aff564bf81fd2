"""Collectives of an HLO program as XLA prints it: how many of each kind, and what a device sends for them.

In loops a collective counts as often as the loop runs. Bytes are what one device sends by the ring algorithm: (n-1)/n
of the payload in a group of n, twice that for an all-reduce, the payload of a permute.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field

KINDS = ["all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute"]
SHORT = dict(zip(KINDS, ["AG", "AR", "RS", "A2A", "CP"], strict=True))

COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$")
COLLECTIVE = re.compile(
    r"= (\(.*?\)|\S+) (all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)(?:-start)?\("
)
SHAPE = re.compile(r"([a-z]+\d*)\[([\d,]*)\]")
WHILE = re.compile(r" while\(.*condition=%?([\w.\-]+), body=%?([\w.\-]+)")
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')
CALL = re.compile(r"(?:to_apply|true_computation|false_computation|calls)=%?([\w.\-]+)")
BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")


@dataclass
class Traffic:
    """How many collectives of each kind, and what a device sends for them."""

    counts: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, count: int, sent: float) -> None:
        self.counts[kind] += count
        self.sent[kind] += round(sent)

    def __str__(self) -> str:
        shown = [f"{self.counts[kind]} {SHORT[kind]}" for kind in KINDS if self.counts[kind]]
        return " ".join(shown) or "none"

    def to_json(self) -> dict[str, dict[str, int]]:
        return {"counts": dict(self.counts), "sent": dict(self.sent)}

    @staticmethod
    def from_json(json: dict[str, dict[str, int]]) -> Traffic:
        return Traffic(Counter(json["counts"]), Counter(json["sent"]))


def bytes_of(shapes: str) -> int:
    total = 0
    for element, dims in SHAPE.findall(shapes):
        bits = re.search(r"\d+$", element)
        width = 1 if element == "pred" else int(bits[0]) / 8 if bits else 4
        total += math.ceil(width * math.prod(int(size) for size in dims.split(",") if size))
    return total


def group_size(line: str) -> int:
    iota = re.search(r"replica_groups=\[(\d+),(\d+)\]<=", line)
    if iota:
        return int(iota[2])
    mesh = re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", line)
    if mesh:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", mesh[1]))
        parts = re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", mesh[2])
        return math.prod(int(part or sizes[name]) for name, part in parts)
    listed = re.search(r"replica_groups=\{\{([\d,]*)\}", line)
    if listed:
        return len(listed[1].split(","))
    if "source_target_pairs" in line:
        return 2
    raise ValueError(f"groups of an unknown form: {line}")


def count_sent(kind: str, payload: int, size: int) -> float:
    """`payload` is the result of a gather, the operand of all others."""
    if kind == "collective_permute":
        return payload
    return (2 if kind == "all_reduce" else 1) * payload * (size - 1) / size


def read_trips(condition: list[str]) -> int:
    """Of a loop that counts up to a constant; 1 if it is none, or if it may end before."""
    bounds = [int(value) for value in re.findall(r"s(?:32|64)\[\] constant\((\d+)\)", "\n".join(condition))]
    is_counted = any(line.lstrip().startswith("ROOT") and "direction=LT" in line for line in condition)
    return max(bounds, default=1) if is_counted else 1


def read_hlo(text: str) -> Traffic:
    computations: dict[str, list[str]] = {}
    entry, current = "", ""
    for line in text.splitlines():
        begin = COMPUTATION.match(line)
        if begin and "HloModule" not in line:
            current = begin[1]
            computations[current] = []
            entry = current if line.startswith("ENTRY") else entry
        elif current:
            computations[current].append(line)
    traffic = Traffic()

    def visit(name: str, times: int) -> None:
        for line in computations.get(name, []):
            found = COLLECTIVE.search(line)
            if found:
                kind, size = found[2].replace("-", "_"), group_size(line)
                payload = bytes_of(found[1]) * (size if kind == "reduce_scatter" else 1)
                if size > 1:
                    traffic.add(kind, times, times * count_sent(kind, payload, size))
                continue
            if loop := WHILE.search(line):
                known = TRIPS.search(line)
                trips = int(known[1]) if known else read_trips(computations.get(loop[1], []))
                visit(loop[1], times * trips)
                visit(loop[2], times * trips)
            elif branches := BRANCHES.search(line):
                for branch in branches[1].split(","):
                    visit(branch.strip().lstrip("%"), times)
            elif (called := CALL.search(line)) and " call(" in line:
                visit(called[1], times)

    visit(entry, 1)
    return traffic
