"""Matrix products: dimension numbers, precisions, algorithms, mixed types, ragged and scaled products."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, bf16, c64, f32, i32, shaped

dot = Family("dot")
dot.add("matmul", jnp.matmul, f32(3, 4), f32(4, 5))
dot.add("vector_vector", jnp.dot, f32(4), f32(4))
dot.add("matrix_vector", jnp.dot, f32(3, 4), f32(4))
dot.add("outer", jnp.outer, f32(3), f32(4))
dot.add("batched", jnp.matmul, f32(2, 7, 3, 4), f32(2, 7, 4, 5))
dot.add("contract_two", lambda x, y: lax.dot_general(x, y, (((1, 2), (0, 1)), ((), ()))), f32(2, 3, 4), f32(3, 4, 5))
dot.add("no_contraction", lambda x, y: lax.dot_general(x, y, (((), ()), ((0,), (0,)))), f32(2, 3), f32(2, 4))
dot.add("transposed", lambda x, y: lax.dot_general(x, y, (((0,), (1,)), ((), ()))), f32(4, 3), f32(5, 4))
dot.add("c64", jnp.matmul, c64(3, 4), c64(4, 5))
dot.add(
    "i8_to_i32",
    lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
    shaped("int8", 3, 4),
    shaped("int8", 4, 5),
)
dot.add("bf16_to_f32", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32), bf16(3, 4), bf16(4, 5))
dot.add(
    "mixed_inputs",
    lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32),
    bf16(3, 4),
    f32(4, 5),
)
dot.add(
    "f8",
    lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32),
    shaped("float8_e4m3fn", 3, 4),
    shaped("float8_e5m2", 4, 5),
)
dot.add("einsum_attention", lambda q, k: jnp.einsum("bthd,bshd->bhts", q, k), bf16(2, 8, 4, 16), bf16(2, 8, 4, 16))
dot.add("einsum_trace", lambda x: jnp.einsum("ii->", x), f32(4, 4))
dot.add("einsum_three", lambda a, b, c: jnp.einsum("ij,jk,kl->il", a, b, c), f32(2, 3), f32(3, 4), f32(4, 5))
dot.add("tensordot", lambda x, y: jnp.tensordot(x, y, 2), f32(2, 3, 4), f32(3, 4, 5))
dot.add("kron_inner_vdot", lambda x, y: (jnp.kron(x, y), jnp.inner(x, y), jnp.vdot(x, y)), f32(2, 2), f32(2, 2))
dot.add("grad", jax.grad(lambda x, y: jnp.sin(x @ y).sum(), argnums=(0, 1)), f32(3, 4), f32(4, 5))
for _precision in ("default", "high", "highest"):
    dot.add(f"precision_{_precision}", lambda x, y, p=_precision: jnp.dot(x, y, precision=p), f32(3, 4), f32(4, 5))
dot.add("precision_pair", lambda x, y: jnp.dot(x, y, precision=("high", "default")), f32(3, 4), f32(4, 5))
for _preset in lax.DotAlgorithmPreset:
    if _preset.name == "DEFAULT":
        continue
    _lhs, _rhs = f32(3, 4), f32(4, 5)
    if "F64" in _preset.name:
        _lhs, _rhs = shaped("f8", 3, 4), shaped("f8", 4, 5)
    elif _preset.name.startswith("F16"):
        _lhs, _rhs = shaped("f2", 3, 4), shaped("f2", 4, 5)
    elif _preset.name.startswith("ANY_F8"):
        _lhs, _rhs = shaped("float8_e4m3fn", 3, 4), shaped("float8_e5m2", 4, 5)
    dot.add(
        f"algorithm_{_preset.name.lower()}",
        lambda x, y, p=_preset: lax.dot_general(x, y, (((1,), (0,)), ((), ())), precision=p),
        _lhs,
        _rhs,
        x64="F64" in _preset.name,
        platforms=("tpu",) if "X9" in _preset.name else ("cuda",),
    )
dot.add(
    "algorithm_explicit",
    lambda x, y: lax.dot_general(
        x,
        y,
        (((1,), (0,)), ((), ())),
        precision=lax.DotAlgorithm(jnp.float16, jnp.float16, jnp.float32),
        preferred_element_type=jnp.float32,
    ),
    shaped("f2", 3, 4),
    shaped("f2", 4, 5),
    platforms=("cuda",),
)

ragged = Family("ragged")
for _platform in ("cpu", "tpu"):
    ragged.add(f"dot_{_platform}", lax.ragged_dot, f32(8, 4), f32(3, 4, 5), i32(3), platforms=(_platform,))
    ragged.add(
        f"contracting_{_platform}",
        lambda x, y, g: lax.ragged_dot_general(
            x,
            y,
            g,
            lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), lhs_ragged_dimensions=[0], rhs_group_dimensions=[]),
        ),
        bf16(8, 4),
        bf16(8, 5),
        i32(3),
        platforms=(_platform,),
    )
ragged.add(
    "batch_tpu",
    lambda x, y, g: lax.ragged_dot_general(
        x,
        y,
        g,
        lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), lhs_ragged_dimensions=[0], rhs_group_dimensions=[]),
    ),
    f32(6, 8, 4),
    f32(6, 4, 5),
    i32(3),
    platforms=("tpu",),
)
ragged.add(
    "precision_tpu",
    lambda x, y, g: lax.ragged_dot(x, y, g, precision="highest", preferred_element_type=jnp.float32),
    bf16(8, 4),
    bf16(3, 4, 5),
    i32(3),
    platforms=("tpu",),
)
ragged.add(
    "grad",
    jax.grad(lambda x, y, g: lax.ragged_dot(x, y, g).sum(), argnums=(0, 1)),
    f32(8, 4),
    f32(3, 4, 5),
    i32(3),
    platforms=("tpu",),
)

scaled = Family("scaled")
for _platform in ("cpu", "tpu", "cuda"):
    scaled.add(
        f"dot_{_platform}",
        lambda x, y, a, b: lax.scaled_dot(x, y, lhs_scale=a, rhs_scale=b, preferred_element_type=jnp.bfloat16),
        shaped("float8_e4m3fn", 32, 64),
        shaped("float8_e4m3fn", 64, 16),
        shaped("float8_e8m0fnu", 32, 2),
        shaped("float8_e8m0fnu", 2, 16),
        platforms=(_platform,),
    )
