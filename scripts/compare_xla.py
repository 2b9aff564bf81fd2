"""Our collectives against those of XLA's partitioner: `make compare-xla`, which writes docs/compare-xla.md.

python scripts/compare_xla.py [--only REGEX] [--jobs 2] [--known] [--table docs/compare-xla.md]

For each tiny model of the zoo, under each of its schedules and as a search plans it, on data=2,model=4, jaxlib compiles
the three forms of the plan (scripts/xla_forms.py) for eight CPU devices: none may be added to the collectives of the
local program, the annotated one is what XLA makes of the same plan, the boundary what its own propagation finds.

Collectives are counted in the HLO right behind the pass `spmd-partitioning`, for later passes in the compiled program
(scripts/hlo_traffic.py). The exit code is 1 if a local program has other collectives behind the pass than we reported,
or is rematerialized, or if ours sends more than XLA's and EXPLAINED does not say why. Rows are kept in build/compare
and made anew only if their programs change, so that a run that was stopped goes on where it was; `--known` compiles
nothing and shows the rows that are there.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hlo_traffic import KINDS, SHORT, Traffic, read_hlo
from sources import BUILD, ROOT
from xla_forms import FORMS, captured_rematerializations, read_forms

sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from models import exported  # noqa: E402

PARTITA = BUILD / "bin" / "partita"
FOLDER = BUILD / "compare"
MESH, DEVICES = "data=2,model=4", 8
ALL = "."
# Rows of another layout are made anew.
LAYOUT = 2
# More bytes than this share above XLA's are no rounding.
TOLERATED = 1.001
# Why ours sends more, by a pattern of `model schedule`.
EXPLAINED: dict[str, str] = {
    r"^llama\w*_bf16 .*EMB": "partial sums of queries and keys pass the conversion to f32 that rotary embeddings are "
    "computed in and are reduced behind it, rounded once: twice the bytes of bf16",
    r"^decode\w* found$": "the table of embeddings lies in eight pieces, and four of them are gathered to look a few "
    "tokens up in; XLA gathers the tokens and adds up what all devices find",
}


@dataclass(frozen=True)
class Case:
    """A model of the zoo and one of its schedules, or none: then its plan is searched for."""

    model: str
    schedule: Path | None

    @property
    def strategy(self) -> str:
        return self.schedule.stem if self.schedule else "found"

    @property
    def name(self) -> str:
        return f"{self.model} {self.strategy}"

    @property
    def program(self) -> Path:
        return exported.find(f"{self.model}.tiny")

    @property
    def out(self) -> Path:
        return FOLDER / f"{self.model}.{self.strategy}"


@dataclass
class Row:
    """What was counted, warnings of rematerialization by form; `failure` says why nothing was."""

    name: str
    traffic: dict[str, Traffic] = field(default_factory=dict)
    rematerialized: dict[str, int] = field(default_factory=dict)
    failure: str = ""

    @property
    def is_found(self) -> bool:
        return self.name.endswith(" found")

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
        if self.failure:
            return False
        is_broken = not self.is_kept or self.rematerialized["local"] > 0
        return is_broken or (self.ratio > TOLERATED and self.reason is None)


# ---------------------------------------------------------------------------------------------------------------------
# Compilation
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Compiled:
    partitioned: Traffic
    final: Traffic
    rematerialized: int


def list_code_options() -> dict[str, Any]:
    """How machine code is made takes most of the time and is no matter here."""
    import jaxlib

    options = {"xla_backend_optimization_level": 0, "xla_cpu_parallel_codegen_split_count": 1}
    if tuple(map(int, jaxlib.__version__.split(".")[:2])) <= (0, 10):
        options["xla_cpu_use_fusion_emitters"] = False  # gone from 0.11 on
    return options


def compile_for_cpus(text: str) -> Compiled:
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
            code = module_to_bytecode(ir.Module.parse(text))
        with captured_rematerializations() as warnings:
            devices[0].client.compile_and_load(code, xla_client.DeviceList(tuple(devices)), options)
        partitioned = sorted(Path(folder).glob("*.after_spmd-partitioning*.txt"))
        final = sorted(Path(folder).glob("*after_optimizations.txt"))
        if not partitioned or not final:
            raise RuntimeError("XLA wrote no program behind spmd-partitioning, or none at the end")
        return Compiled(read_hlo(partitioned[-1].read_text()), read_hlo(final[-1].read_text()), len(warnings))


# ---------------------------------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------------------------------


def read_ours(report: Path) -> Traffic:
    traffic = Traffic()
    for entry in json.loads(report.read_text())["collectives"]:
        traffic.add(entry["kind"], entry["count"], entry["wire_bytes"])
    return traffic


def run_partita(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PARTITA, *words], capture_output=True, text=True, check=False)


def list_search_options(case: Case) -> list[str | Path]:
    """A search as `make models` has it: on its machine, with a share of what the whole program needs."""
    from models.others.small_search import BUDGET, MACHINE, MEMORY_SHARE

    whole = FOLDER / "whole.json"
    whole.write_text('{"tactics": []}')
    priced = run_partita(
        "score", case.program, "--mesh", MESH, "--machine", MACHINE, "--schedule", whole, "--no-bound", "--json"
    )
    limit = int(MEMORY_SHARE * json.loads(priced.stdout)["peak_bytes"])
    return ["--machine", MACHINE, "--memory-limit", str(limit), "--budget", str(BUDGET)]


def plan(case: Case) -> str:
    """Writes the plan's files; gives why that failed, or nothing."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    options = ["--schedule", case.schedule] if case.schedule else list_search_options(case)
    done = run_partita("plan", case.program, "--mesh", MESH, *options, "-o", case.out)
    if done.returncode == 0:
        return ""
    reason = re.search(r"error: (.*)", done.stderr)
    return reason[1] if reason else f"exit code {done.returncode}"


def read_row(path: Path, key: str, name: str) -> Row | None:
    """The row that was kept, if it was made of the same."""
    if not path.is_file():
        return None
    known = json.loads(path.read_text())
    if known["key"] != key:
        return None
    traffic = {form: Traffic.from_json(entry) for form, entry in known["traffic"].items()}
    return Row(name, traffic, known["rematerialized"])


def keep_row(path: Path, key: str, row: Row) -> None:
    entries = {form: traffic.to_json() for form, traffic in row.traffic.items()}
    path.write_text(json.dumps({"key": key, "traffic": entries, "rematerialized": row.rematerialized}))


def compute_row(case: Case, is_known: bool = False) -> Row:
    """With `is_known`, only if it is known already."""
    failure = plan(case)
    if failure:
        return Row(case.name, failure=failure)
    forms = read_forms(case.out)
    ours = read_ours(case.out / "report.json")
    key = hashlib.sha256(f"{LAYOUT}\n{forms['annotated']}\n{forms['local']}\n{ours.to_json()}".encode()).hexdigest()
    kept = case.out / "row.json"
    known = read_row(kept, key, case.name)
    if known is not None:
        return known
    if is_known:
        return Row(case.name, failure="not run yet")
    compiled = {form: compile_for_cpus(text) for form, text in forms.items()}
    row = Row(case.name, {"ours": ours, "later": compiled["local"].final})
    row.traffic |= {form: entry.partitioned for form, entry in compiled.items()}
    row.rematerialized = {form: entry.rematerialized for form, entry in compiled.items()}
    keep_row(kept, key, row)
    return row


def list_cases(only: re.Pattern[str]) -> list[Case]:
    from models.registry import ZOO

    cases = []
    for model in ZOO.values():
        schedules = sorted((ROOT / "models" / "schedules").glob(f"{model.layout}.*.json"))
        cases += [Case(model.name, schedule) for schedule in [*schedules, None]]
    return [case for case in cases if only.search(case.name)]


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


def show_rematerialized(row: Row) -> str:
    """How often by form, nothing if never."""
    return ", ".join(f"{row.rematerialized[form]} {form}" for form in FORMS if row.rematerialized[form])


def show(row: Row) -> str:
    if row.failure:
        return f"{row.name}: {row.failure}, not compared"
    text = f"{row.name}: {row.ours:,} bytes, {row.ratio:.2f} of XLA's"
    for name, traffic in row.traffic.items():
        text += f"\n    {name:9} {traffic.sent.total():>12,}  {traffic}"
    if any(row.rematerialized.values()):
        text += f"\n    full rematerializations: {show_rematerialized(row)}"
    if row.ratio > TOLERATED:
        text += f"\n    more: {row.reason or 'NOT EXPLAINED'}"
    return text if row.is_kept else text + "\n    PARTITIONING CHANGES THE LOCAL PROGRAM"


def summarize(rows: list[Row]) -> list[str]:
    counted = [row for row in rows if not row.failure]
    less = [row for row in counted if row.ratio < 1 / TOLERATED]
    more = [row for row in counted if row.ratio > TOLERATED]
    boundary = {row.name: row.traffic["boundary"].sent.total() for row in counted}
    worse = [row for row in counted if boundary[row.name] > TOLERATED * row.ours]
    better = [row for row in counted if boundary[row.name] < row.ours / TOLERATED]
    combined = [row for row in counted if row.traffic["later"].counts.total() < row.traffic["ours"].counts.total()]
    rematerialized = ", ".join(f"{sum(row.rematerialized[form] > 0 for row in counted)} {form}" for form in FORMS)
    return [
        f"{len(counted)} of {len(rows)} rows compared, {sum(row.is_found for row in counted)} of them found by search.",
        f"From the same annotations: ours sends less in {len(less)}, more in {len(more)}, the same in the others.",
        f"Local programs: {sum(row.is_kept for row in counted)} have the same collectives behind spmd-partitioning as "
        f"reported; later passes leave fewer in {len(combined)} (combined, or hoisted out of loops).",
        f"From the boundary alone: more bytes than ours in {len(worse)}, fewer in {len(better)}.",
        f"Full rematerializations are reported of programs: {rematerialized}.",
    ]


HEAD = """# Our collectives and XLA's

Written by `make compare-xla` (scripts/compare_xla.py): every tiny model of the zoo under every schedule for it and as a
search plans it (`found`), on `data=2,model=4`, compiled by jaxlib {version} for eight CPU devices. Searches have the
machine of `make models` (models/others/machine.json) and {share:.0%} of the memory that the whole program needs; they
minimise time, not bytes. Collectives are counted in the HLO right behind the pass `spmd-partitioning`, in loops as
often as the loops run; kB is what one device sends by the ring algorithm.

- **ours**: what the plan reports, and what its local program has behind partitioning (`kept`: no more, no fewer).
- **annotated**: what XLA's partitioner makes of the original with our shardings and interior constraints.
- **later**: what is left of the local program's collectives at the end of XLA's CPU pipeline under default flags, where
  all-reduces are combined and what does not change is hoisted out of loops.
- **boundary**: what XLA does from the shardings of arguments and results alone.
- **remat**: how often XLA reports, by form, an "involuntary full rematerialization": it makes a tensor whole on every
  device to split it anew.

Where ours sends more than XLA's from the same annotations, a letter says why, below the table.

{kinds}.

"""


def cell(traffic: Traffic) -> str:
    return f"{traffic} | {traffic.sent.total() / 1000:,.1f}"


def list_reasons(rows: list[Row]) -> dict[str, str]:
    """A letter for each reason why ours sends more."""
    more = [row for row in rows if not row.failure and row.ratio > TOLERATED]
    reasons = dict.fromkeys(row.reason or "not explained" for row in more)
    return dict(zip(reasons, "abcdefghijklmnopqrstuvwxyz", strict=False))


def write_row(row: Row, letters: dict[str, str]) -> str:
    if row.failure:
        reason = row.failure.replace("|", "\\|")
        return f"| {row.name} | {reason} | | | | | | | | |\n"
    ours, annotated, later, boundary = (row.traffic[name] for name in ("ours", "annotated", "later", "boundary"))
    kept = "yes" if row.is_kept else "NO"
    mark = f" ({letters[row.reason or 'not explained']})" if row.ratio > TOLERATED else ""
    return (
        f"| {row.name} | {cell(ours)}{mark} | {kept} | {cell(annotated)} | {later} | {cell(boundary)} | "
        f"{show_rematerialized(row)} |\n"
    )


def write_table(path: Path, rows: list[Row]) -> None:
    import jaxlib

    from models.others.small_search import MEMORY_SHARE

    rows = sorted(rows, key=lambda row: row.name)
    letters = list_reasons(rows)
    kinds = ", ".join(f"{SHORT[kind]} {kind}" for kind in KINDS)
    lines = [HEAD.format(version=jaxlib.__version__, kinds=kinds, share=MEMORY_SHARE)]
    lines += [f"- {line}\n" for line in summarize(rows)]
    lines.append("\n| model and strategy | ours | kB | kept | annotated | kB | later | boundary | kB | remat |\n")
    lines.append("| --- | --- | ---: | --- | --- | ---: | --- | --- | ---: | --- |\n")
    lines += [write_row(row, letters) for row in rows]
    if letters:
        lines.append("\nWhy ours sends more than XLA from the same annotations:\n\n")
        lines += [f"- ({letter}) {reason}\n" for reason, letter in letters.items()]
    path.write_text("".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=ALL, help="rows that match, as MODEL SCHEDULE or MODEL found")
    parser.add_argument("--jobs", type=int, default=2, help="processes that compile")
    parser.add_argument("--known", action="store_true", help="only rows that are known already")
    parser.add_argument("--table", type=Path, help="where to write the table; of some rows alone none is written")
    options = parser.parse_args()
    cases = list_cases(re.compile(options.only))
    rows = []
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=12) as pool:
        for row in pool.imap_unordered(functools.partial(compute_row, is_known=options.known), cases):
            rows.append(row)
            print(show(row), flush=True)
    if options.table and options.only == ALL:
        write_table(options.table, rows)
    print("\n".join(summarize(rows)))
    return 1 if any(row.is_unexplained for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
