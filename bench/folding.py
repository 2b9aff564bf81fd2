#!/usr/bin/env python3
"""Compares what folded programs cost with what the whole ones do (make check-folding).

    bench/folding.py [--lists N] [--mesh M] [--machine X] [PROGRAM.mlir[.gz] ...]

Without programs: the unrolled ones of the zoo at full size. For each, N lists of moves drawn at random are priced on
both; time, communication and peak must be the same to the picosecond and byte. The timeline that is unfolded from the
folded program's must be within 0.5% of the whole one's.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models import exported  # noqa: E402

#: The most that timelines may differ, in millionths.
NEAR_PPM = 5_000
BIN = ROOT / "build" / "bin"
UNROLLED = [
    "llama.8b",
    "llama_remat.8b",
    "llama_remat.70b",
    "llama_fused.8b",
    "gpt.t32",
    "gpt.t48",
    "gpt_remat.t32",
    "gpt_fused.t32",
    "moe_einsum.8x7b",
    "moe_einsum_remat.8x7b",
    "moe_ragged.8x7b",
    "moe_sort.8x7b",
    "gns.full",
    "decode.it32",
    "resnet.resnet50",
]


def flatten(program: Path, folder: Path) -> Path:
    """The flat graph of a program."""
    if program.suffix == ".gz":
        text = folder / program.name.removesuffix(".gz")
        text.write_bytes(gzip.decompress(program.read_bytes()))
        program = text
    target = folder / (program.name + ".json")
    subprocess.run([BIN / "partita", "plan", program, "--stop-after=flatten", "-o", target], check=True)
    return target


def main() -> int:
    """One line for each program; how many differ is the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lists", type=int, default=12)
    parser.add_argument("--mesh", default="data=4,model=2")
    parser.add_argument("--machine", default="h100-sxm:1x8")
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    programs = options.programs or map(exported.find, UNROLLED)
    different = 0
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            graph = flatten(program, Path(folder))
            command = [
                BIN / "bench-search",
                graph,
                options.mesh,
                options.machine,
                "--check-folding",
                str(options.lists),
            ]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        is_far = found["timeline_ppm"] > NEAR_PPM or found["without_timeline"] > 0
        different += found["different"] > 0 or is_far
        folded = f"{found['ops']} ops, searched {found['searched_ops']}"
        timelines = f"timelines within {found['timeline_ppm'] / 1e4:.2f}%"
        if found["without_timeline"]:
            timelines += f", {found['without_timeline']} not unfolded"
        print(
            f"{program.name:32} {folded:32} {found['lists']} lists, {found['different']} different; {timelines}",
            flush=True,
        )
        if found["different"]:
            print(f"  {found['first']}\n  folded {found['folded']}\n  whole  {found['whole']}", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(main())
