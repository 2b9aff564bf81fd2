"""The formula, which is the clock, against the simulated timeline: a section of `make accuracy`.

For every row of `make bench-search`, every plan that an expert would write and the plan that a search finds: how far
`time_ps` and `simulated_ps` are apart. Programs are split into two halves by their names: rules of overlap are chosen
on the first (tuning) and judged on the second (reporting). The goal: on 95% of its rows the found plan and the best
expert's are within 2%.

python bench/accuracy_formula.py [--only REGEX]
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from search import find_limit, price_experts, run
from search_rows import Row, all_rows

NEAR, GOAL = 0.02, 0.95
BUDGET = 0


@dataclass(frozen=True)
class Pair:
    """Both times of one plan."""

    row: Row
    plan: str
    time_ps: int
    simulated_ps: int
    key: tuple[bool, int]

    @property
    def ratio(self) -> float:
        return self.time_ps / max(1, self.simulated_ps)

    @property
    def is_near(self) -> bool:
        return abs(self.ratio - 1) <= NEAR

    @property
    def is_reporting(self) -> bool:
        return self.row.half == "reporting"


def make_pair(row: Row, name: str, price: dict[str, int]) -> Pair:
    key = (not price["fits"], price["time_ps"] if price["fits"] else price["peak_bytes"])
    return Pair(row, name, price["time_ps"], price["simulated_ps"], key)


def compare(row: Row) -> list[Pair]:
    """The found plan, then those of experts, best first."""
    limit = find_limit(row, BUDGET)
    found = make_pair(row, "found", run(row, limit))
    experts = [make_pair(row, name, price) for name, price in price_experts(row, limit).items()]
    return [found, *sorted(experts, key=lambda pair: pair.key)]


def share(pairs: list[Pair]) -> str:
    near = sum(pair.is_near for pair in pairs)
    return f"{near} of {len(pairs)} ({near / max(1, len(pairs)):.1%})"


def describe(name: str, pairs: list[Pair]) -> str:
    halves = {half: [pair for pair in pairs if pair.is_reporting == half] for half in (False, True)}
    return f"{name}: within 2% {share(pairs)}; tuning half {share(halves[False])}, reporting half {share(halves[True])}"


def report(only: str = "") -> tuple[list[str], bool]:
    rows = [row for row in all_rows() if re.search(only, str(row))]
    with ThreadPoolExecutor(2) as pool:
        compared = list(pool.map(compare, rows))
    pairs = [pair for row in compared for pair in row]
    # What a row of the table shows: the found plan and the best expert's.
    shown = [pair for row in compared for pair in row[:2]]
    near = {
        half: [all(pair.is_near for pair in row[:2]) for row in compared if row[0].is_reporting == half]
        for half in (False, True)
    }
    tuned, judged = (f"{sum(near[half])} of {len(near[half])}" for half in (False, True))
    lines = [
        describe("all plans", pairs),
        describe("found plans and best experts", shown),
        f"rows with both within 2%: tuning half {tuned}, reporting half {judged}",
    ]
    worst = sorted(shown, key=lambda pair: -abs(pair.ratio - 1))[:10]
    lines += [f"  {pair.ratio:.3f} {pair.row}: {pair.plan}" for pair in worst if not pair.is_near]
    return lines, sum(near[True]) >= GOAL * len(near[True])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="rows that match this pattern")
    for line in report(parser.parse_args().only)[0]:
        print(line)
