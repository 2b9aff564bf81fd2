"""Weights of parts side by side (queries, keys and values; gates): reordered, so that no device moves any of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partita

HEADS, GROUPS, WIDTH, FFN, LAYERS, LENGTH, ROWS = 8, 4, 4, 32, 2, 6, 4
HIDDEN = HEADS * WIDTH
#: Queries, keys and values: with fewer heads of keys and values the parts are unequal.
PARTS = (HIDDEN, GROUPS * WIDTH, GROUPS * WIDTH)
MESH = {"data": 2, "model": 4}


def make_state() -> dict[str, Any]:
    def fill(index: int, *shape: int) -> jax.Array:
        return 0.1 * jax.random.normal(jax.random.key(index), (LAYERS, *shape))

    params = {
        "qkv": fill(0, HIDDEN, sum(PARTS)),
        "bias": fill(1, sum(PARTS)),
        "out": fill(2, HIDDEN, HIDDEN),
        "gate": fill(3, HIDDEN, 2 * FFN),
        "down": fill(4, FFN, HIDDEN),
    }
    return {"params": params, "m": jax.tree.map(jnp.zeros_like, params), "v": jax.tree.map(jnp.zeros_like, params)}


def layer(x: jax.Array, params: dict[str, jax.Array]) -> jax.Array:
    q, k, v = jnp.split(x @ params["qkv"] + params["bias"], np.cumsum(PARTS)[:-1], axis=-1)
    q = q.reshape(*x.shape[:2], GROUPS, HEADS // GROUPS, WIDTH)
    k, v = (part.reshape(*x.shape[:2], GROUPS, WIDTH) for part in (k, v))
    scores = jax.nn.softmax(jnp.einsum("btghd,bsgd->bghts", q, k))
    x = x + jnp.einsum("bghts,bsgd->btghd", scores, v).reshape(x.shape) @ params["out"]
    product = x @ params["gate"]
    return x + jax.nn.silu(product[..., :FFN]) * product[..., FFN:] @ params["down"]


def loss_of(params: dict[str, jax.Array], batch: jax.Array, scanned: bool) -> jax.Array:
    if scanned:
        x, _ = jax.lax.scan(lambda x, layer_params: (layer(x, layer_params), None), batch, params)
    else:
        x = batch
        for number in range(LAYERS):
            x = layer(x, jax.tree.map(lambda leaf, n=number: leaf[n], params))
    return jnp.mean(x**2)


def make_step(scanned: bool) -> Any:
    def step(state: dict[str, Any], batch: jax.Array) -> tuple[dict[str, Any], jax.Array]:
        loss, grads = jax.value_and_grad(loss_of)(state["params"], batch, scanned)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g**2, state["v"], grads)
        params = jax.tree.map(lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 0.1), state["params"], m, v)
        return {"params": params, "m": m, "v": v}, loss

    return step


BATCH = jax.random.normal(jax.random.key(9), (ROWS, LENGTH, HIDDEN))
TILES = [
    {"axis": "data", "tile": [["batch", 0]]},
    {"axis": "model", "tile": [["state/params/qkv", 2], ["state/params/gate", 2]]},
    {"axis": "model", "optional": True, "tile": [["state/params/out", 1], ["state/params/down", 1]]},
]


def make_schedule(store: bool) -> dict[str, Any]:
    entries = [["state/params/qkv", 2, 4], ["state/params/gate", 2, 4]]
    return {"tactics": [{"reorder": entries, "store": store}, *TILES]}


def list_kinds(plan: partita.Plan) -> set[str]:
    return {str(entry["kind"]) for entry in plan.report.collectives}


@pytest.mark.parametrize("scanned", [False, True])
def test_stored_in_another_order_nothing_moves(scanned: bool) -> None:
    step = make_step(scanned)
    plain = partita.plan(step, make_state(), BATCH, mesh=MESH, schedule={"tactics": TILES})
    assert "collective_permute" in plain.local_text()
    plan = partita.plan(step, make_state(), BATCH, mesh=MESH, schedule=make_schedule(store=True))
    assert list_kinds(plan) == {"all_reduce"}
    assert not any(word in plan.local_text() for word in ("collective_permute", "all_to_all", "all_gather"))
    assert "stored in another order" in str(plan.report)
    run, single = plan.jit(compiler_options=FAST), jax.jit(step)
    mine, other = plan.put(make_state()), make_state()
    assert mine["params"]["qkv"].shape == mine["m"]["qkv"].shape == (LAYERS, HIDDEN, 4, sum(PARTS) // 4)
    for _ in range(3):
        (mine, loss), (other, expected) = run(mine, BATCH), single(other, BATCH)
        close(loss, expected)
        assert mine["v"]["gate"].shape == (LAYERS, HIDDEN, 4, 2 * FFN // 4)
    close(plan.unput(mine), other)
    # What was not put is reordered by the call.
    close(plan.unput(run(make_state(), BATCH)[0]), single(make_state(), BATCH)[0])
    assert plan.verify().equal


def test_stored_longer_and_in_another_order() -> None:
    """One weight, along different dims."""
    step = make_step(scanned=True)
    pad = {"pad": [["state/params/qkv", 1, 3]], "store": True}
    schedule = {"tactics": [pad, *make_schedule(store=True)["tactics"]]}
    plan = partita.plan(step, make_state(), BATCH, mesh=MESH, schedule=schedule)
    longer = -(-HIDDEN // 3) * 3
    mine, other = plan.put(make_state()), make_state()
    assert mine["params"]["qkv"].shape == (LAYERS, longer, 4, sum(PARTS) // 4) and longer > HIDDEN
    for _ in range(2):
        (mine, loss), (other, expected) = plan.jit(compiler_options=FAST)(mine, BATCH), jax.jit(step)(other, BATCH)
        close(loss, expected)
    close(plan.unput(mine), other)
    assert plan.verify().equal


def test_at_the_border_weights_are_reordered() -> None:
    step = make_step(scanned=True)
    plan = partita.plan(step, make_state(), BATCH, mesh=MESH, schedule=make_schedule(store=False))
    assert "in another order" in str(plan.report)
    (mine, loss), (other, expected) = plan.jit(compiler_options=FAST)(make_state(), BATCH), step(make_state(), BATCH)
    close(loss, expected)
    close(mine, other)
    assert plan.verify().equal


def test_put_and_unput_know_the_order() -> None:
    plan = partita.plan(make_step(True), make_state(), BATCH, mesh=MESH, schedule=make_schedule(store=True))
    state = make_state()
    bias = np.asarray(state["params"]["bias"])
    stored = np.asarray(plan.put(state)["params"]["bias"])
    q, k, v = np.split(bias, np.cumsum(PARTS)[:-1], axis=1)
    for device in range(4):
        pieces = [np.split(part, 4, axis=1)[device] for part in (q, k, v)]
        assert (stored[:, device] == np.concatenate(pieces, axis=1)).all()
    close(plan.unput(plan.put(state)), make_state())
    host = jax.tree.map(np.asarray, make_state())
    close(plan.unput(plan.put(host)), make_state())


def test_saved_plans_keep_the_order(tmp_path: Path) -> None:
    step = make_step(True)
    plan = partita.plan(step, make_state(), BATCH, mesh=MESH, schedule=make_schedule(store=True))
    plan.save(tmp_path / "plan")
    again = partita.load(tmp_path / "plan", step, make_state(), BATCH)
    assert again.local_text() == plan.local_text()
    mine = again.put(make_state())
    close(again.unput(again.jit(compiler_options=FAST)(mine, BATCH)[0]), step(make_state(), BATCH)[0])


def test_a_dim_without_parts_is_refused() -> None:
    schedule = {"tactics": [{"reorder": [["state/params/out", 2, 4]]}]}
    with pytest.raises(partita.PartitaError, match="has no parts side by side that 4 devices can share"):
        partita.plan(make_step(True), make_state(), BATCH, mesh=MESH, schedule=schedule)


def gated_step(state: dict[str, jax.Array], x: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
    def loss_of(weights: dict[str, jax.Array]) -> jax.Array:
        gate, value = jnp.split(x @ weights["fused"], 2, axis=-1)
        return jnp.mean((jax.nn.silu(gate) * value @ weights["down"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state)
    return jax.tree.map(lambda w, g: w - 0.1 * g, state, grads), loss


def test_the_search_stores_fused_weights_where_it_may() -> None:
    """Rows that nothing divides are not split, and activations are large beside the weights."""
    state = {"fused": jax.ShapeDtypeStruct((1024, 8192), jnp.float32), "down": jax.ShapeDtypeStruct((4096, 1024), "f4")}
    x = jax.ShapeDtypeStruct((1, 8191, 1024), jnp.float32)

    def search(**options: Any) -> partita.Plan:
        return partita.plan(gated_step, state, x, mesh={"model": 4}, machine="h100-sxm:4x1", budget=200, **options)

    stored, forbidden, allowed = search(allow=["reorder", "store"]), search(allow=()), search(allow="reorder")
    assert "fused weights stored in another order" in str(stored.report)
    assert "collective_permute" not in stored.local_text()
    assert stored.report.figures["time_ps"] < forbidden.report.figures["time_ps"]
    assert "another order" not in str(forbidden.report)
    again = partita.plan(gated_step, state, x, mesh={"model": 4}, schedule=stored.to_json()["schedule"])
    assert "stored in another order" in str(again.report)
    # Who does not allow it gets arrays in the function's shapes.
    assert "stored in another order" not in str(allowed.report)


def test_evaluation_takes_the_state_as_the_step_stores_it() -> None:
    plan = partita.plan(make_step(True), make_state(), BATCH, mesh=MESH, schedule=make_schedule(store=True))
    state, _ = plan.jit(compiler_options=FAST)(plan.put(make_state()), BATCH)

    def evaluate(state: dict[str, Any], batch: jax.Array) -> jax.Array:
        return loss_of(state["params"], batch, True)

    follows = partita.plan(evaluate, make_state(), BATCH, mesh=MESH, pins=plan, schedule=[])
    run, expected = follows.jit(compiler_options=FAST), evaluate(plan.unput(state), BATCH)
    close(run(state, BATCH), expected)
    close(run(plan.unput(state), BATCH), expected)
    close(run.lower(state, BATCH).compile()(state, BATCH), expected)
    # Of an initialization that follows, each call of the step stores what it gives.
    init = partita.plan(make_state, mesh=MESH, pins=plan, schedule=[])
    first, _ = plan.jit(compiler_options=FAST)(init.jit(compiler_options=FAST)(), BATCH)
    close(plan.unput(first), plan.unput(state))
