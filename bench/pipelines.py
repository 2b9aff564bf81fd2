"""Pipelines that the search finds, beside the composite that people run: the last table of `make bench-search`.

Llama 70B and a model of the shape of Llama 405B on 64 nodes of 8 H100s, 256 sequences of 8192 tokens, with the preset's
network and with slower ones. Each row is searched with and without pipelines, and the published composite is scored:
tensor parallelism over a node's eight GPUs with sequences in parts between products, stages over nodes, microbatches of
one sequence, data parallelism with ZeRO-2 over the rest. The found plan may not be slower than either. Below each row
stands by what it wins over the published composite, or loses.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from row_cache import write_once  # noqa: E402
from search_rows import BIN, CACHE  # noqa: E402

MESH = "data=4,pipe=16,model=8"
#: One sequence each: 256 over `data`.
MICROBATCHES = 64
SHAPES: dict[str, dict[str, Any]] = {
    "70b": {"batch": 256},
    "405b": {"batch": 256, "width": 16384, "layers": 126, "heads": 128, "hidden": 53248},
}
#: Bytes a second of a GPU's network card; None: the preset's.
NETWORKS: dict[str, str | None] = {"50 GB/s": None, "5 GB/s": "5 GB/s", "1 GB/s": "1 GB/s"}


@dataclass(frozen=True)
class Found:
    seconds: float
    fits: bool
    #: Its strategy, and what was done to the program, in the report's words.
    words: tuple[str, ...] = ()
    #: Of the time; how much compute is that of stages that wait is told by the ticks.
    compute: float = 0
    waiting: float = 0
    peak: float = 0
    #: Seconds of collectives, exposed or not, by axes.
    collectives: dict[str, float] = field(default_factory=dict)

    @property
    def exposed(self) -> float:
        return self.seconds - self.compute

    def __str__(self) -> str:
        return f"{self.seconds:7.2f} s" + ("" if self.fits else " too large")

    @property
    def rank(self) -> tuple[bool, float]:
        return not self.fits, self.seconds


def explain(found: Found, other: Found) -> list[str]:
    """By what the first plan is faster than the other, or slower: compute, waiting, communication, memory."""
    parts = {
        "compute": found.compute - found.waiting - other.compute + other.waiting,
        "stages that wait": found.waiting - other.waiting,
        "exposed communication": found.exposed - other.exposed,
    }
    word = "wins" if found.rank < other.rank else "loses"
    listed = ", ".join(f"{name} {seconds:+.2f} s" for name, seconds in parts.items())
    lines = [f"{word} by {found.seconds - other.seconds:+.2f} s: {listed}"]
    axes = sorted({*found.collectives, *other.collectives}, key=lambda name: -other.collectives.get(name, 0))
    times = [(name, other.collectives.get(name, 0), found.collectives.get(name, 0)) for name in axes]
    noted = [each for each in times if max(each[1:]) >= 0.005 * other.seconds]
    moved = ", ".join(f"{name} {old:.2f} -> {new:.2f} s" for name, old, new in noted)
    lines.append(f"collectives by axes: {moved}" if moved else "no collectives of note")
    lines.append(f"memory of a device: {other.peak / 1e9:.1f} -> {found.peak / 1e9:.1f} GB")
    return lines


def find_program(name: str) -> Path:
    from models import llama
    from models.export import lower_text
    from models.program import Model

    config = dataclasses.replace(llama.L70B, scan=True, remat=True, **SHAPES[name])
    model = Model(name, {"full": config}, llama.build, 9, 7, 3, "", "llama_scan", (), "")
    return write_once(CACHE / f"pipeline.{name}.mlir", lambda: str(lower_text(model, "full")))


def find_machine(rate: str | None) -> str:
    if rate is None:
        return "h100-sxm:64x8"
    path = CACHE / f"pipeline.{rate.replace(' ', '').replace('/', '')}.json"
    levels = {"node": {"bytes_per_second": rate}}
    path.write_text(json.dumps({"base": "h100-sxm:64x8", "name": f"h100 {rate}", "levels": levels}))
    return str(path)


def find_words(report: str) -> tuple[str, ...]:
    """The report's lines from `strategy:` to the first empty one."""
    head, _, _ = report.partition("\n\n")
    lines = head.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("strategy:")]
    return tuple(line.rstrip() for line in lines[starts[0] :]) if starts else ()


def search(program: Path, machine: str, *options: str | Path) -> Found:
    """A plan; searched for, unless a schedule is given."""
    out = CACHE / "pipeline.out"
    given = [program, "--mesh", MESH, "--machine", machine, "-o", out, *options]
    done = subprocess.run([BIN / "partita", "plan", *given], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 11):
        raise SystemExit(f"plan: {done.stderr.strip()}")
    report = json.loads((out / "report.json").read_text())
    collectives: dict[str, float] = defaultdict(float)
    for each in report["collectives"]:
        # A part of an axis is called `pipe:(1)8`.
        collectives["+".join(sorted({name.partition(":")[0] for name in each["axes"]}))] += each["time_ps"] / 1e12
    compute = report["compute_ps"] / 1e12
    return Found(
        report["time_ps"] / 1e12,
        report["fits"],
        find_words(done.stdout),
        compute,
        compute * find_idle_share(report.get("pipeline")),
        report["peak_bytes"],
        dict(collectives),
    )


def find_idle_share(pipeline: dict[str, Any] | None) -> float:
    """Of the ticks, in which nearly all compute is; 0 without a pipeline."""
    if not pipeline:
        return 0.0
    used: float = pipeline["repeats"] * pipeline["microbatches"] / pipeline["ticks"]
    return 1 - used


def plan_published(program: Path, machine: str) -> Found:
    """Stages with the batch, heads, hidden and sequences between them inside, and optimizer state over data."""
    schedule = CACHE / "pipeline.published.json"
    stages = {"name": "PP", "axis": "pipe", "pipeline": [], "microbatches": MICROBATCHES}
    data = [{"preset": "data_parallel", "axis": "data"}, {"preset": "zero2", "axis": "data"}]
    # Of what layers compute, the first dim counts stages.
    between = {"name": "SEQ", "axis": "model", "tile": [[".*residual[)]*/add#[0-9]+", 2]], "optional": True}
    tactics = [stages, *data, {"preset": "megatron", "axis": "model"}, between]
    schedule.write_text(json.dumps({"tactics": tactics}))
    return search(program, machine, "--schedule", schedule)


def main() -> int:
    print(f"{'model and network':20} {'found':>18} {'without pipelines':>18} {'published':>18}")
    behind = 0
    for name in SHAPES:
        program = find_program(name)
        for network, rate in NETWORKS.items():
            machine = find_machine(rate)
            found = search(program, machine)
            others = [search(program, machine, "--forbid", "pipeline"), plan_published(program, machine)]
            is_behind = found.rank > min(other.rank for other in others)
            behind += is_behind
            mark = "  BEHIND" if is_behind else ""
            print(f"{name + ', ' + network:20} {found!s:>18} {others[0]!s:>18} {others[1]!s:>18}{mark}", flush=True)
            print("\n".join(f"{'':20} {line}" for line in (*found.words, *explain(found, others[1]))), flush=True)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
