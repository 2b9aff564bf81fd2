"""Which ops of a flat program run as one kernel, by the rules of docs/cost.md: a second implementation."""

from __future__ import annotations

from math import prod

from jaxlib.mlir import ir

from dim_orders import find_orders, lying
from flat_program import Cell, Op, Program, is_identity

MAX_COPIES, MAX_ROW, MIN_SPREAD = 32, 1 << 13, 4
SLOW = {
    "atan2", "cosine", "power", "sine", "tan", "tanh",
    "bessel_i1e", "digamma", "erf_inv", "erfc", "lgamma", "polygamma", "zeta",
}  # fmt: skip


def is_prefix(op: Op) -> bool:
    """A cumulative sum or the like: windows that begin at the first element, or end at the last one."""
    if op.name != "reduce_window" or op.origin is None or "padding" not in op.origin.attributes:
        return False
    shape, made = op.operands[0].shape, op.results[0].shape
    sizes = list(ir.DenseI64ArrayAttr(op.origin.attributes["window_dimensions"]))
    padding = [int(edge) for edge in ir.DenseIntElementsAttr(op.origin.attributes["padding"])]
    edges = [tuple(padding[2 * dim : 2 * dim + 2]) for dim in range(len(shape))]
    return any(
        size == made[dim] and 2 <= size <= sizes[dim] and edges[dim] in ((sizes[dim] - 1, 0), (0, sizes[dim] - 1))
        for dim, size in enumerate(shape)
    )


def find_roles(program: Program) -> None:
    """Cumulative sums stand alone; reductions over dims of one element are reshapes."""
    for op in program.ops:
        if op.role != "reduction" or len(op.results) != 1:
            continue
        if is_prefix(op):
            op.role = "alone"
        elif op.reduced and op.operands[0].bytes == op.results[0].bytes:
            op.role = "movement"


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
    shape, dims = op.operands[0].shape, lying(op.operands[0])
    reduced = [dim for dim in op.reduced if shape[dim] != 1]
    size = prod(shape[dim] for dim in reduced)
    return sorted(dims[len(dims) - len(reduced) :]) == sorted(reduced) and 1 < size <= MAX_ROW


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
    """Those of them that are not much smaller than the result; of one source (not in sums), that of most to read."""
    found: dict[int, Cell] = {}
    for cell in heavy_operands(op):
        if cell.bytes * MIN_SPREAD > op.results[0].bytes:
            source = cell if is_sum(op) else source_of(cell)
            known = found.get(id(source))
            if known is None or cell.footprint > known.footprint:
                found[id(source)] = cell
    return list(found.values())


def source_of(cell: Cell) -> Cell:
    """What it is computed from elementwise, if that is one value."""
    return cell.source or cell


def find_narrow(program: Program) -> None:
    for op in program.ops:
        if not is_producer(op) or op.role not in ("movement", "elementwise"):
            continue
        cell = op.results[0]
        spreads = op.role == "movement" and len(op.operands) == 1
        spreads = spreads and op.operands[0].bytes * MIN_SPREAD <= cell.bytes
        cell.is_narrow = not cell.is_free and (spreads or all(operand.is_light for operand in op.operands))
        if not spreads and (cell.is_free or cell.is_narrow):
            before = max((operand.depth for operand in op.operands), default=0)
            cell.depth = before + (op.role == "elementwise")


def find_footprints(program: Program) -> None:
    """What has to be read to compute a value, if what leads to it from one other is computed, too."""
    for cell in program.arguments:
        cell.footprint = cell.bytes
    for op in program.ops:
        for cell in op.results:
            cell.footprint = cell.bytes
            matter = operands_that_matter(op)
            if is_producer(op) and not is_slow(op) and len(matter) <= 1:
                cell.footprint = min(cell.bytes, sum(other.footprint for other in matter))
                if matter and op.role == "elementwise":
                    cell.source = source_of(matter[0])


def find_transposed(program: Program) -> None:
    """What elementwise ops read in another order than theirs is moved, where it comes from."""
    for op in program.ops:
        if op.role != "elementwise" or len(op.results) != 1:
            continue
        made = op.results[0]
        for cell in op.operands:
            if not cell.is_light and len(cell.shape) == len(made.shape) and cell.order != made.order:
                find_moved(cell).is_transposed = True


def find_moved(cell: Cell) -> Cell:
    """The first value on the way up that has several uses or is computed from several, or elsewhere."""
    while len(cell.uses) == 1 and cell.kind == "op":
        op = cell.definitions[0]
        matter = operands_that_matter(op) if op.role == "elementwise" and is_producer(op) else []
        if len(matter) != 1 or matter[0].order != cell.order:
            break
        cell = matter[0]
    return cell


def is_widening(op: Op) -> bool:
    """At most one operand matters, and no more has to be read for that one than the result has."""
    matter = operands_that_matter(op)
    if len(matter) > 1:
        return False
    return op.role == "slice" or all(cell.footprint <= op.results[0].bytes for cell in matter)


def is_slow(op: Op) -> bool:
    """A function that takes longer to compute twice than to read."""
    return op.name.split(".")[-1] in SLOW and not op.results[0].is_light


def is_spelt_out(cell: Cell) -> bool:
    """Whether a slow function takes it in 16 bits: the code of that uses it many times."""
    return cell.bits == 16 and any(is_slow(user) and len(user.operands) == 1 for user, _ in cell.uses)


def is_sum(op: Op) -> bool:
    return op.name in ("add", "subtract")


def is_cheap(op: Op) -> bool:
    """Whether it may be computed in several kernels: it widens, or moves no more bytes so than if it were written."""
    if op.role == "reduction" or op.results[0].is_transposed or is_slow(op) or is_spelt_out(op.results[0]):
        return False
    uses, widens = op.results[0].uses, is_widening(op)
    if widens and not is_sum(op):
        return True
    read = sum(cell.footprint for cell in heavy_operands(op))
    is_worth_it = (len(uses) - 1) * read <= (len(uses) + 1) * op.results[0].bytes

    def may_recur(user: Op) -> bool:
        starts_over = is_producer(user) and user.role != "reduction" and user.name != "compare"
        starts_over = starts_over and not is_widening(user)
        return starts_over and (is_sum(user) or not widens)

    return (widens or is_worth_it) and not any(may_recur(user) for user, _ in uses)


def is_zero(cell: Cell) -> bool:
    op = cell.definitions[0] if cell.kind == "op" else None
    if op is None or op.name not in ("constant", "broadcast_in_dim", "reshape", "transpose", "convert"):
        return False
    if op.name != "constant":
        return is_zero(op.operands[0])
    value = op.origin.attributes["value"]
    return bool(value.is_splat) and float(value.get_splat_value().value) == 0


def find_filled(program: Program) -> dict[tuple[int, int], Op]:
    """By the op that adds a value to a scatter into zeros, and the number of that operand: the scatter. If the value is
    written before, the sum takes its buffer, and the scatter has none."""
    found: dict[tuple[int, int], Op] = {}
    for op in program.ops:
        if op.name != "scatter" or len(op.results) != 1 or len(op.operands) != 3 or not is_zero(op.operands[0]):
            continue
        if len(op.results[0].uses) != 1 or op.results[0].uses[0][0].name != "add":
            continue
        user, number = op.results[0].uses[0]
        other = user.operands[1 - number]
        if user.region is not op.region or other.kind != "op" or other.is_light:
            continue
        made = other.definitions[0]
        if made.index > op.index or made.region is not op.region:
            continue
        if is_producer(made):
            found[user.index, 1 - number] = op
        else:
            op.results[0].is_fused = True
    return found


def find_kernels(program: Program) -> None:
    filled = find_filled(program)
    for op in reversed(program.ops):
        op.is_elementwise = op.role == "elementwise"
        found: list[Op] = []
        may_fuse, elementwise = is_producer(op), op.is_elementwise
        for user, number in op.results[0].uses if may_fuse else ():
            if not is_consumer(user, number) or user.region is not op.region or len(found) > MAX_COPIES:
                may_fuse = False
                break
            user = filled.get((user.index, number), user)
            elementwise = elementwise and user.is_elementwise
            found += [kernel for kernel in user.kernels if kernel not in found]
        op.kernel, op.kernels = op, [op]
        if op.role == "reduction" and len(found) == 1:
            may_fuse = may_fuse and prod(found[0].results[0].shape) >= prod(op.operands[0].shape)
        if may_fuse and (len(found) == 1 or (1 < len(found) <= MAX_COPIES and is_cheap(op))):
            op.results[0].is_fused = True
            op.kernels = found
            op.kernel = max(found, key=lambda kernel: kernel.index)
            op.is_elementwise = elementwise and len(found) == 1
    find_views(program)


def find_views(program: Program) -> None:
    """Reshapes that would be kernels of their own: the operand's buffer under another shape."""
    for op in program.ops:
        if op.name == "reshape" and is_producer(op):
            (operand,), (result,) = op.operands, op.results
            if (not operand.order or result.order) and not (operand.is_fused or result.is_fused or operand.is_free):
                op.role = "identity"


def find_fusion(program: Program) -> None:
    find_roles(program)
    find_constants(program)
    find_narrow(program)
    find_orders(program)
    find_footprints(program)
    find_transposed(program)
    find_kernels(program)
