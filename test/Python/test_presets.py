"""Pins, patterns and presets: how strategies are said, and what they are compared with."""

from __future__ import annotations

from typing import Any

from small_steps import BATCH, BP, MESH, MP, check, make_params, mlp, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import partita
from partita import presets


def test_pins_hold(tmp_path: Any) -> None:
    pinned: Any
    for pinned in (
        {r"params\['w1'\]": P("model", None)},
        [(r"params/w1", ["model", None])],
        ({"w1": P("model"), "w2": None}, None),
    ):
        plan = partita.plan(step, make_params(), BATCH, mesh=MESH, pins=pinned, schedule=[BP])
        assert plan.in_specs[0]["w1"] == P("model")
        assert plan.in_specs[1]["x"][0] == "data"
    rules = tmp_path / "rules.json"
    rules.write_text('[["params/w1", ["model", null]], ["params/.*", [null, null]]]')
    assert partita.plan(step, make_params(), BATCH, mesh=MESH, pins=rules, schedule=[BP]).in_specs[0]["w1"] == P(
        "model"
    )
    other = partita.plan(mlp, make_params(), BATCH["x"], mesh=MESH, pins=plan, schedule=[])
    assert other.in_specs[0]["w1"] == P("model")
    with pytest.raises(partita.InputError, match="matches no argument"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, pins={"nothing": P()}, schedule=[BP])
    with pytest.raises(partita.InputError, match="'tensor', which the mesh has not"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, pins={"params.*": P("tensor")}, schedule=[BP])


def test_python_patterns() -> None:
    plan = partita.plan(
        step, make_params(), BATCH, mesh=MESH, schedule=[partita.tile(r"params/w\d(?!\d)", dim=0, axis="model")]
    )
    assert plan.in_specs[0]["w1"] == P("model")
    with pytest.raises(partita.InputError, match="matches no"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[partita.tile(r"\d+", dim=0, axis="data")])


def test_inner_values_are_known_by_what_they_are_and_by_their_line() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2

    line = f.__code__.co_firstlineno + 1
    for pattern in (r"jit\(f\)/sin#\d", rf"test_presets\.py:{line}#\d", f".*/test_presets.py:{line}#0"):
        plan = partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[partita.tile(pattern, dim=0, axis="data")])
        assert plan.in_specs == (P("data"),)
        with pytest.raises(
            partita.InputError, match=rf"tile jit\(f\)/\w+#0 .*test_presets\.py:{line}\) along dim 1 over"
        ):
            partita.plan(f, tensor(8, 15), mesh=MESH, schedule=[partita.tile(pattern, dim=1, axis="data")])


def test_presets_find_roles_by_structure() -> None:
    schedule = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
    plan = check(step, make_params(), BATCH, schedule=schedule)
    assert plan.in_specs == (
        {"w1": P("data", "model"), "w2": P(("model", "data"))},
        {"x": P("data"), "y": P("data")},
    )
    plan = partita.plan(mlp, make_params(), BATCH["x"], mesh=MESH, schedule=presets.fsdp("data"))
    assert plan.in_specs == ({"w1": P("data"), "w2": P("data")}, P("data"))

    def with_momentum(state: Any, batch: Any) -> Any:
        new, loss = step(state["params"], batch)
        moments = jax.tree.map(lambda m, p, q: 0.9 * m + p - q, state["momentum"], state["params"], new)
        return {"params": jax.tree.map(jnp.subtract, state["params"], moments), "momentum": moments}, loss

    state = {"params": make_params(), "momentum": make_params()}
    schedule = [presets.data_parallel("data"), presets.zero2("data")]
    plan = partita.plan(with_momentum, state, BATCH, mesh=MESH, schedule=schedule)
    assert plan.in_specs[0]["params"]["w1"] == P() and plan.in_specs[0]["momentum"]["w1"] == P("data")
    with pytest.raises(partita.InputError, match="no argument looks like a batch"):
        partita.plan(lambda x: x.sum(), tensor(8), mesh=MESH, schedule=presets.data_parallel("data"))


def test_megatron_follows_weights_to_where_they_are_multiplied() -> None:
    def specs(function: Any, params: Any) -> Any:
        def train(params: Any, x: jax.Array) -> Any:
            loss, grads = jax.value_and_grad(lambda p: (function(p, x) ** 2).sum())(params)
            return jax.tree.map(jnp.subtract, params, grads), loss

        schedule = presets.megatron("model")
        plan = partita.plan(train, params, tensor(8, 16), mesh=MESH, schedule=schedule, donate_argnums=0)
        return plan.in_specs[0]

    # Gates side by side: they cannot be split where they meet, so along their inputs.
    gates = specs(lambda p, x: x @ jnp.concatenate([p["i"], p["f"]], axis=1), {"i": tensor(16, 8), "f": tensor(16, 8)})
    assert gates == {"i": P("model"), "f": P("model")}
    # Weights that a loop carries and changes.
    carried = specs(
        lambda p, x: lax.fori_loop(0, 2, lambda _, c: (c[0] * 0.9, jnp.tanh(c[1] @ c[0])), (p["w"], x))[1],
        {"w": tensor(16, 16)},
    )
    assert carried == {"w": P(None, "model")}
    # Weights that are sampled.
    noise = tensor(16, 32)
    sampled = specs(lambda p, x: x @ (p["mean"] + jnp.exp(p["log"]) * noise), {"mean": noise, "log": noise})
    assert sampled == {"mean": P(None, "model"), "log": P(None, "model")}


def test_strategies_are_compared() -> None:
    plan = partita.plan(
        step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP], baseline={r"params\['w1'\]": P(None, "model")}
    )
    comparison = plan.compare(
        fsdp=presets.fsdp("data"), rows=[("batch.*", P("data"))], tree=({"w1": P("model"), "w2": P()}, P("data")),
        same=plan, wrong=[partita.tile("nothing", dim=0, axis="data")],
    )  # fmt: skip
    assert [name for name, _ in comparison.rows] == ["baseline", "plan", "fsdp", "rows", "tree", "same", "wrong"]
    reports = dict(comparison.rows)
    assert "cannot be applied" in str(reports["wrong"])
    assert reports["same"].collectives == reports["plan"].collectives
    assert len(str(comparison).splitlines()) == 8


def test_comparisons_begin_with_the_baseline() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    comparison = plan.compare(rows=[BP], baseline=[MP], wrong=[partita.tile("nothing", dim=0, axis="data")])
    assert [name for name, _ in comparison.rows] == ["baseline", "plan", "rows", "wrong"]
    table = comparison._repr_html_()
    assert table.startswith("<table>") and table.count("<tr>") == 5 and "cannot be applied" in table
    assert "over model" in str(plan.report) and "tactic tile over" in str(partita.plan(
        lambda x: x, tensor(8), mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")]).report)  # fmt: skip
