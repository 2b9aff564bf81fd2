"""Ops that move elements: every one on every element type, with attributes drawn at random.

Shapes have ranks 0 to 5 and dims from 0 up. The elements are the types' edge values: what moves keeps its bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from element_types import EVERYTHING, INTEGERS, NUMBERS, small, specials, tensor_type
from op_cases.case import Case, array_attribute, make_case, simple

Generator = np.random.Generator
MOVABLE = [*EVERYTHING, "f4E2M1FN", "f8E8M0FNU"]
PACKED = ["i2", "i4", "ui2", "ui4", "f4E2M1FN"]
"""Types of less than a byte; XLA on the CPU aborts on a concatenation of them."""
REPEATS = 4
"""Cases of each op and type."""


def draw_shape(random: Generator, least_rank: int = 0, most_rank: int = 5, least: int = 0) -> tuple[int, ...]:
    rank = random.integers(least_rank, most_rank + 1)
    largest = 6 if rank <= 3 else 3
    return tuple(int(size) for size in random.integers(max(least, random.integers(0, 6) > 0), largest + 1, rank))


def draw(random: Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    return np.asarray(random.choice(specials(element), shape)).reshape(shape)


def each(random: Generator) -> Iterator[str]:
    for element in MOVABLE:
        for _ in range(REPEATS):
            yield element


def transpose(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random)
        order = random.permutation(len(shape))
        result = tuple(shape[i] for i in order)
        attributes = f"permutation = {array_attribute(order)}"
        yield simple("stablehlo.transpose", [draw(random, shape, element)], result, element, attributes)


def reshape(random: Generator) -> Iterator[Case]:
    for element in each(random):
        sizes = list(random.choice([1, 2, 2, 3], random.integers(0, 6)))
        cuts = [sorted(random.integers(0, len(sizes) + 1, random.integers(0, 5))) for _ in range(2)]
        if sizes and not all(cuts):
            cuts = [cut or [0] for cut in cuts]
        shapes = [tuple(int(np.prod(part)) for part in np.split(np.array(sizes, int), cut)) for cut in cuts]
        if random.integers(8) == 0:
            shapes = [(*shape, 0) for shape in shapes]
        yield simple("stablehlo.reshape", [draw(random, shapes[0], element)], shapes[1], element)


def reverse(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random)
        dims = sorted(random.permutation(len(shape))[: random.integers(0, len(shape) + 1)])
        attributes = f"dimensions = {array_attribute(dims)}"
        yield simple("stablehlo.reverse", [draw(random, shape, element)], shape, element, attributes)


def broadcast_in_dim(random: Generator) -> Iterator[Case]:
    for element in each(random):
        result = draw_shape(random, most_rank=4)
        dims = random.permutation(len(result))[: random.integers(0, len(result) + 1)]
        shape = tuple(result[d] if random.integers(3) else 1 for d in dims)
        attributes = f"broadcast_dimensions = {array_attribute(dims)}"
        yield simple("stablehlo.broadcast_in_dim", [draw(random, shape, element)], result, element, attributes)


def broadcast(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape, new = draw_shape(random, most_rank=2), draw_shape(random, most_rank=2)
        attributes = f"broadcast_sizes = {array_attribute(new)}"
        yield simple("stablehlo.broadcast", [draw(random, shape, element)], new + shape, element, attributes)


def slice_op(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random)
        starts = [int(random.integers(0, size + 1)) for size in shape]
        limits = [int(random.integers(start, size + 1)) for start, size in zip(starts, shape, strict=True)]
        strides = [int(random.integers(1, 5)) for _ in shape]
        result = tuple(-(-(limit - start) // s) for start, limit, s in zip(starts, limits, strides, strict=True))
        named = zip(("start_indices", "limit_indices", "strides"), (starts, limits, strides), strict=True)
        attributes = ", ".join(f"{name} = {array_attribute(values)}" for name, values in named)
        yield simple("stablehlo.slice", [draw(random, shape, element)], result, element, attributes)


def pad(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random, most_rank=4)
        while True:
            low, high = (random.integers(-3, 4, len(shape)) for _ in range(2))
            interior = random.integers(0, 3, len(shape))
            sizes = np.array(shape, int)
            result = low + high + sizes + np.maximum(sizes - 1, 0) * interior
            if (result >= 0).all():
                break
        named = zip(("edge_padding_low", "edge_padding_high", "interior_padding"), (low, high, interior), strict=True)
        attributes = ", ".join(f"{name} = {array_attribute(values)}" for name, values in named)
        inputs = [draw(random, shape, element), draw(random, (), element)]
        yield simple("stablehlo.pad", inputs, tuple(map(int, result)), element, attributes)


def concatenate(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random, least_rank=1, most_rank=4)
        dim = int(random.integers(len(shape)))
        sizes = random.integers(0, 4, random.integers(1, 5))
        shapes = [(*shape[:dim], int(size), *shape[dim + 1 :]) for size in sizes]
        result = (*shape[:dim], int(sizes.sum()), *shape[dim + 1 :])
        inputs = [draw(random, each_shape, element) for each_shape in shapes]
        label = f"{len(sizes)} along {dim} of {len(shape)}"
        case = simple("stablehlo.concatenate", inputs, result, element, f"dimension = {dim} : i64", label)
        if element in PACKED:
            case = dataclasses.replace(case, expected=(np.concatenate(inputs, axis=dim),))
        yield case


def iota(random: Generator) -> Iterator[Case]:
    for element in NUMBERS:
        for _ in range(REPEATS):
            shape = draw_shape(random, least_rank=1)
            dim = int(random.integers(len(shape)))
            attributes = f"iota_dimension = {dim} : i64"
            yield simple("stablehlo.iota", [], shape, element, attributes, f"{list(shape)} along {dim}")


def get_dimension_size(random: Generator) -> Iterator[Case]:
    for element in MOVABLE:
        shape = draw_shape(random, least_rank=1)
        attributes = f"dimension = {int(random.integers(len(shape)))} : i64"
        yield simple("stablehlo.get_dimension_size", [draw(random, shape, element)], (), "i32", attributes)


def hexadecimal(array: np.ndarray, element: str) -> str:
    """A dense constant's elements: numbers for integers, bits for floats."""
    flat = array.reshape(-1)
    if element == "i1":
        return "[" + ", ".join("true" if value else "false" for value in flat) + "]"
    if element in INTEGERS:
        return "[" + ", ".join(str(int(value)) for value in flat) + "]"
    digits = 2 * array.dtype.itemsize
    return "[" + ", ".join(f"0x{int.from_bytes(value.tobytes(), 'little'):0{digits}X}" for value in flat) + "]"


def constant(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        if "complex" in element:
            continue
        values = specials(element)
        kind = tensor_type(values.shape, element)
        body = f"%r = stablehlo.constant dense<{hexadecimal(values, element)}> : {kind}"
        yield make_case("stablehlo.constant", body, [], [kind], "elements", element)
        splat = tensor_type((2, 3), element)
        body = f"%r = stablehlo.constant dense<{hexadecimal(values[-1:], element)[1:-1]}> : {splat}"
        yield make_case("stablehlo.constant", body, [], [splat], "splat", element)


def dynamic_slice(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random, most_rank=4)
        sizes = tuple(int(random.integers(0, size + 1)) for size in shape)
        starts = draw_starts(random, shape)
        attributes = f"slice_sizes = {array_attribute(sizes)}"
        inputs = [draw(random, shape, element), *starts]
        yield simple("stablehlo.dynamic_slice", inputs, sizes, element, attributes, describe(sizes, starts))


def dynamic_update_slice(random: Generator) -> Iterator[Case]:
    for element in each(random):
        shape = draw_shape(random, most_rank=4)
        sizes = tuple(int(random.integers(0, size + 1)) for size in shape)
        starts = draw_starts(random, shape)
        inputs = [draw(random, shape, element), draw(random, sizes, element), *starts]
        yield simple("stablehlo.dynamic_update_slice", inputs, shape, element, "", describe(sizes, starts))


def draw_starts(random: Generator, shape: tuple[int, ...]) -> list[np.ndarray]:
    """One scalar for each dim, some out of range, all of one type."""
    kind = random.choice(["i8", "i32", "i64", "ui8", "ui32", "ui64"])
    return [np.asarray(small(random, (), kind, most=8)) for _ in shape]


def describe(sizes: tuple[int, ...], starts: list[np.ndarray]) -> str:
    return f"{list(sizes)} at {[int(start) for start in starts]} {starts[0].dtype if starts else ''}"


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [
    transpose, reshape, reverse, broadcast_in_dim, broadcast, slice_op, pad, concatenate, iota, get_dimension_size,
    constant, dynamic_slice, dynamic_update_slice,
]  # fmt: skip
