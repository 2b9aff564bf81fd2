#!/usr/bin/env python3
"""Solves the instances of the IOPDDL contest and writes the table of docs/iopddl.md (make bench-iopddl IOPDDL=FOLDER).

    bench/iopddl.py FOLDER [--results DIR] [--only A,B] [--deadline SECONDS] [--table docs/iopddl.md]

FOLDER holds the instances, A.json.gz or A.json (repository google/iopddl, folder benchmarks). Each is solved by
`partita solve`, and its choices are summed up again here, by the contest's definition. Results that are there already
are not made anew, so a run that was stopped goes on.
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PARTITA = ROOT / "build" / "bin" / "partita"
PUBLISHED = ROOT / "bench" / "data" / "iopddl.csv"
# The solver was written and its constants chosen while looking at these; the others are only reported.
SEEN = set("ABCDGLMNPQSUV")
FORBIDDEN = 10**18
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def read_published() -> dict[str, dict[str, str]]:
    lines = [line for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]
    return {row["instance"]: row for row in csv.DictReader(lines)}


def read_problem(path: Path) -> Any:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(text)["problem"]


def evaluate(problem: Any, choices: list[int]) -> int:
    """The cost of the choices; raises ValueError if they are not allowed."""
    nodes, edges = problem["nodes"], problem["edges"]
    sizes = [len(costs) for costs in nodes["costs"]]
    if len(choices) != len(sizes) or any(not 0 <= choice < size for choice, size in zip(choices, sizes, strict=True)):
        raise ValueError("choices do not fit the nodes")
    entries = [costs[choice] for costs, choice in zip(nodes["costs"], choices, strict=True)]
    for (source, target), costs in zip(edges["nodes"], edges["costs"], strict=True):
        entries.append(costs[choices[source] * sizes[target] + choices[target]])
    if max(entries, default=0) >= FORBIDDEN:
        raise ValueError("a strategy or a pair is ruled out")
    changes: dict[int, int] = {}
    for (begin, end), usages, choice in zip(nodes["intervals"], nodes["usages"], choices, strict=True):
        if begin < end:
            changes[begin] = changes.get(begin, 0) + usages[choice]
            changes[end] = changes.get(end, 0) - usages[choice]
    usage = 0
    for moment in sorted(changes):
        usage += changes[moment]
        if usage > problem.get("usage_limit", usage):
            raise ValueError(f"usage {usage} at time {moment} is beyond the limit")
    return sum(entries)


def solve(path: Path, deadline: str) -> dict[str, Any]:
    begin = time.monotonic()
    flags = ["--deadline", deadline] if deadline else []
    done = subprocess.run([PARTITA, "solve", path, "--json", *flags], stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - begin
    if not done.stdout:
        raise RuntimeError(f"partita solve {path} failed with exit code {done.returncode}")
    result = json.loads(done.stdout)
    if result["cost"] is not None and evaluate(read_problem(path), result["choices"]) != result["cost"]:
        raise RuntimeError(f"{path}: the choices do not cost what is said")
    del result["choices"]
    return {**result, "seconds": seconds}


def to_number(text: str) -> float | None:
    return float(text) if text else None


def is_met(row: dict[str, str], result: dict[str, Any]) -> bool:
    """At most 2% above the best known cost; where there is none, a gap of at most 2 points more than published."""
    if result["cost"] is None:
        return False
    best = to_number(row["best_known"])
    return bool(result["cost"] <= 1.02 * best if best else 100 * result["gap"] <= float(row["gap_percent"]) + 2)


def write_row(name: str, row: dict[str, str], result: dict[str, Any]) -> str:
    cost, best, bound = result["cost"], to_number(row["best_known"]), to_number(row["lower_bound"])
    cells = [
        name + ("" if name in SEEN else " *"),
        f"{result['nodes']:,}",
        f"{result['edges']:,}",
        f"{result['variables']:,}",
        f"{cost:.5g}" if cost is not None else "none",
        f"{best:.5g}" if best else "",
        f"{cost / best:.4f}" if best and cost is not None else "",
        f"{result['lower_bound']:.5g}",
        f"{bound:.5g}" if bound else "",
        f"{100 * result['gap']:.2f}%" if cost is not None else "",
        f"{row['gap_percent']}%",
        "yes" if is_met(row, result) else "no",
        str(result["stage"]),
        f"{result['seconds']:.0f}",
    ]
    return "| " + " | ".join(cells) + " |\n"


def write_table(results: dict[str, dict[str, Any]]) -> str:
    titles = (
        "instance, nodes, edges, variables, cost, best known, ratio, our bound, published bound, our gap, published gap"
    )
    header = [*titles.split(", "), "goal met", "found by", "seconds"]
    lines = "| " + " | ".join(header) + " |\n| " + " | ".join("---" for _ in header) + " |\n"
    published = read_published()
    return lines + "".join(write_row(name, published[name], results[name]) for name in sorted(results))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "iopddl")
    parser.add_argument("--only", default="")
    parser.add_argument("--deadline", default="")
    parser.add_argument("--table", type=Path, default=ROOT / "docs" / "iopddl.md")
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    wanted = arguments.only.split(",") if arguments.only else list(read_published())
    for name in wanted:
        paths = [arguments.folder / f"{name}{suffix}" for suffix in (".json.gz", ".json")]
        path = next((path for path in paths if path.exists()), None)
        target = arguments.results / f"{name}.json"
        if path is None or target.exists():
            continue
        result = solve(path, arguments.deadline)
        target.write_text(json.dumps(result) + "\n")
        print(name, result, flush=True)
    results = {path.stem: json.loads(path.read_text()) for path in sorted(arguments.results.glob("?.json"))}
    if not results:
        print(f"{arguments.folder} holds no instance; they are in the repository google/iopddl", file=sys.stderr)
        return 1
    table = write_table(results)
    print(table, end="")
    document = arguments.table.read_text()
    before, rest = document.split(BEGIN)
    arguments.table.write_text(before + BEGIN + table + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
