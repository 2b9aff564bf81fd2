"""A program as a flat list of ops and cells, read through jaxlib: what the recounts start from.

Values that depend on no argument are copied for each of their uses; loops, branches and results are identities between
cells (docs/graph.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

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
MAX_FREE = 64
MAX_DEPTH = 32


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
    depth: int = 0
    is_transposed: bool = False
    is_fused: bool = False
    footprint: int = 0
    source: Cell | None = None
    order: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    is_relaid: bool = False

    @property
    def bytes(self) -> int:
        return (prod(self.shape) * self.bits + 7) // 8

    @property
    def is_light(self) -> bool:
        return (self.is_free or self.is_narrow) and self.depth <= MAX_DEPTH

    @property
    def is_unchanged(self) -> bool:
        return self.kind == "carried" and len(self.definitions) == 1 and not self.is_relaid


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
    latest: int = 0
    ends: list[End] = field(default_factory=list)
    is_copied: bool = False
    copied: list[int] = field(default_factory=list)
    origin: Any = None
    is_copy: bool = False


@dataclass
class End:
    """Until when a use holds its operand's buffer."""

    at: int
    to_end: bool = False
    gives: bool = False
    aliased: bool = False
    least: int = -1
    """Needed up to this op in any case."""


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

    def add_op(
        self, name: str, role: str, region: Region, operands: list[Cell], results: list[Cell], origin: Any = None
    ) -> Op:
        op = Op(name, role, region, operands, results, len(self.ops), origin=origin)
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
        role = "alone" if "part.shift" in op.attributes else role_of(name)
        made = self.add_op(name, role, region, operands, results, op)
        made.is_copy = is_copy
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
                    self.add_op("identity", "identity", region, [source], [self.add_cell(value, "op", region)], op)
            elif op.name in ("func.return", "sdy.return"):
                for operand in op.operands:
                    source = self.cell_of(operand, region)
                    result = Cell("result", source.shape, source.bits, region)
                    self.results.append(self.add_op("identity", "identity", region, [source], [result], op))
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
            self.add_op("identity", "identity", region, [source], [cell], op)
            carried.append(cell)
        self.add_block(blocks[0], condition)
        predicate = self.cell_of(list(blocks[0].operations)[-1].operands[0], condition)
        copy = Cell("op", predicate.shape, predicate.bits, condition)
        self.add_op("identity", "identity", condition, [predicate], [copy], op)
        self.add_block(blocks[1], body)
        for number, value in enumerate(list(blocks[1].operations)[-1].operands):
            source = self.cell_of(value, body)
            if source is not carried[number]:
                self.add_op("identity", "yield", body, [source], [carried[number]], op)

    def add_branches(self, op: Any, region: Region) -> None:
        predicate = self.cell_of(op.operands[0], region)
        copy = Cell("op", predicate.shape, predicate.bits, region)
        self.add_op("identity", "identity", region, [predicate], [copy], op)
        results = [self.add_cell(value, "branch", region) for value in op.results]
        for part in op.regions:
            inner = Region("branch", region)
            self.add_block(part.blocks[0], inner)
            for number, value in enumerate(list(part.blocks[0].operations)[-1].operands):
                self.add_op("identity", "identity", inner, [self.cell_of(value, inner)], [results[number]], op)


def is_identity(op: Op) -> bool:
    return op.role in ("identity", "yield")


def find_body(main: Any) -> Any:
    """The block that one device runs."""
    block = main.regions[0].blocks[0]
    manual = [op.operation for op in block.operations if op.operation.name == "sdy.manual_computation"]
    return manual[0].regions[0].blocks[0] if manual else block


def find_main(module: Any) -> Any:
    named = [op for op in module.body.operations if getattr(op, "sym_name", None) is not None]
    return next(op.operation for op in named if str(op.sym_name) == '"main"')
