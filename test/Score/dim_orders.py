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


def is_renaming(op: Op) -> bool:
    """Whether it only adds or drops dims of one element."""
    if op.name not in ("reshape", "broadcast_in_dim"):
        return False
    made, source = op.results[0], op.operands[0]
    return [size for size in made.shape if size != 1] == [size for size in source.shape if size != 1]


def rename(order: Order, source: Cell, made: Cell) -> Order:
    here, there = long_dims(made), long_dims(source)
    return tuple(here[there.index(dim)] for dim in order)


def outer_dims(whole: Cell, part: Cell) -> Order:
    return tuple(dim for dim in long_dims(whole) if part.shape[dim] == 1)


def is_changed(cell: Cell) -> bool:
    return cell.kind == "carried" and len(cell.definitions) > 1


def is_filled(cell: Cell) -> bool:
    """Whether a loop changes it and begins with what comes from constants alone."""
    return is_changed(cell) and cell.definitions[0].operands[0].is_light


def written_order(cell: Cell) -> Order:
    """What products ask of a value under whatever names it comes."""
    if cell.asked or cell.kind != "op" or not is_renaming(cell.definitions[0]):
        return cell.asked
    source = cell.definitions[0].operands[0]
    return rename(written_order(source), source, cell)


def find_asked(program: Program) -> None:
    """What the first product that reads a value, or a slice of it, asks for if it lies as its dims."""
    for op in reversed(program.ops):
        if op.name == "dot_general":
            for number, cell in enumerate(op.operands):
                orders = asked_orders(op, number)
                cell.asked = () if long_dims(cell) in orders else orders[number]
        elif len(op.results) == 1 and op.results[0].asked:
            made, source = op.results[0], op.operands[0]
            if is_renaming(op):
                source.asked = rename(made.asked, made, source)
            elif op.name in ("slice", "dynamic_slice"):
                source.asked = outer_dims(source, made) + made.asked


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
    if is_renaming(op):
        return rename(source.order, source, made)
    if op.name in ("slice", "dynamic_slice"):
        return tuple(dim for dim in source.order if made.shape[dim] != 1)
    if op.role == "update":
        piece = op.operands[1]
        order = piece.order or (written_order(piece) if is_filled(source) else ())
        return order and outer_dims(made, piece) + order
    return source.order if is_identity(op) else ()


def find_orders(program: Program) -> None:
    find_asked(program)
    for op in program.ops:
        if len(op.results) != 1:
            continue
        made = op.results[0]
        if made.kind == "op":
            order = order_of_result(op)
            made.order = () if list(order) == sorted(order) else order
        elif op.role == "yield":
            made.order = op.operands[0].order
        elif made.kind == "carried" and is_changed(op.operands[0]) and len(made.definitions) == 1:
            made.is_relaid = op.operands[0].order != made.asked
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
