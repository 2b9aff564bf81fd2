"""Instances of dots and convolutions."""

from __future__ import annotations

import random
from dataclasses import dataclass

from instance import Function, choose_among, dims_within, matrix, numbers

# Element types of operands, and of the result.
DOT_TYPES = [("f32", "f32"), ("f32", "f32"), ("bf16", "bf16"), ("bf16", "f32"), ("i32", "i32"), ("i8", "i32"),
             ("ui8", "ui8"), ("f64", "f64"), ("complex<f32>", "complex<f32>")]  # fmt: skip


def place(rng: random.Random, groups: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """The sizes of all groups in a random order of dims, and the dims of each group."""
    labelled = [(size, group, index) for group, sizes in enumerate(groups) for index, size in enumerate(sizes)]
    rng.shuffle(labelled)
    dims = [[0] * len(sizes) for sizes in groups]
    for dim, (_, group, index) in enumerate(labelled):
        dims[group][index] = dim
    return [size for size, _, _ in labelled], dims


def sizes_between(rng: random.Random, low: int, high: int, most: int) -> list[int]:
    return dims_within(rng, rng.randint(low, high), most, zeros=rng.random() < 0.05)


def make_dot_general(rng: random.Random) -> Function:
    f, (element, result) = Function(), rng.choice(DOT_TYPES)
    batch, contracted = sizes_between(rng, 0, 2, 16), sizes_between(rng, 0, 2, 24)
    left, right = sizes_between(rng, 0, 2, 16), sizes_between(rng, 0, 2, 16)
    lhs, (lhs_batch, lhs_contracted, lhs_free) = place(rng, [batch, contracted, left])
    rhs, (rhs_batch, rhs_contracted, rhs_free) = place(rng, [batch, contracted, right])
    shape = batch + [lhs[d] for d in sorted(lhs_free)] + [rhs[d] for d in sorted(rhs_free)]
    fields = {"lhs_batching_dimensions": lhs_batch, "rhs_batching_dimensions": rhs_batch,
              "lhs_contracting_dimensions": lhs_contracted, "rhs_contracting_dimensions": rhs_contracted}  # fmt: skip
    text = ", ".join(f"{name} = {dims}" for name, dims in fields.items())
    f.op("stablehlo.dot_general", [f.argument(lhs, element), f.argument(rhs, element)], [(shape, result)],
         f"dot_dimension_numbers = #stablehlo.dot<{text}>")  # fmt: skip
    return f


def make_dot(rng: random.Random) -> Function:
    f, (element, result) = Function(), rng.choice(DOT_TYPES)
    (k,) = dims_within(rng, 1)
    left, right = sizes_between(rng, 0, 1, 12), sizes_between(rng, 0, 1, 12)
    f.op("stablehlo.dot", [f.argument([*left, k], element), f.argument([k, *right], element)],
         [(left + right, result)])  # fmt: skip
    return f


def make_einsum(rng: random.Random) -> Function:
    f = Function()
    config = rng.choice(["ij,jk->ik", "bij,bjk->bik", "ij,ij->ij", "ijk,k->ij", "i,j->ij", "ab,cb->ac", "bi,bi->b"])
    sizes = {letter: rng.choice((2, 3, 4, 6, 8)) for letter in "abcijk"}
    inputs, output = config.split("->")
    operands = [f.argument([sizes[c] for c in part], "f32") for part in inputs.split(",")]
    f.op("stablehlo.einsum", operands, [([sizes[c] for c in output], "f32")], f'einsum_config = "{config}"')
    return f


def make_unary_einsum(rng: random.Random) -> Function:
    f = Function()
    config = rng.choice(["ij->ji", "ij->i", "ij->j", "ij->", "ijk->ik", "ijk->kij"])
    sizes = {letter: rng.choice((2, 3, 4, 6, 8)) for letter in "ijk"}
    source, output = config.split("->")
    operand = f.argument([sizes[c] for c in source], rng.choice(("f32", "i32")))
    f.op(
        "stablehlo.unary_einsum",
        [operand],
        [([sizes[c] for c in output], operand.element)],
        f'einsum_config = "{config}"',
    )
    return f


def make_ragged_dot(rng: random.Random) -> Function:
    """Rows, contracted dims or batches in groups of sizes known at run time."""
    f, element, index = Function(), rng.choice(("f32", "f32", "i32", "bf16")), rng.choice(("i32", "i64"))
    b, m, k, n = (rng.choice((2, 3, 4, 6, 8)) for _ in range(4))
    groups = rng.choice((1, 2, 3, 4, 6))
    batched = rng.random() < 0.5
    mode = rng.choice(["rows", "rows", "contracted", "batch"])
    fields: dict[str, list[int]] = {}
    if mode == "rows":
        lhs, rhs = ([b, m, k], [groups, b, k, n]) if batched else ([m, k], [groups, k, n])
        if batched:
            fields |= {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [1]}
        fields |= {"lhs_contracting_dimensions": [len(lhs) - 1], "rhs_contracting_dimensions": [len(rhs) - 2],
                   "lhs_ragged_dimensions": [len(lhs) - 2], "rhs_group_dimensions": [0]}  # fmt: skip
        result = [*lhs[:-1], n]
    else:
        batched = batched or mode == "batch"
        lhs, rhs = ([b, m, k], [b, k, n]) if batched else ([m, k], [k, n])
        if batched:
            fields |= {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [0]}
        fields |= {"lhs_contracting_dimensions": [len(lhs) - 1], "rhs_contracting_dimensions": [len(rhs) - 2],
                   "lhs_ragged_dimensions": [0 if mode == "batch" else len(lhs) - 1]}  # fmt: skip
        result = [*lhs[:-1], n] if mode == "batch" else [groups, *lhs[:-1], n]
    sizes = [b, groups] if batched and mode != "batch" and rng.random() < 0.3 else [groups]
    text = ", ".join(f"{name} = {dims}" for name, dims in fields.items())
    operands = [f.argument(lhs, element), f.argument(rhs, element), f.argument(sizes, index)]
    f.op("chlo.ragged_dot", operands, [(result, element)], f"ragged_dot_dimension_numbers = #chlo.ragged_dot<{text}>")
    return f


def layout(rng: random.Random, names: list[str], spatial: int) -> list[str]:
    dims = names + [str(i) for i in range(spatial)]
    if rng.random() < 0.6:
        rng.shuffle(dims)
    return dims


@dataclass
class SpatialDim:
    """One spatial dim of a convolution; `spread` and `dilation` are those of the input and of the kernel."""

    size: int
    kernel: int
    stride: int
    spread: int = 1
    dilation: int = 1
    pad: tuple[int, int] = (0, 0)

    @property
    def result(self) -> int:
        total, span = (self.size - 1) * self.spread + 1 + sum(self.pad), (self.kernel - 1) * self.dilation + 1
        return (total - span) // self.stride + 1 if total >= span else 0


def make_spatial_dim(rng: random.Random) -> SpatialDim:
    """Any, or one whose windows stand side by side, or such a one's gradients."""
    kernel, stride, count = rng.choice((1, 2, 3)), rng.choice((1, 2, 3)), choose_among(rng, (2, 4, 6))
    kind = rng.choice(
        ["any", "any", "any", "cut", "input gradient", "kernel gradient", "kernel gradient of a spread dim"]
    )
    if kind == "cut":
        return SpatialDim(count * stride, kernel, stride)
    if kind == "input gradient":
        return SpatialDim(count, kernel, 1, spread=stride, pad=(kernel - 1, stride - 1))
    if kind == "kernel gradient":
        return SpatialDim(count * stride, count, 1, dilation=stride, pad=(0, rng.randint(1 - stride, 0)))
    if kind == "kernel gradient of a spread dim":
        spread, low = rng.choice((2, 3)), rng.randint(-1, 3)
        return SpatialDim(count, count * spread, 1, spread=spread, pad=(low, spread - 2 + rng.randint(1, 4) - low))
    spread, dilation = rng.choice((1, 1, 2)), rng.choice((1, 1, 2))
    pad = (rng.randint(-1, 2), rng.randint(-1, 2))
    return SpatialDim(choose_among(rng, (3, 4, 6, 8)), kernel, stride, spread, dilation, pad)


def make_convolution(rng: random.Random) -> Function:
    f, (element, result_element) = Function(), rng.choice(DOT_TYPES)
    spatial = rng.choice((0, 1, 1, 2))
    feature_groups, batch_groups = rng.choice([(1, 1), (1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (1, 2), (1, 4)])
    inputs = choose_among(rng, (1, 2, 3, 4))
    outputs = feature_groups * batch_groups * choose_among(rng, (1, 2, 3, 4))
    batch = batch_groups * choose_among(rng, (1, 2, 3, 4))
    dims = [make_spatial_dim(rng) for _ in range(spatial)]
    reversal = [rng.random() < 0.2 for _ in range(spatial)]
    lhs, rhs, to = layout(rng, ["b", "f"], spatial), layout(rng, ["i", "o"], spatial), layout(rng, ["b", "f"], spatial)
    named = {"b": batch, "f": inputs * feature_groups, "i": inputs, "o": outputs}

    def shape(names: list[str], window: list[int]) -> list[int]:
        return [window[int(d)] if d.isdigit() else named[d] for d in names]

    lhs_shape, rhs_shape = shape(lhs, [d.size for d in dims]), shape(rhs, [d.kernel for d in dims])
    named |= {"b": batch // batch_groups, "f": outputs}
    numbers_text = "x".join("[" + ", ".join(names) + "]" for names in (lhs, rhs)) + "->[" + ", ".join(to) + "]"
    attributes = [
        f"dimension_numbers = #stablehlo.conv<{numbers_text}>",
        f"feature_group_count = {feature_groups} : i64, batch_group_count = {batch_groups} : i64",
        f"window_strides = {numbers([d.stride for d in dims])}, padding = {matrix([d.pad for d in dims])}",
        f"lhs_dilation = {numbers([d.spread for d in dims])}, rhs_dilation = {numbers([d.dilation for d in dims])}",
        f"window_reversal = array<i1{':' if spatial else ''} {', '.join(str(r).lower() for r in reversal)}>",
    ]
    f.op("stablehlo.convolution", [f.argument(lhs_shape, element), f.argument(rhs_shape, element)],
         [(shape(to, [d.result for d in dims]), result_element)], ", ".join(attributes))  # fmt: skip
    return f


MAKERS = {
    "stablehlo.dot_general": make_dot_general,
    "stablehlo.dot": make_dot,
    "stablehlo.einsum": make_einsum,
    "stablehlo.unary_einsum": make_unary_einsum,
    "chlo.ragged_dot": make_ragged_dot,
    "stablehlo.convolution": make_convolution,
}
