"""The element types of StableHLO: their NumPy types, their families, and values that are likely to go wrong.

Types of less than a byte, and floats that NumPy does not know, are those of ml_dtypes.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

DTYPES: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for name, kind in {
        "i1": np.bool_,
        "i2": ml_dtypes.int2,
        "i4": ml_dtypes.int4,
        "i8": np.int8,
        "i16": np.int16,
        "i32": np.int32,
        "i64": np.int64,
        "ui2": ml_dtypes.uint2,
        "ui4": ml_dtypes.uint4,
        "ui8": np.uint8,
        "ui16": np.uint16,
        "ui32": np.uint32,
        "ui64": np.uint64,
        "f4E2M1FN": ml_dtypes.float4_e2m1fn,
        "f6E2M3FN": ml_dtypes.float6_e2m3fn,
        "f6E3M2FN": ml_dtypes.float6_e3m2fn,
        "f8E3M4": ml_dtypes.float8_e3m4,
        "f8E4M3": ml_dtypes.float8_e4m3,
        "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
        "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
        "bf16": ml_dtypes.bfloat16,
        "f16": np.float16,
        "f32": np.float32,
        "f64": np.float64,
        "complex<f32>": np.complex64,
        "complex<f64>": np.complex128,
    }.items()
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

SIGNED = ["i2", "i4", "i8", "i16", "i32", "i64"]
UNSIGNED = ["ui2", "ui4", "ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
F8 = [name for name in DTYPES if name.startswith("f8") and name != "f8E8M0FNU"]
"""The 8-bit floats that have a sign."""
WIDE_FLOATS = ["bf16", "f16", "f32", "f64"]
FLOATS = [*F8, *WIDE_FLOATS]
COMPLEX = ["complex<f32>", "complex<f64>"]
NUMBERS = INTEGERS + FLOATS + COMPLEX
EVERYTHING = ["i1", *NUMBERS]
WITHOUT_XLA = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"]
"""Float types that XLA has no arithmetic on the CPU for, or does not know."""

PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}


def is_complex(name: str) -> bool:
    return name in PARTS


def is_float(name: str) -> bool:
    return name[0] == "f" or name == "bf16"


def is_integer(name: str) -> bool:
    return name.lstrip("u")[0] == "i" and name != "i1"


def width(name: str) -> int:
    """Bits of an integer type."""
    return int(name.lstrip("ui"))


def integer_range(name: str) -> tuple[int, int]:
    bits = width(name)
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def tensor_type(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def type_of(array: np.ndarray) -> str:
    return tensor_type(array.shape, NAMES[array.dtype])


def _integer_specials(name: str) -> np.ndarray:
    low, high = integer_range(name)
    bits = width(name)
    wanted = [0, 1, 2, 3, 5, 7, 10, bits - 1, bits, bits + 1, 100, high, high - 1, high // 2 + 1, high // 3]
    wanted += [-1, -2, -3, -7, low, low + 1, low // 2] if low < 0 else []
    kept = list(dict.fromkeys(value for value in wanted if low <= value <= high))
    return np.array(kept, np.int64 if low < 0 else np.uint64).astype(DTYPES[name])


def _float_specials(name: str) -> np.ndarray:
    limits = ml_dtypes.finfo(DTYPES[name])
    largest, smallest, eps = float(limits.max), float(limits.smallest_normal), float(limits.eps)
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.75, 7.0, 127.5, 1 + eps, largest, smallest, largest / 3, np.inf]
    if name in ("f32", "f64"):
        positive += [2.0**31, 2.0**32, 2.0**63, 1e9, 8388609.0]
    both = np.array([sign * value for value in positive for sign in (1, -1)] + [np.nan])
    with np.errstate(all="ignore"):
        return both.astype(DTYPES[name])


def specials(name: str) -> np.ndarray:
    """Values at the edges of the type; of f32 and f64 no denormals, which XLA on the CPU takes for zeros."""
    if name == "i1":
        return np.array([False, True])
    if is_integer(name):
        return _integer_specials(name)
    if is_complex(name):
        parts = np.array([0.0, -0.0, 1.0, -2.5, 3.0, 1e4, np.inf, -np.inf, np.nan])
        grid = np.stack(np.meshgrid(parts, parts), -1).reshape(-1, 2)
        return np.ascontiguousarray(grid).view(np.complex128).reshape(-1).astype(DTYPES[name])
    return _float_specials(name)


def small(random: np.random.Generator, shape: tuple[int, ...], name: str, most: int = 4) -> np.ndarray:
    """Small integers, on which sums and products are exact in most types."""
    if name == "i1":
        return random.integers(0, 2, shape).astype(bool)
    if is_complex(name):
        pair = random.integers(-most, most + 1, (*shape, 2)).astype(DTYPES[PARTS[name]])
        return np.ascontiguousarray(pair).view(DTYPES[name]).reshape(shape)
    low, high = (-most, most)
    if is_integer(name):
        least, largest = integer_range(name)
        low, high = max(low, least), min(high, largest)
    return random.integers(low, high + 1, shape).astype(DTYPES[name])


def spread(random: np.random.Generator, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Integers of the whole range; floats of many magnitudes and both signs."""
    if name == "i1":
        return random.integers(0, 2, shape).astype(bool)
    if is_integer(name):
        low, high = integer_range(name)
        wide = np.int64 if low < 0 else np.uint64
        return random.integers(low, high, shape, dtype=wide, endpoint=True).astype(DTYPES[name])
    if is_complex(name):
        pair = spread(random, (*shape, 2), PARTS[name])
        return np.ascontiguousarray(pair).view(DTYPES[name]).reshape(shape)
    numbers = random.standard_normal(shape) * np.exp2(random.integers(-3, 4, shape))
    return numbers.astype(DTYPES[name])
