"""What the search finds for eight known models, beside what people write by hand:

python bench/found.py > docs/found.json          a minute or two; then: make pictures

By hand is the fastest plan that fits among all combinations of the strategies that experts would write for the model
(models/schedules), over the axes of the mesh in every way, or a published one (`search_rows.py`). Times are predictions
on the same machine, within the memory that programs get there. README.md shows these figures as a chart and a table.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import search
from search_rows import Row, all_rows

MODELS = {
    "llama_scan_remat.8b data=8,model=8 h100-sxm:8x8": "Llama 8B",
    "llama_scan_remat.70b data=8,model=8 h100-sxm:8x8": "Llama 70B",
    "moe_einsum_remat.8x7b data=8,model=8 h100-sxm:8x8": "Mixtral 8x7B",
    "mx-128b-v5p-256 data=16,model=8 tpu-v5p:4x4x8": "MaxText's 128B",
    "gns_scan.full data=4,model=4 tpu-v5e:4x4": "Graph network",
    "unet_remat.full data=16,model=4 tpu-v5p:4x4x4": "UNet",
    "resnet.resnet50 data=8,model=8 h100-sxm:8x8": "ResNet-50",
    "decode_scan.it32 data=4,model=4 tpu-v5e:4x4": "Decoding, 5B",
}
"""Rows of `search_rows.py`, and what readers may call their models."""

CHIPS = {"h100-sxm": "H100", "tpu-v5e": "TPU v5e", "tpu-v5p": "TPU v5p"}
PARALLEL = {
    "BP": "data", "EP": "expert", "MP": "tensor", "SEQ": "sequence", "ES": "edge", "MQ": "multi-query",
    "EMB": "embedding", "VOCAB": "vocabulary",
}  # fmt: skip
ZERO = {"Z2": "optimizer state in parts (ZeRO-2)", "Z3": "parameters in parts (FSDP)"}


def describe_expert(name: str) -> str:
    """What people call a strategy.

    >>> describe_expert("BP+MP+SEQ+Z3 over both")
    'data, tensor and sequence parallelism; parameters in parts (FSDP)'
    >>> describe_expert("BP+Z3 over both")
    'data parallelism over all devices; parameters in parts (FSDP)'
    """
    if name == "published":
        return "as published"
    words, _, where = name.partition(" ")
    kinds = [PARALLEL[word] for word in words.split("+") if word in PARALLEL]
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    over = " over all devices" if where == "over both" and len(kinds) == 1 else ""
    zero = [ZERO[word] for word in words.split("+") if word in ZERO]
    return "; ".join([f"{listed} parallelism{over}", *zero])


def name_machine(machine: str) -> str:
    """
    >>> name_machine("tpu-v5p:4x4x8")
    '128 TPU v5p'
    """
    chip, _, shape = machine.partition(":")
    return f"{math.prod(int(size) for size in shape.split('x'))} {CHIPS[chip]}"


def measure(row: Row, model: str) -> dict[str, Any]:
    limit = search.find_limit(row, 0)
    expert = search.best_expert(row, limit)
    found = search.search(row, limit, [], 0)
    details = found.details
    return {
        "model": model,
        "row": str(row),
        "machine": name_machine(row.machine),
        "mesh": row.mesh,
        "by_hand": describe_expert(expert.name),
        "by_hand_ps": expert.time_ps,
        "by_hand_bytes": expert.peak_bytes,
        "by_hand_fits": expert.fits,
        "found": details["strategy"],
        "found_ps": found.time_ps,
        "found_bytes": found.peak_bytes,
        "found_fits": found.fits,
        "limit_bytes": details["limit_bytes"],
        "lower_bound_ps": details["lower_bound_ps"],
    }


def main() -> int:
    rows = {str(row): row for row in all_rows()}
    missing = [name for name in MODELS if name not in rows]
    if missing:
        print(f"not here: {', '.join(missing)}", file=sys.stderr)
    results = [measure(rows[name], model) for name, model in MODELS.items() if name in rows]
    print(json.dumps(results, indent=1))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
