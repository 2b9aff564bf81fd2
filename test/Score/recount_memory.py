"""The peak of one device's program, counted from its text through jaxlib's reader by the rules of docs/cost.md.

    python test/Score/recount_memory.py program.mlir

A second implementation of "Kernels" and "Memory" there: it shares no code with Partita, and must find as many bytes.
Of a local program the body of its manual computation is counted, with its collectives as ops that stand alone: what
`partita score --local` says.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from recount import bits_of

MOVEMENT = {
    "iota", "broadcast", "broadcast_in_dim", "reshape", "transpose", "reverse", "concatenate", "pad", "bitcast_convert",
}  # fmt: skip
ALONE = {
    "dot", "dot_general", "convolution", "einsum", "scatter", "torch_index_select", "sort", "top_k",
    "select_and_scatter", "rng", "rng_bit_generator", "custom_call", "fft", "cholesky", "triangular_solve",
    "ragged_dot", "get_dimension_size", "composite", "partition_id", "replica_id", "all_gather", "all_reduce",
    "all_to_all", "reduce_scatter", "collective_permute",
}  # fmt: skip
MAX_COPIES, MAX_ROW, MAX_FREE, MIN_SPREAD = 32, 1 << 16, 64, 4


@dataclass(eq=False)
class Cell:
    """A value: an argument, an op's result, what a loop carries, what branches give."""

    kind: str
    shape: tuple[int, ...]
    bits: int
    region: Region
    definitions: list[Op] = field(default_factory=list)
    uses: list[tuple[Op, int]] = field(default_factory=list)
    is_constant: bool = False
    is_free: bool = False
    is_narrow: bool = False
    is_transposed: bool = False
    is_fused: bool = False
    footprint: int = 0

    @property
    def bytes(self) -> int:
        return (prod(self.shape) * self.bits + 7) // 8

    @property
    def is_light(self) -> bool:
        return self.is_free or self.is_narrow

    @property
    def is_unchanged(self) -> bool:
        return self.kind == "carried" and len(self.definitions) == 1


@dataclass(eq=False)
class Region:
    kind: str
    parent: Region | None
    condition: Region | None = None
    last: int = -1


@dataclass(eq=False)
class Op:
    """An op, or an identity: the entry of a loop, a yield, a barrier, a result."""

    name: str
    role: str
    region: Region
    operands: list[Cell]
    results: list[Cell]
    index: int = 0
    reduced: tuple[int, ...] = ()
    permutation: tuple[int, ...] = ()
    kernels: list[Op] = field(default_factory=list)
    kernel: Op | None = None
    is_elementwise: bool = False
    ends: list[End] = field(default_factory=list)
    is_copied: bool = False


@dataclass
class End:
    """Until when a use holds its operand's buffer."""

    at: int
    to_end: bool = False
    gives: bool = False
    aliased: bool = False


def role_of(name: str) -> str:
    if name == "constant":
        return "constant"
    if name in ("slice", "dynamic_slice", "gather"):
        return "slice"
    if name == "dynamic_update_slice":
        return "update"
    if name in MOVEMENT:
        return "movement"
    if name in ("reduce", "reduce_window"):
        return "reduction"
    return "alone" if name in ALONE else "elementwise"


class Program:
    """The flat list of ops, and what they make."""

    def __init__(self, block: Any) -> None:
        self.ops: list[Op] = []
        self.cells: dict[Any, Cell] = {}
        self.free: dict[Any, Any] = {}
        self.root = Region("program", None)
        self.arguments = [self.add_cell(argument, "argument", self.root) for argument in block.arguments]
        self.results: list[Op] = []
        self.add_block(block, self.root)
        for op in self.ops:
            region: Region | None = op.region
            while region is not None:
                region.last = op.index
                region = region.parent

    def add_cell(self, value: Any, kind: str, region: Region) -> Cell:
        shaped = ir.RankedTensorType(value.type)
        cell = Cell(kind, tuple(shaped.shape), bits_of(shaped.element_type), region)
        self.cells[value] = cell
        return cell

    def add_op(self, name: str, role: str, region: Region, operands: list[Cell], results: list[Cell]) -> Op:
        op = Op(name, role, region, operands, results, len(self.ops))
        self.ops.append(op)
        for number, cell in enumerate(operands):
            cell.uses.append((op, number))
        for cell in results:
            cell.definitions.append(op)
        return op

    def cell_of(self, value: Any, region: Region) -> Cell:
        """The cell of a value; of a free one, a copy that is made here."""
        if value not in self.free:
            return self.cells[value]
        return self.add_ordinary(self.free[value], region, is_copy=True).results[0]

    def add_ordinary(self, op: Any, region: Region, is_copy: bool = False) -> Op:
        operands = [self.cell_of(operand, region) for operand in op.operands]
        saved = {value: self.cells.get(value) for value in op.results}
        results = [self.add_cell(value, "op", region) for value in op.results]
        if is_copy:
            for value, old in saved.items():
                if old is None:
                    del self.cells[value]
                else:
                    self.cells[value] = old
        name = op.name.split(".", 1)[1]
        made = self.add_op(name, role_of(name), region, operands, results)
        if name == "reduce":
            made.reduced = tuple(ir.DenseI64ArrayAttr(op.attributes["dimensions"]))
        if name == "transpose":
            made.permutation = tuple(ir.DenseI64ArrayAttr(op.attributes["permutation"]))
        return made

    def free_size(self, op: Any) -> int:
        """Ops of the cone of a value that depends on no argument; 0 if it is not such a value."""
        name = op.name.split(".", 1)[1]
        role = role_of(name)
        if role not in ("constant", "movement", "elementwise", "slice") or len(op.results) != 1 or len(op.regions) > 0:
            return 0
        if name in ("dynamic_slice", "gather", "optimization_barrier"):
            return 0
        size = 1
        for operand in op.operands:
            if operand not in self.free:
                return 0
            size += self.free_size(self.free[operand])
        return size if size <= MAX_FREE else 0

    def add_block(self, block: Any, region: Region) -> None:
        for entry in block.operations:
            op = entry.operation
            if op.name == "stablehlo.while":
                self.add_loop(op, region)
            elif op.name in ("stablehlo.case", "stablehlo.if"):
                self.add_branches(op, region)
            elif op.name == "stablehlo.optimization_barrier":
                for operand, value in zip(op.operands, op.results, strict=True):
                    source = self.cell_of(operand, region)
                    self.add_op("identity", "identity", region, [source], [self.add_cell(value, "op", region)])
            elif op.name in ("func.return", "sdy.return"):
                for operand in op.operands:
                    source = self.cell_of(operand, region)
                    result = Cell("result", source.shape, source.bits, region)
                    self.results.append(self.add_op("identity", "identity", region, [source], [result]))
            elif op.name == "stablehlo.return":
                continue
            elif self.free_size(op):
                self.free[op.results[0]] = op
            else:
                self.add_ordinary(op, region)

    def add_loop(self, op: Any, region: Region) -> None:
        condition = Region("condition", region)
        body = Region("body", region, condition)
        blocks = [part.blocks[0] for part in op.regions]
        carried = []
        for number, value in enumerate(op.results):
            source = self.cell_of(op.operands[number], region)
            cell = self.add_cell(value, "carried", body)
            for block in blocks:
                self.cells[block.arguments[number]] = cell
            self.add_op("identity", "identity", region, [source], [cell])
            carried.append(cell)
        self.add_block(blocks[0], condition)
        predicate = self.cell_of(list(blocks[0].operations)[-1].operands[0], condition)
        copy = Cell("op", predicate.shape, predicate.bits, condition)
        self.add_op("identity", "identity", condition, [predicate], [copy])
        self.add_block(blocks[1], body)
        for number, value in enumerate(list(blocks[1].operations)[-1].operands):
            source = self.cell_of(value, body)
            if source is not carried[number]:
                self.add_op("identity", "yield", body, [source], [carried[number]])

    def add_branches(self, op: Any, region: Region) -> None:
        predicate = self.cell_of(op.operands[0], region)
        copy = Cell("op", predicate.shape, predicate.bits, region)
        self.add_op("identity", "identity", region, [predicate], [copy])
        results = [self.add_cell(value, "branch", region) for value in op.results]
        for part in op.regions:
            inner = Region("branch", region)
            self.add_block(part.blocks[0], inner)
            for number, value in enumerate(list(part.blocks[0].operations)[-1].operands):
                self.add_op("identity", "identity", inner, [self.cell_of(value, inner)], [results[number]])


def is_identity(op: Op) -> bool:
    return op.role in ("identity", "yield")


# ---- Kernels


def find_constants(program: Program) -> None:
    """What is computed of constants alone; and constants themselves, moved or passed on by loops."""
    for op in program.ops:
        for cell in op.results:
            is_computed = op.role in ("elementwise", "movement", "slice", "constant")
            if is_computed and cell.kind == "op" and all(operand.is_free for operand in op.operands):
                cell.is_free = True
        if len(op.results) != 1:
            continue
        cell = op.results[0]
        is_scalar = op.role == "elementwise" and not cell.shape
        moves = op.role == "movement" or is_identity(op) or is_scalar
        passes = cell.kind == "op" or cell.is_unchanged
        if op.role == "constant" or (
            moves and passes and op.operands and all(operand.is_constant for operand in op.operands)
        ):
            cell.is_constant = True


def is_row_reduction(op: Op) -> bool:
    if not op.operands or not op.reduced:
        return False
    rank = len(op.operands[0].shape)
    kept = rank - len(op.reduced)
    size = prod(op.operands[0].shape[kept:])
    return sorted(op.reduced) == list(range(kept, rank)) and 1 < size <= MAX_ROW


def is_producer(op: Op) -> bool:
    if len(op.results) != 1 or op.results[0].kind != "op":
        return False
    return op.role in ("elementwise", "movement", "slice", "constant") or (
        op.role == "reduction" and is_row_reduction(op)
    )


def is_consumer(op: Op, number: int) -> bool:
    return op.role in ("elementwise", "movement", "slice", "reduction") or (op.role == "update" and number > 0)


def heavy_operands(op: Op) -> list[Cell]:
    """Those that are neither made of constants alone nor spread out from something much smaller."""
    return list({id(cell): cell for cell in op.operands if not cell.is_light}.values())


def operands_that_matter(op: Op) -> list[Cell]:
    """Those of them that are not much smaller than the result."""
    return [cell for cell in heavy_operands(op) if cell.bytes * MIN_SPREAD > op.results[0].bytes]


def find_narrow(program: Program) -> None:
    for op in program.ops:
        if not is_producer(op) or op.role not in ("movement", "elementwise"):
            continue
        cell = op.results[0]
        spreads = op.role == "movement" and len(op.operands) == 1
        spreads = spreads and op.operands[0].bytes * MIN_SPREAD <= cell.bytes
        cell.is_narrow = not cell.is_free and (spreads or all(operand.is_light for operand in op.operands))


def find_transposed(program: Program) -> None:
    """What a transpose that moves the last dim gives, up to the first value of several uses."""
    for op in program.ops:
        if not is_producer(op) or op.role not in ("movement", "elementwise"):
            continue
        moves = op.name == "transpose" and not op.operands[0].is_light and len(op.permutation) > 0
        moves = moves and op.permutation[-1] != len(op.permutation) - 1
        moves = moves and (op.operands[0].shape[-1] != 1 or op.results[0].shape[-1] != 1)
        on_the_way = any(cell.is_transposed and len(cell.uses) == 1 for cell in op.operands)
        op.results[0].is_transposed = moves or on_the_way


def find_footprints(program: Program) -> None:
    """What has to be read to compute a value, if what leads to it from one other is computed, too."""
    for cell in program.arguments:
        cell.footprint = cell.bytes
    for op in program.ops:
        for cell in op.results:
            cell.footprint = cell.bytes
            if is_producer(op) and len(operands_that_matter(op)) <= 1:
                cell.footprint = min(cell.bytes, sum(other.footprint for other in operands_that_matter(op)))


def is_widening(op: Op) -> bool:
    """At most one operand matters, and no more has to be read for that one than the result has."""
    matter = operands_that_matter(op)
    if len(matter) > 1:
        return False
    return op.role == "slice" or all(cell.footprint <= op.results[0].bytes for cell in matter)


def is_sum(op: Op) -> bool:
    return op.name in ("add", "subtract")


def is_cheap(op: Op) -> bool:
    """Whether it may be computed in several kernels: it widens, or moves no more bytes so than if it were written."""
    if op.role == "reduction" or op.results[0].is_transposed:
        return False
    uses, widens = op.results[0].uses, is_widening(op)
    if widens and not is_sum(op):
        return True
    read = sum(cell.footprint for cell in heavy_operands(op))
    is_worth_it = (len(uses) - 1) * read <= (len(uses) + 1) * op.results[0].bytes

    def may_recur(user: Op) -> bool:
        starts_over = is_producer(user) and user.role != "reduction" and not is_widening(user)
        return starts_over and (is_sum(user) or not widens)

    return (widens or is_worth_it) and not any(may_recur(user) for user, _ in uses)


def find_kernels(program: Program) -> None:
    for op in reversed(program.ops):
        op.is_elementwise = op.role == "elementwise"
        found: list[Op] = []
        may_fuse, elementwise = is_producer(op), op.is_elementwise
        for user, number in op.results[0].uses if may_fuse else ():
            if not is_consumer(user, number) or user.region is not op.region or len(found) > MAX_COPIES:
                may_fuse = False
                break
            elementwise = elementwise and user.is_elementwise
            found += [kernel for kernel in user.kernels if kernel not in found]
        op.kernel, op.kernels = op, [op]
        if may_fuse and (len(found) == 1 or (1 < len(found) <= MAX_COPIES and is_cheap(op))):
            op.results[0].is_fused = True
            op.kernels = found
            op.kernel = max(found, key=lambda kernel: kernel.index)
            op.is_elementwise = elementwise and len(found) == 1


# ---- Lifetimes


def in_loop(region: Region | None, body: Region) -> bool:
    while region is not None:
        if region is body or region is body.condition:
            return True
        region = region.parent
    return False


def join_ends(cell: Cell, first: int) -> End:
    end = End(first)
    for user, number in cell.uses:
        end.to_end |= user.ends[number].to_end
        end.at = max(end.at, user.ends[number].at)
    return end


def identity_end(op: Op) -> End:
    cell = op.results[0]
    if cell.kind == "op":
        return join_ends(cell, op.index)
    if cell.kind == "carried":
        if not cell.is_unchanged:
            return End(op.index, gives=not in_loop(op.region, cell.region))
        return join_ends(cell, max(cell.region.last, op.index))
    if cell.kind == "branch":
        return End(op.index, gives=True)
    return End(op.index, to_end=True)


def find_ends(program: Program) -> None:
    for op in reversed(program.ops):
        assert op.kernel is not None
        end = identity_end(op) if is_identity(op) else End(op.kernel.index)
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


def dies_at(cell: Cell, kernel: Op) -> bool:
    for user, number in cell.uses:
        if cell.kind == "carried" and not in_loop(user.region, cell.region):
            continue
        if user.ends[number].to_end or user.ends[number].at > kernel.index:
            return False
    return True


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
            if alike and dies_at(cell, kernel):
                taken.add(kernel.index)
                op.ends[number].gives = True


def is_dead(cell: Cell, at: Op, may_read: bool) -> bool:
    for user, number in cell.uses:
        if cell.kind == "carried" and not in_loop(user.region, cell.region):
            continue
        end = user.ends[number]
        if end.to_end or end.at > at.index:
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


def mark_yields(program: Program) -> None:
    taken: set[int] = set()
    for op in program.ops:
        if op.role != "yield":
            continue
        value, carried = origin_of(op.operands[0]), op.results[0]
        if id(value) in taken or value.kind != "op" or value.definitions[0].region is not op.region:
            continue
        if is_dead(carried, value.definitions[0], False):
            taken.add(id(value))
            op.ends[0].aliased = True


def mark_copies(program: Program) -> None:
    returned: set[int] = set()
    for op in program.results:
        value = origin_of(op.operands[0])
        if value.kind == "argument" or id(value) in returned:
            op.is_copied = True
            op.ends[0] = End(op.index)
        returned.add(id(value))


def may_alias(argument: Cell, op: Op) -> bool:
    value = origin_of(op.operands[0])
    if value.kind == "argument":
        return value is argument
    if value.kind == "carried":
        entry = value.definitions[0]
        return entry.operands[0] is argument and not value.is_unchanged and is_dead(argument, entry, False)
    return value.kind == "op" and is_dead(argument, value.definitions[0], True)


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


def alive(first: int, home: Region, end: End, program: Program) -> tuple[int, int] | None:
    last_point = len(program.ops) - 1
    if end.to_end:
        return first, last_point
    last = end_point(home, end.at, program)
    if end.gives and last == end.at:
        if last <= first:
            return None
        last -= 1
    return first, max(first, last)


def join_uses(cell: Cell, first: int, outside: Region | None = None) -> End:
    """The last of a cell's uses; with `outside`, of those outside that loop."""
    end = End(-1)
    for user, number in cell.uses:
        if outside is not None and in_loop(user.region, outside):
            continue
        use = user.ends[number]
        end.to_end |= use.to_end
        end.aliased |= use.aliased
        if use.at > end.at:
            end.at, end.gives = use.at, use.gives
        elif use.at == end.at:
            end.gives |= use.gives
    return End(first, end.to_end, end.gives, end.aliased) if end.at < 0 else end


def find_body(main: Any) -> Any:
    """The block that one device runs."""
    block = main.regions[0].blocks[0]
    manual = [op.operation for op in block.operations if op.operation.name == "sdy.manual_computation"]
    return manual[0].regions[0].blocks[0] if manual else block


def count_peak(main: Any) -> int:
    program = Program(find_body(main))
    find_constants(program)
    find_narrow(program)
    find_transposed(program)
    find_footprints(program)
    find_kernels(program)
    find_ends(program)
    attributes = list(main.attributes["arg_attrs"]) if "arg_attrs" in list(main.attributes) else []
    for argument, described in zip(program.arguments, attributes, strict=False):
        found = re.search(r"tf\.aliasing_output = (\d+)", str(described))
        if found and may_alias(argument, program.results[int(found[1])]):
            program.results[int(found[1])].ends[0].aliased = True
    bytes_at = [0] * (len(program.ops) + 1)

    def add(cell: Cell, span: tuple[int, int] | None) -> None:
        if span is not None:
            bytes_at[span[0]] += cell.bytes
            bytes_at[span[1] + 1] -= cell.bytes

    for argument in program.arguments:
        add(argument, (0, len(program.ops) - 1))
    seen: set[int] = set()
    for op in program.ops:
        for cell in op.results:
            if cell.kind == "op" and not is_identity(op) and not cell.is_fused:
                end = join_uses(cell, op.index)
                if not end.aliased and (end.to_end or not cell.is_constant):
                    add(cell, alive(op.index, op.region, end, program))
            elif cell.kind == "carried" and id(cell) not in seen and not cell.is_unchanged:
                seen.add(id(cell))
                end = join_uses(cell, op.index, cell.region)
                if end.aliased:
                    continue
                inside = not end.to_end and end.at <= cell.region.last
                add(cell, alive(op.index, op.region, End(cell.region.last) if inside else end, program))
            elif cell.kind == "branch" and cell.definitions[-1] is op:
                add(cell, alive(op.index, op.region, join_uses(cell, op.index), program))
            elif cell.kind == "result" and op.is_copied and not op.ends[0].aliased:
                add(cell, (op.index, len(program.ops) - 1))
    peak = now = 0
    for change in bytes_at:
        now += change
        peak = max(peak, now)
    return peak


def count_text(text: str) -> int:
    with make_ir_context():
        module = ir.Module.parse(text)
        mains = [op for op in module.body.operations if getattr(op, "sym_name", None) is not None]
        return count_peak(next(op.operation for op in mains if str(op.sym_name) == '"main"'))


def main() -> int:
    print(count_text(Path(sys.argv[1]).read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
