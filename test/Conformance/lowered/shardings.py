"""Sharding annotations: argument and result shardings, constraints, explicit axes, groups, memory kinds."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import shard_alike
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from .registry import Family, auto_mesh, f32, i32

MESH = auto_mesh((4, 2), ("x", "y"))
EXPLICIT = auto_mesh((4, 2), ("x", "y"), AxisType.Explicit)
_SPECS = {
    "replicated": P(),
    "rows": P("x"),
    "columns": P(None, "y"),
    "both": P("x", "y"),
    "major_minor": P(("x", "y")),
    "open_rows": P(P.UNCONSTRAINED, "y"),
    "all_open": P(P.UNCONSTRAINED, P.UNCONSTRAINED),
}

sharding = Family("sharding")
for _name, _spec in _SPECS.items():
    sharding.add(
        f"constraint_{_name}", lambda x, s=_spec: jnp.sin(lax.with_sharding_constraint(x, s)), f32(8, 4), mesh=MESH
    )
for _name in ("replicated", "rows", "both", "major_minor"):
    _named = NamedSharding(MESH, _SPECS[_name])
    sharding.add(f"argument_{_name}", jnp.sin, f32(8, 4, sharding=_named), mesh=MESH)
    sharding.add(
        f"result_{_name}", jnp.sin, f32(8, 4), mesh=MESH, jit={"in_shardings": _named, "out_shardings": _named}
    )
sharding.add("constraint_scalar", lambda x: lax.with_sharding_constraint(x.sum(), P()), f32(8, 4), mesh=MESH)
sharding.add(
    "constraint_tree", lambda x: lax.with_sharding_constraint({"a": x, "b": x + 1}, P("x")), f32(8, 4), mesh=MESH
)
sharding.add(
    "constraint_in_scan",
    lambda x: lax.scan(lambda c, _: (lax.with_sharding_constraint(jnp.sin(c), P("x")), None), x, None, length=3)[0],
    f32(8, 4),
    mesh=MESH,
)
sharding.add("constraint_named", lambda x: lax.with_sharding_constraint(x, NamedSharding(MESH, P("y"))), f32(8, 4))
sharding.add(
    "constraint_grad",
    jax.grad(lambda x: lax.with_sharding_constraint(jnp.sin(x), P("x", "y")).sum()),
    f32(8, 4),
    mesh=MESH,
)
sharding.add(
    "two_meshes",
    lambda x: lax.with_sharding_constraint(
        lax.with_sharding_constraint(x, NamedSharding(MESH, P("y"))),
        NamedSharding(auto_mesh((2, 4), ("a", "b")), P("b")),
    ),
    f32(8, 4),
)
sharding.add(
    "quoted_axis_names",
    lambda x: lax.with_sharding_constraint(x, P("data axis", "m-2")),
    f32(8, 4),
    mesh=auto_mesh((4, 2), ("data axis", "m-2")),
)
sharding.add(
    "one_device_mesh", lambda x: lax.with_sharding_constraint(x, P("x")), f32(8, 4), mesh=auto_mesh((1,), ("x",))
)
sharding.add(
    "four_axes",
    lambda x: lax.with_sharding_constraint(x, P(("a", "c"), None, ("d", "b"))),
    f32(8, 4, 4),
    mesh=auto_mesh((2, 2, 2, 2), "abcd"),
)
sharding.add(
    "donated", lambda x: x + 1, f32(8, 4, sharding=NamedSharding(MESH, P("x"))), mesh=MESH, jit={"donate_argnums": (0,)}
)
sharding.add(
    "memory_kind",
    lambda x: jax.device_put(x, NamedSharding(MESH, P("x"), memory_kind="pinned_host")),
    f32(8, 4),
    mesh=MESH,
    platforms=("tpu",),
)
sharding.add("shard_alike", lambda x, y: shard_alike.shard_alike(x * 2, y + 1), f32(8, 4), f32(8, 4), mesh=MESH)
sharding.add(
    "random_key",
    lambda k: lax.with_sharding_constraint(jax.random.split(k, 8), P("x")),
    jax.eval_shape(lambda: jax.random.key(0)),
    mesh=MESH,
)
sharding.add(
    "nested_jit", lambda x: jax.jit(lambda v: lax.with_sharding_constraint(v, P("x")))(x) * 2, f32(8, 4), mesh=MESH
)

explicit = Family("explicit")


def _arg(*shape: Any, spec: Any) -> Any:
    return f32(*shape, sharding=NamedSharding(EXPLICIT, spec))


explicit.add("elementwise", lambda x: jnp.sin(x) * 2, _arg(8, 4, spec=P("x", "y")), mesh=EXPLICIT)
explicit.add("matmul", lambda x, w: x @ w, _arg(8, 4, spec=P("x", None)), _arg(4, 6, spec=P(None, "y")), mesh=EXPLICIT)
explicit.add(
    "matmul_out_sharding",
    lambda x, w: jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", None)),
    _arg(8, 4, spec=P("x", "y")),
    _arg(4, 6, spec=P("y", None)),
    mesh=EXPLICIT,
)
explicit.add(
    "unreduced",
    lambda x, w: jax.sharding.reshard(
        jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", None, unreduced={"y"})), P("x", None)
    ),
    _arg(8, 4, spec=P("x", "y")),
    _arg(4, 6, spec=P("y", None)),
    mesh=EXPLICIT,
)
explicit.add("reshard", lambda x: jax.sharding.reshard(x, P("y", None)), _arg(8, 4, spec=P("x", "y")), mesh=EXPLICIT)
explicit.add("reduce", lambda x: x.sum(0), _arg(8, 4, spec=P("x", "y")), mesh=EXPLICIT)
explicit.add("reshape_transpose", lambda x: x.T, _arg(8, 4, spec=P("x", "y")), mesh=EXPLICIT)
explicit.add(
    "gather",
    lambda x, i: x.at[i].get(out_sharding=P(None, "y")),
    _arg(8, 4, spec=P(None, "y")),
    i32(3, sharding=NamedSharding(EXPLICIT, P(None))),
    mesh=EXPLICIT,
)
explicit.add(
    "scan",
    lambda x: lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=3),
    _arg(8, 4, spec=P("x", "y")),
    mesh=EXPLICIT,
)
explicit.add(
    "grad",
    jax.grad(lambda x, w: jnp.sin(x @ w).sum(), argnums=(0, 1)),
    _arg(8, 4, spec=P("x", None)),
    _arg(4, 6, spec=P(None, "y")),
    mesh=EXPLICIT,
)
explicit.add("iota", lambda: lax.broadcasted_iota(jnp.int32, (8, 4), 0, out_sharding=P("x", None)), mesh=EXPLICIT)
explicit.add(
    "random",
    lambda k: jax.random.normal(k, (8, 4), out_sharding=P("x", "y")),
    jax.eval_shape(lambda: jax.random.key(0)),
    mesh=EXPLICIT,
)
explicit.add(
    "mixed_axis_types",
    lambda x: lax.with_sharding_constraint(jnp.sin(x), P(None, "y")),
    f32(8, 4),
    mesh=AbstractMesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto)),
)
explicit.add(
    "auto_axes",
    lambda x: jax.sharding.auto_axes(jnp.sin, out_sharding=P("x", "y"))(x),
    _arg(8, 4, spec=P("x", "y")),
    mesh=EXPLICIT,
)


@custom_partitioning
def _partitioned(x: Any, w: Any) -> Any:
    return x @ w


_partitioned.def_partition(
    partition=lambda mesh, args, result: (mesh, jnp.matmul, result.sharding, tuple(a.sharding for a in args)),
    sharding_rule="i j, j k -> i k",
)
sharding.add("custom_partitioning", _partitioned, f32(8, 4), f32(4, 6), mesh=MESH)
