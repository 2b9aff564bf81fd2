"""gather, scatter and torch_index_select: random dimension numbers, repeated and out-of-range indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from element_types import small, tensor_type, type_of
from op_cases.case import Case, array_attribute, make_case, simple
from op_cases.shape import MOVABLE, draw

Generator = np.random.Generator
INDEX_TYPES = ["i8", "i32", "i64", "ui8", "ui32"]


@dataclass(frozen=True)
class Plan:
    """Dimension numbers that gather and scatter share, in gather's words.

    Dims of the operand are batching, collapsed, or windowed; `indexed` are those that an index addresses. The result
    (scatter: the updates) has the batch dims of the indices and the windowed dims of the operand.
    """

    operand: tuple[int, ...]
    indices: tuple[int, ...]
    result: tuple[int, ...]
    slices: tuple[int, ...]
    window_dims: tuple[int, ...]
    collapsed: tuple[int, ...]
    operand_batching: tuple[int, ...]
    indices_batching: tuple[int, ...]
    indexed: tuple[int, ...]
    index_vector_dim: int
    index_values: np.ndarray


def sizes_of(random: Generator, count: int, least: int = 1) -> list[int]:
    return [int(size) for size in random.integers(least, 5, count)]


def draw_indices(random: Generator, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Mostly in range, with some before and after."""
    return small(random, shape, kind, most=6 if random.integers(2) else 3)


def make_plan(random: Generator) -> Plan:
    batching, free = int(random.integers(0, 3)), int(random.integers(0, 3))
    rank = batching + int(random.integers(0 if batching else 1, 3))
    operand = sizes_of(random, rank)
    order = [int(dim) for dim in random.permutation(rank)]
    operand_batching = order[:batching]
    rest = order[batching:]
    least_indexed = min(len(rest), int(random.integers(6) > 0))
    indexed = rest[: random.integers(least_indexed, len(rest) + 1)]
    collapsed = sorted(dim for dim in indexed if random.integers(2))
    batch_count = batching + free
    batch_order = [int(dim) for dim in random.permutation(batch_count)]
    batch_sizes = sizes_of(random, batch_count)
    for dim, position in zip(operand_batching, batch_order, strict=False):
        batch_sizes[position] = operand[dim]
    implicit = len(indexed) == 1 and bool(random.integers(2))
    vector_dim = batch_count if implicit else int(random.integers(0, batch_count + 1))
    indices = list(batch_sizes)
    if not implicit:
        indices.insert(vector_dim, len(indexed))
    # Positions count the dims of the indices, with the index vector among them.
    positions = [p if implicit or p < vector_dim else p + 1 for p in batch_order[:batching]]
    # Batching dims in ascending order on the operand's side, as the verifiers want them.
    paired = sorted(zip(operand_batching, positions, strict=True))
    slices = [
        1 if d in operand_batching or d in collapsed else int(random.integers(1, operand[d] + 1)) for d in range(rank)
    ]
    windows = [slices[d] for d in range(rank) if d not in operand_batching and d not in collapsed]
    result_rank = batch_count + len(windows)
    window_dims = sorted(int(d) for d in random.permutation(result_rank)[: len(windows)])
    window_sizes, other_sizes = iter(windows), iter(batch_sizes)
    result = [next(window_sizes) if d in window_dims else next(other_sizes) for d in range(result_rank)]
    kind = str(random.choice(INDEX_TYPES))
    return Plan(
        tuple(operand),
        tuple(indices),
        tuple(result),
        tuple(slices),
        tuple(window_dims),
        tuple(collapsed),
        tuple(pair[0] for pair in paired),
        tuple(pair[1] for pair in paired),
        tuple(indexed),
        vector_dim,
        draw_indices(random, tuple(indices), kind),
    )


def numbers_text(fields: dict[str, tuple[int, ...]], index_vector_dim: int) -> str:
    """The fields that are not empty, and the index vector's dim."""
    parts = [f"{name} = [{', '.join(map(str, dims))}]" for name, dims in fields.items() if dims]
    return ", ".join([*parts, f"index_vector_dim = {index_vector_dim}"])


def gather(random: Generator) -> Iterator[Case]:
    for element in MOVABLE:
        for _ in range(8):
            plan = make_plan(random)
            fields = {
                "offset_dims": plan.window_dims,
                "collapsed_slice_dims": plan.collapsed,
                "operand_batching_dims": plan.operand_batching,
                "start_indices_batching_dims": plan.indices_batching,
                "start_index_map": plan.indexed,
            }
            text = numbers_text(fields, plan.index_vector_dim)
            attributes = f"dimension_numbers = #stablehlo.gather<{text}>, slice_sizes = {array_attribute(plan.slices)}"
            inputs = [draw(random, plan.operand, element), plan.index_values]
            yield simple("stablehlo.gather", inputs, plan.result, element, attributes)


SCATTER_BODIES = {
    "update": "",
    "add": "stablehlo.add",
    "multiply": "stablehlo.multiply",
    "maximum": "stablehlo.maximum",
    "minimum": "stablehlo.minimum",
}
INTEGER_BODIES = {"and": "stablehlo.and", "or": "stablehlo.or", "xor": "stablehlo.xor"}


def scatter_body(op: str, elements: list[str]) -> str:
    scalars = [tensor_type((), element) for element in elements]
    count = len(elements)
    arguments = [f"%x{i}: {scalar}" for i, scalar in enumerate(scalars)]
    arguments += [f"%y{i}: {scalar}" for i, scalar in enumerate(scalars)]
    lines = [f"^bb0({', '.join(arguments)}):"]
    lines += [f"%z{i} = {op} %x{i}, %y{i} : {scalar}" for i, scalar in enumerate(scalars)] if op else []
    returned = ", ".join(f"%{'z' if op else 'y'}{i}" for i in range(count))
    return "({\n" + "\n".join([*lines, f"stablehlo.return {returned} : {', '.join(scalars)}"]) + "\n})"


def scatter_case(random: Generator, op: str, elements: list[str]) -> Case:
    plan = make_plan(random)
    while not plan.indexed and plan.index_values.ndim > 1:
        # Several updates at no index at all meet in one place; XLA on the CPU then takes one of them and drops others.
        plan = make_plan(random)
    fields = {
        "update_window_dims": plan.window_dims,
        "inserted_window_dims": plan.collapsed,
        "input_batching_dims": plan.operand_batching,
        "scatter_indices_batching_dims": plan.indices_batching,
        "scatter_dims_to_operand_dims": plan.indexed,
    }
    text = numbers_text(fields, plan.index_vector_dim)
    operands = [small(random, plan.operand, element) for element in elements]
    updates = [small(random, plan.result, element) for element in elements]
    inputs = [*operands, plan.index_values, *updates]
    count = len(elements)
    names = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(type_of(array) for array in inputs)
    results = [type_of(array) for array in operands]
    prefix = "%r" if count == 1 else f"%r:{count}"
    body = f"""{prefix} = "stablehlo.scatter"({names}) <{{scatter_dimension_numbers = #stablehlo.scatter<{text}>}}>
      {scatter_body(SCATTER_BODIES.get(op) or INTEGER_BODIES.get(op, ""), elements)}
      : ({types}) -> ({", ".join(results)})"""
    return make_case("stablehlo.scatter", body, inputs, results, f"{op} {text}")


def scatter(random: Generator) -> Iterator[Case]:
    for element in [kind for kind in MOVABLE if kind not in ("f4E2M1FN", "f8E8M0FNU")]:
        bodies = ["update", "add", "multiply", "maximum", "minimum"]
        if element.startswith("complex"):
            bodies = bodies[:3]
        elif element == "i1" or element.lstrip("u")[0] == "i":
            bodies += list(INTEGER_BODIES)
        for op in bodies:
            for _ in range(2):
                yield scatter_case(random, op, [element])
    for op in ("update", "add"):
        for pair in (["f32", "i32"], ["i8", "f64"], ["bf16", "bf16"]):
            yield scatter_case(random, op, pair)


def torch_index_select(random: Generator) -> Iterator[Case]:
    for element in MOVABLE:
        for kind in ("i32", "i64"):
            operand = tuple(sizes_of(random, 3))
            batch = int(random.integers(0, 2))
            dim = int(random.integers(batch, 3))
            indices = (*operand[:batch], int(random.integers(1, 4)))
            inside = random.integers(0, operand[dim], indices).astype(np.dtype(f"int{kind[1:]}"))
            result = (*operand[:dim], *indices[batch:], *operand[dim + 1 :])
            inputs = [draw(random, operand, element), inside]
            attributes = f"dim = {dim} : i64, batch_dims = {batch} : i64"
            yield simple("stablehlo.torch_index_select", inputs, result, element, attributes)


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [gather, scatter, torch_index_select]
