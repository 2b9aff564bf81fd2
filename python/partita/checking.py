"""Our figures beside XLA's, for a program that XLA compiled."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from partita.report import Report

_KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


def count_collectives(hlo: str) -> Counter[str]:
    """The collectives of an HLO text by kind; a pair of start and done is one."""
    kinds = "|".join(_KINDS)
    found = re.findall(rf"= [^=\n]*? ({kinds})(?:-start)?\(", hlo)
    return Counter(kind.replace("-", "_") for kind in found)


def check(lowered: Any, report: Report) -> dict[str, Any]:
    """`{"collectives": {kind: (ours, XLA's)}, "memory": {...}}`. XLA combines and moves collectives: its counts may be
    smaller, and those in loops are counted once."""
    compiled = lowered.compile()
    theirs = count_collectives(compiled.as_text())
    ours: Counter[str] = Counter()
    for entry in report.collectives:
        ours[entry["kind"]] += entry["count"]
    memory = compiled.memory_analysis()
    figures = {
        name: int(getattr(memory, f"{name}_size_in_bytes"))
        for name in ("argument", "output", "temp", "alias")
        if hasattr(memory, f"{name}_size_in_bytes")
    }
    return {
        "collectives": {kind: (ours[kind], theirs[kind]) for kind in sorted({*ours, *theirs})},
        "memory": {"predicted_peak": report.peak_bytes, **{f"xla_{name}": size for name, size in figures.items()}},
    }
