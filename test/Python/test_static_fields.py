"""Arguments with static fields: functions that were made anew are accepted, other data is not."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import linen, nnx
from flax.training.train_state import TrainState
from jax.sharding import PartitionSpec as P

import partita
from partita import presets

assert xla_runner.MAX_DEVICES >= 8
MESH = "data=4,model=2"
SCHEDULE = [presets.data_parallel("data"), presets.megatron("model")]
BATCH = {
    name: np.random.default_rng(number).standard_normal((8, 16)).astype(np.float32) for number, name in enumerate("xy")
}


class Network(linen.Module):
    rate: float = 0.0

    @linen.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        return linen.Dense(16)(jnp.tanh(linen.Dense(32)(x))) * (1 - self.rate)


def make_state(learning_rate: float = 1e-2, network_rate: float = 0.0) -> TrainState:
    """As each process, and each restart in one, makes it: with functions of its own."""
    network = Network(network_rate)
    parameters = network.init(jax.random.key(0), BATCH["x"])
    return TrainState.create(apply_fn=network.apply, params=parameters, tx=optax.adam(learning_rate))


def step(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
    def measure(parameters: Any) -> jax.Array:
        return jnp.mean((state.apply_fn(parameters, batch["x"]) - batch["y"]) ** 2)

    loss, gradients = jax.value_and_grad(measure)(state.params)
    return state.apply_gradients(grads=gradients), loss


def close(found: Any, wanted: Any) -> None:
    jax.tree.map(
        functools.partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-5), *map(jax.tree.leaves, (found, wanted))
    )


@pytest.fixture(scope="module")
def planned() -> partita.Plan:
    return partita.plan(step, make_state(), BATCH, mesh=MESH, schedule=SCHEDULE)


def test_a_state_whose_functions_were_made_anew_runs(planned: partita.Plan) -> None:
    other = make_state()
    assert jax.tree.structure(other) != jax.tree.structure(make_state())
    wanted = jax.jit(step)(*jax.jit(step)(other, BATCH)[:1], BATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = planned.jit()
        state = planned.put(other)
        assert state.tx is other.tx
        state, _ = run(state, BATCH)
        found = run(state, BATCH)
        run.lower(other, BATCH)
    close(found, wanted)
    # The result holds what the argument held, as under jax.jit.
    assert found[0].tx is other.tx and found[0].apply_fn == other.apply_fn
    assert jax.tree.structure(found[0]) == jax.tree.structure(other)
    assert int(found[0].replace(step=3).step) == 3


def test_other_functions_run_as_planned_with_a_warning(planned: partita.Plan) -> None:
    other = make_state(learning_rate=1e-1)
    wanted = jax.jit(step)(make_state(), BATCH)
    with pytest.warns(UserWarning, match="tx of a TrainState is another function than the plan was made with"):
        found = planned.jit()(other, BATCH)
    close(found, wanted)
    assert found[0].tx is other.tx


def test_planning_jit_plans_for_what_functions_compute(tmp_path: Path) -> None:
    run = partita.jit(step, mesh=MESH, schedule=SCHEDULE, cache=tmp_path)
    first = run.plan(make_state(), BATCH)
    assert run.plan(make_state(), BATCH) is first
    assert run.plan(make_state(learning_rate=1e-1), BATCH) is not first
    assert run.plan(make_state(network_rate=0.5), BATCH) is not first
    assert len(list(tmp_path.glob("*/*.json"))) == 3
    # Another process finds the plan; here, another function that plans itself.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = partita.jit(step, mesh=MESH, schedule=SCHEDULE, cache=tmp_path)
        other = make_state()
        found = again(other, BATCH)
    assert len(list(tmp_path.glob("*/*.json"))) == 3 and found[0].tx is other.tx
    close(found, jax.jit(step)(other, BATCH))
    close(run(make_state(learning_rate=1e-1), BATCH), jax.jit(step)(make_state(learning_rate=1e-1), BATCH))


def test_loaded_plans_take_states_that_were_made_anew(planned: partita.Plan, tmp_path: Path) -> None:
    planned.save(tmp_path / "plan.json")
    loaded = partita.load(tmp_path / "plan.json", step, make_state(), BATCH)
    other = make_state()
    found = loaded.jit()(other, BATCH)
    assert found[0].tx is other.tx
    close(found, jax.jit(step)(other, BATCH))


def test_shardings_of_one_state_are_pins_of_another(planned: partita.Plan) -> None:
    """A tree of specs has the static fields of the state that it was made from."""
    made = partita.plan(step, make_state(), BATCH, mesh=MESH, pins=(planned.in_specs[0],), schedule=[])
    assert jax.tree.leaves(made.in_specs[0]) == jax.tree.leaves(planned.in_specs[0])


def test_networks_in_modules_are_compared_alike() -> None:
    def make(rate: float = 1e-2) -> tuple[Any, Any]:
        model = nnx.Linear(16, 16, rngs=nnx.Rngs(0))
        return model, nnx.Optimizer(model, optax.adam(rate), wrt=nnx.Param)

    def train(model: Any, optimizer: Any, x: Any) -> jax.Array:
        loss, gradients = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
        optimizer.update(model, gradients)
        return loss

    x = BATCH["x"]
    made = partita.plan(train, *make(), x, mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    found, wanted = make(), make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            close(made.jit()(*found, x), nnx.jit(train)(*wanted, x))
    close(nnx.state(found), nnx.state(wanted))
    with pytest.warns(UserWarning, match="other functions"):
        made.jit()(*make(1e-1), x)


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["activate", "train", "sizes", "setting"]
)
@dataclass
class Layer:
    w: Any
    activate: Any
    train: bool = True
    sizes: tuple[int, ...] = (1, 2)
    setting: Any = None


@dataclass(frozen=True)
class Setting:
    scale: float
    activate: Any = jnp.tanh


W, X = np.ones((16, 4), np.float32), BATCH["x"]


def apply(layer: Layer, x: Any) -> tuple[Layer, Any, Any]:
    y = layer.activate(x @ layer.w) * (2 if layer.train else 1)
    return replace(layer, w=layer.w + 1), y, replace(layer, w=(layer.w, layer.w), train=False)


def make_layer(**fields: Any) -> Layer:
    return Layer(W, **{"activate": lambda x: jnp.tanh(x), **fields})


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (
            "train",
            False,
            "static field 1 of a Layer is False, but the plan was made for True",
        ),
        ("train", 1, "is 1, but the plan was made for True"),
        ("sizes", (1, 3), r"is \(1, 3\), but"),
        ("sizes", (1,), r"is \(1,\), but"),
        ("setting", Setting(2.0), r"is Setting\(scale=2.0"),
        ("setting", None, "is None, but"),
        ("activate", None, "is None, but"),
    ],
)
def test_data_has_to_agree(field: str, value: Any, text: str) -> None:
    planned = partita.plan(apply, make_layer(setting=Setting(1.0)), X, mesh=MESH, schedule=[])
    other = make_layer(**{"setting": Setting(1.0, lambda x: x), field: value})
    with pytest.raises(partita.UsageError, match=text):
        planned.jit()(other, X)


def test_results_hold_what_the_argument_holds() -> None:
    """Also where the function puts another tree below the same static fields; what it sets itself is its own."""
    planned = partita.plan(apply, make_layer(), X, mesh=MESH, schedule=[])
    other = make_layer()
    same, y, changed = planned.jit()(other, X)
    wanted = jax.jit(apply)(other, X)
    assert jax.tree.structure((same, y, changed)) == jax.tree.structure(wanted)
    assert same.activate is other.activate is changed.activate and same.train and not changed.train
    close((same, y, changed), wanted)


def test_leaves_and_paths_have_to_agree() -> None:
    planned = partita.plan(apply, make_layer(), X, mesh=MESH, schedule=[])
    for other in (Layer({"w": W}, jnp.tanh), Layer(None, jnp.tanh), W):
        with pytest.raises(partita.UsageError, match="the arguments are not those that were planned"):
            planned.jit()(other, X)
    with pytest.raises(partita.UsageError, match="has the structure"):
        planned.put(Layer({"w": W}, jnp.tanh))


def test_values_that_hold_themselves_are_described() -> None:
    from partita._src.static_fields import describe

    def make() -> Any:
        circle: list[Any] = [1, float("nan"), np.arange(3), {2: jnp.ones(3)}, {3}, jax.jit(jnp.sin)]
        circle.append(circle)

        def inner() -> Any:
            return inner, circle

        return inner

    assert describe(make()) == describe(make()) and hash(describe(make())) == hash(describe(make()))
    assert describe(make()) != describe(lambda: None)
    assert describe(make(), functions=False) == describe(print, functions=False)
    assert describe(P("a")) == describe(P("a")) != describe(P("b"))
    assert describe(np.arange(3)) != describe(np.arange(3) + 1)
