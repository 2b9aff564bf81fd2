"""Conversions and bitcasts between all element types."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from .registry import Family, bf16, f32, shaped

_INTEGERS = [
    "bool",
    "int2",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint2",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
_FLOATS = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn",
    "bfloat16",
    "float16",
    "float32",
    "float64",
]
_COMPLEX = ["complex64", "complex128"]
_TYPES = _INTEGERS + _FLOATS + _COMPLEX

convert = Family("convert")


def _to_all(x: Any) -> Any:
    targets = _TYPES if not jnp.issubdtype(x.dtype, jnp.complexfloating) else _COMPLEX
    return [lax.convert_element_type(x, t) for t in targets]


for _type in _TYPES:
    convert.add(f"{_type}_to_all", _to_all, shaped(_type, 6), x64=True)
convert.add("real_part_of_complex", lambda x: x.real.astype(jnp.int32), shaped("complex64", 4))
convert.add("weak_scalar", lambda x: x * 2, bf16(4))

bitcast = Family("bitcast")
_SAME_WIDTH = (
    ["int4", "uint4"],
    ["int8", "uint8", "float8_e4m3fn", "float8_e5m2"],
    ["int16", "uint16", "bfloat16", "float16"],
    ["int32", "uint32", "float32"],
    ["int64", "uint64", "float64"],
)
for _names in _SAME_WIDTH:
    for _type in _names:
        bitcast.add(
            f"{_type}_same_width",
            lambda x, names=_names: [lax.bitcast_convert_type(x, n) for n in names],
            shaped(_type, 4),
            x64=True,
        )
bitcast.add("f32_to_u8", lambda x: lax.bitcast_convert_type(x, jnp.uint8), f32(3))
bitcast.add("u8_to_f32", lambda x: lax.bitcast_convert_type(x, jnp.float32), shaped("uint8", 3, 4))
bitcast.add("i8_to_i4", lambda x: lax.bitcast_convert_type(x, jnp.int4), shaped("int8", 3))
bitcast.add("view", lambda x: x.view(jnp.uint16), f32(4, 2))
