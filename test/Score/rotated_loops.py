"""Takes out of a local program what its loops gather an iteration ahead, so that the rest stands as in the program.

A block is a cursor of local_pieces.py: a list of ops, and how many of them are read.
"""

from __future__ import annotations

from typing import Any


def find_loops(ops: list[Any]) -> list[Any]:
    return [op for op in ops if op.name == "stablehlo.while"]


def drop_first(normal: Any, cursor: Any) -> None:
    """Takes out of a block what loops with rotated gathers gather first, in front of them."""
    gone: list[Any] = []
    origins = find_loops([entry.operation for entry in normal.operations])
    for origin, loop in zip(origins, find_loops(cursor.ops), strict=True):
        kept = len(origin.operands)
        first = set(list(loop.operands)[kept:])
        for op in reversed(cursor.ops[: cursor.ops.index(loop)]):
            uses = [use for result in op.results for use in result.uses]
            taken = [use.operand_number >= kept if use.owner == loop else use.owner in gone for use in uses]
            if any(result in first for result in op.results) and all(taken):
                first.update(op.operands)
                gone.append(op)
    passed = cursor.ops[: cursor.number]
    cursor.number = sum(op not in gone for op in passed)
    cursor.ops = [op for op in cursor.ops if op not in gone]


def take_ahead(inner: Any, block: Any, kept: int) -> dict[Any, list[Any]]:
    """Takes out of a body what is gathered for the next iteration, and the ops that lead to it. Gives, by the argument
    that stands for it in the body, the steps that gather it."""
    ends = list(inner.ops[-1].operands)
    yielded = {end: block.arguments[number] for number, end in enumerate(ends[:kept])}
    ahead: dict[Any, list[Any]] = {}
    for number, end in enumerate(ends[kept:]):
        steps = [end]
        while getattr(steps[0].owner.operands[0].owner, "name", "") == "stablehlo.all_gather":
            steps.insert(0, steps[0].owner.operands[0])
        ahead[block.arguments[kept + number]] = steps
    taken: list[Any] = []
    values = ends[kept:]
    while values:
        value = values.pop()
        if value not in yielded and value.owner in inner.ops and value.owner not in taken:
            taken.append(value.owner)
            values += value.owner.operands
    inner.begins = yielded
    inner.moved = [op for op in inner.ops if op in taken and op.name != "stablehlo.all_gather"]
    inner.moved_all = list(inner.moved)
    inner.ops = [op for op in inner.ops if op not in taken]
    return ahead
