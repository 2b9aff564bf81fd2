"""Side effects and foreign code: callbacks, tokens, foreign function calls, kernels."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import checkify, io_callback
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

from .registry import Family, f32, i32

callbacks = Family("callbacks")


def _sine(x: Any) -> Any:
    return np.sin(x)


def _checked_log(x: Any) -> Any:
    checkify.check(x.sum() > 0, "sum")
    return jnp.log(x)


callbacks.add("pure", lambda x: jax.pure_callback(_sine, x, x), f32(4))
callbacks.add("pure_vmapped", jax.vmap(lambda x: jax.pure_callback(_sine, x, x, vmap_method="expand_dims")), f32(3, 4))
callbacks.add("pure_two_results", lambda x: jax.pure_callback(lambda v: (v, v), (x, x), x), f32(4))
callbacks.add("io", lambda x: io_callback(_sine, x, x), f32(4))
callbacks.add("io_ordered", lambda x: io_callback(_sine, x, x, ordered=True), f32(4))
callbacks.add("io_no_results", lambda x: io_callback(lambda v: None, None, x), f32(4))
callbacks.add("debug_print", lambda x: (jax.debug.print("x = {}", x), x)[1], f32(4))
callbacks.add("debug_print_ordered", lambda x: (jax.debug.print("x = {x}", x=x, ordered=True), x + 1)[1], f32(4))
callbacks.add(
    "ordered_twice", lambda x: (jax.debug.print("a", ordered=True), jax.debug.print("b", ordered=True), x)[2], f32(4)
)
callbacks.add(
    "in_loop_ordered",
    lambda x: lax.fori_loop(0, 3, lambda i, v: (jax.debug.print("{}", i, ordered=True), v + 1)[1], x),
    f32(4),
)
callbacks.add(
    "in_cond_ordered",
    lambda p, x: lax.cond(p > 0, lambda v: (jax.debug.print("{}", v, ordered=True), v)[1], lambda v: v, x),
    i32(),
    f32(4),
)
callbacks.add("checkify", lambda x: checkify.checkify(_checked_log)(x)[1], f32(4))
callbacks.add("tokens", lambda: lax.after_all(lax.create_token(), lax.create_token()))

ffi = Family("ffi")
_like = jax.ShapeDtypeStruct((4,), jnp.float32)
ffi.add("plain", lambda x: jax.ffi.ffi_call("my_call", _like)(x), f32(4))
ffi.add(
    "attributes",
    lambda x: jax.ffi.ffi_call("my_call", _like)(
        x, flag=True, count=np.int32(3), scale=np.float32(0.5), mode="fast", table=np.arange(3)
    ),
    f32(4),
)
ffi.add("side_effect", lambda x: jax.ffi.ffi_call("my_call", _like, has_side_effect=True)(x), f32(4))
ffi.add("aliases", lambda x: jax.ffi.ffi_call("my_call", _like, input_output_aliases={0: 0})(x), f32(4))
ffi.add(
    "layouts",
    lambda x: jax.ffi.ffi_call(
        "my_call", jax.ShapeDtypeStruct((3, 4), jnp.float32), input_layouts=[(1, 0)], output_layouts=(1, 0)
    )(x),
    f32(3, 4),
)
ffi.add("several_results", lambda x: jax.ffi.ffi_call("my_call", (_like, _like))(x, x), f32(4))
ffi.add("no_results", lambda x: (jax.ffi.ffi_call("my_call", (), has_side_effect=True)(x), x)[1], f32(4))
ffi.add("no_operands", lambda: jax.ffi.ffi_call("my_call", _like)())
for _version in (1, 2, 3, 4):
    ffi.add(
        f"api_version_{_version}",
        lambda x, v=_version: jax.ffi.ffi_call(
            "my_call", _like, custom_call_api_version=v, legacy_backend_config=None if v == 4 else 'config "text"'
        )(x),
        f32(4),
    )
ffi.add("vmapped", jax.vmap(lambda x: jax.ffi.ffi_call("my_call", _like, vmap_method="broadcast_all")(x)), f32(3, 4))

kernels = Family("kernels")


def _double(source: Any, target: Any) -> Any:
    target[...] = source[...] * 2


def _kernel(function: Any = _double, **options: Any) -> Any:
    return lambda x: pl.pallas_call(function, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), **options)(x)


kernels.add("interpreted", _kernel(interpret=True), f32(8, 128))
kernels.add(
    "interpreted_grid",
    _kernel(
        interpret=True,
        grid=(2,),
        in_specs=[pl.BlockSpec((4, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((4, 128), lambda i: (i, 0)),
    ),
    f32(8, 128),
)
kernels.add("mosaic_tpu", _kernel(), f32(8, 128), platforms=("tpu",))
kernels.add(
    "mosaic_tpu_grid",
    _kernel(
        grid=(2,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    ),
    f32(16, 128),
    platforms=("tpu",),
)
kernels.add("aliased_tpu", _kernel(input_output_aliases={0: 0}, name="in_place"), f32(8, 128), platforms=("tpu",))
kernels.add("triton_cuda", _kernel(compiler_params=plgpu.CompilerParams(num_warps=4)), f32(8, 128), platforms=("cuda",))
kernels.add(
    "cudnn_attention",
    functools.partial(jax.nn.dot_product_attention, implementation="xla", is_causal=True),
    *[f32(2, 8, 4, 16)] * 3,
)
