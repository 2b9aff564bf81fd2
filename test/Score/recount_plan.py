"""The peak of a plan, counted from its local program through jaxlib's reader by the rules of docs/cost.md.

    python test/Score/recount_plan.py normal.mlir local.mlir WINDOW LATE

`normal.mlir` is the program (`partita import`): which ops run as one kernel and who takes whose buffer is decided on
it. Everything else is read in `local.mlir`, op by op beside the program: how large each piece is, which reshards stand
where, which of them each op takes. WINDOW is the machine's issue window, LATE its late window. Shares no code with
Partita.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from flat_program import Cell, End, Op, Program, Region, find_body, find_main, is_identity
from issue_window import IssueWindow, Overlap, starts_free
from kernels import find_fusion
from late_products import find_latest
from local_pieces import LocalReader, Pieces, Transfer
from recount_memory import alive, find_ends, in_loop, is_later, may_alias


class PeakCounter:
    def __init__(
        self, program: Program, pieces: Pieces, aliased: dict[int, Cell], overlap: Overlap, window: IssueWindow
    ) -> None:
        self.program, self.pieces, self.aliased, self.overlap, self.window = program, pieces, aliased, overlap, window
        self.bytes_at = [0] * (len(program.ops) + 2)
        self.of_cell: dict[int, list[Transfer]] = {}
        brought = set(map(id, pieces.brought.values()))
        for transfer in pieces.transfers:
            if id(transfer) not in brought:
                self.of_cell.setdefault(id(transfer.cell), []).append(transfer)

    def add(self, size: int, span: tuple[int, int] | None) -> None:
        if span is not None and size > 0:
            self.bytes_at[span[0]] += size
            self.bytes_at[span[1] + 1] -= size

    def is_in_argument(self, op: Op) -> bool:
        argument = self.aliased.get(op.index)
        return argument is not None and may_alias(argument, op, self.program)

    def end_of(self, op: Op, number: int) -> End:
        if op.index in self.pieces.brought:
            return End(op.index)
        end = op.ends[number]
        return End(end.at, end.to_end, end.gives, end.aliased or self.is_in_argument(op))

    def home_of(self, at: int) -> Region:
        return self.program.root if at < 0 else self.program.ops[at].region

    def span(self, first: int, end: End | None, made: int | None = None) -> tuple[int, int] | None:
        """Of a form that comes into being at `first`; nothing needs it where there is no end. `made`: the op that it
        is made for, if that is not at `first`."""
        if end is None:
            end = End(first)
        if end.at < 0 and not end.to_end:
            end = End(0)
        made = first if made is None else made
        found = alive(max(first, 0), self.home_of(first), end, self.program, made)
        if end.least < 0:
            return found
        return (first, end.least) if found is None else (found[0], max(found[1], end.least))

    def ends_of(self, cell: Cell, carried: bool) -> dict[int, End]:
        """By transfer, 0 for the definition's form: until when it is needed."""
        ends: dict[int, End] = {}

        def extend(key: int, at: int, gives: bool) -> End:
            end = ends.setdefault(key, End(-1))
            if end.at < 0 or is_later(at, end.at, self.program):
                end.at, end.gives = at, gives
            elif at == end.at:
                end.gives |= gives
            return end

        for user, number in cell.uses:
            transfer = self.pieces.uses.get((user.index, number))
            if carried and transfer is None and in_loop(user.region, cell.region):
                continue
            use = self.end_of(user, number)
            end = extend(0 if transfer is None else id(transfer), use.at, use.gives)
            end.to_end |= use.to_end
            end.aliased |= use.aliased
        for transfer in self.of_cell.get(id(cell), []):
            inside = carried and transfer.is_before and in_loop(self.home_of(transfer.at), cell.region)
            if transfer.at < 0 or (transfer.source is None and inside):
                continue
            source = 0 if transfer.source is None else id(transfer.source)
            if not self.window.size or not self.overlap.is_late(transfer):
                extend(source, transfer.at, False)
                continue
            in_place = self.overlap.is_in_place(transfer)
            extend(source, transfer.at, in_place)
            key = id(transfer) if in_place else source
            extend(key, transfer.at, False).least = self.window.done[transfer.at]
        return ends

    def add_carried(self, transfer: Transfer, size: int) -> None:
        """From the loop's entry to its end."""
        body = self.home_of(transfer.at)
        cell = next(op.results[0] for op in self.program.ops if op.results and op.results[0].region is body
                    and op.results[0].kind == "carried")  # fmt: skip
        self.add(size, self.span(cell.definitions[0].index, End(body.last)))

    def add_transfer(self, transfer: Transfer, end: End | None) -> None:
        if transfer.carried:
            self.add_carried(transfer, transfer.carried)
        if transfer.is_rotated:
            # What the loop carries, and what is gathered meanwhile.
            self.add_carried(transfer, 2 * transfer.bytes)
            return
        first = self.window.issue[transfer.at] if self.overlap.is_gather(transfer) else transfer.at
        if end is None or not end.aliased:
            self.add(transfer.bytes, self.span(first, end, transfer.at))
        self.add(transfer.temporary, self.span(transfer.at, End(transfer.at)))

    def add_definition(self, op: Op, cell: Cell) -> None:
        transfers = self.of_cell.get(id(cell), [])
        if cell.is_fused and not transfers:
            return
        ends = self.ends_of(cell, False)
        own = ends.get(0)
        if cell.is_constant and not transfers and not (own is not None and own.to_end):
            return
        if not is_identity(op) and not (own is not None and own.aliased):
            self.add(self.pieces.bytes.get(id(cell), cell.bytes), self.span(op.index, own))
        for transfer in transfers:
            self.add_transfer(transfer, ends.get(id(transfer)))

    def add_copies(self, op: Op) -> None:
        for number in op.copied:
            transfer = self.pieces.uses.get((op.index, number))
            size = self.pieces.bytes[id(op.operands[number])] if transfer is None else transfer.bytes
            self.add(size, (op.index, op.index))
        self.add(self.pieces.temporary.get(op.index, 0), (op.index, op.index))

    def add_brought(self, op: Op, cell: Cell) -> None:
        transfer, last = self.pieces.brought.get(op.index), len(self.program.ops) - 1
        if transfer is None:
            if cell.kind == "result" and op.is_copied and not self.is_in_argument(op):
                source = self.pieces.uses.get((op.index, 0))
                size = self.pieces.bytes[id(op.operands[0])] if source is None else source.bytes
                self.add(size, (op.index, last))
            return
        end = End(op.index)
        if cell.kind == "result":
            end = End(op.index, to_end=True, aliased=op.index in self.aliased)
        elif cell.is_unchanged:
            end = End(op.ends[0].at, op.ends[0].to_end)
        else:
            end.aliased = cell.kind == "carried"
        self.add_transfer(transfer, end)

    def add_place(self, cell: Cell) -> None:
        carried, size, last = cell.kind == "carried", self.pieces.bytes[id(cell)], len(self.program.ops) - 1
        behind = -1
        if carried:
            behind = cell.region.last
        elif cell.kind == "branch":
            behind = cell.definitions[-1].index
        ends = self.ends_of(cell, carried)
        own = ends.get(0)
        if cell.kind == "argument":
            self.add(size, (0, last))
        elif cell.kind == "branch":
            self.add(size, self.span(behind, own))
        elif not cell.is_unchanged and not (own is not None and own.aliased):
            entry = cell.definitions[0].index
            first = self.window.issue[entry] if starts_free(cell.definitions[0]) else entry
            is_inside = own is None or (not own.to_end and own.at <= cell.region.last)
            self.add(size, self.span(first, End(cell.region.last) if is_inside else own, entry))
        for transfer in self.of_cell.get(id(cell), []):
            self.add_transfer(transfer, ends.get(id(transfer)))

    def count(self) -> int:
        places: dict[int, Cell] = {id(cell): cell for cell in self.program.arguments}
        for op in self.program.ops:
            self.add_copies(op)
            for cell in op.results:
                if cell.kind == "op":
                    self.add_definition(op, cell)
                    continue
                self.add_brought(op, cell)
                if cell.kind != "result":
                    places[id(cell)] = cell
        for cell in places.values():
            self.add_place(cell)
        peak = now = 0
        for change in self.bytes_at:
            now += change
            peak = max(peak, now)
        return peak


def find_pairs(main: Any, program: Program) -> dict[int, Cell]:
    """By the identity of a result: the donated argument that it is paired with."""
    pairs: dict[int, Cell] = {}
    attributes = list(main.attributes["arg_attrs"]) if "arg_attrs" in list(main.attributes) else []
    for argument, described in zip(program.arguments, attributes, strict=False):
        if found := re.search(r"tf\.aliasing_output = (\d+)", str(described)):
            pairs[program.results[int(found[1])].index] = argument
    return pairs


def count_plan(normal_text: str, local_text: str, window: int, late: int) -> int:
    with make_ir_context():
        normal, local = ir.Module.parse(normal_text), ir.Module.parse(local_text)
        block = find_body(find_main(normal))
        program = Program(block)
        find_fusion(program)
        find_latest(program, late)
        find_ends(program)
        local_main = find_main(local)
        pieces = LocalReader(program, block, find_body(local_main)).found
        overlap = Overlap(program, local_main)
        issue = IssueWindow(program, window)
        if late > 0:
            issue.advance_constants(program, overlap.phases)
            if (join := overlap.find_join()) is not None:
                issue.delay_reductions(program, join)
        if window > 0:
            issue.stop_at_barriers(program)
        return PeakCounter(program, pieces, find_pairs(local_main, program), overlap, issue).count()


def main() -> int:
    normal, local = (Path(path).read_text() for path in sys.argv[1:3])
    print(count_plan(normal, local, int(sys.argv[3]), int(sys.argv[4])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
