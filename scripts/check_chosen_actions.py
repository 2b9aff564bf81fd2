"""What searches choose by default, program by program: the third part of `make check-memory-actions`.

python scripts/check_chosen_actions.py [--only REGEX] [--settings REGEX] [--jobs 2] [--plan-only] [FOLDER ...]

Each training program of the folders, and the small steps of remat_programs.py and pipeline_programs.py, is planned by
a default search on eight devices, with all the memory it wants and with less than any plan of the program as it is
needs, so that searches take microbatches, recomputation, both, padding and pipelines. What they choose is run:

    exact    `partita verify --exact`: equal to the bit
    XLA      the local program, compiled by XLA for eight virtual CPU devices, three steps against one device, in f64
             where the program has a meaning there: every result equal by its norm

A row says what a search did to the program, whether it fits, and what was wrong. The last lines count plans by action.
A plan that does nothing to its program is run in exact mode only, unless the setting is `default`. `--plan-only`
runs nothing, for programs of full size; they must be planned, emitted and pass the static check.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import math
import multiprocessing
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from check_memory_actions import FOLDERS, is_training, list_programs, read_reason, run
from sources import BUILD, ROOT

SMALL_MACHINE = ROOT / "models" / "others" / "machine.json"
FOLDER = BUILD / "chosen"
STEPS = 3
SLOWDOWN = 200
TOLERANCE = {"f64": 1e-7, "f32": 2e-3}
QUICK_XLA = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
ACTIONS = ("microbatches", "recomputed", "kept", "padded", "pipeline")


@dataclass(frozen=True)
class Setting:
    """How programs are searched."""

    name: str
    #: The memory limit, as a share of the least that a plan of the program as it is needs; nothing: no limit.
    share: float | None = None
    options: tuple[str, ...] = ()
    mesh: str = "data=2,model=4"
    #: So many groups of devices have links between them that are slow; 1: all links are fast.
    slow_groups: int = 1


SETTINGS = (
    Setting("default"),
    Setting("tight", 0.9),
    Setting("tighter", 0.7),
    Setting("recompute only", 0.85, ("--forbid", "accumulate,pipeline")),
    Setting("microbatches only", 0.85, ("--forbid", "recompute,pipeline")),
    Setting("slow links", None, (), "pipe=2,data=4", 2),
    Setting("slow links, tight", 0.85, (), "pipe=4,data=2", 4),
)


@dataclass(frozen=True)
class Task:
    program: Path
    settings: tuple[Setting, ...]
    is_run: bool
    #: Options of every plan.
    options: tuple[str, ...] = ()


@dataclass
class Row:
    program: str
    setting: str
    actions: list[str] = field(default_factory=list)
    fits: bool = True
    exact: str = "-"
    xla: str = "-"
    wrong: str = ""


# ======================================================================================================================
# Plans
# ======================================================================================================================


@functools.cache
def machine_of(slow_groups: int) -> Path:
    """The small machine, or groups of its devices with slow links between them."""
    machine = json.loads(SMALL_MACHINE.read_text())
    if slow_groups > 1:
        (link,) = machine["levels"]
        slow = {"name": "slow", "size": slow_groups, "bytes_per_second": link["bytes_per_second"] // SLOWDOWN}
        machine["levels"] = [link | {"size": link["size"] // slow_groups}, link | slow]
    path = FOLDER / f"machine{slow_groups}.json"
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(machine))
    partial.replace(path)
    return path


def plan(program: Path, setting: Setting, out: Path, *options: str) -> str:
    """Why there is no plan; empty if there is one, also if it does not fit."""
    machine = () if "--machine" in options else ("--machine", machine_of(setting.slow_groups))
    done = run("plan", program, "--mesh", setting.mesh, *machine, "--threads", "1", "-o", out, *options)
    return "" if done.returncode in (0, 11) else f"exit {done.returncode}: {read_reason(done.stderr)}"


def find_least_bytes(task: Task, setting: Setting, folder: Path) -> int:
    """The smallest peak of the program as it is: that of a search which nothing can satisfy."""
    nothing = ("--memory-limit", "1", "--allow", "", "--budget", "400", "--no-check")
    if plan(task.program, setting, folder / "least", *task.options, *nothing):
        return 0
    peak: int = json.loads((folder / "least" / "report.json").read_text())["peak_bytes"]
    return peak


def list_actions(plan: dict[str, Any]) -> list[str]:
    """What the schedule of a plan does to the program."""
    tactics = plan["schedule"]["tactics"]
    found = {
        "microbatches": any("temporal" in tactic for tactic in tactics),
        "recomputed": any(tactic.get("recompute") for tactic in tactics),
        "kept": any(tactic.get("keep") for tactic in tactics),
        "padded": any(tactic.get("pad") for tactic in tactics),
        "pipeline": any("pipeline" in tactic for tactic in tactics),
    }
    return [action for action in ACTIONS if found[action]]


def check_setting(task: Task, setting: Setting, folder: Path) -> Row:
    row = Row(task.program.name.removesuffix(".mlir"), setting.name)
    options = [*setting.options, *task.options]
    if setting.share is not None:
        least = find_least_bytes(task, setting, folder)
        options += ["--memory-limit", str(int(least * setting.share))]
    out = folder / "plan"
    row.wrong = plan(task.program, setting, out, *options)
    if row.wrong:
        return row
    made = json.loads((out / "plan.json").read_text())
    row.actions, row.fits = list_actions(made), json.loads((out / "report.json").read_text())["fits"]
    if not task.is_run:
        return row
    done = run("verify", task.program, "--plan", out / "plan.json", "--exact")
    row.exact = "equal" if done.returncode == 0 else "not run" if done.returncode in (69, 75) else "DIFFERS"
    if done.returncode:
        row.wrong = read_reason(done.stderr) if done.stderr else done.stdout.splitlines()[0]
    if row.actions or setting.name == "default":
        row.xla, note = run_xla(task.program, out, made)
        row.wrong = "; ".join(text for text in (row.wrong, note) if text)
    return row


# ======================================================================================================================
# XLA
# ======================================================================================================================


def make_inputs(text: str, program: Path) -> list[Any]:
    """Parameters by their width, other state nonnegative, as second moments are."""
    import numpy as np

    import xla_runner

    inputs = xla_runner.make_inputs(text)
    groups = json.loads(run("analyze", program, "--json").stdout)["groups"]
    kinds = {member: group["kind"] for group in groups if group["kind"] != "inner" for member in group["members"]}
    for number, array in enumerate(inputs):
        if not np.issubdtype(array.dtype, np.inexact):
            continue
        if kinds.get(number) == "parameter" and array.ndim > 1:
            inputs[number] = (array / math.sqrt(array.shape[-2])).astype(array.dtype)
        elif kinds.get(number) == "optimizer_state":
            inputs[number] = np.abs(array) + np.asarray(0.1, array.dtype)
    return list(inputs)


def find_ties(program: Path) -> list[tuple[int, int]]:
    """Arguments, and the results that are their next values, each by its number."""
    graph = json.loads(run("plan", program, "--stop-after=flatten").stdout)
    return [tuple(graph["cells"][cell]["number"] for cell in tie) for tie in graph.get("ties", [])]


def shape_of(entry: dict[str, Any]) -> tuple[int, ...]:
    found = re.match(r"tensor<((?:[0-9]+x)*)", entry["type"])
    return tuple(int(size) for size in found[1].split("x") if size) if found else ()


def run_steps(text: str, inputs: list[Any], ties: list[tuple[int, int]], made: dict[str, Any]) -> list[Any]:
    """Results of the last step on one device, or as the plan stores them on several."""
    import numpy as np

    import xla_local
    import xla_runner

    def store(array: Any, shape: tuple[int, ...]) -> Any:
        behind = [(0, wanted - size) for size, wanted in zip(np.shape(array), shape, strict=True)]
        return np.pad(array, behind) if any(size for _, size in behind) else array

    arguments, results = list(inputs), []
    for _ in range(STEPS):
        if made:
            stored = [store(array, shape_of(entry)) for array, entry in zip(arguments, made["arguments"], strict=True)]
            results = xla_local.run_local(text, stored, [shape_of(entry) for entry in made["results"]])
        else:
            results = xla_runner.run(text, arguments)
        for argument, result in ties:
            arguments[argument] = results[result][tuple(map(slice, np.shape(arguments[argument])))]
    return results


def compare(expected: list[Any], found: list[Any], tolerance: float) -> str:
    """The results that differ; empty if none does."""
    import numpy as np

    from models.others.compare import relative_error

    differ = []
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        error = relative_error(other[tuple(map(slice, np.shape(one)))], one)
        if not error <= tolerance and not (np.size(one) and np.abs(one).max() < tolerance > np.abs(other).max()):
            differ.append(f"result {number} by {error:.1e}")
    if not all(np.isfinite(array.astype(float)).all() for array in expected if array.dtype.kind == "f"):
        differ.append("NaN on one device: nothing is shown")
    return ", ".join(differ[:4]) + (f" and {len(differ) - 4} more" if len(differ) > 4 else "")


def run_xla(program: Path, out: Path, made: dict[str, Any]) -> tuple[str, str]:
    """The judge's word, and what differs."""
    import xla_runner
    from models.others import widen

    text, local, ties = program.read_text(), (out / "local.mlir").read_text(), find_ties(program)
    precision = "f64"
    try:
        inputs = make_inputs(text, program)
        try:
            text, local = widen.widen(text), widen.widen(local)
            inputs = [widen._wide(array) for array in inputs]
        except widen.NotWidened:
            precision = "f32"
        expected = run_steps(text, inputs, ties, {})
        found = run_steps(local, inputs, ties, made)
    except xla_runner.RejectedError as error:
        return "not run", f"XLA: {str(error).splitlines()[0][:120]}"
    except AssertionError as error:
        return "DIFFERS", str(error)[:120]
    different = compare(expected, found, TOLERANCE[precision])
    return ("DIFFERS" if different else f"equal {precision}"), different


# ======================================================================================================================
# All programs
# ======================================================================================================================


def write_small_programs() -> list[Path]:
    """The steps of remat_programs.py and pipeline_programs.py."""
    import pipeline_programs
    import remat_programs

    texts = {
        f"remat.{form}.{policy}": functools.partial(remat_programs.trace, form, policy)
        for form in remat_programs.FORMS
        for policy in ("none", "full")
    }
    texts |= {
        f"pipeline.{variant}": functools.partial(pipeline_programs.build, variant, 8, 32)
        for variant in pipeline_programs.VARIANTS
        if variant != "forward"
    }
    paths = []
    for name, make in texts.items():
        path = FOLDER / f"{name}.mlir"
        if not path.is_file():
            path.write_text(make())
        paths.append(path)
    return paths


def check(task: Task) -> list[Row]:
    if not is_training(task.program):
        return []
    with tempfile.TemporaryDirectory() as name:
        return [check_setting(task, setting, Path(name)) for setting in task.settings]


def print_row(row: Row) -> None:
    actions = ", ".join(row.actions) or "as it is"
    actions += "" if row.fits else " (does not fit)"
    print(
        f"{row.program[:44]:44} {row.setting:18} {actions:44} {row.exact:8} {row.xla:10} {row.wrong[:150]}", flush=True
    )


def is_wrong(row: Row) -> bool:
    return bool(row.wrong) and not (row.exact == "not run" and row.xla.startswith("equal"))


def summarize(rows: list[Row]) -> int:
    counts = collections.Counter(" + ".join(row.actions) or "as it is" for row in rows)
    fitting = collections.Counter(" + ".join(row.actions) or "as it is" for row in rows if row.fits)
    print()
    for actions, count in counts.most_common():
        print(f"{actions:44} {count:4} plans, {fitting[actions]} fit")
    exact, xla = (
        sum(text.startswith("equal") for text in texts) for texts in ([r.exact for r in rows], [r.xla for r in rows])
    )
    wrong = [row for row in rows if is_wrong(row)]
    print(f"{len(rows)} plans: {exact} equal to the bit, {xla} equal in XLA, {len(wrong)} wrong")
    return 1 if wrong else 0


def start_worker() -> None:
    """Before JAX starts: eight virtual devices that compile quickly, and modules of the repository."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {QUICK_XLA}".strip()
    sys.path[:0] = [str(ROOT), str(ROOT / "test")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--settings", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plan-only", action="store_true", help="plans are not run")
    parser.add_argument("--machine", help="in place of the small one: build/full --plan-only --machine h100-sxm:1x8")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    settings = tuple(setting for setting in SETTINGS if re.search(given.settings, setting.name))
    programs = list_programs(list(FOLDERS), given.only)
    if given.folders:
        programs = [path for folder in given.folders for path in sorted(folder.glob("*.mlir"))]
    else:
        programs = write_small_programs() + programs
    options = ("--machine", given.machine) if given.machine else ()
    tasks = [
        Task(path, settings, not given.plan_only, options) for path in programs if re.search(given.only, path.name)
    ]
    print(f"{'program':44} {'setting':18} {'what was done':44} {'exact':8} {'XLA':10}")
    rows = []
    with multiprocessing.get_context("spawn").Pool(given.jobs, start_worker, maxtasksperchild=4) as pool:
        for some in pool.imap(check, tasks):
            rows += some
            for row in some:
                print_row(row)
    return summarize(rows)


if __name__ == "__main__":
    sys.exit(main())
