"""Which reshards overlap with compute, and how far: a second implementation of "What overlaps" of docs/cost.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from jaxlib.mlir import ir

from flat_program import Cell, Op, Program, is_identity
from local_pieces import Transfer, name_of

LATE_ROLES = ("identity", "yield", "elementwise", "movement", "slice", "update", "reduction")
MAX_CHAIN = 64


def strip_name(name: str, is_result: bool) -> str:
    """A name without its first component: `state.params['w']` and `result[0].params['w']` are `.params['w']`."""
    found = re.match(r"result\[\d+\]" if is_result else r"(?!)", name) or re.match(r"[^.\[]*", name)
    assert found is not None
    return name[found.end() :]


def find_ties(main: Any, program: Program) -> list[tuple[Cell, Op]]:
    """Arguments, each with the identity that returns its next state: by names and types, alike ones in order."""
    if "res_attrs" not in list(main.attributes):
        return []
    results = [ir.DictAttr(attributes) for attributes in main.attributes["res_attrs"]]
    types = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    named: dict[tuple[str, str], tuple[list[Cell], list[Op]]] = {}
    for argument, value, kind in zip(program.arguments, main.regions[0].blocks[0].arguments, types.inputs, strict=True):
        if rest := strip_name(str(value.location)[5:-2], False):
            named.setdefault((rest, str(kind)), ([], []))[0].append(argument)
    for op, attributes, kind in zip(program.results, results, types.results, strict=True):
        name = ir.StringAttr(attributes["jax.result_info"]).value if "jax.result_info" in attributes else ""
        key = (strip_name(name, True), str(kind))
        if key[0] and key in named:
            named[key][1].append(op)
    ties: list[tuple[Cell, Op]] = []
    for arguments, ops in named.values():
        if len(arguments) == 1 or len(arguments) == len(ops):
            ties += zip(arguments, ops, strict=False)
    return ties


def grow(cells: Iterable[Cell], backward: bool, barrier: set[int]) -> set[int]:
    """The ops that the cells depend on, or that depend on them, up to those of `barrier`."""
    found: set[int] = set()
    todo = list(cells)
    while todo:
        cell = todo.pop()
        for op in cell.definitions if backward else [user for user, _ in cell.uses]:
            if op.index not in barrier and op.index not in found:
                found.add(op.index)
                todo += op.operands if backward else op.results
    return found


def own_update(argument: Cell, result: Op, forward: set[int]) -> set[int]:
    """Elementwise ops from a tied result back to the op that reads its argument."""
    todo = [result.results[0]]
    chain: list[int] = []
    while todo and len(chain) < MAX_CHAIN:
        for op in todo.pop().definitions:
            is_on_chain = op.role in ("identity", "elementwise")
            if op.index in forward or not is_on_chain or op.index in chain:
                continue
            chain.append(op.index)
            if argument in op.operands:
                return set(chain)
            todo += op.operands
    return set()


def is_forward_state(result: Op, forward: set[int]) -> bool:
    """Whether all that a tied result is computed from, element by element, is of the forward pass: a cache, statistics.

    Parameters of the zoo are computed from gradients, which are not.
    """
    todo, seen = [result.results[0]], set()
    while todo:
        for op in todo.pop().definitions:
            is_broadcast = op.role == "movement" and op.operands[0].bytes < op.results[0].bytes
            if op.index in seen or op.role == "constant" or is_broadcast:
                continue
            seen.add(op.index)
            if op.role in ("identity", "yield", "elementwise"):
                todo += op.operands
            elif op.index not in forward:
                return False
    return True


def find_norms(program: Program, forward: set[int], update: set[int]) -> set[int]:
    """Reductions of gradients to one number that no product of the backward pass needs, what depends on them, and what
    leads to them alone."""
    products = [
        op for op in program.ops if op.name in ("dot_general", "convolution") and op.index not in forward | update
    ]
    needed = grow((cell for op in products for cell in op.operands), True, forward)
    norms = [
        op
        for op in program.ops
        if op.role == "reduction" and op.index not in forward | update | needed
        if not op.results[0].shape and op.operands[0].shape
    ]
    found = update | {op.index for op in norms} | grow((op.results[0] for op in norms), False, forward)
    if not norms:
        return update
    todo = [cell for op in program.ops if op.index in found for cell in op.operands]
    while todo:
        for op in todo.pop().definitions:
            is_own = all(user.index in found for cell in op.results for user, _ in cell.uses)
            if op.role in ("elementwise", "movement", "slice") and op.index not in forward | found and is_own:
                found.add(op.index)
                todo += op.operands
    return found


def find_phases(program: Program, ties: list[tuple[Cell, Op]]) -> list[str]:
    """By op."""
    tied = {op.index for _, op in ties}
    forward = grow((op.results[0] for op in program.results if op.index not in tied), True, set())
    others = [op for _, op in ties if is_forward_state(op, forward)]
    if len(others) == len(ties):
        return ["forward"] * len(program.ops)
    forward |= grow((op.results[0] for op in others if op.results[0].shape), True, set())
    state = [argument for argument, _ in ties if all(user.index not in forward for user, _ in argument.uses)]
    update = grow(state, False, forward)
    for argument, op in ties:
        update |= own_update(argument, op, forward)
    update = find_norms(program, forward, update)
    return ["forward" if op.index in forward else "update" if op.index in update else "backward" for op in program.ops]


class Overlap:
    """Parameters, which can be gathered ahead, and late values, of which a reduction can end later."""

    def __init__(self, program: Program, main: Any) -> None:
        self.program = program
        ties = find_ties(main, program)
        self.tied = {id(op.results[0]): argument for argument, op in ties}
        self.phases = find_phases(program, ties)
        self.parameters = {id(cell) for cell in program.arguments}
        for op in program.ops:
            if self.passes_on(op) and id(op.operands[0]) in self.parameters:
                cell = op.results[0]
                if cell.kind == "op" or (cell.kind == "carried" and len(cell.definitions) == 1):
                    self.parameters.add(id(cell))
        self.not_late: set[int] = set()
        self.find_late()

    @staticmethod
    def passes_on(op: Op) -> bool:
        if not op.operands or len(op.results) != 1 or op.name == "gather":
            return False
        if op.role == "slice":
            return True
        is_converted = op.role == "elementwise" and op.name == "convert"
        return len(op.operands) == 1 and (is_identity(op) or op.role == "movement" or is_converted)

    def is_late_use(self, cell: Cell, op: Op) -> bool:
        # What a loop carries is given by its yield.
        if cell.definitions and self.phases[op.index] != self.phases[cell.definitions[-1].index]:
            return True
        return op.role in LATE_ROLES and all(id(result) not in self.not_late for result in op.results)

    def is_late_result(self, cell: Cell) -> bool:
        """A tied result is used as its argument is, in the next step."""
        phase = self.phases[cell.definitions[0].index]
        return id(cell) in self.tied and all(
            self.phases[user.index] != phase or user.role in LATE_ROLES for user, _ in self.tied[id(cell)].uses
        )

    def find_late(self) -> None:
        """All values are late until a use shows that they are not."""
        cells = [*self.program.arguments, *(cell for op in self.program.ops for cell in op.results)]
        todo = cells
        while todo:
            changed = []
            for cell in todo:
                if id(cell) in self.not_late:
                    continue
                is_late = (
                    self.is_late_result(cell)
                    if cell.kind == "result"
                    else all(self.is_late_use(cell, user) for user, _ in cell.uses)
                )
                if not is_late:
                    self.not_late.add(id(cell))
                    changed += [operand for op in cell.definitions for operand in op.operands]
            todo = changed

    def is_gradient(self, cell: Cell, user: Op) -> bool:
        """Whether an op of the update takes a late value of an earlier phase."""
        if not cell.definitions or id(cell) in self.not_late or cell.is_free:
            return False
        return self.phases[cell.definitions[-1].index] != "update" and self.phases[user.index] == "update"

    def find_join(self) -> Op | None:
        """The first op of the update that depends on all gradients, if a tied result depends on it."""
        useful = grow((op.results[0] for op in self.program.results if id(op.results[0]) in self.tied), True, set())
        gradients = {id(cell) for op in self.program.ops for cell in op.operands if self.is_gradient(cell, op)}
        if len(gradients) < 2:
            return None
        needs: dict[int, set[int]] = {}
        for op in self.program.ops:
            if self.phases[op.index] != "update":
                continue
            found: set[int] = set()
            for cell in op.operands:
                found |= {id(cell)} if self.is_gradient(cell, op) else needs.get(id(cell), set())
            if found == gradients and op.index in useful and op.region is self.program.root:
                return op
            for cell in op.results:
                needs[id(cell)] = found
        return None

    def is_gather(self, transfer: Transfer) -> bool:
        """Whether it gathers a parameter right before a use."""
        is_parameter = transfer.is_before and id(transfer.cell) in self.parameters
        return is_parameter and not self.reduces(transfer) and "all_gather" in kinds_of(transfer)

    def is_late(self, transfer: Transfer) -> bool:
        """Whether it reduces, right behind an op, what nothing in the phase waits for."""
        is_behind = not transfer.is_before and transfer.cell.kind == "op"
        return is_behind and self.reduces(transfer) and id(transfer.cell) not in self.not_late

    @staticmethod
    def reduces(transfer: Transfer) -> bool:
        return any(kind in ("all_reduce", "reduce_scatter") for kind in kinds_of(transfer))

    @staticmethod
    def is_in_place(transfer: Transfer) -> bool:
        return kinds_of(transfer) == ["all_reduce"]


def kinds_of(transfer: Transfer) -> list[str]:
    if transfer.kind:
        return [transfer.kind]
    return [name_of(value.owner) for value in transfer.values]


def is_barrier(op: Op) -> bool:
    return is_identity(op) and op.origin is not None and op.origin.name == "stablehlo.optimization_barrier"


def starts_free(op: Op) -> bool:
    """Whether it is the entry of a loop for a value that is computed from constants."""
    is_entry = is_identity(op) and op.results[0].kind == "carried" and op is op.results[0].definitions[0]
    return is_entry and op.operands[0].is_free


def find_early_constants(program: Program, phases: list[str]) -> dict[int, int]:
    """Of constants that loops start from, by entry: where they are written, those of one type and phase at once, behind
    the loop before the first of them."""
    begins: dict[int, int] = {}
    written: dict[tuple[Any, ...], int] = {}
    found: dict[int, int] = {}
    previous: Op | None = None
    for op in program.ops:
        if previous is None or previous.region is not op.region:
            begins[id(op.region)] = op.index
        previous = op
        if starts_free(op):
            cell = op.operands[0]
            key = (id(op.region), phases[op.index], cell.bits, cell.shape)
            found[op.index] = written.setdefault(key, begins[id(op.region)])
    return found


class IssueWindow:
    """For each op, how far transfers that overlap reach before and behind it, by ops that stand alone."""

    def __init__(self, program: Program, size: int) -> None:
        self.size = size
        self.issue = self.reach(program.ops)
        self.done = self.reach(program.ops[::-1])

    def delay_reductions(self, program: Program, join: Op) -> None:
        """Reductions that `join` waits for are done there."""
        for op in program.ops[: join.index]:
            if op.region is join.region:
                self.done[op.index] = max(self.done[op.index], join.index)

    def stop_at_barriers(self, program: Program) -> None:
        """What a reduction behind a barrier makes is there before the next barrier that it passes."""
        barriers = [op for op in program.ops if is_barrier(op)]
        passed = {id(op.operands[0]): op.index for op in reversed(barriers)}
        for op in barriers:
            last = passed.get(id(op.results[0]))
            if last is not None and last <= self.done[op.index]:
                self.done[op.index] = last - 1

    def advance_constants(self, program: Program, phases: list[str]) -> None:
        for entry, first in find_early_constants(program, phases).items():
            self.issue[entry] = min(self.issue[entry], first)

    def reach(self, ops: list[Op]) -> list[int]:
        """For each op, the farthest of its region before it in `ops`. Loops and branches count as one op."""
        found = [op.index for op in sorted(ops, key=lambda op: op.index)]
        recent: dict[int, list[int]] = {}
        latest: dict[int, int] = {}
        previous: Op | None = None
        for op in ops if self.size > 0 else []:
            region = id(op.region)
            passed = recent.setdefault(region, [op.index] * self.size)
            if previous is not None and previous.region is not op.region and region in latest:
                passed[:] = [*passed[1:], latest[region]]
            found[op.index] = passed[0]
            if op.role == "alone":
                passed[:] = [*passed[1:], op.index]
            latest[region], previous = op.index, op
        return found
