"""Shape operations: slices, updates, concatenation, padding, reshapes, transposes, broadcasts, reversals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, boolean, f32, i32, shaped

slicing = Family("slicing")
slicing.add("static", lambda x: lax.slice(x, (1, 0), (3, 4)), f32(4, 6))
slicing.add("strided", lambda x: lax.slice(x, (0, 1), (4, 6), (2, 3)), f32(4, 6))
slicing.add("scalar", lambda x: x[()], f32())
slicing.add("index_static", lambda x: x[2], f32(4, 6))
slicing.add("index_reverse", lambda x: x[::-2, 1], f32(4, 6))
slicing.add("index_newaxis", lambda x: x[None, ..., 1:3, None], f32(4, 6))
slicing.add("dynamic", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)), f32(4, 6), i32(), i32())
slicing.add("dynamic_unsigned", lambda x, i: lax.dynamic_slice(x, (i,), (2,)), f32(4), shaped("uint8"))
slicing.add("dynamic_index_in_dim", lambda x, i: lax.dynamic_index_in_dim(x, i, 1), f32(4, 6), i32())
slicing.add("update", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)), f32(4, 6), f32(2, 6), i32())
slicing.add("update_x64", lambda x, u, i: lax.dynamic_update_slice(x, u, (i,)), f32(4), f32(2), shaped("i8"), x64=True)
slicing.add("update_index", lambda x, u, i: lax.dynamic_update_index_in_dim(x, u, i, 0), f32(4, 6), f32(6), i32())
slicing.add("grad_dynamic", jax.grad(lambda x, i: lax.dynamic_slice(x, (i,), (2,)).sum()), f32(4), i32())
slicing.add("vmap_dynamic", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), f32(3, 4), i32(3))
slicing.add("split", lambda x: lax.split(x, (1, 2, 3)), f32(6, 2))
slicing.add("unstack", lambda x: jnp.unstack(x, axis=1), f32(2, 3))
slicing.add("concatenate", lambda x, y: lax.concatenate([x, y, x], 1), f32(2, 3), f32(2, 5))
slicing.add("concatenate_many", lambda *xs: lax.concatenate(xs, 0), *[i32(2)] * 20)
slicing.add("concatenate_one", lambda x: lax.concatenate([x], 0), i32(2))
slicing.add("stack_roll_tile", lambda x: (jnp.stack([x, x]), jnp.roll(x, 2), jnp.tile(x, (2, 3))), f32(4, 5))
slicing.add("roll_dynamic", jnp.roll, f32(5), i32())
slicing.add("repeat", lambda x: jnp.repeat(x, 3, axis=0), f32(4, 5))

padding = Family("padding")
padding.add("edges", lambda x: lax.pad(x, 0.0, ((1, 2, 0), (0, 3, 0))), f32(4, 6))
padding.add("interior", lambda x: lax.pad(x, 1.0, ((0, 0, 2), (1, 0, 1))), f32(4, 6))
padding.add("negative", lambda x, v: lax.pad(x, v, ((-1, 2, 0), (0, -3, 0))), f32(4, 6), f32())
padding.add("integers", lambda x: lax.pad(x, 7, ((1, 1, 0),)), i32(4))
padding.add("grad", jax.grad(lambda x, v: lax.pad(x, v, ((1, 2, 1),)).sum(), argnums=(0, 1)), f32(4), f32())
for _mode in ("reflect", "symmetric", "wrap", "edge", "linear_ramp", "mean"):
    padding.add(f"mode_{_mode}", lambda x, m=_mode: jnp.pad(x, 2, mode=m), f32(4, 4))

reshaping = Family("reshaping")
reshaping.add("merge", lambda x: x.reshape(6, 4), f32(2, 3, 4))
reshaping.add("split", lambda x: x.reshape(2, 3, 4), f32(6, 4))
reshaping.add("to_scalar", lambda x: x.reshape(()), f32(1, 1))
reshaping.add("expand_squeeze", lambda x: lax.squeeze(lax.expand_dims(x, (0, 2)), (0,)), f32(3, 4))
reshaping.add("transpose", lambda x: x.T, f32(3, 4))
reshaping.add("transpose_rank4", lambda x: lax.transpose(x, (2, 0, 3, 1)), boolean(2, 3, 4, 5))
reshaping.add("order_f", lambda x: lax.reshape(x, (12,), dimensions=(1, 0)), f32(3, 4))
reshaping.add("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1,)), f32(3))
reshaping.add("broadcast_scalar", lambda x: lax.broadcast(x, (2, 3)), f32())
reshaping.add("broadcast_ones", lambda x: jnp.broadcast_to(x, (5, 3, 4)), f32(3, 1))
reshaping.add("reverse", lambda x: lax.rev(x, (0, 2)), f32(2, 3, 4))
reshaping.add("rot90_flip", lambda x: (jnp.rot90(x), jnp.fliplr(x)), f32(3, 4))
reshaping.add("meshgrid", jnp.meshgrid, f32(3), f32(4))
reshaping.add("zero_sized", lambda x: x.reshape(0, 6), f32(3, 0, 2))
