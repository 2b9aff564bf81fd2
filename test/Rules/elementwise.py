"""Instances of ops that work element by element."""

from __future__ import annotations

import random
from collections.abc import Callable

from instance import ALL_TYPES, COMPLEX, FLOATS, INTEGERS, MOVED_TYPES, NUMBERS, Function, random_shape, region

Maker = Callable[[random.Random], Function]

TRANSCENDENTAL = ["cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine"]
TRANSCENDENTAL += ["sqrt", "tan", "tanh"]
UNARY = {
    **dict.fromkeys(TRANSCENDENTAL, FLOATS + COMPLEX),
    **dict.fromkeys(["cbrt", "ceil", "floor", "round_nearest_afz", "round_nearest_even"], FLOATS),
    **dict.fromkeys(["negate", "sign"], (*FLOATS, "i8", "i32", *COMPLEX)),
    **dict.fromkeys(["popcnt", "count_leading_zeros"], INTEGERS),
    "not": (*INTEGERS, "i1"),
}
CHLO_UNARY = {
    **dict.fromkeys(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan"], FLOATS),
    **dict.fromkeys(["conj", "square"], FLOATS + COMPLEX),
    **dict.fromkeys(["digamma", "erf", "erf_inv", "erfc", "lgamma", "bessel_i1e"], ("f32", "f64")),
}
BINARY = {
    **dict.fromkeys(["add", "multiply", "maximum", "minimum"], ALL_TYPES),
    **dict.fromkeys(["subtract", "divide"], NUMBERS),
    "power": NUMBERS,
    "remainder": FLOATS + INTEGERS,
    "atan2": FLOATS,
    **dict.fromkeys(["and", "or", "xor"], (*INTEGERS, "i1")),
    **dict.fromkeys(["shift_left", "shift_right_arithmetic", "shift_right_logical"], INTEGERS),
}
CHLO_BROADCASTS = {
    **dict.fromkeys(["add", "multiply", "maximum", "minimum", "subtract", "divide", "power"], FLOATS + INTEGERS),
    "remainder": FLOATS + INTEGERS,
    **dict.fromkeys(["atan2", "next_after"], FLOATS),
    **dict.fromkeys(["polygamma", "zeta"], ("f32",)),
    **dict.fromkeys(["and", "or", "xor"], (*INTEGERS, "i1")),
    **dict.fromkeys(["shift_left", "shift_right_arithmetic", "shift_right_logical"], INTEGERS),
}
WIDTH = {"i8": 8, "ui8": 8, "i32": 32, "f32": 32, "bf16": 16, "f64": 64, "complex<f32>": 64}


def make_nary(name: str, types: tuple[str, ...], count: int) -> Maker:
    def make(rng: random.Random) -> Function:
        f, shape, element = Function(), random_shape(rng), rng.choice(types)
        f.op(name, [f.argument(shape, element) for _ in range(count)], [(shape, element)])
        return f

    return make


def make_to(name: str, source: str, result: str, count: int = 1) -> Maker:
    def make(rng: random.Random) -> Function:
        f, shape = Function(), random_shape(rng)
        f.op(name, [f.argument(shape, source) for _ in range(count)], [(shape, result)])
        return f

    return make


def make_abs(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice((*FLOATS, "i8", "i32", *COMPLEX))
    f.op("stablehlo.abs", [f.argument(shape, element)], [(shape, "f32" if element in COMPLEX else element)])
    return f


def make_convert(rng: random.Random) -> Function:
    f, shape = Function(), random_shape(rng)
    f.op("stablehlo.convert", [f.argument(shape, rng.choice(MOVED_TYPES))], [(shape, rng.choice(MOVED_TYPES))])
    return f


def make_bitcast(rng: random.Random) -> Function:
    """Between types of other widths the last dim appears or goes."""
    f, shape = Function(), random_shape(rng, 0, 4)
    source, result = rng.choice(list(WIDTH)), rng.choice(list(WIDTH))
    if "complex" in source or "complex" in result:
        result = source
    ratio = WIDTH[source] / WIDTH[result]
    wide = (*shape, int(max(ratio, 1 / ratio)))
    f.op("stablehlo.bitcast_convert", [f.argument(wide if ratio < 1 else shape, source)],
         [(wide if ratio > 1 else shape, result)])  # fmt: skip
    return f


def make_reduce_precision(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(FLOATS)
    attributes = f"exponent_bits = {rng.randint(2, 8)} : i32, mantissa_bits = {rng.randint(0, 7)} : i32"
    f.op("stablehlo.reduce_precision", [f.argument(shape, element)], [(shape, element)], attributes)
    return f


def comparison(rng: random.Random, dialect: str = "stablehlo", complex_only: bool = False) -> str:
    directions = ["EQ", "NE"] if complex_only else ["EQ", "NE", "GE", "GT", "LE", "LT"]
    return f"comparison_direction = #{dialect}<comparison_direction {rng.choice(directions)}>"


def make_compare(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(ALL_TYPES)
    operands = [f.argument(shape, element), f.argument(shape, element)]
    f.op("stablehlo.compare", operands, [(shape, "i1")], comparison(rng, complex_only=element in COMPLEX))
    return f


def make_select(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(MOVED_TYPES)
    operands = [
        f.argument(rng.choice([(), shape, shape]), "i1"),
        f.argument(shape, element),
        f.argument(shape, element),
    ]
    f.op("stablehlo.select", operands, [(shape, element)])
    return f


def make_clamp(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng), rng.choice(FLOATS + INTEGERS)
    low, high = rng.choice([(), shape]), rng.choice([(), shape])
    operands = [f.argument(low, element), f.argument(shape, element), f.argument(high, element)]
    f.op("stablehlo.clamp", operands, [(shape, element)])
    return f


def broadcast_shapes(rng: random.Random) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Two shapes, aligned at their last dims, and their broadcast."""
    shape = random_shape(rng, 1, 4)
    left = tuple(1 if rng.random() < 0.25 else size for size in shape)
    right = tuple(1 if a != 1 and rng.random() < 0.25 else size for a, size in zip(left, shape, strict=True))
    shape = tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))
    return left, right[rng.randint(0, len(right) - 1) :] if rng.random() < 0.3 else right, shape


def make_broadcasting(name: str, types: tuple[str, ...], result: str | None = None) -> Maker:
    def make(rng: random.Random) -> Function:
        f, element = Function(), rng.choice(types)
        left, right, _ = broadcast_shapes(rng)
        padded = (1,) * (len(left) - len(right)) + right
        shape = tuple(b if a == 1 else a for a, b in zip(left, padded, strict=True))
        attributes = comparison(rng, "chlo") if name == "chlo.broadcast_compare" else ""
        f.op(name, [f.argument(left, element), f.argument(right, element)], [(shape, result or element)], attributes)
        return f

    return make


def make_broadcast_select(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 1, 4), rng.choice(ALL_TYPES)
    operands = [f.argument(rng.choice([(), shape]), "i1"), f.argument(shape, element), f.argument(shape, element)]
    f.op("chlo.broadcast_select", operands, [(shape, element)])
    return f


def make_constant_like(rng: random.Random) -> Function:
    f, shape = Function(), random_shape(rng)
    f.op("chlo.constant_like", [f.argument(shape, "f32")], [(shape, "f32")], "value = 2.5 : f32")
    return f


def make_identity(name: str, attributes: str) -> Maker:
    """An op of sdy that changes no value; {dims} is a list with an open dim for each of the operand's."""

    def make(rng: random.Random) -> Function:
        f, shape, element = Function(), random_shape(rng), rng.choice(ALL_TYPES)
        dims = ", ".join(["{?}"] * len(shape))
        f.op(name, [f.argument(shape, element)], [(shape, element)], attributes.replace("{dims}", dims))
        return f

    return make


def make_map(rng: random.Random) -> Function:
    f, shape, element = Function(), random_shape(rng, 0, 4, 200), rng.choice(("f32", "i32"))
    t, count = f"tensor<{element}>", rng.randint(1, 3)
    lines = [f'%s = "stablehlo.multiply"(%x0, %x{count - 1}) : ({t}, {t}) -> {t}']
    attributes = f"dimensions = array<i64{':' if shape else ''} {', '.join(map(str, range(len(shape))))}>"
    f.op("stablehlo.map", [f.argument(shape, element) for _ in range(count)], [(shape, element)], attributes,
         region([element] * count, lines, [("%s", element)]))  # fmt: skip
    return f


def make_barrier(rng: random.Random) -> Function:
    f = Function()
    operands = [f.argument(random_shape(rng, 0, 3), rng.choice(ALL_TYPES)) for _ in range(rng.randint(1, 3))]
    f.op("stablehlo.optimization_barrier", operands, [(o.shape, o.element) for o in operands])
    return f


MAKERS: dict[str, Maker] = {
    **{f"stablehlo.{name}": make_nary(f"stablehlo.{name}", types, 1) for name, types in UNARY.items()},
    **{f"stablehlo.{name}": make_nary(f"stablehlo.{name}", types, 2) for name, types in BINARY.items()},
    **{f"chlo.{name}": make_nary(f"chlo.{name}", types, 1) for name, types in CHLO_UNARY.items()},
    **{f"chlo.is_{name}": make_to(f"chlo.is_{name}", "f32", "i1") for name in ("inf", "pos_inf", "neg_inf")},
    **{
        f"chlo.broadcast_{name}": make_broadcasting(f"chlo.broadcast_{name}", types)
        for name, types in CHLO_BROADCASTS.items()
    },
    "chlo.broadcast_compare": make_broadcasting("chlo.broadcast_compare", FLOATS, "i1"),
    "chlo.broadcast_complex": make_broadcasting("chlo.broadcast_complex", ("f32",), "complex<f32>"),
    "chlo.broadcast_select": make_broadcast_select,
    "chlo.constant_like": make_constant_like,
    "chlo.next_after": make_nary("chlo.next_after", FLOATS, 2),
    "chlo.polygamma": make_nary("chlo.polygamma", ("f32",), 2),
    "chlo.zeta": make_nary("chlo.zeta", ("f32",), 2),
    "chlo.mulhi": make_nary("chlo.mulhi", INTEGERS, 2),
    "stablehlo.abs": make_abs,
    "stablehlo.real": make_to("stablehlo.real", "complex<f32>", "f32"),
    "stablehlo.imag": make_to("stablehlo.imag", "complex<f32>", "f32"),
    "stablehlo.complex": make_to("stablehlo.complex", "f32", "complex<f32>", 2),
    "stablehlo.is_finite": make_to("stablehlo.is_finite", "f32", "i1"),
    "stablehlo.convert": make_convert,
    "stablehlo.bitcast_convert": make_bitcast,
    "stablehlo.reduce_precision": make_reduce_precision,
    "stablehlo.compare": make_compare,
    "stablehlo.select": make_select,
    "stablehlo.clamp": make_clamp,
    "chlo._asin_acos_kernel": make_nary("chlo._asin_acos_kernel", COMPLEX, 1),
    "sdy.sharding_constraint": make_identity("sdy.sharding_constraint", "sharding = #sdy.sharding<@mesh, [{dims}]>"),
    "sdy.reshard": make_identity("sdy.reshard", "sharding = #sdy.sharding<@mesh, [{dims}]>"),
    "sdy.propagation_barrier": make_identity("sdy.propagation_barrier", "allowed_direction = 1 : i32"),
    "stablehlo.map": make_map,
    "stablehlo.optimization_barrier": make_barrier,
}
