"""Our collectives against those of XLA's partitioner: `make compare-xla`, which writes docs/compare-xla.md.

python scripts/compare_xla.py [--only REGEX] [--jobs 2] [--known] [--table docs/compare-xla.md]

For each tiny model of the zoo and each of its schedules, on data=2,model=4, jaxlib compiles for eight CPU devices

  annotated   the original with our shardings and interior constraints: what XLA's partitioner makes of the same plan;
  local       our local program: none may be added by partitioning it, and what later passes make of its collectives;
  boundary    the original with the shardings of arguments and results alone: what XLA's own propagation does.

Collectives are counted in the HLO right behind the pass `spmd-partitioning`, for later passes in the compiled program
(scripts/hlo_traffic.py). The exit code is 1 if a local program has other collectives behind the pass than we reported,
or if ours sends more than XLA's and EXPLAINED does not say why. Rows are kept in build/compare and made anew only if
their programs change, so that a run that was stopped goes on where it was; `--known` compiles nothing and shows the
rows that are there.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hlo_traffic import KINDS, SHORT, Traffic, read_hlo
from sources import BUILD, ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "test")]

PARTITA = BUILD / "bin" / "partita"
FOLDER = BUILD / "compare"
MESH, DEVICES = "data=2,model=4", 8
# Rows of another layout are made anew.
LAYOUT = 1
# More bytes than this share above XLA's are no rounding.
TOLERATED = 1.001
# Why ours sends more, by a pattern of `model schedule`.
EXPLAINED: dict[str, str] = {
    r"^llama\w*_bf16 .*EMB": "partial sums of queries and keys pass the conversion to f32 that rotary embeddings are "
    "computed in and are reduced behind it, rounded once: twice the bytes of bf16"
}


@dataclass(frozen=True)
class Case:
    """A model of the zoo and one of its schedules."""

    model: str
    schedule: Path

    @property
    def name(self) -> str:
        return f"{self.model} {self.schedule.stem}"

    @property
    def out(self) -> Path:
        return FOLDER / f"{self.model}.{self.schedule.stem}"


@dataclass
class Row:
    """What was counted; `failure` says why nothing was."""

    name: str
    traffic: dict[str, Traffic]
    rematerialized: int = 0
    failure: str = ""

    @property
    def ours(self) -> int:
        return self.traffic["ours"].sent.total()

    @property
    def ratio(self) -> float:
        """Our bytes over those of XLA from the annotated program."""
        theirs = self.traffic["annotated"].sent.total()
        return self.ours / theirs if theirs else 1.0 if self.ours == 0 else float("inf")

    @property
    def reason(self) -> str | None:
        return next((why for pattern, why in EXPLAINED.items() if re.search(pattern, self.name)), None)

    @property
    def is_kept(self) -> bool:
        """Partitioning adds nothing to the local program and takes nothing away."""
        return self.traffic["local"].counts == self.traffic["ours"].counts

    @property
    def is_unexplained(self) -> bool:
        return not self.failure and (not self.is_kept or (self.ratio > TOLERATED and self.reason is None))


# ---------------------------------------------------------------------------------------------------------------------
# Compilation
# ---------------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def captured_errors() -> Iterator[list[str]]:
    """What XLA, which is no Python, writes to standard error."""
    lines: list[str] = []
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()


@dataclass
class Compiled:
    partitioned: Traffic
    final: Traffic
    rematerialized: int


def drop_constraints(module: Any) -> None:
    """Leaves the shardings of arguments and results alone."""
    from jaxlib.mlir import ir

    found: list[Any] = []

    def collect(operation: Any) -> Any:
        if operation.name == "sdy.sharding_constraint":
            found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    for operation in found:
        operation.results[0].replace_all_uses_with(operation.operands[0])
        operation.erase()


def list_code_options() -> dict[str, Any]:
    """How machine code is made takes most of the time and is no matter here."""
    import jaxlib

    options = {"xla_backend_optimization_level": 0, "xla_cpu_parallel_codegen_split_count": 1}
    if tuple(map(int, jaxlib.__version__.split(".")[:2])) <= (0, 10):
        options["xla_cpu_use_fusion_emitters"] = False  # gone from 0.11 on
    return options


def compile_for_cpus(text: str, is_boundary: bool) -> Compiled:
    import jax
    from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    import xla_runner

    devices = jax.local_devices()[:DEVICES]
    with tempfile.TemporaryDirectory(prefix="partita-hlo-") as folder:
        dump = {
            "xla_dump_to": folder,
            "xla_dump_hlo_pass_re": "spmd-partitioning",
            "xla_dump_hlo_as_text": True,
            **list_code_options(),
        }
        options = xla_runner.compile_options(len(devices), dump)
        options.executable_build_options.use_shardy_partitioner = True
        with make_ir_context():
            module = ir.Module.parse(text)
            if is_boundary:
                drop_constraints(module)
            code = module_to_bytecode(module)
        with captured_errors() as errors:
            devices[0].client.compile_and_load(code, xla_client.DeviceList(tuple(devices)), options)
        partitioned = sorted(Path(folder).glob("*.after_spmd-partitioning*.txt"))
        final = sorted(Path(folder).glob("*after_optimizations.txt"))
        if not partitioned or not final:
            raise RuntimeError("XLA wrote no program behind spmd-partitioning, or none at the end")
        count = sum("full rematerialization" in line for line in errors)
        return Compiled(read_hlo(partitioned[-1].read_text()), read_hlo(final[-1].read_text()), count)


# ---------------------------------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------------------------------


def read_ours(report: Path) -> Traffic:
    traffic = Traffic()
    for entry in json.loads(report.read_text())["collectives"]:
        traffic.add(entry["kind"], entry["count"], entry["wire_bytes"])
    return traffic


def plan(case: Case) -> str:
    """Writes the plan's files; gives why that failed, or nothing."""
    program = BUILD / "zoo" / f"{case.model}.tiny.mlir"
    command: list[str | Path] = [PARTITA, "plan", program, "--mesh", MESH, "--schedule", case.schedule, "-o", case.out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    reason = re.search(r"error: (.*)", done.stderr)
    return reason[1] if reason else f"exit code {done.returncode}"


def compute_row(case: Case, is_known: bool = False) -> Row:
    """With `is_known`, only if it is known already."""
    failure = plan(case)
    if failure:
        return Row(case.name, {}, failure=failure)
    annotated, local = ((case.out / f"{name}.mlir").read_text() for name in ("annotated", "local"))
    ours = read_ours(case.out / "report.json")
    key = hashlib.sha256(f"{LAYOUT}\n{annotated}\n{local}\n{ours.to_json()}".encode()).hexdigest()
    saved = case.out / "row.json"
    if saved.is_file():
        known = json.loads(saved.read_text())
        if known["key"] == key:
            traffic = {name: Traffic.from_json(entry) for name, entry in known["traffic"].items()}
            return Row(case.name, traffic, known["rematerialized"])
    if is_known:
        return Row(case.name, {}, failure="not run yet")
    ways = {"annotated": (annotated, False), "local": (local, False), "boundary": (annotated, True)}
    compiled = {name: compile_for_cpus(*way) for name, way in ways.items()}
    row = Row(case.name, {"ours": ours, "later": compiled["local"].final}, compiled["boundary"].rematerialized)
    row.traffic |= {name: entry.partitioned for name, entry in compiled.items()}
    entries = {name: traffic.to_json() for name, traffic in row.traffic.items()}
    saved.write_text(json.dumps({"key": key, "traffic": entries, "rematerialized": row.rematerialized}))
    return row


def list_cases(only: re.Pattern[str]) -> list[Case]:
    from models.registry import ZOO

    cases = []
    for model in ZOO.values():
        for schedule in sorted((ROOT / "models" / "schedules").glob(f"{model.layout}.*.json")):
            case = Case(model.name, schedule)
            if only.search(case.name):
                cases.append(case)
    return cases


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


def show(row: Row) -> str:
    if row.failure:
        return f"{row.name}: {row.failure}, not compared"
    text = f"{row.name}: {row.ours:,} bytes, {row.ratio:.2f} of XLA's"
    for name, traffic in row.traffic.items():
        text += f"\n    {name:9} {traffic.sent.total():>12,}  {traffic}"
    if row.rematerialized:
        text += f"\n    full rematerializations from the boundary alone: {row.rematerialized}"
    if row.ratio > TOLERATED:
        text += f"\n    more: {row.reason or 'NOT EXPLAINED'}"
    return text if row.is_kept else text + "\n    PARTITIONING CHANGES THE LOCAL PROGRAM"


def summarize(rows: list[Row]) -> list[str]:
    counted = [row for row in rows if not row.failure]
    less = [row for row in counted if row.ratio < 1 / TOLERATED]
    more = [row for row in counted if row.ratio > TOLERATED]
    worse = [row for row in counted if row.traffic["boundary"].sent.total() > TOLERATED * row.ours]
    combined = [row for row in counted if row.traffic["later"].counts.total() < row.traffic["ours"].counts.total()]
    return [
        f"{len(counted)} of {len(rows)} rows compared.",
        f"From the same annotations: ours sends less in {len(less)}, more in {len(more)}, the same in the others.",
        f"Local programs: {sum(row.is_kept for row in counted)} have the same collectives behind spmd-partitioning as "
        f"reported; later passes leave fewer in {len(combined)} (combined, or hoisted out of loops).",
        f"From the boundary alone: more bytes than ours in {len(worse)}, full rematerializations reported in "
        f"{sum(row.rematerialized > 0 for row in counted)}.",
    ]


HEAD = """# Our collectives and XLA's

Written by `make compare-xla` (scripts/compare_xla.py): every tiny model of the zoo under every schedule for it, on
`data=2,model=4`, compiled by jaxlib {version} for eight CPU devices. Collectives are counted in the HLO right behind
the pass `spmd-partitioning`, in loops as often as the loops run; kB is what one device sends by the ring algorithm.

- **ours**: what the plan reports, and what its local program has behind partitioning (`kept`: no more, no fewer).
- **annotated**: what XLA's partitioner makes of the original with our shardings and interior constraints.
- **later**: what is left of the local program's collectives at the end of XLA's CPU pipeline under default flags, where
  all-reduces are combined and what does not change is hoisted out of loops.
- **boundary**: what XLA does from the shardings of arguments and results alone; `remat` counts its reports of an
  "involuntary full rematerialization".

{kinds}.

"""


def cell(traffic: Traffic) -> str:
    return f"{traffic} | {traffic.sent.total() / 1000:,.1f}"


def write_table(path: Path, rows: list[Row]) -> None:
    import jaxlib

    kinds = ", ".join(f"{SHORT[kind]} {kind}" for kind in KINDS)
    lines = [HEAD.format(version=jaxlib.__version__, kinds=kinds), *(f"{line}\n" for line in summarize(rows))]
    lines.append("| model and schedule | ours | kB | kept | annotated | kB | later | boundary | kB | remat |\n")
    lines.append("| --- | --- | ---: | --- | --- | ---: | --- | --- | ---: | ---: |\n")
    for row in sorted(rows, key=lambda row: row.name):
        if row.failure:
            reason = row.failure.replace("|", "\\|")
            lines.append(f"| {row.name} | {reason} | | | | | | | | |\n")
            continue
        ours, annotated, later, boundary = (row.traffic[name] for name in ("ours", "annotated", "later", "boundary"))
        kept = "yes" if row.is_kept else "NO"
        remat = row.rematerialized or ""
        lines.append(
            f"| {row.name} | {cell(ours)} | {kept} | {cell(annotated)} | {later} | {cell(boundary)} | {remat} |\n"
        )
    more = [row for row in rows if not row.failure and row.ratio > TOLERATED]
    if more:
        lines.append("\nWhere ours sends more than XLA from the same annotations:\n\n")
        lines += [f"- {row.name} ({row.ratio:.2f}): {row.reason or 'not explained'}\n" for row in more]
    path.write_text("".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=".", help="models and schedules that match, as MODEL SCHEDULE")
    parser.add_argument("--jobs", type=int, default=2, help="processes that compile")
    parser.add_argument("--known", action="store_true", help="only rows that are known already")
    parser.add_argument("--table", type=Path, help="where to write the table")
    options = parser.parse_args()
    cases = list_cases(re.compile(options.only))
    rows = []
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=12) as pool:
        for row in pool.imap_unordered(functools.partial(compute_row, is_known=options.known), cases):
            rows.append(row)
            print(show(row), flush=True)
    if options.table:
        write_table(options.table, rows)
    print("\n".join(summarize(rows)))
    return 1 if any(row.is_unexplained for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
