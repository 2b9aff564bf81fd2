"""Recomputation, program by program: the second part of `make check-memory-actions`.

python scripts/check_remat.py [--only REGEX] [--jobs 2] [--mesh data=2] [FOLDER ...]

The first table is of small steps (remat_programs.py) that `jax.checkpoint` makes recompute, under {full, dots, names} x
{scan, unrolled, groups, dropout, custom_vjp, unroll}: how many of the operations of products that JAX recomputes `keep`
saves, and whether what is kept, and what is recomputed in the program without a checkpoint, is equal to the bit. Below
95% is an error. The second table is of the training programs of the folders: everything recomputed, then everything
kept, both run against the original in exact mode.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from check_memory_actions import FOLDERS, is_training, list_programs, read_reason, run
from remat_programs import FORMS, POLICIES, trace

GOAL = 0.95
ALL = ".*"


def count_products(graph: dict[str, Any]) -> int:
    """Multiplications and additions of all products, each as often as its loops run."""

    def count_runs(region: int | None) -> int:
        runs = 1
        while region is not None:
            runs *= graph["regions"][region]["trips"]
            region = graph["regions"][region].get("parent")
        return runs

    return sum(op["flops"] * count_runs(op["region"]) for op in graph["ops"] if op["class"] == "contraction")


def measure(program: Path, *tactic: str) -> int:
    """The operations of the program's products, or of what the tactic makes of it."""
    if tactic:
        rewritten = program.with_suffix(".rewritten.mlir")
        made = run("plan", program, *tactic, "--stop-after=accumulate", "-o", rewritten)
        if made.returncode:
            raise RuntimeError(read_reason(made.stderr))
        program = rewritten
    flat = run("plan", program, "--stop-after=flatten")
    if flat.returncode:
        raise RuntimeError(read_reason(flat.stderr))
    return count_products(json.loads(flat.stdout))


def verify(program: Path, mesh: str, *tactic: str) -> str:
    """`equal`, or why not. On a mesh of several devices the batch is split as well."""
    axis, size = mesh.split("=")
    words = ["verify", str(program), "--mesh", mesh, "--exact", *tactic]
    if int(size) > 1:
        schedule = Path(tempfile.mkdtemp()) / "schedule.json"
        schedule.write_text(json.dumps({"tactics": [{"preset": "data_parallel", "axis": axis, "optional": True}]}))
        words += ["--schedule", str(schedule)]
    done = run(*words)
    if done.returncode == 0:
        return "equal"
    reason = read_reason(done.stderr) if done.stderr else done.stdout.splitlines()[0]
    if "matches no value" in reason:
        return "-"
    return f"not run: {reason}" if done.returncode in (69, 75) else reason


@dataclass(frozen=True)
class Task:
    program: Path
    mesh: str


def check_program(task: Task) -> tuple[str, str, str] | None:
    if not is_training(task.program):
        return None
    name = task.program.name.removesuffix(".mlir")
    return name, verify(task.program, task.mesh, "--recompute", ALL), verify(task.program, task.mesh, "--keep", ALL)


def check_form(form: str, folder: Path, mesh: str) -> list[str]:
    """Prints the rows of a form; what is wrong."""
    paths = {policy: folder / f"{form}.{policy}.mlir" for policy in ("none", *POLICIES)}
    for policy, path in paths.items():
        path.write_text(trace(form, policy))
    least = measure(paths["none"])
    recomputed = verify(paths["none"], mesh, "--recompute", ALL)
    wrong = [f"{form}: {recomputed}"] * (recomputed != "equal")
    for policy in POLICIES:
        before, after = measure(paths[policy]), measure(paths[policy], "--keep", ALL)
        saved = (before - after) / (before - least) if before > least else 1.0
        kept = verify(paths[policy], mesh, "--keep", ALL)
        print(f"{form:12} {policy:8} {before - least:12} {saved:8.1%} {kept:8} {recomputed}", flush=True)
        wrong += [f"{form} {policy}: {kept}, {saved:.1%}"] * (kept != "equal" or saved < GOAL)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(FOLDERS))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mesh", default="data=1", help="one axis, over which the batch is split as well")
    given = parser.parse_args()
    print(f"{'form':12} {'policy':8} {'recomputed':>12} {'matched':>8} {'kept':8} all recomputed")
    with tempfile.TemporaryDirectory() as name:
        wrong = [text for form in FORMS for text in check_form(form, Path(name), given.mesh)]
    print(f"\n{'program':48} {'recomputed':10} kept")
    rows = []
    with multiprocessing.Pool(given.jobs) as pool:
        for row in pool.imap(
            check_program, [Task(path, given.mesh) for path in list_programs(given.folders, given.only)]
        ):
            if row:
                rows.append(row)
                print(f"{row[0]:48} {row[1]:10} {row[2]}"[:220], flush=True)
    equal = sum(set(row[1:]) <= {"equal", "-"} for row in rows)
    wrong += [
        row[0] for row in rows if not all(text in ("equal", "-") or text.startswith("not run") for text in row[1:])
    ]
    print(f"{equal} of {len(rows)} training programs are equal to the bit, recomputed and kept")
    if wrong:
        print(f"wrong: {'; '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
