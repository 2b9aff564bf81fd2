"""Less common parts of JAX that leave marks of their own: layouts, sparse arrays, scheduling groups, memory spaces."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental import sparse
from jax.experimental.buffer_callback import buffer_callback
from jax.experimental.layout import Format, Layout, with_layout_constraint
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.scheduling_groups import scheduling_group, xla_metadata_call

from .registry import Family, f32

layouts = Family("layouts")
layouts.add("automatic", lambda x: x @ x, f32(4, 4), jit={"in_shardings": Format(Layout.AUTO)})
layouts.add("automatic_results", lambda x: x @ x, f32(4, 4), jit={"out_shardings": Format(Layout.AUTO)})
layouts.add("constraint", lambda x: with_layout_constraint(x * 2, Layout(major_to_minor=(1, 0))), f32(4, 8))
layouts.add(
    "tiled_constraint",
    lambda x: with_layout_constraint(x, Layout((0, 1), ((8, 128),))),
    f32(8, 128),
    platforms=("tpu",),
)

sparse_arrays = Family("sparse")
_BCOO = jax.eval_shape(lambda: sparse.BCOO.fromdense(jnp.ones((4, 6)), nse=5))
_BCSR = jax.eval_shape(lambda: sparse.BCSR.fromdense(jnp.ones((4, 6)), nse=5))
for _platform in ("cpu", "cuda"):
    sparse_arrays.add(f"bcoo_matvec_{_platform}", lambda a, x: a @ x, _BCOO, f32(6), platforms=(_platform,))
    sparse_arrays.add(f"bcsr_matmat_{_platform}", lambda a, x: a @ x, _BCSR, f32(6, 3), platforms=(_platform,))
sparse_arrays.add("todense", lambda a: a.todense(), _BCOO)
sparse_arrays.add("fromdense", lambda x: sparse.BCOO.fromdense(x, nse=4), f32(4, 6))

scheduling = Family("scheduling")
scheduling.add("group", lambda x: scheduling_group(name="group:0")(lambda v: jnp.sin(v) * 2)(x), f32(4))
scheduling.add("metadata_call", lambda x: xla_metadata_call(lambda v: jnp.cos(v), inlineable="false")(x), f32(4))
scheduling.add("host_memory", lambda x: jax.device_put(x, jax.memory.Space.Host) + 0, f32(4), platforms=("tpu",))
scheduling.add("device_memory", lambda x: jax.device_put(x, jax.memory.Space.Device) + 0, f32(4), platforms=("tpu",))
scheduling.add("sink", lambda x: (lax.dce_sink(jnp.sin(x)), x)[1], f32(4))
scheduling.add(
    "buffer_callback",
    lambda x: buffer_callback(lambda ctx, out, v: None, jax.ShapeDtypeStruct((4,), jnp.float32))(x),
    f32(4),
)

cudnn = Family("cudnn")
cudnn.add(
    "relu_convolution",
    lambda x, w: jax.nn.relu(lax.conv(x, w, (1, 1), "SAME")),
    f32(2, 4, 8, 8),
    f32(6, 4, 3, 3),
    platforms=("cuda",),
)


@cudnn.program(f32(128, 128), platforms=("cuda",))
def mosaic_gpu_kernel(x: Any) -> Any:
    def double(source: Any, target: Any) -> Any:
        target[...] = source[...] * 2

    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(double, out_shape=like, compiler_params=plgpu.CompilerParams())(x)
