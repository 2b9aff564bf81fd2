"""What a search does with microbatches and recomputation, against all that people try: `python bench/memory_actions.py`

python bench/memory_actions.py [--only REGEX] [--half tuned|reported|all] [--anchors] [--counts 1,2,4] [--grid-of BUILD]

Rows are transformers of the zoo on machines of several kinds. Each is traced under three policies of `jax.checkpoint`:
none, dots (results of products are saved) and full. The grid is every policy x number of microbatches x sharding that
experts would write (`search_rows.py`), each priced; sums of gradients are kept split where an expert splits optimizer
state. Of one program and sharding, more microbatches take no less time: where fewer of them fit, or are slower already
than the best that is known (with 2% to spare), more are not priced. Prices are kept in build/bench, so that a run that
was stopped goes on. The search gets the program of each policy, and may change it (`partita plan`). Columns:

grid       the fastest of the grid that fits, and its time
found      the time of what the search found for the program without a checkpoint, and with a full one, over the grid's
full       time of the search over full recomputation with the best sharding (found with --forbid), at the same limit
free       the share of the limit that is free under full recomputation, and the share of its time that it recomputes
x          processor time of the search over that of one without memory actions

`--full` compares searches of other packages' training programs at full size (`make full`) with ones that may not change
the program: processor time of the search, and the time of what is found.

A row belongs to the half that may be tuned on, or to the half that is reported, by the hash of its name. `--anchors`
prints published figures beside ours (memory_anchors.py).
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import math
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import memory_anchors
from row_cache import hash_of, stored_path, write_once
from search_rows import BIN, CACHE, FULL, PLACES, Row, experts_of

POLICIES = ("none", "dots", "full")
#: By how much a price with more microbatches may be lower than one with fewer.
SPARE = 1.02
MODELS = {"llama.8b": ("llama", "8b"), "llama.8b_32k": ("llama", "8b_32k"), "gpt.t32": ("gpt", "t32")}


@dataclass(frozen=True)
class Priced:
    """A plan's time and memory."""

    name: str
    time_ps: int
    peak_bytes: int
    fits: bool
    seconds: float = 0.0
    limit_bytes: int = 1

    def key(self) -> tuple[bool, int]:
        return (not self.fits, self.time_ps if self.fits else self.peak_bytes)


# ======================================================================================================================
# Programs
# ======================================================================================================================


def lower(model: str, policy: str) -> str:
    """The scan form of a model of the zoo, its layers checkpointed as the policy says."""
    import jax

    from models import gpt, llama
    from models.registry import ZOO

    family, size = MODELS[model]
    module: Any = {"llama": llama, "gpt": gpt}[family]
    plain = module.apply_layers

    def apply_layers(layer: Any, layers: Any, x: Any, remat: bool) -> Any:
        if policy != "none":
            saved = jax.checkpoint_policies.dots_saveable if policy == "dots" else None
            layer = jax.checkpoint(layer, policy=saved)
        return plain(layer, layers, x, False)

    def run() -> str:
        jax.clear_caches()
        module.apply_layers = apply_layers
        try:
            return str(ZOO[f"{family}_scan_remat"].program(size).lower().as_text(debug_info=True))
        finally:
            module.apply_layers = plain

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run).result()


def program_of(model: str, policy: str) -> Path:
    from models.export import source_hash

    path = CACHE / "memory_actions" / f"{model}.{policy}.{source_hash()[:12]}.mlir"
    return write_once(path, lambda: lower(model, policy))


# ======================================================================================================================
# Prices
# ======================================================================================================================


def run(*words: str | Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """What a command prints, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def plan(program: Path, row: Row, *options: str | Path) -> Priced | None:
    with tempfile.TemporaryDirectory() as folder:
        done, seconds = run(
            BIN / "partita", "plan", program, "--mesh", row.mesh, "--machine", row.machine, "--threads", "1",
            "--no-check", "-o", folder, *options,
        )  # fmt: skip
        if done.returncode not in (0, 11):
            return None
        report = json.loads((Path(folder) / "report.json").read_text())
    name = report["overview"]["strategy"] if report["overview"].get("memory_actions") else "as it is"
    return Priced(name, report["time_ps"], report["peak_bytes"], report["fits"], seconds, report["limit_bytes"])


def split_state(tactics: list[dict[str, Any]]) -> str:
    """The axis over which an expert splits optimizer state; empty if there is none."""
    axes = [tactic["axis"] for tactic in tactics if tactic["name"].startswith("Z")]
    return axes[0] if axes else ""


def score(program: Path, row: Row, schedules: Sequence[Path]) -> list[Any]:
    where = ("--mesh", row.mesh, "--machine", row.machine)
    done, _ = run(BIN / "partita", "score", program, *schedules, *where, "--json")
    if done.returncode not in (0, 11):
        raise RuntimeError(f"{row}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    plans: list[Any] = found.get("plans", [found])
    return plans


@dataclass(frozen=True)
class GridCell:
    """A policy and a number of microbatches; prices of experts are kept in a file."""

    model: str
    row: Row
    policy: str
    count: int
    #: Of the build whose prices are read.
    build: str

    @property
    def stored(self) -> Path:
        program = program_of(self.model, self.policy)
        return stored_path("memory_grid", [self.build, hash_of(program), str(self.row), str(self.count)])

    def read(self) -> dict[str, Priced]:
        if not self.stored.exists():
            return {}
        entries = json.loads(self.stored.read_text()).items()
        return {name: Priced(f"{self.policy} x {self.count}: {name}", *found) for name, found in entries}

    def price(self, experts: dict[str, Any]) -> dict[str, Priced]:
        """Prices of these, and of all that are known."""
        known = self.read()
        missing = [name for name in experts if name not in known]
        for names in (missing[first : first + 8] for first in range(0, len(missing), 8)):
            known |= self.price_some({name: experts[name] for name in names})
            self.stored.parent.mkdir(parents=True, exist_ok=True)
            figures = {name: (found.time_ps, found.peak_bytes, found.fits) for name, found in known.items()}
            self.stored.write_text(json.dumps(figures))
        return known

    def price_some(self, experts: dict[str, Any]) -> dict[str, Priced]:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, tactics in enumerate(experts.values()):
                temporal: dict[str, Any] = {"name": "accumulate", "temporal": {"micro": self.count}}
                if axis := split_state(tactics):
                    temporal["scatter"] = axis
                paths.append(Path(folder) / f"{number}.json")
                # What an earlier tactic of the combination has split already is left out.
                lenient = [tactic | {"optional": True} for tactic in tactics]
                paths[-1].write_text(json.dumps({"tactics": [*([temporal] if self.count > 1 else []), *lenient]}))
            plans = score(program_of(self.model, self.policy), self.row, paths)
        return {
            expert: Priced(f"{self.policy} x {self.count}: {expert}", plan["time_ps"], plan["peak_bytes"], plan["fits"])
            for expert, plan in zip(experts, plans, strict=True)
        }


def price_grid(model: str, row: Row, counts: list[int], build: str) -> Priced | None:
    experts = experts_of(replace(row, program=f"{MODELS[model][0]}_scan_remat.{MODELS[model][1]}"))
    best: Priced | None = None
    # The last price of each policy and expert that more microbatches may still make fit.
    last: dict[tuple[str, str], Priced] = {}
    for number, count in enumerate(counts):
        for policy in POLICIES:
            slowest = best.time_ps * SPARE if best and best.fits else math.inf
            asked = {
                name: tactics
                for name, tactics in experts.items()
                if number == 0 or (policy, name) in last and last[policy, name].time_ps < slowest
            }
            priced = GridCell(model, row, policy, count, build).price(asked)
            for name in asked:
                last[policy, name] = priced[name]
                if priced[name].fits:
                    del last[policy, name]
            best = min([priced[name] for name in asked] + ([best] if best else []), key=Priced.key, default=None)
    return best


# ======================================================================================================================
# Rows
# ======================================================================================================================


def list_rows() -> Iterator[tuple[str, Row]]:
    for model, place in itertools.product(MODELS, PLACES):
        yield model, Row("zoo", model, *place)


def half_of(row: Row) -> str:
    return "tuned" if hashlib.sha256(str(row).encode()).digest()[0] % 2 == 0 else "reported"


@functools.cache
def recomputed_share(model: str) -> float:
    """The share of a full checkpoint's products that run a second time."""

    def count(policy: str) -> int:
        flat, _ = run(BIN / "partita", "plan", program_of(model, policy), "--stop-after=flatten")
        graph = json.loads(flat.stdout)

        def runs(region: int | None) -> int:
            times = 1
            while region is not None:
                times *= max(1, graph["regions"][region]["trips"])
                region = graph["regions"][region].get("parent")
            return times

        return sum(op["flops"] * runs(op["region"]) for op in graph["ops"] if op["class"] == "contraction")

    full = count("full")
    return (full - count("none")) / full


def measure(model: str, row: Row, counts: list[int], build: str) -> bool:
    """Prints a row; whether its goals are met."""
    grid = price_grid(model, row, counts, build)
    found = {policy: plan(program_of(model, policy), row) for policy in ("none", "full")}
    alone = plan(program_of(model, "full"), row, "--forbid", "accumulate,recompute")
    full, none = found["full"], found["none"]
    if not (grid and full and none and alone):
        print(f"{row!s:44} cannot be planned", flush=True)
        return False
    best = min(full, none, key=Priced.key)
    ratios = "  ".join(describe_ratio(each, grid) for each in (none, full))
    limit_free = max(0.0, 1 - alone.peak_bytes / alone.limit_bytes)
    goal = limit_free >= 0.25 and recomputed_share(model) >= 0.10
    gain = 1 - best.time_ps / alone.time_ps if best.fits and alone.fits else 0.0
    print(
        f"{row!s:44} {half_of(row):8} {grid.time_ps / 1e9:9.1f} ms {grid.name[:34]:34} {ratios}  "
        f"{gain:7.1%}{'*' if goal else ' '} free {limit_free:4.0%}  {full.seconds / max(alone.seconds, 1e-9):4.1f} x  "
        f"{best.name[:70]}",
        flush=True,
    )
    slower = not best.fits and grid.fits or best.fits and grid.fits and best.time_ps > grid.time_ps * 1.0005
    return not slower and (not goal or gain >= 0.05)


def describe_ratio(found: Priced, grid: Priced) -> str:
    if found.fits != grid.fits:
        return " fits" if found.fits else "short"
    return f"{found.time_ps / grid.time_ps:5.3f}" if found.fits else f"{found.peak_bytes / grid.peak_bytes:5.3f}"


# ======================================================================================================================
# Programs at full size
# ======================================================================================================================


def search_full(program: Path, place: tuple[str, str], *options: str) -> tuple[float, float, bool] | None:
    """Processor seconds of the search, milliseconds of a step, and whether it fits."""
    with tempfile.TemporaryDirectory() as folder:
        done, _ = run(
            BIN / "partita", "plan", program, "--mesh", place[0], "--machine", place[1], "--threads", "1",
            "--no-check", "--timing", "-o", folder, *options,
        )  # fmt: skip
        if done.returncode not in (0, 11):
            return None
        report = json.loads((Path(folder) / "report.json").read_text())
    stages = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"stage"')]
    seconds = sum(stage["cpu_ms"] for stage in stages if stage["stage"] in ("search", "variants")) / 1e3
    return seconds, report["time_ps"] / 1e9, report["fits"]


def measure_full(only: str, place: tuple[str, str]) -> bool:
    """Prints a row for each program; whether no search takes more than twice the time."""
    ratios = []
    for program in sorted(FULL.glob("*.mlir")):
        if not re.search(only, program.name) or re.search("decode|sample|prefill|topics", program.name):
            continue
        alone = search_full(program, place, "--forbid", "accumulate,recompute")
        found = search_full(program, place)
        if not (alone and found):
            print(f"{program.stem:34} cannot be planned", flush=True)
            continue
        ratios.append(found[0] / max(alone[0], 1e-9))
        step = f"{alone[1]:8.1f}{'' if alone[2] else ' (short)'} -> {found[1]:8.1f} ms{'' if found[2] else ' (short)'}"
        print(f"{program.stem:34} {alone[0]:6.2f} -> {found[0]:6.2f} s  {ratios[-1]:4.2f} x  {step}", flush=True)
    return all(ratio <= 2 for ratio in ratios)


def print_anchors() -> bool:
    row = Row("zoo", "llama.8b", memory_anchors.MESH, memory_anchors.MACHINE)

    def plan_or_fail(program: Path, *options: str) -> Priced:
        if (priced := plan(program, row, *options)) is None:
            raise RuntimeError(f"{program.name} cannot be planned")
        return priced

    return memory_anchors.print_anchors(CACHE / "memory_actions", plan_or_fail)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--half", default="all", choices=["tuned", "reported", "all"])
    parser.add_argument("--anchors", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--counts", default="1,2,4,8,16")
    parser.add_argument("--grid-of", metavar="BUILD", help="prices of another build, by the name that it printed")
    given = parser.parse_args()
    if given.full:
        return 0 if measure_full(given.only, PLACES[2]) else 1
    met = True
    build = given.grid_of or hash_of(BIN / "partita")[:12]
    print(f"build {build}")
    for model, row in list_rows():
        if re.search(given.only, str(row)) and given.half in ("all", half_of(row)):
            met = measure(model, row, [int(count) for count in given.counts.split(",")], build) and met
    if given.anchors:
        met = print_anchors() and met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
