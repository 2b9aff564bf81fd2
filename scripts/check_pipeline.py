"""Pipelines, case by case: `make check-pipeline`.

python scripts/check_pipeline.py [--only REGEX] [--layers 4,5,7,8] [--stages 2,4] [--repeats 1,2] [--jobs 2]

Each case is a small transformer (`pipeline_programs.py`) with L layers, scanned or unrolled, a pipeline of P stages, M
microbatches and v repeats, alone or beside other axes. The local program passes the static check and is run on virtual
devices against the original, in exact mode: results must be equal to the bit. Where the pipe is alone, the rewritten
program is also run with NaN in place of what stages have before their first microbatch, which must not reach a result.
At the end, programs that no pipeline can run must be refused with their reason.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sources import BUILD

PARTITA = BUILD / "bin" / "partita"
BATCH = 24
TIMEOUT_S = 300
PIPELINE = {"name": "PP", "axis": "pipe", "pipeline": ["state/params/layers/.*"]}
DATA = {"name": "BP", "preset": "data_parallel", "axis": "data"}
TENSOR = {"name": "MP", "axis": "model", "optional": True, "tile": [[".*/layers/up", 2], [".*/layers/down", 1]]}
ZERO = {"name": "Z3", "preset": "zero3", "axis": "data", "optional": True}
LAYOUTS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "pipe": ("pipe={}", []),
    "pipe x data": ("data=2,pipe={}", [DATA]),
    "pipe x model": ("pipe={},model=2", [TENSOR]),
    "all, ZeRO": ("data=2,pipe={},model=2", [DATA, TENSOR, ZERO]),
}


@dataclass(frozen=True)
class Case:
    variant: str
    layers: int
    stages: int
    microbatches: int
    layout: str
    repeats: int = 1

    @property
    def name(self) -> str:
        around = f" v={self.repeats}" if self.repeats > 1 else ""
        return f"{self.variant} L={self.layers} P={self.stages} M={self.microbatches}{around} {self.layout}"


@dataclass(frozen=True)
class Row:
    case: Case
    outcome: str
    note: str


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [PARTITA, *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_S, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(words), 75, "", "error: it took too long")


def read_reason(done: subprocess.CompletedProcess[str]) -> str:
    found = re.search(r"error: (.*)$", done.stderr, re.MULTILINE)
    return found[1] if found else (done.stdout + done.stderr).strip()[:200]


def list_cases(arguments: argparse.Namespace, variants: tuple[str, ...]) -> list[Case]:
    """All layouts for a variant's full pipelines; for other numbers of microbatches the pipe alone.

    In circular ones, 3 microbatches in 2 or 4 stages leave places empty.
    """
    cases = []
    numbers = itertools.product(variants, arguments.layers, arguments.stages, arguments.repeats)
    for variant, layers, stages, repeats in numbers:
        if repeats > 1 and layers < repeats * stages:
            continue
        for microbatches in (1, stages if repeats == 1 else 3, 2 * stages, 3 * stages):
            layouts = LAYOUTS if microbatches == 2 * stages else {"pipe": LAYOUTS["pipe"]}
            cases += [Case(variant, layers, stages, microbatches, layout, repeats) for layout in layouts]
    return [case for case in cases if re.search(arguments.only, case.name)]


def unroll(tactic: dict[str, Any]) -> dict[str, Any]:
    """The tactic for layers whose weights are not stacked: each has a number, and one dim less."""
    tile = [[name.replace("layers/", "layers/[0-9]+/"), dim - 1] for name, dim in tactic.get("tile", [])]
    return tactic | ({"tile": tile} if tile else {})


def write_schedule(case: Case, folder: Path) -> Path:
    path = folder / "schedule.json"
    around = {"repeats": case.repeats} if case.repeats > 1 else {}
    tactics = [PIPELINE | {"microbatches": case.microbatches} | around, *LAYOUTS[case.layout][1]]
    if case.variant.startswith("unrolled"):
        tactics = [unroll(tactic) for tactic in tactics]
    path.write_text(json.dumps({"tactics": tactics}))
    return path


def spoil(lines: list[str], value: str, before: int) -> None:
    """Makes NaN of the constant that `value` is, or is broadcast from."""
    for number in range(before, -1, -1):
        found = re.match(rf"\s*{re.escape(value)} = stablehlo\.(constant|broadcast_in_dim) ", lines[number])
        if found and found[1] == "constant" and lines[number].endswith("f32>"):
            lines[number] = re.sub(r"dense<[^>]*>", "dense<0x7FC00000>", lines[number])
        elif found and found[1] == "broadcast_in_dim":
            spoil(lines, re.split(r"[ ,]+", lines[number].strip())[3], number - 1)
        if found:
            return


def poison(program: str) -> str:
    """The program with NaN where stages have no microbatch yet: what shifts fill with, and what they first move."""
    lines = program.splitlines()
    for number, line in enumerate(lines):
        shift = re.search(r"stablehlo\.pad (%\S+), (%\S+), .*{part\.shift}", line)
        if not shift:
            continue
        spoil(lines, shift[2], number)
        for above in range(number, -1, -1):
            start = re.search(rf"{re.escape(shift[1])} = (%[\w#]+)[,)]", lines[above])
            if start and "stablehlo.while" in lines[above]:
                spoil(lines, start[1], above - 1)
                break
    return "\n".join(lines)


def check_poisoned(program: Path, schedule: Path, mesh: str, folder: Path) -> str:
    """Why NaN of a stage without a microbatch reaches results; empty if it does not."""
    made = run("plan", program, "--schedule", schedule, "--mesh", mesh, "--stop-after=accumulate")
    spoilt = folder / "poisoned.mlir"
    spoilt.write_text(poison(made.stdout))
    if "0x7FC00000" not in spoilt.read_text():
        return "nothing was poisoned"
    values = []
    for number, path in enumerate((program, spoilt)):
        done = run("eval", path, "--inputs", "seed:7", "-o", folder / f"{number}.npz")
        if done.returncode:
            return read_reason(done)
        values.append(np.load(folder / f"{number}.npz"))
    for name in values[0].files:
        first, second = (v[name].astype(np.float64) for v in values)
        if not np.allclose(first, second, rtol=1e-2, atol=1e-2, equal_nan=True):
            return f"NaN of an idle stage reaches {name}"
    return ""


def check(task: tuple[Case, Path]) -> Row:
    case, program = task
    mesh = LAYOUTS[case.layout][0].format(case.stages)
    with tempfile.TemporaryDirectory() as name:
        schedule = write_schedule(case, Path(name))
        static = run("verify", program, "--schedule", schedule, "--mesh", mesh, "--relation")
        if static.returncode == 69:
            return Row(case, "refused", read_reason(static))
        if static.returncode:
            return Row(case, "WRONG", "static: " + read_reason(static))
        done = run("verify", program, "--schedule", schedule, "--mesh", mesh, "--exact", "--json")
        if case.layout == "pipe" and (why := check_poisoned(program, schedule, mesh, Path(name))):
            return Row(case, "WRONG", why)
    if done.returncode:
        return Row(case, "WRONG", read_reason(done))
    found = json.loads(done.stdout)
    return Row(case, "equal", f"{found['split_ops']} ops split, {found['collectives']} collectives")


def check_refusals(folder: Path, refused: dict[str, str]) -> list[Row]:
    rows = []
    for variant, word in refused.items():
        case = Case(variant, 4, 2, 4, "pipe")
        row = check((case, folder / f"{variant}.4.mlir"))
        is_right = row.outcome == "refused" and word in row.note
        rows.append(Row(case, "refused, as it must" if is_right else "WRONG", row.note))
    return rows


def print_row(row: Row) -> None:
    case = row.case
    print(
        f"{case.variant:17} {case.layers:2} {case.stages:2} {case.microbatches:3} {case.repeats:2}  {case.layout:13} "
        f"{row.outcome:8} {row.note[:150]}",
        flush=True,
    )


def main() -> int:
    import pipeline_programs as programs

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]  # noqa: E731
    parser.add_argument("--only", default="")
    parser.add_argument("--layers", type=numbers, default=[4, 5, 7, 8])
    parser.add_argument("--stages", type=numbers, default=[2, 4])
    parser.add_argument("--repeats", type=numbers, default=[1, 2])
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    folder = BUILD / "pipeline"
    folder.mkdir(parents=True, exist_ok=True)
    cases = list_cases(arguments, programs.VARIANTS)
    refused = {} if arguments.only else programs.REFUSED
    made = {(case.variant, case.layers) for case in cases} | {(variant, 4) for variant in refused}
    for variant, layers in sorted(made):
        (folder / f"{variant}.{layers}.mlir").write_text(programs.build(variant, layers, BATCH))
    tasks = [(case, folder / f"{case.variant}.{case.layers}.mlir") for case in cases]
    print(f"{'program':17} {'L':>2} {'P':>2} {'M':>3} {'v':>2}  {'mesh':13} {'result':8}")
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        rows = []
        for row in pool.imap(check, tasks):
            rows.append(row)
            print_row(row)
    rows += (refusals := check_refusals(folder, refused))
    for row in refusals:
        print_row(row)
    wrong = [row for row in rows if row.outcome == "WRONG" or (row.outcome == "refused" and row not in refusals)]
    print(f"{len(rows) - len(wrong)} of {len(rows)} cases as they must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
