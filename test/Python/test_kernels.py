"""Kernels with a rule: planned as one op, run at local shapes, forward and backward, inside scan and remat."""

from __future__ import annotations

import os
import re
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import partita

assert xla_runner.MAX_DEVICES >= 8
FAST = {"xla_backend_optimization_level": 0}
SEEN: list[tuple[int, ...]] = []


def reference(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Attention of [batch, sequence, heads, width]."""
    scores = jnp.einsum("bshd,bthd->bhst", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores, axis=-1), v)


def impl(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """A Pallas kernel, one program for each batch and head, as it is compiled for the shapes it sees."""
    SEEN.append(q.shape)
    batch, sequence, heads, width = q.shape
    block = pl.BlockSpec((1, sequence, 1, width), lambda b, h: (b, 0, h, 0))

    def body(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        one, other = q_ref[0, :, 0, :], k_ref[0, :, 0, :]
        scores = jax.nn.softmax(one @ other.T / np.sqrt(width), axis=-1)
        o_ref[0, :, 0, :] = scores @ v_ref[0, :, 0, :]

    shape = jax.ShapeDtypeStruct(q.shape, q.dtype)
    call = pl.pallas_call(
        body, out_shape=shape, grid=(batch, heads), in_specs=[block] * 3, out_specs=block, interpret=True
    )
    return call(q, k, v)


attention = partita.kernel("attention", impl, reference, rule="b s h d, b t h d, b t h d -> b s h d", whole="s t d")


def step(params: Any, x: jax.Array, attend: Any = attention) -> tuple[Any, jax.Array]:
    @jax.checkpoint
    def layer(x: jax.Array, w: dict[str, jax.Array]) -> tuple[jax.Array, None]:
        q, k, v = (jnp.einsum("bsm,mhd->bshd", x, w[name]) for name in "qkv")
        return x + jnp.einsum("bshd,hdm->bsm", attend(q, k, v), w["o"]), None

    def loss_of(params: Any) -> jax.Array:
        return jnp.mean(lax.scan(layer, x, params)[0] ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def make_arguments() -> tuple[Any, jax.Array]:
    random = np.random.default_rng(0)

    def tensor(*shape: int) -> jax.Array:
        return jnp.asarray(random.standard_normal(shape) / 4, jnp.float32)

    return {**{name: tensor(2, 16, 4, 4) for name in "qkv"}, "o": tensor(2, 4, 4, 16)}, tensor(4, 8, 16)


def test_attention_is_split_over_batch_and_heads() -> None:
    params, x = make_arguments()
    plan = partita.plan(
        step, params, x, mesh="data=4,model=2",
        schedule=[partita.tile("x", dim=0, axis="data"), partita.tile("params/q", dim=2, axis="model")],
    )  # fmt: skip
    assert plan.in_specs[0]["k"] == P(None, None, "model") and plan.in_specs[0]["o"] == P(None, "model")
    SEEN.clear()
    got = plan.jit(compiler_options=FAST)(params, x)
    assert (1, 8, 2, 4) in SEEN and (4, 8, 4, 4) not in SEEN
    want = jax.jit(lambda p, x: step(p, x, reference))(params, x)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6), got, want)
    assert plan.verify().equal


def test_weights_that_pieces_share_have_summed_gradients() -> None:
    """The weight has no batch: its gradient is the sum of those of all pieces."""

    def norm(x: jax.Array, w: jax.Array) -> jax.Array:
        return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * w

    def fused(x: jax.Array, w: jax.Array) -> jax.Array:
        def body(x_ref: Any, w_ref: Any, o_ref: Any) -> None:
            o_ref[...] = norm(x_ref[...], w_ref[...])

        return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x, w)

    def backward(x: jax.Array, w: jax.Array, g: jax.Array) -> tuple[jax.Array, jax.Array]:
        SEEN.append(x.shape)
        return jax.vjp(norm, x, w)[1](g)

    kernel = partita.kernel("norm", fused, norm, rule="b d, d -> b d", whole="d", backward=backward)

    def step(w: jax.Array, x: jax.Array, f: Any = kernel) -> Any:
        loss, grads = jax.value_and_grad(lambda w, x: jnp.sum(jnp.sin(f(x, w))), argnums=(0, 1))(w, x)
        return w - grads[0], grads[1], loss

    w, x = jnp.linspace(1, 2, 16), jnp.asarray(np.random.default_rng(0).standard_normal((8, 16)), jnp.float32)
    plan = partita.plan(step, w, x, mesh="data=4", schedule=[partita.tile("x", dim=0, axis="data")])
    assert [entry["kind"] for entry in plan.report.collectives] == ["all_reduce"] and plan.verify().equal
    SEEN.clear()
    got = plan.jit(compiler_options=FAST)(w, x)
    assert set(SEEN) == {(2, 16)}
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6), got, step(w, x, norm))


def test_summed_factors_of_a_kernel() -> None:
    product = partita.kernel("product", jnp.matmul, jnp.matmul, rule="b k, k d -> b d", summed="k")
    x, y = jnp.ones((8, 16)), jnp.ones((16, 4))
    plan = partita.plan(product, x, y, mesh="data=4", schedule=[partita.tile("arg0", dim=1, axis="data")])
    assert [entry["kind"] for entry in plan.report.collectives] == ["all_reduce"]
    np.testing.assert_allclose(plan.jit()(x, y), x @ y)


def test_outside_of_a_plan_it_is_the_implementation() -> None:
    q, k, v = (jnp.ones((2, 4, 2, 4)) * n for n in (0.1, 0.2, 0.3))
    np.testing.assert_allclose(attention(q, k, v), reference(q, k, v), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(attention)(q, k, v), reference(q, k, v), rtol=1e-6)
    got = jax.grad(lambda q: attention(q, k, v).sum())(q)
    np.testing.assert_allclose(got, jax.grad(lambda q: reference(q, k, v).sum())(q), atol=1e-6)


def test_wrong_rules_are_refused() -> None:
    with pytest.raises(partita.UsageError, match="is not a rule"):
        partita.kernel("k", impl, reference, rule="b s h d")
    with pytest.raises(partita.UsageError, match="no operand of the kernel k has the factor 'd'"):
        partita.kernel("k", impl, reference, rule="b -> b d")
    with pytest.raises(partita.UsageError, match="is summed, but a result has it"):
        partita.kernel("k", impl, reference, rule="b -> b", summed="b")
    with pytest.raises(partita.UsageError, match="is not a word"):
        partita.kernel("k k", impl, reference, rule="b -> b")
    with pytest.raises(partita.UsageError, match="has 2 dims, its rule says 1"):
        partita.kernel("k", lambda x: x, lambda x: x, rule="b -> b")(jnp.ones((2, 2)))


def test_kernels_of_one_name_are_told_apart() -> None:
    def scale(by: float) -> Any:
        return partita.kernel("scale", lambda x: by * x, lambda x: by * x, rule="rows columns -> rows columns")

    double, triple = scale(2), scale(3)
    x = jnp.arange(32.0).reshape(8, 4)

    def f(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.value_and_grad(lambda y: (double(y) * triple(double(y))).sum())(x)

    plan = partita.plan(f, x, mesh="data=4", schedule=[partita.tile("x", dim=0, axis="data")])
    assert plan.verify().equal
    got, want = plan.jit()(x), f(x)
    np.testing.assert_allclose(got[0], want[0])
    np.testing.assert_allclose(got[1], want[1])
    calls = set(re.findall(r"partita\.kernel\.\w+", plan.local_text()))
    names = ("scale", "scale_2")
    assert calls == {f"partita.kernel.{name}" for name in names}


@pytest.mark.parametrize("dim", [0, 1])
def test_kernels_may_be_mapped(dim: int) -> None:
    """The mapped dim is a factor like the others; weights that are not mapped have summed gradients."""

    def product(x: jax.Array, w: jax.Array) -> jax.Array:
        return jnp.einsum("bd,td->bt", x, w)

    score = partita.kernel("score", product, product, rule="b d, t d -> b t", whole="d t")
    x, w = jnp.sin(jnp.arange(4 * 8 * 6.0)).reshape(4, 8, 6), jnp.cos(jnp.arange(30.0)).reshape(5, 6)

    def f(w: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.value_and_grad(lambda w: (jax.vmap(score, in_axes=(0, None))(x, w) ** 2).sum())(w)

    plan = partita.plan(f, w, x, mesh="data=4", schedule=[partita.tile("x", dim=dim, axis="data")])
    assert plan.verify().equal and [entry["kind"] for entry in plan.report.collectives] == ["all_reduce"]
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5), plan.jit()(w, x), f(w, x))


def test_kernels_stand_at_the_line_that_calls_them() -> None:
    known = partita.kernel("known", jnp.tanh, jnp.tanh, rule="b d -> b d")
    plan = partita.plan(lambda x: known(x), jnp.ones((8, 4)), mesh="data=4", schedule=[])
    text = plan.annotated_text()
    assert "test_kernels.py" in text and os.path.dirname(partita.__file__) not in text


def _partitioned_by_itself() -> Any:
    """A function that JAX lowers only where it knows the devices, as cuDNN's attention is."""

    @custom_partitioning
    def double(x: jax.Array) -> jax.Array:
        return x * 2

    def partition(mesh: Any, operands: Any, _: Any) -> Any:
        return mesh, lambda x: x * 2, operands[0].sharding, (operands[0].sharding,)

    double.def_partition(
        partition=partition,
        infer_sharding_from_operands=lambda mesh, operands, _: operands[0].sharding,
        sharding_rule="b d -> b d",
    )
    return partita.kernel("double", double, lambda x: x * 2, rule="b d -> b d")


@pytest.mark.parametrize("spec", [None, P("data")])
def test_a_kernel_that_has_to_know_devices_runs_outside_of_plans(spec: Any) -> None:
    x = jnp.arange(32.0).reshape(8, 4)
    if spec is not None:
        x = jax.device_put(x, NamedSharding(jax.make_mesh((8,), ("data",)), spec))
    double = _partitioned_by_itself()
    np.testing.assert_array_equal(jax.jit(lambda x: double(x) + 1)(x), x * 2 + 1)
    plan = partita.plan(lambda x: double(x) + 1, x, mesh="data=8", schedule=[partita.tile("x", dim=0, axis="data")])
    np.testing.assert_array_equal(plan.jit()(x), x * 2 + 1)
