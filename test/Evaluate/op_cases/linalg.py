"""cholesky, triangular_solve, fft, and the generators of random bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from element_types import COMPLEX, DTYPES, is_complex, small, tensor_type
from op_cases.case import Case, Tolerance, array_attribute, make_case, simple

Generator = np.random.Generator
SOLVABLE = ["f32", "f64", *COMPLEX]
BATCHES: list[tuple[int, ...]] = [(), (2,), (2, 3), (0,)]


def precision(element: str, scale: float) -> Tolerance:
    """`scale` units of the type's rounding, absolute: results are of the size of one."""
    eps = float(np.finfo(DTYPES[element]).eps)
    return Tolerance(ulps=4, absolute=scale * eps)


def cholesky(random: Generator) -> Iterator[Case]:
    """Both triangles are given; only the named one may be read, and the other is zero in the result."""
    for element in SOLVABLE:
        for batch in BATCHES:
            for lower in (True, False):
                for size in (0, 1, 4):
                    square = random.standard_normal((*batch, size, size))
                    if is_complex(element):
                        square = square + 1j * random.standard_normal((*batch, size, size))
                    definite = square @ np.conj(np.swapaxes(square, -1, -2)) + size * np.eye(size)
                    array = definite.astype(DTYPES[element])
                    attributes = f"lower = {str(lower).lower()}"
                    tolerance = precision(element, 32)
                    label = f"{attributes} {list(array.shape)}"
                    case = simple("stablehlo.cholesky", [array], array.shape, element, attributes, label, tolerance)
                    yield triangle_only(case, lower)


def triangle_only(case: Case, lower: bool) -> Case:
    """Keeps the triangle that was asked for: XLA leaves the other unspecified."""
    shape = case.inputs[0].shape
    kind = case.results[0]
    mask_kind = tensor_type(shape, "i1")
    index_kind = tensor_type(shape, "i32")
    rank = len(shape)
    body = f"""{case.body.replace("%r =", "%l =")}
      %i = stablehlo.iota dim = {rank - 2} : {index_kind}
      %j = stablehlo.iota dim = {rank - 1} : {index_kind}
      %m = stablehlo.compare {"GE" if lower else "LE"}, %i, %j : ({index_kind}, {index_kind}) -> {mask_kind}
      %z = stablehlo.subtract %l, %l : {kind}
      %r = stablehlo.select %m, %l, %z : {mask_kind}, {kind}"""
    return Case(case.op, case.element, case.label, body, case.inputs, case.results, case.tolerance)


def triangular_solve(random: Generator) -> Iterator[Case]:
    for element in SOLVABLE:
        transposes = ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]
        for transpose in transposes:
            for left in (True, False):
                for lower in (True, False):
                    for unit in (True, False):
                        batch = BATCHES[random.integers(len(BATCHES))]
                        a = small(random, (*batch, 4, 4), element, 1)
                        a = (a + 3 * np.eye(4)).astype(DTYPES[element])
                        b = small(random, (*batch, 4, 3) if left else (*batch, 3, 4), element)
                        flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
                        text = ", ".join(f"{name} = {str(value).lower()}" for name, value in flags.items())
                        text += f", transpose_a = #stablehlo<transpose {transpose}>"
                        # Without its diagonal the matrix is badly conditioned: results of some hundreds.
                        tolerance = precision(element, 2048 if unit else 64)
                        label = f"{text} {list(batch)}"
                        yield simple("stablehlo.triangular_solve", [a, b], b.shape, element, text, label, tolerance)


def fft(random: Generator) -> Iterator[Case]:
    for element in ("f32", "f64"):
        for batch in BATCHES[:3]:
            for length in ((8,), (6,), (5,), (1,), (4, 6), (3, 5), (2, 3, 4)):
                for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
                    yield fft_case(random, element, kind, batch, length)


def fft_case(random: Generator, element: str, kind: str, batch: tuple[int, ...], length: tuple[int, ...]) -> Case:
    half = (*batch, *length[:-1], length[-1] // 2 + 1)
    whole = (*batch, *length)
    shape, result = {"RFFT": (whole, half), "IRFFT": (half, whole)}.get(kind, (whole, whole))
    source = element if kind == "RFFT" else f"complex<{element}>"
    target = element if kind == "IRFFT" else f"complex<{element}>"
    attributes = f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {array_attribute(length)}"
    tolerance = precision(element, 4.0 * float(np.prod(length)) + 16)
    array = small(random, shape, source, 3)
    return simple("stablehlo.fft", [array], result, target, attributes, f"{kind} {batch}{length}", tolerance)


def rng_bit_generator(random: Generator) -> Iterator[Case]:
    """THREE_FRY and PHILOX are specified to the bit; DEFAULT is what XLA takes for it.

    Random bits as f16 may be signalling NaNs, which do not survive a conversion: left out.
    """
    for algorithm, words in (("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2), ("DEFAULT", 3)):
        for element in ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f32", "f64"):
            for shape in ((), (1,), (7,), (4, 6), (3, 5, 3), (0, 2)):
                state = random.integers(0, 2**64, words, dtype=np.uint64)
                if random.integers(4) == 0:
                    state[-1] = np.uint64(2**64 - 1)
                results = [tensor_type((words,), "ui64"), tensor_type(shape, element)]
                body = f"""%r:2 = "stablehlo.rng_bit_generator"(%a0)
                  <{{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}}> : ({{a0}}) -> ({{r0}}, {{r1}})"""
                label = f"{algorithm} {words} {list(shape)}"
                yield make_case("stablehlo.rng_bit_generator", body, [state], results, label, element)


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [cholesky, triangular_solve, fft, rng_bit_generator]
