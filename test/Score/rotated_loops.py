"""Takes out of a local program what its loops gather an iteration ahead, and brings back what they reduce an iteration
later, so that the rest stands as in the program.

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


REDUCTIONS = ("stablehlo.all_reduce", "stablehlo.reduce_scatter")


def find_reduced(block: Any, kept: int) -> list[int]:
    """The numbers of carried values that a body reduces."""
    numbers = range(kept, len(block.arguments))
    return [n for n in numbers if any(use.owner.name in REDUCTIONS for use in block.arguments[n].uses)]


def follow(block: Any, inner: Any, reduced: list[int]) -> list[Any]:
    """The ops that depend on what a body reduces, without barriers, in order."""
    todo = [block.arguments[number] for number in reduced]
    found: list[Any] = []
    for value in todo:
        for use in value.uses:
            if use.owner.name == "stablehlo.optimization_barrier":
                todo.append(use.owner.results[use.operand_number])
            elif use.owner != inner.ops[-1] and use.owner not in found:
                found.append(use.owner)
                todo += use.owner.results
    # Slices of what they change.
    ends = list(inner.ops[-1].operands)
    states = [block.arguments[number] for number, end in enumerate(ends) if end.owner in found]
    taken = [operand.owner for op in found for operand in op.operands]
    slices = [op for op in taken if getattr(op, "name", "") == "stablehlo.dynamic_slice" and op.operands[0] in states]
    return [op for op in inner.ops if op in found or op in slices]


def drop_barriers(inner: Any, suffix: list[Any]) -> None:
    for op in list(inner.ops):
        if op.name == "stablehlo.optimization_barrier" and any(each.owner in suffix for each in op.operands):
            inner.ops.remove(op)
            for result, operand in zip(op.results, op.operands, strict=True):
                result.replace_all_uses_with(operand)


def complete(loop: Any, cursor: Any, suffix: list[Any], ends: list[Any]) -> None:
    """What the suffix gives behind a loop, the loop itself gives."""
    first, names = cursor.ops.index(loop) + 1, [op.name for op in suffix]
    behind: list[Any] = []
    for op in cursor.ops[first:]:
        if len(behind) < len(names) and op.name == names[len(behind)]:
            behind.append(op)
    assert len(behind) == len(suffix)
    for number, end in enumerate(ends):
        if end.owner in suffix:
            completed = behind[suffix.index(end.owner)].results[0]
            completed.replace_all_uses_with(loop.results[number])
    cursor.ops = [op for op in cursor.ops if op not in behind]


def bring_back(loop: Any, cursor: Any, inner: Any, kept: int) -> tuple[list[Any], set[int]]:
    """Puts reductions of the iteration before behind what they reduce, and all that depends on them to what is computed
    elsewhere. Gives the first step of each, and the numbers of what is carried for them."""
    block = loop.regions[1].blocks[0]
    if not (reduced := find_reduced(block, kept)):
        return [], set()
    suffix, ends = follow(block, inner, reduced), list(inner.ops[-1].operands)
    drop_barriers(inner, suffix)
    complete(loop, cursor, suffix, ends[:kept])
    taken = {n for n in range(kept, len(ends)) if any(use.owner in suffix for use in block.arguments[n].uses)}
    for number in taken:
        block.arguments[number].replace_all_uses_with(ends[number])
    chains = [op for op in suffix if op.name in REDUCTIONS or str(op.location).startswith('loc("partita/reduce"')]
    inner.ops = [op for op in inner.ops if op not in suffix]
    for op in chains:
        inner.ops.insert(inner.ops.index(op.operands[0].owner) + 1, op)
    inner.moved = [op for op in suffix if op not in chains]
    return [op for op in chains if op.operands[0] in [ends[n] for n in reduced]], taken


def take_ahead(inner: Any, block: Any, kept: int, others: set[int]) -> dict[Any, list[Any]]:
    """Takes out of a body what is gathered for the next iteration, and the ops that lead to it. Gives, by the argument
    that stands for it in the body, the steps that gather it. `others` are carried values that are not gathered."""
    ends = list(inner.ops[-1].operands)
    yielded = {end: block.arguments[number] for number, end in enumerate(ends[:kept])}
    ahead: dict[Any, list[Any]] = {}
    for number, end in enumerate(ends[kept:]):
        if kept + number in others:
            continue
        steps = [end]
        while getattr(steps[0].owner.operands[0].owner, "name", "") == "stablehlo.all_gather":
            steps.insert(0, steps[0].owner.operands[0])
        ahead[block.arguments[kept + number]] = steps
    taken: list[Any] = []
    values = [end for number, end in enumerate(ends) if number >= kept and number not in others]
    while values:
        value = values.pop()
        if value not in yielded and value.owner in inner.ops and value.owner not in taken:
            taken.append(value.owner)
            values += value.owner.operands
    inner.begins = yielded
    inner.moved += [op for op in inner.ops if op in taken and op.name != "stablehlo.all_gather"]
    inner.ahead = [op for op in inner.moved if op in taken]
    inner.ops = [op for op in inner.ops if op not in taken]
    return ahead
