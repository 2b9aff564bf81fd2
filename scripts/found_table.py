"""The table of what the search finds, as README.md has it, from docs/search-results.md:

python scripts/found_table.py [--write]         prints it, or puts it into README.md

A strategy is said in words: which kinds of things its tactics split, over which axes.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "search-results.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- scripts/found_table.py -->\n", "<!-- end -->\n"

SHOWN = {
    "llama_scan_remat.8b data=8,model=8 h100-sxm:8x8": "Llama 8B",
    "llama_scan_remat.70b data=4,model=4,sequence=4 h100-sxm:8x8": "Llama 70B",
    "llama_scan_remat.70b data=4,model=4 tpu-v5e:4x4": "Llama 70B",
    "moe_einsum_remat.8x7b data=8,model=8 h100-sxm:8x8": "Mixtral 8x7B",
    "mx-128b-v5p-256 data=16,model=8 tpu-v5p:4x4x8": "MaxText's 128B",
    "gns_scan.full data=4,model=4 tpu-v5e:4x4": "a graph network",
    "unet_remat.full data=16,model=4 tpu-v5p:4x4x4": "a UNet",
    "resnet.resnet50 data=8,model=8 h100-sxm:8x8": "ResNet-50",
    "decode_scan.it32 data=4,model=4 tpu-v5e:4x4": "decoding, 5B",
}
"""Rows of docs/search-results.md, and what readers may call their models."""

KINDS = [
    (r"all parameters", "all parameters"),
    (r"gradients that loops keep", "gradients"),
    (r"batch\['(?:edges|nodes)'\]", "edges and nodes"),
    (r"batch\[", "batch"),
    (r"jit.*attention\)*/b\w+,b\w+->b\w+/dot_general#0.* along dim 0", "batch"),
    (r"choosing .*attention/reshape", "sequence"),
    (r"cut at .*experts", "experts"),
    (r"cut at .*cache\[", "cache"),
    (r"(?:state\.)?(?:state\[')?params", "some weights"),
    (r"jit", "some activations"),
]  # fmt: skip
"""What a tactic splits, by how its words begin."""


@dataclass(frozen=True)
class Found:
    """A row of the results; `words` are its tactics' where it is clearly better than the expert."""

    row: str
    expert: str
    expert_ms: float
    ratio: str
    gap: str
    memory: str
    words: tuple[str, ...]

    @property
    def is_short(self) -> bool:
        return self.memory.startswith("short")


def read_results(text: str) -> dict[str, Found]:
    words = {
        row: tuple(re.findall(r"^- (.*)$", body, re.MULTILINE))
        for row, body in re.findall(r"^\*\*(.*?)\*\*: .*, by\n((?:- .*\n)+)", text, re.MULTILINE)
    }
    found = {}
    for line in re.findall(r"^\| (.*=.*) \|$", text, re.MULTILINE):
        name, expert, ms, ratio, _, _, _, gap, memory, _, _ = line.split(" | ")
        row = name.split(" (")[0]
        found[row] = Found(row, expert, float(ms), ratio, gap, memory, words.get(row, ()))
    return found


def kind_of(words: str) -> str:
    return next(kind for pattern, kind in KINDS if re.match(pattern, words))


def name_axes(axes: list[str], count: int) -> str:
    """Axes of a mesh that has `count`."""
    whole = [axis for axis in axes if not axis.startswith("part")]
    return "all axes" if len(whole) == count > 1 else " and ".join(sorted(axes))


def describe_strategy(found: Found) -> str:
    """`batch over data, parameters over data and model`; what stays whole is left out."""
    if not found.words:
        return "nothing better than the expert's" if found.ratio == "1.000" else "near the expert's"
    axes: dict[str, list[str]] = {}
    for words in found.words:
        if words.startswith("whole"):
            continue
        axis, _, part = words.rsplit(" over ", 1)[1].partition(":")
        axis = f"part of {axis}" if part else axis
        listed = axes.setdefault(kind_of(words), [])
        if axis not in listed:
            listed.append(axis)
    count = len(found.row.split(" ")[1].split(","))
    return ", ".join(f"{kind} over {name_axes(listed, count)}" for kind, listed in axes.items())


def describe_time(found: Found) -> str:
    if found.ratio == "fits":
        return f"fits, which {found.expert} does not"
    if found.is_short:
        return f"{found.ratio} of the memory of {found.expert}"
    milliseconds = found.expert_ms * float(found.ratio)
    return f"{milliseconds:,.0f} ms, {found.ratio} of {found.expert}"


def write_table() -> str:
    results = read_results(RESULTS.read_text())
    heads = ["model", "machine", "mesh", "what is split", "time beside the best expert's", "memory of a device", "gap"]
    lines = [f"| {' | '.join(heads)} |\n", "| --- | --- | --- | --- | --- | --- | ---: |\n"]
    for row, model in SHOWN.items():
        found = results[row]
        _, mesh, machine = row.split(" ")
        memory = found.memory.split(":")[0]
        cells = [model, machine, mesh, describe_strategy(found), describe_time(found), memory, found.gap]
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into README.md")
    table = write_table()
    if not parser.parse_args().write:
        print(table, end="")
        return 0
    head, rest = README.read_text().split(BEGIN)
    README.write_text(head + BEGIN + table + END + rest.split(END)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
