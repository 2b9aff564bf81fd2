"""What XLA holds in memory at the fullest point of a program, from the texts that it writes when it is asked to.

`-buffer-assignment.txt` lists the allocations and the values in each; `-live-range.txt` which values are alive at the
peak. Of values that share a place, one counts. Arguments are held by the caller throughout, and whatever lies in an
argument's buffer takes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ALLOCATION = re.compile(r"allocation \d+: size (\d+), (?:page \d+, )?(.*)")
_VALUE = re.compile(r" value: <\d+ ([^ >]+).*> \(size=(\d+),offset=(\d+)\): (.*)")
_ALIVE = re.compile(r"    (\S+): \d+ bytes\b")


@dataclass(frozen=True)
class Buffer:
    """Bytes of a device's memory, and the array in them as XLA writes it: `f32[64,64]`."""

    size: int
    shape: str


@dataclass(frozen=True)
class _Allocation:
    size: int
    kind: str
    #: By name: size, offset, shape.
    values: dict[str, tuple[int, int, str]]

    @property
    def is_argument(self) -> bool:
        return self.kind.startswith("parameter")

    @property
    def is_constant(self) -> bool:
        return self.kind.startswith("constant")


def read_peak(folder: Path, argument_bytes: int) -> list[Buffer] | None:
    """What is alive at the peak of the program that was compiled with dumps into `folder`, arguments included.

    XLA may compile several programs for one; it is the one with these arguments. None if there is no such, or more.
    """
    found = []
    for path in folder.glob("*after_optimizations-buffer-assignment.txt"):
        allocations = list(_read_allocations(path.read_text()))
        ranges = Path(str(path).replace("-buffer-assignment.txt", "-live-range.txt"))
        if sum(a.size for a in allocations if a.is_argument) == argument_bytes and ranges.exists():
            found.append(list(_list_buffers(allocations, _read_alive(ranges.read_text()))))
    return found[0] if len(found) == 1 else None


def _read_allocations(text: str) -> Iterator[_Allocation]:
    current: _Allocation | None = None
    for line in text.splitlines():
        if head := _ALLOCATION.match(line):
            if current is not None:
                yield current
            current = _Allocation(int(head[1]), head[2], {})
        elif current is not None and (value := _VALUE.match(line)):
            current.values[value[1].removesuffix("{}")] = (int(value[2]), int(value[3]), _strip_layout(value[4]))
    if current is not None:
        yield current


def _read_alive(text: str) -> set[str]:
    """The names of the values that are alive at the peak."""
    behind = text.partition("(peak):")[2].partition("Stack trace")[0]
    return {found[1].removesuffix("{}") for line in behind.splitlines() if (found := _ALIVE.match(line))}


def _list_buffers(allocations: list[_Allocation], alive: set[str]) -> Iterator[Buffer]:
    for allocation in allocations:
        if allocation.is_argument:
            shape = re.search(r"shape \|(.*?)\|", allocation.kind)
            yield Buffer(allocation.size, _strip_layout(shape[1]) if shape else "")
        elif not allocation.is_constant:
            places: dict[int, Buffer] = {}
            for name, (size, offset, shape_text) in allocation.values.items():
                if name in alive and (offset not in places or places[offset].size < size):
                    places[offset] = Buffer(size, shape_text)
            yield from places.values()


def _strip_layout(shape: str) -> str:
    """
    >>> _strip_layout("bf16[8,16]{1,0:T(8)}")
    'bf16[8,16]'
    """
    return re.sub(r"\{[^}]*\}", "", shape)
