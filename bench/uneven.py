"""What padding and split windows are worth on models of real sizes: `python bench/uneven.py [--only REGEX]`

Programs whose sizes no axis divides, or whose space has to be split: GPT-2 (50257 tokens, 12 heads or 25) on 8 H100s,
trained and decoding, a UNet on fewer images than there are TPUs, and a heat equation, whose stencil computes all rows
but the first and the last. Of each, over several meshes:

found       the best plan of a search, what it says of itself, and what it pads
unpadded    the best plan of a search that may not pad: all dims that are split divide
ratio       found / unpadded

Both searches have the same budget and the memory that programs get there. The exit code is 1 if a found plan is worse
than one that may not pad: it takes longer, by however little, or does not fit where that one does. docs/search.md shows
the table.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import jax
import jax.numpy as jnp

import partita
from models import decode, gpt, unet
from models.program import Program

GPT2 = gpt.Config(vocab=50257, layers=12, width=768, heads=12, batch=64, sequence=1024, scan=True, fused=True)
GPT2_XL = replace(GPT2, layers=48, width=1600, heads=25)
DECODE = decode.Config(50257, 12, 768, heads=12, kv_heads=12, batch=1, steps=1024, dtype=jnp.bfloat16, scan=True)
DECODE_XL = replace(DECODE, layers=48, width=1600, heads=25, kv_heads=25)
UNET = unet.Config((256, 512, 1024), blocks=3, heads=16, groups=32, batch=4, image=56)


def spread_heat(u: jax.Array) -> jax.Array:
    """A step of the heat equation; borders keep their temperature."""
    inner = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return u.at[1:-1, 1:-1].set(inner + 0.1 * (around - 4 * inner))


HEAT = Program(spread_heat, lambda key: (jax.random.normal(key, (8192, 8192)),), donate_argnums=(0,))

PROGRAMS = {
    "GPT-2 124M": gpt.build(GPT2),
    "GPT-2 124M, batch of 4": gpt.build(replace(GPT2, batch=4)),
    "GPT-2 124M, batch of 1": gpt.build(replace(GPT2, batch=1)),
    "GPT-2 XL, batch of 1": gpt.build(replace(GPT2_XL, batch=1)),
    "GPT-2 124M, decoding one sequence": decode.build(DECODE),
    "GPT-2 XL, decoding one sequence": decode.build(DECODE_XL),
    "UNet, 4 images of 56": unet.build(UNET),
    "UNet, 1 image of 224": unet.build(replace(UNET, batch=1, image=224)),
    "heat, 8192 x 8192": HEAT,
}


@dataclass(frozen=True)
class Row:
    """A program on a mesh of a machine."""

    program: str
    mesh: str
    machine: str

    def __str__(self) -> str:
        return f"{self.program} | {self.machine} | {self.mesh}"


ROWS = [
    *(
        Row(program, mesh, "h100-sxm:1x8")
        for program in ("GPT-2 124M", "GPT-2 124M, batch of 4")
        for mesh in ("model=8", "data=2,model=4")
    ),
    *(
        Row(f"GPT-2 {size}, {work}", "model=8", "h100-sxm:1x8")
        for size in ("124M", "XL")
        for work in ("batch of 1", "decoding one sequence")
    ),
    *(
        Row(program, mesh, "tpu-v5e:4x4")
        for program in ("UNet, 4 images of 56", "UNet, 1 image of 224")
        for mesh in ("space=16", "data=4,space=4")
    ),
    *(Row("heat, 8192 x 8192", mesh, "h100-sxm:1x8") for mesh in ("space=8", "y=4,x=2")),
]


def search(program: Program, row: Row, forbid: tuple[str, ...]) -> partita.Plan:
    return partita.plan(
        program.fn, *program.shapes(), mesh=row.mesh, machine=row.machine, donate_argnums=program.donate_argnums,
        forbid=forbid, progress=False,
    )  # fmt: skip


def get_time_ps(plan: partita.Plan) -> int:
    time_ps = plan.report.time_ps
    assert time_ps is not None, "plans of a machine have a time"
    return time_ps


def describe_time(plan: partita.Plan) -> str:
    return f"{get_time_ps(plan) / 1e9:.2f} ms" + ("" if plan.report.figures["fits"] else ", does not fit")


def rank(plan: partita.Plan) -> tuple[bool, int]:
    """The smaller, the better."""
    return not plan.report.figures["fits"], get_time_ps(plan)


def measure(row: Row) -> tuple[list[str], bool]:
    """The cells of a row, and whether the found plan is worse than the unpadded one."""
    program = PROGRAMS[row.program]
    found, unpadded = search(program, row, ()), search(program, row, ("pad",))
    ratio = get_time_ps(found) / get_time_ps(unpadded)
    padded = ", ".join(re.findall(r"\d+ -> \d+", found.report.padding)) or "nothing"
    cells = [describe_time(found), found.report.strategy, padded, describe_time(unpadded), f"{ratio:.3f}"]
    return cells, rank(found) > rank(unpadded)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose text contains this regex")
    options = parser.parse_args()
    rows = [row for row in ROWS if re.search(options.only, str(row))]
    if not rows:
        parser.error(f"no row contains {options.only!r}")
    print("| program | machine | mesh | found | strategy | padded | unpadded | ratio |")
    print("| --- | --- | --- | --: | --- | --- | --: | --: |")
    worse = []
    for row in rows:
        cells, is_worse = measure(row)
        print(f"| {row} | " + " | ".join(cells) + " |", flush=True)
        worse += [row] if is_worse else []
    for row in worse:
        print(f"worse than without padding: {row}")
    return 1 if worse else 0


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    sys.exit(main())
