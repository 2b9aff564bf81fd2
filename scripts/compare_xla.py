"""Collectives of our local programs against those of XLA's partitioner, given the same shardings: `make compare-xla`.

python scripts/compare_xla.py [--only REGEX]

For each tiny model of the zoo and each of its schedules, on data=2,model=4: `annotated.mlir` is compiled by jaxlib, and
the collectives of the HLO right behind the pass `spmd-partitioning` are counted, in loops as often as the loops run.
Bytes are what one device sends by the ring algorithm: (n-1)/n of the payload in a group of n, twice that for an
all-reduce, the payload of a permute. A row in which ours sends more is marked, and explained in EXPLAINED, or the exit
code is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sources import BUILD, ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "test")]

PARTITA = BUILD / "bin" / "partita"
MESH = "data=2,model=4"
KINDS = ["all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute"]
# More bytes than this share above XLA's are no rounding.
TOLERATED = 1.001
# Why ours sends more, by a pattern of `model schedule`.
EXPLAINED: dict[str, str] = {}

COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$")
COLLECTIVE = re.compile(
    r"= (\(.*?\)|\S+) (all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)(?:-start)?\("
)
SHAPE = re.compile(r"([a-z]+\d*)\[([\d,]*)\]")
WHILE = re.compile(r" while\(.*condition=%?([\w.\-]+), body=%?([\w.\-]+)")
CALL = re.compile(r"(?:to_apply|true_computation|false_computation|calls)=%?([\w.\-]+)")
BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")


@dataclass
class Traffic:
    """How many collectives of each kind, and what a device sends for them."""

    counts: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, count: int, sent: float) -> None:
        self.counts[kind] += count
        self.sent[kind] += round(sent)

    def __str__(self) -> str:
        shown = [f"{self.counts[kind]} {kind}" for kind in KINDS if self.counts[kind]]
        return ", ".join(shown) or "none"


def bytes_of(shapes: str) -> int:
    total = 0
    for element, dims in SHAPE.findall(shapes):
        bits = re.search(r"\d+$", element)
        width = 1 if element == "pred" else int(bits[0]) / 8 if bits else 4
        total += math.ceil(width * math.prod(int(size) for size in dims.split(",") if size))
    return total


def group_size(line: str) -> int:
    iota = re.search(r"replica_groups=\[(\d+),(\d+)\]<=", line)
    if iota:
        return int(iota[2])
    mesh = re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", line)
    if mesh:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", mesh[1]))
        parts = re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", mesh[2])
        return math.prod(int(part or sizes[name]) for name, part in parts)
    listed = re.search(r"replica_groups=\{\{([\d,]*)\}", line)
    if listed:
        return len(listed[1].split(","))
    if "source_target_pairs" in line:
        return 2
    raise ValueError(f"groups of an unknown form: {line}")


def count_sent(kind: str, payload: int, size: int) -> float:
    """`payload` is the result of a gather, the operand of all others."""
    if kind == "collective_permute":
        return payload
    return (2 if kind == "all_reduce" else 1) * payload * (size - 1) / size


def read_trips(condition: list[str]) -> int:
    """Of a loop that counts up to a constant; 1 if it is none."""
    text = "\n".join(condition)
    bounds = [int(value) for value in re.findall(r"s(?:32|64)\[\] constant\((\d+)\)", text)]
    return max(bounds, default=1) if "direction=LT" in text else 1


def read_hlo(text: str) -> Traffic:
    computations: dict[str, list[str]] = {}
    entry, current = "", ""
    for line in text.splitlines():
        begin = COMPUTATION.match(line)
        if begin and "HloModule" not in line:
            current = begin[1]
            computations[current] = []
            entry = current if line.startswith("ENTRY") else entry
        elif current:
            computations[current].append(line)
    traffic = Traffic()

    def visit(name: str, times: int) -> None:
        for line in computations.get(name, []):
            found = COLLECTIVE.search(line)
            if found:
                kind, size = found[2].replace("-", "_"), group_size(line)
                payload = bytes_of(found[1]) * (size if kind == "reduce_scatter" else 1)
                if size > 1:
                    traffic.add(kind, times, times * count_sent(kind, payload, size))
                continue
            if loop := WHILE.search(line):
                visit(loop[2], times * read_trips(computations.get(loop[1], [])))
            elif branches := BRANCHES.search(line):
                for branch in branches[1].split(","):
                    visit(branch.strip().lstrip("%"), times)
            elif (called := CALL.search(line)) and " call(" in line:
                visit(called[1], times)

    visit(entry, 1)
    return traffic


def compile_annotated(text: str) -> Traffic:
    """What XLA's partitioner makes of the annotated program."""
    import jax
    from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    import xla_runner

    devices = jax.local_devices()[:8]
    with tempfile.TemporaryDirectory(prefix="partita-hlo-") as folder:
        dump = {
            "xla_dump_to": folder,
            "xla_dump_hlo_pass_re": "spmd-partitioning",
            "xla_dump_hlo_as_text": True,
            "xla_backend_optimization_level": 0,
        }
        options = xla_runner.compile_options(len(devices), dump)
        options.executable_build_options.use_shardy_partitioner = True
        with make_ir_context():
            code = module_to_bytecode(ir.Module.parse(text))
        devices[0].client.compile_and_load(code, xla_client.DeviceList(tuple(devices)), options)
        found = sorted(Path(folder).glob("*.after_spmd-partitioning*.txt"))
        if not found:
            sys.exit("XLA wrote no program behind spmd-partitioning")
        return read_hlo(found[-1].read_text())


def read_ours(report: Path) -> Traffic:
    traffic = Traffic()
    for entry in json.loads(report.read_text())["collectives"]:
        traffic.add(entry["kind"], entry["count"], entry["wire_bytes"])
    return traffic


def list_cases(only: re.Pattern[str]) -> list[tuple[str, Path]]:
    from models.registry import ZOO

    cases = []
    for model in ZOO.values():
        for schedule in sorted((ROOT / "models" / "schedules").glob(f"{model.layout}.*.json")):
            if only.search(f"{model.name} {schedule.stem}"):
                cases.append((model.name, schedule))
    return cases


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=".", help="models and schedules that match, as MODEL SCHEDULE")
    cases = list_cases(re.compile(parser.parse_args().only))
    unexplained = fewer = same = 0
    for model, schedule in cases:
        out = BUILD / "compare" / f"{model}.{schedule.stem}"
        program = BUILD / "zoo" / f"{model}.tiny.mlir"
        command: list[str | Path] = [PARTITA, "plan", program, "--mesh", MESH, "--schedule", schedule, "-o", out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{model} {schedule.stem}: exit code {done.returncode}, not compared")
            continue
        ours, theirs = read_ours(out / "report.json"), compile_annotated((out / "annotated.mlir").read_text())
        own, other = ours.sent.total(), theirs.sent.total()
        reason = next((why for name, why in EXPLAINED.items() if re.search(name, f"{model} {schedule.stem}")), None)
        is_more = own > TOLERATED * other
        fewer, same = fewer + (other > TOLERATED * own), same + (not is_more and other <= TOLERATED * own)
        unexplained += is_more and reason is None
        print(f"{model} {schedule.stem}: {own:,} bytes, XLA {other:,} ({own / max(other, 1):.2f})", flush=True)
        print(f"    ours  {ours}\n    XLA's {theirs}")
        if is_more:
            print(f"    more: {reason or 'NOT EXPLAINED'}")
    print(
        f"{len(cases)} compared: ours sends less in {fewer}, the same in {same}, more without a reason in {unexplained}"
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
