"""CHLO: functions of one and two numbers, the broadcasting forms, constants and scans."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from element_types import (
    COMPLEX,
    DTYPES,
    EVERYTHING,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    WIDE_FLOATS,
    is_complex,
    is_float,
    small,
    spread,
    tensor_type,
)
from op_cases.case import Case, make_case, simple
from op_cases.elementwise import inputs_of, result_type
from op_cases.ulps import tolerance_of

Generator = np.random.Generator

UNARY = {
    "_asin_acos_kernel": COMPLEX,
    "acos": FLOATS + COMPLEX,
    "acosh": FLOATS + COMPLEX,
    "asin": FLOATS + COMPLEX,
    "asinh": FLOATS + COMPLEX,
    "atan": FLOATS + COMPLEX,
    "atanh": FLOATS + COMPLEX,
    "bessel_i1e": WIDE_FLOATS,
    "conj": [*FLOATS, *COMPLEX],
    "cosh": FLOATS + COMPLEX,
    "digamma": WIDE_FLOATS,
    "erf": WIDE_FLOATS,
    "erf_inv": WIDE_FLOATS,
    "erfc": WIDE_FLOATS,
    "is_inf": FLOATS,
    "is_neg_inf": FLOATS,
    "is_pos_inf": FLOATS,
    "lgamma": WIDE_FLOATS,
    "sinh": FLOATS + COMPLEX,
    "square": FLOATS + COMPLEX,
    "tan": FLOATS + COMPLEX,
}
BINARY = {
    "next_after": WIDE_FLOATS,
}


def functions(random: Generator) -> Iterator[Case]:
    for count, table in ((1, UNARY), (2, BINARY)):
        for op, elements in table.items():
            for element in elements:
                result = "i1" if op.startswith("is_") else element
                for label, inputs in inputs_of(random, element, count):
                    yield simple(f"chlo.{op}", inputs, inputs[0].shape, result, "", label, tolerance_of(op, element))


BROADCASTING = {
    "add": NUMBERS,
    "and": ["i1", *INTEGERS],
    "atan2": WIDE_FLOATS,
    "complex": ["f32", "f64"],
    "divide": NUMBERS,
    "maximum": INTEGERS + FLOATS,
    "minimum": INTEGERS + FLOATS,
    "multiply": NUMBERS,
    "next_after": WIDE_FLOATS,
    "or": ["i1", *INTEGERS],
    "power": WIDE_FLOATS,
    "remainder": INTEGERS + FLOATS,
    "shift_left": INTEGERS,
    "shift_right_arithmetic": INTEGERS,
    "shift_right_logical": INTEGERS,
    "subtract": NUMBERS,
    "xor": ["i1", *INTEGERS],
}
SHAPES = [
    # left, right, result, where the smaller rank goes
    ((2, 3), (2, 3), (2, 3), None),
    ((3, 1), (1, 4), (3, 4), None),
    ((), (2, 2), (2, 2), None),
    ((2, 3, 4), (4,), (2, 3, 4), None),
    ((4,), (2, 3, 4), (2, 3, 4), (2,)),
]


def broadcast_dims(dims: tuple[int, ...] | None) -> str:
    return f"broadcast_dimensions = array<i64: {', '.join(map(str, dims))}>" if dims else ""


def broadcasting(random: Generator) -> Iterator[Case]:
    for op, elements in BROADCASTING.items():
        for number, element in enumerate(elements):
            for offset in range(2):
                left, right, out, dims = SHAPES[(number + 3 * offset) % len(SHAPES)]
                inputs = [small(random, left, element), small(random, right, element)]
                label = f"{left} {right} {dims}"
                result, tolerance = result_type(op, element), tolerance_of(op, element)
                yield simple(f"chlo.broadcast_{op}", inputs, out, result, broadcast_dims(dims), label, tolerance)


def zeta_family(random: Generator) -> Iterator[Case]:
    """polygamma(n, x) and zeta(s, x) where they are defined: n a natural number, s > 1, x > 0.

    Elsewhere XLA's formulas go on without meaning, to numbers that are not those of the analytic continuation.
    """
    for element in WIDE_FLOATS:
        for op in ("polygamma", "zeta"):
            for shape in ((40,), (5, 8), ()):
                least = 0 if op == "polygamma" else 2
                orders = random.integers(least, least + 5, shape).astype(DTYPES[element])
                points = np.exp2(random.uniform(-3, 6, shape)).astype(DTYPES[element])
                inputs = [np.asarray(orders), np.asarray(points)]
                tolerance = tolerance_of(op, element)
                yield simple(f"chlo.{op}", inputs, shape, element, "", str(shape), tolerance)
            left, right, out, dims = SHAPES[random.integers(len(SHAPES))]
            orders = random.integers(least, least + 3, left).astype(DTYPES[element])
            points = random.uniform(1, 9, right).astype(DTYPES[element])
            inputs = [np.asarray(orders), np.asarray(points)]
            yield simple(
                f"chlo.broadcast_{op}", inputs, out, element, broadcast_dims(dims), f"{left} {right}", tolerance
            )


def broadcasting_leading(random: Generator) -> Iterator[Case]:
    """The smaller operand's dims are the leading ones of the larger: XLA does not take that."""
    for element in ["i8", "i32", "ui16", "f32", "f64", "bf16"]:
        inputs = [small(random, (2, 3), element), small(random, (2, 3, 4), element)]
        case = simple("chlo.broadcast_add", inputs, (2, 3, 4), element, broadcast_dims((0, 1)), "leading dims")
        yield dataclasses.replace(case, expected=(inputs[0][:, :, None] + inputs[1],))


def broadcast_compare(random: Generator) -> Iterator[Case]:
    for number, element in enumerate(EVERYTHING):
        directions = ("EQ", "NE") if is_complex(element) else ("EQ", "NE", "LT", "GE")
        for offset, direction in enumerate(directions):
            left, right, out, dims = SHAPES[(number + offset) % len(SHAPES)]
            inputs = [small(random, left, element), small(random, right, element)]
            text = f"comparison_direction = #chlo<comparison_direction {direction}>"
            text += ", compare_type = #chlo<comparison_type TOTALORDER>" if is_float(element) and offset % 2 else ""
            text += f", {broadcast_dims(dims)}" if dims else ""
            yield simple("chlo.broadcast_compare", inputs, out, "i1", text, f"{direction} {left} {right} {dims}")


def broadcast_select(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        for predicate, left, right in (((), (2, 3), (2, 3)), ((2, 3), (), (2, 3)), ((3,), (2, 3), ())):
            chosen = random.integers(0, 2, predicate).astype(bool)
            inputs = [chosen, spread(random, left, element), spread(random, right, element)]
            body = '%r = "chlo.broadcast_select"(%a0, %a1, %a2) : ({a0}, {a1}, {a2}) -> {r0}'
            result = tensor_type((2, 3), element)
            yield make_case("chlo.broadcast_select", body, inputs, [result], f"{predicate} {left} {right}", element)


def mulhi(random: Generator) -> Iterator[Case]:
    """Of i4 XLA's product is cut off before its high half is taken."""
    for element in [kind for kind in INTEGERS if kind not in ("i4", "ui4")]:
        for label, inputs in inputs_of(random, element, 2):
            yield simple("chlo.mulhi", inputs, inputs[0].shape, element, "", label)


def constants(random: Generator) -> Iterator[Case]:
    for element in SIGNED + WIDE_FLOATS:
        value = "2.5" if is_float(element) else "-1"
        kind = tensor_type((2, 3), element)
        body = f'%r = "chlo.constant_like"(%a0) <{{value = {value} : {element}}}> : ({{a0}}) -> {{r0}}'
        yield make_case("chlo.constant_like", body, [small(random, (2, 3), element)], [kind])
        body = f"%r = chlo.constant dense<{value}> : {kind}"
        yield make_case("chlo.constant", body, [], [kind], "", element)


def scan(random: Generator) -> Iterator[Case]:
    """A running sum with the carried value as the second result."""
    for element in ["i32", "i64", "f32", "f64", "bf16", "complex<f32>"]:
        for reverse in (False, True):
            row, whole = tensor_type((3,), element), tensor_type((4, 3), element)
            inputs = [small(random, (4, 3), element), small(random, (3,), element)]
            flag = str(reverse).lower()
            body = f"""%r:2 = chlo.scan (%a0) inits (%a1) dimension=0 attributes {{is_reverse = {flag}}} {{
                ^bb0(%x: {row}, %c: {row}):
                  %s = stablehlo.add %x, %c : {row}
                  stablehlo.return %s, %s : {row}, {row}
              }} : ({whole}, {row}) -> ({whole}, {row})"""
            data = inputs[0][::-1] if reverse else inputs[0]
            sums = np.cumsum(data.astype(np.complex128), axis=0) + inputs[1].astype(np.complex128)
            kept = (sums if is_complex(element) else sums.real).astype(DTYPES[element])
            expected = (kept[::-1] if reverse else kept, kept[-1])
            yield Case("chlo.scan", element, f"reverse {reverse}", body, tuple(inputs), (whole, row), expected=expected)


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [
    functions, broadcasting, zeta_family, broadcasting_leading, broadcast_compare, broadcast_select, mulhi, constants,
    scan,
]  # fmt: skip
