"""dot_general, dot, einsum, ragged_dot and convolution on integer-valued inputs, where every order of adding agrees."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator

import numpy as np

from element_types import NUMBERS, is_complex, small
from op_cases.case import Case, Tolerance, array_attribute, simple

Generator = np.random.Generator
SUM = Tolerance(any_zero=True)
"""XLA starts some sums at 0 and some at their first product: of products that are all -0 it makes either zero."""
MIXED = [("i8", "i32"), ("ui8", "i32"), ("i16", "i64"), ("bf16", "f32"), ("f16", "f32"), ("f32", "f64")]
MIXED += [("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E4M3FNUZ", "bf16"), ("i8", "f32")]


def accumulations() -> list[tuple[str, str]]:
    """Element types of operands and result; XLA does not multiply matrices of i2."""
    return [(element, element) for element in NUMBERS if element not in ("i2", "ui2")] + MIXED


def most_of(element: str) -> int:
    """Sums of a dozen products of such numbers stay exact in the type."""
    return 1 if element.startswith("f8") else 3


def dot_general(random: Generator) -> Iterator[Case]:
    for element, result in accumulations():
        for _ in range(8):
            yield dot_general_case(random, element, result)


def dot_general_case(random: Generator, element: str, result: str) -> Case:
    """Batching, contracting and free dims, each in any place on both sides."""
    batch = [int(n) for n in random.integers(1, 4, random.integers(0, 3))]
    contracted = [int(n) for n in random.integers(0 if random.integers(8) == 0 else 1, 5, random.integers(0, 3))]
    free = [[int(n) for n in random.integers(1, 5, random.integers(0, 3))] for _ in range(2)]
    shapes, batch_dims, contracting_dims = [], [], []
    for side in range(2):
        sizes = batch + contracted + free[side]
        # Free dims keep their order: the result has them in the operand's order.
        places = [int(place) for place in random.permutation(len(sizes))]
        places[len(batch) + len(contracted) :] = sorted(places[len(batch) + len(contracted) :])
        shape = [0] * len(sizes)
        for size, place in zip(sizes, places, strict=True):
            shape[place] = size
        shapes.append(tuple(shape))
        batch_dims.append(places[: len(batch)])
        contracting_dims.append(places[len(batch) : len(batch) + len(contracted)])
    numbers = (
        f"lhs_batching_dimensions = {batch_dims[0]}, rhs_batching_dimensions = {batch_dims[1]}, "
        f"lhs_contracting_dimensions = {contracting_dims[0]}, rhs_contracting_dimensions = {contracting_dims[1]}"
    )
    inputs = [small(random, shape, element, most_of(element)) for shape in shapes]
    out = tuple(batch + free[0] + free[1])
    attributes = f"dot_dimension_numbers = #stablehlo.dot<{numbers}>"
    return simple("stablehlo.dot_general", inputs, out, result, attributes, f"{shapes} {numbers} to {result}", SUM)


def dot(random: Generator) -> Iterator[Case]:
    for element, result in accumulations():
        for left, right in (((4,), (4,)), ((3, 4), (4,)), ((3, 4), (4, 2))):
            inputs = [small(random, shape, element, most_of(element)) for shape in (left, right)]
            out = left[:-1] + right[1:]
            yield simple("stablehlo.dot", inputs, out, result, "", f"{left} {right} to {result}", SUM)


CONVOLUTIONS = [
    # batch, input features, output features, spatial sizes, kernel sizes, feature groups, batch groups
    (2, 3, 4, (6,), (3,), 1, 1),
    (2, 4, 6, (5, 4), (2, 3), 2, 1),
    (4, 2, 6, (5, 4), (3, 2), 1, 2),
    (1, 4, 4, (7,), (2,), 4, 1),
    (2, 2, 2, (3, 4, 3), (2, 2, 1), 1, 1),
    (3, 2, 2, (), (), 1, 1),
]


def convolution(random: Generator) -> Iterator[Case]:
    for element, result in accumulations():
        for shape in CONVOLUTIONS:
            yield convolution_case(random, element, result, *shape)


def permuted(random: Generator, sizes: list[int]) -> tuple[tuple[int, ...], list[int]]:
    """The sizes in a random order, and where each went."""
    places = [int(place) for place in random.permutation(len(sizes))]
    shape = [0] * len(sizes)
    for size, place in zip(sizes, places, strict=True):
        shape[place] = size
    return tuple(shape), places


def dim_text(places: list[int], first: str, second: str) -> str:
    names = [""] * len(places)
    for i, place in enumerate(places):
        names[place] = (first, second, *map(str, range(len(places))))[i]
    return f"[{', '.join(names)}]"


def convolution_case(
    random: Generator, element: str, result: str, batch: int, features: int, outputs: int,
    spatial: tuple[int, ...], kernel: tuple[int, ...], groups: int, batch_groups: int,
) -> Case:  # fmt: skip
    rank = len(spatial)
    strides, dilations, kernel_dilations = ([int(n) for n in random.integers(1, 3, rank)] for _ in range(3))
    padding = [[int(n) for n in random.integers(-1, 3, 2)] for _ in range(rank)]
    reversal = [bool(random.integers(2)) for _ in range(rank)]
    out_sizes = []
    for i in range(rank):
        padded = (spatial[i] - 1) * dilations[i] + 1 + sum(padding[i])
        window = (kernel[i] - 1) * kernel_dilations[i] + 1
        out_sizes.append(max(0, (padded - window) // strides[i] + 1) if padded >= window else 0)
    image, image_places = permuted(random, [batch, features, *spatial])
    filters, filter_places = permuted(random, [features // groups, outputs, *kernel])
    out, out_places = permuted(random, [batch // batch_groups, outputs, *out_sizes])
    numbers = (
        f"{dim_text(image_places, 'b', 'f')}x{dim_text(filter_places, 'i', 'o')}->{dim_text(out_places, 'b', 'f')}"
    )
    pads = f"dense<{padding}> : tensor<{rank}x2xi64>" if rank else "dense<> : tensor<0x2xi64>"
    flags = "array<i1" + (": " + ", ".join(str(flag).lower() for flag in reversal) if rank else "") + ">"
    attributes = (
        f"window_strides = {array_attribute(strides)}, padding = {pads}, lhs_dilation = {array_attribute(dilations)}, "
        f"rhs_dilation = {array_attribute(kernel_dilations)}, window_reversal = {flags}, "
        f"dimension_numbers = #stablehlo.conv<{numbers}>, feature_group_count = {groups} : i64, "
        f"batch_group_count = {batch_groups} : i64"
    )
    inputs = [small(random, shape, element, most_of(element)) for shape in (image, filters)]
    return simple("stablehlo.convolution", inputs, out, result, attributes, f"{attributes} to {result}", SUM)


EINSUMS = [("ij,jk->ik", (2, 3), (3, 4), (2, 4)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2), (2, 2, 2))]


def einsum(random: Generator) -> Iterator[Case]:
    for element in ["i32", "f32", "f64", "bf16", "complex<f32>"]:
        for text, left, right, out in EINSUMS:
            inputs = [small(random, left, element), small(random, right, element)]
            yield simple("stablehlo.einsum", inputs, out, element, f'einsum_config = "{text}"', text, SUM)
        for text, shape, out in (("ij->ji", (2, 3), (3, 2)), ("ij->i", (2, 3), (2,))):
            array = small(random, shape, element)
            wide = array.astype(np.complex128 if is_complex(element) else np.float64)
            expected = np.einsum(text, wide).astype(array.dtype)
            case = simple("stablehlo.unary_einsum", [array], out, element, f'einsum_config = "{text}"', text, SUM)
            yield dataclasses.replace(case, expected=(expected,))


RAGGED = [
    # The ragged dim is free, contracted, or batching.
    ((6, 4), (3, 4, 5), (3,), (6, 5), [], [], [1], [1], [0], [0]),
    ((2, 6, 4), (2, 3, 4, 5), (2, 3), (2, 6, 5), [0], [0], [2], [2], [1], [1]),
    ((4, 6), (6, 5), (3,), (3, 4, 5), [], [], [1], [0], [1], []),
    ((6, 2, 4), (6, 4, 3), (3,), (6, 2, 3), [0], [0], [2], [1], [0], []),
]


def ragged_dot(random: Generator) -> Iterator[Case]:
    for element in ["i32", "f32", "f64", "bf16", "f16", "i8", "complex<f32>"]:
        for left, right, sizes, out, lb, rb, lc, rc, ragged, group in RAGGED:
            groups = np.broadcast_to(np.array([1, 3, 2], np.int64), sizes).copy()
            inputs = [small(random, left, element), small(random, right, element), groups]
            attributes = (
                f"ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = {lb}, "
                f"rhs_batching_dimensions = {rb}, lhs_contracting_dimensions = {lc}, "
                f"rhs_contracting_dimensions = {rc}, lhs_ragged_dimensions = {ragged}, rhs_group_dimensions = {group}>"
            )
            case = simple("chlo.ragged_dot", inputs, out, element, attributes, f"{left} {right} ragged {ragged}", SUM)
            expected = ragged_product(inputs[0], inputs[1], ragged[0], bool(lb), bool(group))
            yield dataclasses.replace(case, expected=(expected.astype(inputs[0].dtype),))


def ragged_product(left: np.ndarray, right: np.ndarray, ragged: int, batched: bool, grouped: bool) -> np.ndarray:
    """Groups of 1, 3 and 2 along the ragged dim; XLA on the CPU has no ragged dot to ask."""
    wide = np.complex128 if left.dtype.kind == "c" else np.float64
    left, right = left.astype(wide), right.astype(wide)
    ends = [0, 1, 4, 6]
    spans = [slice(start, stop) for start, stop in itertools.pairwise(ends)]
    if grouped and batched:
        return np.concatenate([left[:, span] @ right[:, g] for g, span in enumerate(spans)], axis=1)
    if grouped:
        return np.concatenate([left[span] @ right[g] for g, span in enumerate(spans)])
    if batched:
        return left @ right
    return np.stack([left[:, span] @ right[span] for span in spans])


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [dot_general, dot, convolution, einsum, ragged_dot]
