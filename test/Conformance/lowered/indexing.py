"""Gather and scatter in all their forms, sorting and selection of the largest."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.lax import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers

from .registry import Family, bf16, boolean, c64, f32, i32, shaped

gather = Family("gather")
gather.add("rows", lambda x, i: x[i], f32(8, 4), i32(3))
gather.add("columns", lambda x, i: x[:, i], f32(8, 4), i32(3))
gather.add("pairs", lambda x, i, j: x[i, j], f32(8, 4), i32(3), i32(3))
gather.add("outer_pairs", lambda x, i, j: x[i[:, None], :, j[None]], f32(8, 4, 5), i32(3), i32(2))
gather.add("scalar", lambda x, i: x[i], f32(8, 4), i32())
gather.add("unsigned_index", lambda x, i: x[i], f32(8), shaped("uint8", 3))
gather.add("i64_index", lambda x, i: x[i], f32(8), shaped("i8", 3), x64=True)
for _mode in ("clip", "fill", "wrap"):
    gather.add(f"take_{_mode}", lambda x, i, m=_mode: jnp.take(x, i, axis=1, mode=m), f32(8, 4), i32(3))
gather.add("promise_in_bounds", lambda x, i: x.at[i].get(mode="promise_in_bounds"), f32(8), i32(3))
gather.add(
    "at_get_sorted_unique",
    lambda x, i: x.at[i].get(indices_are_sorted=True, unique_indices=True, mode="fill", fill_value=7),
    f32(8),
    i32(3),
)
gather.add("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), f32(8, 4), i32(8, 2))
gather.add(
    "window",
    lambda x, i: lax.gather(x, i, GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 3), mode=GatherScatterMode.CLIP),
    f32(8, 6),
    i32(5, 2),
)
gather.add(
    "batching_dims",
    lambda x, i: lax.gather(x, i, GatherDimensionNumbers((1,), (1,), (1,), (0,), (0,)), (1, 1, 3), mode="clip"),
    f32(4, 8, 3),
    i32(4, 1),
)
gather.add("vmapped", jax.vmap(lambda x, i: x[i]), f32(4, 8), i32(4, 3))
gather.add("vmapped_index", jax.vmap(lambda x, i: x[i], (None, 0)), f32(8), i32(4, 3))
gather.add("boolean_mask_fixed", lambda x, m: x[jnp.nonzero(m, size=3)], f32(8), boolean(8))
gather.add("embedding_grad", jax.grad(lambda w, i: (w[i] ** 2).sum()), f32(16, 4), i32(5))
gather.add("diagonal", lambda x: (jnp.diag(x), jnp.diagonal(x, 1)), f32(4, 4))
gather.add("searchsorted", jnp.searchsorted, f32(8), f32(3))
gather.add("interp", jnp.interp, f32(3), f32(8), f32(8))
gather.add("one_hot", lambda i: jax.nn.one_hot(i, 10), i32(4))
gather.add("choose_select", lambda i, x, y: jnp.choose(i, [x, y], mode="clip"), i32(4), f32(4), f32(4))

scatter = Family("scatter")
for _name in ["set", "add", "multiply", "min", "max", "subtract", "divide", "power"]:
    scatter.add(f"at_{_name}", lambda x, i, u, n=_name: getattr(x.at[i], n)(u), f32(8, 4), i32(3), f32(3, 4))
for _mode in ("clip", "drop", "promise_in_bounds"):
    scatter.add(f"mode_{_mode}", lambda x, i, u, m=_mode: x.at[i].add(u, mode=m), f32(8), i32(3), f32(3))
scatter.add(
    "unique_sorted",
    lambda x, i, u: x.at[i].set(u, unique_indices=True, indices_are_sorted=True),
    f32(8),
    i32(3),
    f32(3),
)
scatter.add("apply", lambda x, i: x.at[i].apply(jnp.sin), f32(8), i32(3))
scatter.add("add_bf16", lambda x, i, u: x.at[:, i].add(u), bf16(8, 4), i32(3), bf16(8, 3))
scatter.add("add_int", lambda x, i, u: x.at[i].add(u), i32(8), i32(3), i32(3))
scatter.add("max_pred", lambda x, i, u: x.at[i].set(u), boolean(8), i32(3), boolean(3))
scatter.add("add_c64", lambda x, i, u: x.at[i].add(u), c64(8), i32(3), c64(3))
scatter.add("scalar_index", lambda x, i: x.at[i].set(1.0), f32(8), i32())
scatter.add("static_slice", lambda x: x.at[1:3].set(0.0), f32(8))
scatter.add("i64_index", lambda x, i, u: x.at[i].add(u), f32(8), shaped("i8", 3), f32(3), x64=True)
scatter.add(
    "window",
    lambda x, i, u: lax.scatter_add(x, i, u, ScatterDimensionNumbers((1, 2), (), (0, 1))),
    f32(8, 6),
    i32(5, 2),
    f32(5, 2, 3),
)
scatter.add(
    "batching_dims",
    lambda x, i, u: lax.scatter(x, i, u, ScatterDimensionNumbers((1,), (1,), (1,), (0,), (0,)), mode="clip"),
    f32(4, 8, 3),
    i32(4, 1),
    f32(4, 3),
)
scatter.add(
    "mul_lax",
    lambda x, i, u: lax.scatter_mul(x, i, u, ScatterDimensionNumbers((), (0,), (0,)), unique_indices=True),
    f32(8),
    i32(3, 1),
    f32(3),
)
scatter.add(
    "sub_lax",
    lambda x, i, u: lax.scatter_sub(x, i, u, ScatterDimensionNumbers((), (0,), (0,))),
    f32(8),
    i32(3, 1),
    f32(3),
)
scatter.add("vmapped", jax.vmap(lambda x, i, u: x.at[i].add(u)), f32(4, 8), i32(4, 3), f32(4, 3))
scatter.add("grad_set", jax.grad(lambda x, i, u: (x.at[i].set(u) ** 2).sum(), argnums=(0, 2)), f32(8), i32(3), f32(3))
scatter.add("grad_max", jax.grad(lambda x, i, u: x.at[i].max(u).sum()), f32(8), i32(3), f32(3))
scatter.add("segment_sum", lambda x, s: jax.ops.segment_sum(x, s, num_segments=4), f32(9, 2), i32(9))
scatter.add("segment_max_sorted", lambda x, s: jax.ops.segment_max(x, s, 4, indices_are_sorted=True), f32(9), i32(9))
scatter.add(
    "put_along_axis", lambda x, i, u: jnp.put_along_axis(x, i, u, 0, inplace=False), f32(4, 4), i32(1, 4), f32(1, 4)
)

sort = Family("sort")
sort.add("f32", lambda x: lax.sort(x), f32(8))
sort.add("i32_axis0", lambda x: jnp.sort(x, axis=0), i32(8, 4))
sort.add("descending", lambda x: jnp.sort(x, descending=True), f32(8))
sort.add("unstable", lambda x: lax.sort(x, is_stable=False), f32(8))
sort.add("argsort", lambda x: jnp.argsort(x), f32(3, 8))
sort.add("key_value", lambda k, v: lax.sort_key_val(k, v), f32(8), i32(8))
sort.add("two_keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2), i32(8), f32(8), bf16(8))
sort.add("c64", lambda x: lax.sort(x), c64(8))
sort.add("pred", lambda x: lax.sort(x), boolean(8))
sort.add("lexsort_unique", lambda x, y: (jnp.lexsort((x, y)), jnp.unique(x, size=4)), i32(8), i32(8))
sort.add("grad", jax.grad(lambda x: (jnp.sort(x) * jnp.arange(8.0)).sum()), f32(8))
for _platform in ("cpu", "tpu", "cuda"):
    sort.add(f"top_k_{_platform}", lambda x: lax.top_k(x, 3), f32(4, 8), platforms=(_platform,))
    sort.add(f"approx_max_k_{_platform}", lambda x: lax.approx_max_k(x, 3), f32(4, 64), platforms=(_platform,))
sort.add("top_k_i32", lambda x: lax.top_k(x, 3), i32(8))
sort.add("top_k_axis", lambda x: lax.top_k(x, 2, axis=0), f32(8, 4))
sort.add("top_k_grad", jax.grad(lambda x: lax.top_k(x, 3)[0].sum()), f32(8))
sort.add(
    "approx_min_k",
    lambda x: lax.approx_min_k(x, 3, reduction_dimension=0, recall_target=0.8, aggregate_to_topk=False),
    f32(64, 4),
    platforms=("tpu",),
)
