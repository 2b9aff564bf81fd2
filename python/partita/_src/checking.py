"""Our figures beside XLA's, for a program that XLA compiled.

Values at the peak of memory are compared by size: XLA fuses, renames and copies, so that names say little, and two
values of one size cannot be told apart. Sizes of which both have as many are not listed.
"""

from __future__ import annotations

import dataclasses
import html
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from partita._src.report import Report
from partita._src.units import print_bytes
from partita._src.xla_buffers import Buffer, read_peak

#: XLA's names of what memory is for, and words for it.
_PARTS = {
    "argument": "arguments",
    "output": "results",
    "alias": "results in arguments' buffers",
    "temp": "temporaries",
}
#: Ours, in the report. Its temporaries have the results among them that are alive at the peak, which XLA's have not, so
#: that both cannot be compared.
_REPORTED = {"argument": "arguments", "output": "results", "alias": "aliased"}
#: Of the peak, what a size must make a difference of to be listed, and how many are.
_LEAST_SHARE, _MOST_LISTED = 0.005, 12
#: With these XLA:GPU runs collectives of a loop beside the iteration before or behind (docs/gpu.md).
_PIPELINING_FLAGS = (
    "--xla_gpu_enable_pipelined_all_gather=true",
    "--xla_gpu_enable_pipelined_reduce_scatter=true",
    "--xla_gpu_enable_pipelined_all_reduce=true",
    "--xla_gpu_enable_while_loop_double_buffering=true",
)
_KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


@dataclass(frozen=True)
class Difference:
    """Values of one size at the peak of memory, of which we and XLA have more or fewer."""

    size: int
    #: The names of ours, and the shapes of XLA's.
    ours: Sequence[str]
    theirs: Sequence[str]

    @property
    def bytes(self) -> int:
        """What XLA has more than we; less, if negative."""
        return self.size * (len(self.theirs) - len(self.ours))

    def __str__(self) -> str:
        shapes = ", ".join(_count(self.theirs)) or "nothing"
        names = ", ".join([*self.ours[:2], *([f"{len(self.ours) - 2} more"] if len(self.ours) > 2 else [])])
        return f"XLA has {shapes}; we have {names or 'nothing'}"


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
    #: The same of ours, but for `temp`; empty without a machine.
    predicted_memory: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: Sizes of values at the peak that XLA has more or fewer of, most bytes first; None if XLA did not say what it
    #: holds, or no machine was given.
    differences: Sequence[Difference] | None = None
    #: Bytes that XLA holds at the peak and does not use: room for results that are not made yet, gaps between values.
    xla_idle: int | None = None
    #: Flags of XLA that let it hide more of this plan's collectives, and are not set.
    helpful_flags: Sequence[str] = ()

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
        for name, size in self.xla_memory.items():
            known = self.predicted_memory.get(name)
            rows.append((f"  {_PARTS[name]}", "" if known is None else print_bytes(known), print_bytes(size)))
        width = max(24, *(len(name) for name, *_ in rows))
        lines = [f"{name:{width}} {ours:>12} {theirs:>12}".rstrip() for name, ours, theirs in rows]
        if any(theirs < ours for ours, theirs in self.collectives.values()):
            lines.append("XLA combines collectives, and those in loops are counted once: its counts may be smaller")
        lines += self._print_differences()
        if self.helpful_flags:
            lines.append("XLA hides more of the collectives in loops, mostly for little memory, with")
            lines.append(f'  XLA_FLAGS="{" ".join(self.helpful_flags)}"')
        return "\n".join(lines)

    def _print_differences(self) -> list[str]:
        """What makes the memory differ, by size, largest first."""
        if self.differences is None:
            return []
        least = _LEAST_SHARE * self.xla_peak
        large = [each for each in self.differences if abs(each.bytes) >= least][:_MOST_LISTED]
        lines = ["what XLA has more at the peak, by size (values of one size cannot be told apart):"]
        if not large:
            lines = ["at the peak both hold as many values of each size that counts"]
        if self.xla_idle:
            idle = "held, not used: room for results that are not made yet, gaps between values"
            lines.append(f"  {_print_change(self.xla_idle):>10}  {idle}")
        lines += [f"  {_print_change(each.bytes):>10}  of {print_bytes(each.size)}: {each}" for each in large]
        rest = sum(each.bytes for each in self.differences if each not in large)
        return [*lines, *([f"  {_print_change(rest):>10}  in smaller values"] if rest else [])]

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def count_collectives(hlo: str) -> Counter[str]:
    """The collectives of an HLO text by kind; a pair of start and done is one.

    >>> count_collectives("%a = (f32[8], /*index=5*/f32[8]) all-reduce(%x, %y)\\n%b = f32[8] all-gather-start(%x)")
    Counter({'all_reduce': 1, 'all_gather': 1})
    """
    kinds = "|".join(_KINDS)
    found = re.findall(rf"= (?:[^=\n]|index=)*? ({kinds})(?:-start)?\(", hlo)
    return Counter(kind.replace("-", "_") for kind in found)


def check(lowered: Any, report: Report, platform: str) -> Check:
    """Compiles, and reads what XLA says."""
    with tempfile.TemporaryDirectory(prefix="partita-check-") as folder:
        compiled = lowered.compile(compiler_options=_ask_for_dumps(folder, platform))
        memory = compiled.memory_analysis()
        sizes = {
            name: int(getattr(memory, f"{name}_size_in_bytes"))
            for name in _PARTS
            if hasattr(memory, f"{name}_size_in_bytes")
        }
        buffers = read_peak(Path(folder), sizes.get("argument", 0))
    theirs = count_collectives(compiled.as_text())
    ours: Counter[str] = Counter()
    for entry in report.collectives:
        ours[entry["kind"]] += entry["count"]
    pairs = {kind: (ours[kind], theirs[kind]) for kind in sorted({*ours, *theirs})}
    known = report.figures.get("memory")
    predicted = {} if known is None else {name: int(known[key]) for name, key in _REPORTED.items()}
    flags = _list_helpful_flags(compiled.as_text(), platform)
    found = Check(pairs, report.peak_bytes, sizes, predicted, helpful_flags=flags)
    if buffers is None or known is None:
        return found
    idle = found.xla_peak - sum(buffer.size for buffer in buffers)
    return dataclasses.replace(found, differences=compare(known["at_peak"], buffers), xla_idle=idle)


def _list_helpful_flags(hlo: str, platform: str) -> Sequence[str]:
    """Of a program for GPUs with collectives in loops: what `XLA_FLAGS` does not have."""
    if platform not in ("cuda", "rocm") or not _has_collectives_in_loops(hlo):
        return ()
    given = os.environ.get("XLA_FLAGS", "")
    return [flag for flag in _PIPELINING_FLAGS if flag.partition("=")[0] not in given]


def _has_collectives_in_loops(hlo: str) -> bool:
    """Whether the body of a `while` has a collective.

    >>> body = "%body (p: f32[]) -> f32[] {\\n  %a = f32[8] all-gather-start(%p)\\n}\\n"
    >>> _has_collectives_in_loops(body + "ENTRY %main {\\n  %w = f32[] while(%x), condition=%c, body=%body\\n}")
    True
    >>> _has_collectives_in_loops(body)
    False
    """
    bodies = set(re.findall(r"\bbody=%?([\w.-]+)", hlo))
    for block in hlo.split("\n}"):
        head = re.search(r"^%?([\w.-]+) \(", block, re.MULTILINE)
        if head and head[1] in bodies and count_collectives(block):
            return True
    return False


def _ask_for_dumps(folder: str, platform: str) -> dict[str, Any] | None:
    """Options with which XLA writes what it holds in memory. Processes of one program must compile with the same
    options, and what others than its CPU and GPU compilers do with these is not known. (Mocked GPUs look like processes
    to `jax.process_count`.)"""
    if jax.distributed.is_initialized() or platform not in ("cpu", "cuda", "rocm"):
        return None
    return {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}


def compare(at_peak: Iterable[Mapping[str, Any]], buffers: Iterable[Buffer]) -> list[Difference]:
    """Sizes of which there are not as many values in a plan's `at_peak` as among XLA's buffers, most bytes first.

    >>> ours = [{"value": "w", "bytes": 8}, {"value": "x", "bytes": 4}]
    >>> compare(ours, [Buffer(8, "f32[2]"), Buffer(4, "f32[1]"), Buffer(4, "f32[1]")])
    [Difference(size=4, ours=['x'], theirs=['f32[1]', 'f32[1]'])]
    """
    names: dict[int, list[str]] = defaultdict(list)
    shapes: dict[int, list[str]] = defaultdict(list)
    for entry in at_peak:
        names[int(entry["bytes"])].append(str(entry["value"]))
    for buffer in buffers:
        shapes[buffer.size].append(buffer.shape)
    differences = [Difference(size, names[size], shapes[size]) for size in sorted({*names, *shapes})]
    return sorted((each for each in differences if each.bytes), key=lambda each: -abs(each.bytes))


def _count(shapes: Iterable[str]) -> list[str]:
    """`3 x f32[8]` for each shape."""
    return [f"{count} x {shape}" if count > 1 else shape for shape, count in Counter(shapes).items()]


def _print_change(count: int) -> str:
    return f"{'+' if count > 0 else '-'}{print_bytes(abs(count))}"
