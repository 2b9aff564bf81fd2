"""Loops, branches, their gradients, and calls."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.ode import odeint

from .registry import Family, boolean, f32, i32, shaped

loops = Family("loops")
loops.add("while_scalar", lambda n: lax.while_loop(lambda i: i < n, lambda i: i * 2, 1), i32())
loops.add(
    "while_tuple",
    lambda x: lax.while_loop(lambda c: c[0].sum() < 10, lambda c: (c[0] + c[1], c[1] * 2), (x, x)),
    f32(4),
)
loops.add("while_constants", lambda x, y: lax.while_loop(lambda v: (v < y).any(), lambda v: v + y, x), f32(4), f32(4))
loops.add(
    "while_dictionary",
    lambda x: lax.while_loop(lambda c: c["n"] < 3, lambda c: {"n": c["n"] + 1, "x": jnp.sin(c["x"])}, {"n": 0, "x": x}),
    f32(4),
)
loops.add("while_vmapped_condition", jax.vmap(lambda x: lax.while_loop(lambda v: v < 10.0, lambda v: v * 2, x)), f32(4))
loops.add("fori", lambda x: lax.fori_loop(0, 5, lambda i, v: v + i, x), f32(4))
loops.add("fori_dynamic", lambda n, x: lax.fori_loop(0, n, lambda i, v: v * 2, x), i32(), f32(4))
loops.add(
    "fori_nested", lambda x: lax.fori_loop(0, 3, lambda i, v: lax.fori_loop(0, i, lambda j, w: w + j, v), x), f32(4)
)
loops.add("fori_unrolled", lambda x: lax.fori_loop(0, 6, lambda i, v: v + i, x, unroll=2), f32(4))
loops.add("fori_x64", lambda x: lax.fori_loop(0, 5, lambda i, v: v + i, x), shaped("f8", 4), x64=True)
loops.add("fori_empty_body", lambda x: lax.fori_loop(0, 5, lambda i, v: v, x), f32(4))
loops.add("map", lambda x: lax.map(jnp.sin, x), f32(4, 3))
loops.add("map_batched", lambda x: lax.map(jnp.sin, x, batch_size=2), f32(5, 3))


def _cell(carry: Any, x: Any) -> Any:
    hidden = jnp.tanh(carry @ x)
    return hidden, hidden.sum()


_SCAN = (f32(2, 4), f32(6, 4, 4))
loops.add("scan", lambda h, xs: lax.scan(_cell, h, xs), *_SCAN)
loops.add("scan_reverse", lambda h, xs: lax.scan(_cell, h, xs, reverse=True), *_SCAN)
loops.add("scan_unroll", lambda h, xs: lax.scan(_cell, h, xs, unroll=2), *_SCAN)
loops.add("scan_fully_unrolled", lambda h, xs: lax.scan(_cell, h, xs, unroll=True), *_SCAN)
loops.add("scan_no_inputs", lambda h: lax.scan(lambda c, _: (c * 2, c), h, None, length=5), f32(3))
loops.add("scan_no_carry", lambda xs: lax.scan(lambda c, x: (c, x + 1), None, xs), f32(5, 2))
loops.add(
    "scan_tree",
    lambda h, xs: lax.scan(
        lambda c, x: ({"a": c["a"] + x[0], "b": c["b"]}, (x[1], c["b"])), {"a": h, "b": h}, (xs, xs)
    ),
    f32(2),
    f32(5, 2),
)
loops.add("scan_nested", lambda h, xs: lax.scan(lambda c, x: lax.scan(_cell, c, x), h, xs), f32(2, 4), f32(3, 6, 4, 4))
loops.add("scan_grad", jax.grad(lambda h, xs: lax.scan(_cell, h, xs)[1].sum(), argnums=(0, 1)), *_SCAN)
loops.add("scan_grad_reverse", jax.grad(lambda h, xs: lax.scan(_cell, h, xs, reverse=True)[0].sum()), *_SCAN)
loops.add(
    "scan_remat_grad", jax.grad(lambda h, xs: lax.scan(jax.checkpoint(_cell), h, xs)[1].sum(), argnums=(0, 1)), *_SCAN
)
loops.add("scan_jvp", lambda h, xs: jax.jvp(lambda v: lax.scan(_cell, v, xs), (h,), (h,)), *_SCAN)
loops.add("scan_vmapped", jax.vmap(lambda h, xs: lax.scan(_cell, h, xs), (0, None)), f32(3, 2, 4), f32(6, 4, 4))
loops.add(
    "scan_cond",
    lambda h, xs: lax.scan(lambda c, x: (lax.cond(x.sum() > 0, jnp.sin, jnp.cos, c), None), h, xs),
    f32(3),
    f32(5, 3),
)
loops.add(
    "scan_nested_grad",
    jax.grad(lambda h, xs: lax.scan(lambda c, x: (lax.scan(_cell, c, x)[0], None), h, xs)[0].sum()),
    f32(2, 4),
    f32(3, 6, 4, 4),
)
loops.add("fori_grad", jax.grad(lambda x: lax.fori_loop(0, 5, lambda i, v: jnp.sin(v) * i, x).sum()), f32(4))
loops.add(
    "newton_root",
    lambda a: lax.custom_root(
        lambda x: x**2 - a,
        1.0,
        lambda f, x: lax.fori_loop(0, 5, lambda _, v: v - f(v) / (2 * v), x),
        lambda g, y: y / g(1.0),
    ),
    f32(),
)
loops.add(
    "linear_solve", lambda b: lax.custom_linear_solve(lambda x: 2 * x, b, lambda mv, v: v / 2, symmetric=True), f32(3)
)
loops.add("odeint", lambda y, t: odeint(lambda v, s: -v * s, y, t), f32(2), f32(3))

branches = Family("branches")
branches.add("cond", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), boolean(), f32(4))
branches.add(
    "cond_tuple", lambda p, x, y: lax.cond(p, lambda a, b: (a, b), lambda a, b: (b, a), x, y), boolean(), f32(4), f32(4)
)
branches.add("cond_int_predicate", lambda p, x: lax.cond(p, lambda v: v + 1, lambda v: v, x), i32(), f32(4))
branches.add("cond_closure", lambda p, x, y: lax.cond(p, lambda: x, lambda: y * 2), boolean(), f32(4), f32(4))
branches.add("cond_no_results", lambda p, x: (lax.cond(p, lambda: None, lambda: None), x)[1], boolean(), f32(4))
branches.add(
    "cond_nested",
    lambda p, q, x: lax.cond(p, lambda v: lax.cond(q, jnp.sin, jnp.cos, v), jnp.exp, x),
    boolean(),
    boolean(),
    f32(4),
)
branches.add("switch_three", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), i32(), f32(4))
branches.add("switch_one", lambda i, x: lax.switch(i, [jnp.sin], x), i32(), f32(4))
branches.add("grad", jax.grad(lambda x, p: lax.cond(p, jnp.sin, jnp.cos, x).sum()), f32(4), boolean())
branches.add(
    "switch_grad", jax.grad(lambda x, i: lax.switch(i, [jnp.sin, lambda v: v * v, jnp.exp], x).sum()), f32(4), i32()
)
branches.add("vmapped", jax.vmap(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), boolean(3), f32(3, 4))
branches.add(
    "platform_dependent", lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos, default=jnp.tanh), f32(4)
)
branches.add(
    "platform_dependent_two",
    lambda x: lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos, default=jnp.tanh),
    f32(4),
    platforms=("cpu", "tpu"),
)
branches.add(
    "platform_dependent_three",
    lambda x: lax.platform_dependent(x, cuda=jnp.sin, default=jnp.tanh) + lax.top_k(x, 2)[0][0],
    f32(4),
    platforms=("cpu", "tpu", "cuda"),
)
branches.add("piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 2], [jnp.sin, 3.0, jnp.cos]), f32(4))

calls = Family("calls")
_inner = jax.jit(lambda x, y: x * y + 1)
calls.add("nested_jit", lambda x: _inner(x, x) + _inner(x, 2 * x), f32(4))
calls.add("nested_jit_shapes", lambda x, y: (_inner(x, x), _inner(y, y)), f32(4), f32(5))
calls.add("jit_in_loop", lambda x: lax.fori_loop(0, 3, lambda i, v: _inner(v, v), x), f32(4))
calls.add("inline_jit", lambda x: jax.jit(jnp.sin, inline=True)(x), f32(4))
calls.add("no_arguments", lambda: jnp.float32(3))
calls.add("no_results", lambda x: None, f32(4))
calls.add("same_result_twice", lambda x: (x, x, x), f32(4))
calls.add("unused_arguments", lambda x, y, z: y, f32(4), f32(5), i32())
calls.add("many_results", lambda x: tuple(x + i for i in range(12)), f32(4))
calls.add(
    "tree_arguments",
    lambda p: p["layer/0"]["w"] @ p["layer/0"]["b"][0],
    {"layer/0": {"w": f32(3, 4), "b": [f32(4), f32()]}},
)
