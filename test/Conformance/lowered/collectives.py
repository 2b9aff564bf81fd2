"""Collectives under shard_map over a mesh without devices: plain, asynchronous, grouped, ragged, point to point."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import parallel
from jax.sharding import PartitionSpec as P

from .registry import Family, auto_mesh, bf16, c64, f32, i32

MESH = auto_mesh((4, 2), ("x", "y"))
LINE = auto_mesh((8,), ("x",))
TILED = P("x", "y")


def _mapped(function: Any, in_specs: Any = TILED, out_specs: Any = TILED, mesh: Any = MESH, **options: Any) -> Any:
    return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False, **options)


collectives = Family("collectives")
_X = f32(16, 8)
for _name in ("psum", "pmax", "pmin", "pmean"):
    for _axes in ("x", "y", ("x", "y"), ("y", "x")):
        collectives.add(f"{_name}_{''.join(_axes)}", _mapped(lambda v, n=_name, a=_axes: getattr(lax, n)(v, a)), _X)
collectives.add("psum_i32", _mapped(lambda v: lax.psum(v, "x")), i32(16, 8))
collectives.add("psum_bf16", _mapped(lambda v: lax.psum(v, "x")), bf16(16, 8))
collectives.add("psum_c64", _mapped(lambda v: lax.psum(v, "x")), c64(16, 8))
collectives.add("psum_tree", _mapped(lambda v: sum(lax.psum((v, v + 1), "x"))), _X)
collectives.add("psum_groups", _mapped(lambda v: lax.psum(v, "x", axis_index_groups=[[0, 1], [2, 3]])), _X)
collectives.add("psum_constant", _mapped(lambda v: v / lax.psum(1, "x")), _X)
collectives.add(
    "psum_checked",
    jax.shard_map(lambda v: lax.psum(v, "x"), mesh=MESH, in_specs=P("x", "y"), out_specs=P(None, "y")),
    _X,
)
collectives.add("all_gather", _mapped(lambda v: lax.all_gather(v, "x"), out_specs=P(None, "x", "y")), _X)
collectives.add("all_gather_tiled", _mapped(lambda v: lax.all_gather(v, "x", axis=1, tiled=True)), _X)
collectives.add("all_gather_two_axes", _mapped(lambda v: lax.all_gather(v, ("x", "y"), tiled=True)), _X)
collectives.add("all_gather_tpu", _mapped(lambda v: lax.all_gather(v, "y", axis=0, tiled=True)), _X, platforms=("tpu",))
collectives.add("all_gather_pred", _mapped(lambda v: lax.all_gather(v > 0, "y", tiled=True)), _X)
collectives.add(
    "all_gather_groups", _mapped(lambda v: lax.all_gather(v, "x", axis_index_groups=[[0, 2], [1, 3]], tiled=True)), _X
)
collectives.add("psum_scatter", _mapped(lambda v: lax.psum_scatter(v, "x"), out_specs=P(("x", "y"))), _X)
collectives.add("psum_scatter_tiled", _mapped(lambda v: lax.psum_scatter(v, "x", scatter_dimension=1, tiled=True)), _X)
collectives.add(
    "psum_scatter_groups",
    _mapped(lambda v: lax.psum_scatter(v, "x", axis_index_groups=[[0, 1], [2, 3]], tiled=True)),
    _X,
)
collectives.add("all_to_all", _mapped(lambda v: lax.all_to_all(v, "x", 1, 0)), _X)
collectives.add(
    "all_to_all_tiled", _mapped(lambda v: lax.all_to_all(v, "y", split_axis=1, concat_axis=0, tiled=True)), _X
)
collectives.add(
    "all_to_all_groups",
    _mapped(lambda v: lax.all_to_all(v, "x", 0, 1, axis_index_groups=[[0, 1], [2, 3]], tiled=True)),
    _X,
)
collectives.add("ppermute_ring", _mapped(lambda v: lax.ppermute(v, "x", [(i, (i + 1) % 4) for i in range(4)])), _X)
collectives.add("ppermute_partial", _mapped(lambda v: lax.ppermute(v, "y", [(0, 1)])), _X)
collectives.add("ppermute_two_axes", _mapped(lambda v: lax.ppermute(v, ("x", "y"), [(i, 7 - i) for i in range(8)])), _X)
collectives.add("pshuffle", _mapped(lambda v: lax.pshuffle(v, "x", [3, 2, 1, 0])), _X)
collectives.add("pswapaxes", _mapped(lambda v: lax.pswapaxes(v, "x", 0)), _X)
collectives.add("pbroadcast", _mapped(lambda v: lax.pbroadcast(v, "x", 1)), _X, platforms=("cuda",))
collectives.add("axis_index", _mapped(lambda v: v + lax.axis_index("x") * lax.axis_index("y")), _X)
collectives.add("axis_index_pair", _mapped(lambda v: v + lax.axis_index(("x", "y"))), _X)
collectives.add("axis_index_line", _mapped(lambda v: v + lax.axis_index("x"), P("x"), P("x"), LINE), _X)
collectives.add(
    "ragged_all_to_all",
    _mapped(
        lambda v, o, a, b, c, d: lax.ragged_all_to_all(v, o, a, b, c, d, axis_name="x"), (P("x"),) * 6, P("x"), LINE
    ),
    f32(64, 3),
    f32(64, 3),
    *[i32(64)] * 4,
)
_RING = [(i, (i + 1) % 8) for i in range(8)]


@collectives.program(_X, platforms=("cuda",))
def send_receive(x: Any) -> Any:
    def exchange(v: Any) -> Any:
        token = lax.psend(v, "x", _RING)
        return lax.precv(token, jax.ShapeDtypeStruct(v.shape, v.dtype), "x", _RING)

    return _mapped(exchange, P("x"), P("x"), LINE)(x)


collectives.add(
    "grads",
    jax.grad(
        lambda v: (_mapped(lambda w: lax.psum(jnp.sin(w), "x") * lax.all_gather(w, "x", tiled=True)[:4])(v) ** 2).sum()
    ),
    _X,
)
collectives.add(
    "checked_grads",
    jax.grad(
        lambda v: jax.shard_map(
            lambda w: lax.psum(jnp.sin(w), ("x", "y")), mesh=MESH, in_specs=P("x", "y"), out_specs=P()
        )(v).sum()
    ),
    _X,
)
collectives.add(
    "in_scan",
    _mapped(
        lambda v: lax.scan(
            lambda c, _: (lax.ppermute(c, "x", [(i, (i + 1) % 4) for i in range(4)]), None), v, None, length=4
        )[0]
    ),
    _X,
)
collectives.add(
    "in_cond",
    _mapped(lambda v: lax.cond(lax.psum(v.sum(), ("x", "y")) > 0, lambda w: lax.pmax(w, "x"), jnp.sin, v)),
    _X,
)
collectives.add("vmapped_axis", jax.vmap(lambda v: v / lax.psum(v, "b"), axis_name="b"), f32(3, 4))
collectives.add(
    "two_maps", lambda v: _mapped(jnp.sin, P("x"), P("x"))(_mapped(lambda w: lax.psum(w, "x"), P("x"), P())(v)), _X
)
collectives.add("partial_manual", _mapped(lambda v: lax.psum(v, "x"), P("x"), P("x"), axis_names={"x"}), _X, mesh=MESH)
collectives.add(
    "nested_manual",
    _mapped(
        lambda v: jax.shard_map(
            lambda w: lax.psum(w, "y"), in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"}, check_vma=False
        )(v),
        P("x"),
        P("x"),
        axis_names={"x"},
    ),
    _X,
    mesh=MESH,
)
collectives.add("no_arguments", _mapped(lambda: lax.axis_index("x").reshape(1), (), P("x")))
collectives.add(
    "several_arguments",
    _mapped(lambda a, b, c: (lax.psum(a @ b, "y"), c), (P("x", "y"), P("y", None), P()), (P("x"), P())),
    f32(8, 4),
    f32(4, 6),
    f32(),
)
collectives.add(
    "matmul_ring",
    _mapped(lambda a, b: lax.psum_scatter(a @ b, "y", scatter_dimension=1, tiled=True), (P("x", "y"), P("y", None))),
    f32(8, 4),
    f32(4, 6),
)

asynchronous = Family("asynchronous")
_STARTS = {
    "all_gather": (
        lambda v: parallel._all_gather_is_async(v, "x", tiled=True, is_async=True),
        parallel.all_gather_done_p,
    ),
    "psum": (lambda v: parallel._psum_is_async(v, "x", is_async=True), parallel.psum_done_p),
    "all_to_all": (
        lambda v: parallel._all_to_all_is_async(v, "y", 1, 0, tiled=True, is_async=True),
        parallel.all_to_all_done_p,
    ),
    "ppermute": (
        lambda v: parallel._ppermute_is_async(v, "x", [(0, 1), (1, 0)], is_async=True),
        parallel.ppermute_done_p,
    ),
    "pbroadcast": (lambda v: parallel._pbroadcast_is_async(v, "x", 0, is_async=True), parallel.pbroadcast_done_p),
}
for _name, (_start, _done) in _STARTS.items():
    asynchronous.add(_name, _mapped(lambda v, s=_start, d=_done: d.bind(s(v))), _X, platforms=("cuda",))
