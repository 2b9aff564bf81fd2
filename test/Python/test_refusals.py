"""What is refused, by which exception, and what its text says: the argument, the reason, the remedy."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from small_steps import BATCH, BP, MESH, X_ROWS, close, make_params, mlp, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita import presets


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(partita.UsageError, match="a search needs a machine"):
        partita.plan(mlp, make_params(), BATCH["x"], mesh="data=4")
    sizes = jax.export.symbolic_shape("b, 16")
    with pytest.raises(partita.UnsupportedError, match=r"argument 0\['x'\] has the shape \(b, 16\): dynamic shapes"):
        partita.plan(lambda x: x["x"] * 2, {"x": jax.ShapeDtypeStruct(sizes, "float32")}, mesh=MESH, schedule=[])
    for wrong in ("step", jax.jit(step).lower(make_params(), BATCH).compile()):
        with pytest.raises(partita.UsageError, match="cannot be planned"):
            partita.plan(wrong, make_params(), BATCH, mesh=MESH, schedule=[])


def test_options_that_do_not_exist_are_told_from_arguments() -> None:
    with pytest.raises(partita.UsageError, match=r"(?s)has an argument 'shedule'.*did you mean schedule="):
        partita.plan(step, make_params(), BATCH, mesh=MESH, shedule=[BP])
    with pytest.raises(partita.UsageError, match=r"(?s)'temperature'.*the function has params, batch"):
        partita.jit(step, mesh=MESH, schedule=[BP])(make_params(), BATCH, temperature=1.0)
    taken = partita.plan(lambda **given: given["shedule"] * 2, shedule=tensor(8), mesh=MESH, schedule=[])
    assert taken.argument_names == ["given['shedule']"]


def test_options_of_jit_are_shown_their_place() -> None:
    for option in ("in_shardings", "out_shardings"):
        with pytest.raises(partita.UsageError, match=rf"(?s)has no option {option}=.*pins=partita\.shardings"):
            partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[], **{option: P("data")})


def test_calls_name_the_arrays_that_differ() -> None:
    """In a few words, however large the trees are."""
    run = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP]).jit()
    for wrong, words in (
        ({"x": BATCH["x"]}, r"planned: batch\['y'\] is missing\n"),
        ({**BATCH, "mask": BATCH["x"]}, r"planned: batch\['mask'\] is not expected\n"),
        ({"x": BATCH["x"], "label": BATCH["y"]}, r"batch\['y'\] is missing; batch\['label'\] is not expected\n"),
        (BATCH["x"], r"batch\['x'\], batch\['y'\] are missing; positional argument 1 is not expected\n"),
    ):
        with pytest.raises(partita.UsageError, match=words):
            run(make_params(), wrong)
    listed = partita.plan(lambda xs: xs[0] + xs[1], [BATCH["x"], BATCH["y"]], mesh=MESH, schedule=[]).jit()
    with pytest.raises(partita.UsageError, match="but in other containers"):
        listed((BATCH["x"], BATCH["y"]))


def test_keys_of_the_other_kind_are_named() -> None:
    def draw(key: jax.Array) -> jax.Array:
        return jax.random.normal(key, (8, 16))

    typed, old = jax.random.key(0), jax.random.PRNGKey(0)
    with pytest.raises(partita.UsageError, match=r"(?s)an array, uint32\[2\], .* made for a typed key.*random\.key\("):
        partita.plan(draw, typed, mesh=MESH, schedule=[]).jit()(old)
    with pytest.raises(partita.UsageError, match=r"(?s)a typed key, .* made for an array, uint32.*random\.PRNGKey\("):
        partita.plan(draw, old, mesh=MESH, schedule=[]).jit()(typed)


def test_several_axes_are_several_tactics() -> None:
    with pytest.raises(partita.UsageError, match=r"one preset each: \[fsdp\('data'\), fsdp\('model'\)\]"):
        presets.fsdp(("data", "model"))  # type: ignore[arg-type]
    with pytest.raises(partita.UsageError, match="for several, one tactic each"):
        partita.tile("x", dim=0, axis=("data", "model"))  # type: ignore[arg-type]


def test_patterns_are_no_globs() -> None:
    with pytest.raises(partita.InputError, match=r"(?s)'\*w1' is wrong.*remedy: a pattern is a regular expression"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[partita.tile("*w1", dim=0, axis="data")])


def test_errors_say_what_to_do() -> None:
    def plan(**options: Any) -> Any:
        return partita.plan(step, make_params(), BATCH, **{"mesh": MESH, "schedule": [BP], **options})

    with pytest.raises(partita.UsageError, match="remedy: write it as data=4"):
        plan(mesh="data:4")
    for wrong in (0, True, [4, 2], {}, {"data": 4.5}):
        with pytest.raises(partita.UsageError, match="is not a mesh"):
            plan(mesh=wrong)
    for large in ({"data": 2**31, "model": 2**31}, "data=2097152", 2**63):
        with pytest.raises(partita.UsageError, match="at most 1048576 devices"):
            plan(mesh=large)
    with pytest.raises(partita.InputError, match=r"give a mesh that has it, or .* ignore_shardings=True"):
        other = AbstractMesh((2,), ("z",), axis_types=(AxisType.Auto,))
        f = functools.partial(lax.with_sharding_constraint, shardings=NamedSharding(other, P("z")))
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
    with pytest.raises(partita.UsageError, match="'plan' is this plan itself"):
        made.compare(plan=[])
    for seconds in (0, -1):
        with pytest.raises(partita.UsageError, match=r"deadline=.* is not a time"):
            plan(deadline=seconds)


def test_callbacks_are_refused_with_their_line_and_run_under_shardy() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((8, 16), "float32"), x) + 1  # the line

    x = tensor(8, 16)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the custom call is kept whole
        plan = partita.plan(f, x, mesh="data=4", schedule=[])
    with pytest.raises(partita.UnsupportedError, match=r"test_refusals\.py:\d+.*pure_callback"):
        plan.jit()
    close(plan.jit(partitioner="shardy")(x), np.sin(x) + 1)


def test_callbacks_in_an_order_are_refused_with_their_line() -> None:
    def show(x: jax.Array) -> jax.Array:
        jax.debug.print("{}", x.sum(), ordered=True)
        return x

    def call(x: jax.Array) -> jax.Array:
        jax.debug.callback(print, x, ordered=True)
        return x

    def ask(x: jax.Array) -> jax.Array:
        return x + io_callback(np.sum, jax.ShapeDtypeStruct((), "float32"), x, ordered=True)

    def loop(x: jax.Array) -> jax.Array:
        return lax.fori_loop(0, 2, lambda _, value: ask(value), x)

    for function in (show, call, ask, loop):
        with pytest.raises(partita.UnsupportedError, match=r"(?s)in an order.*test_refusals\.py:\d+.*ordered=False"):
            partita.plan(function, tensor(8, 16), mesh=MESH, schedule=[])


def test_what_was_lowered_does_not_show_its_callbacks() -> None:
    def f(x: jax.Array) -> jax.Array:
        jax.debug.print("{}", x.sum())
        return x

    with pytest.warns(UserWarning, match="is not split"):
        plan = partita.plan(jax.jit(f).lower(tensor(8, 16)), mesh=MESH, schedule=[X_ROWS])
    with pytest.raises(partita.UnsupportedError, match=r"(?s)no longer shows what it calls.*hand over the function"):
        plan.jit(partitioner="shardy")


def test_captured_tracers_are_refused() -> None:
    """They belong to a trace that a plan outlives."""

    def run(x: jax.Array, scale: jax.Array) -> jax.Array:
        return partita.plan(jax.jit(lambda x: x * scale), x, mesh=MESH, schedule=[X_ROWS]).jit()(x)

    x, scale = tensor(8, 16), tensor(16)
    transformations: list[Callable[[], Any]] = [
        lambda: jax.jit(run)(x, scale),
        lambda: jax.grad(lambda s: run(x, s).sum())(scale),
        lambda: jax.vmap(run, in_axes=(None, 0))(x, scale),
        lambda: lax.scan(lambda carry, _: (run(x, carry), None), scale, length=1),
    ]
    for transform in transformations:
        with pytest.raises(partita.UsageError, match=r"(?s)captures a value of .*make it an argument"):
            transform()


def test_arrays_that_change_are_refused_as_arguments() -> None:
    new_ref = getattr(jax, "new_ref", None) or getattr(jax, "array_ref", None)
    if new_ref is None:
        pytest.skip("this JAX has none")
    with pytest.raises(partita.UnsupportedError, match=r"argument 0\['x'\] is an array that can be changed"):
        partita.plan(lambda refs: refs["x"][...], {"x": new_ref(tensor(8, 16))}, mesh=MESH, schedule=[])


def test_rules_that_are_for_nothing_are_refused(tmp_path: Path) -> None:
    def f(x: jax.Array) -> jax.Array:
        return jnp.linalg.cholesky(x)

    x = jnp.eye(8)
    partita.plan(f, x, mesh=MESH, schedule=[]).save(tmp_path / "plan.json")
    for rules, text in (
        ("foo=bar", r"(?s)one for 'foo'.*its custom calls are lapack_spotrf_ffi"),
        (["foo=([a])->([a])"], "no such custom call"),
        ("flash", "expects TARGET=RULE, not 'flash'"),
        ("", "expects TARGET=RULE"),
        (3, "rules=3 is neither a text nor several"),
        ([None], "is neither a text nor several"),
    ):
        with pytest.raises(partita.UsageError, match=text):
            partita.plan(f, x, mesh=MESH, schedule=[], rules=rules)  # type: ignore[arg-type]
        with pytest.raises(partita.UsageError, match=text):
            partita.load(tmp_path / "plan.json", f, x, rules=rules)
    with pytest.raises(partita.InputError, match="the rule 'bar' is wrong at character 1"):
        partita.load(tmp_path / "plan.json", f, x, rules="lapack_spotrf_ffi=bar")


def test_options_that_are_wrong_are_named_as_in_python() -> None:
    def plan(**options: Any) -> Any:
        return partita.plan(step, make_params(), BATCH, **{"mesh": MESH, "machine": "cpu-host:1x8", **options})

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"budget": -1}, "^budget= expects a whole number"),
        ({"memory_limit": "lots"}, "^memory_limit='lots' is not an amount"),
        ({"goals": "speed"}, "'speed' is no goal"),
        ({"platform": "vax"}, "remedy: name one of cpu, cuda, rocm, tpu"),
        ({"mesh": "data=2,data=4"}, "names an axis twice"),
        ({"machine": "h100-sxm:4x8"}, "has 8 devices, but machine h100-sxm:4x8 has 32"),
        ({"machine": 8}, "8 is no machine"),
        ({"deadline": "1s"}, "deadline='1s' is not a time"),
        ({"budget": "10s"}, "budget='10s' is not a number of strategies"),
        ({"rules": "flash"}, "expects TARGET=RULE, not 'flash'"),
    ]
    for options, text in wrong:
        with pytest.raises(partita.UsageError, match=text):
            plan(**options)
    with pytest.raises(partita.UsageError, match="dims are counted from 0"):
        partita.tile("x", dim=-1, axis="data")
    with pytest.raises(partita.InputError, match=r"(?s)'x' matches no value.*did you mean 'batch/x'\?"):
        plan(schedule=[X_ROWS])
    with pytest.raises(partita.InputError, match=r"(?s)'other' matches no value.*arguments are called params\['w1'\]"):
        plan(schedule=[partita.tile("other", dim=0, axis="data")])
    with pytest.raises(ValueError, match="only accepts 2 positional arguments"):
        plan(static_argnums=7)


class Variable:
    """As Keras has them: what turns into an array, and is none."""

    value = jnp.ones((8, 16))
    shape, dtype = value.shape, value.dtype

    def __jax_array__(self) -> jax.Array:
        return self.value


class Network:
    """As a model of Keras."""

    dtype = "float32"

    def stateless_call(self) -> None:
        """Not called."""


def test_variables_and_models_of_keras_are_answered_with_what_to_give() -> None:
    def plan(given: Any) -> partita.Plan:
        return partita.plan(lambda x: x, given, mesh=MESH, schedule=[])

    with pytest.raises(
        partita.UsageError, match=r"(?s)Variable of float32, .* remedy: give its value: \[v.value for v in"
    ):
        plan([Variable()])
    with pytest.raises(partita.UsageError, match=r"(?s)type Network, which .* calls model\.stateless_call"):
        plan(Network())


def test_a_tree_where_an_array_is_asked_for_is_answered_with_its_pattern() -> None:
    def plan(**options: Any) -> partita.Plan:
        return partita.plan(step, make_params(), BATCH, mesh=MESH, **{"schedule": [], **options})

    asked: list[Callable[[], Any]] = [
        lambda: plan(schedule=[partita.tile("params", dim=0, axis="data")]),
        lambda: plan(pins={"params": P("data")}),
        lambda: plan().explain("params"),
    ]
    for ask in asked:
        with pytest.raises(partita.InputError, match=r"did you mean 'params/\.\*'\?"):
            ask()
    assert plan(schedule=[partita.tile("batch/.*", dim=0, axis="data")]).in_specs[1] == {"x": P("data"), "y": P("data")}


def test_slips_of_newcomers() -> None:
    """What is wrong, whose it is, and what to write instead."""

    def plan(**options: Any) -> Any:
        return partita.plan(step, make_params(), BATCH, **{"mesh": MESH, "schedule": [BP], **options})

    for make, text in (
        (lambda: partita.tile(3, dim=0, axis="data"), "3 is not a pattern"),  # type: ignore[arg-type]
        (lambda: partita.tile("x", dim=1.5, axis="data"), r"1\.5 is not a dim"),  # type: ignore[arg-type]
        (lambda: partita.side("x", dim=-1, axis="data"), "dims are counted from 0"),
        (lambda: partita.replicate("x", axis=0), "0 is not an axis"),  # type: ignore[arg-type]
        (lambda: plan(schedule=[presets.fsdp]), r"(?s)fsdp is not a tactic.*fsdp\('data'\)"),
        (lambda: plan(pins={"params/w1": "data"}), r"the spec of 'params/w1', 'data', is not a PartitionSpec"),
        (lambda: plan(pins=3), r"(?s)3, is not a PartitionSpec.*a strategy is a dict or list"),
        (lambda: plan().explain(""), "'' is not the name of a value"),
        (lambda: plan().explain(3), "3 is not the name of a value"),
    ):
        with pytest.raises(partita.UsageError, match=text):
            make()
    with pytest.raises(partita.FileError, match=r"(?s)^fsdp: cannot read.*presets are partita\.presets"):
        plan(schedule="fsdp")
    with pytest.raises(partita.FileError, match=r"^/dev/null: cannot write the plan"):
        plan().save_all("/dev/null")
    with pytest.raises(partita.InputError, match="cannot replicate batch"):
        plan(schedule=[BP, partita.replicate("batch/x", axis="data")])
    assert "nowhere.json: cannot read" in str(plan().compare(other="nowhere.json"))


def test_a_name_is_a_pattern_of_itself() -> None:
    def split(pattern: str) -> partita.Tactic:
        return partita.tile(pattern, dim=1, axis="model")

    for name in ("params['w1']", "params/w1", "arg0", "jit(mlp)/tanh#0"):
        plan = partita.plan(mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[split(name)])
        assert plan.in_specs[0]["w1"] == P(None, "model"), name
        assert name.endswith("0") or "model: splits dim 1, as tactic" in plan.explain(name)


def test_what_is_loaded_is_named(tmp_path: Any) -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP])
    plan.save(tmp_path / "plan.json")
    with pytest.raises(partita.UsageError, match=r"budget= is an option of partita\.plan, not of partita\.load"):
        partita.load(tmp_path / "plan.json", step, make_params(), BATCH, budget=3)
    (tmp_path / "half.json").write_text((tmp_path / "plan.json").read_text()[:100])
    with pytest.raises(partita.InputError, match=r"half\.json: the plan is not JSON"):
        partita.load(tmp_path / "half.json", step, make_params(), BATCH)


def test_calls_that_were_not_planned() -> None:
    plan = partita.plan(lambda x, w: x @ w, tensor(8, 16), tensor(16, 4), mesh=MESH, schedule=[X_ROWS])
    run = plan.jit()
    with pytest.raises(partita.UsageError, match="x is of bfloat16, but the plan was made for float32"):
        run(tensor(8, 16).astype(jnp.bfloat16), tensor(16, 4))
    close(run(np.asarray(tensor(8, 16), np.float64), w=tensor(16, 4)), tensor(8, 16) @ tensor(16, 4))
    with pytest.raises(partita.UsageError, match="made for 2 positional arguments, and 1 are given"):
        run(tensor(8, 16))
    with pytest.raises(partita.UsageError, match=r"is not a jax\.sharding\.Mesh"):
        plan.jit(mesh="data=4,model=2")
    with pytest.raises(partita.UsageError, match=r"is not a jax\.sharding\.Mesh"):
        plan.jit(mesh=MESH)
    for wrong, text in (
        ("text", "x is of type str, which"),
        (np.array(["text"]), "x is of type ndarray of <U4"),
        (object(), "x is of type object"),
    ):
        with pytest.raises(partita.UsageError, match=text):
            run(wrong, tensor(16, 4))
    with pytest.raises(partita.UsageError, match="x is a shape, which can be planned"):
        run(jax.ShapeDtypeStruct((8, 16), "float32"), tensor(16, 4))
    with pytest.raises(partita.UsageError, match="argument 0 has the structure"):
        plan.put({"x": tensor(8, 16)})


def test_warnings_point_to_the_callers_line() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((8, 16), "float32"), x)

    with pytest.warns(UserWarning, match=r"is not split.*\(.*test_refusals\.py:\d+:\d+\)") as caught:
        partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[])
    assert caught[0].filename == __file__


def test_axes_without_a_mesh_that_has_them() -> None:
    def f(x: jax.Array) -> jax.Array:
        return lax.with_sharding_constraint(x, P("data"))

    with pytest.raises(partita.UsageError, match="the mesh is a number of devices"):
        partita.plan(f, tensor(8, 16), mesh=8, machine="cpu-host:1x8")


def test_files_and_calls_that_are_not_as_planned_say_what_to_do(tmp_path: Path) -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP])
    with pytest.raises(partita.FileError, match=r"(?s)nofile\.json: cannot read the baseline.*the path of a file"):
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP], baseline="nofile.json")
    with pytest.raises(partita.UsageError, match=r"(?s)the page is HTML.*name it plan\.html"):
        plan.report.save(tmp_path / "plan.pdf")
    with pytest.raises(partita.UsageError, match="made for 2 positional arguments, and 1 are given"):
        plan.jit()(make_params())
    with pytest.raises(partita.UsageError, match=r"(?s)has the structure.*in the order of the function's"):
        plan.put(BATCH)
    with pytest.raises(partita.UsageError, match="argument 0 is of type object, which is no array"):
        partita.plan(step, object(), BATCH, mesh=MESH, schedule=[BP])
    with pytest.raises(partita.FileError, match=r"(?s)cannot read the plan.*Plan\.save writes one"):
        partita.load(tmp_path / "none.json", step, make_params(), BATCH)
