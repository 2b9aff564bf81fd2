"""In which order the dims of values lie in memory, and who copies them for that: a second implementation."""

from __future__ import annotations

import re

from flat_program import Cell, Op, Program, is_identity

Order = tuple[int, ...]


def long_dims(cell: Cell) -> Order:
    return tuple(dim for dim, size in enumerate(cell.shape) if size != 1)


def lying(cell: Cell) -> Order:
    """Dims of more than one element, major to minor."""
    return cell.order or long_dims(cell)


def order_of_result(op: Op) -> Order:
    made = op.results[0]
    if op.role == "elementwise":
        turned = [cell for cell in op.operands if not cell.is_light and cell.order and cell.shape == made.shape]
        return turned[0].order if turned else ()
    if not op.operands:
        return ()
    source = op.operands[0]
    if op.name == "transpose":
        return () if source.is_light else tuple(op.permutation.index(dim) for dim in lying(source))
    if op.name in ("reshape", "broadcast_in_dim") and source.order:
        here, there = long_dims(made), long_dims(source)
        if [made.shape[dim] for dim in here] == [source.shape[dim] for dim in there]:
            return tuple(here[there.index(dim)] for dim in source.order)
    if op.name in ("slice", "dynamic_slice"):
        return tuple(dim for dim in source.order if made.shape[dim] != 1)
    if op.role == "update" and op.operands[1].order:
        filled = tuple(dim for dim in long_dims(made) if op.operands[1].shape[dim] == 1)
        return filled + op.operands[1].order
    return source.order if is_identity(op) else ()


def find_orders(program: Program) -> None:
    for op in program.ops:
        if len(op.results) != 1:
            continue
        made = op.results[0]
        if made.kind == "op":
            order = order_of_result(op)
            made.order = () if list(order) == sorted(order) else order
        elif op.role == "yield":
            made.order = op.operands[0].order
        elif made.kind == "carried" and op.operands[0].kind == "carried" and len(made.definitions) == 1:
            made.is_relaid = op.operands[0].order != ()
    cells = {id(cell): cell for op in program.ops for cell in op.operands}
    for cell in cells.values():
        if not cell.is_light:
            mark_copies(cell)


def read_dims(op: Op, name: str) -> Order:
    found = re.search(rf"{name} = \[([\d, ]*)\]", str(op.origin.attributes["dot_dimension_numbers"]))
    return tuple(map(int, found[1].split(","))) if found else ()


def asked_orders(op: Op, number: int) -> tuple[Order, Order]:
    """Batching, free and contracted dims; batching, contracted and free ones."""
    side = ("lhs", "rhs")[number]
    batching, contracted = (read_dims(op, f"{side}_{kind}_dimensions") for kind in ("batching", "contracting"))
    shape = op.operands[number].shape
    free = tuple(dim for dim in range(len(shape)) if dim not in batching + contracted)
    batching, free, contracted = (
        tuple(dim for dim in dims if shape[dim] != 1) for dims in (batching, free, contracted)
    )
    return batching + free + contracted, batching + contracted + free


def mark_copies(cell: Cell) -> None:
    """What comes from outside, or is updated in place, lies as it is wanted."""
    if cell.kind != "op":
        return
    made = cell.definitions[0]
    needed = made.name == "dot_general"
    if not needed and made.role not in ("elementwise", "movement", "slice", "reduction"):
        return
    asked: list[tuple[Op, int, Order]] = []
    for user, number in cell.uses:
        orders = asked_orders(user, number) if user.name == "dot_general" else (lying(cell),)
        if lying(cell) in orders:
            needed = True
        else:
            asked.append((user, number, orders[number]))
    for user, number, order in asked:
        if needed or order != asked[0][2]:
            user.copied.append(number)
