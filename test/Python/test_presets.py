"""Pins, patterns and presets: how strategies are said, and what they are compared with."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from small_steps import BATCH, BP, MESH, MP, check, make_params, mlp, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import partita
from partita import presets
from partita._src import ties
from partita._src.names import Names, quote


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
    with pytest.raises(partita.InputError, match="'tensor', which is not an axis of the mesh"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, pins={"params.*": P("tensor")}, schedule=[BP])


def test_python_patterns() -> None:
    plan = partita.plan(
        step, make_params(), BATCH, mesh=MESH, schedule=[partita.tile(r"params/w\d(?!\d)", dim=0, axis="model")]
    )
    assert plan.in_specs[0]["w1"] == P("model")
    with pytest.raises(partita.InputError, match="matches no"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[partita.tile(r"\d+", dim=0, axis="data")])


def test_names_of_values_are_patterns_as_they_are() -> None:
    # Nothing is looked up for them: a preset gives thousands.
    nothing = Names([], [])
    for name in ("state.params['layers'][0]['w']", "a.b*(c)|{2}", "a\\[b\\]"):
        assert nothing.translate(quote(name)) == quote(name)
    for pattern in (r"w\d", r"w[\.]", r"\\[a\]]", "(?:w)", "w+?"):
        with pytest.raises(partita.InputError, match="matches no argument"):
            nothing.translate(pattern)


def test_states_among_thousands_of_arguments_are_found() -> None:
    count = 4000
    types = (jax.ShapeDtypeStruct((8, 8), "float32"),) * count
    step = jax.tree.structure
    program: Any = SimpleNamespace(
        in_tree=step(((0,) * count, {})), out_tree=step(([0] * count, 0)), in_avals=types, constants=(),
        out_avals=(*types, jax.ShapeDtypeStruct((), "float32")), donated=(True,) * count,
    )  # fmt: skip
    start = time.process_time()
    assert ties._pair_in_order(program) == {number: number for number in range(count)}
    # Tenths of a second; minutes if each argument is held against each result.
    assert time.process_time() - start < 5


def test_inner_values_are_known_by_what_they_are_and_by_their_line() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2

    line = f.__code__.co_firstlineno + 1
    for pattern in (r"jit\(f\)/sin#\d", rf"test_presets\.py:{line}#\d", f".*/test_presets.py:{line}#0"):
        plan = partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[partita.tile(pattern, dim=0, axis="data")])
        assert plan.in_specs == (P("data"),)
        with pytest.raises(
            partita.InputError, match=rf"tile jit\(f\)/\w+#0 .*test_presets\.py:{line}\) along dim 2 over"
        ):
            partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[partita.tile(pattern, dim=2, axis="data")])


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
        partita.plan(lambda x: x + 1, tensor(), mesh=MESH, schedule=presets.data_parallel("data"))


def matrix_specs(function: Callable[[Any, jax.Array], jax.Array], params: Any, x: jax.Array | None = None) -> Any:
    """Where megatron puts the parameters of a step that trains `function(params, x)`."""

    def train(params: Any, x: jax.Array) -> Any:
        loss, grads = jax.value_and_grad(lambda p: (function(p, x) ** 2).sum())(params)
        return jax.tree.map(jnp.subtract, params, grads), loss

    data = tensor(8, 16) if x is None else x
    plan = partita.plan(train, params, data, mesh=MESH, schedule=presets.megatron("model"), donate_argnums=0)
    return plan.in_specs[0]


def test_megatron_follows_weights_to_where_they_are_multiplied() -> None:
    # Gates side by side: their columns move to where they meet.
    gates = {"i": tensor(16, 8), "f": tensor(16, 8)}
    assert matrix_specs(lambda p, x: x @ jnp.concatenate([p["i"], p["f"]], axis=1), gates) == {
        "i": P(None, "model"),
        "f": P(None, "model"),
    }
    # Weights that a loop carries and changes.
    carried = matrix_specs(
        lambda p, x: lax.fori_loop(0, 2, lambda _, c: (c[0] * 0.9, jnp.tanh(c[1] @ c[0])), (p["w"], x))[1],
        {"w": tensor(16, 16)},
    )
    assert carried == {"w": P(None, "model")}
    # Weights that are sampled.
    noise = tensor(16, 32)
    sampled = matrix_specs(lambda p, x: x @ (p["mean"] + jnp.exp(p["log"]) * noise), {"mean": noise, "log": noise})
    assert sampled == {"mean": P(None, "model"), "log": P(None, "model")}
    # Weights that come out of an inner function, here one that JAX jits itself.
    masked = matrix_specs(lambda p, x: x @ jnp.where(jnp.ones((16, 32)) > 0, p["w"], 0.0), {"w": tensor(16, 32)})
    assert masked == {"w": P(None, "model")}


def test_megatron_splits_what_is_cut_from_stacks() -> None:
    stack = {"w": tensor(3, 16, 16)}
    outputs = {"w": P(None, None, "model")}
    assert matrix_specs(lambda p, x: jnp.tanh(x @ p["w"][0]) @ p["w"][2], stack) == outputs
    assert matrix_specs(lambda p, x: x @ jnp.take(p["w"], 1, axis=0), stack) == outputs
    assert matrix_specs(lambda p, x: x @ lax.dynamic_index_in_dim(p["w"], x.argmax() % 3, keepdims=False), stack) == (
        outputs
    )
    assert matrix_specs(lambda p, x: sum(x @ w for w in p["w"]), stack) == outputs
    # A matrix for each row.
    rows = lambda p, x: jnp.einsum("td,tdf->tf", x, p["w"][jnp.arange(8) % 3])  # noqa: E731
    assert matrix_specs(rows, stack) == outputs
    # Rows that are looked up are values: the matrix behind them is split.
    table = matrix_specs(
        lambda p, x: (x + p["table"][jnp.arange(8)]) @ p["w"], {"table": tensor(8, 16), "w": stack["w"][0]}
    )
    assert table == {"table": P(), "w": P(None, "model")}
    # A fused matrix that is cut: its columns move.
    fused = {"w": tensor(16, 48)}
    assert matrix_specs(lambda p, x: (x @ p["w"][:, :16]) * (x @ p["w"][:, 16:32]), fused) == {"w": P(None, "model")}
    assert matrix_specs(lambda p, x: sum(x @ w for w in jnp.split(p["w"], 3, axis=1)), fused) == {"w": P(None, "model")}
    # Every second column: each block of two columns gives one.
    assert matrix_specs(lambda p, x: x @ lax.slice(p["w"], (0, 0), (16, 48), (1, 2)), fused) == {"w": P(None, "model")}


def test_megatron_splits_weights_that_are_stacked_first() -> None:
    # Each argument by its own dims: one is transposed before.
    pair = {"a": tensor(16, 8), "b": tensor(8, 16)}
    stacked = matrix_specs(lambda p, x: jnp.einsum("bd,edf->ebf", x, jnp.stack([p["a"], p["b"].T])), pair)
    assert stacked == {"a": P(None, "model"), "b": P("model")}
    joined = matrix_specs(lambda p, x: x @ jnp.concatenate([p["a"], p["b"].T], axis=1), pair)
    assert joined == {"a": P(None, "model"), "b": P("model")}


def test_megatron_splits_experts_and_ragged_products() -> None:
    weights = {"w": tensor(4, 16, 32)}
    sizes = jnp.array([2, 2, 2, 2])
    assert matrix_specs(lambda p, x: lax.ragged_dot(x, p["w"], sizes), weights) == {"w": P(None, None, "model")}
    each = matrix_specs(lambda p, x: jnp.einsum("ecd,edf->ecf", x.reshape(4, 2, 16), p["w"]), weights)
    assert each == {"w": P(None, None, "model")}
    # Outputs that no axis divides: whole experts are split.
    odd = matrix_specs(lambda p, x: jnp.einsum("ecd,edf->ecf", x.reshape(4, 2, 16), p["w"]), {"w": tensor(4, 16, 5)})
    assert odd == {"w": P("model")}
    # And where there are none, inputs.
    assert matrix_specs(lambda p, x: x @ p["w"], {"w": tensor(16, 5)}) == {"w": P("model")}


def test_frozen_weights_are_parameters_and_what_is_fed_is_not() -> None:
    def train(params: Any, frozen: Any, batch: Any) -> Any:
        def loss(p: Any) -> jax.Array:
            hidden = jnp.tanh(batch["x"] @ frozen["w1"] + (batch["x"] @ p["a"]) @ p["b"])
            return jnp.mean((batch["links"] @ (hidden @ frozen["w2"])) ** 2)

        value, grads = jax.value_and_grad(loss)(params)
        return jax.tree.map(jnp.subtract, params, grads), value

    schedule = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
    params, frozen = {"a": tensor(16, 4), "b": tensor(4, 32)}, {"w1": tensor(16, 32), "w2": tensor(32, 16)}
    batch = {"x": tensor(8, 16), "links": tensor(8, 8)}
    plan = partita.plan(train, params, frozen, batch, mesh=MESH, schedule=schedule)
    assert plan.in_specs[1] == {"w1": P("data", "model"), "w2": P(("model", "data"))}
    assert plan.in_specs[2] == {"x": P("data"), "links": P("data")}


def test_megatron_splits_grouped_convolutions() -> None:
    def convolve(groups: int) -> Any:
        return lambda p, x: lax.conv_general_dilated(
            x, p["w"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=groups
        )

    images = tensor(8, 4, 16)
    for groups in (1, 2, 16):
        assert matrix_specs(convolve(groups), {"w": tensor(3, 16 // groups, 32)}, images) == {
            "w": P(None, None, "model")
        }


def test_megatron_knows_weights_from_values_that_start_as_parameters() -> None:
    def latents(p: Any, x: jax.Array) -> jax.Array:
        return jnp.tanh(jnp.broadcast_to(p["latents"], (8, 4, 16)) @ p["w"]) * x[:, :1, None]

    params = {"latents": tensor(4, 16), "w": tensor(16, 32)}
    assert matrix_specs(latents, params) == {"latents": P(), "w": P(None, "model")}


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
    named = partita.plan(lambda x: x, tensor(8), mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    assert "over model" in str(plan.report) and "tactic tile over data" in named.report.details()


def test_presets_of_schedule_files_are_those_of_python(tmp_path: Any) -> None:
    file = tmp_path / "schedule.json"
    file.write_text('{"tactics": [{"preset": "fsdp", "axis": "data"}, {"preset": "megatron", "axis": "model"}]}')
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=file)
    same = partita.plan(
        step, make_params(), BATCH, mesh=MESH, schedule=[presets.fsdp("data"), presets.megatron("model")]
    )
    assert plan.schedule == same.schedule
    # Plans hold tactics alone, and are applied anew.
    assert [tactic["name"] for tactic in plan.schedule["tactics"]] == ["data_parallel", "zero3", "megatron"]
    again = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=plan)
    assert again.in_specs == plan.in_specs
    file.write_text('{"tactics": [{"preset": "ddp", "axis": "data"}]}')
    with pytest.raises(partita.InputError, match="there is no preset 'ddp'"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=file)
