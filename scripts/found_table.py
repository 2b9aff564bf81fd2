"""The table of what the search finds, as README.md has it, from docs/search-results.md:

python scripts/found_table.py [--write]         prints it, or puts it into README.md

Strategies are said in words: of a found one which kinds of things its tactics split, over which axes; of one that is
written by hand what people call it.
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
    "llama_scan_remat.70b data=8,model=8 h100-sxm:8x8": "Llama 70B",
    "moe_einsum_remat.8x7b data=8,model=8 h100-sxm:8x8": "Mixtral 8x7B",
    "mx-128b-v5p-256 data=16,model=8 tpu-v5p:4x4x8": "MaxText's 128B",
    "gns_scan.full data=4,model=4 tpu-v5e:4x4": "a graph network",
    "unet_remat.full data=16,model=4 tpu-v5p:4x4x4": "a UNet",
    "resnet.resnet50 data=8,model=8 h100-sxm:8x8": "ResNet-50",
    "decode_scan.it32 data=4,model=4 tpu-v5e:4x4": "decoding, 5B",
}
"""Rows of docs/search-results.md, and what readers may call their models."""

CHIPS = {"h100-sxm": "H100", "tpu-v5e": "TPU v5e", "tpu-v5p": "TPU v5p"}
PARALLEL = {"BP": "data", "MP": "tensor", "SEQ": "sequence", "ES": "edge", "MQ": "multi-query cache"}
ZERO = {"": "", "over both": " over both axes", "exchanged": ""}
"""What readers call chips, and what experts split."""

KINDS = [
    (r"all parameters", "parameters"),
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
        return "the same" if found.ratio == "1.000" else "nearly the same"
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


def describe_expert(expert: str) -> str:
    """`data, tensor and sequence parallelism, ZeRO-3 over both axes`."""
    if expert == "published":
        return "the published sharding"
    words, _, where = expert.partition(" ")
    kinds = [PARALLEL[word] for word in words.split("+") if word != "Z3"]
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    zero = f", ZeRO-3{ZERO[where]}" if words.endswith("+Z3") else ZERO[where]
    return f"{listed} parallelism{zero}"


def name_machine(row: str) -> str:
    """`64 H100`, and the mesh."""
    _, mesh, machine = row.split(" ")
    chip, _, shape = machine.partition(":")
    count = 1
    for size in shape.split("x"):
        count *= int(size)
    return f"{count} {CHIPS[chip]}, {mesh}"


def print_milliseconds(amount: float) -> str:
    return f"{amount / 1000:.2f} s" if amount >= 1000 else f"{amount:.0f} ms"


def write_table() -> str:
    results = read_results(RESULTS.read_text())
    heads = ["model", "on", "by hand", "time", "found by Partita", "time", "memory", "gap"]
    lines = [f"| {' | '.join(heads)} |\n", "| --- | --- | --- | ---: | --- | ---: | ---: | ---: |\n"]
    for row, model in SHOWN.items():
        found = results[row]
        time = print_milliseconds(found.expert_ms * float(found.ratio))
        cells = [model, name_machine(row), describe_expert(found.expert), print_milliseconds(found.expert_ms)]
        cells += [describe_strategy(found), time, found.memory, found.gap]
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
