"""How much later products may run than they stand: a second implementation of "Late products" of docs/cost.md."""

from __future__ import annotations

from flat_program import Cell, Op, Program, Region
from issue_window import IssueWindow, is_barrier

PRODUCTS = {"dot", "dot_general", "convolution", "einsum", "ragged_dot"}


def is_product(op: Op) -> bool:
    return op.name in PRODUCTS


def may_wait(op: Op) -> bool:
    if len(op.results) != 1 or op.results[0].kind != "op":
        return False
    return is_product(op) or op.role in ("elementwise", "movement", "slice", "reduction", "constant")


def find_first_ops(program: Program) -> dict[int, int]:
    """By region: the index of its first op, those of inner regions counted."""
    first: dict[int, int] = {}
    for op in program.ops:
        region: Region | None = op.region
        while region is not None:
            first.setdefault(id(region), op.index)
            region = region.parent
    return first


def first_need(cell: Cell, home: Region, needs: dict[int, int], first: dict[int, int]) -> int | None:
    """The first op that needs a cell which is made in `home`; loops and branches need it where they begin."""
    found = []
    for user, _ in cell.uses:
        region: Region | None = user.region
        if region is home:
            found.append(needs[user.index])
            continue
        while region is not None and region.parent is not home:
            region = region.parent
        found.append(user.index if region is None else first[id(region)])
    return min(found, default=None)


def describe(op: Op) -> tuple[object, ...]:
    """What products of the same place in two layers have in common."""
    return id(op.region), op.name, *((cell.bits, cell.shape) for cell in (*op.operands, *op.results))


def find_latest(program: Program, size: int) -> None:
    """Sets `latest` of each op: the last op up to which it may run later."""
    first, done = find_first_ops(program), IssueWindow(program, size).done
    needs: dict[int, int] = {}
    alike: dict[tuple[object, ...], int] = {}
    following: dict[int, range] = {}
    for op in reversed(program.ops):
        op.latest = needs[op.index] = op.index
        if is_barrier(op):
            # One op for each value that passes it.
            known = following.get(id(op.region), range(-1, 0))
            end = known.stop if known.start == op.index + 1 else op.index + 1
            following[id(op.region)] = range(op.index, end)
        if not may_wait(op):
            continue
        need = first_need(op.results[0], op.region, needs, first)
        needs[op.index] = op.index if need is None else max(op.index, need - 1)
        if is_product(op):
            limit = min(done[op.index], alike.get(describe(op), done[op.index]))
            if need is not None and need in following.get(id(op.region), ()):
                limit = need
            op.latest = needs[op.index] = min(needs[op.index], limit)
            alike[describe(op)] = op.index
