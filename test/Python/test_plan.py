"""`partita.plan` and what it gives, on functions of a few lines, run on eight virtual devices."""

from __future__ import annotations

import copy
import functools
import json
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

from small_steps import BATCH, BP, FAST, MESH, MP, check, close, make_params, mlp, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from partita._src import machines

ROOT = Path(__file__).resolve().parents[2]


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
    assert "<td>all_reduce</td><td>data</td>" in shown and "batch[&#x27;x&#x27;] as P(&#x27;data&#x27;)" in shown
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


def test_rules_and_explanations() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    assert ("params/w1", P(None, "model")) in plan.rules()
    assert "model: splits dim 1, as tactic" in plan.explain("params['w1']")
    assert "propagation" in plan.explain("params/w2")
    assert plan.explain("arg0") == plan.explain("params/w1") and plan.explain("result2").startswith("result[1]")
    with pytest.raises(partita.InputError, match="no value 'w9'"):
        plan.explain("w9")


def test_rules_group_layers_that_are_alike() -> None:
    layers = {f"Block_{number}": {"w": tensor(16, 16)} for number in range(3)}
    plan = partita.plan(
        lambda params, x: functools.reduce(lambda x, layer: jnp.tanh(x @ layer["w"]), params.values(), x),
        layers, tensor(8, 16), mesh=MESH, schedule={"params/.*": P(None, "model"), "x": P("data")},
    )  # fmt: skip
    assert plan.rules()[0] == ("params/Block_[0-9]+/w", P(None, "model"))
    others = plan.replan([("params/Block_1/w", P("data")), *plan.rules()])
    assert others.rules()[:2] == [("params/Block_0/w", P(None, "model")), ("params/Block_1/w", P("data"))]
    assert plan.replan(others.rules()).in_specs == others.in_specs


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
    (tmp_path / "junk.json").write_bytes(b"\xff\xfe")
    with pytest.raises(partita.InputError, match="UTF-8"):
        partita.load(tmp_path / "junk.json", step, make_params(), BATCH)
    with pytest.raises(partita.UsageError, match="the mesh data=8 is not that of the plan, data=4,model=2"):
        partita.load(tmp_path / "plan.json", step, make_params(), BATCH, mesh=jax.make_mesh((8,), ("data",)))
    with pytest.raises(partita.FileError):
        partita.load(tmp_path / "none.json", mlp, make_params(), BATCH["x"])
    with pytest.raises(partita.FileError):
        plan.save(tmp_path / "no" / "folder.json")


def test_loading_takes_what_the_program_was_read_with(tmp_path: Any) -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x * 2, jax.sharding.PartitionSpec("data"))

    x, path, machine = tensor(8, 16), tmp_path / "plan.json", tmp_path / "own.json"
    machine.write_text((ROOT / "models/others/machine.json").read_text().replace('"small"', '"own"'))
    schedule = [partita.tile("x", dim=1, axis="model")]
    options: dict[str, Any] = {"machine": machine, "ignore_shardings": True, "memory_limit": "1MB"}
    plan = partita.plan(f, x, mesh=MESH, schedule=schedule, **options)
    plan.save(path)
    with pytest.warns(UserWarning, match="the machine 'own' of a file"):
        assert partita.load(path, f, x, ignore_shardings=True).report.time_ps is None
    again = partita.load(path, f, x, **options)
    assert again.local_text() == plan.local_text() and again.report.time_ps == plan.report.time_ps
    assert again.report.figures["limit_bytes"] == 1_000_000
    with pytest.raises(partita.InputError, match="another program"):
        partita.load(path, f, x, machine=str(machine))


def test_a_program_is_lowered_for_the_platform_of_the_machine_file(tmp_path: Any) -> None:
    """A copy of a preset, a file that changes one, and one that says nothing."""
    machine = tmp_path / "own.json"

    def plan(text: str, **options: Any) -> partita.Plan:
        machine.write_text(text)
        return partita.plan(lambda x: x * 2, tensor(8, 16), mesh=MESH, schedule=[], machine=machine, **options)

    same = json.dumps(machines.describe("h100-sxm:1x8") | {"name": "copy"})
    assert plan(same).platform == "cuda"
    assert plan('{"base": "tpu-v5e:2x4", "name": "ours"}').platform == "tpu"
    assert plan('{"base": "tpu-v5e:2x4", "name": "ours", "platform": "cpu"}').platform == "cpu"
    silent = json.dumps({key: value for key, value in json.loads(same).items() if key != "platform"})
    with pytest.warns(UserWarning, match=r'says no platform: the program is lowered for cpu\n.*"platform": "cpu"'):
        assert plan(silent).platform == "cpu"
    assert plan(silent, platform="cuda").platform == "cuda"
    with pytest.raises(partita.InputError, match=r"own.json:1:10: .*'h100-smx'\n  remedy: did you mean 'h100-sxm'"):
        plan('{"base": "h100-smx:1x8", "name": "ours"}')
    assert {info.split(":")[0]: machines.platform_of(info) for info in ("mi300x:8", "v5p-128", "gb200-nvl72:8")} == {
        "mi300x": "rocm", "v5p-128": "tpu", "gb200-nvl72": "cuda",
    }  # fmt: skip


def test_loops_of_unknown_length_are_flagged() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.lax.while_loop(lambda y: jnp.sum(y) < 9.0, lambda y: y * 2, x)

    options: dict[str, Any] = {"mesh": MESH, "machine": "cpu-host:1x8", "schedule": []}
    with pytest.warns(UserWarning, match=r"a loop runs an unknown number of times: .*\(assume_trips=N says how many"):
        once = partita.plan(f, tensor(8, 16), **options)
    assert "unknown number of times: times count 1 trip of it" in str(once.report).splitlines()[2]
    assert "unknown number of times" in once.report._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        often = partita.plan(f, tensor(8, 16), assume_trips=100, **options)
    assert often.report.figures["assumed_trips"] == {"loops": 1, "trips": 100}
    assert (often.report.time_ps or 0) > 10 * (once.report.time_ps or 0)
    assert "times count 100 trips of it (assume_trips=N" in str(often.report)


def test_check_puts_xla_beside_the_prediction() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    found = plan.check()
    ours, theirs = found.collectives["all_reduce"]
    assert ours >= theirs > 0
    assert found.xla_memory["argument"] > 0 and found.xla_peak > found.xla_memory["temp"]
    assert re.search(r"all_reduce +\d+ +\d+\n", str(found)) and "memory of a device" in found._repr_html_()


def test_it_is_compiled_once() -> None:
    plan = partita.plan(mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    assert plan.jit() is plan.jit() and plan.jit(compiler_options=FAST) is plan.jit(compiler_options=dict(FAST))
    assert len({id(plan.jit(**o)) for o in ({}, {"partitioner": "shardy"}, {"mesh": plan.make_mesh()})}) == 3


def test_plans_are_copied_and_not_pickled() -> None:
    plan = partita.plan(mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    assert copy.copy(plan) is plan and copy.deepcopy({"plan": plan})["plan"] is plan
    with pytest.raises(partita.UsageError, match=r"cannot be pickled\n.*Plan\.save"):
        pickle.dumps(plan)


def test_it_runs_where_nothing_is_compiled() -> None:
    run = partita.plan(
        mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")]
    ).jit()
    with jax.disable_jit():
        close(run(make_params(), BATCH["x"]), mlp(make_params(), BATCH["x"]))


def test_numbers_that_are_none_are_found() -> None:
    """JAX looks for them by running what was compiled again, op by op."""
    run = partita.plan(jnp.log, tensor(8, 16), mesh=MESH, schedule=[]).jit()
    with jax.debug_nans(True):
        close(run(jnp.ones((8, 16))), jnp.zeros((8, 16)))
        with pytest.raises(FloatingPointError, match="nan"):
            run(-jnp.ones((8, 16)))


def test_it_may_stand_inside_another_jit() -> None:
    run = partita.plan(
        mlp, make_params(), BATCH["x"], mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")]
    ).jit()
    close(jax.jit(lambda p, x: run(p, x) * 2)(make_params(), BATCH["x"]), mlp(make_params(), BATCH["x"]) * 2)


def test_plans_for_several_meshes_may_stand_in_one_jit() -> None:
    """And beside a mesh of the caller's own."""
    x = tensor(8, 16)
    rows = partita.plan(lambda x: x * 2, x, mesh=MESH, schedule=[partita.tile("x", dim=0, axis="data")])
    columns = partita.plan(lambda x: x + 1, x, mesh="z=8", schedule=[partita.tile("x", dim=1, axis="z")])
    own = NamedSharding(Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b")), P("a", "b"))
    for partitioner in ("partita", "shardy"):
        first, second = (plan.jit(partitioner=partitioner) for plan in (rows, columns))

        @jax.jit
        def both(x: jax.Array, first: Any = first, second: Any = second) -> jax.Array:
            return jax.lax.with_sharding_constraint(second(first(x)), own) + first(x)

        close(both(x), x * 4 + 1)


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


def test_a_report_says_what_decides_a_conflict() -> None:
    def attention(x: jax.Array) -> jax.Array:
        return jax.nn.softmax(jnp.einsum("bsd,btd->bst", jnp.sin(x), jnp.tanh(x)))

    shape = jax.ShapeDtypeStruct((2, 8, 4), "float32")
    tactic = partita.tile("x", dim=1, axis="data")
    undecided = str(partita.plan(attention, shape, mesh="data=4", schedule=[tactic]).report)
    assert "conflict over data" in undecided and "test_plan.py" in undecided
    assert "strategy: hardly anything is split" in undecided
    sides = [eval(line.strip()) for line in undecided.splitlines() if line.strip().startswith("partita.side(")]
    assert len(sides) == 2
    for side in sides:
        assert "conflict" not in str(partita.plan(attention, shape, mesh="data=4", schedule=[tactic + side]).report)
