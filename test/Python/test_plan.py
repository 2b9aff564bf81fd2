"""`partita.plan` and what it gives, on functions of a few lines, run on eight virtual devices."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita import presets

MESH = {"data": 4, "model": 2}
FAST = {"xla_backend_optimization_level": 0}
assert xla_runner.MAX_DEVICES >= 8


def tensor(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def mlp(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


def make_params() -> dict[str, jax.Array]:
    return {"w1": tensor(16, 32, seed=1) / 4, "w2": tensor(32, 16, seed=2) / 4}


def step(params: dict[str, jax.Array], batch: dict[str, jax.Array]) -> tuple[dict[str, jax.Array], jax.Array]:
    def loss_of(p: dict[str, jax.Array]) -> jax.Array:
        return jnp.mean((mlp(p, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


BATCH = {"x": tensor(8, 16, seed=3), "y": tensor(8, 16, seed=4)}
BP = partita.tile(r"batch\[.*", dim=0, axis="data")
MP = partita.tile(r"params\['w1'\]", dim=1, axis="model")


def close(got: Any, want: Any) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=2e-5, atol=1e-6), got, want)


def check(
    function: Callable[..., Any], *arguments: Any, schedule: Any, mesh: Any = None, **options: Any
) -> partita.Plan:
    """Plans, runs, and compares with `jax.jit` on one device; something must be split."""
    plan = partita.plan(function, *arguments, mesh=mesh or MESH, schedule=schedule, **options)
    got = plan.jit(compiler_options=FAST)(*arguments)
    static = {name: options[name] for name in ("static_argnums", "static_argnames") if name in options}
    want = jax.jit(function, **static)(*arguments)
    close(jax.tree.map(_plain, got), jax.tree.map(_plain, want))
    assert any(axes for entry in plan.to_json()["arguments"] for axes in entry["sharding"]) == bool(schedule)
    return plan


def _plain(leaf: Any) -> Any:
    return np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)


def test_a_training_step_runs_as_planned() -> None:
    plan = check(step, make_params(), BATCH, schedule=[BP, MP])
    assert plan.in_specs == ({"w1": P(None, "model"), "w2": P("model")}, {"x": P("data"), "y": P("data")})
    assert plan.out_specs == ({"w1": P(None, "model"), "w2": P("model")}, P())
    kinds = {entry["kind"] for entry in plan.report.collectives}
    assert "all_reduce" in kinds
    assert "all_reduce over data" in str(plan.report)
    assert (
        repr(plan.report) == str(plan.report) and repr(plan) == "Plan(step on data=4,model=2: 4 of 4 arguments split)"
    )
    shown = plan._repr_html_()
    assert "<td>all_reduce</td><td>data</td>" in shown and "batch[&#x27;x&#x27;] as [{data}, {}]" in shown
    assert plan.verify().equal


def test_results_lie_as_planned_and_feed_back() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP], donate_argnums=0)
    run = plan.jit(compiler_options=FAST)
    params, batch = plan.put(make_params(), BATCH)
    assert params["w1"].sharding.is_equivalent_to(plan.in_shardings[0]["w1"], 2)
    assert params["w1"].addressable_shards[0].data.shape == (16, 16)
    want = make_params()
    for _ in range(3):
        before = params
        params, loss = run(params, batch)
        want, wanted = jax.jit(step)(want, BATCH)
        assert before["w1"].is_deleted() and not batch["x"].is_deleted()
    close((params, loss), (want, wanted))
    assert params["w2"].sharding.is_equivalent_to(plan.out_shardings[0]["w2"], 2)


def test_the_annotated_program_is_partitioned_by_xla() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    close(plan.jit(partitioner="shardy", compiler_options=FAST)(make_params(), BATCH), step(make_params(), BATCH))


def test_shapes_are_enough_and_meshes_have_many_forms() -> None:
    shapes = jax.eval_shape(lambda: (make_params(), BATCH))
    meshes = ("data=4,model=2", MESH, AbstractMesh((4, 2), ("data", "model")), partita.plan(
        step, *shapes, mesh=MESH, schedule=[BP]).make_mesh())  # fmt: skip
    texts = {partita.plan(step, *shapes, mesh=mesh, schedule=[BP, MP]).local_text() for mesh in meshes}
    assert len(texts) == 1


def test_sub_axes_have_shardings() -> None:
    """Two heads under model=8: the heads are split over model:(1)2."""

    def heads(x: jax.Array, w: jax.Array) -> jax.Array:
        return jnp.tanh((x @ w).reshape(8, 2, 16)).sum(axis=2)

    plan = check(
        heads, tensor(8, 16), tensor(16, 32), mesh={"model": 8}, schedule=[partita.tile("w", dim=1, axis="model")]
    )
    spec = plan.in_specs[1]
    assert spec[1] in ("model:(1)2", ("model:(1)2", "model:(2)4"))


@dataclass(frozen=True)
class _Pair:
    a: Any
    b: Any


jax.tree_util.register_dataclass(_Pair, data_fields=["a", "b"], meta_fields=[])


def _scan(w: jax.Array, x: jax.Array) -> jax.Array:
    return lax.scan(lambda c, layer: (jnp.tanh(c @ layer), None), x, w)[0]


def _while(x: jax.Array) -> jax.Array:
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))[1]


def _cond(flag: jax.Array, x: jax.Array) -> jax.Array:
    return lax.cond(flag, jnp.sin, jnp.cos, x)


@jax.custom_vjp
def _clipped(x: jax.Array) -> jax.Array:
    return x * 2


_clipped.defvjp(lambda x: (x * 2, None), lambda _, g: (jnp.clip(g, -1, 1),))


def _nested(x: jax.Array) -> jax.Array:
    inner = jax.jit(lambda v: jax.checkpoint(jnp.sin)(_clipped(v)))
    return jax.grad(lambda v: inner(v).sum())(x)


X_ROWS = partita.tile("x", dim=0, axis="data")
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], Any]] = {
    "scan": (_scan, (tensor(3, 16, 16) / 4, tensor(8, 16)), [X_ROWS]),
    "while": (_while, (tensor(8, 16),), [X_ROWS]),
    "cond": (_cond, (jnp.asarray(True), tensor(8, 16)), [X_ROWS]),
    "checkpoint, custom_vjp and nested jit": (_nested, (tensor(8, 16),), [X_ROWS]),
    "typed keys in and out": (
        lambda key, x: (jax.random.split(key), x + jax.random.normal(key, x.shape)),
        (jax.random.key(3), tensor(8, 16)),
        [X_ROWS],
    ),
    "raw keys": (lambda key, x: x * jax.random.uniform(key, x.shape), (jax.random.PRNGKey(1), tensor(8, 16)), [X_ROWS]),
    "python scalars": (lambda x, s: x * s, (tensor(8, 16), 3.0), [X_ROWS]),
    "one array twice": (lambda x, y: (x + y, x), (tensor(8, 16), tensor(8, 16)), [X_ROWS]),
    "empty trees and None": (lambda e, x: ({"y": x + 1, "n": None}, e), ((), tensor(8, 16)), [X_ROWS]),
    "dataclasses": (lambda p, x: _Pair(p.a + x, p.b), (_Pair(tensor(16), tensor(3)), tensor(8, 16)), [X_ROWS]),
    "unused arguments": (lambda u, x: x + 1, (tensor(7), tensor(8, 16)), [X_ROWS]),
    "integers and bf16": (
        lambda i, x: jnp.take(x.astype(jnp.bfloat16), i, axis=1).astype(jnp.float32),
        (jnp.arange(4), tensor(8, 16)),
        [X_ROWS],
    ),
    "sort, gather, scatter": (
        lambda x: jnp.sort(x, axis=1).at[:, 0].set(x[:, 1]),
        (tensor(8, 16),),
        [X_ROWS],
    ),
    "types that meet": (
        lambda h, x, i: (h + x, h * 2, i / 2, x > i, (h @ x.T.astype(h.dtype)).sum()),
        (tensor(8, 16).astype(jnp.bfloat16), tensor(8, 16), jnp.arange(16, dtype=jnp.int8)),
        [X_ROWS],
    ),
    "complex numbers and booleans": (
        lambda x, b: (jnp.fft.fft(x, axis=1), jnp.logical_xor(b, x > 0).any(axis=0)),
        (tensor(8, 16), tensor(8, 16) > 0),
        [X_ROWS],
    ),
    "results that are arguments": (lambda x, y: (x, x, {"y": y}, x + 1), (tensor(8, 16), tensor(3)), [X_ROWS]),
    "no arguments at all": (lambda: (jnp.arange(4), None), (), []),
    "a mesh of one device": (lambda x: x * 2, (tensor(8, 16),), []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_jax_functions_are_made_of(name: str) -> None:
    function, arguments, schedule = CASES[name]
    check(function, *arguments, schedule=schedule, mesh={"data": 4} if schedule else {"data": 1})


def test_one_buffer_for_two_arguments() -> None:
    x = tensor(8, 16)
    plan = partita.plan(lambda x, y: x + 2 * y, x, x, mesh=MESH, schedule=[X_ROWS])
    close(plan.jit(compiler_options=FAST)(x, x), 3 * x)
    donated = partita.plan(lambda x, y: x + 2 * y, x, x, mesh=MESH, schedule=[X_ROWS], donate_argnums=0)
    placed, other = donated.put(x, x)
    close(donated.jit(compiler_options=FAST)(placed, other), 3 * x)
    assert placed.is_deleted() and not other.is_deleted() and not x.is_deleted()


def test_static_and_keyword_arguments() -> None:
    def f(x: jax.Array, power: int, *, scale: jax.Array, mesh: float = 1.0) -> jax.Array:
        return scale * x**power * mesh

    x = tensor(8, 16)
    plan = partita.plan(
        f, x, 3, scale=jnp.float32(2), kwargs={"mesh": 2.0}, static_argnums=1, mesh=MESH, schedule=[X_ROWS]
    )
    run = plan.jit()
    close(run(x, 3, scale=jnp.float32(2), mesh=2.0), f(x, 3, scale=jnp.float32(2), mesh=2.0))
    with pytest.raises(partita.UsageError, match="static argument 1 is 2"):
        run(x, 2, scale=jnp.float32(2), mesh=2.0)
    with pytest.raises(partita.UsageError, match="not those that were planned"):
        run(x, 3, scale=jnp.float32(2))


def test_jitted_functions_keep_their_own_settings() -> None:
    @functools.partial(jax.jit, static_argnums=2, donate_argnums=0)
    def f(state: jax.Array, unused: jax.Array, power: int) -> jax.Array:
        return state**power

    plan = partita.plan(f, tensor(8, 16), tensor(3), 2, static_argnums=2, mesh="data=4", schedule=[
        partita.tile("state", dim=0, axis="data")])  # fmt: skip
    assert plan.argument_names == ["state", "unused"]
    state = plan.put(tensor(8, 16))
    close(plan.jit()(state, tensor(3), 2), tensor(8, 16) ** 2)
    assert state.is_deleted()


def test_traced_and_lowered_functions_are_taken() -> None:
    traced = jax.jit(step, donate_argnums=0).trace(make_params(), BATCH)
    lowered = jax.jit(step, donate_argnums=0, keep_unused=True).lower(make_params(), BATCH)
    for given in (traced, lowered):
        plan = partita.plan(given, mesh=MESH, schedule=[BP, MP])
        params = plan.put(make_params())
        close(plan.jit(compiler_options=FAST)(params, BATCH), step(make_params(), BATCH))
        assert params["w1"].is_deleted()
        with pytest.raises(partita.UsageError, match="has its arguments already"):
            partita.plan(given, make_params(), BATCH, mesh=MESH, schedule=[])
    with pytest.raises(partita.UsageError, match="no longer shows"):
        partita.plan(lowered, mesh=MESH, schedule=presets.megatron("model"))
    with pytest.raises(partita.UsageError, match="left out 1 arguments"):
        partita.plan(jax.jit(lambda a, b: a).lower(tensor(8), tensor(8)), mesh=MESH, schedule=[])


def test_large_captured_constants_become_arguments() -> None:
    table = tensor(1024, 512)
    small = tensor(512)

    def f(tokens: jax.Array) -> jax.Array:
        return table[tokens] + small + table[tokens + 1]

    tokens = jnp.arange(8)
    plan = partita.plan(f, tokens, mesh="data=8", schedule=[partita.tile("const.*", dim=1, axis="data")])
    assert plan.argument_names == ["const[0]", "tokens"]  # once, though it is used twice
    assert len(plan.local_text()) < 100_000
    close(plan.jit()(tokens), f(tokens))


def test_constraints_inside_are_pins_or_dropped() -> None:
    mesh = AbstractMesh((4, 2), ("data", "model"))

    def f(x: jax.Array) -> jax.Array:
        return lax.with_sharding_constraint(x + 1, NamedSharding(mesh, P(None, "model"))) * 2

    assert partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[]).out_specs == P(None, "model")
    assert partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[], ignore_shardings=True).out_specs == P()


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


def test_rules_and_explanations() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    assert ("params/w1", P(None, "model")) in plan.rules()
    assert "tile 1 model" in plan.explain("params['w1']")
    assert "propagation" in plan.explain("params/w2")
    with pytest.raises(partita.InputError, match="no value 'w9'"):
        plan.explain("w9")


def test_plans_are_saved_and_loaded(tmp_path: Any) -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    plan.save(tmp_path / "plan.json")
    again = partita.load(tmp_path / "plan.json", step, make_params(), BATCH)
    assert again.local_text() == plan.local_text()
    assert again.to_json() == plan.to_json()
    more = {**make_params(), "w3": tensor(3)}
    with pytest.raises(partita.InputError, match=r"argument params\['w3'\] \(tensor<3xf32>\) is new"):
        partita.load(tmp_path / "plan.json", step, more, BATCH)
    with pytest.raises(partita.InputError, match=r"is gone|is new"):
        partita.load(tmp_path / "plan.json", mlp, make_params(), BATCH["x"])
    (tmp_path / "junk.json").write_text("{}")
    with pytest.raises(partita.InputError, match=r"no plan\.json"):
        partita.load(tmp_path / "junk.json", step, make_params(), BATCH)
    with pytest.raises(partita.FileError):
        partita.load(tmp_path / "none.json", mlp, make_params(), BATCH["x"])
    with pytest.raises(partita.FileError):
        plan.save(tmp_path / "no" / "folder.json")


def test_check_puts_xla_beside_the_prediction() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    found = plan.check()
    ours, theirs = found.collectives["all_reduce"]
    assert ours >= theirs > 0
    assert found.xla_memory["argument"] > 0 and found.xla_peak > found.xla_memory["temp"]
    assert re.search(r"all_reduce +\d+ +\d+\n", str(found)) and "memory of a device" in found._repr_html_()


def test_derivatives_and_vmap_raise() -> None:
    run = partita.plan(
        mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")]
    ).jit()
    with pytest.raises(partita.UnsupportedError, match="cannot be differentiated"):
        jax.grad(lambda p: run(p, BATCH["x"]).sum())(make_params())
    with pytest.raises(partita.UnsupportedError, match="cannot be vectorised"):
        jax.vmap(run, in_axes=(None, 0))(make_params(), BATCH["x"][None])
    with pytest.raises((partita.UnsupportedError, ValueError)):
        jax.jit(jax.grad(lambda p: run(p, BATCH["x"]).sum()))(make_params())


def test_it_may_stand_inside_another_jit() -> None:
    run = partita.plan(
        mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")]
    ).jit()
    close(jax.jit(lambda p, x: run(p, x) * 2)(make_params(), BATCH["x"]), mlp(make_params(), BATCH["x"]) * 2)


def test_callbacks_are_refused_with_their_line_and_run_under_shardy() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((8, 16), "float32"), x) + 1  # the line

    x = tensor(8, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the custom call is kept whole
        plan = partita.plan(f, x, mesh="data=4", schedule=[])
    with pytest.raises(partita.UnsupportedError, match=r"test_plan\.py:\d+.*pure_callback"):
        plan.jit()
    close(plan.jit(partitioner="shardy")(x), np.sin(x) + 1)


DEVICES = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def _manual(x: jax.Array, w: jax.Array, mesh: Any = DEVICES) -> jax.Array:
    """A shard_map in the middle, with a collective of its own."""

    def body(a: jax.Array, b: jax.Array) -> jax.Array:
        return lax.psum(a @ b, "model") + lax.axis_index("data")

    into = (P("data", "model"), P("model"))
    return jax.shard_map(body, mesh=mesh, in_specs=into, out_specs=P("data"))(jnp.sin(x), w) * 2


def test_shard_map_inside_is_kept() -> None:
    w = tensor(16, 4)
    plan = check(_manual, tensor(8, 16), w, schedule=[X_ROWS])
    assert plan.in_specs == (P("data", "model"), P("model")) and plan.verify().equal
    check(jax.grad(lambda x, w: _manual(x, w).sum()), tensor(8, 16), w, schedule=[X_ROWS])
    # Under the mesh of the plan, without one of its own.
    plan = partita.plan(lambda x, w: _manual(x, w, None), tensor(8, 16), w, mesh=MESH, schedule=[])
    close(plan.jit(compiler_options=FAST)(tensor(8, 16), w), _manual(tensor(8, 16), w))


def test_shardings_of_a_jitted_function_are_pins_or_dropped() -> None:
    rows, columns = NamedSharding(DEVICES, P("model")), NamedSharding(DEVICES, P(None, "data"))
    f = jax.jit(lambda x, y: (x * 2, y + 1), in_shardings=(rows, None), out_shardings=(None, columns))
    plan = partita.plan(f, tensor(8, 16), tensor(8, 16), mesh=MESH, schedule=[])
    assert plan.in_specs == (P("model"), P(None, "data")) and plan.out_specs[1] == P(None, "data")
    plan = partita.plan(f, tensor(8, 16), tensor(8, 16), mesh=MESH, schedule=[], ignore_shardings=True)
    assert plan.in_specs == (P(), P())


def test_typed_keys_in_and_out() -> None:
    """Their words are no dims for JAX; in the program they are."""

    def f(key: jax.Array, keys: jax.Array, x: jax.Array) -> Any:
        noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)
        return x + noise, jax.random.split(key, 8), jax.random.fold_in(key, 1)

    keys = jax.random.split(jax.random.key(1), 8)
    plan = check(f, jax.random.key(0), keys, tensor(8, 16), schedule=[X_ROWS])
    assert plan.in_specs == (P(), P("data"), P("data"))
    words = partita.tile("keys", dim=1, axis="model")
    plan = partita.plan(lambda keys: keys, keys, mesh=MESH, schedule=[words], donate_argnums=0)
    close(_plain(plan.jit()(jax.random.clone(keys))), _plain(keys))


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(partita.UsageError, match="a search needs a machine"):
        partita.plan(mlp, make_params(), BATCH["x"], mesh="data=4")
    sizes = jax.export.symbolic_shape("b, 16")
    with pytest.raises(partita.UnsupportedError, match="dynamic shape"):
        partita.plan(lambda x: x * 2, jax.ShapeDtypeStruct(sizes, "float32"), mesh=MESH, schedule=[])


def test_errors_say_what_to_do() -> None:
    def plan(**options: Any) -> Any:
        return partita.plan(step, make_params(), BATCH, **{"mesh": MESH, "schedule": [BP], **options})

    with pytest.raises(partita.UsageError, match="remedy: write it as data=4"):
        plan(mesh="data:4")
    for wrong in (0, True, [4, 2], {}):
        with pytest.raises(partita.UsageError, match="is not a mesh"):
            plan(mesh=wrong)
    with pytest.raises(partita.InputError, match=r"give a mesh that has it, or .* ignore_shardings=True"):
        f = functools.partial(lax.with_sharding_constraint, shardings=NamedSharding(AbstractMesh((2,), ("z",)), P("z")))
        partita.plan(lambda x: f(x), tensor(8), mesh=MESH, schedule=[])
    with pytest.raises(partita.InputError, match="nosuch"):
        plan(schedule=[partita.tile("nosuch", dim=0, axis="data")])
    with pytest.raises(partita.InputError, match=r"(?s)dim 5|dims"):
        plan(schedule=[partita.tile(r"batch\['x'\]", dim=5, axis="data")])
    with pytest.raises(partita.UsageError, match="which is no array"):
        partita.plan(step, {"w1": "text"}, BATCH, mesh=MESH, schedule=[BP])
    with pytest.raises(partita.UsageError, match="is not a tactic"):
        plan(schedule=[3])
    with pytest.raises(partita.UsageError, match="platform cuda"):
        plan(platform="cuda").jit()
    with pytest.raises(partita.UsageError, match="64 devices"):
        plan(mesh="data=8,model=8", schedule=[partita.tile(r"batch\['x'\]", dim=0, axis="data")]).jit()
    made = plan()
    with pytest.raises(partita.UsageError, match="has the shape"):
        made.jit()(make_params(), {"x": tensor(4, 16), "y": tensor(4, 16)})
    with pytest.raises(partita.UsageError, match="no partitioner"):
        made.jit(partitioner="gspmd")


def test_planning_jit_plans_once_for_each_shape(tmp_path: Any) -> None:
    run = partita.jit(step, mesh=MESH, schedule=[BP, MP], cache=tmp_path)
    close(run(make_params(), BATCH), step(make_params(), BATCH))
    assert run.plan(make_params(), BATCH) is run.plan(make_params(), BATCH)
    assert len(list(tmp_path.glob("*/*.json"))) == 1
    wide = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), BATCH)
    run.plan(make_params(), wide)
    assert len(list(tmp_path.glob("*/*.json"))) == 2


def test_numbers_are_arrays_unless_they_are_static() -> None:
    run = partita.jit(lambda x, rate, power: rate * x**power, mesh=MESH, schedule=[X_ROWS], static_argnums=2)
    x = tensor(8, 16)
    assert run.plan(x, 0.1, 2) is run.plan(x, 0.2, 2) and run.plan(x, 0.1, 2) is not run.plan(x, 0.1, 3)
    close(run(x, 0.5, 3), 0.5 * x**3)


def test_plans_are_kept_by_what_they_are_made_of(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Presets are made anew in each process, source lines move: neither makes another plan."""

    def plan(function: Any, **options: Any) -> tuple[int, str]:
        schedule = [presets.data_parallel("data"), presets.megatron("model")]
        made = partita.plan(
            function, make_params(), BATCH, mesh=MESH, cache=tmp_path, **{"schedule": schedule, **options}
        )
        return len(list(tmp_path.glob("*/*.json"))), made.local_text()

    count, text = plan(step)
    moved = {"step": step}
    exec("\n\n# a comment\ndef again(params, batch):\n  return step(params, batch)", moved)
    moved["again"].__name__ = "step"  # type: ignore[attr-defined]
    assert count == 1 and plan(step) == (1, text) and plan(moved["again"])[0] == 1
    assert plan(lambda params, batch: step(params, {"x": batch["x"] + 1, "y": batch["y"]}))[0] == 2
    assert plan(step, schedule=presets.data_parallel("data"))[0] == 3
    assert plan(step, donate_argnums=0)[0] == 4
    for kept in tmp_path.glob("*/*.json"):
        kept.write_text("{}")
    assert plan(step) == (4, text)
    monkeypatch.setattr("partita.caching.version", lambda: "next")
    assert plan(step) == (5, text)


def test_a_missing_gradient_reduction_is_found() -> None:
    """The comparison can fail: a local program without its reductions computes something else."""
    plan = partita.plan(step, make_params(), BATCH, mesh={"data": 4}, schedule=[BP])
    text = plan.local_text()
    spoiled, count = re.subn(
        r'"stablehlo\.all_reduce"\((%\w+)\).*?\}\) : \((tensor<.*?>)\) -> tensor<.*?>',
        r"stablehlo.add \1, \1 : \2",
        text,
        count=1,
        flags=re.DOTALL,
    )
    assert count == 1
    plan._files["local.mlir"] = spoiled
    with pytest.raises(AssertionError):
        close(plan.jit(compiler_options=FAST)(make_params(), BATCH), step(make_params(), BATCH))
    with pytest.raises(partita.DifferenceError):
        plan.verify()


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
