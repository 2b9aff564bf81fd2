"""Instances of reductions, windows, sorts and scans."""

from __future__ import annotations

import random

from instance import (
    ALL_TYPES,
    FLOATS,
    INTEGERS,
    Function,
    binary_region,
    combiners_of,
    dims_within,
    matrix,
    numbers,
    random_shape,
    region,
    tensor,
)


def direction(name: str) -> str:
    return f"comparison_direction = #stablehlo<comparison_direction {name}>"


def reducer(rng: random.Random, elements: list[str]) -> str:
    """One value: mostly a commutative op. Several: an op each, or the larger one with its place (argmax)."""
    if len(elements) == 1:
        if rng.random() < 0.06 and elements[0] != "i1":
            # Not commutative: kept whole.
            return binary_region("stablehlo.subtract", elements[0])
        return binary_region(f"stablehlo.{rng.choice(combiners_of(elements[0]))}", elements[0])
    count = len(elements)
    if count == 2 and elements[0] in FLOATS + INTEGERS and rng.random() < 0.4:
        t, i = f"tensor<{elements[0]}>", f"tensor<{elements[1]}>"
        lines = [
            f'%g = "stablehlo.compare"(%x0, %x2) {{{direction("GE")}}} : ({t}, {t}) -> tensor<i1>',
            f'%v = "stablehlo.select"(%g, %x0, %x2) : (tensor<i1>, {t}, {t}) -> {t}',
            f'%n = "stablehlo.select"(%g, %x1, %x3) : (tensor<i1>, {i}, {i}) -> {i}',
        ]
        return region(elements * 2, lines, [("%v", elements[0]), ("%n", elements[1])])
    lines, shared = [], None
    for k, element in enumerate(elements):
        t = f"tensor<{element}>"
        op = shared if shared in combiners_of(element) and rng.random() < 0.5 else rng.choice(combiners_of(element))
        shared = shared or op
        lines.append(f'%s{k} = "stablehlo.{op}"(%x{k}, %x{count + k}) : ({t}, {t}) -> {t}')
    return region(elements * 2, lines, [(f"%s{k}", element) for k, element in enumerate(elements)])


WIDER = {"bf16": "f32", "f32": "f64", "i8": "i32"}
"""What the region of a reduction may compute in, and its result be."""


def promote(rng: random.Random, elements: list[str]) -> list[str]:
    return [WIDER.get(element, element) for element in elements] if rng.random() < 0.15 else elements


def exponentials(element: str) -> str:
    """(maximum, sum of exponentials)"""
    t = f"tensor<{element}>"
    lines = [f'%m = "stablehlo.maximum"(%x0, %x2) : ({t}, {t}) -> {t}']
    for k in range(2):
        lines += [
            f'%d{k} = "stablehlo.subtract"(%x{2 * k}, %m) : ({t}, {t}) -> {t}',
            f'%e{k} = "stablehlo.exponential"(%d{k}) : ({t}) -> {t}',
            f'%p{k} = "stablehlo.multiply"(%x{2 * k + 1}, %e{k}) : ({t}, {t}) -> {t}',
        ]
    lines.append(f'%s = "stablehlo.add"(%p0, %p1) : ({t}, {t}) -> {t}')
    return region([element] * 4, lines, [("%m", element), ("%s", element)])


def segments(element: str) -> str:
    """(whether a segment begins, sum of the last segment): the order of elements counts."""
    t, i = f"tensor<{element}>", "tensor<i1>"
    lines = [
        f'%f = "stablehlo.or"(%x0, %x2) : ({i}, {i}) -> {i}',
        f'%g = "stablehlo.add"(%x1, %x3) : ({t}, {t}) -> {t}',
        f'%o = "stablehlo.select"(%x2, %x3, %g) : ({i}, {t}, {t}) -> {t}',
    ]
    return region(["i1", element] * 2, lines, [("%f", "i1"), ("%o", element)])


LEAST = {"f16": "-65504.0", "bf16": "0xFF7F", "f32": "0xFF7FFFFF", "f64": "0xFFEFFFFFFFFFFFFF"}


def make_folded_reduce(rng: random.Random) -> Function:
    """Pairs whose body computes numbers."""
    f, shape = Function(), random_shape(rng, 1, 4)
    dims = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
    element = rng.choice(["f32", "f32", "f64", "f16", "bf16", "i32", "ui8", "i64"])
    is_real = element in LEAST and rng.random() < 0.7
    pair = (element, element) if is_real else ("i1", element)
    starts = (LEAST[element], "0.0") if is_real else ("false", zero_of(element))
    inputs = [f.argument(shape, part) for part in pair]
    inits = [f.constant(start, (), part) for start, part in zip(starts, pair, strict=True)]
    result = [size for dim, size in enumerate(shape) if dim not in dims]
    f.op("stablehlo.reduce", inputs + inits, [(result, part) for part in pair], f"dimensions = {numbers(dims)}",
         exponentials(element) if is_real else segments(element))  # fmt: skip
    return f


def make_reduce(rng: random.Random) -> Function:
    if rng.random() < 0.15:
        return make_folded_reduce(rng)
    f, shape = Function(), random_shape(rng, 0, 5)
    elements = [rng.choice(ALL_TYPES) for _ in range(rng.choice((1, 1, 1, 1, 2)))]
    promoted = promote(rng, elements)
    dims = sorted(rng.sample(range(len(shape)), rng.randint(0, len(shape))))
    inputs = [f.argument(shape, element) for element in elements]
    inits = [f.argument((), element) for element in elements]
    if len(elements) == 1 and elements[0] == "f32" and rng.random() < 0.3:
        inits = [f.constant(rng.choice(["0.0", "1.0", "0xFF800000", "0x7F800000", "-0.0", "2.0"]), (), "f32")]
    result = [size for dim, size in enumerate(shape) if dim not in dims]
    f.op("stablehlo.reduce", inputs + inits, [(result, element) for element in promoted],
         f"dimensions = {numbers(dims)}", reducer(rng, promoted))  # fmt: skip
    return f


def window_attributes(rng: random.Random, shape: list[int], dilated: bool) -> tuple[str, list[int], list[int]]:
    """Attributes, the window, and the result's shape. Half of the dims have a window of one."""
    window: list[int] = []
    strides: list[int] = []
    base: list[int] = []
    dilations: list[int] = []
    pads: list[tuple[int, int]] = []
    result: list[int] = []
    for size in shape:
        if rng.random() < 0.5:
            values = (1, 1, 1, 1, (0, 0))
        else:
            low, high = rng.choice([(0, 0), (0, 0), (1, 1), (1, 0), (0, 2)])
            values = (rng.choice((1, 2, 2, 3)), rng.choice((1, 1, 2)), rng.choice((1, 1, 2)) if dilated else 1,
                      rng.choice((1, 1, 2)) if dilated else 1, (low, high))  # fmt: skip
        if rng.random() < 0.15:
            # A running sum along the dim, or one from the end.
            pads_of_sum = rng.choice([(size - 1, 0), (0, size - 1)])
            values = (size, 1, 1, 1, pads_of_sum) if size > 0 else values
        kernel, stride, spread, dilation, (low, high) = values
        total = (0 if size == 0 else (size - 1) * spread + 1) + low + high
        span = (kernel - 1) * dilation + 1
        result.append((total - span) // stride + 1 if total >= span else 0)
        window.append(kernel)
        strides.append(stride)
        base.append(spread)
        dilations.append(dilation)
        pads.append((low, high))
    text = f"window_dimensions = {numbers(window)}, window_strides = {numbers(strides)}, padding = {matrix(pads)}"
    if dilated:
        text += f", base_dilations = {numbers(base)}, window_dilations = {numbers(dilations)}"
    return text, window, result


def zero_of(element: str) -> str:
    if element.startswith("complex"):
        return "(0.0, 0.0)"
    return {"i1": "false"}.get(element, "0" if element.lstrip("u").startswith("i") else "0.0")


def make_reduce_window(rng: random.Random) -> Function:
    f, shape = Function(), dims_within(rng, rng.randint(1, 4), 300)
    elements = [rng.choice(ALL_TYPES) for _ in range(rng.choice((1, 1, 1, 2)))]
    text, _, result = window_attributes(rng, shape, dilated=True)
    inputs = [f.argument(shape, element) for element in elements]
    promoted = promote(rng, elements)
    body = reducer(rng, promoted)
    if rng.random() < 0.5:
        # What a sum begins with, as programs have it.
        inits = [f.constant(zero_of(element), (), element) for element in promoted]
        if len(promoted) == 1:
            body = binary_region("stablehlo.or" if promoted[0] == "i1" else "stablehlo.add", promoted[0])
    else:
        inits = [f.argument((), element) for element in elements]
    f.op("stablehlo.reduce_window", inputs + inits, [(result, element) for element in promoted], text, body)
    return f


def make_select_and_scatter(rng: random.Random) -> Function:
    f, shape, element = Function(), dims_within(rng, rng.randint(1, 4), 200), rng.choice(("f32", "i32", "bf16"))
    text, _, source = window_attributes(rng, shape, dilated=False)
    t = f"tensor<{element}>"
    line = (
        f'%s = "stablehlo.compare"(%x0, %x1) {{{direction(rng.choice(("GE", "GT", "LE")))}}} : ({t}, {t}) -> tensor<i1>'
    )
    select = region([element] * 2, [line], [("%s", "i1")])
    operands = [f.argument(shape, element), f.argument(source, element), f.argument((), element)]
    f.op("stablehlo.select_and_scatter", operands, [(shape, element)], text,
         select + ", " + binary_region("stablehlo.add", element))  # fmt: skip
    return f


def make_sort(rng: random.Random) -> Function:
    f, shape = Function(), random_shape(rng, 1, 4, 200)
    elements = [rng.choice(FLOATS + INTEGERS) for _ in range(rng.choice((1, 1, 2)))]
    t = f"tensor<{elements[0]}>"
    arguments = [element for element in elements for _ in range(2)]
    lines = [f'%s = "stablehlo.compare"(%x0, %x1) {{{direction(rng.choice(("LT", "GT")))}}} : ({t}, {t}) -> tensor<i1>']
    dim, stable = rng.randrange(-len(shape), len(shape)), str(rng.random() < 0.5).lower()
    f.op("stablehlo.sort", [f.argument(shape, element) for element in elements], [(shape, e) for e in elements],
         f"dimension = {dim} : i64, is_stable = {stable}", region(arguments, lines, [("%s", "i1")]))  # fmt: skip
    return f


def make_top_k(rng: random.Random) -> Function:
    f, shape, element = Function(), dims_within(rng, rng.randint(1, 4), 200), rng.choice(FLOATS + INTEGERS)
    k = rng.randint(0, shape[-1])
    result = [*shape[:-1], k]
    f.op("chlo.top_k", [f.argument(shape, element)], [(result, element), (result, "i32")], f"k = {k} : i64")
    return f


def make_scan(rng: random.Random) -> Function:
    """A running sum along a dim, with the sum handed on."""
    f, shape, element = Function(), dims_within(rng, rng.randint(1, 3), 100), rng.choice(("f32", "i32"))
    dim, reverse = rng.randrange(len(shape)), str(rng.random() < 0.3).lower()
    rest = shape[:dim] + shape[dim + 1 :]
    t = tensor(rest, element)
    body = f'{{ ^bb0(%x: {t}, %c: {t}): %s = "stablehlo.add"(%x, %c) : ({t}, {t}) -> {t}\n'
    body += f'    "stablehlo.return"(%s, %s) : ({t}, {t}) -> () }}'
    attributes = f"dimension = {dim} : i64, is_reverse = {reverse}, operandSegmentSizes = array<i32: 1, 1>, "
    attributes += "resultSegmentSizes = array<i32: 1, 1>"
    f.op("chlo.scan", [f.argument(shape, element), f.argument(rest, element)], [(shape, element), (rest, element)],
         attributes, body)  # fmt: skip
    return f


MAKERS = {
    "chlo.scan": make_scan,
    "stablehlo.reduce": make_reduce,
    "stablehlo.reduce_window": make_reduce_window,
    "stablehlo.select_and_scatter": make_select_and_scatter,
    "stablehlo.sort": make_sort,
    "chlo.top_k": make_top_k,
}
