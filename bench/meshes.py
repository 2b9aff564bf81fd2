"""Searched meshes against those that people write: `make bench-search` prints them behind its table, or

python bench/meshes.py [--only REGEX] [--half tuning|reported] [--again]

Each row is a program on a machine. `--devices N` chooses the mesh and where it lies; the meshes that people would write
are planned as well, each placed where it is fastest: all of one and two axes, data outside and model inside; of three
axes data over nodes, fsdp and model inside them, or model over a whole node; of a program with experts, data, expert
and model. Columns:

found      the mesh that was found, and the predicted time of its plan
by hand    the fastest of the others, and its time
found/hand at most 1.00 is the goal, on all rows
time       processor time of the search over that of the fastest mesh by hand alone; at most 4 is the goal
bounded    how many of the meshes by hand have a lower bound above the time that was found: what a search could leave
           out if it knew their bounds

The search was tuned on rows of the tuning half; the reported half is there to be printed. Plans are kept in
build/bench/meshes with the hash of what they were made with; `--again` makes them anew. The exit code is 1 if a goal is
missed and `--strict` is given.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from row_cache import hash_of, obtain, stored_path
from search_rows import BIN, ROOT


@dataclass(frozen=True)
class MeshRow:
    """A program and a machine."""

    program: str
    machine: str
    devices: int
    experts: int = 0
    is_tuned: bool = False

    def __str__(self) -> str:
        return f"{self.program} {self.machine}"

    @property
    def half(self) -> str:
        return "tuning" if self.is_tuned else "reported"


# The search of meshes was tuned on the first rows, and Mixtral was in view. The others were written down before anyone
# had measured them.
ROWS = (
    MeshRow("zoo/llama_scan_remat.8b", "h100-sxm:8x8", 64, is_tuned=True),
    MeshRow("zoo/gpt_scan_remat.t32", "h100-sxm:4x8", 32, is_tuned=True),
    MeshRow("zoo/gns_scan.full", "tpu-v5e:4x4", 16, is_tuned=True),
    MeshRow("zoo/llama_scan_remat.70b", "h100-sxm:8x8", 64, is_tuned=True),
    MeshRow("zoo/decode_scan.it32", "tpu-v5e:4x4", 16, is_tuned=True),
    MeshRow("zoo/moe_einsum_remat.8x7b", "h100-sxm:8x8", 64, experts=8, is_tuned=True),
    MeshRow("zoo/decode_scan.it32", "h100-sxm:2x8", 16),
    MeshRow("zoo/gpt_scan_remat.t48", "a100-sxm-80:4x8", 32),
    MeshRow("zoo/llama_scan_remat.8b", "tpu-v5p:4x4x4", 64),
    MeshRow("zoo/llama_scan_remat.8b", "tpu-v5e:2*8x8", 128),
    MeshRow("full/nnx_llama_1b_scan_remat", "a100-sxm-40:4x8", 32),
    MeshRow("zoo/unet.full", "h100-sxm:2x8", 16),
)


def plan(row: MeshRow, *options: str) -> dict[str, Any]:
    """The predicted time of the plan, its mesh, whether it fits, its bound, and the processor time of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        path = ROOT / "build" / f"{row.program}.mlir"
        fixed = ("--machine", row.machine, "--threads", "1", "--no-check", "-o", folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([BIN / "partita", "plan", path, *options, *fixed], capture_output=True, text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode not in (0, 11):
            raise RuntimeError(f"{row} {' '.join(options)}: {done.stderr.strip()}")
        made = json.loads((Path(folder) / "plan.json").read_text())
        bound = json.loads((Path(folder) / "report.json").read_text())["lower_bound_ps"]
    cost = made["cost"]
    figures = {"time_ps": cost["time_ps"], "peak_bytes": cost["peak_bytes"], "fits": cost["fits"]}
    return {"mesh": made["mesh"], "placement": made["placement"], "seconds": seconds, "bound_ps": bound} | figures


def split_machine(machine: str, devices: int) -> tuple[int, int]:
    """How many nodes or slices there are, and devices in each; of a torus, how long its first dim is."""
    count = int(re.split("[x*]", machine.partition(":")[2])[0])
    return count, devices // count


def list_meshes(row: MeshRow) -> list[str]:
    """What people write: data alone, data with model inside of it, and three axes."""
    devices = row.devices
    nodes, inside = split_machine(row.machine, devices)
    sizes = [size for size in range(2, devices) if devices % size == 0]
    meshes = [f"data={devices}", *(f"data={devices // size},model={size}" for size in sizes)]
    models = [size for size in (2, 4) if inside % (2 * size) == 0]
    meshes += [f"data={nodes},fsdp={inside // size},model={size}" for size in models]
    if nodes % 4 == 0:
        meshes.append(f"data=2,fsdp={nodes // 2},model={inside}")
    if row.experts:
        models = [size for size in (2, 4) if devices % (2 * row.experts * size) == 0]
        meshes += [f"data={devices // row.experts // size},expert={row.experts},model={size}" for size in models]
    return meshes


def key(found: dict[str, Any]) -> tuple[bool, int]:
    """Less is better."""
    return (not found["fits"], found["time_ps"] if found["fits"] else found["peak_bytes"])


def obtain_plan(row: MeshRow, again: bool, *options: str) -> dict[str, Any]:
    parts = [str(row), *options, hash_of(BIN / "partita"), hash_of(ROOT / "build" / f"{row.program}.mlir")]
    made: dict[str, Any] = obtain(stored_path("meshes", parts), lambda: plan(row, *options), again)
    return made


def obtain_row(row: MeshRow, again: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What is found, and the meshes by hand."""
    found = obtain_plan(row, again, "--devices", str(row.devices))
    return found, [obtain_plan(row, again, "--mesh", mesh) for mesh in list_meshes(row)]


def describe(outcome: dict[str, Any]) -> str:
    short = "" if outcome["fits"] else " (does not fit)"
    return f"{outcome['mesh']}: {outcome['time_ps'] / 1e9:.2f} ms{short}"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows that this expression matches")
    parser.add_argument("--half", choices=("tuning", "reported"), help="rows of this half alone")
    parser.add_argument("--again", action="store_true", help="measure rows that are known already")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a goal is missed")
    options = parser.parse_args()
    slower = slow = 0
    print(f"{'searched meshes':48} {'half':8} {'found':44} {'by hand':44} found/hand  time  bounded")
    for row in ROWS:
        if not re.search(options.only, str(row)) or options.half not in (None, row.half):
            continue
        found, others = obtain_row(row, options.again)
        by_hand = min(others, key=key)
        bounded = sum(found["fits"] and each["bound_ps"] > found["time_ps"] for each in others)
        ratio = found["time_ps"] / by_hand["time_ps"] if found["fits"] == by_hand["fits"] else float(not found["fits"])
        time = found["seconds"] / by_hand["seconds"]
        slower += key(found) > key(by_hand)
        slow += time > 4
        figures = f"{ratio:10.3f} {time:5.1f}  {bounded} of {len(others)}"
        print(f"{row!s:48} {row.half:8} {describe(found):44} {describe(by_hand):44} {figures}", flush=True)
    print(f"slower than by hand: {slower}; more than 4 times as long: {slow}")
    return 1 if options.strict and (slower or slow) else 0


if __name__ == "__main__":
    sys.exit(main())
