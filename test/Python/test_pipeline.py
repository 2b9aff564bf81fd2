"""Pipelines: layers in stages over an axis, planned, checked and run."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita
from partita import presets

LAYERS, WIDTH, ROWS = 4, 8, 16


def make_state() -> Any:
    w = jnp.sin(jnp.arange(LAYERS * WIDTH * WIDTH, dtype=jnp.float32)).reshape(LAYERS, WIDTH, WIDTH) / 2
    params = {"embed": w[0] + 1, "layers": {"w": w, "scale": jnp.ones((LAYERS, WIDTH))}, "head": w[1]}
    return {"params": params, "momentum": jax.tree.map(jnp.zeros_like, params)}


def make_batch() -> dict[str, jax.Array]:
    x = jnp.cos(jnp.arange(ROWS * WIDTH, dtype=jnp.float32)).reshape(ROWS, WIDTH)
    return {"x": x, "y": jnp.roll(x, 1, axis=0)}


def step(state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
    """Scanned layers with dropout between an embedding and a head, momentum, and a clipped gradient."""

    def loss_of(params: Any) -> jax.Array:
        def layer(carry: Any, weights: Any) -> tuple[Any, None]:
            h, key = carry
            key, own = jax.random.split(key)
            kept = jax.random.bernoulli(own, 0.8, h.shape)
            return (h + jnp.where(kept, jnp.tanh(h @ weights["w"]) * weights["scale"], 0), key), None

        (h, _), _ = lax.scan(layer, (batch["x"] @ params["embed"], jax.random.key(3)), params["layers"])
        # All rows are compared with each other: no sum over microbatches.
        return jnp.mean((jax.nn.softmax(h @ params["head"] @ h.T, axis=-1) @ h - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g / jnp.maximum(1, norm), state["momentum"], grads)
    params = jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum)
    return {"params": params, "momentum": momentum}, loss


def check_three_steps(plan: partita.Plan) -> None:
    """The plan's program is right, and three steps of it are those of `jax.jit`."""
    assert plan.verify().equal
    run, expected = plan.jit(compiler_options=FAST), jax.jit(step)
    state, wanted = make_state(), make_state()
    for _ in range(3):
        state, loss = run(state, make_batch())
        wanted, wanted_loss = expected(wanted, make_batch())
        close((state, loss), (wanted, wanted_loss))


@pytest.mark.parametrize(
    ("mesh", "schedule"),
    [
        ({"pipe": 4}, [presets.pipeline("pipe", microbatches=8)]),
        ({"pipe": 2}, [presets.pipeline("pipe", microbatches=1)]),
        ({"data": 2, "pipe": 3}, [presets.pipeline("pipe", microbatches=4), presets.fsdp("data")]),
        (
            {"data": 2, "pipe": 2, "model": 2},
            [
                presets.pipeline("pipe", microbatches=4, layers="state/params/layers/.*"),
                presets.fsdp("data"),
                partita.tile("state/params/layers/w", dim=2, axis="model"),
            ],
        ),
    ],
)
def test_three_steps_are_those_of_jit(mesh: dict[str, int], schedule: list[Any]) -> None:
    plan = partita.plan(step, make_state(), make_batch(), mesh=mesh, schedule=schedule)
    check_three_steps(plan)


@pytest.mark.parametrize(
    ("mesh", "microbatches", "repeats", "others"),
    [
        ({"pipe": 2}, 4, 2, []),
        ({"pipe": 2}, 1, 2, []),
        ({"pipe": 2}, 4, 1, []),
        ({"data": 2, "pipe": 2, "model": 2}, 4, 2, [partita.tile("state/params/layers/w", dim=2, axis="model")]),
    ],
)
def test_circular_pipelines_are_those_of_jit(
    mesh: dict[str, int], microbatches: int, repeats: int, others: list[Any]
) -> None:
    """Each stage has blocks of layers that do not lie side by side in the stack."""
    data = [presets.fsdp("data")] if "data" in mesh else []
    schedule = [presets.pipeline("pipe", microbatches=microbatches, repeats=repeats), *data, *others]
    plan = partita.plan(step, make_state(), make_batch(), mesh=mesh, schedule=schedule)
    assert (f"microbatches go around {repeats} times" in str(plan.report)) == (repeats > 1)
    check_three_steps(plan)


def test_numbers_of_repeats() -> None:
    with pytest.raises(partita.UnsupportedError, match="4 iterations, which are fewer than 8 blocks of 2 stages"):
        schedule = [presets.pipeline("pipe", microbatches=4, repeats=4)]
        partita.plan(step, make_state(), make_batch(), mesh={"pipe": 2}, schedule=schedule)
    with pytest.raises(partita.UsageError, match="0 is not a number of repeats"):
        presets.pipeline("pipe", microbatches=1, repeats=0)


def separable_loss(params: Any, batch: dict[str, jax.Array]) -> jax.Array:
    """A mean over rows that count, so that there is a first pass that counts them."""

    def layer(carry: Any, weights: Any) -> tuple[Any, None]:
        h, key = carry
        key, own = jax.random.split(key)
        kept = jax.random.bernoulli(own, 0.8, h.shape)
        return (h + jnp.where(kept, jnp.tanh(h @ weights["w"]) * weights["scale"], 0), key), None

    first = (batch["x"] @ params["embed"], jax.random.key(3))
    (h, _), _ = lax.scan(layer, first, params["layers"])
    counts = batch["y"][:, :1] > -0.5
    return jnp.sum(jnp.where(counts, (h @ params["head"] - batch["y"]) ** 2, 0)) / jnp.sum(counts)


def update(state: Any, grads: Any) -> Any:
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g / jnp.maximum(1, norm), state["momentum"], grads)
    return {"params": jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum), "momentum": momentum}


def separable_step(state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
    loss, grads = jax.value_and_grad(separable_loss)(state["params"], batch)
    return update(state, grads), loss


def accumulating_step(state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
    """Gradients of two halves of the batch, added up in a loop of the program's own."""
    halves = jax.tree.map(lambda rows: rows.reshape(2, -1, WIDTH), batch)

    def add(sums: Any, half: dict[str, jax.Array]) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, sums, jax.value_and_grad(separable_loss)(state["params"], half)), None

    zeros = jnp.zeros(()), jax.tree.map(jnp.zeros_like, state["params"])
    (loss, grads), _ = lax.scan(add, zeros, halves)
    return update(state, grads), loss


PIPE = presets.pipeline("pipe", microbatches=2)


@pytest.mark.parametrize(
    ("train", "mesh", "schedule"),
    [
        (separable_step, {"pipe": 2}, [partita.accumulate(2), PIPE]),
        (separable_step, {"data": 2, "pipe": 4}, [partita.accumulate(4), PIPE, presets.fsdp("data")]),
        (separable_step, {"pipe": 2}, [partita.accumulate(2), presets.pipeline("pipe", microbatches=2, repeats=2)]),
        (accumulating_step, {"pipe": 2}, [PIPE]),
        (accumulating_step, {"data": 2, "pipe": 3}, [PIPE, presets.fsdp("data")]),
    ],
)
def test_microbatches_around_a_pipeline(train: Any, mesh: dict[str, int], schedule: list[Any]) -> None:
    """16 rows in 2 or 4 microbatches, each of which is a pipeline's whole batch."""
    plan = partita.plan(train, make_state(), make_batch(), mesh=mesh, schedule=schedule)
    assert "2 microbatches" in str(plan.report)
    assert plan.verify().equal
    run, expected = plan.jit(compiler_options=FAST), jax.jit(train)
    state, wanted = make_state(), make_state()
    for _ in range(3):
        state, loss = run(state, make_batch())
        wanted, wanted_loss = expected(wanted, make_batch())
        close((state, loss), (wanted, wanted_loss))


def test_microbatches_of_both_kinds_divide_the_batch() -> None:
    schedule = [partita.accumulate(4), presets.pipeline("pipe", microbatches=8)]
    with pytest.raises(partita.InputError, match="16 rows, which are not 32 equal microbatches"):
        partita.plan(separable_step, make_state(), make_batch(), mesh={"pipe": 2}, schedule=schedule)


def test_a_loop_over_tokens_is_refused() -> None:
    def decode(stack: jax.Array, batch: dict[str, jax.Array]) -> jax.Array:
        def token(h: jax.Array, _: None) -> tuple[jax.Array, None]:
            return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), h, stack)[0], None

        return lax.scan(token, batch["x"], None, length=3)[0] + batch["y"]

    with pytest.raises(partita.UnsupportedError, match="passes rows of the batch on from one turn to the next"):
        stack = make_state()["params"]["layers"]["w"]
        partita.plan(decode, stack, make_batch(), mesh={"pipe": 2}, schedule=[PIPE])


def test_an_encoder_and_a_decoder_share_a_pipe() -> None:
    """All layers of the decoder read what the encoder gave."""

    def train(params: Any, batch: dict[str, jax.Array]) -> Any:
        def loss_of(params: Any) -> jax.Array:
            memory, _ = lax.scan(lambda h, w: (h + jnp.tanh(h @ w), None), batch["x"], params["encoder"])
            layer = lambda h, w: (h + jnp.tanh(h @ w["own"] + memory @ w["cross"]), None)  # noqa: E731
            last, _ = lax.scan(layer, batch["y"], params["decoder"])
            return jnp.mean((last - batch["x"]) ** 2)

        loss, grads = jax.value_and_grad(loss_of)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    w = make_state()["params"]["layers"]["w"]
    given = {"encoder": w, "decoder": {"own": w[::-1], "cross": w / 2}}, make_batch()
    schedule = [presets.pipeline("pipe", microbatches=4), presets.fsdp("data")]
    plan = partita.plan(train, *given, mesh={"data": 2, "pipe": 2}, schedule=schedule)
    assert "4 loops over 4 layers" in str(plan.report)
    assert plan.verify().equal
    close(plan.jit(compiler_options=FAST)(*given), jax.jit(train)(*given))


def uneven_step(state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
    """A layer of zeros, as those that fill the last stage, would give NaN in both passes."""

    def loss_of(params: Any) -> jax.Array:
        def layer(h: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
            y = h @ w
            h = h + y * lax.rsqrt(jnp.mean(y * y, axis=-1, keepdims=True))
            return h, jnp.sum(h)

        last, sums = lax.scan(layer, batch["x"], params["w"])
        return jnp.mean((last - batch["y"]) ** 2) + jnp.sum(sums) / 1000

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
    return {"params": jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum), "momentum": momentum}, loss


@pytest.mark.parametrize(("layers", "idle"), [(7, 1), (11, 1), (10, 0)])
def test_layers_that_are_no_multiple_fill_the_last_stage(layers: int, idle: int) -> None:
    """7 layers in 4 stages are 8, of which one does nothing; of 10, two run outside of the pipeline."""
    stack = jnp.sin(1 + jnp.arange(layers * WIDTH * WIDTH, dtype=jnp.float32)).reshape(layers, WIDTH, WIDTH) / 2
    state = {"params": {"w": stack}, "momentum": {"w": jnp.zeros_like(stack)}}
    schedule = [presets.pipeline("pipe", microbatches=4), presets.fsdp("data")]
    plan = partita.plan(uneven_step, state, make_batch(), mesh={"data": 2, "pipe": 4}, schedule=schedule)
    assert ("places for layers is empty" in str(plan.report)) == bool(idle)
    assert plan.verify().equal
    run, expected, wanted = plan.jit(compiler_options=FAST), jax.jit(uneven_step), state
    for _ in range(3):
        state, loss = run(state, make_batch())
        wanted, wanted_loss = expected(wanted, make_batch())
        close((state, loss), (wanted, wanted_loss))


def unrolled_step(checkpointed: bool, state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
    """Layers in a Python loop; the input needs no gradient, so the first layer's backward pass is shorter."""

    def layer(h: jax.Array, weights: Any, key: jax.Array) -> jax.Array:
        kept = jax.random.bernoulli(key, 0.8, h.shape)
        gate = jax.nn.silu(h @ weights["gate"]) * (h @ weights["up"])
        return h + jnp.where(kept, (gate / (1 + jnp.abs(gate))) @ weights["down"], 0)

    def loss_of(params: Any) -> jax.Array:
        h, keys = batch["x"], jax.random.split(jax.random.key(3), len(params["layers"]))
        run = jax.checkpoint(layer) if checkpointed else layer
        for weights, key in zip(params["layers"], keys, strict=True):
            h = run(h, weights, key)
        return jnp.mean((h @ params["head"] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
    return {"params": jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum), "momentum": momentum}, loss


@pytest.mark.parametrize("checkpointed", [False, True])
@pytest.mark.parametrize("stages", [2, 4])
def test_unrolled_layers_become_a_pipeline(stages: int, checkpointed: bool) -> None:
    def weight(number: int) -> jax.Array:
        return jnp.sin(number + jnp.arange(WIDTH * WIDTH, dtype=jnp.float32)).reshape(WIDTH, WIDTH) / 2

    names = ("gate", "up", "down")
    layers = [{name: weight(3 * k + i) for i, name in enumerate(names)} for k in range(8)]
    params = {"layers": layers, "head": weight(99)}
    state = {"params": params, "momentum": jax.tree.map(jnp.zeros_like, params)}
    step = functools.partial(unrolled_step, checkpointed)
    schedule = [presets.pipeline("pipe", microbatches=4), presets.fsdp("data")]
    plan = partita.plan(step, state, make_batch(), mesh={"data": 2, "pipe": stages}, schedule=schedule)
    assert "the layers were unrolled and became loops first" in str(plan.report)
    assert "2 loops over" in str(plan.report)
    assert plan.verify().equal
    run, expected, wanted = plan.jit(compiler_options=FAST), jax.jit(step), state
    for _ in range(3):
        state, loss = run(state, make_batch())
        wanted, wanted_loss = expected(wanted, make_batch())
        close((state, loss), (wanted, wanted_loss))


def test_the_batch_is_split_over_other_axes_first() -> None:
    """What is outside of the pipeline takes its axis only where rows are left: a batch of 4 over data and pipe."""
    batch = jax.tree.map(lambda x: x[:4], make_batch())
    schedule = [presets.pipeline("pipe", microbatches=2), partita.tile("batch/.*", dim=0, axis="data")]
    plan = partita.plan(step, make_state(), batch, mesh={"data": 2, "pipe": 4}, schedule=schedule)
    assert plan.verify().equal


def test_the_search_finds_a_pipeline_where_the_network_is_slow(tmp_path: Path) -> None:
    def train(params: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            last, _ = lax.scan(lambda h, w: (jnp.tanh(h @ w), None), batch["x"], params["w"])
            return jnp.mean((last - batch["y"]) ** 2)

        return jax.tree.map(jnp.subtract, params, jax.grad(loss_of)(params))

    rows = jax.ShapeDtypeStruct((16384, 16384), jnp.bfloat16)
    given = {"w": jax.ShapeDtypeStruct((32, 16384, 16384), jnp.bfloat16)}, {"x": rows, "y": rows}
    slow = tmp_path / "slow.json"
    levels = {"node": {"bytes_per_second": "20 GB/s"}}
    slow.write_text(json.dumps({"base": "h100-sxm:4x2", "name": "slow", "levels": levels}))
    plan = partita.plan(train, *given, mesh={"a": 4, "b": 2}, machine=slow)
    assert "pipeline of 4 stages" in str(plan.report)
    assert "no plan of the program so rewritten is faster" in str(plan.report)
    other = partita.plan(train, *given, mesh={"a": 4, "b": 2}, machine=slow, forbid="pipeline")
    assert "pipeline of" not in str(other.report)
    assert "no plan of this program is faster" in str(other.report)
    assert plan.report.time_ps < 0.9 * other.report.time_ps


def test_the_search_puts_a_pipeline_into_given_microbatches(tmp_path: Path) -> None:
    def train(params: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            last, _ = lax.scan(lambda h, w: (jnp.tanh(h @ w), None), batch["x"] @ params["embed"], params["w"])
            return jnp.mean((last - batch["y"]) ** 2)

        return jax.tree.map(jnp.subtract, params, jax.grad(loss_of)(params))

    square = jax.ShapeDtypeStruct((16384, 16384), jnp.bfloat16)
    stack = jax.ShapeDtypeStruct((32, 16384, 16384), jnp.bfloat16)
    given = {"embed": square, "w": stack}, {"x": square, "y": square}
    slow = tmp_path / "slow.json"
    levels = {"node": {"bytes_per_second": "5 GB/s"}}
    slow.write_text(json.dumps({"base": "h100-sxm:4x2", "name": "slow", "levels": levels}))
    schedule = [partita.accumulate(2), partita.auto("a", "b")]
    plan = partita.plan(train, *given, mesh={"a": 4, "b": 2}, machine=slow, schedule=schedule)
    assert "2 microbatches" in str(plan.report)
    assert "pipeline of 4 stages" in str(plan.report)


def test_a_python_loop_over_stacked_weights_becomes_a_pipeline() -> None:
    """Weights are static slices of stacks, which stay stacks: each stage stores its own."""

    def train(params: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            h = batch["x"] @ params["embed"]
            for number in range(8):
                h = h + jnp.tanh(h @ params["up"][number]) @ params["down"][number]
            return jnp.mean((h - batch["y"]) ** 2)

        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss_of)(params))

    stack = jnp.sin(jnp.arange(8 * WIDTH * WIDTH, dtype=jnp.float32)).reshape(8, WIDTH, WIDTH) / 2
    params = {"embed": stack[0], "up": stack, "down": stack[::-1]}
    schedule = [presets.pipeline("pipe", microbatches=4)]
    plan = partita.plan(train, params, make_batch(), mesh={"pipe": 4}, schedule=schedule)
    assert plan.in_specs[0]["up"] == jax.sharding.PartitionSpec("pipe")
    assert plan.verify().equal
    close(plan.jit(compiler_options=FAST)(params, make_batch()), jax.jit(train)(params, make_batch()))


def test_the_search_tries_pipelines_of_unrolled_layers(tmp_path: Path) -> None:
    """Their weights and gradients move to the stages and back, so a stack may pay where these do not."""

    def train(params: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            h = batch["x"] @ params["embed"]
            for layer in params["layers"]:
                h = h + jnp.tanh(h @ layer["up"]) @ layer["down"]
            return jnp.mean((h - batch["y"]) ** 2)

        return jax.tree.map(jnp.subtract, params, jax.grad(loss_of)(params))

    square = jax.ShapeDtypeStruct((16384, 16384), jnp.bfloat16)
    params = {"embed": square, "layers": [{"up": square, "down": square}] * 8}
    slow = tmp_path / "slow.json"
    levels = {"node": {"bytes_per_second": "5 GB/s"}}
    slow.write_text(json.dumps({"base": "h100-sxm:4x2", "name": "slow", "levels": levels}))
    given = params, {"x": square, "y": square}
    plan = partita.plan(train, *given, mesh={"a": 4, "b": 2}, machine=slow)
    assert "pipeline over a in 16 microbatches" in str(plan.report)
    other = partita.plan(train, *given, mesh={"a": 4, "b": 2}, machine=slow, forbid="pipeline")
    assert "pipeline over" not in str(other.report)


def test_the_tactic_is_part_of_the_plan(tmp_path: Any) -> None:
    schedule = [presets.pipeline("pipe", microbatches=4)]
    plan = partita.plan(step, make_state(), make_batch(), mesh={"pipe": 2}, schedule=schedule)
    assert plan.in_specs[0]["params"]["layers"]["w"] == jax.sharding.PartitionSpec("pipe")
    assert "pipeline of 2 stages in 4 microbatches" in str(plan.report)
    plan.save(tmp_path / "plan")
    again = partita.load(tmp_path / "plan", step, make_state(), make_batch())
    assert again.schedule["tactics"][0]["microbatches"] == 4
    close(again.jit(compiler_options=FAST)(make_state(), make_batch()), jax.jit(step)(make_state(), make_batch()))


def test_what_no_pipeline_can_run_is_refused() -> None:
    def normed(stack: jax.Array, batch: dict[str, jax.Array]) -> jax.Array:
        def layer(h: jax.Array, w: jax.Array) -> tuple[jax.Array, None]:
            return jnp.tanh((h - jnp.mean(h, axis=0)) @ w), None

        return lax.scan(layer, batch["x"], stack)[0] - batch["y"]

    schedule = [presets.pipeline("pipe", microbatches=4)]
    with pytest.raises(partita.UnsupportedError, match=r"no pipeline: .* needs a sum over the whole batch"):
        partita.plan(normed, make_state()["params"]["layers"]["w"], make_batch(), mesh={"pipe": 2}, schedule=schedule)
    with pytest.raises(partita.UnsupportedError, match="4 iterations, which are fewer than 8 stages"):
        partita.plan(step, make_state(), make_batch(), mesh={"pipe": 8}, schedule=schedule)
    with pytest.raises(partita.UsageError, match="0 is not a number of microbatches"):
        presets.pipeline("pipe", microbatches=0)


def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    scores = jnp.einsum("bshd,bthd->bhst", q, k) / 2
    return jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores, axis=-1), v)


def scale(x: jax.Array, w: jax.Array) -> jax.Array:
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * w


def fused_attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    SEEN.append(("attend", *q.shape))
    return attend(q, k, v)


def fused_scale_gradients(x: jax.Array, w: jax.Array, g: jax.Array) -> tuple[jax.Array, jax.Array]:
    SEEN.append(("scale", *x.shape))
    return jax.vjp(scale, x, w)[1](g)


SEEN: list[tuple[Any, ...]] = []
attend_kernel = partita.kernel(
    "attend", fused_attend, attend, rule="b s h d, b t h d, b t h d -> b s h d", whole="s t d"
)
scale_kernel = partita.kernel(
    "scale", scale, scale, rule="b s d, d -> b s d", whole="d", backward=fused_scale_gradients
)


def attention_step(params: Any, batch: Any, attend: Any = attend_kernel, scale: Any = scale_kernel) -> Any:
    @jax.checkpoint
    def layer(x: jax.Array, w: dict[str, jax.Array]) -> tuple[jax.Array, None]:
        own = scale(x, w["scale"])
        q, k, v = (jnp.einsum("bsm,mhd->bshd", own, w[name]) for name in "qkv")
        return x + jnp.einsum("bshd,hdm->bsm", attend(q, k, v), w["o"]), None

    def loss_of(params: Any) -> jax.Array:
        return jnp.mean((lax.scan(layer, batch["x"], params)[0] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def make_attention() -> tuple[Any, Any]:
    def tensor(*shape: int) -> jax.Array:
        count = int(jnp.prod(jnp.array(shape)))
        return jnp.sin(jnp.arange(count, dtype=jnp.float32)).reshape(shape) / 4

    params = {**{name: tensor(4, 16, 4, 4) for name in "qkv"}, "o": tensor(4, 4, 4, 16), "scale": tensor(4, 16) + 1}
    return params, {"x": tensor(8, 6, 16), "y": tensor(8, 6, 16) + 1}


@pytest.mark.parametrize(
    ("mesh", "others", "seen"),
    [
        ({"pipe": 2}, [], (2, 6, 4, 4)),
        (
            {"data": 2, "pipe": 2, "model": 2},
            [
                partita.tile("batch/.*", dim=0, axis="data"),
                partita.tile("params/[qkv]", dim=2, axis="model"),
                partita.tile("params/o", dim=1, axis="model"),
            ],
            (1, 6, 2, 4),
        ),
    ],
)
def test_kernels_run_inside_of_stages(mesh: dict[str, int], others: list[Any], seen: tuple[int, ...]) -> None:
    """A stage calls the kernel on its microbatch, and on its piece of that where other axes split it."""
    given = make_attention()
    schedule = [presets.pipeline("pipe", microbatches=4), *others]
    plan = partita.plan(attention_step, *given, mesh=mesh, schedule=schedule)
    assert plan.verify().equal
    SEEN.clear()
    got = plan.jit(compiler_options=FAST)(*given)
    assert {entry[1:] for entry in SEEN if entry[0] == "attend"} == {seen}
    assert {entry[1:] for entry in SEEN if entry[0] == "scale"} == {(seen[0], 6, 16)}
    close(got, jax.jit(lambda p, b: attention_step(p, b, attend, scale))(*given))


def test_weights_are_cast_once() -> None:
    """Each tick takes slices of the narrow stack: no tick casts."""

    def train(state: Any, batch: dict[str, jax.Array]) -> tuple[Any, jax.Array]:
        def layer(h: jax.Array, weights: Any) -> tuple[jax.Array, None]:
            return jnp.tanh(h @ weights["w"].astype(jnp.bfloat16)), None

        def loss_of(params: Any) -> jax.Array:
            first = (batch["x"] @ params["embed"]).astype(jnp.bfloat16)
            last, _ = lax.scan(jax.checkpoint(layer), first, params["layers"])
            return jnp.mean((last.astype(jnp.float32) @ params["head"] - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(loss_of)(state["params"])
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
        return {"params": jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum), "momentum": momentum}, loss

    given = make_state(), make_batch()
    plan = partita.plan(train, *given, mesh={"pipe": 2}, schedule=[presets.pipeline("pipe", microbatches=4)])
    assert plan.verify().equal
    before = plan.local_text().partition("stablehlo.while")[0]
    assert f"(tensor<{LAYERS // 2}x{WIDTH}x{WIDTH}xf32>) -> tensor<{LAYERS // 2}x{WIDTH}x{WIDTH}xbf16>" in before
    assert f"{WIDTH}x{WIDTH}xf32>) -> tensor<1x{WIDTH}x{WIDTH}xbf16>" not in plan.local_text()


@pytest.mark.parametrize("stages", [2, 3])
def test_what_idle_stages_compute_is_no_work(stages: int) -> None:
    """Flops are those of the program, also with layers outside of the pipeline."""
    given, machine = (make_state(), make_batch()), f"h100-sxm:1x{stages}"
    plain = partita.plan(step, *given, mesh={"a": stages}, schedule=[], machine=machine)
    schedule = [presets.pipeline("pipe", microbatches=4)]
    plan = partita.plan(step, *given, mesh={"pipe": stages}, schedule=schedule, machine=machine)
    assert plan.report.figures["flops"] == pytest.approx(plain.report.figures["flops"], rel=1e-5)
