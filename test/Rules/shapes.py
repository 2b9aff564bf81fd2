"""Instances of ops that move elements: another shape, order or part."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from instance import INDEX_TYPES, MOVED_TYPES, Function, Value, choose_among, choose_size, numbers, random_shape


def make_broadcast_in_dim(rng: random.Random) -> Function:
    """Dims are kept, expanded from one, and new; in any order."""
    f, result, element = Function(), random_shape(rng, 0, 5), rng.choice(MOVED_TYPES)
    dims = rng.sample(range(len(result)), rng.randint(0, len(result)))
    if rng.random() < 0.7:
        dims.sort()
    shape = [1 if rng.random() < 0.25 else result[dim] for dim in dims]
    f.op("stablehlo.broadcast_in_dim", [f.argument(shape, element)], [(result, element)],
         f"broadcast_dimensions = {numbers(dims)}")  # fmt: skip
    return f


def make_broadcast(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 0, 3, 60), rng.choice(MOVED_TYPES)
    new = random_shape(rng, 0, 2, 24)
    f.op("stablehlo.broadcast", [f.argument(shape, element)], [(new + shape, element)],
         f"broadcast_sizes = {numbers(new)}")  # fmt: skip
    return f


# No numbers, or no zero among them.
NO_IOTA = ("i1", "f8E8M0FNU")


def make_iota(rng: random.Random) -> Function:
    """Also longer than the element type counts."""
    f, shape, element = (
        Function(),
        list(random_shape(rng, 1, 4)),
        rng.choice([t for t in MOVED_TYPES if t not in NO_IOTA]),
    )
    dim = rng.randrange(len(shape))
    if rng.random() < 0.2:
        shape = [600]
        dim = 0
    f.op("stablehlo.iota", [], [(shape, element)], f"iota_dimension = {dim} : i64")
    return f


def make_constant(name: str) -> Callable[[random.Random], Function]:
    """A splat, or a different number in each place."""

    def make(rng: random.Random) -> Function:
        f, shape, element = Function(), random_shape(rng, 0, 3, 60), rng.choice(["f32", "i32"])
        if rng.random() < 0.5 or math.prod(shape) == 0 or not shape:
            f.constant("3" if element == "i32" else "3.0", shape, element, name)
            return f
        values = iter(range(math.prod(shape)))

        def nest(rest: tuple[int, ...]) -> str:
            if not rest:
                return str(next(values)) + ("" if element == "i32" else ".0")
            return "[" + ", ".join(nest(rest[1:]) for _ in range(rest[0])) + "]"

        f.constant(nest(shape), shape, element, name)
        return f

    return make


def make_transpose(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(MOVED_TYPES)
    order = rng.sample(range(len(shape)), len(shape))
    f.op("stablehlo.transpose", [f.argument(shape, element)], [([shape[d] for d in order], element)],
         f"permutation = {numbers(order)}")  # fmt: skip
    return f


def make_reverse(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(MOVED_TYPES)
    dims = sorted(rng.sample(range(len(shape)), rng.randint(0, len(shape))))
    f.op("stablehlo.reverse", [f.argument(shape, element)], [(shape, element)], f"dimensions = {numbers(dims)}")
    return f


def factorise(rng: random.Random, size: int, most: int) -> list[int]:
    """Numbers whose product is `size`, at most `most` of them."""
    factors: list[int] = []
    while size > 1 and len(factors) < most - 1 and rng.random() < 0.75:
        divisor = rng.choice([d for d in range(2, size + 1) if size % d == 0])
        factors.append(divisor)
        size //= divisor
    factors += [size] if size > 1 or not factors else []
    return factors


def make_reshape(rng: random.Random) -> Function:
    """Splits and merges of dims, and both at once; ones anywhere."""
    f, element = Function(), rng.choice(MOVED_TYPES)

    def with_ones(sizes: list[int]) -> list[int]:
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            sizes.insert(rng.randint(0, len(sizes)), 1)
        return sizes

    if rng.random() < 0.04:
        shapes = [[0, 4], [8, 0, 3]]
    elif rng.random() < 0.3:
        size = rng.choice([4, 8, 12, 16, 24, 36, 48, 96])
        shapes = [with_ones(factorise(rng, size, 4)) for _ in range(2)]
    else:
        # Group by group, so that what belongs together is known to stay together.
        shapes = [[], []]
        for _ in range(rng.randint(1, 3)):
            size = choose_among(rng, [2, 3, 4, 6, 8, 12])
            for shape in shapes:
                shape += factorise(rng, size, 2)
        shapes = [with_ones(shape) for shape in shapes]
    f.op("stablehlo.reshape", [f.argument(shapes[0], element)], [(shapes[1], element)])
    return f


def make_concatenate(rng: random.Random) -> Function:
    f, shape, element = Function(), list(random_shape(rng, 1, 4, 150)), rng.choice(MOVED_TYPES)
    dim = rng.randrange(len(shape))
    parts = [[*shape[:dim], choose_size(rng), *shape[dim + 1 :]] for _ in range(rng.randint(1, 3))]
    result = [*shape[:dim], sum(part[dim] for part in parts), *shape[dim + 1 :]]
    f.op("stablehlo.concatenate", [f.argument(part, element) for part in parts], [(result, element)],
         f"dimension = {dim} : i64")  # fmt: skip
    return f


def make_slice(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(MOVED_TYPES)
    starts, limits, strides, result = [], [], [], []
    for size in shape:
        low, high = sorted((rng.randint(0, size), rng.randint(0, size)))
        stride = rng.choice([1, 1, 1, 2, 3])
        kind = rng.random()
        if kind < 0.5:
            low, high, stride = 0, size, 1
        elif kind < 0.6:
            low, high = 0, size
        starts.append(low)
        limits.append(high)
        strides.append(stride)
        result.append(-(-(high - low) // stride))
    text = f"start_indices = {numbers(starts)}, limit_indices = {numbers(limits)}, strides = {numbers(strides)}"
    f.op("stablehlo.slice", [f.argument(shape, element)], [(result, element)], text)
    return f


def make_pad(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 0, 4, 200), rng.choice(MOVED_TYPES)
    low, high, interior, result = [], [], [], []
    for size in shape:
        if rng.random() < 0.5:
            before, after, between = 0, 0, 0
        else:
            before, after, between = rng.randint(-1, 3), rng.randint(-1, 3), rng.choice([0, 0, 1, 2])
        total = before + after + size + max(size - 1, 0) * between
        if total < 0:
            before, after, between, total = 0, 0, 0, size
        low.append(before)
        high.append(after)
        interior.append(between)
        result.append(total)
    f.op("stablehlo.pad", [f.argument(shape, element), f.argument((), element)], [(result, element)],
         f"edge_padding_low = {numbers(low)}, edge_padding_high = {numbers(high)}, "
         f"interior_padding = {numbers(interior)}")  # fmt: skip
    return f


def window_sizes(rng: random.Random, shape: tuple[int, ...]) -> list[int]:
    """Some dims as a whole, some in part, some of one."""
    return [size if rng.random() < 0.4 else rng.randint(min(size, 1), size) for size in shape]


def make_starts(f: Function, rng: random.Random, count: int) -> list[Value]:
    """Arguments, or now and then constants."""
    element = rng.choice(INDEX_TYPES)
    if rng.random() < 0.15:
        return [f.constant(str(rng.randint(0, 3)), (), element) for _ in range(count)]
    return [f.argument((), element) for _ in range(count)]


def make_dynamic_slice(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 0, 4), rng.choice(MOVED_TYPES)
    sizes = window_sizes(rng, shape)
    operand = f.argument(shape, element)
    f.op("stablehlo.dynamic_slice", [operand, *make_starts(f, rng, len(shape))], [(sizes, element)],
         f"slice_sizes = {numbers(sizes)}")  # fmt: skip
    return f


def make_dynamic_update_slice(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 0, 4), rng.choice(MOVED_TYPES)
    operands = [f.argument(shape, element), f.argument(window_sizes(rng, shape), element)]
    f.op("stablehlo.dynamic_update_slice", [*operands, *make_starts(f, rng, len(shape))], [(shape, element)])
    return f


def make_get_dimension_size(rng: random.Random) -> Function:
    f, shape = Function(), random_shape(rng, 1, 4)
    f.op("stablehlo.get_dimension_size", [f.argument(shape, "f32")], [((), "i32")],
         f"dimension = {rng.randrange(len(shape))} : i64")  # fmt: skip
    return f


MAKERS = {
    "stablehlo.broadcast_in_dim": make_broadcast_in_dim,
    "stablehlo.broadcast": make_broadcast,
    "stablehlo.iota": make_iota,
    **{name: make_constant(name) for name in ("stablehlo.constant", "chlo.constant", "sdy.constant")},
    "stablehlo.transpose": make_transpose,
    "stablehlo.reverse": make_reverse,
    "stablehlo.reshape": make_reshape,
    "stablehlo.concatenate": make_concatenate,
    "stablehlo.slice": make_slice,
    "stablehlo.pad": make_pad,
    "stablehlo.dynamic_slice": make_dynamic_slice,
    "stablehlo.dynamic_update_slice": make_dynamic_update_slice,
    "stablehlo.get_dimension_size": make_get_dimension_size,
}
