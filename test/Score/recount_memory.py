"""The peak of one device's program, counted from its text through jaxlib's reader by the rules of docs/cost.md.

    python test/Score/recount_memory.py program.mlir LATE

A second implementation of "Kernels" and "Memory" there: it shares no code with Partita, and must find as many bytes.
LATE is the machine's late window. Of a local program the body of its manual computation is counted, with its
collectives as ops that stand alone: what `partita score --local` says. What a plan says is counted by recount_plan.py.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from flat_program import Cell, End, Op, Program, Region, find_body, find_main, is_identity
from issue_window import find_early_constants, find_phases, find_ties
from kernels import find_fusion
from late_products import find_latest


def in_loop(region: Region | None, body: Region) -> bool:
    while region is not None:
        if region is body or region is body.condition:
            return True
        region = region.parent
    return False


def is_later(a: int, b: int, program: Program) -> bool:
    """Whether what is needed at op `a` is needed for longer than what is needed at `b`."""
    return (program.ops[a].latest, a) > (program.ops[b].latest, b)


def join_ends(cell: Cell, first: int, program: Program) -> End:
    end = End(first)
    for user, number in cell.uses:
        end.to_end |= user.ends[number].to_end
        if is_later(user.ends[number].at, end.at, program):
            end.at = user.ends[number].at
    return end


def identity_end(op: Op, program: Program) -> End:
    cell = op.results[0]
    if cell.kind == "op":
        return join_ends(cell, op.index, program)
    if cell.kind == "carried":
        if not cell.is_unchanged:
            return End(op.index, gives=not in_loop(op.region, cell.region) and not cell.is_relaid)
        return join_ends(cell, max(cell.region.last, op.index), program)
    if cell.kind == "branch":
        return End(op.index, gives=True)
    return End(op.index, to_end=True)


def find_ends(program: Program) -> None:
    for op in reversed(program.ops):
        assert op.kernel is not None
        end = identity_end(op, program) if is_identity(op) else End(op.kernel.index)
        op.ends = [End(end.at, end.to_end, end.gives) for _ in op.operands]
        if op.operands and len(op.results) == 1 and (op.role == "update" or op.name == "scatter"):
            op.ends[0].gives = True
    mark_donors(program)
    mark_yields(program)
    mark_copies(program)
    for op in reversed(program.ops):
        if len(op.results) == 1 and is_passed_through(op.results[0]):
            user, number = op.results[0].uses[0]
            op.ends[0] = user.ends[number]


def dies_at(cell: Cell, kernel: Op, program: Program) -> bool:
    for user, number in cell.uses:
        if cell.kind == "carried" and not in_loop(user.region, cell.region):
            continue
        if user.ends[number].to_end or program.ops[user.ends[number].at].latest > kernel.index:
            return False
    return True


def is_read_elementwise(cell: Cell, kernel: Op) -> bool:
    """Whether the kernel reads each element only for the element of its result at the same index."""
    return all(user.is_elementwise for user, _ in cell.uses if user.kernel is kernel)


def mark_donors(program: Program) -> None:
    taken: set[int] = set()
    for op in program.ops:
        kernel = op.kernel
        assert kernel is not None
        for number, cell in enumerate(op.operands):
            if not op.is_elementwise or kernel.index in taken or cell.is_fused or cell.kind == "argument":
                continue
            made = kernel.results[0]
            alike = cell.bits == made.bits and cell.shape == made.shape and cell.region is kernel.region
            if alike and dies_at(cell, kernel, program) and is_read_elementwise(cell, kernel):
                taken.add(kernel.index)
                op.ends[number].gives = True


def is_dead(cell: Cell, at: Op, may_read: bool, program: Program) -> bool:
    for user, number in cell.uses:
        if cell.kind == "carried" and not in_loop(user.region, cell.region):
            continue
        end = user.ends[number]
        if end.to_end or (end.at != at.index and program.ops[end.at].latest >= at.index):
            return False
        if end.at == at.index and not (end.gives or (may_read and user.is_elementwise)):
            return False
    return True


def is_passed_through(cell: Cell) -> bool:
    return cell.kind == "op" and len(cell.uses) == 1 and is_identity(cell.definitions[0])


def origin_of(cell: Cell) -> Cell:
    while is_passed_through(cell):
        cell = cell.definitions[0].operands[0]
    return cell


def writer_of(value: Cell, carried: Cell) -> Op | None:
    """The op that makes a yielded value; if a loop that starts with the carried value leaves it, the loop's entry."""
    if value.kind == "op":
        return value.definitions[0]
    if value.kind != "carried" or value.is_unchanged or len(value.definitions) < 2:
        return None
    entry = value.definitions[0]
    return entry if origin_of(entry.operands[0]) is carried else None


def mark_yields(program: Program) -> None:
    taken: set[int] = set()
    for op in program.ops:
        if op.role != "yield":
            continue
        value, carried = origin_of(op.operands[0]), op.results[0]
        writer = writer_of(value, carried)
        if id(value) in taken or writer is None or writer.region is not op.region:
            continue
        if is_dead(carried, writer, False, program):
            taken.add(id(value))
            op.ends[0].aliased = True


def mark_copies(program: Program) -> None:
    returned: set[int] = set()
    for op in program.results:
        value = origin_of(op.operands[0])
        if value.kind == "argument" or id(value) in returned or (value.kind == "carried" and value.order):
            op.is_copied = True
            op.ends[0] = End(op.index)
        returned.add(id(value))


def may_alias(argument: Cell, op: Op, program: Program) -> bool:
    value = origin_of(op.operands[0])
    if value.kind == "argument":
        return value is argument
    if value.kind == "carried":
        entry = value.definitions[0]
        return entry.operands[0] is argument and not value.is_unchanged and is_dead(argument, entry, False, program)
    return value.kind == "op" and is_dead(argument, value.definitions[0], True, program)


# ---- Bytes


def end_point(home: Region, to: int, program: Program) -> int:
    """Of a value that lives outside a loop and is last used inside: the loop's last point."""
    end = to
    region: Region | None = program.ops[to].region
    while region is not None and region is not home:
        if region.kind in ("body", "condition"):
            end = max(end, region.last)
        region = region.parent
    return end


def alive(first: int, home: Region, end: End, program: Program, made: int | None = None) -> tuple[int, int] | None:
    """The first and the last point of what is made at `made`, if not at `first`."""
    last_point = len(program.ops) - 1
    if end.to_end:
        return first, last_point
    last = end_point(home, end.at, program)
    if end.gives and last == end.at:
        if last <= first:
            return None
        last -= 1
    elif last != (first if made is None else made):
        last = program.ops[last].latest
    return first, max(first, last)


def join_uses(cell: Cell, first: int, program: Program, outside: Region | None = None) -> End:
    """The last of a cell's uses; with `outside`, of those outside that loop."""
    end = End(-1)
    for user, number in cell.uses:
        if outside is not None and in_loop(user.region, outside):
            continue
        use = user.ends[number]
        end.to_end |= use.to_end
        end.aliased |= use.aliased
        if end.at < 0 or is_later(use.at, end.at, program):
            end.at, end.gives = use.at, use.gives
        elif use.at == end.at:
            end.gives |= use.gives
    return End(first, end.to_end, end.gives, end.aliased) if end.at < 0 else end


def count_peak(main: Any, late: int) -> int:
    program = Program(find_body(main))
    find_fusion(program)
    find_latest(program, late)
    find_ends(program)
    attributes = list(main.attributes["arg_attrs"]) if "arg_attrs" in list(main.attributes) else []
    for argument, described in zip(program.arguments, attributes, strict=False):
        found = re.search(r"tf\.aliasing_output = (\d+)", str(described))
        if found and may_alias(argument, program.results[int(found[1])], program):
            program.results[int(found[1])].ends[0].aliased = True
    bytes_at = [0] * (len(program.ops) + 1)
    early = find_early_constants(program, find_phases(program, find_ties(main, program))) if late > 0 else {}

    def add(cell: Cell, span: tuple[int, int] | None) -> None:
        if span is not None:
            bytes_at[span[0]] += cell.bytes
            bytes_at[span[1] + 1] -= cell.bytes

    for argument in program.arguments:
        add(argument, (0, len(program.ops) - 1))
    seen: set[int] = set()
    for op in program.ops:
        for number in op.copied:
            add(op.operands[number], (op.index, op.index))
        for cell in op.results:
            if cell.kind == "op" and not is_identity(op) and not cell.is_fused:
                end = join_uses(cell, op.index, program)
                if not end.aliased and (end.to_end or not cell.is_constant):
                    add(cell, alive(op.index, op.region, end, program))
            elif cell.kind == "carried" and id(cell) not in seen and not cell.is_unchanged:
                seen.add(id(cell))
                end = join_uses(cell, op.index, program, cell.region)
                if end.aliased:
                    continue
                inside = not end.to_end and end.at <= cell.region.last
                first = early.get(op.index, op.index)
                add(cell, alive(first, op.region, End(cell.region.last) if inside else end, program, op.index))
            elif cell.kind == "branch" and cell.definitions[-1] is op:
                add(cell, alive(op.index, op.region, join_uses(cell, op.index, program), program))
            elif cell.kind == "result" and op.is_copied and not op.ends[0].aliased:
                add(cell, (op.index, len(program.ops) - 1))
    peak = now = 0
    for change in bytes_at:
        now += change
        peak = max(peak, now)
    return peak


def count_text(text: str, late: int) -> int:
    with make_ir_context():
        module = ir.Module.parse(text)
        return count_peak(find_main(module), late)


def main() -> int:
    print(count_text(Path(sys.argv[1]).read_text(), int(sys.argv[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
