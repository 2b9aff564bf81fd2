"""Searched meshes against those that people write: `make bench-search` prints them behind its table, or

python bench/meshes.py [--only REGEX] [--again]

Each row is a program on a machine. `--devices N` chooses the mesh and where it lies; all meshes of one and two
axes, data outside and model inside, are planned as well, each placed where it is fastest. Columns:

found      the mesh that was found, and the predicted time of its plan
by hand    the fastest of the others, and its time
found/hand at most 1.00 is the goal, on all rows
time       processor time of the search over that of the fastest mesh by hand alone; at most 4 is the goal

Rows are kept in build/bench/meshes with the hash of what they were measured with; `--again` measures anew. The exit
code is 1 if a goal is missed and `--strict` is given.
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

    def __str__(self) -> str:
        return f"{self.program} {self.machine}"


# The search of meshes was tuned on the first three; which of equal shapes comes first, and how many are cut, was
# decided with decode_scan and llama 70B, too.
ROWS = (
    MeshRow("zoo/llama_scan_remat.8b", "h100-sxm:8x8", 64),
    MeshRow("zoo/gpt_scan_remat.t32", "h100-sxm:4x8", 32),
    MeshRow("zoo/gns_scan.full", "tpu-v5e:4x4", 16),
    MeshRow("zoo/moe_einsum_remat.8x7b", "h100-sxm:8x8", 64),
    MeshRow("zoo/llama_scan_remat.70b", "h100-sxm:8x8", 64),
    MeshRow("zoo/decode_scan.it32", "tpu-v5e:4x4", 16),
    MeshRow("zoo/llama_scan_remat.8b", "tpu-v5e:2*8x8", 128),
    MeshRow("full/nnx_llama_1b_scan_remat", "a100-sxm-40:4x8", 32),
)


def plan(row: MeshRow, *options: str) -> dict[str, Any]:
    """The predicted time of the plan, its mesh, whether it fits, and the processor time of the tool."""
    with tempfile.TemporaryDirectory() as folder:
        path = ROOT / "build" / f"{row.program}.mlir"
        fixed = ("--machine", row.machine, "--threads", "1", "--no-check", "-o", folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([BIN / "partita", "plan", path, *options, *fixed], capture_output=True, text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode not in (0, 11):
            raise RuntimeError(f"{row} {' '.join(options)}: {done.stderr.strip()}")
        made = json.loads((Path(folder) / "plan.json").read_text())
    cost = made["cost"]
    figures = {"time_ps": cost["time_ps"], "peak_bytes": cost["peak_bytes"], "fits": cost["fits"]}
    return {"mesh": made["mesh"], "placement": made["placement"], "seconds": seconds} | figures


def list_meshes(devices: int) -> list[str]:
    """What people write: data alone, and data with model inside of it."""
    sizes = [size for size in range(2, devices) if devices % size == 0]
    return [f"data={devices}", *(f"data={devices // size},model={size}" for size in sizes)]


def key(found: dict[str, Any]) -> tuple[bool, int]:
    """Less is better."""
    return (not found["fits"], found["time_ps"] if found["fits"] else found["peak_bytes"])


def measure(row: MeshRow) -> dict[str, Any]:
    by_hand = min((plan(row, "--mesh", mesh) for mesh in list_meshes(row.devices)), key=key)
    return {"row": str(row), "found": plan(row, "--devices", str(row.devices)), "by_hand": by_hand}


def obtain_row(row: MeshRow, again: bool) -> dict[str, Any]:
    parts = [str(row), str(row.devices), hash_of(BIN / "partita"), hash_of(ROOT / "build" / f"{row.program}.mlir")]
    found: dict[str, Any] = obtain(stored_path("meshes", parts), lambda: measure(row), again)
    return found


def describe(outcome: dict[str, Any]) -> str:
    short = "" if outcome["fits"] else " (does not fit)"
    return f"{outcome['mesh']}: {outcome['time_ps'] / 1e9:.2f} ms{short}"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows that this expression matches")
    parser.add_argument("--again", action="store_true", help="measure rows that are known already")
    parser.add_argument("--strict", action="store_true", help="exit code 1 if a goal is missed")
    options = parser.parse_args()
    slower = slow = 0
    print(f"{'searched meshes':48} {'found':44} {'by hand':44} found/hand  time")
    for row in ROWS:
        if not re.search(options.only, str(row)):
            continue
        result = obtain_row(row, options.again)
        found, by_hand = result["found"], result["by_hand"]
        ratio = found["time_ps"] / by_hand["time_ps"] if found["fits"] == by_hand["fits"] else float(not found["fits"])
        time = found["seconds"] / by_hand["seconds"]
        slower += key(found) > key(by_hand)
        slow += time > 4
        print(f"{result['row']:48} {describe(found):44} {describe(by_hand):44} {ratio:10.3f} {time:5.1f}", flush=True)
    print(f"slower than by hand: {slower}; more than 4 times as long: {slow}")
    return 1 if options.strict and (slower or slow) else 0


if __name__ == "__main__":
    sys.exit(main())
