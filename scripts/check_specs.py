"""Given shardings against `jax.jit` with the same: `make check-specs`, which writes docs/check-specs.md.

python scripts/check_specs.py [--only REGEX] [--jobs 2] [--half tuned|reported] [--table FILE]

A row is a program and a tree of specs for its arguments, as people write them or at random. Ours is `partita plan` with
the specs as its only schedule; XLA's is what `jax.jit` with these `in_shardings` compiles to for eight CPU devices,
where a state comes back as it was given and other results lie as Shardy leaves them. Both are counted in bytes that a
device sends (scripts/hlo_traffic.py). A row is good if ours sends at most a tenth more. Every row must be planned:
specs are never refused for meeting each other.

Half of the rows, by the hash of their names, may be looked at while the rules of spreading are decided (`tuned`); the
goal is counted on the others (`reported`). Programs are the tiny models of the zoo and, where they are exported to
build/specs (`python -m models.others.export`), other packages' models.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare_xla import compile_for_cpus, read_ours, run_partita
from sources import BUILD, ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "test")]

FOLDER = BUILD / "specs"
AXES = {"data": 2, "model": 4}
MESH = ",".join(f"{name}={size}" for name, size in AXES.items())
TOLERATED = 1.1
GOAL = 0.9
# One tree for each program of another package, in turn.
OTHERS_TREES = ("fsdp", "largest", "random1")
ALIAS = "tf.aliasing_output"
Spec = list[Any]


@dataclass(frozen=True)
class Argument:
    name: str
    shape: tuple[int, ...]
    is_float: bool

    @property
    def is_state(self) -> bool:
        return bool(re.match(r"state\b|params\b|cache\b|variables\b", self.name))


# ---------------------------------------------------------------------------------------------------------------------
# Trees of specs
# ---------------------------------------------------------------------------------------------------------------------


def divides(argument: Argument, dim: int, axes: list[str]) -> bool:
    parts = 1
    for axis in axes:
        parts *= AXES[axis]
    return argument.shape[dim] > 1 and argument.shape[dim] % parts == 0


def put(argument: Argument, wanted: list[tuple[int, str]]) -> Spec:
    """The axes at those of the dims that they divide."""
    spec: list[list[str]] = [[] for _ in argument.shape]
    for dim, axis in wanted:
        if 0 <= dim < len(argument.shape) and divides(argument, dim, [*spec[dim], axis]):
            spec[dim].append(axis)
    return [axes or None for axes in spec]


def batch(argument: Argument) -> Spec:
    return put(argument, [(0, "data")])


def first_divisible(argument: Argument, axis: str, start: int = 0) -> list[tuple[int, str]]:
    dims = [dim for dim in range(start, len(argument.shape)) if divides(argument, dim, [axis])]
    return [(dims[0], axis)] if dims else []


def largest(argument: Argument, axis: str) -> list[tuple[int, str]]:
    dims = [dim for dim in range(len(argument.shape)) if divides(argument, dim, [axis])]
    return [(max(dims, key=lambda dim: argument.shape[dim]), axis)] if dims else []


def tree_fsdp(arguments: list[Argument], _: random.Random) -> list[Spec]:
    """The state split over all devices, the batch over all."""
    specs = []
    for argument in arguments:
        if argument.is_state:
            found = [dim for dim in range(len(argument.shape)) if divides(argument, dim, ["data", "model"])]
            specs.append(put(argument, [(found[0], "data"), (found[0], "model")] if found else []))
        else:
            specs.append(put(argument, [(0, "data"), (0, "model")]))
    return specs


def tree_fsdp_tensor(arguments: list[Argument], _: random.Random) -> list[Spec]:
    """Matrices with their rows over `data` and their columns over `model`; the batch over `data`."""
    return [
        put(a, [(len(a.shape) - 2, "data"), (len(a.shape) - 1, "model")] if len(a.shape) > 1 else [])
        if a.is_state
        else batch(a)
        for a in arguments
    ]


def tree_largest(arguments: list[Argument], _: random.Random) -> list[Spec]:
    """As Keras proposes: the largest dim that divides over `model`, the batch over `data`."""
    return [put(a, largest(a, "model")) if a.is_state else batch(a) for a in arguments]


def tree_zero(arguments: list[Argument], _: random.Random) -> list[Spec]:
    """The batch over `data`; of the state, the optimizer's alone is split."""
    return [
        put(a, first_divisible(a, "data") if re.search(r"\b(mu|nu|opt\w*)\b", a.name) else [])
        if a.is_state
        else batch(a)
        for a in arguments
    ]


def tree_random(arguments: list[Argument], rng: random.Random) -> list[Spec]:
    """Every argument by chance; arrays that differ only in a layer's number or in their role lie alike."""
    chosen: dict[Any, list[tuple[int, str]]] = {}
    specs = []
    for argument in arguments:
        end = re.sub(r"\d+", "*", re.sub(r"^\w+\.?\w*", "", argument.name))
        key = (end, argument.shape)
        if key not in chosen:
            axes = [axis for axis in AXES if rng.random() < 0.6]
            rng.shuffle(axes)
            chosen[key] = [(rng.randrange(max(1, len(argument.shape))), axis) for axis in axes]
        specs.append(put(argument, chosen[key]))
    return specs


TREES = {
    "fsdp": tree_fsdp,
    "fsdp_tensor": tree_fsdp_tensor,
    "largest": tree_largest,
    "zero": tree_zero,
    "random1": tree_random,
    "random2": tree_random,
}


# ---------------------------------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    program: Path
    tree: str

    @property
    def name(self) -> str:
        return f"{self.program.name.removesuffix('.mlir').removesuffix('.tiny')} {self.tree}"

    @property
    def out(self) -> Path:
        return FOLDER / self.name.replace(" ", ".")

    @property
    def is_tuned(self) -> bool:
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0


@dataclass
class Row:
    name: str
    ours: int = 0
    theirs: int = 0
    collectives: str = ""
    their_collectives: str = ""
    failure: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs if self.theirs else 1.0 if self.ours == 0 else float("inf")

    @property
    def is_good(self) -> bool:
        return not self.failure and self.ratio <= TOLERATED


def read_arguments(program: Path) -> list[Argument]:
    done = run_partita("plan", program, "--stop-after=flatten", "--ignore-shardings")
    cells = json.loads(done.stdout)["cells"]
    return [
        Argument(cell.get("name", f"arg{cell['number']}"), tuple(cell["shape"]), cell["type"][0] in "fb")
        for cell in cells
        if cell["kind"] == "argument"
    ]


def write_rules(case: Case) -> Path:
    arguments = read_arguments(case.program)
    rng = random.Random(case.name)
    specs = TREES[case.tree](arguments, rng)
    rules = [[f"arg{number}", spec] for number, spec in enumerate(specs)]
    rng.shuffle(rules)
    path = FOLDER / f"{case.out.name}.rules.json"
    path.write_text(json.dumps(rules))
    return path


def keep_arguments(text: str) -> str:
    """An annotated program with the shardings of its arguments, and of results that take an argument's buffer: a step
    gives its state back as it took it."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir

    from xla_forms import keep_boundary

    with make_ir_context():
        module = ir.Module.parse(keep_boundary(text))
        for function in module.body.operations:
            if function.operation.name != "func.func" or str(function.attributes["sym_name"]) != '"main"':
                continue
            arguments = [ir.DictAttr(entry) for entry in ir.ArrayAttr(function.attributes["arg_attrs"])]
            states = {ir.IntegerAttr(entry[ALIAS]).value for entry in arguments if ALIAS in entry}
            kept = []
            for number, attributes in enumerate(ir.ArrayAttr(function.attributes["res_attrs"])):
                entries = {named.name: named.attr for named in ir.DictAttr(attributes)}
                if number not in states:
                    entries.pop("sdy.sharding", None)
                kept.append(ir.DictAttr.get(entries))
            function.attributes["res_attrs"] = ir.ArrayAttr.get(kept)
        return str(module)


def compute_row(case: Case) -> Row:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rules = write_rules(case)
    done = run_partita("plan", case.program, "--mesh", MESH, "--ignore-shardings", "--schedule", rules, "-o", case.out)
    if done.returncode != 0:
        return Row(case.name, failure=done.stderr.strip().splitlines()[0] if done.stderr else str(done.returncode))
    ours = read_ours(case.out / "report.json")
    text = keep_arguments((case.out / "annotated.mlir").read_text())
    key = hashlib.sha256(text.encode()).hexdigest()
    kept = FOLDER / f"{case.out.name}.xla.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    if known.get("key") != key:
        try:
            compiled = compile_for_cpus(text).partitioned
        except Exception as error:  # whatever XLA says is the row's answer
            return Row(case.name, failure=f"XLA: {str(error).splitlines()[0][:100]}")
        known = {"key": key, "sent": compiled.sent.total(), "collectives": str(compiled)}
        kept.write_text(json.dumps(known))
    return Row(case.name, ours.sent.total(), known["sent"], str(ours), known["collectives"])


def list_cases(only: re.Pattern[str], half: str | None) -> Iterator[Case]:
    zoo = [(path, tuple(TREES)) for path in sorted((BUILD / "zoo").glob("*.tiny.mlir"))]
    found = sorted(FOLDER.glob("others.*.mlir"))
    others = [(path, (OTHERS_TREES[number % len(OTHERS_TREES)],)) for number, path in enumerate(found)]
    for path, trees in (*zoo, *others):
        for tree in trees:
            case = Case(path, tree)
            if only.search(case.name) and (half is None or case.is_tuned == (half == "tuned")):
                yield case


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------

HEAD = """# Given shardings, here and in `jax.jit`

Written by `make check-specs` (scripts/check_specs.py): programs and trees of specs for their arguments, on `{mesh}`.
"Ours" is the plan with these specs, in random order, as its only schedule. "XLA" is what `jax.jit` makes of the same
`in_shardings` (jaxlib {version}, Shardy, eight CPU devices), counted right after the pass `spmd-partitioning`. kB is
what one device sends. A row is good if ours sends at most {tolerated:.0%} of what XLA's sends. Half of the rows, chosen
by a hash of their names, were looked at while the rules of propagation were designed ("tuned"). The other half
("reported") measures the goal: {goal:.0%} good rows.

AG is all_gather, AR all_reduce, RS reduce_scatter, A2A all_to_all, CP collective_permute. `fsdp`, `fsdp_tensor` and
`zero` are trees as people write them. `largest` splits each array of the state over `model`, along its largest dim that
divides. `random1` and `random2` draw the specs at random; arrays that differ only in their layer get the same spec.

"""


def summarize(rows: list[Row], what: str) -> str:
    planned = [row for row in rows if not row.failure]
    refused = [row for row in rows if row.failure and not row.failure.startswith("XLA")]
    good = sum(row.is_good for row in planned)
    share = good / len(planned) if planned else 0.0
    fewer = sum(row.ratio < 1 / TOLERATED for row in planned)
    return (
        f"{what}: {good} of {len(planned)} rows good ({share:.1%}); in {fewer} of them XLA's sends over 10% more than"
        f" ours; {len(refused)} refused, {len(rows) - len(planned) - len(refused)} not compiled by XLA"
    )


def show(row: Row) -> str:
    if row.failure:
        return f"{row.name}: {row.failure}"
    mark = "" if row.is_good else "  MORE"
    return (
        f"{row.name}: {row.ours:,} of {row.theirs:,} bytes, {row.ratio:.2f}{mark}\n"
        f"    ours {row.collectives}\n    XLA  {row.their_collectives}"
    )


def write_table(path: Path, rows: list[tuple[Case, Row]]) -> None:
    import jaxlib

    lines = [HEAD.format(mesh=MESH, version=jaxlib.__version__, tolerated=TOLERATED, goal=GOAL)]
    for half in ("reported", "tuned"):
        chosen = [row for case, row in rows if case.is_tuned == (half == "tuned")]
        lines.append(f"{summarize(chosen, half)}.\n\n")
    for half in ("reported", "tuned"):
        lines.append(f"## Rows {half}\n\n| program, specs | ours | kB | XLA | kB | ratio |\n")
        lines.append("| --- | --- | ---: | --- | ---: | ---: |\n")
        for case, row in rows:
            if case.is_tuned != (half == "tuned"):
                continue
            lines.append(
                f"| {row.name} | {row.failure} | | | | |\n"
                if row.failure
                else f"| {row.name} | {row.collectives} | {row.ours / 1000:,.1f} | {row.their_collectives} |"
                f" {row.theirs / 1000:,.1f} | {row.ratio:.2f} |\n"
            )
        lines.append("\n")
    path.write_text("".join(lines).rstrip() + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="rows whose name matches")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--half", choices=("tuned", "reported"), help="only these rows")
    parser.add_argument("--table", type=Path, help="write the table there")
    options = parser.parse_args()
    cases = list(list_cases(options.only, options.half))
    rows = []
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for row in pool.imap(compute_row, cases):
            print(show(row), flush=True)
            rows.append(row)
    reported = [row for case, row in zip(cases, rows, strict=True) if not case.is_tuned]
    tuned = [row for case, row in zip(cases, rows, strict=True) if case.is_tuned]
    for chosen, what in ((tuned, "tuned"), (reported, "reported")):
        if chosen:
            print(summarize(chosen, what))
    if options.table:
        write_table(options.table, list(zip(cases, rows, strict=True)))
    refused = any(row.failure and not row.failure.startswith("XLA") for row in rows)
    planned = [row for row in reported if not row.failure]
    missed = planned and sum(row.is_good for row in planned) < GOAL * len(planned)
    return 1 if refused or missed else 0


if __name__ == "__main__":
    sys.exit(main())
