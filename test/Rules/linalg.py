"""Instances of matrix ops, transforms, normalisation and random bits."""

from __future__ import annotations

import random
from collections.abc import Callable

from instance import Function, dims_within, numbers


def make_cholesky(rng: random.Random) -> Function:
    f, batch, n, element = (
        Function(),
        dims_within(rng, rng.randint(0, 2), 12),
        rng.choice((1, 2, 3, 4)),
        rng.choice(("f32", "f64")),
    )
    shape = [*batch, n, n]
    f.op(
        "stablehlo.cholesky",
        [f.argument(shape, element)],
        [(shape, element)],
        f"lower = {str(rng.random() < 0.5).lower()}",
    )
    return f


def make_triangular_solve(rng: random.Random) -> Function:
    f, batch, element = Function(), dims_within(rng, rng.randint(0, 2), 12), rng.choice(("f32", "f64", "complex<f32>"))
    n, columns, left = rng.choice((1, 2, 3, 4)), rng.choice((1, 2, 3, 4, 6)), rng.random() < 0.5
    shape = [*batch, n, columns] if left else [*batch, columns, n]
    flags = {"left_side": left, "lower": rng.random() < 0.5, "unit_diagonal": rng.random() < 0.5}
    text = ", ".join(f"{name} = {str(value).lower()}" for name, value in flags.items())
    transpose = rng.choice(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
    f.op("stablehlo.triangular_solve", [f.argument([*batch, n, n], element), f.argument(shape, element)],
         [(shape, element)], f"{text}, transpose_a = #stablehlo<transpose {transpose}>")  # fmt: skip
    return f


def make_fft(rng: random.Random) -> Function:
    f, batch = Function(), dims_within(rng, rng.randint(0, 2), 12)
    length = [rng.choice((2, 3, 4, 6, 8)) for _ in range(rng.choice((1, 1, 2)))]
    kind = rng.choice(("FFT", "IFFT", "RFFT", "IRFFT"))
    half = [*length[:-1], length[-1] // 2 + 1]
    source, result = {"RFFT": (length, half), "IRFFT": (half, length)}.get(kind, (length, length))
    types = {"RFFT": ("f32", "complex<f32>"), "IRFFT": ("complex<f32>", "f32")}.get(kind, ("complex<f32>",) * 2)
    f.op("stablehlo.fft", [f.argument([*batch, *source], types[0])], [([*batch, *result], types[1])],
         f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {numbers(length)}")  # fmt: skip
    return f


def make_batch_norm(kind: str) -> Callable[[random.Random], Function]:
    def make(rng: random.Random) -> Function:
        f, shape = Function(), dims_within(rng, rng.randint(1, 4), 200)
        feature = rng.randrange(len(shape))
        vector = [shape[feature]]
        operand = f.argument(shape, "f32")
        vectors = [f.argument(vector, "f32") for _ in range({"inference": 4, "training": 2, "grad": 3}[kind])]
        operands = [operand, *vectors] + ([f.argument(shape, "f32")] if kind == "grad" else [])
        results = [(shape, "f32")] + ([] if kind == "inference" else [(vector, "f32")] * 2)
        f.op(f"stablehlo.batch_norm_{kind}", operands, results,
             f"epsilon = 1.0e-03 : f32, feature_index = {feature} : i64")  # fmt: skip
        return f

    return make


def make_rng_bit_generator(rng: random.Random) -> Function:
    f, shape = Function(), dims_within(rng, rng.randint(0, 3), 100)
    algorithm, words = rng.choice((("THREE_FRY", 2), ("PHILOX", 3), ("DEFAULT", 2)))
    f.op("stablehlo.rng_bit_generator", [f.argument([words], "ui64")],
         [([words], "ui64"), (shape, rng.choice(("ui8", "ui32", "ui64")))],
         f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")  # fmt: skip
    return f


MAKERS = {
    "stablehlo.cholesky": make_cholesky,
    "stablehlo.triangular_solve": make_triangular_solve,
    "stablehlo.fft": make_fft,
    **{f"stablehlo.batch_norm_{kind}": make_batch_norm(kind) for kind in ("inference", "training", "grad")},
    "stablehlo.rng_bit_generator": make_rng_bit_generator,
}
