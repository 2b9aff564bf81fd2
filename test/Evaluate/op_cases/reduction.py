"""reduce, reduce_window, select_and_scatter, sort, top_k, batch normalisation and running sums."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
from ml_dtypes import finfo

from element_types import (
    DTYPES,
    EVERYTHING,
    FLOATS,
    INTEGERS,
    integer_range,
    is_complex,
    is_float,
    small,
    specials,
    tensor_type,
    type_of,
)
from op_cases.case import Case, Tolerance, array_attribute, make_case, reducer, simple
from op_cases.shape import PACKED, draw_shape

Generator = np.random.Generator

REDUCERS = ["add", "multiply", "maximum", "minimum"]
BITWISE = ["and", "or", "xor"]
PAIRABLE = [kind for kind in [*INTEGERS, *FLOATS] if kind.lstrip("ui") not in ("2", "4")]
"""XLA has layouts for pairs of an i2 or i4 and an index that its own checks refuse."""


def reducers_of(element: str) -> list[str]:
    if is_complex(element):
        return ["add", "multiply"]
    return REDUCERS if is_float(element) else REDUCERS + BITWISE


def identity(op: str, element: str) -> np.ndarray:
    """What does not change any number: XLA takes it for granted, and drops it where nothing is reduced."""
    dtype = DTYPES[element]
    if op in ("add", "or", "xor"):
        return np.zeros((), dtype)
    if op == "multiply":
        return np.ones((), dtype)
    if element == "i1":
        return np.asarray(op in ("and", "minimum"))
    if op == "and":
        return np.asarray(-1 if element.startswith("i") else integer_range(element)[1]).astype(dtype)
    if is_float(element):
        limits = finfo(dtype)
        values = np.array([limits.max, limits.min], np.float64).astype(dtype)
    else:
        low, high = integer_range(element)
        values = np.array([high, low], np.uint64 if element == "ui64" else np.int64).astype(dtype)
    return np.asarray(values[0 if op == "minimum" else 1])


def values_of(random: Generator, shape: tuple[int, ...], element: str, op: str) -> np.ndarray:
    """Numbers whose sums and products are exact in any order; any finite ones where the op is exact anyway."""
    if op in ("maximum", "minimum"):
        values = specials(element)
        if is_float(element):
            with np.errstate(invalid="ignore"):
                values = values[np.isfinite(values)]
        return np.asarray(random.choice(values, shape)).reshape(shape)
    if element.startswith("f8"):
        return sparse(random, shape, element)
    return small(random, shape, element, most=2 if op == "multiply" else 4)


def sparse(random: Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    """Ones, few of them: sums of more than 8 are not exact in an 8-bit float."""
    values = np.zeros(int(np.prod(shape)))
    values[random.permutation(len(values))[:7]] = 1
    return values.reshape(shape).astype(DTYPES[element])


def reduce(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        for op in reducers_of(element):
            for _ in range(3):
                shape = draw_shape(random, most_rank=4)
                dims = sorted(int(d) for d in random.permutation(len(shape))[: random.integers(0, len(shape) + 1)])
                out = tuple(size for d, size in enumerate(shape) if d not in dims)
                inputs = [values_of(random, shape, element, op), identity(op, element)]
                body = f"""%r = "stablehlo.reduce"(%a0, %a1) <{{dimensions = {array_attribute(dims)}}}>
                  {reducer(f"stablehlo.{op}", element)} : ({{a0}}, {{a1}}) -> {{r0}}"""
                result = tensor_type(out, element)
                yield make_case("stablehlo.reduce", body, inputs, [result], f"{op} {list(shape)} over {dims}")


ARGMAX = """({{
  ^bb0(%x: {v}, %i: {k}, %y: {v}, %j: {k}):
    %gt = stablehlo.compare {direction}, %x, %y : ({v}, {v}) -> tensor<i1>
    %eq = stablehlo.compare EQ, %x, %y : ({v}, {v}) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j : ({k}, {k}) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %first = stablehlo.or %gt, %tie : tensor<i1>
    %p = stablehlo.select %first, %x, %y : tensor<i1>, {v}
    %q = stablehlo.select %first, %i, %j : tensor<i1>, {k}
    stablehlo.return %p, %q : {v}, {k}
}})"""


def reduce_pairs(random: Generator) -> Iterator[Case]:
    for element in PAIRABLE:
        for direction in ("GT", "LT"):
            for index in ("i32", "i64"):
                shape = (3, 5)
                dim = int(random.integers(2))
                positions = np.broadcast_to(np.arange(shape[dim]).reshape((-1, 1) if dim == 0 else (1, -1)), shape)
                kind = np.int32 if index == "i32" else np.int64
                start = small(random, (), element)
                inputs = [small(random, shape, element), positions.astype(kind), start, np.asarray(0, kind)]
                region = ARGMAX.format(v=tensor_type((), element), k=tensor_type((), index), direction=direction)
                body = f"""%r:2 = "stablehlo.reduce"(%a0, %a1, %a2, %a3) <{{dimensions = array<i64: {dim}>}}>
                  {region} : ({{a0}}, {{a1}}, {{a2}}, {{a3}}) -> ({{r0}}, {{r1}})"""
                out = (shape[1 - dim],)
                results = [tensor_type(out, element), tensor_type(out, index)]
                yield make_case("stablehlo.reduce", body, inputs, results, f"arg {direction} {index} over {dim}")


def reduce_window(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        for op in reducers_of(element):
            for _ in range(2):
                yield reduce_window_case(random, element, op)


def reduce_window_case(random: Generator, element: str, op: str) -> Case:
    shape = draw_shape(random, most_rank=4, least=1)
    rank = len(shape)
    window, strides, base, dilations = ([int(n) for n in random.integers(1, 4, rank)] for _ in range(4))
    padding = [[int(n) for n in random.integers(0, 3, 2)] for _ in range(rank)]
    out = []
    for i in range(rank):
        padded = (shape[i] - 1) * base[i] + 1 + sum(padding[i])
        reach = (window[i] - 1) * dilations[i] + 1
        out.append((padded - reach) // strides[i] + 1 if padded >= reach else 0)
    pads = f"dense<{padding}> : tensor<{rank}x2xi64>" if rank else "dense<> : tensor<0x2xi64>"
    attributes = (
        f"window_dimensions = {array_attribute(window)}, window_strides = {array_attribute(strides)}, "
        f"base_dilations = {array_attribute(base)}, window_dilations = {array_attribute(dilations)}, padding = {pads}"
    )
    inputs = [values_of(random, shape, element, op), identity(op, element)]
    if op == "multiply":
        inputs[0] = small(random, shape, element, most=1)
    body = f"""%r = "stablehlo.reduce_window"(%a0, %a1) <{{{attributes}}}>
      {reducer(f"stablehlo.{op}", element)} : ({{a0}}, {{a1}}) -> {{r0}}"""
    result = tensor_type(tuple(out), element)
    return make_case("stablehlo.reduce_window", body, inputs, [result], f"{op} {list(shape)} {attributes}")


def reduce_window_pairs(random: Generator) -> Iterator[Case]:
    for element in ["i32", "f32", "bf16"]:
        inputs = [small(random, (4, 5), element), small(random, (4, 5), "i32")]
        inputs += [small(random, (), element), np.asarray(0, np.int32)]
        region = ARGMAX.format(v=tensor_type((), element), k="tensor<i32>", direction="GT")
        body = f"""%r:2 = "stablehlo.reduce_window"(%a0, %a1, %a2, %a3) <{{window_dimensions = array<i64: 2, 2>}}>
          {region} : ({{a0}}, {{a1}}, {{a2}}, {{a3}}) -> ({{r0}}, {{r1}})"""
        results = [tensor_type((3, 4), element), tensor_type((3, 4), "i32")]
        yield make_case("stablehlo.reduce_window", body, inputs, results, "arg GT")


def running(random: Generator) -> Iterator[Case]:
    """Running sums as programs write them: windows as long as the dim."""
    for element in EVERYTHING:
        for op in reducers_of(element):
            inputs = [small(random, (2, 5), element, most=1), identity(op, element)]
            body = f"""%r = "stablehlo.reduce_window"(%a0, %a1) <{{window_dimensions = array<i64: 1, 5>,
                padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>}}>
              {reducer(f"stablehlo.{op}", element)} : ({{a0}}, {{a1}}) -> {{r0}}"""
            yield make_case("stablehlo.reduce_window", body, inputs, [tensor_type((2, 5), element)], f"running {op}")


def distinct(random: Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    """Numbers in a random order; of an 8-bit float neighbours, of others integers."""
    order = random.permutation(int(np.prod(shape))).reshape(shape)
    if element.startswith("f8"):
        return (order + 32).astype(np.uint8).view(DTYPES[element])
    return order.astype(DTYPES[element])


def select_and_scatter(random: Generator) -> Iterator[Case]:
    """No window holds a number twice: which of the two XLA selects is left to the order of its reduction."""
    for element in [kind for kind in [*INTEGERS, *FLOATS] if kind.lstrip("ui") not in ("2", "4")]:
        for direction in ("GE", "LE", "GT", "LT"):
            yield select_and_scatter_case(random, element, direction)


def select_and_scatter_case(random: Generator, element: str, direction: str) -> Case:
    scalar = tensor_type((), element)
    shape, window, strides = (5, 6), (2, 3), tuple(int(n) for n in random.integers(1, 4, 2))
    padding = [[int(n) for n in random.integers(0, 2, 2)] for _ in range(2)]
    out = tuple((shape[i] + sum(padding[i]) - window[i]) // strides[i] + 1 for i in range(2))
    updates = small(random, out, element, 1 if element.startswith("f8") else 4)
    inputs = [distinct(random, shape, element), updates, np.zeros((), DTYPES[element])]
    body = f"""%r = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{{
        window_dimensions = {array_attribute(window)}, window_strides = {array_attribute(strides)},
        padding = dense<{padding}> : tensor<2x2xi64>}}> ({{
      ^bb0(%x: {scalar}, %y: {scalar}):
        %z = stablehlo.compare {direction}, %x, %y : ({scalar}, {scalar}) -> tensor<i1>
        stablehlo.return %z : tensor<i1>
      }}, {reducer("stablehlo.add", element)[1:-1]}) : ({{a0}}, {{a1}}, {{a2}}) -> {{r0}}"""
    label = f"{direction} strides {strides} padding {padding}"
    return make_case("stablehlo.select_and_scatter", body, inputs, [type_of(inputs[0])], label)


def sort(random: Generator) -> Iterator[Case]:
    for element in ["i1", *INTEGERS, *FLOATS]:
        for stable in (False,) if element in PACKED else (True, False):
            for direction in ("LT", "GT"):
                yield sort_case(random, element, direction, stable)


def sort_case(random: Generator, element: str, direction: str, stable: bool) -> Case:
    """A key and, where the order of equal keys is fixed, a payload."""
    shape = draw_shape(random, least_rank=1, most_rank=3)
    dim = int(random.integers(len(shape)))
    order = ", TOTALORDER" if is_float(element) else ""
    keys = values_of(random, shape, element, "maximum")
    inputs = [keys, random.integers(0, 100, shape).astype(np.int32)] if stable else [keys]
    kinds = [element, "i32"][: len(inputs)]
    arguments = ", ".join(f"%x{i}: tensor<{kind}>, %y{i}: tensor<{kind}>" for i, kind in enumerate(kinds))
    names = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(type_of(array) for array in inputs)
    count = f":{len(inputs)}" if len(inputs) > 1 else ""
    flag = str(stable).lower()
    body = f"""%r{count} = "stablehlo.sort"({names}) <{{dimension = {dim} : i64, is_stable = {flag}}}> ({{
      ^bb0({arguments}):
        %z = stablehlo.compare {direction}, %x0, %y0{order} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
        stablehlo.return %z : tensor<i1>
      }}) : ({types}) -> ({types})"""
    label = f"{direction} {'stable ' if stable else ''}{list(shape)} along {dim}"
    case = make_case("stablehlo.sort", body, inputs, [type_of(array) for array in inputs], label)
    if element not in PACKED:
        return case
    # XLA on the CPU writes past the end of its buffer here.
    ascending = np.sort(keys.astype(np.int64), axis=dim)
    expected = ascending if direction == "LT" else np.flip(ascending, dim)
    return dataclasses.replace(case, expected=(expected.astype(keys.dtype),))


def top_k(random: Generator) -> Iterator[Case]:
    for element in PAIRABLE:
        for shape, k in (((9,), 3), ((2, 6), 6), ((2, 3, 5), 1), ((4, 3), 0)):
            values = small(random, shape, element)
            out = (*shape[:-1], k)
            results = [tensor_type(out, element), tensor_type(out, "i32")]
            body = f"%r:2 = chlo.top_k(%a0, k = {k}) : {{a0}} -> ({{r0}}, {{r1}})"
            yield make_case("chlo.top_k", body, [values], results, f"{k} of {list(shape)}")


NORMALISATION = Tolerance(ulps=8, absolute=1e-5)
"""A chain of a few sums, products and a square root; XLA may add in another order."""


def batch_norm(random: Generator) -> Iterator[Case]:
    for element in ("f32", "f64"):
        for feature in (0, 1, 2):
            shape = (3, 4, 2)
            count = shape[feature]
            operand = random.standard_normal(shape).astype(np.float32 if element == "f32" else np.float64)
            vectors = [np.abs(random.standard_normal(count)).astype(operand.dtype) for _ in range(4)]
            attributes = f"epsilon = 1.000000e-03 : f32, feature_index = {feature} : i64"
            kind, vector = tensor_type(shape, element), tensor_type((count,), element)
            yield simple(
                "stablehlo.batch_norm_inference", [operand, *vectors], shape, element, attributes, "", NORMALISATION
            )
            body = f"""%r:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{{{attributes}}}>
              : ({{a0}}, {{a1}}, {{a2}}) -> ({{r0}}, {{r1}}, {{r2}})"""
            results = [kind, vector, vector]
            inputs = [operand, *vectors[:2]]
            yield make_case("stablehlo.batch_norm_training", body, inputs, results, attributes, None, NORMALISATION)
            body = f"""%r:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) <{{{attributes}}}>
              : ({{a0}}, {{a1}}, {{a2}}, {{a3}}, {{a4}}) -> ({{r0}}, {{r1}}, {{r2}})"""
            inputs = [operand, *vectors[:3], random.standard_normal(shape).astype(operand.dtype)]
            yield make_case("stablehlo.batch_norm_grad", body, inputs, results, attributes, None, NORMALISATION)


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [
    reduce, reduce_pairs, reduce_window, reduce_window_pairs, running, select_and_scatter, sort, top_k, batch_norm,
]  # fmt: skip
