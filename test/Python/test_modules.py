"""flax nnx modules among the arguments: planned through split and merge, changed in place as `nnx.jit` does."""

from __future__ import annotations

from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import linen, nnx
from jax.sharding import PartitionSpec as P

import partita
from partita import presets

assert xla_runner.MAX_DEVICES >= 8
MESH = {"data": 4, "model": 2}
FAST = {"xla_backend_optimization_level": 0}
BATCH = {
    name: np.random.default_rng(number).standard_normal((8, 16)).astype(np.float32) for number, name in enumerate("xy")
}
SCHEDULE = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]


class Network(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.first = nnx.Linear(16, 32, rngs=rngs)
        self.norm = nnx.BatchNorm(32, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.second = nnx.Linear(32, 16, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.second(self.dropout(self.norm(jnp.tanh(self.first(x)))))


RULE = optax.adam(1e-2)


def make() -> tuple[Network, nnx.Optimizer]:
    model = Network(nnx.Rngs(0))
    return model, nnx.Optimizer(model, RULE, wrt=nnx.Param)


def step(model: Network, optimizer: nnx.Optimizer, batch: Any) -> jax.Array:
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(batch["x"]) - batch["y"]) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def leaves(*modules: Any) -> dict[str, np.ndarray]:
    found, _ = jax.tree_util.tree_flatten_with_path(nnx.state(modules))
    return {
        jax.tree_util.keystr(path): np.asarray(jax.random.key_data(leaf) if is_key(leaf) else leaf)
        for path, leaf in found
    }


def is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def test_modules_are_changed_in_place() -> None:
    """Parameters, moments, averages of the batch norm, and the count of the random stream."""
    shapes = nnx.eval_shape(make)
    plan = partita.plan(step, *shapes, BATCH, mesh=MESH, schedule=SCHEDULE, donate_argnums=(0, 1))
    model, optimizer = make()
    assert "model['first']['kernel']" in plan.argument_names and plan.verify().equal
    assert plan.in_specs[0]["first"]["kernel"] == P("data", "model") and plan.out_specs == P()
    assert plan.in_specs[1]["opt_state"][0]["mu"]["first"]["kernel"] == P("data", "model")
    placed, _ = plan.put(model, optimizer)
    assert placed is model and model.first.kernel[...].addressable_shards[0].data.shape == (4, 16)
    run = plan.jit(compiler_options=FAST)
    other, other_optimizer = make()
    for _ in range(3):
        loss, expected = run(model, optimizer, BATCH), nnx.jit(step)(other, other_optimizer, BATCH)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    got, want = leaves(model, optimizer), leaves(other, other_optimizer)
    assert got.keys() == want.keys()
    for name in got:
        np.testing.assert_allclose(got[name], want[name], rtol=2e-3, atol=2e-5, err_msg=name)
    assert model.dropout.rngs.count[...] == 3
    assert model.first.kernel[...].sharding.spec == P("data", "model")


def test_states_of_specs_are_strategies() -> None:
    """As `nnx.get_partition_spec` gives them; of some variables only, too, which leaves the others open."""
    shapes = nnx.eval_shape(make)
    specs = nnx.get_partition_spec(nnx.state(shapes[0], nnx.Param))
    specs["first"]["kernel"].set_value(P(None, "model"))
    for given in (specs, (specs,), partita.shardings((specs, None, None))):
        plan = partita.plan(step, *shapes, BATCH, mesh=MESH, schedule=[], pins=given)
        assert plan.in_specs[0]["first"]["kernel"] == P(None, "model")
    assert "cannot be applied" not in str(plan.compare(mine=(specs, P(), P("data"))))


def test_variables_that_arguments_share_are_one() -> None:
    def f(model: Any, parts: dict[str, Any], x: jax.Array) -> jax.Array:
        parts["same"].bias[...] = parts["same"].bias[...] + 1
        return model(x) + parts["scale"][...]

    model = nnx.Linear(16, 8, rngs=nnx.Rngs(0))
    parts = {"same": model, "scale": nnx.Param(jnp.float32(2))}
    rows = partita.tile("x", dim=0, axis="data")
    plan = partita.plan(f, model, parts, BATCH["x"], mesh="data=4", schedule=[rows])
    assert sum("bias" in name for name in plan.argument_names) == 1
    plan.put(model, parts)
    got = plan.jit(compiler_options=FAST)(model, parts, BATCH["x"])
    np.testing.assert_allclose(got, BATCH["x"] @ model.kernel[...] + 1 + 2, rtol=1e-5)
    assert (model.bias[...] == 1).all()


def test_nnx_jit_is_looked_into_and_jax_jit_is_refused() -> None:
    model = nnx.Linear(16, 16, rngs=nnx.Rngs(0))
    rows = partita.tile("x", dim=0, axis="data")
    plan = partita.plan(nnx.jit(lambda model, x: model(x)), model, BATCH["x"], mesh="data=4", schedule=[rows])
    np.testing.assert_allclose(plan.jit()(model, BATCH["x"]), model(BATCH["x"]), rtol=1e-5, atol=1e-6)
    with pytest.raises(partita.UnsupportedError, match="loses what it changes"):
        partita.plan(jax.jit(lambda model, x: model(x)), model, BATCH["x"], mesh="data=4", schedule=[rows])
    with pytest.raises(partita.UsageError, match="not built as those"):
        plan.jit()(nnx.Linear(16, 16, use_bias=False, rngs=nnx.Rngs(0)), BATCH["x"])


def test_what_cannot_be_done_in_place_is_refused() -> None:
    def adds(model: Any, x: jax.Array) -> jax.Array:
        model.cache = nnx.Param(x)
        return x

    model = nnx.Linear(16, 16, rngs=nnx.Rngs(0))
    with pytest.raises(partita.UnsupportedError, match="changes how its flax nnx modules are built"):
        partita.plan(adds, model, BATCH["x"], mesh="data=4", schedule=[])
    with pytest.raises(partita.UnsupportedError, match="gives back a flax nnx module"):
        partita.plan(lambda model: model, model, mesh="data=4", schedule=[])


def test_parameters_may_be_named_as_modules_have_them() -> None:
    columns = partita.tile("model.first.kernel", dim=1, axis="model")
    plan = partita.plan(step, *nnx.eval_shape(make), BATCH, mesh=MESH, schedule=columns)
    assert plan.in_specs[0]["first"]["kernel"] == P(None, "model")
    assert plan.explain("model.first.kernel") == plan.explain("model/first/kernel")
    given = plan.replan({"model.second.kernel": P("data"), "model/first/.*": P()})
    assert given.in_specs[0]["second"]["kernel"] == P("data")
    assert plan.explain("model['first']['*']").count("tensor<") == 2  # as reports print those that are alike
    assert plan.replan(partita.tile("model['first']['b*'].*", dim=0, axis="model")).in_specs[0]["first"]["bias"] == P(
        "model"
    )
    with pytest.raises(partita.InputError, match="did you mean 'model/first/kernel'"):
        plan.explain("model.frist.kernel")


def test_planning_jit_takes_modules() -> None:
    model, optimizer = make()
    run = partita.jit(step, mesh=MESH, schedule=SCHEDULE)
    first = float(run(model, optimizer, BATCH))
    assert float(run(model, optimizer, BATCH)) < first
    assert run.plan(model, optimizer, BATCH) is run.plan(*make(), BATCH)


RULES = [("batch", "data"), ("embed", None), ("mlp", "model")]


@pytest.mark.skipif(
    not hasattr(nnx, "use_eager_sharding"), reason="flax as of JAX 0.7 makes no variable without a mesh"
)
def test_logical_axes_of_nnx_variables() -> None:
    with nnx.use_eager_sharding(False):
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), ("embed", "mlp"))
        model = nnx.Linear(16, 32, kernel_init=init, rngs=nnx.Rngs(0))
    plan = partita.plan(
        lambda model, x: model(x), model, BATCH["x"], mesh=MESH, pins=partita.logical(RULES), schedule=[]
    )
    assert plan.in_specs[0]["kernel"] == P(None, "model")


def test_logical_axes_of_linen_boxes() -> None:
    def init(names: tuple[str, str]) -> Any:
        return linen.with_logical_partitioning(linen.initializers.lecun_normal(), names)

    class Block(linen.Module):
        @linen.compact
        def __call__(self, x: jax.Array) -> jax.Array:
            x = linen.Dense(32, kernel_init=init(("embed", "mlp")), use_bias=False)(x)
            return linen.Dense(16, kernel_init=init(("mlp", "embed")), use_bias=False)(jnp.tanh(x))

    block = Block()
    boxed = jax.eval_shape(block.init, jax.random.key(0), BATCH["x"])
    plan = partita.plan(
        lambda variables, x: block.apply(linen.unbox(variables), x), boxed, BATCH["x"], mesh=MESH,
        pins=partita.logical(RULES), schedule=[],
    )  # fmt: skip
    assert [spec.unbox() for spec in jax.tree.leaves(plan.in_specs[0], is_leaf=lambda n: hasattr(n, "unbox"))] == [
        P(None, "model"), P("model"),
    ]  # fmt: skip
    specs = linen.get_partition_spec(boxed)
    by_tree = partita.plan(
        block.apply, linen.unbox(boxed), BATCH["x"], mesh=MESH, schedule=[],
        pins=partita.logical(RULES, specs, P("batch")),
    )  # fmt: skip
    assert jax.tree.leaves(by_tree.in_specs) == [P(None, "model"), P("model"), P("data")]
    with pytest.raises(partita.InputError, match="no argument has logical axes"):
        partita.plan(block.apply, linen.unbox(boxed), BATCH["x"], mesh=MESH, pins=partita.logical(RULES), schedule=[])
