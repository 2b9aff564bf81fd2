"""What XLA's schedule runs beside each collective: reads scheduled HLO text (`compiled.as_text()`).

    python scripts/hlo_schedule.py FILE...      a table of the collectives of each file

An asynchronous collective is two instructions, `-start` and `-done`; what stands between them in a scheduled program
runs beside it. Times are rough, from sizes alone: products at a rate, everything else at the rate of memory. They
serve to tell a collective that has compute beside it from one that has a reshape.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hlo_traffic import COMPUTATION, SHAPE, TRIPS, WHILE, bytes_of, count_sent, group_size, read_trips

INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)$")
"""Name, type, opcode, and operands with attributes. A tuple's type ends at the parenthesis before its opcode."""
NAME = re.compile(r"%([\w.\-]+)")
STARTED = re.compile(r"(all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute|ragged-all-to-all)")
CALLED = re.compile(r"calls=%?([\w.\-]+)")
DOT = re.compile(r"lhs_contracting_dims=\{([\d,]*)\}")
LIBRARY = re.compile(r"custom_call_target=\"[^\"]*(?:gemm|cublas|conv)")
WINDOW = re.compile(r"window=\{size=([\dx]+)")
FREE = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id",
        "iota", "opt-barrier", "add-dependency"}  # fmt: skip

FLOPS, BYTES = 7e14, 4e12
"""A second of an H200: products of 16-bit numbers, and memory."""
LINK = 3.5e11
"""Bytes a second that one device sends over NVLink in a ring."""


def count_elements(shapes: str) -> int:
    """Of the first array of a type: a library's call gives its workspace behind its result."""
    found = SHAPE.search(shapes)
    return math.prod(int(size) for size in found[2].split(",") if size) if found else 0


@dataclass
class Instruction:
    name: str
    type: str
    opcode: str
    rest: str

    def operands(self) -> list[str]:
        """Names in the operand list, without those in attributes."""
        depth = 1
        for position, letter in enumerate(self.rest):
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0:
                return NAME.findall(self.rest[:position])
        return NAME.findall(self.rest)


@dataclass
class Collective:
    """A collective in the schedule, and the seconds of compute that stand between its start and its end."""

    kind: str
    computation: str
    times: int
    sent: float
    payload: int
    beside: float = 0.0
    kernels: int = 0
    is_sync: bool = False
    is_pipelined: bool = False

    @property
    def seconds(self) -> float:
        return self.sent / LINK

    @property
    def is_hidden(self) -> bool:
        """Whether compute of at least half of its time runs beside it."""
        return not self.is_sync and self.beside >= 0.5 * self.seconds


@dataclass
class Schedule:
    collectives: list[Collective] = field(default_factory=list)

    def share_hidden(self) -> float:
        """Of the bytes that are sent."""
        total = sum(each.sent * each.times for each in self.collectives)
        hidden = sum(each.sent * each.times for each in self.collectives if each.is_hidden)
        return hidden / total if total else 1.0

    def count_hidden(self) -> tuple[int, int]:
        return sum(each.is_hidden for each in self.collectives), len(self.collectives)


class Module:
    """The computations of a scheduled program, by name."""

    def __init__(self, text: str) -> None:
        self.computations: dict[str, list[Instruction]] = {}
        self.lines: dict[str, list[str]] = {}
        self.entry, current = "", ""
        for line in text.splitlines():
            begin = COMPUTATION.match(line)
            if begin and not line.startswith("HloModule"):
                current = begin[1]
                self.computations[current], self.lines[current] = [], []
                self.entry = current if line.startswith("ENTRY") else self.entry
            elif current:
                self.lines[current].append(line)
                if found := INSTRUCTION.match(line):
                    self.computations[current].append(Instruction(*found.groups()))

    def flops(self, name: str) -> float:
        """Of the products in a computation that a fusion calls."""
        inside = self.computations.get(name, [])
        types = {each.name: each.type for each in inside}
        total = 0.0
        for each in inside:
            if each.opcode == "dot" and (dims := DOT.search(each.rest)):
                left = types.get(each.operands()[0], "")
                sizes = [int(size) for _, shape in SHAPE.findall(left)[:1] for size in shape.split(",") if size]
                deep = math.prod(sizes[int(dim)] for dim in dims[1].split(",") if dim and int(dim) < len(sizes))
                result = [int(size) for size in SHAPE.findall(each.type)[0][1].split(",") if size]
                total += 2.0 * deep * math.prod(result)
            elif called := CALLED.search(each.rest):
                total += self.flops(called[1])
        return total

    def seconds(self, each: Instruction, types: dict[str, str]) -> float:
        """A rough time of one instruction that is no collective."""
        if each.opcode in FREE or each.opcode.endswith(("-start", "-done")):
            return 0.0
        read = sum(bytes_of(types.get(name, "")) for name in each.operands())
        written = bytes_of(each.type)
        moved = min(read + written, 4 * written) if each.opcode == "fusion" else read + written
        called = CALLED.search(each.rest)
        flops = self.flops(called[1]) if called else 0.0
        if each.opcode == "custom-call" and LIBRARY.search(each.rest):
            sizes = [count_elements(types.get(name, "")) for name in each.operands()[:2]]
            # Of A with m·k, B with k·n and C with m·n elements, m·n·k is the root of the product of the three. A
            # convolution takes as many products of one element of its window, whose size is in one of the three.
            found = WINDOW.search(each.rest)
            window = math.prod(map(int, found[1].split("x"))) if found else 1
            flops = 2.0 * math.sqrt(math.prod((*sizes, count_elements(each.type), window)))
        return max(moved / BYTES, flops / FLOPS)


def walk(module: Module, name: str, times: int) -> Iterator[tuple[str, int]]:
    """Computations that run as code of their own, with how often they do."""
    yield name, times
    for each in module.computations.get(name, []):
        if each.opcode == "while" and (loop := WHILE.search(f" while({each.rest}")):
            known = TRIPS.search(each.rest)
            trips = int(known[1]) if known else read_trips(module.lines.get(loop[1], []))
            yield from walk(module, loop[2], times * trips)
        elif each.opcode == "conditional":
            for branch in re.findall(r"(?:true_computation|false_computation)=%?([\w.\-]+)", each.rest):
                yield from walk(module, branch, times)
        elif each.opcode == "call" and (called := re.search(r"to_apply=%?([\w.\-]+)", each.rest)):
            yield from walk(module, called[1], times)


def begin_collective(each: Instruction, module: Module, name: str, times: int) -> Collective | None:
    """The collective that this instruction is or starts; None for other instructions, and for groups of one."""
    text = f"{each.opcode}({each.rest}"
    if each.opcode == "async-start" and (called := CALLED.search(each.rest)):
        inner = [inside for inside in module.computations.get(called[1], []) if STARTED.match(inside.opcode)]
        if not inner:
            return None
        text = f"{inner[0].opcode}({inner[0].rest}"
    elif not STARTED.match(each.opcode) or each.opcode.endswith("-done"):
        return None
    kind = STARTED.match(text)[0].replace("-", "_").removeprefix("ragged_")  # type: ignore[index]
    size = group_size(text)
    if size == 1:
        return None
    sizes = [bytes_of(each.type)]
    if each.opcode.endswith("-start") and each.type.startswith("("):
        # Operands and results are in one tuple; the results are the last or, of a reduction, of the operands' size.
        half = bytes_of(each.type)
        sizes = [half * size // (size + 1)] if kind in ("all_gather", "reduce_scatter") else [half // 2]
    elif kind == "reduce_scatter":
        sizes = [sizes[0] * size]
    payload = sizes[0]
    made = Collective(kind, name, times, count_sent(kind, payload, size), payload)
    made.is_sync = '"is_sync":true' in each.rest or not each.opcode.endswith("-start")
    made.is_pipelined = '"is_pipelined":true' in each.rest
    return made


def read_schedule(text: str) -> Schedule:
    module = Module(text)
    schedule = Schedule()
    for name, times in walk(module, module.entry, 1):
        types: dict[str, str] = {}
        running: dict[str, Collective] = {}
        for each in module.computations.get(name, []):
            types[each.name] = each.type
            if made := begin_collective(each, module, name, times):
                running[each.name] = made
                schedule.collectives.append(made)
                if made.is_sync and not each.opcode.endswith("-start"):
                    del running[each.name]
                continue
            if each.opcode.endswith("-done") or each.opcode == "async-done":
                running.pop(each.operands()[0], None)
                continue
            if not running:
                continue
            seconds = module.seconds(each, types)
            for other in running.values():
                other.beside += seconds
                other.kernels += seconds > 0
    return schedule


def main() -> int:
    for path in sys.argv[1:]:
        schedule = read_schedule(Path(path).read_text())
        hidden, total = schedule.count_hidden()
        kinds = Counter(each.kind for each in schedule.collectives)
        print(f"{path}: {hidden} of {total} hidden, {100 * schedule.share_hidden():.0f}% of the bytes; {dict(kinds)}")
        for each in schedule.collectives:
            print(
                f"  {each.kind:16s} x{each.times:<4d} {each.payload / 1e6:10.2f} MB {each.seconds * 1e3:8.3f} ms "
                f"beside {each.beside * 1e3:8.3f} ms in {each.kernels:3d} kernels"
                f"{' sync' if each.is_sync else ''}{' pipelined' if each.is_pipelined else ''} {each.computation}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
