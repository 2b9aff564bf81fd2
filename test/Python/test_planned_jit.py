"""`partita.jit`, and plans that are kept in a folder."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from small_steps import BATCH, BP, DEVICES, FAST, MESH, MP, X_ROWS, close, make_params, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita import presets, stages
from partita._src import planning
from partita._src.options import Options


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
    for damage in (b"{}", b"", b"\xff\xfe", b'{"partita_plan": 1, "mesh": "data=4,model=2"}'):
        for kept in tmp_path.glob("*/*.json"):
            kept.write_bytes(damage)
        assert plan(step) == (4, text)
    monkeypatch.setattr("partita._src.caching.version", lambda: "next")
    assert plan(step) == (5, text)


def test_each_signature_is_planned_once_until_the_cache_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    original = planning.make_plan

    def make_plan(function: Any, arguments: Any, *others: Any) -> partita.Plan:
        made.append(arguments[0].shape)
        return original(function, arguments, *others)

    monkeypatch.setattr(planning, "make_plan", make_plan)
    run = partita.jit(lambda x, power: x**power, mesh=MESH, schedule=[X_ROWS], static_argnames="power")
    for rows in (8, 16, 8, 16):
        close(run(tensor(rows, 16), power=2), tensor(rows, 16) ** 2)
        run.lower(jax.ShapeDtypeStruct((rows, 16), jnp.float32), power=2)
    assert made == [(8, 16), (16, 16)]
    assert run.eval_shape(tensor(4, 16), power=3) == jax.ShapeDtypeStruct((4, 16), jnp.float32) and len(made) == 2
    run.clear_cache()
    run(tensor(8, 16), power=2)
    assert made == [(8, 16), (16, 16), (8, 16)]


def test_what_a_jitted_function_says_of_its_arguments_counts() -> None:
    inner = jax.jit(lambda x, power: x**power, static_argnums=1)
    run = partita.jit(inner, mesh=MESH, schedule=[X_ROWS])
    close(run(tensor(8, 16), 2), tensor(8, 16) ** 2)
    close(run(tensor(8, 16), 3), tensor(8, 16) ** 3)


def test_lowered_and_compiled_ahead_of_time() -> None:
    """As `jax.jit(f).lower(*shapes).compile()`: lowered for shapes, called without static arguments."""

    def apply(params: Any, x: jax.Array, scale: float, *, shift: jax.Array) -> dict[str, jax.Array]:
        return {"y": jnp.tanh(x @ params["w1"]) * scale + shift}

    run = partita.jit(apply, mesh=MESH, schedule=[X_ROWS], static_argnums=2, compiler_options=FAST)
    arguments, shift = (make_params(), tensor(8, 16)), tensor(32)
    shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), (arguments, shift))
    lowered = run.lower(*shapes[0], 2.0, shift=shapes[1])
    assert isinstance(lowered, stages.Lowered) and "sdy.manual_computation" in lowered.as_text()
    assert lowered.out_info == {"y": jax.ShapeDtypeStruct((8, 32), jnp.float32)}
    compiled = lowered.compile()
    assert isinstance(compiled, stages.Compiled) and "HloModule" in compiled.as_text()
    want = jax.jit(apply, static_argnums=2).lower(*arguments, 2.0, shift=shift).compile()(*arguments, shift=shift)
    close(compiled(*arguments, shift=shift), want)
    close(run(*arguments, 2.0, shift=shift), want)
    (_, x), named = compiled.input_shardings
    assert x.spec == P("data") and named.keys() == {"shift"}
    assert compiled.output_shardings["y"].spec == P("data") and compiled.memory_analysis() is not None
    with pytest.raises(partita.UsageError, match="has the shape"):
        compiled(make_params(), tensor(16, 16), shift=shift)


def test_donated_arguments_are_taken() -> None:
    run = partita.jit(step, mesh=DEVICES, schedule=[BP, MP], donate_argnums=0)
    placed = run.plan(make_params(), BATCH).put(make_params())
    compiled = run.lower(make_params(), BATCH).compile()
    after, _ = compiled(placed, BATCH)
    close(after, step(make_params(), BATCH)[0])
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(placed))
    run(after, BATCH)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(after))


def test_shardings_that_are_given_are_kept() -> None:
    """The rest is searched for, around them."""
    columns = NamedSharding(DEVICES, P(None, "model"))
    run = partita.jit(
        step, mesh=DEVICES, machine="cpu-host:1x8", budget=50,
        in_shardings=({"w1": columns, "w2": None}, P("data")), out_shardings=({"w1": columns, "w2": None}, None),
    )  # fmt: skip
    plan = run.plan(make_params(), BATCH)
    assert plan.in_specs[0]["w1"] == plan.out_specs[0]["w1"] == P(None, "model")
    assert set(plan.in_specs[1].values()) == {P("data")}
    close(run(make_params(), BATCH), step(make_params(), BATCH))


def test_the_partitioner_may_be_shardy() -> None:
    run = partita.jit(step, mesh=MESH, schedule=[BP, MP], partitioner="shardy")
    assert "sdy.manual_computation" not in run.lower(make_params(), BATCH).as_text()
    close(run(make_params(), BATCH), step(make_params(), BATCH))


def test_threads_share_a_function_and_a_cache(tmp_path: Any) -> None:
    run = partita.jit(step, mesh=MESH, schedule=[BP, MP], cache=tmp_path)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: run(make_params(), BATCH), range(8)))
    for result in results:
        close(result, step(make_params(), BATCH))
    assert [path.suffix for path in tmp_path.glob("*/*")] == [".json"]


def test_what_is_wrong_is_said_where_the_decorator_stands() -> None:
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (step, {}, "needs a mesh"),
        (step, {"mesh": MESH, "schedul": []}, r"no option 'schedul'\n.*did you mean schedule=\?"),
        (7, {"mesh": MESH}, "an object of type int cannot be planned"),
        (step, {"mesh": MESH, "in_sharding": None}, r"no option 'in_sharding'\n.*did you mean in_shardings=\?"),
        (step, {"mesh": MESH, "keep_unused": True}, "keep_unused= of jax.jit is not one of partita.jit\n.*always kept"),
        (step, {"mesh": MESH, "pins": {}, "in_shardings": P()}, "both pins= and in_shardings="),
    ]
    for function, options, text in wrong:
        with pytest.raises(partita.UsageError, match=text):
            partita.jit(function, **options)
    run = partita.jit(lambda sizes, x: x * len(sizes), mesh=MESH, schedule=[X_ROWS], static_argnums=0)
    with pytest.raises(partita.UsageError, match="have to be hashable"):
        run([1, 2], tensor(8, 16))


def test_methods_are_planned_too() -> None:
    class Model:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        @partita.jit(mesh=MESH, schedule=[X_ROWS], static_argnums=0, donate_argnames="x")
        def apply(self, x: jax.Array) -> jax.Array:
            return self.scale * x

    close(Model(2.0).apply(tensor(8, 16)), 2 * tensor(8, 16))
    close(Model(3.0).apply(tensor(8, 16)), 3 * tensor(8, 16))


def test_the_first_call_may_stand_inside_another_jit() -> None:
    """What it captured is an argument of its program, and no value of the function around it."""
    weights = tensor(600, 600) / 25
    run, x = partita.jit(lambda x: x @ weights, mesh=MESH, schedule=[X_ROWS]), tensor(8, 600)
    close(jax.jit(lambda x: run(x) * 2)(x), 2 * (x @ weights))
    close(run(x), x @ weights)


def test_the_options_are_those_that_plan_documents() -> None:
    """`plan` writes them in its signature; `jit` and `sweep` take them as keywords."""
    own = {name: p for name, p in inspect.signature(partita.plan).parameters.items() if p.kind is p.KEYWORD_ONLY}
    own.pop("kwargs")
    shared = inspect.signature(Options).parameters
    assert {name: p.default for name, p in own.items()} == {name: p.default for name, p in shared.items()}
    assert list(own) == list(shared)
