"""What people read of a plan: why values lie as they do, on which line, and whether it is right."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from small_steps import BATCH, BP, MESH, MP, X_ROWS, make_params, step, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest

import partita
from partita import presets
from partita._src import engine
from partita._src.progress import Bar

LINES = Path(__file__).read_text().splitlines()


def line_of(mark: str) -> str:
    """Where a comment of this file stands."""
    return f"{Path(__file__).name}:{next(n for n, line in enumerate(LINES, 1) if line.endswith(f'# {mark}'))}"


def places(plan: partita.Plan, pattern: str) -> dict[str, str]:
    """Inner values and the line that is said of each, without its folder."""
    found = re.findall(r"^(\S+): .* \((?:\S*/)?(\S+)\)$", plan.explain(pattern), re.MULTILINE)
    return dict(found)


def clip(x: jax.Array) -> jax.Array:
    return jnp.where(x > 0, x, 0.0)  # in clip


@jax.jit
def own(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * 2  # in own


def many(x: jax.Array, key: jax.Array) -> Any:
    first = jnp.where(x > 1, x, 1.0)  # first where
    second = jnp.where(x > 2, first, 2.0)  # second where
    third = clip(second)
    size = jnp.linalg.norm(third, axis=1)  # norm
    noise = jax.random.normal(key, x.shape)  # noise
    soft = jax.nn.relu(third + noise)  # relu
    low = jnp.linalg.cholesky(jnp.einsum("bi,bj->bij", soft, soft) + jnp.eye(16))  # cholesky
    return own(soft), size, low


def test_ops_of_functions_that_jax_jits_have_the_line_of_their_caller() -> None:
    plan = partita.plan(many, tensor(8, 16), jax.random.key(0), mesh=MESH, schedule=[X_ROWS])
    found = places(plan, r"jit\(many\)/.*")
    assert all(place.startswith(Path(__file__).name) for place in found.values())
    where = sorted(place for name, place in found.items() if "/select_n" in name and "_where" in name)
    assert where == sorted(line_of(mark) for mark in ("first where", "second where", "in clip"))
    for part, mark in (
        ("norm)", "norm"),
        ("_uniform", "noise"),
        ("cholesky)", "cholesky"),
        ("relu)", "relu"),
        ("/sin", "in own"),
    ):
        assert {place for name, place in found.items() if part in name} == {line_of(mark)}, part


def test_inner_values_are_explained() -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP])
    products = plan.explain(r"jit\(step\)/.*dot_general#\d+")
    assert products.count(": tensor<") > 3 and "all_reduce" in products and "by propagation" in products
    name = products.partition(": ")[0]
    assert plan.explain(name) == "\n".join(products.splitlines()[: len(plan.explain(name).splitlines())])
    place = re.findall(r"\((\S+:\d+)\)", products)[0]
    assert f"({place})" in plan.explain(f"{Path(place).name}#0")
    gathered = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, presets.fsdp("data")])
    taken = gathered.explain(name)
    assert "params['w1']: all_gather over data, P('data') -> P()" in taken and "needed by dot_general" in taken
    with pytest.raises(partita.InputError, match=r"(?s)no value 'dot_general'.*did you mean 'jit\(.*/dot_general#0'\?"):
        plan.explain("dot_general")
    with pytest.raises(partita.InputError, match=r"(?s)no value 'params/w9'.*did you mean 'params/w1'\?"):
        plan.explain("params/w9")
    with pytest.raises(partita.InputError, match=r"(?s)no value 'something'.*arguments are called params\['w1'\]"):
        plan.explain("something")
    with pytest.raises(partita.InputError, match=r"matches no argument, result or inner value"):
        plan.explain(r"w\d")


def layer(x: jax.Array, w: jax.Array) -> Any:
    return jnp.tanh(x @ w.astype(x.dtype)), None  # in layer


def test_of_a_stacked_parameter_slices_and_gradients_are_moved() -> None:
    def train(stack: jax.Array, x: jax.Array) -> Any:
        loss, grads = jax.value_and_grad(lambda s: jnp.sum(jax.lax.scan(layer, x, s)[0]))(stack)
        return stack - grads, loss

    stack = jax.ShapeDtypeStruct((4, 16, 16), "float32")
    plan = partita.plan(train, stack, tensor(8, 16), mesh=MESH, schedule=presets.fsdp("data"), machine="cpu-host:1x8")
    assert plan.in_specs[0] == jax.sharding.PartitionSpec(None, "data")
    text = plan.explain("stack")
    # Once in each turn of the loop forward, and of the one backward.
    moved = re.search(r"its slices: all_gather over data, P\('data'\) -> P\(\)\n +(\d+) x, .*\((\S+)\)", text)
    assert moved is not None and moved[1] == "8" and Path(moved[2]).name == line_of("in layer")
    assert re.search(r"its gradient: reduce_scatter over data, P\(\) of partial sums over data -> P\(.*'data'\)", text)


def test_lines_inside_installed_packages_are_left_out() -> None:
    linen = pytest.importorskip("flax.linen")
    network = linen.Dense(32)
    params = jax.eval_shape(network.init, jax.random.key(0), tensor(8, 16))

    def f(params: Any, x: jax.Array) -> jax.Array:
        return network.apply(params, x)  # in linen

    plan = partita.plan(f, params, tensor(8, 16), mesh=MESH, schedule=[X_ROWS])
    found = places(plan, r".*/(dot_general|add)#\d+")
    assert found and set(found.values()) == {line_of("in linen")}


def test_other_choices_have_prices_and_the_tool_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP], machine="cpu-host:1x8")
    calls: list[Any] = []
    run = engine.run
    monkeypatch.setattr(engine, "run", lambda *given, **options: (calls.append(given), run(*given, **options))[1])
    text = plan.explain("params.*")
    assert len(calls) == 1 and len(re.findall(r"^  alternatives +Δtime +Δmemory$", text, re.MULTILINE)) == 2
    row = r"^    P\('data', 'model'\) +[+-][0-9.]+ [num]s +(0|[+-][0-9.]+ [kMG]?B)  dim 0 over data$"
    assert re.search(row, text, re.MULTILINE) and "replicated over model" in text


def test_storage_along_another_dim_leaves_the_rest_of_the_plan_as_it_is() -> None:
    """Decided before the batch, the other dim of w1 would be split in the product, and the batch nowhere."""
    params = {"w1": tensor(64, 256), "w2": tensor(256, 64)}
    batch = {"x": tensor(512, 64), "y": tensor(512, 64)}
    fsdp = [BP, presets.zero3("data")]
    plan = partita.plan(step, params, batch, mesh={"data": 4}, schedule=fsdp, machine="cpu-host:1x4")
    others = plan._ask("explain", "--value=params['w1']")["values"][0]["others"]
    changes = {other["dim"]: other["time_ps"] for other in others}
    assert plan.report.time_ps is not None and abs(changes[1]) < 0.05 * plan.report.time_ps


def test_a_plan_with_rules_of_its_own_is_explained() -> None:
    """The tool has to read the program as it did for the plan."""

    def f(x: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x, jax.sharding.PartitionSpec("model")) * 2

    plan = partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[X_ROWS], ignore_shardings=True)
    assert "as P('data'), " in plan.explain("x") and "model: replicated" in plan.explain("x")


def test_what_cannot_be_run_is_checked_without() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jnp.linalg.cholesky(jnp.einsum("bij,bkj->bik", x, x) + jnp.eye(8))  # lapack

    shape = jax.ShapeDtypeStruct((8, 8, 8), "float32")
    found = partita.plan(f, shape, mesh=MESH, schedule=[X_ROWS]).verify()
    assert found.equal and not found.executed and found.mode == "relation" and found.worst is None
    assert "custom call 'lapack" in found.note and line_of("lapack") in found.note and found.split_ops > 0
    # 64 GiB of arguments.
    large = jax.ShapeDtypeStruct((1 << 17, 1 << 17), "float32")
    found = partita.plan(lambda x: jnp.tanh(x).sum(1), large, mesh=MESH, schedule=[X_ROWS]).verify()
    assert found.equal and not found.executed and "nothing was run" in found.note and "bytes" in found.note
    run = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP, MP]).verify()
    assert run.executed and not run.note and run.mode.startswith("ring+")


def test_what_a_plan_rewrote_is_checked_without_running_it() -> None:
    schedule = [partita.accumulate(2), partita.recompute(".*tanh.*"), BP]
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=schedule)
    found = plan.verify(max_work=1)
    assert found.equal and found.mode == "relation" and found.split_ops > 0
    assert "of those of the program as the plan rewrote it" in found.note
    assert "That this program computes the same is not checked (microbatches: " in found.note
    plan._files["local.mlir"] = plan.local_text().replace("stablehlo.tanh", "stablehlo.cosine", 1)
    with pytest.raises(partita.DifferenceError, match="differs from the program as the plan rewrote it"):
        plan.verify(max_work=1)


def test_a_loop_without_end_is_given_up() -> None:
    def f(x: jax.Array) -> jax.Array:
        return jax.lax.while_loop(lambda y: jnp.array(True), jnp.tanh, x)  # endless

    plan = partita.plan(f, tensor(8, 16), mesh=MESH, schedule=[X_ROWS])
    found = plan.verify(max_work=1_000_000)
    assert found.equal and not found.executed and found.mode == "relation"
    assert "would do too much work" in found.note and line_of("endless") in found.note
    with pytest.raises(partita.UsageError, match="is not an amount of work"):
        plan.verify(max_work=0)


def test_the_static_check_finds_what_is_wrong() -> None:
    def f(x: jax.Array) -> jax.Array:
        square = jnp.einsum("bij,bkj->bik", x, x) + 8 * jnp.eye(8)
        return jnp.linalg.cholesky(square).sum()

    plan = partita.plan(f, jax.ShapeDtypeStruct((8, 8, 8), "float32"), mesh=MESH, schedule=[X_ROWS])
    text = plan.local_text()
    spoiled, count = re.subn(r"= [^\n]*dense<8\.0+e\+00>", lambda m: m[0].replace("8.0", "9.0"), text, count=1)
    assert count == 1
    plan._files["local.mlir"] = spoiled
    with pytest.raises(
        partita.DifferenceError,
        match=r"test_explanations\.py:\d+:\d+: the local program differs from the original: what",
    ):
        plan.verify()


def test_reports_are_readable_whatever_things_are_called() -> None:
    long = "a_name_of_a_layer_that_somebody_gave_without_thinking_of_reports_and_tables"

    def f(batch: Any, params: Any) -> jax.Array:
        return jnp.tanh(batch["<b>&'x'"] @ params[long][long])

    arguments = {"<b>&'x'": tensor(8, 16)}, {long: {long: tensor(16, 32)}}
    schedule = [
        partita.tile("arg0", dim=0, axis="data"),
        partita.tile("arg1", dim=1, axis="model"),
    ]
    plan = partita.plan(f, *arguments, mesh=MESH, schedule=schedule, machine="cpu-host:1x8", memory_limit="1KB")
    assert max(map(len, str(plan.report).splitlines())) <= 120 and "0.00" not in str(plan.report)
    shown = plan._repr_html_()
    assert "<b>&'" not in shown and "&lt;b&gt;&amp;" in shown and shown.count("<div") == shown.count("</div>") == 1
    comparison = plan.compare(**{long: schedule, "wrong": {"nothing": jax.sharding.PartitionSpec("data")}})
    head, *rows = str(comparison).splitlines()
    # Columns stand below each other, and what is too large for a device is marked.
    assert {row[: len(head)].rstrip().endswith(" B") for row in rows[:-1]} == {True}
    assert all(row.endswith("  does not fit") for row in rows[:-1]) and "cannot be applied" in rows[-1]
    assert '<td colspan="5">cannot be applied' in comparison._repr_html_()


def test_the_bar_keeps_to_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    bar = Bar(stream)
    for evaluation in (1, 100, 6000):
        bar({"evaluation": evaluation, "budget": 6000, "best": True, "goals": {"fit": 0, "time": 2_500_000_000}})
    bar.close()
    drawn = stream.getvalue().removesuffix("\n").split("\r")[1:]
    assert len(drawn) == 3 and all(len(line) <= 39 for line in drawn) and drawn[-1].startswith("partita |####")
    stream.close()
    bar({"evaluation": 6000, "budget": 6000})  # nobody looks any more
    bar.close()


def test_why_xla_has_fewer_collectives_is_said() -> None:
    fewer = partita.Check({"all_reduce": (4, 2)}, None, {"argument": 8})
    assert "counts may be smaller" in str(fewer) and "counts may be smaller" in fewer._repr_html_()
    assert "smaller" not in str(partita.Check({"all_reduce": (2, 2)}, None, {"argument": 8}))


def test_an_argument_that_is_padded_first_is_said_to_be() -> None:
    plan = partita.plan(
        lambda w: jnp.sin(w) @ w.T, tensor(6, 37), mesh={"model": 4}, schedule=[partita.tile("w", dim=1, axis="model")]
    )
    assert plan.in_specs[0] == jax.sharding.PartitionSpec()
    assert (
        "  model: replicated: it does not divide dim 1 (37); the step pads the dim to 40 and splits pad(w)#0\n"
        in plan.explain("w")
    )
