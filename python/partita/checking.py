"""Our figures beside XLA's, for a program that XLA compiled."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partita.report import Report, print_bytes

_KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


@dataclass(frozen=True, repr=False)
class Check:
    """What `Plan.check` found; prints as a table.

    XLA combines and moves collectives, and those in loops are counted once: its counts may be smaller. Its memory is
    what its compiler reports for one device.
    """

    #: By kind: ours, and those that stand in the compiled program.
    collectives: Mapping[str, tuple[int, int]]
    #: Bytes that were predicted, None without a machine.
    predicted_peak: int | None
    #: Bytes by `argument`, `output`, `alias`, `temp`, as XLA has them.
    xla_memory: Mapping[str, int]

    @property
    def xla_peak(self) -> int:
        """Arguments, results that are not among them, and temporaries."""
        known = {name: self.xla_memory.get(name, 0) for name in ("argument", "output", "alias", "temp")}
        return known["argument"] + known["output"] - known["alias"] + known["temp"]

    def __str__(self) -> str:
        rows = [("", "ours", "XLA's")]
        rows += [(kind, str(ours), str(theirs)) for kind, (ours, theirs) in self.collectives.items()]
        predicted = "-" if self.predicted_peak is None else print_bytes(self.predicted_peak)
        rows.append(("memory of a device", predicted, print_bytes(self.xla_peak)))
        rows += [(f"  {name}", "", print_bytes(size)) for name, size in self.xla_memory.items()]
        lines = [f"{name:24} {ours:>12} {theirs:>12}".rstrip() for name, ours, theirs in rows]
        if any(theirs < ours for ours, theirs in self.collectives.values()):
            lines.append("XLA combines collectives, and those in loops are counted once: its counts may be smaller")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def count_collectives(hlo: str) -> Counter[str]:
    """The collectives of an HLO text by kind; a pair of start and done is one."""
    kinds = "|".join(_KINDS)
    found = re.findall(rf"= [^=\n]*? ({kinds})(?:-start)?\(", hlo)
    return Counter(kind.replace("-", "_") for kind in found)


def check(lowered: Any, report: Report) -> Check:
    """Compiles, and reads what XLA says."""
    compiled = lowered.compile()
    theirs = count_collectives(compiled.as_text())
    ours: Counter[str] = Counter()
    for entry in report.collectives:
        ours[entry["kind"]] += entry["count"]
    memory = compiled.memory_analysis()
    sizes = {
        name: int(getattr(memory, f"{name}_size_in_bytes"))
        for name in ("argument", "output", "alias", "temp")
        if hasattr(memory, f"{name}_size_in_bytes")
    }
    pairs = {kind: (ours[kind], theirs[kind]) for kind in sorted({*ours, *theirs})}
    return Check(pairs, report.peak_bytes, sizes)
