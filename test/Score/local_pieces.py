"""What a local program says of the program that it was made of: sizes of pieces, reshards, and who takes which.

Both are read side by side, op by op; docs/cost.md says how ops of reshards and of pieces are told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from jaxlib.mlir import ir

from flat_program import Cell, Op, Program, role_of
from recount import bits_of
from rotated_loops import bring_back, drop_first, take_ahead

STEPS = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute", "dynamic_slice"}
CAUSES = ("use", "define", "reduce")


@dataclass(eq=False)
class Transfer:
    """A reshard: a chain of collectives and slices from a value, or from what another one made of it."""

    cell: Cell
    source: Transfer | None
    cause: str
    place: str
    values: list[Any]
    at: int = -1
    is_before: bool = False
    kind: str = ""
    """The collective that runs in pieces; `values` are the permutes of a gather, the sum of a scatter."""
    is_rotated: bool = False
    """Gathered an iteration ahead, and carried."""
    carried: int = 0
    """The bytes that a loop carries to reduce them in its next iteration."""
    whole: Any = None
    """The pieces put together, if something besides products takes a gather in pieces."""

    def add_step(self, op: Any) -> Any:
        """What it gives. A reshape, between steps of an exchange, gives the same buffer."""
        if name_of(op) != "reshape":
            self.values.append(op.results[0])
        return op.results[0]

    @property
    def bytes(self) -> int:
        if self.kind == "all_gather":
            return sum(map(bytes_of, self.values)) + (0 if self.whole is None else bytes_of(self.whole))
        return bytes_of(self.values[-1])

    @property
    def temporary(self) -> int:
        """What is neither source nor target, at most."""
        if self.kind or self.is_rotated:
            return 0
        sizes = [0, *(bytes_of(value) for value in self.values[:-1]), 0]
        return max(before + after for before, after in pairwise(sizes))


@dataclass
class Pieces:
    """What the local program says of the program's ops."""

    bytes: dict[int, int] = field(default_factory=dict)
    """Of cells, as their definitions give them."""
    uses: dict[tuple[int, int], Transfer | None] = field(default_factory=dict)
    """By op and operand: the reshard whose result it takes."""
    transfers: list[Transfer] = field(default_factory=list)
    brought: dict[int, Transfer] = field(default_factory=dict)
    """By identity: what it brings a value to the form of a carried value, branch result or result with."""
    temporary: dict[int, int] = field(default_factory=dict)
    """By product in pieces: what is there at it alone."""


def bytes_of(value: Any) -> int:
    shaped = ir.RankedTensorType(value.type)
    size = bits_of(shaped.element_type)
    for dim in shaped.shape:
        size *= dim
    return (size + 7) // 8


def name_of(op: Any) -> str:
    return str(op.name).split(".", 1)[1]


def split_location(op: Any) -> tuple[str, str]:
    """Why an op stands there, if it is not of the program, and the place of the op that it is for."""
    text = str(op.location)[4:-1]
    found = re.match(r'"partita/(\w+)"(?:\((.*)\))?$', text, re.S)
    return (found[1], found[2] or "unknown") if found else ("", text)


def is_step(op: Any) -> bool:
    """Whether it may be a step of a reshard."""
    return name_of(op) in STEPS or (name_of(op) == "reshape" and split_location(op)[0] in CAUSES)


def is_helper(op: Any, name: str) -> bool:
    """Whether it helps to compute a piece, and has this name."""
    return op is not None and name_of(op) == name and split_location(op)[0] == "piece"


class LocalReader:
    """Goes through both programs side by side."""

    def __init__(self, program: Program, normal: Any, local: Any) -> None:
        self.program, self.found = program, Pieces()
        self.next_op = 0
        self.forms: dict[Any, tuple[Cell, Transfer | None]] = {}
        self.free: set[Any] = set()
        self.alias: dict[Any, Any] = {}
        self.fresh: list[Transfer] = []
        self.carried: list[Any] = []
        """First steps of reductions of what the iteration before made."""
        self.ahead: dict[Any, list[Any]] = {}
        """By value that a loop carries and its original does not: the steps that gather it."""
        for cell, value in zip(program.arguments, local.arguments, strict=True):
            self.bind(cell, value)
        cursor = Cursor(local)
        self.read_after(cursor, program.arguments, -1, None)
        self.read_block(normal, cursor)

    # ---- What stands in the local program

    def bind(self, cell: Cell, value: Any) -> None:
        self.forms[value] = (cell, None)
        self.found.bytes[id(cell)] = bytes_of(value)

    def skip_free(self, cursor: Cursor) -> Any:
        """The next op that depends on arguments and is not a barrier that only keeps a gather in its loop."""
        while cursor.op is not None:
            op = cursor.op
            name = name_of(op)
            is_free = name == "partition_id" or (
                role_of(name) in ("constant", "movement", "elementwise", "slice")
                and len(op.results) == 1
                and all(self.alias.get(operand, operand) in self.free for operand in op.operands)
            )
            if is_free and len(op.regions) == 0:
                self.free.add(op.results[0])
            elif name == "optimization_barrier" and self.keeps_gather(op):
                self.alias[op.results[0]] = op.operands[0]
            else:
                break
            cursor.advance()
        return cursor.op

    @staticmethod
    def keeps_gather(op: Any) -> bool:
        users = [use.owner for use in op.results[0].uses]
        return len(op.operands) == 2 and any(split_location(user)[0] in CAUSES for user in users)

    def read_transfer(self, cursor: Cursor) -> Transfer | None:
        """The next chain of steps, if one stands there."""
        op = self.skip_free(cursor)
        if op is None or not is_step(op):
            return None
        cause, place = split_location(op)
        if cause not in CAUSES:
            return None
        start = self.alias.get(op.operands[0], op.operands[0])
        cell, source = self.forms[start]
        transfer = Transfer(cell, source, cause, place, [])
        transfer.carried = bytes_of(op.operands[0]) if op in self.carried else 0
        last = transfer.add_step(op)
        cursor.advance()
        if self.is_piece(op):
            self.read_gather(cursor, transfer)
            return transfer
        while (op := self.skip_free(cursor)) is not None and is_step(op):
            is_next = split_location(op) == (cause, place) and op.operands[0] == last
            if not is_next or len(list(last.uses)) != 1:
                break
            last = transfer.add_step(op)
            cursor.advance()
        self.forms[last] = (cell, transfer)
        # A barrier keeps a reduction in its iteration; it is the same buffer.
        op = self.skip_free(cursor)
        if op is not None and name_of(op) == "optimization_barrier" and list(op.operands) == [last]:
            self.forms[op.results[0]] = (cell, transfer)
            cursor.advance()
        self.found.transfers.append(transfer)
        return transfer

    @staticmethod
    def is_piece(op: Any) -> bool:
        """Whether it brings a piece that a product waits for."""
        users = [use.owner for use in op.results[0].uses]
        return name_of(op) == "collective_permute" and any(is_helper(user, "optimization_barrier") for user in users)

    def read_gather(self, cursor: Cursor, transfer: Transfer) -> None:
        """The other permutes of a gather in pieces, and how the pieces are put together if something takes them."""
        transfer.kind, named = "all_gather", (transfer.cause, transfer.place)
        while (op := self.skip_free(cursor)) is not None and split_location(op) == named:
            if name_of(op) == "collective_permute" and op.operands[0] == transfer.values[-1]:
                transfer.values.append(op.results[0])
            elif name_of(op) == "concatenate" and op.operands[1] == transfer.values[0]:
                cursor.advance()
                op = self.skip_free(cursor)
                assert name_of(op) == "dynamic_slice"
                transfer.whole = op.results[0]
                self.forms[transfer.whole] = (transfer.cell, transfer)
            else:
                break
            cursor.advance()
        for value in transfer.values:
            self.forms[value] = (transfer.cell, transfer)
        self.found.transfers.append(transfer)

    def read_before(self, cursor: Cursor, op: Op) -> None:
        self.fresh = []
        while (transfer := self.read_transfer(cursor)) is not None:
            transfer.at, transfer.is_before = op.index, True
            self.fresh.append(transfer)

    def read_after(self, cursor: Cursor, cells: list[Cell], at: int, place: str | None) -> None:
        """Reshards right behind a definition."""
        while True:
            op = self.skip_free(cursor)
            if op is None or name_of(op) not in STEPS:
                return
            cause, found = split_location(op)
            start = self.alias.get(op.operands[0], op.operands[0])
            known = self.forms.get(start)
            if cause not in ("define", "reduce") or known is None or known[0] not in cells:
                return
            if place is not None and found != place:
                return
            transfer = self.read_transfer(cursor)
            assert transfer is not None
            transfer.at = at

    # ---- The program's ops

    def take(self, origin: Any) -> Op:
        """The next op that stands for `origin`; copies of free values before it are not looked for."""
        while True:
            op = self.program.ops[self.next_op]
            self.next_op += 1
            if not op.is_copy and op.origin == origin:
                return op

    def read_block(self, normal: Any, cursor: Cursor) -> None:
        drop_first(normal, cursor)
        for entry in normal.operations:
            op = entry.operation
            if op.name == "stablehlo.while":
                self.read_loop(op, cursor)
            elif op.name in ("stablehlo.case", "stablehlo.if"):
                self.read_branches(op, cursor)
            elif op.name == "stablehlo.optimization_barrier":
                self.read_barrier(op, cursor)
            elif op.name in ("func.return", "sdy.return"):
                self.read_identities(op, [self.take(op) for _ in op.operands], cursor, None)
            elif op.name == "stablehlo.return" or (len(op.results) == 1 and op.results[0] in self.program.free):
                continue
            else:
                self.read_ordinary(op, cursor)

    def read_ordinary(self, origin: Any, cursor: Cursor) -> None:
        op = self.take(origin)
        if (moved := self.take_moved(op, cursor)) is not None:
            self.take_uses(op, self.begin_values(moved, cursor))
            for cell, value in zip(op.results, moved.results, strict=True):
                self.bind(cell, value)
            return
        self.read_before(cursor, op)
        first = self.skip_free(cursor)
        if is_helper(first, "optimization_barrier") or (op.name == "dot_general" and is_helper(first, "dynamic_slice")):
            self.read_product(op, cursor)
            return
        helpers = []
        while (local := self.skip_free(cursor)) is not None and split_location(local)[0] == "piece":
            helpers.append(local)
            cursor.advance()
        assert local is not None
        # A stage hands on all that it has.
        is_shift = "part.shift" in origin.attributes and name_of(local) == "collective_permute"
        if not helpers and not is_shift and name_of(local) != op.name:
            raise ValueError(f"{op.name} of the program stands beside {local.name}")
        cursor.advance()
        self.read_uses(op, local, helpers)
        for cell, value in zip(op.results, local.results, strict=True):
            self.bind(cell, value)
        self.read_after(cursor, op.results, op.index, split_location(local)[1])

    def read_product(self, op: Op, cursor: Cursor) -> None:
        """A product in pieces: of each a slice, if its sums are scattered, a barrier and the product."""
        products: list[Any] = []
        slices, received = 0, 0
        while (local := self.skip_free(cursor)) is not None:
            if is_helper(local, "dynamic_slice"):
                slices += bytes_of(local.results[0])
            elif name_of(local) == "collective_permute" and local.operands[0] == products[-1].results[0]:
                received += bytes_of(local.results[0])
            elif name_of(local) == "dot_general":
                products.append(local)
            elif not is_helper(local, "optimization_barrier"):
                break
            cursor.advance()
        barrier = products[-1].operands[0].owner
        rows, other = (self.alias.get(value, value) for value in barrier.operands)
        rows = self.alias.get(rows.owner.operands[0], rows.owner.operands[0]) if slices else rows
        is_first = products[-1].operands[0] == barrier.results[0]
        self.take_uses(op, [rows, other] if is_first else [other, rows])
        made = sum(bytes_of(product.results[0]) for product in products)
        self.found.temporary[op.index] = slices + received if slices else made
        # The terms are added up, or the rows put in order.
        for _ in range(len(products) - 1 if slices else 2):
            local = self.skip_free(cursor)
            cursor.advance()
        cell = op.results[0]
        self.bind(cell, local.results[0])
        if slices:
            self.found.bytes[id(cell)] = made
            scatter = Transfer(cell, None, *split_location(local), [local.results[0]], op.index, kind="reduce_scatter")
            self.forms[local.results[0]] = (cell, scatter)
            self.found.transfers.append(scatter)
        self.read_after(cursor, op.results, op.index, split_location(local)[1])

    def read_uses(self, op: Op, local: Any, helpers: list[Any]) -> None:
        if not helpers and len(local.operands) == len(op.operands):
            taken = [self.alias.get(value, value) for value in local.operands]
        else:
            made = {result for helper in helpers for result in helper.results}
            outside = [value for one in [*helpers, local] for value in one.operands if value not in made]
            taken = []
            for cell in op.operands:
                of_cell = [value for value in outside if value in self.forms and self.forms[value][0] is cell]
                taken.append(of_cell[0] if of_cell else None)
        self.take_uses(op, taken)

    def meet_ahead(self, op: Op, cell: Cell, value: Any) -> None:
        """The first op that takes what was gathered an iteration ahead."""
        if value not in self.ahead:
            return
        steps = self.ahead.pop(value)
        cause, place = split_location(steps[0].owner)
        transfer = Transfer(cell, None, cause, place, steps, op.index, is_before=True, is_rotated=True)
        self.forms[value] = (cell, transfer)
        self.found.transfers.append(transfer)

    def take_moved(self, op: Op, cursor: Cursor) -> Any:
        """What stands for an op that is not in its place, because it is computed an iteration ahead."""
        if not cursor.moved or (here := self.skip_free(cursor)) is None:
            return None
        found = next((moved for moved in cursor.moved if self.stands_for(moved, op, cursor)), None)
        if found is None or self.stands_for(here, op, cursor):
            return None
        cursor.moved.remove(found)
        return found

    def begin_values(self, local: Any, cursor: Cursor) -> list[Any]:
        """What an op takes; of an op that is computed ahead, what it would take if it stood in its place."""
        is_moved = local in cursor.ahead
        begun = [cursor.begins.get(value, value) if is_moved else value for value in local.operands]
        return [self.alias.get(value, value) for value in begun]

    def stands_for(self, local: Any, op: Op, cursor: Cursor) -> bool:
        """Whether they are at the same place, on the same values."""
        if name_of(local) != op.name or str(local.location) != str(op.origin.location):
            return False
        known = [self.forms.get(value) for value in self.begin_values(local, cursor)]
        pairs = zip(known, op.operands, strict=len(known) == len(op.operands))
        return all(form is None or form[0] is cell for form, cell in pairs)

    def take_uses(self, op: Op, taken: list[Any]) -> None:
        for number, (cell, value) in enumerate(zip(op.operands, taken, strict=True)):
            self.meet_ahead(op, cell, value)
            if value in self.forms and self.forms[value][0] is cell:
                self.found.uses[op.index, number] = self.forms[value][1]
            elif value is not None:
                self.found.bytes[id(cell)] = bytes_of(value)

    def read_identities(self, owner: Any, ops: list[Op], cursor: Cursor, given: list[Any] | None) -> list[Any]:
        """Values that are handed on: reshards for each in turn, then the op that takes them, which is given back."""
        first = len(self.found.transfers)
        while self.read_transfer(cursor) is not None:
            continue
        local = cursor.op
        assert local is not None
        values = list(local.operands)[: len(ops)] if given is None else given
        place = split_location(local)[1]
        fresh = self.found.transfers[first:]
        for op, value in zip(ops, values, strict=True):
            self.read_identity(op, self.alias.get(value, value), fresh, place)
        return values

    def read_identity(self, op: Op, value: Any, fresh: list[Transfer], place: str) -> None:
        self.meet_ahead(op, op.operands[0], value)
        if value not in self.forms:
            self.found.bytes[id(op.operands[0])] = bytes_of(value)
            return
        transfer = self.forms[value][1]
        if transfer in fresh and transfer is not None and transfer.cause != "use" and transfer.place == place:
            transfer.at = op.index
            self.found.brought[op.index] = transfer
            transfer = transfer.source
        self.found.uses[op.index, 0] = transfer
        while transfer is not None and transfer in fresh and transfer.at < 0:
            transfer.at, transfer.is_before = op.index, True
            transfer = transfer.source

    def read_barrier(self, origin: Any, cursor: Cursor) -> None:
        ops = [self.take(origin) for _ in origin.operands]
        values = self.read_identities(origin, ops, cursor, None)
        local = cursor.op
        assert len(values) == len(ops)
        cursor.advance()
        for op, value in zip(ops, local.results, strict=True):
            self.bind(op.results[0], value)
        place = split_location(local)[1]
        for op in ops:
            first = len(self.found.transfers)
            self.read_after(cursor, op.results, op.index, None)
            for transfer in self.found.transfers[first:]:
                # Otherwise it reduces what passes the barrier as a partial sum.
                if transfer.cause == "reduce" and transfer.source is None and transfer.place != place:
                    self.move_back(op, transfer)

    def move_back(self, op: Op, transfer: Transfer) -> None:
        """A reduction of an op's result that was put behind a barrier: the barrier passes what it makes."""
        transfer.cell = op.operands[0]
        self.found.uses[op.index, 0] = transfer
        self.bind(op.results[0], transfer.values[-1])

    def read_loop(self, origin: Any, cursor: Cursor) -> None:
        entries = [self.take(origin) for _ in origin.operands]
        self.read_identities(origin, entries, cursor, None)
        local = cursor.op
        cells = [entry.results[0] for entry in entries]
        blocks = [part.blocks[0] for part in local.regions]
        for number, cell in enumerate(cells):
            for value in (local.results[number], *(block.arguments[number] for block in blocks)):
                self.bind(cell, value)
        for number, part in enumerate(origin.regions):
            inner = Cursor(blocks[number])
            end = list(part.blocks[0].operations)[-1].operands
            if number == 1:
                steps, others = bring_back(local, cursor, inner, len(cells))
                self.carried += steps
                self.ahead |= take_ahead(inner, blocks[1], len(cells), others)
            self.read_block(part.blocks[0], inner)
            if number == 0:
                self.read_identities(origin, [self.take(origin)], inner, None)
            else:
                self.read_yields(origin, cells, list(end), inner)
        cursor.advance()
        self.read_after(cursor, cells, cells[0].region.last if cells else -1, None)

    def read_yields(self, origin: Any, cells: list[Cell], ends: list[Any], inner: Cursor) -> None:
        changed = [number for number, value in enumerate(ends) if self.program.cells.get(value) is not cells[number]]
        first = len(self.found.transfers)
        while self.read_transfer(inner) is not None:
            continue
        values, place = list(inner.op.operands), split_location(inner.op)[1]
        fresh = self.found.transfers[first:]
        places = {place, *(transfer.place for transfer in fresh)}
        for number in changed:
            op = self.take(origin)
            value = self.alias.get(values[number], values[number])
            for one in places:
                self.read_identity(op, value, fresh, one)
                if op.index in self.found.brought:
                    break

    def read_branches(self, origin: Any, cursor: Cursor) -> None:
        predicate = self.take(origin)
        self.read_before(cursor, predicate)
        local = self.skip_free(cursor)
        self.read_identity(predicate, self.alias.get(local.operands[0], local.operands[0]), self.fresh, "")
        results: list[Cell] = []
        for mine, theirs in zip(origin.regions, local.regions, strict=True):
            inner = Cursor(theirs.blocks[0])
            self.read_block(mine.blocks[0], inner)
            yields = [self.take(origin) for _ in list(mine.blocks[0].operations)[-1].operands]
            self.read_identities(origin, yields, inner, None)
            results = [op.results[0] for op in yields]
        cursor.advance()
        for cell, value in zip(results, local.results, strict=True):
            self.bind(cell, value)
        last = results[0].definitions[-1].index if results else -1
        self.read_after(cursor, results, last, None)


class Cursor:
    """A place in a block."""

    def __init__(self, block: Any) -> None:
        self.ops = [entry.operation for entry in block.operations]
        self.number = 0
        self.moved: list[Any] = []
        """Ops that are not in their place, as far as they are not read yet."""
        self.ahead: list[Any] = []
        """Those of all such ops that are computed for the next iteration."""
        self.begins: dict[Any, Any] = {}
        """By value that the body gives the next iteration: what it was in this one."""

    @property
    def op(self) -> Any:
        return self.ops[self.number] if self.number < len(self.ops) else None

    def advance(self) -> None:
        self.number += 1
