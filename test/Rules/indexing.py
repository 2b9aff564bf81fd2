"""Instances of gather and scatter in full generality."""

from __future__ import annotations

import random
from dataclasses import dataclass

from instance import (
    ALL_TYPES,
    INDEX_TYPES,
    MOVED_TYPES,
    Function,
    Value,
    binary_region,
    combiners_of,
    dims_within,
    numbers,
    region,
)


@dataclass
class Indexing:
    """How windows of an operand and index vectors meet, for gather (result) and scatter (updates) alike."""

    operand: list[int]
    indices: list[int]
    window: list[int]  # sizes along the operand's dims
    collapsed: list[int]
    operand_batch: list[int]
    indices_batch: list[int]
    index_map: list[int]
    vector_dim: int
    result: list[int]
    offset_dims: list[int]


def make_indexing(rng: random.Random) -> Indexing:
    rank = rng.choice((1, 1, 2, 2, 3, 3, 4))
    operand = dims_within(rng, rank, 200)
    batch_rank = rng.choice((0, 1, 1, 1, 2))
    positions = dims_within(rng, batch_rank, 12)
    shared = rng.choice((0, 0, 0, 1, 1, 2))
    operand_batch = sorted(rng.sample(range(rank), min(shared, rank - 1, batch_rank)))
    indices_batch = rng.sample(range(batch_rank), len(operand_batch))
    for dim, position in zip(operand_batch, indices_batch, strict=True):
        positions[position] = operand[dim]
    rest = [d for d in range(rank) if d not in operand_batch]
    index_map = rng.sample(rest, rng.randint(0 if rng.random() < 0.1 else 1, len(rest)))
    window = [1 if d in operand_batch else operand[d] if d not in index_map or rng.random() < 0.25
              else rng.choice((1, 1, rng.randint(1, max(operand[d], 1)))) for d in range(rank)]  # fmt: skip
    for dim in rest:
        if dim not in index_map and rng.random() < 0.15:
            window[dim] = rng.randint(1, max(operand[dim], 1))
    collapsed = [d for d in rest if window[d] == 1 and rng.random() < 0.75]
    # The index vectors stand along a dim of their own, or, if they have one component, along none.
    vector_dim = rng.randint(0, batch_rank)
    if len(index_map) == 1 and rng.random() < 0.3:
        vector_dim, indices = batch_rank, list(positions)
    else:
        indices = [*positions[:vector_dim], len(index_map), *positions[vector_dim:]]
    shifted = [d + (d >= vector_dim and len(indices) > batch_rank) for d in indices_batch]
    offsets = [window[d] for d in range(rank) if d not in collapsed and d not in operand_batch]
    offset_dims = sorted(rng.sample(range(batch_rank + len(offsets)), len(offsets)))
    if rng.random() < 0.5:
        offset_dims = list(range(batch_rank, batch_rank + len(offsets)))
    result, sizes, batches = [], iter(offsets), iter(positions)
    for dim in range(batch_rank + len(offsets)):
        result.append(next(sizes) if dim in offset_dims else next(batches))
    return Indexing(
        operand, indices, window, collapsed, operand_batch, shifted, index_map, vector_dim, result, offset_dims
    )


def make_gather(rng: random.Random) -> Function:
    f, i, element = Function(), make_indexing(rng), rng.choice(MOVED_TYPES)
    fields = {"offset_dims": i.offset_dims, "collapsed_slice_dims": i.collapsed,
              "operand_batching_dims": i.operand_batch, "start_indices_batching_dims": i.indices_batch,
              "start_index_map": i.index_map, "index_vector_dim": i.vector_dim}  # fmt: skip
    text = ", ".join(f"{name} = {value}" for name, value in fields.items())
    operands = [f.argument(i.operand, element), f.argument(i.indices, rng.choice(INDEX_TYPES))]
    f.op("stablehlo.gather", operands, [(i.result, element)],
         f"dimension_numbers = #stablehlo.gather<{text}>, slice_sizes = {numbers(i.window)}, "
         f"indices_are_sorted = false")  # fmt: skip
    return f


def update_region(rng: random.Random, elements: list[str]) -> str:
    """A combiner, the update itself, or for several operands a combiner each."""
    if len(elements) == 1 and rng.random() < 0.8:
        return binary_region(f"stablehlo.{rng.choice(combiners_of(elements[0]))}", elements[0])
    count = len(elements)
    if rng.random() < 0.4:
        return region(elements * 2, [], [(f"%x{count + i}", element) for i, element in enumerate(elements)])
    lines = []
    for i, element in enumerate(elements):
        t = f"tensor<{element}>"
        lines.append(
            f'%s{i} = "stablehlo.{rng.choice(combiners_of(element))}"(%x{i}, %x{count + i}) : ({t}, {t}) -> {t}'
        )
    return region(elements * 2, lines, [(f"%s{i}", element) for i, element in enumerate(elements)])


def make_scatter(rng: random.Random) -> Function:
    f, i = Function(), make_indexing(rng)
    elements = [rng.choice(ALL_TYPES) for _ in range(rng.choice((1, 1, 1, 2)))]
    fields = {"update_window_dims": i.offset_dims, "inserted_window_dims": i.collapsed,
              "input_batching_dims": i.operand_batch, "scatter_indices_batching_dims": i.indices_batch,
              "scatter_dims_to_operand_dims": i.index_map, "index_vector_dim": i.vector_dim}  # fmt: skip
    text = ", ".join(f"{name} = {value}" for name, value in fields.items())
    inputs: list[Value] = [f.argument(i.operand, element) for element in elements]
    indices = f.argument(i.indices, rng.choice(INDEX_TYPES))
    updates = [f.argument(i.result, element) for element in elements]
    unique = str(rng.random() < 0.2).lower()
    f.op("stablehlo.scatter", [*inputs, indices, *updates], [(i.operand, element) for element in elements],
         f"scatter_dimension_numbers = #stablehlo.scatter<{text}>, unique_indices = {unique}",
         update_region(rng, elements))  # fmt: skip
    return f


def make_torch_index_select(rng: random.Random) -> Function:
    """result[batch, before, index dims, after] of operand[batch, before, dim, after] and index[batch, index dims]."""
    f, operand, element = Function(), dims_within(rng, rng.randint(1, 3), 100), rng.choice(MOVED_TYPES)
    dim = rng.randrange(len(operand))
    batch = rng.randint(0, dim)
    new = dims_within(rng, rng.randint(0, 2), 12)
    result = [*operand[:dim], *new, *operand[dim + 1 :]]
    operands = [f.argument(operand, element), f.argument([*operand[:batch], *new], "i32")]
    f.op(
        "stablehlo.torch_index_select", operands, [(result, element)], f"dim = {dim} : i64, batch_dims = {batch} : i64"
    )
    return f


MAKERS = {
    "stablehlo.gather": make_gather,
    "stablehlo.scatter": make_scatter,
    "stablehlo.torch_index_select": make_torch_index_select,
}
