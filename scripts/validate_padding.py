"""Checks what every op computes on padded dims, by execution, and prints a table.

    python scripts/validate_padding.py [--count 80] [--seed 1] [--op stablehlo.gather ...]

Instances come from the grammar in test/Rules, with sizes that leave every remainder. Each dim of each is padded for 2
to 8 and for 16 devices, with zeros and with NaN and the largest integers, and what the padded program computes is
compared with the program; then the padded op is split over the devices. For each op: how many cases there were, in how
many the op has a longer dim, in how many devices have a piece of it each, how many pairs of devices (2 to 8) and
remainder were among these, how many cases had devices without an element, and how many were wrong. The exit code is 1
if anything is wrong or could not be run, or if an op that can be padded was not tried on every remainder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import validate_rules
from instance import UNEVEN_DIMS, sizes
from validate_rules import OPS, SHOWN

REMAINDERS = {(parts, rest) for parts in range(2, 9) for rest in range(1, parts)}
ENOUGH = 80
"""With so many instances of an op every remainder must have come."""
MORE = {"stablehlo.convolution": 3, "stablehlo.dynamic_slice": 2, "stablehlo.pad": 2}
"""Ops with many dims that cannot be padded get so many times the instances."""


@dataclass
class Tally:
    """What is known of one op on padded dims."""

    instances: int = 0
    cases: int = 0
    padded: int = 0
    split: int = 0
    empty: int = 0
    remainders: set[tuple[int, int]] = field(default_factory=set)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def add(self, report: dict[str, Any]) -> None:
        self.instances += 1
        self.cases += len(report["cases"])
        if report["wrong"]:
            self.wrong.append(report)
        if report["skipped"]:
            self.skipped.append(report["skipped"])
        for case in report["cases"]:
            size, parts = case["size"], case["parts"]
            self.split += case["split"]
            if case["padded"]:
                self.padded += 1
                self.empty += -(-size // parts) * (parts - 1) >= size
                self.remainders |= {(parts, size % parts)} & REMAINDERS


def tally(reports: Iterable[dict[str, Any]]) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for report in reports:
        found.setdefault(report["op"], Tally()).add(report)
    return dict(sorted(found.items()))


def validate(ops: list[str], count: int, seed: int) -> dict[str, Tally]:
    with sizes(UNEVEN_DIMS):
        reports = validate_rules.validate_grammar([op for op in ops if op not in MORE], count, seed, "--padding")
        for op in MORE:
            if op in ops:
                reports += validate_rules.validate_grammar([op], count * MORE[op], seed, "--padding")
        return tally(reports)


def complaints(tallies: dict[str, Tally]) -> list[str]:
    """Why padding cannot be trusted; nothing if it can."""
    found = []
    for op, t in tallies.items():
        if t.wrong or t.skipped:
            found.append(f"{op}: {len(t.wrong)} wrong, {len(t.skipped)} not run")
        if t.padded and t.instances >= ENOUGH and len(t.remainders) < len(REMAINDERS):
            found.append(f"{op}: never padded with {sorted(REMAINDERS - t.remainders)} (devices, remainder)")
    return found


def print_table(tallies: dict[str, Tally]) -> None:
    print(f"{'op':38}{'instances':>10}{'cases':>8}{'padded':>8}{'split':>8}{'remainders':>12}{'empty':>7}{'wrong':>7}")
    for op, t in tallies.items():
        remainders = f"{len(t.remainders)}/{len(REMAINDERS)}"
        print(f"{op:38}{t.instances:10}{t.cases:8}{t.padded:8}{t.split:8}{remainders:>12}{t.empty:7}{len(t.wrong):7}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=80, help="instances of each op")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op", action="append", choices=OPS, help="only this op; may be repeated")
    options = parser.parse_args()
    tallies = validate(options.op or OPS, options.count, options.seed)
    print_table(tallies)
    for op, t in tallies.items():
        for report in t.wrong[:SHOWN]:
            print(f"wrong: {op} @{report['function']} {report['rule']}: {json.dumps(report['wrong'][0])}")
        for reason in sorted(set(t.skipped)):
            print(f"not run: {op}: {reason}")
    total = {name: sum(getattr(t, name) for t in tallies.values()) for name in ("cases", "padded", "split", "empty")}
    wrong = sum(len(t.wrong) for t in tallies.values())
    print(f"padding: {len(tallies)} ops, {total['cases']} cases, {total['padded']} padded, {total['split']} split, "
          f"{total['empty']} with empty pieces, {wrong} wrong")  # fmt: skip
    refused = complaints(tallies)
    print("\n".join(refused) if refused else "padding: all as it must be")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
