"""Checks every op's partitioning rule by execution and prints a table.

    python scripts/validate_rules.py [--count 100] [--seed 1] [--zoo] [--op stablehlo.gather ...]

Instances come from the grammar in test/Rules and, with --zoo, from the tiny programs in build/zoo. For each op: how
many instances there were, how many of them can be split, how many splits were executed and compared, how many instances
have a split that is wrong, that is right and not offered ("missing"), or that could not be run. The exit code is 1 if
anything is wrong or could not be run, if an op of COMPLETE misses a split, or if an op that can be split has fewer than
ENOUGH instances although so many were asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sources import BUILD, ROOT

sys.path.insert(0, str(ROOT / "test" / "Rules"))

import grammar

BIN = Path(os.environ.get("PARTITA_BIN_DIR", BUILD / "bin"))
OPS = sorted(grammar.MAKERS)
"""Those that the grammar has instances of."""
OPS_PER_PROCESS = 8
SHOWN = 3
ENOUGH = 100

COMPLETE = (
    "stablehlo.dot_general",
    "stablehlo.reshape",
    "stablehlo.transpose",
    "stablehlo.broadcast_in_dim",
    "stablehlo.reduce",
    "stablehlo.gather",
    "stablehlo.scatter",
    "stablehlo.dynamic_slice",
    "stablehlo.dynamic_update_slice",
    "stablehlo.select",
    "stablehlo.concatenate",
    "stablehlo.convolution",
    "stablehlo.sort",
    "chlo.top_k",
)
"""Ops of which a right split that is not offered is a defect, unless it is along a window factor: the joined dim of a
concatenation, a convolution's spatial dims."""


@dataclass
class Tally:
    """What is known of one op's rule."""

    instances: int = 0
    splittable: int = 0
    splits: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)
    missing: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)

    def add(self, report: dict[str, Any]) -> None:
        self.instances += 1
        self.splittable += report["splits"] > 0
        self.splits += report["splits"]
        for name in ("wrong", "missing", "skipped"):
            if report[name]:
                getattr(self, name).append(report)
        self.rules.append(report["rule"])
        if report["whole"] and report["whole"] not in self.whole:
            self.whole.append(report["whole"])


def validate_file(path: Path, *flags: str) -> list[dict[str, Any]]:
    """One report for each op instance of a program."""
    command: list[str | Path] = [BIN / "partita", "validate-rules", path, *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"partita validate-rules {path}: exit code {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def validate_texts(texts: Iterable[str], *flags: str) -> list[dict[str, Any]]:
    """The reports of several programs, in order; as many processes as there are cores."""
    with tempfile.TemporaryDirectory(prefix="partita-rules-") as folder:
        paths = []
        for number, text in enumerate(texts):
            paths.append(Path(folder) / f"{number}.mlir")
            paths[-1].write_text(text)
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            return [
                report for reports in pool.map(lambda path: validate_file(path, *flags), paths) for report in reports
            ]


def validate_grammar(ops: list[str], count: int, seed: int, *flags: str) -> list[dict[str, Any]]:
    """Reports of `count` instances of each op; what stands beside an op (a constant operand) is left out."""
    parts = [ops[i : i + OPS_PER_PROCESS] for i in range(0, len(ops), OPS_PER_PROCESS)]
    reports = validate_texts((grammar.program(part, count, seed) for part in parts), *flags)
    return [r for r in reports if r["function"].rsplit("_", 1)[0] == r["op"].replace(".", "_")]


def print_plain(path: Path) -> str:
    """A program without locations, whose aliases are a file's own."""
    return subprocess.run([BIN / "partita-opt", path], capture_output=True, text=True, check=True).stdout


def join_modules(texts: Iterable[str]) -> str:
    """One module that holds the others, each under a name of its own."""
    named = (re.sub(r"^module(?: @[\w.$-]+)?", f"module @m{i}", text, count=1) for i, text in enumerate(texts))
    return "module {\n" + "\n".join(named) + "\n}\n"


def validate_zoo() -> list[dict[str, Any]]:
    """Every different op of the tiny programs, as far as it is small enough to be run; each once. All programs are
    validated as one, for they have most of their ops in common."""
    programs = sorted((BUILD / "zoo").glob("*.tiny.mlir"))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        joined = join_modules(pool.map(print_plain, programs))
    return [report for report in validate_texts([joined]) if report["skipped"] != "too large"]


def dims_of(rule: str) -> list[list[str]]:
    """The factors of each dim of each value, as the rule's text has them."""
    return [value.split(",") for value in re.findall(r"\[([^\]]*)\]", rule.split(" ")[0])]


def is_along_window(rule: str, candidate: str) -> bool:
    """Whether a candidate for a missing split is along a dim that is a window in the rule."""
    named = re.search(r"window=\{([^}]*)\}", rule)
    windows = set(named.group(1).split(",")) if named else set()
    return any(
        split != "_" and windows & set(re.findall(r"[a-z]\d*", dim))
        for dims, splits in zip(dims_of(rule), dims_of(candidate), strict=True)
        for dim, split in zip(dims, splits, strict=True)
    )


def defects(op: str, t: Tally) -> list[str]:
    """Splits that an op of COMPLETE should offer."""
    found = [] if op not in COMPLETE else [(r["rule"], candidate) for r in t.missing for candidate in r["missing"]]
    return [f"{rule}: {candidate}" for rule, candidate in found if not is_along_window(rule, candidate)]


def complaints(tallies: dict[str, Tally], count: int) -> list[str]:
    """Why the rules cannot be trusted; nothing if they can."""
    found = []
    for op, t in tallies.items():
        if t.wrong or t.skipped:
            found.append(f"{op}: {len(t.wrong)} wrong, {len(t.skipped)} not run")
        found += [f"{op}: missing: {defect}" for defect in defects(op, t)]
        if t.splits and t.instances < min(count, ENOUGH):
            found.append(f"{op}: only {t.instances} instances")
    return found


def tally(reports: Iterable[dict[str, Any]]) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for report in reports:
        found.setdefault(report["op"], Tally()).add(report)
    return dict(sorted(found.items()))


def print_table(tallies: dict[str, Tally]) -> None:
    print(f"{'op':42}{'instances':>10}{'splittable':>11}{'splits':>9}{'wrong':>7}{'missing':>9}{'not run':>9}")
    for op, t in tallies.items():
        counts = f"{t.instances:10}{t.splittable:11}{t.splits:9}{len(t.wrong):7}{len(t.missing):9}{len(t.skipped):9}"
        print(f"{op:42}{counts}")


def print_details(tallies: dict[str, Tally]) -> None:
    for op, t in tallies.items():
        for report in t.wrong[:SHOWN]:
            print(f"wrong: {op} @{report['function']} {report['rule']}: {json.dumps(report['wrong'][0])}")
        for report in t.missing[:SHOWN]:
            print(f"missing: {op} @{report['function']} {report['rule']}: {', '.join(report['missing'])}")
        for reason in sorted({report["skipped"] for report in t.skipped}):
            print(f"not run: {op}: {reason}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="instances of each op")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--zoo", action="store_true", help="also the ops of the tiny programs of the zoo")
    parser.add_argument("--op", action="append", choices=OPS, help="only this op; may be repeated")
    options = parser.parse_args()
    reports = validate_grammar(options.op or OPS, options.count, options.seed)
    if options.zoo:
        reports += validate_zoo()
    tallies = tally(reports)
    print_table(tallies)
    print_details(tallies)
    total = {name: sum(len(getattr(t, name)) for t in tallies.values()) for name in ("wrong", "missing", "skipped")}
    splits = sum(t.splits for t in tallies.values())
    print(
        f"rules: {len(tallies)} ops, {len(reports)} instances, {splits} splits validated, "
        f"{total['wrong']} wrong, {total['missing']} missing, {total['skipped']} not run"
    )
    refused = complaints(tallies, options.count)
    print("\n".join(refused) if refused else "rules: all as they must be")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
