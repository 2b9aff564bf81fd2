"""What JAX's transformations and annotations leave in the text: remat, custom rules, scopes, composites, donation."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental.compute_on import compute_on
from jax.experimental.xla_metadata import set_xla_metadata

from .registry import Family, f32, i32

remat = Family("remat")


def _mlp(x: Any, w: Any) -> Any:
    return jnp.sin(jnp.sin(x @ w) @ w).sum()


_MLP = (f32(3, 4), f32(4, 4))
remat.add("plain", jax.grad(jax.checkpoint(_mlp)), *_MLP)
for _policy in ("dots_saveable", "everything_saveable", "nothing_saveable", "dots_with_no_batch_dims_saveable"):
    remat.add(_policy, jax.grad(jax.checkpoint(_mlp, policy=getattr(jax.checkpoint_policies, _policy))), *_MLP)
remat.add(
    "named_saveable",
    jax.grad(
        jax.checkpoint(
            lambda x, w: jnp.sin(checkpoint_name(x @ w, "h")).sum(),
            policy=jax.checkpoint_policies.save_only_these_names("h"),
        )
    ),
    *_MLP,
)
remat.add(
    "offload",
    jax.grad(
        jax.checkpoint(
            lambda x, w: jnp.sin(jnp.sin(checkpoint_name(x @ w, "h"))).sum(),
            policy=jax.checkpoint_policies.save_and_offload_only_these_names(
                names_which_can_be_saved=[],
                names_which_can_be_offloaded=["h"],
                offload_src="device",
                offload_dst="pinned_host",
            ),
        )
    ),
    *_MLP,
    platforms=("tpu",),
)
remat.add("nested", jax.grad(jax.checkpoint(lambda x, w: jax.checkpoint(_mlp)(x, w) ** 2)), *_MLP)
remat.add("no_prevent_cse", jax.grad(jax.checkpoint(_mlp, prevent_cse=False)), *_MLP)

custom = Family("custom")


@jax.custom_vjp
def _clipped(x: Any) -> Any:
    return x


_clipped.defvjp(lambda x: (x, x), lambda x, g: (jnp.clip(g, -1, 1) * jnp.sign(x),))


@jax.custom_jvp
def _log1pexp(x: Any) -> Any:
    return jnp.log(1 + jnp.exp(x))


_log1pexp.defjvp(lambda p, t: (_log1pexp(p[0]), t[0] * jax.nn.sigmoid(p[0])))
custom.add("vjp_forward", _clipped, f32(4))
custom.add("vjp_grad", jax.grad(lambda x: _clipped(jnp.sin(x)).sum()), f32(4))
custom.add("jvp_forward", _log1pexp, f32(4))
custom.add("jvp_grad", jax.grad(lambda x: _log1pexp(x).sum()), f32(4))
custom.add("hessian", jax.hessian(lambda x: (jnp.sin(x) ** 2).prod()), f32(3))
custom.add("jacobians", lambda x: (jax.jacfwd(jnp.tanh)(x), jax.jacrev(jnp.tanh)(x)), f32(3))
custom.add("linearize", lambda x: jax.linearize(jnp.sin, x)[1](x), f32(3))
custom.add("stop_gradient", jax.grad(lambda x: (lax.stop_gradient(x) * x).sum()), f32(3))
custom.add("vmap_of_grad", jax.vmap(jax.grad(lambda x: jnp.linalg.norm(x))), f32(5, 3))

marks = Family("annotations")


@marks.program(f32(4))
def named_scopes(x: Any) -> Any:
    with jax.named_scope("encoder"), jax.named_scope('layer "0"/mlp'):
        return jnp.sin(x) + jax.named_call(jnp.cos, name="head")(x)


@marks.program(f32(4))
def metadata(x: Any) -> Any:
    with set_xla_metadata(priority="high", step=3):
        return jnp.sin(x) * 2


@marks.program(f32(4))
def metadata_on_value(x: Any) -> Any:
    return set_xla_metadata(jnp.sin(x), key="value")


@marks.program(f32(4), platforms=("tpu",))
def on_host(x: Any) -> Any:
    with compute_on("device_host"):
        y = jax.jit(lambda v: jnp.sin(v))(x)
    return y * 2


marks.add("barrier_one", lambda x: lax.optimization_barrier(x) + 1, f32(4))
marks.add("barrier_many", lambda x, y: lax.optimization_barrier((x, y, x)), f32(4), i32())
marks.add("barrier_none", lambda x: (lax.optimization_barrier(()), x)[1], f32(4))
marks.add("donated", lambda x, y: (x + 1, y), f32(4), f32(4), jit={"donate_argnums": (0,)})
marks.add(
    "donated_state",
    lambda s, x: ({"w": s["w"] - x, "n": s["n"] + 1}, x.sum()),
    {"w": f32(4), "n": i32()},
    f32(4),
    jit={"donate_argnums": (0,)},
)
marks.add("donated_unusable", lambda x: x.sum(), f32(4), jit={"donate_argnums": (0,)})
marks.add("function_name", functools.partial(jnp.sum, axis=0), f32(3, 4))

composite = Family("composite")
composite.add("plain", lax.composite(lambda x: jnp.sin(x) / x, name="my.sinc"), f32(4))
composite.add(
    "attributes",
    lambda x: lax.composite(lambda v, *, k, s, b, f: v * k, name="my.scale", version=3)(
        x, k=2, s="text", b=True, f=1.5
    ),
    f32(4),
)
composite.add("two_results", lax.composite(lambda x, y: (x + y, x - y), name="my.pair"), f32(4), f32(4))
composite.add(
    "nested", lax.composite(lambda x: lax.composite(jnp.sin, name="my.inner")(x) + 1, name="my.outer"), f32(4)
)
composite.add(
    "array_attribute", lambda x: lax.composite(lambda v, *, table: v, name="my.table")(x, table=(1, 2, 3)), f32(4)
)
composite.add(
    "in_scan", lambda x: lax.scan(lambda c, v: (lax.composite(jnp.sin, name="my.sin")(c), v), x, None, length=3), f32(4)
)
composite.add(
    "twice", lambda x: lax.composite(jnp.sin, name="my.sin")(lax.composite(jnp.sin, name="my.sin")(x)), f32(4)
)
