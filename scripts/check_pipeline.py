"""Pipelines, case by case: `make check-pipeline`.

python scripts/check_pipeline.py [--only REGEX] [--layers 4,5,7,8] [--stages 2,4] [--repeats 1,2] [--every N] [--xla]
                                 [--jobs 2] [--limit SECONDS]

Each case is a small transformer (`pipeline_programs.py`) with L layers, scanned or unrolled, a pipeline of P stages, M
microbatches and v repeats, alone or beside other axes. The local program passes the static check and is run on virtual
devices against the original, in exact mode: results must be equal to the bit. Where the pipe is alone, the rewritten
program is also run with NaN in place of what stages have before their first microbatch, and of what buffers of all
microbatches hold before they are written. None may reach a result. At the end, programs that no pipeline can run must
be refused with their reason. Each row ends with its seconds, of which a case may take `--limit`.

With `--xla`, XLA also compiles the local program for virtual CPU devices. Three training steps must be those of
jax.jit, and a step with the same NaN, in all layouts, that of a step without.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sources import BUILD, ROOT

sys.path.insert(0, str(ROOT / "test"))
PARTITA = BUILD / "bin" / "partita"
ROWS = 24
LIMIT_S = 300
NAN = "0x7FC00000"
PIPELINE = {"name": "PP", "axis": "pipe", "pipeline": ["state/params/layers/.*"]}
DATA = {"name": "BP", "preset": "data_parallel", "axis": "data"}
TENSOR = {"name": "MP", "axis": "model", "optional": True, "tile": [[".*/layers/up", 2], [".*/layers/down", 1]]}
EXPERT = {"name": "EP", "axis": "expert", "tile": [[".*/layers/up", 1], [".*/layers/down", 1]]}
SEQUENCE = {"name": "SP", "axis": "sequence", "tile": [["batch/.*", 1]]}
ZERO = {"name": "Z3", "preset": "zero3", "axis": "data", "optional": True}
LAYOUTS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "pipe": ("pipe={}", []),
    "pipe x data": ("data=2,pipe={}", [DATA]),
    "pipe x model": ("pipe={},model=2", [TENSOR]),
    "all, ZeRO": ("data=2,pipe={},model=2", [DATA, TENSOR, ZERO]),
    "pipe x experts": ("pipe={},expert=2", [EXPERT]),
    "pipe x sequence": ("pipe={},sequence=2", [SEQUENCE]),
}
#: As many as the largest layout has: all, over 4 stages.
DEVICES = 16
STEPS = 3
#: As in the tests: programs run once. 16-bit values are rounded where the program says so, in all of its forms.
QUICK_XLA = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_allow_excess_precision=false"
TOLERANCE = 2e-3
#: Of 16-bit values: sums over microbatches are rounded, and those over devices of other axes in other places.
TOLERANCE_BF16 = {True: 1e-2, False: 1e-1}


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
    seconds: float = 0


class TooLongError(Exception):
    """A case's time is over."""


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PARTITA, *words], capture_output=True, text=True, check=False, errors="replace")


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
            layouts = list(LAYOUTS) if microbatches == 2 * stages else ["pipe"]
            cases += [
                Case(variant, layers, stages, microbatches, layout, repeats)
                for layout in layouts
                if layout != "pipe x experts" or "experts" in variant
            ]
    return [case for case in cases if re.search(arguments.only, case.name)][:: arguments.every]


def unroll(tactic: dict[str, Any]) -> dict[str, Any]:
    """The tactic for layers whose weights are not stacked: each has a number, and one dim less."""
    tile = [[name.replace("layers/", "layers/[0-9]+/"), dim - 1] for name, dim in tactic.get("tile", [])]
    return tactic | ({"tile": tile} if tile else {})


def get_batch(variant: str) -> int:
    """Its rows: all numbers of microbatches divide those of a turn."""
    return 2 * ROWS if "accumulated" in variant else ROWS


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
        if found and found[1] == "constant" and re.search(r"f32>( loc\(.*\))?$", lines[number]):
            lines[number] = re.sub(r"dense<[^>]*>", f"dense<{NAN}>", lines[number])
        elif found and found[1] == "broadcast_in_dim":
            spoil(lines, re.split(r"[ ,]+", lines[number].strip())[3], number - 1)
        if found:
            return


def find_start(lines: list[str], carried: str, before: int) -> tuple[int, str]:
    """The line of the loop that carries a value, and what it starts from."""
    for number in range(before, -1, -1):
        start = re.search(rf"[(, ]{re.escape(carried)} = (%[\w#]+)[,)]", lines[number])
        if start and "stablehlo.while" in lines[number]:
            return number, start[1]
    raise ValueError(f"no loop carries {carried}")


def is_constant(lines: list[str], value: str, before: int) -> bool:
    """Whether the value is a constant, or broadcast from one."""
    for number in range(before, -1, -1):
        if found := re.match(rf"\s*{re.escape(value)} = (\S+) ", lines[number]):
            if found[1] == "stablehlo.broadcast_in_dim":
                return is_constant(lines, re.split(r"[ ,]+", lines[number].strip())[3], number - 1)
            return found[1] == "stablehlo.constant"
    return False


def spoil_buffer(lines: list[str], carried: str, before: int, number: int) -> None:
    """A buffer that stages write microbatch by microbatch starts as NaN, unless it holds what enters the pipeline. Its
    name: that of a new constant."""
    loop, start = find_start(lines, carried, before)
    if not is_constant(lines, start, loop - 1):
        return
    head, _, types = re.sub(r" loc\(.*\)$", "", lines[loop]).partition(") : ")
    names = re.findall(r"(%\w+) = %[\w#]+[,)]", head.partition("stablehlo.while(")[2] + ")")
    shape = types.split(", ")[names.index(carried)].strip()
    if not shape.endswith("f32>"):
        return
    lines[loop] = re.sub(rf"([(, ]{re.escape(carried)}) = %[\w#]+", rf"\1 = %poison_{number}", lines[loop])
    # On the loop's own line: numbers of other lines stay as they are.
    lines[loop] = f"%poison_{number} = stablehlo.constant dense<{NAN}> : {shape}\n{lines[loop]}"


def poison(program: str) -> str:
    """The program with NaN in what stages have before their first microbatch: what shifts fill with, what they first
    move, and buffers of all microbatches. (Sums start at zero and stay as they are.)"""
    lines = program.splitlines()
    for number, line in enumerate(lines):
        shift = re.search(r"stablehlo\.pad (%\S+), (%\S+), .*{part\.shift}", line)
        if shift:
            spoil(lines, shift[2], number)
        shift = shift or re.search(r'"stablehlo\.gather"\((%\S+), .*{part\.shift}', line)
        if shift:
            loop, start = find_start(lines, shift[1], number)
            spoil(lines, start, loop - 1)
        elif written := re.search(r'"stablehlo\.scatter"\((%iterArg\w*),', line):
            spoil_buffer(lines, written[1], number, number)
    return "\n".join(lines)


def make_poisoned(program: Path, schedule: Path, mesh: str, folder: Path) -> Path:
    made = run("plan", program, "--schedule", schedule, "--mesh", mesh, "--stop-after=accumulate")
    spoilt = folder / "poisoned.mlir"
    spoilt.write_text(poison(made.stdout))
    return spoilt


def check_poisoned(program: Path, schedule: Path, mesh: str, folder: Path) -> str:
    """Why NaN of a stage without a microbatch reaches results; empty if it does not."""
    spoilt = make_poisoned(program, schedule, mesh, folder)
    if NAN not in spoilt.read_text():
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


# ======================================================================================================================
# XLA
# ======================================================================================================================


def plan_local(program: Path, schedule: Path, mesh: str, out: Path) -> tuple[str, list[dict[str, Any]]]:
    """The local program, and what the plan did, as tactics for the same program with other constants."""
    done = run("plan", program, "--schedule", schedule, "--mesh", mesh, "-o", out)
    if done.returncode:
        raise ValueError(read_reason(done))
    actions = json.loads((out / "plan.json").read_text())["actions"]
    tactics: list[dict[str, Any]] = []
    for action in actions:
        if "tile" in action:
            cell, dim, axis = action["tile"]
            tactics.append({"name": f"T{len(tactics)}", "axis": axis, "tile": [[cell, dim]], "optional": True})
        else:
            cell, axis = action["atomic"]
            tactics.append({"name": f"T{len(tactics)}", "axis": axis, "atomic": [cell]})
    return (out / "local.mlir").read_text(), tactics


def compare(names: str, found: list[Any], wanted: list[Any], tolerance: float) -> str:
    for number, (own, other) in enumerate(zip(found, wanted, strict=True)):
        own, other = (np.asarray(value).astype(np.float64) for value in (own, other))
        far = np.max(np.abs(own - other), initial=0) / max(1.0, np.max(np.abs(other), initial=0))
        if not far <= tolerance:
            return f"{names}: result {number} is off by {far:.2g}"
    return ""


def check_xla(case: Case, program: Path, schedule: Path, mesh: str, folder: Path) -> str:
    """Why the local program under XLA is not the original under jax.jit; empty if it is."""
    import xla_local

    # Behind those that this import sets, before JAX starts.
    os.environ["XLA_FLAGS"] += f" --xla_force_host_platform_device_count={DEVICES} {QUICK_XLA}"
    import jax

    import pipeline_programs as programs

    function, arguments = programs.make(case.variant, case.layers, get_batch(case.variant))
    leaves = jax.tree.leaves
    state, batch = leaves(arguments[0]), leaves(arguments[1])
    whole = jax.jit(function)
    # What is rounded otherwise grows from step to step: each one starts from what jax.jit gave.
    is_rounded = "bf16" in case.variant
    tolerance = TOLERANCE_BF16[case.layout == "pipe"] if is_rounded else TOLERANCE
    is_step = len(leaves(jax.eval_shape(function, *arguments))) == len(state) + 1
    try:
        text, tactics = plan_local(program, schedule, mesh, folder / "plan")
        given, wanted = state, arguments[0]
        for number in range(STEPS if is_step else 1):
            result = whole(wanted, arguments[1])
            shapes = [value.shape for value in leaves(result)]
            found = xla_local.run_local(text, [*given, *batch], shapes)
            if why := compare(f"step {number}", found, leaves(result), tolerance):
                return why
            if number == 0:
                first = found
            if is_step:
                given, wanted = leaves(result[0]) if is_rounded else found[:-1], result[0]
        spoilt = make_poisoned(program, schedule, mesh, folder)
        (folder / "tiles.json").write_text(json.dumps({"tactics": tactics}))
        text, _ = plan_local(spoilt, folder / "tiles.json", mesh, folder / "spoilt")
        found = xla_local.run_local(text, [*state, *batch], [np.shape(value) for value in first])
        return compare("with NaN in idle stages", found, first, tolerance)
    except (ValueError, xla_local.xla_runner.RejectedError) as error:
        return str(error)[:300]


def stop_case(signal_number: int, frame: object) -> None:
    raise TooLongError


def check(task: tuple[Case, Path, bool, int]) -> Row:
    """The case's row. (A signal ends a case that takes too long: its commands, and XLA in this process.)"""
    case, program, is_run_by_xla, limit = task
    start = time.monotonic()
    signal.signal(signal.SIGALRM, stop_case)
    signal.alarm(limit)
    try:
        row = check_case(case, program, is_run_by_xla)
    except TooLongError:
        row = Row(case, "WRONG", f"it took more than {limit} s")
    finally:
        signal.alarm(0)
    return replace(row, seconds=time.monotonic() - start)


def check_case(case: Case, program: Path, is_run_by_xla: bool) -> Row:
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
        if is_run_by_xla and (why := check_xla(case, program, schedule, mesh, Path(name))):
            return Row(case, "WRONG", "XLA: " + why)
    if done.returncode:
        return Row(case, "WRONG", read_reason(done))
    found = json.loads(done.stdout)
    return Row(case, "equal", f"{found['split_ops']} ops split, {found['collectives']} collectives")


def check_refusals(folder: Path, refused: dict[str, str]) -> list[Row]:
    rows = []
    for variant, word in refused.items():
        case = Case(variant, 4, 2, 4, "pipe")
        row = check((case, folder / f"{variant}.4.mlir", False, LIMIT_S))
        is_right = row.outcome == "refused" and word in row.note
        rows.append(Row(case, "refused, as it must" if is_right else "WRONG", row.note, row.seconds))
    return rows


def print_row(row: Row) -> None:
    case = row.case
    print(
        f"{case.variant:17} {case.layers:2} {case.stages:2} {case.microbatches:3} {case.repeats:2}  {case.layout:13} "
        f"{row.outcome:8} {row.note[:150]}  {row.seconds:.0f} s",
        flush=True,
    )


def main() -> int:
    os.environ["JAX_PLATFORMS"] = "cpu"
    import pipeline_programs as programs

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]  # noqa: E731
    parser.add_argument("--only", default="")
    parser.add_argument("--layers", type=numbers, default=[4, 5, 7, 8])
    parser.add_argument("--stages", type=numbers, default=[2, 4])
    parser.add_argument("--repeats", type=numbers, default=[1, 2])
    parser.add_argument("--every", type=int, default=1, help="of the cases, every N-th")
    parser.add_argument("--xla", action="store_true", help="run each case under XLA, too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=LIMIT_S, help="seconds of a case")
    arguments = parser.parse_args()
    # Tracing takes longer than most cases.
    source = Path(programs.__file__).read_bytes()
    folder = BUILD / "pipeline" / hashlib.sha256(source).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    cases = list_cases(arguments, programs.VARIANTS)
    refused = {} if arguments.only else programs.REFUSED
    made = {(case.variant, case.layers) for case in cases} | {(variant, 4) for variant in refused}
    for variant, layers in sorted(made):
        path = folder / f"{variant}.{layers}.mlir"
        if not path.exists():
            path.write_text(programs.build(variant, layers, get_batch(variant)))
    tasks = [(case, folder / f"{case.variant}.{case.layers}.mlir", arguments.xla, arguments.limit) for case in cases]
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
