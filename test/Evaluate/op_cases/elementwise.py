"""Elementwise ops: every function on every element type it is defined for.

Three kinds of inputs: all pairs of the type's edge values, small integers, and numbers of many magnitudes.
"""

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
    PARTS,
    SIGNED,
    is_complex,
    is_float,
    small,
    specials,
    spread,
    tensor_type,
)
from op_cases.case import Case, make_case, simple
from op_cases.ulps import tolerance_of

Generator = np.random.Generator

UNARY = {
    "abs": SIGNED + FLOATS + COMPLEX,
    "cbrt": FLOATS,
    "ceil": FLOATS,
    "cosine": FLOATS + COMPLEX,
    "count_leading_zeros": INTEGERS,
    "exponential": FLOATS + COMPLEX,
    "exponential_minus_one": FLOATS + COMPLEX,
    "floor": FLOATS,
    "imag": FLOATS + COMPLEX,
    "is_finite": FLOATS,
    "log": FLOATS + COMPLEX,
    "log_plus_one": FLOATS + COMPLEX,
    "logistic": FLOATS + COMPLEX,
    "negate": NUMBERS,
    "not": ["i1", *INTEGERS],
    "popcnt": [kind for kind in INTEGERS if kind not in ("i2", "i4")],  # XLA counts the copies of the sign as well
    "real": FLOATS + COMPLEX,
    "round_nearest_afz": FLOATS,
    "round_nearest_even": FLOATS,
    "rsqrt": FLOATS + COMPLEX,
    "sign": SIGNED + FLOATS + COMPLEX,
    "sine": FLOATS + COMPLEX,
    "sqrt": FLOATS + COMPLEX,
    "tan": FLOATS + COMPLEX,
    "tanh": FLOATS + COMPLEX,
}

BINARY = {
    "add": EVERYTHING,
    "and": ["i1", *INTEGERS],
    "atan2": FLOATS,
    "complex": ["f32", "f64"],
    "divide": NUMBERS,
    "maximum": EVERYTHING,
    "minimum": EVERYTHING,
    "multiply": EVERYTHING,
    "or": ["i1", *INTEGERS],
    "power": NUMBERS,
    "remainder": INTEGERS + FLOATS,
    "shift_left": INTEGERS,
    "shift_right_arithmetic": INTEGERS,
    "shift_right_logical": INTEGERS,
    "subtract": NUMBERS,
    "xor": ["i1", *INTEGERS],
}

SPREAD_SHAPES = [(), (7,), (3, 0, 2), (4, 5, 6)]


def result_type(op: str, element: str) -> str:
    if op == "is_finite":
        return "i1"
    if op == "complex":
        return f"complex<{element}>"
    if op in ("abs", "real", "imag"):
        return PARTS.get(element, element)
    return element


def pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs, as two vectors."""
    return np.repeat(values, len(values)), np.tile(values, len(values))


RELATIONS = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal,
}  # fmt: skip


def in_total_order(values: np.ndarray) -> np.ndarray:
    """Numbers in the order of those of an FNUZ type, which has one zero and one NaN.

    The NaN's sign bit is set, so it comes first, as negative NaNs do in IEEE 754's total order. The rest of its bits
    are 0, and XLA takes it for a -0: between the negative numbers and 0.
    """
    wide = values.astype(np.float64)
    return np.where(np.isnan(wide), -np.inf, wide)


def edge_inputs(element: str, count: int) -> tuple[np.ndarray, ...]:
    values = specials(element)
    if count == 1:
        return (values,)
    if is_complex(element):
        values = values[:: max(1, len(values) // 27)]
    return pairs(values)


def inputs_of(random: Generator, element: str, count: int) -> Iterator[tuple[str, tuple[np.ndarray, ...]]]:
    yield "edges", edge_inputs(element, count)
    yield "small", tuple(small(random, (3, 8), element) for _ in range(count))
    shape = SPREAD_SHAPES[random.integers(len(SPREAD_SHAPES))]
    yield f"spread{list(shape)}", tuple(spread(random, shape, element) for _ in range(count))


def functions(random: Generator) -> Iterator[Case]:
    for count, table in ((1, UNARY), (2, BINARY)):
        for op, elements in table.items():
            for element in elements:
                for label, inputs in inputs_of(random, element, count):
                    tolerance = tolerance_of(op, element)
                    result = result_type(op, element)
                    yield simple(f"stablehlo.{op}", inputs, inputs[0].shape, result, "", label, tolerance)


def compare(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        orders = ["FLOAT", "TOTALORDER"] if is_float(element) else ["NOTYPE"]
        for direction, relation in RELATIONS.items():
            if is_complex(element) and direction not in ("EQ", "NE"):
                continue
            for order in orders:
                kind = "" if order == "NOTYPE" else f", compare_type = #stablehlo<comparison_type {order}>"
                attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>{kind}"
                label = f"{direction} {order}"
                inputs = edge_inputs(element, 2)
                case = simple("stablehlo.compare", inputs, inputs[0].shape, "i1", attributes, label)
                if order == "TOTALORDER" and element.endswith("FNUZ"):
                    case = dataclasses.replace(case, expected=(relation(*map(in_total_order, inputs)),))
                yield case


def select(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        for whole in (True, False):
            shape = (4, 6)
            chosen = random.integers(0, 2, shape if whole else ()).astype(bool)
            values = [random.choice(specials(element), shape) for _ in range(2)]
            label = "elementwise" if whole else "scalar predicate"
            case = simple("stablehlo.select", [chosen, *values], shape, element, "", label)
            yield Case(case.op, element, label, case.body, case.inputs, case.results)


def clamp(random: Generator) -> Iterator[Case]:
    for element in ["i1", *INTEGERS, *FLOATS]:
        values = specials(element)
        for low_is_scalar, high_is_scalar in ((False, False), (True, True)):
            low = random.choice(values, () if low_is_scalar else values.shape)
            high = random.choice(values, () if high_is_scalar else values.shape)
            label = "scalar bounds" if low_is_scalar else "elementwise"
            yield simple(
                "stablehlo.clamp", [np.asarray(low), values, np.asarray(high)], values.shape, element, "", label
            )


def reduce_precision(random: Generator) -> Iterator[Case]:
    for element in FLOATS:
        for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52), (3, 0), (1, 1), (2, 4)):
            values = np.concatenate([specials(element), spread(random, (20,), element)])
            attributes = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
            yield simple("stablehlo.reduce_precision", [values], values.shape, element, attributes)


def convert(random: Generator) -> Iterator[Case]:
    for source in EVERYTHING:
        for target in EVERYTHING:
            values = np.concatenate([specials(source), spread(random, (12,), source)])
            yield simple("stablehlo.convert", [values], values.shape, target, "", f"to {target}")


def bitcast_convert(random: Generator) -> Iterator[Case]:
    kinds = [name for name in [*INTEGERS, *FLOATS] if DTYPES[name].itemsize * 8 == bits_of(name)]
    for source in kinds:
        for target in kinds:
            ratio = bits_of(source) / bits_of(target)
            values = random.integers(0, 256, (4, 8, DTYPES[source].itemsize), dtype=np.uint8)
            array = np.ascontiguousarray(values).view(DTYPES[source]).reshape(4, 8)
            with np.errstate(invalid="ignore"):
                array = np.where(array != array, np.ones_like(array), array)  # NaNs have many patterns
            if ratio == 1:
                shape: tuple[int, ...] = (4, 8)
            elif ratio > 1:
                shape = (4, 8, int(ratio))
            else:
                array = array.reshape(-1)[: 3 * int(1 / ratio)].reshape(3, int(1 / ratio))
                shape = (3,)
            yield simple("stablehlo.bitcast_convert", [array], shape, target, "", f"to {target}")


def bits_of(name: str) -> int:
    return int("".join(c for c in name.split("E")[0] if c.isdigit()))


def map_op(random: Generator) -> Iterator[Case]:
    for element in ["i8", "i32", "ui16", "f16", "f32", "f64", "complex<f32>"]:
        scalar = tensor_type((), element)
        inputs = [small(random, (3, 5), element) for _ in range(2)]
        body = f"""%r = "stablehlo.map"(%a0, %a1) <{{dimensions = array<i64: 0, 1>}}> ({{
          ^bb0(%x: {scalar}, %y: {scalar}):
            %s = stablehlo.multiply %x, %y : {scalar}
            %z = stablehlo.subtract %s, %y : {scalar}
            stablehlo.return %z : {scalar}
        }}) : ({{a0}}, {{a1}}) -> {{r0}}"""
        yield make_case("stablehlo.map", body, inputs, [tensor_type((3, 5), element)])


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [
    functions,
    compare,
    select,
    clamp,
    reduce_precision,
    convert,
    bitcast_convert,
    map_op,
]
