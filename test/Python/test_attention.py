"""Attention kernels: cuDNN's without a GPU, Pallas kernels by their grid, partita.attention on every platform."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

import partita
from partita._src import fused_attention

assert xla_runner.MAX_DEVICES >= 8
FAST = {"xla_backend_optimization_level": 0}
MESH = "data=4,model=2"
BF16 = jnp.bfloat16


def shape(*sizes: int, dtype: Any = BF16) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype)


def random(*sizes: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(sizes), jnp.float32)


def make_step(attend: Any) -> Any:
    """A step of SGD on scanned layers of attention with two query heads for each key head."""

    def step(params: Any, x: jax.Array) -> tuple[Any, jax.Array]:
        def layer(x: jax.Array, w: Any) -> tuple[jax.Array, None]:
            q, k, v = (jnp.einsum("btm,mnh->btnh", x, w[name]) for name in "qkv")
            return x + jnp.einsum("btnh,nhm->btm", attend(q, k, v), w["o"]), None

        def loss(params: Any) -> jax.Array:
            return jnp.mean(lax.scan(layer, x, params)[0].astype(jnp.float32) ** 2)

        value, grads = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g.astype(p.dtype), params, grads), value

    return step


def make_shapes(width: int = 64, sequence: int = 256) -> tuple[Any, Any]:
    sizes = {"q": (2, 256, 8, width), "k": (2, 256, 4, width), "v": (2, 256, 4, width), "o": (2, 8, width, 256)}
    return {name: shape(*size) for name, size in sizes.items()}, shape(16, sequence, 256)


def cudnn(q: jax.Array, k: jax.Array, v: jax.Array, **options: Any) -> jax.Array:
    return jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn", **options)


def xla(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    return jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="xla")


TACTICS = [partita.tile("x", dim=0, axis="data"), partita.tile("params/q", dim=2, axis="model")]


def find_calls(text: str, target: str) -> list[str]:
    return [line for line in text.splitlines() if f"custom_call @{target}" in line]


@pytest.mark.parametrize("attend", [cudnn, lambda q, k, v: partita.attention(q, k, v, is_causal=True)])
def test_cudnn_is_planned_without_a_gpu(attend: Any) -> None:
    """Split over batch and heads, keys' heads together with the queries', forward and backward."""
    params, x = make_shapes()
    plan = partita.plan(make_step(attend), params, x, mesh=MESH, machine="h100-sxm:1x8", schedule=TACTICS)
    assert plan.in_specs[0]["k"] == P(None, None, "model") and plan.in_specs[0]["o"] == P(None, "model")
    for target, results in (
        ("__cudnn$fmhaSoftmax(", "4x4x256x64xbf16"),
        ("__cudnn$fmhaSoftmaxBackward(", "4x2x256x64"),
    ):
        [call] = find_calls(plan.local_text(), target)
        assert "tensor<4x256x4x64xbf16>, tensor<4x256x2x64xbf16>" in call and results in call
        assert r"dimensions\22: [\224\22, \224\22, \22256\22, \22256\22]" in call
    assert plan.report.unpriced == [] and plan.report.fits
    # What is not written to memory is not waited for.
    plain = partita.plan(make_step(xla), params, x, mesh=MESH, machine="h100-sxm:1x8", schedule=TACTICS)
    assert (plan.report.time_ps or 0) < (plain.report.time_ps or 0)
    assert (plan.report.peak_bytes or 0) < (plain.report.peak_bytes or 0)


def test_flops_of_cudnn_are_those_of_its_products() -> None:
    params, x = make_shapes()
    plan = partita.plan(make_step(cudnn), params, x, mesh=MESH, machine="h100-sxm:1x8", schedule=TACTICS)
    plain = partita.plan(make_step(xla), params, x, mesh=MESH, machine="h100-sxm:1x8", schedule=TACTICS)
    # Two layers, 4 * 16 * 8 * 256 * 256 * 64 forward; the plain program has two products and their four gradients,
    # the kernels half of the forward one, and 2.5 times that.
    forward = 2 * 4 * 16 * 8 * 256 * 256 * 64
    assert plain.report.figures["flops"] - plan.report.figures["flops"] == 3 * forward - (1 + 2.5) * forward / 2


def test_a_search_finds_a_plan_for_cudnn() -> None:
    params, x = make_shapes()
    # So small a step is fastest on one device; it takes 65 MB there.
    options: dict[str, Any] = {"machine": "h100-sxm:1x8", "memory_limit": "40MB", "budget": 50, "progress": False}
    plan = partita.plan(make_step(cudnn), params, x, mesh=MESH, **options)
    [call] = find_calls(plan.local_text(), "__cudnn$fmhaSoftmax(")
    assert "tensor<16x256x8x64xbf16>" not in call


def test_masks_are_biases_and_leave_the_heads_split() -> None:
    def f(q: jax.Array, k: jax.Array, mask: jax.Array) -> Any:
        return jax.grad(lambda q: jnp.sum(cudnn(q, k, k, mask=mask).astype(jnp.float32)))(q)

    arguments = shape(8, 128, 8, 64), shape(8, 128, 4, 64), shape(8, 1, 128, 128, dtype=jnp.bool_)
    tactics = [partita.tile("q", dim=0, axis="data"), partita.tile("q", dim=2, axis="model")]
    plan = partita.plan(f, *arguments, mesh=MESH, machine="h100-sxm:1x8", schedule=tactics)
    [call] = find_calls(plan.local_text(), "__cudnn$fmhaScaleBiasSoftmaxBackward")
    assert "tensor<2x128x4x64xbf16>" in call and plan.report.unpriced == []


def test_cudnn_on_another_platform_is_refused_with_a_remedy() -> None:
    params, x = make_shapes()
    with pytest.raises(partita.InputError, match=r"calls cuDNN, which is for GPUs.*\n.*remedy: plan it for GPUs"):
        partita.plan(make_step(cudnn), params, x, mesh=MESH, platform="cpu", schedule=TACTICS)
    # Also where it was traced for GPUs before.
    q = shape(4, 64, 4, 64)
    assert partita.plan(cudnn, q, q, q, mesh=MESH, platform="cuda", schedule=[]).report
    with pytest.raises(partita.InputError, match="calls cuDNN, which is for GPUs"):
        partita.plan(cudnn, q, q, q, mesh=MESH, platform="cpu", schedule=[])
    # Outside of plans JAX says what it always said.
    with pytest.raises(RuntimeError, match="cuDNN is not detected"):
        jax.jit(cudnn).trace(shape(2, 64, 4, 64), shape(2, 64, 4, 64), shape(2, 64, 4, 64))


def test_flax_attention_with_cudnn() -> None:
    def attend(query: jax.Array, key: jax.Array, value: jax.Array, **_: Any) -> jax.Array:
        return jax.nn.dot_product_attention(query, key, value, implementation="cudnn")

    module = nn.MultiHeadDotProductAttention(
        num_heads=8, qkv_features=512, dtype=BF16, param_dtype=BF16, attention_fn=attend
    )
    x = shape(16, 128, 512)
    params = jax.eval_shape(
        lambda: module.clone(attention_fn=nn.dot_product_attention).init(jax.random.key(0), jnp.zeros(x.shape, BF16))
    )

    def step(params: Any, x: jax.Array) -> Any:
        grads = jax.grad(lambda p: jnp.mean(module.apply(p, x).astype(jnp.float32) ** 2))(params)
        return jax.tree.map(lambda p, g: p - g, params, grads)

    tactics = [partita.tile("x", dim=0, axis="data"), partita.tile(".*query/kernel", dim=1, axis="model")]
    plan = partita.plan(step, params, x, mesh=MESH, machine="h100-sxm:1x8", schedule=tactics)
    [call] = find_calls(plan.local_text(), "__cudnn$fmhaSoftmaxBackward")
    assert "tensor<4x128x4x64xbf16>" in call


#
# Pallas
#


def make_pallas(**options: Any) -> Any:
    """Attention of [batch, sequence, heads, width]: a kernel over blocks of queries, mapped over batch and heads."""

    def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        sequence, width = q.shape
        rows, whole = pl.BlockSpec((4, width), lambda i: (i, 0)), pl.BlockSpec((sequence, width), lambda i: (0, 0))

        def body(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
            scores = jax.nn.softmax(q_ref[...] @ k_ref[...].T / np.sqrt(width), axis=-1)
            o_ref[...] = scores @ v_ref[...]

        call = pl.pallas_call(
            body, out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), grid=(sequence // 4,),
            in_specs=[rows, whole, whole], out_specs=rows, interpret=True, **options,
        )  # fmt: skip
        return call(q, k, v)

    return jax.vmap(jax.vmap(attend, in_axes=1, out_axes=1))


def layer(w: jax.Array, x: jax.Array) -> jax.Array:
    q = jnp.einsum("btm,mnh->btnh", x, w)
    return jnp.sum(make_pallas()(q, q, q), axis=(1, 3))


def test_pallas_kernels_are_split_by_their_grid() -> None:
    w, x = random(16, 4, 8), random(8, 12, 16, seed=1)
    tactics = [partita.tile("x", dim=0, axis="data"), partita.tile("w", dim=1, axis="model")]
    plan = partita.plan(layer, w, x, mesh=MESH, schedule=tactics, machine="h100-sxm:1x8", platform="cpu")
    [call] = find_calls(plan.local_text(), "partita.kernel.pallas_body")
    assert "-> tensor<2x2x12x8xf32>" in call
    # The products of the body, for each step of the grid, beside the one before it.
    assert plan.report.figures["flops"] == 2 * 8 * 12 * 16 * 4 * 8 + 8 * 4 * 4 * 12 * 12 * 8
    assert plan.verify().equal and plan.report.unpriced == []
    np.testing.assert_allclose(plan.jit(compiler_options=FAST)(w, x), layer(w, x), rtol=2e-5, atol=1e-4)


def test_stated_costs_of_pallas_kernels_count() -> None:
    def f(q: jax.Array) -> jax.Array:
        estimate = pl.CostEstimate(flops=12345, transcendentals=0, bytes_accessed=0)
        return make_pallas(cost_estimate=estimate)(q, q, q)

    plan = partita.plan(f, random(8, 12, 4, 8), mesh=MESH, schedule=[], machine="h100-sxm:1x8", platform="cpu")
    assert plan.report.figures["flops"] == 12345 * 8 * 4


def run_mapped(body: Any, in_map: Any, *, is_outer: bool = False, scratch: Any = ()) -> Any:
    """A kernel with a step for each row of [8, 4]. The rows are mapped, or a grid of its own has them."""

    def run(x: jax.Array) -> jax.Array:
        call = pl.pallas_call(
            body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.size // 4,),
            in_specs=[pl.BlockSpec((1, 4), in_map)], out_specs=pl.BlockSpec((1, 4), lambda i: (i, 0)), interpret=True,
            scratch_shapes=scratch,
        )  # fmt: skip
        return call(x)

    return run if is_outer else lambda x: jax.vmap(run)(x[:, None])[:, 0]


def copy(x_ref: Any, o_ref: Any, *_: Any) -> None:
    o_ref[...] = x_ref[...]


def numbered(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + pl.program_id(0)


def counted(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] / pl.num_programs(0)


def kept(x_ref: Any, o_ref: Any, scratch_ref: Any) -> None:
    scratch_ref[...] = x_ref[...]
    o_ref[...] = scratch_ref[...]


VMEM = [pltpu.VMEM((1, 4), jnp.float32)]
GRIDS = {
    "mapped": (True, run_mapped(copy, lambda i: (i, 0))),
    "mapped with an index": (True, run_mapped(numbered, lambda i: (i, 0))),
    "mapped with scratch": (True, run_mapped(kept, lambda i: (i, 0), scratch=VMEM)),
    # The body may hold how many steps there are.
    "own grid": (False, run_mapped(copy, lambda i: (i, 0), is_outer=True)),
    "own grid, counted": (False, run_mapped(counted, lambda i: (i, 0), is_outer=True)),
    "own grid, reversed": (False, run_mapped(copy, lambda i: (7 - i, 0), is_outer=True)),
}


@pytest.mark.filterwarnings("ignore:the Pallas kernel")
@pytest.mark.parametrize("name", GRIDS)
def test_only_steps_that_know_nothing_of_each_other_are_split(name: str) -> None:
    is_free, kernel = GRIDS[name]
    x = random(8, 4)
    plan = partita.plan(kernel, x, mesh="data=4", schedule=[partita.tile("x", dim=0, axis="data")])
    assert (plan.out_specs == P("data")) == is_free
    np.testing.assert_allclose(plan.jit(compiler_options=FAST)(x), kernel(x), rtol=1e-6)


def test_a_pallas_kernel_that_is_kept_whole_is_named() -> None:
    with pytest.warns(UserWarning, match="the Pallas kernel pallas_copy is not split.*\n.*partita.kernel"):
        partita.plan(GRIDS["own grid"][1], random(8, 4), mesh="data=4", schedule=[])


@pytest.mark.parametrize("platform", ["cuda", "tpu"])
def test_attention_kernels_of_jax_are_split_over_batch_and_heads(platform: str) -> None:
    from jax.experimental.pallas.ops.gpu.attention import mha
    from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

    def f(q: jax.Array, k: jax.Array, v: jax.Array) -> Any:
        if platform == "cuda":
            return jax.grad(lambda q: jnp.sum(mha(q, k, v, None, causal=True).astype(jnp.float32)))(q)
        q, k, v = (jnp.swapaxes(array, 1, 2) for array in (q, k, v))
        return flash_attention(q, k, v, causal=True)

    q = shape(8, 256, 4, 128)
    tactics = [partita.tile("q", dim=0, axis="data"), partita.tile("q", dim=2, axis="model")]
    plan = partita.plan(f, q, q, q, mesh=MESH, schedule=tactics, platform=platform)
    calls = find_calls(plan.local_text(), "partita.kernel.pallas")
    local = "2x256x2x128" if platform == "cuda" else "2x2x256x128"
    assert calls and all(f"tensor<{local}xbf16>" in call and "8x256x4x128" not in call for call in calls)


def test_repeated_layers_have_one_pallas_kernel() -> None:
    def f(q: jax.Array) -> jax.Array:
        for _ in range(3):
            q = make_pallas()(q, q, q)
        return q

    plan = partita.plan(f, random(8, 12, 4, 8), mesh=MESH, schedule=[])
    assert set(re.findall(r"partita\.kernel\.\w+", plan.local_text())) == {"partita.kernel.pallas_body"}


def test_pallas_kernels_in_loops_branches_and_jits() -> None:
    def f(q: jax.Array, flag: jax.Array) -> jax.Array:
        def body(q: jax.Array, _: None) -> tuple[jax.Array, None]:
            return jax.jit(make_pallas())(q, q, q), None

        q = lax.scan(jax.checkpoint(body), q, None, length=2)[0]
        return lax.cond(flag, lambda q: make_pallas()(q, q, q), lambda q: q, q)

    q = random(8, 12, 4, 8)
    plan = partita.plan(f, q, True, mesh=MESH, schedule=[partita.tile("q", dim=0, axis="data")])
    assert plan.out_specs == P("data") and plan.verify().equal
    np.testing.assert_allclose(plan.jit(compiler_options=FAST)(q, True), f(q, jnp.asarray(True)), rtol=2e-5, atol=1e-6)


def test_splash_is_lowered_for_the_pieces() -> None:
    """On TPUs partita.attention is splash, which the planned program calls at the shapes of a device."""
    params, x = make_shapes(width=128)
    step = make_step(lambda q, k, v: partita.attention(q, k, v, is_causal=True))
    plan = partita.plan(step, params, x, mesh=MESH, machine="tpu-v5p:2x2x2", schedule=TACTICS)
    assert plan.report.unpriced == [] and plan.in_specs[0]["k"] == P(None, None, "model")
    text = plan._program.install(plan.local_text())
    calls = find_calls(text, "tpu_custom_call")
    assert len(calls) == 4 and "partita.kernel" not in text
    assert all("tensor<4x2x2x256x128xbf16>" in call and "splash_mqa" in call for call in calls)


#
# partita.attention
#


def plain(q: jax.Array, k: jax.Array, v: jax.Array, bias: Any, options: Any) -> jax.Array:
    """Attention by the book."""
    (_, queries, heads, width), keys = q.shape, k.shape[1]
    k, v = (jnp.repeat(array, heads // k.shape[2], axis=2) for array in (k, v))
    scores = jnp.einsum("btnh,bsnh->bnts", q, k) * options.get("scale", width**-0.5)
    scores = scores if bias is None else scores + bias
    here, there = jnp.arange(queries)[:, None], jnp.arange(keys)[None]
    seen = jnp.asarray(options.get("mask", True))
    seen = seen & (there <= here) if options.get("is_causal") else seen
    if window := options.get("sliding_window"):
        seen = seen & (jnp.abs(here - there) < window)
    if "segment_ids" in options:
        ids = options["segment_ids"]
        one, other = ids if isinstance(ids, tuple) else (ids, ids)
        seen = seen & (one[:, None, :, None] == other[:, None, None, :])
    return jnp.einsum("bnts,bsnh->btnh", jax.nn.softmax(jnp.where(seen, scores, -1e30), axis=-1), v)


IDS = jnp.asarray(np.sort(np.random.default_rng(0).integers(0, 3, (2, 128)), axis=1), jnp.int32)
CASES: list[dict[str, Any]] = [
    {},
    {"is_causal": True},
    {"is_causal": True, "sliding_window": 5},
    {"sliding_window": 7},
    {"segment_ids": (IDS, IDS), "is_causal": True},
    {"segment_ids": IDS},
    {"mask": np.random.default_rng(1).random((2, 1, 128, 128)) < 0.7},
    {"bias": True, "is_causal": True, "scale": 0.3},
]


@pytest.mark.parametrize("options", CASES, ids=lambda case: "-".join(case))
@pytest.mark.parametrize("key_heads", [4, 2, 1])
def test_attention_is_attention(options: dict[str, Any], key_heads: int) -> None:
    """Forward and backward, of plain XLA and, where it can be, of splash."""
    options = dict(options)
    bias = random(1, 4, 128, 128, seed=7) if options.pop("bias", False) else None
    q, k, v = random(2, 128, 4, 128), random(2, 128, key_heads, 128, seed=1), random(2, 128, key_heads, 128, seed=2)
    floats = (q, k, v) if bias is None else (q, k, v, bias)

    def of(function: Any) -> Any:
        total = lambda *a: jnp.sum(jnp.sin(function(*a, *(None,) * (4 - len(a)))))  # noqa: E731
        return jax.jit(jax.value_and_grad(total, argnums=tuple(range(len(floats)))))(*floats)

    want = of(lambda q, k, v, b: plain(q, k, v, b, options))
    got = of(lambda q, k, v, b: partita.attention(q, k, v, b, **options))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4), got, want)
    if bias is not None or "mask" in options:
        return
    ids = options.get("segment_ids", (None, None))
    setting = fused_attention.Setting(128**-0.5, options.get("is_causal", False), options.get("sliding_window"))

    def splash(q: jax.Array, k: jax.Array, v: jax.Array, _: None) -> jax.Array:
        operands = fused_attention.Operands(q, k, v, None, None, *(ids if isinstance(ids, tuple) else (ids, ids)))
        return fused_attention.run_splash(setting, operands, interpret=True)

    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3), of(splash), want)


@pytest.mark.parametrize("options", CASES, ids=lambda case: "-".join(case))
def test_attention_is_lowered_to_the_kernel_of_the_platform(options: dict[str, Any]) -> None:
    options = dict(options)
    bias = jnp.zeros((1, 4, 128, 128)) if options.pop("bias", False) else None
    array = shape(2, 128, 4, 128)

    def loss(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        return jnp.sum(partita.attention(q, k, v, bias, **options).astype(jnp.float32))

    lowered = {
        platform: jax.jit(jax.grad(loss)).trace(array, array, array).lower(lowering_platforms=(platform,)).as_text()
        for platform in ("cpu", "cuda", "tpu")
    }
    assert (
        "__cudnn" not in lowered["cpu"] + lowered["tpu"] and "tpu_custom_call" not in lowered["cpu"] + lowered["cuda"]
    )
    has_right = "sliding_window" in options and not options.get("is_causal")
    assert ("__cudnn$fmha" in lowered["cuda"]) == (not has_right)
    assert ("tpu_custom_call" in lowered["tpu"]) == (bias is None and "mask" not in options)


def test_attention_under_a_plan_runs_and_verifies() -> None:
    step = make_step(lambda q, k, v: partita.attention(q, k, v, is_causal=True))
    params = {
        name: random(2, 16, heads, 8, seed=n) / 4 for n, (name, heads) in enumerate({"q": 4, "k": 2, "v": 2}.items())
    }
    params["o"] = random(2, 4, 8, 16, seed=5) / 4
    x = random(8, 12, 16, seed=6)
    plan = partita.plan(step, params, x, mesh=MESH, schedule=TACTICS)
    assert plan.in_specs[0]["k"] == P(None, None, "model") and plan.verify().equal
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6),
        plan.jit(compiler_options=FAST)(params, x), jax.jit(step)(params, x),
    )  # fmt: skip


def test_attention_may_be_mapped() -> None:
    q, k, v, bias = random(3, 2, 8, 4, 16), random(2, 8, 2, 16), random(2, 8, 3, 2, 16), random(1, 4, 8, 8)

    def loss(attend: Any) -> Any:
        return lambda q, k, v, b: jnp.sum(jnp.sin(attend(q, k, v, b)))

    def mapped(attend: Any) -> Any:
        gradient = jax.grad(loss(attend), argnums=(0, 1, 2, 3))
        return jax.vmap(gradient, in_axes=(0, None, 2, None))(q, k, v, bias)

    got, want = mapped(partita.attention), mapped(lambda q, k, v, b: plain(q, k, v, b, {}))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), got, want)


def test_attention_without_a_batch() -> None:
    q = random(8, 4, 16)
    np.testing.assert_allclose(partita.attention(q, q, q), partita.attention(q[None], q[None], q[None])[0])


def test_wrong_operands_of_attention() -> None:
    q = jnp.ones((2, 8, 4, 16))
    with pytest.raises(partita.UsageError, match="3 key heads do not divide 4 heads"):
        partita.attention(q, q[:, :, :3], q[:, :, :3])
    with pytest.raises(partita.UsageError, match="do not fit each other"):
        partita.attention(q, q, q[:, :4])
    with pytest.raises(partita.UsageError, match="queries are float32, keys int32"):
        partita.attention(q, q.astype(int), q)
    with pytest.raises(partita.UsageError, match="sliding_window=0 is no number"):
        partita.attention(q, q, q, sliding_window=0)


def test_settings_are_values() -> None:
    """Repeated layers are alike."""
    setting = fused_attention.Setting(0.5, True, None)
    assert setting == dataclasses.replace(setting) and hash(setting) == hash(dataclasses.replace(setting))


def test_the_configuration_of_a_piece_is_that_of_jax_for_its_shapes() -> None:
    def gradient(q: jax.Array, k: jax.Array) -> Any:
        return jax.grad(lambda q, k: jnp.sum(cudnn(q, k, k).astype(jnp.float32)), argnums=(0, 1))(q, k)

    def configurations(text: str) -> list[str]:
        return re.findall(r'custom_call @__cudnn.*?backend_config = "([^"]*)"', text)

    tactics = [partita.tile("q", dim=0, axis="data"), partita.tile("q", dim=2, axis="model")]
    whole, piece = ((shape(n * 2, 128, m * 4, 64), shape(n * 2, 128, m * 2, 64)) for n, m in ((4, 2), (1, 1)))
    plan = partita.plan(gradient, *whole, mesh=MESH, platform="cuda", schedule=tactics)
    alone = partita.plan(gradient, *piece, mesh="data=1", platform="cuda", schedule=[])
    assert len(configurations(plan.local_text())) == 2
    assert configurations(plan.local_text()) == configurations(alone.local_text())
