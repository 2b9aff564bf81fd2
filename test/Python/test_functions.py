"""What JAX functions are made of: all of it is planned, run on eight virtual devices, and compared with one."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from small_steps import BATCH, BP, DEVICES, FAST, MESH, MP, X_ROWS, plain, check, close, make_params, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita import presets


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


def test_what_is_donated() -> None:
    """XLA ends the process where one buffer is donated and used twice by several devices, so it never comes to that."""

    def f(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return x + 2 * y, y

    x = tensor(8, 16)
    plan = partita.plan(f, x, x, mesh=MESH, schedule=[], donate_argnums=0)
    run = plan.jit(compiler_options=FAST)
    close(run(x, x)[0], 3 * x)  # whole on each device, also on the one that it came from
    placed = plan.put(x)
    assert plan.put(placed) is placed
    close(run(placed, x)[0], 3 * x)
    with pytest.raises(partita.UsageError, match="x was deleted"):
        run(placed, x)
    twice = plan.put(x)
    with pytest.raises(partita.UsageError, match="x and y are one array, of which one is donated"):
        run(twice, twice)
    assert not twice.is_deleted() and not x.is_deleted()


def test_static_arguments_are_not_put() -> None:
    plan = partita.plan(
        lambda power, x, y: x**power + y, 2, tensor(8, 16), tensor(16), mesh=MESH, schedule=[], static_argnums=0
    )
    x, y = plan.put(tensor(8, 16), tensor(16))
    close(plan.jit(compiler_options=FAST)(2, x, y), x**2 + y)
    with pytest.raises(partita.UsageError, match="leave out those that are static"):
        plan.put(2, x, y)


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
    named = partita.plan(f, x, power=3, scale=jnp.float32(2), static_argnames="power", mesh=MESH, schedule=[X_ROWS])
    with pytest.raises(partita.UsageError, match="static argument 'power' is not given, but the plan was made for 3"):
        named.jit()(x, scale=jnp.float32(2))


def test_jitted_functions_keep_their_own_settings() -> None:
    @functools.partial(jax.jit, static_argnums=2, donate_argnums=0)
    def f(state: jax.Array, unused: jax.Array, power: int) -> jax.Array:
        return state**power

    for more in ({}, {"static_argnums": 2}, {"donate_argnums": 1}, {"donate_argnames": "unused"}):
        plan = partita.plan(f, tensor(8, 16), tensor(3), 2, mesh="data=4", **more, schedule=[
            partita.tile("state", dim=0, axis="data")])  # fmt: skip
        assert plan.argument_names == ["state", "unused"]
        state = plan.put(tensor(8, 16))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Some donated buffers were not usable")
            close(plan.jit()(state, tensor(3), 2), tensor(8, 16) ** 2)
        assert state.is_deleted()
        assert plan._outcome.program.donated == (True, any("donate" in option for option in more))
        with pytest.raises(partita.UsageError, match="static argument 2 is 3"):
            plan.jit()(tensor(8, 16), tensor(3), 3)


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
        found = partita.plan(given, mesh=MESH, schedule=[presets.data_parallel("data"), presets.megatron("model")])
        assert found.in_specs == plan.in_specs
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


def test_captured_masks_are_read_and_written() -> None:
    """More than 100 booleans, which versions of MLIR write in hexadecimal of different forms."""
    mask = np.arange(128).reshape(8, 16) % 3 == 0

    def f(x: jax.Array) -> jax.Array:
        return jnp.where(mask, x, 0.0)

    x = tensor(8, 16)
    close(partita.plan(f, x, mesh=MESH, schedule=[X_ROWS]).jit()(x), f(x))


def test_constraints_inside_are_pins_or_dropped() -> None:
    mesh = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

    def f(x: jax.Array) -> jax.Array:
        return lax.with_sharding_constraint(x + 1, NamedSharding(mesh, P(None, "model"))) * 2

    assert partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[]).out_specs == P(None, "model")
    assert partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[], ignore_shardings=True).out_specs == P()


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
    close(plain(plan.jit()(jax.random.clone(keys))), plain(keys))


RULES: dict[str, optax.GradientTransformation] = {
    "MultiSteps": optax.MultiSteps(optax.adam(1e-3), 2).gradient_transformation(),
    "apply_if_finite": optax.apply_if_finite(optax.adamw(1e-3), 5),
    "inject_hyperparams": optax.inject_hyperparams(optax.adamw)(optax.linear_schedule(1e-3, 0, 10)),
    "masked": optax.chain(
        optax.clip_by_global_norm(1.0), optax.masked(optax.adafactor(1e-3, 8), {"w1": True, "w2": False})
    ),
    "muon": optax.contrib.muon(1e-3),
}


@pytest.mark.parametrize("name", RULES)
def test_states_of_optimizers(name: str) -> None:
    """Three steps, for some act on every second one only."""
    rule = RULES[name]

    def train(state: Any, batch: Any) -> Any:
        new, loss = step(state["params"], batch)
        grads = jax.tree.map(jnp.subtract, state["params"], new)
        updates, moments = rule.update(grads, state["moments"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "moments": moments}, loss

    state = {"params": make_params(), "moments": rule.init(make_params())}
    schedule = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
    plan = partita.plan(train, state, BATCH, mesh=MESH, schedule=schedule)
    run, alone = plan.jit(compiler_options=FAST), jax.jit(train)
    got = want = state
    for _ in range(3):
        (got, _), (want, _) = run(got, BATCH), alone(want, BATCH)
    close(got, want)


@pytest.mark.parametrize("dtype", ["int8", "int4", "float8_e4m3fn", "float8_e5m2", "complex64"])
def test_types_of_few_and_many_bits(dtype: str) -> None:
    def f(x: jax.Array, w: jax.Array) -> Any:
        wide = w if dtype == "complex64" else w.astype(jnp.float32)
        return x @ wide, wide * 2

    tiles = [X_ROWS, partita.tile("w", dim=1, axis="model")]
    check(f, tensor(8, 16), (4 * tensor(16, 32)).astype(dtype), schedule=tiles)


_FROZEN, _BACK = tensor(512, 1024) / 23, tensor(1024, 512) / 32
_frozen = jax.jit(lambda x: jnp.tanh(x @ _FROZEN) @ _BACK)
_custom = jax.custom_vjp(_frozen)
_custom.defvjp(lambda x: (_frozen(x), x), lambda x, g: (_frozen(g),))
CAPTURED: dict[str, Callable[..., Any]] = {
    "jit": lambda x: _frozen(x),
    "scan": lambda x: lax.scan(lambda c, s: (_frozen(c) + s, c.sum()), x, jnp.arange(3.0)),
    "while": lambda x: lax.while_loop(
        lambda c: _frozen(c[1]).sum() * 0 + c[0] < 3, lambda c: (c[0] + 1, _frozen(c[1])), (0, x)
    ),
    "cond": lambda x: lax.cond(x[0, 0] > 0, _frozen, lambda v: v * 2, x),
    "checkpoint": jax.grad(
        lambda x: lax.scan(lambda c, _: (jax.checkpoint(_frozen)(c), None), x, None, length=2)[0].sum() / 16
    ),
    "custom_vjp": jax.grad(lambda x: (_custom(x) ** 2).mean()),
}


@pytest.mark.parametrize("name", CAPTURED)
def test_constants_captured_inside_become_arguments(name: str) -> None:
    """Frozen weights in a jitted function, wherever it is called."""
    columns = partita.tile(r"const\[0\]", dim=1, axis="model")
    x = tensor(8, 512)
    plan = check(CAPTURED[name], x, schedule=[X_ROWS, columns])
    assert plan.argument_names == ["const[0]", "const[1]", "x"] and len(plan.local_text()) < 100_000
    assert plan.specs_by_name()["const[1]"] == P("model")  # follows from the first


def test_captured_constants_stay_where_shardings_are_said() -> None:
    inner = jax.jit(lambda x: x @ _FROZEN, out_shardings=NamedSharding(DEVICES, P(None, "model")))
    x = (
        tensor(8, 512) / 8
    )  # a sum of 512 products of the size of one may round by more than `close` lets pass near zero
    plan = check(lambda x: inner(x) * 2, x, schedule=[X_ROWS])
    assert plan.argument_names == ["x"] and plan.out_specs[1] == "model"


def test_arguments_may_be_named_in_another_way_than_planned() -> None:
    def f(x: jax.Array, w: jax.Array, *, scale: jax.Array) -> jax.Array:
        return scale * (x @ w)

    given = {"x": tensor(8, 16), "w": tensor(16, 4), "scale": jnp.float32(2)}
    want = f(**given)
    for count in range(3):
        positional = list(given.values())[:count]
        keywords = dict(list(given.items())[count:])
        plan = partita.plan(f, *positional, **keywords, mesh=MESH, schedule=[X_ROWS])
        run = plan.jit()
        close(run(given["x"], given["w"], scale=given["scale"]), want)
        close(run(given["x"], scale=given["scale"], w=given["w"]), want)
        close(run(**given), want)
    placed = plan.put(given["x"], kwargs={"scale": given["scale"]})
    assert placed[0].sharding.spec == P("data") and set(placed[1]) == {"scale"}


def test_names_of_arguments_without_names() -> None:
    rows = partita.tile(r"rest\[0\]", dim=0, axis="data")
    plan = partita.plan(jax.jit(lambda *rest: rest[0] + rest[1]), tensor(8, 16), tensor(16), mesh=MESH, schedule=[rows])
    assert plan.argument_names == ["rest[0]", "rest[1]"] and plan.in_specs == (P("data"), P())
    assert partita.plan(jax.vmap(lambda v: v * 2), tensor(8), mesh=MESH, schedule=[]).argument_names == ["v"]


def test_static_arguments_by_number_and_name() -> None:
    def f(x: jax.Array, n: int) -> jax.Array:
        return x[:n]

    x = tensor(8, 16)
    for options in ({"static_argnums": 1}, {"static_argnums": -1}, {"static_argnames": "n"}):
        plan = partita.plan(f, x, 4, **options, mesh=MESH, schedule=[X_ROWS])
        close(plan.jit()(x, 4), x[:4])
        close(plan.jit()(x, n=4), x[:4])
    plan = partita.plan(f, x, n=4, static_argnums=1, mesh=MESH, schedule=[X_ROWS])
    close(plan.jit()(x, n=4), x[:4])


def test_meshes_of_odd_shapes() -> None:
    def f(x: jax.Array, w: jax.Array) -> jax.Array:
        return jnp.tanh(x @ w)

    arguments = tensor(8, 16), tensor(16, 32)
    tiles = [X_ROWS, partita.tile("w", dim=1, axis="model"), partita.tile("x", dim=1, axis="one")]
    check(f, *arguments, mesh={"data": 4, "one": 1, "model": 2}, schedule=tiles)
    plan = partita.plan(f, *arguments, mesh={"data": 2, "model": 2}, schedule=tiles[:2])
    last = jax.sharding.Mesh(np.array(jax.devices()[4:]).reshape(2, 2), ("data", "model"))
    got = plan.jit(mesh=last)(*arguments)
    close(got, f(*arguments))
    assert got.sharding.device_set == set(jax.devices()[4:])
    close(partita.plan(f, *arguments, mesh=1, machine="cpu-host:1x1").jit()(*arguments), f(*arguments))


@pytest.mark.skipif(jax.__version_info__ < (0, 9), reason="refused there")
def test_code_for_explicit_axes(tmp_path: Path) -> None:
    """It says how its values lie, and is traced under the mesh that it is for; what it says are pins."""
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)

    def f(x: jax.Array, w: jax.Array) -> jax.Array:
        return jnp.tanh(jnp.einsum("bi,io->bo", x, w, out_sharding=P("data", "model")))

    x, w = tensor(8, 16), tensor(16, 32)
    plan = partita.plan(f, x, w, mesh=mesh, schedule=[])
    assert plan.out_specs == P("data", "model")
    close(plan.jit(compiler_options=FAST)(x, w), jnp.tanh(x @ w))
    plan.save(tmp_path / "plan.json")
    assert partita.load(tmp_path / "plan.json", f, x, w, mesh=mesh).local_text() == plan.local_text()
    placed = jax.device_put(w, NamedSharding(mesh, P("model")))
    assert partita.plan(f, x, placed, mesh=mesh, schedule=[]).in_specs[1] == P("model")
    with pytest.raises(partita.UsageError, match="give its own mesh"):
        partita.plan(f, x, w, mesh=MESH, schedule=[])


def test_solvers_and_random_numbers() -> None:
    def f(key: jax.Array, x: jax.Array) -> Any:
        square = jnp.einsum("bij,bkj->bik", x, x) + 8 * jnp.eye(8)
        noise = jax.random.truncated_normal(key, -1, 1, (8, 8))
        return jnp.linalg.cholesky(square), jax.scipy.linalg.solve_triangular(square, x, lower=True), noise

    plan = check(f, jax.random.key(0), tensor(8, 8, 8), schedule=[X_ROWS], mesh={"data": 4})
    found = plan.verify()
    assert found.equal and not found.executed and found.mode == "relation" and found.split_ops > 0
    assert re.search(
        r"nothing was run: .*test_functions\.py:\d+.*custom call 'lapack_.*compare plan\.jit\(\)", found.note
    )
    check(lambda x: jnp.linalg.svd(x, compute_uv=False), tensor(4, 8, 16), schedule=[X_ROWS], mesh={"data": 4})


def test_functions_without_arrays() -> None:
    assert partita.plan(lambda tree: (tree, None), {"a": {}}, mesh=MESH, schedule=[]).jit()({"a": {}}) == (
        {"a": {}},
        None,
    )
    close(partita.plan(lambda: jnp.arange(8.0), mesh=MESH, schedule=[]).jit()(), jnp.arange(8.0))
    assert partita.plan(lambda x: None, tensor(8), mesh=MESH, schedule=[]).jit()(tensor(8)) is None


EMPTY = jnp.zeros((8, 0))


@pytest.mark.parametrize(
    ("function", "others"),
    [
        (lambda x: x * 2, ()),
        (lambda x: x.sum(1) + 1, ()),
        (lambda x: x.sum(0), ()),
        (lambda x, w: x @ w, (jnp.zeros((0, 4)),)),
        (lambda x, w, y: x @ w + y, (jnp.zeros((0, 4)), jnp.ones((8, 4)))),
        (lambda x, y: (x * 2, y[:, :0]), (jnp.ones((8, 4)),)),
    ],
)
def test_empty_arrays(function: Any, others: Any) -> None:
    """XLA gives each device all of an empty result, takes empty arguments for constants, or crashes on them (0.11)."""
    for schedule in ([], [X_ROWS]):
        plan = partita.plan(function, EMPTY, *others, mesh=MESH, schedule=schedule)
        for partitioner in ("partita", "shardy"):
            close(plan.jit(partitioner=partitioner)(EMPTY, *others), function(EMPTY, *others))
