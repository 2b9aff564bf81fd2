"""Sizes that no axis divides: planned, padded and run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import partita

VOCABULARY, HEADS, WIDTH, LENGTH, ROWS = 37, 3, 4, 5, 3
HIDDEN = HEADS * WIDTH


def make_state() -> dict[str, Any]:
    def fill(index: int, *shape: int) -> jax.Array:
        return 0.3 * jax.random.normal(jax.random.key(index), shape)

    params = {
        "wte": fill(0, VOCABULARY, HIDDEN),
        "qkv": fill(1, 3, HIDDEN, HIDDEN),
        "out": fill(2, HIDDEN, HIDDEN),
        "up": fill(3, HIDDEN, 11),
        "down": fill(4, 11, HIDDEN),
    }
    zeros = jax.tree.map(jnp.zeros_like, params)
    return {"params": params, "m": zeros, "v": jax.tree.map(jnp.zeros_like, params), "count": jnp.zeros((), jnp.int32)}


def loss_of(params: dict[str, jax.Array], tokens: jax.Array) -> jax.Array:
    x = params["wte"][tokens[:, :-1]]
    q, k, v = jnp.einsum("bte,ceh->cbth", x, params["qkv"]).reshape(3, *x.shape[:2], HEADS, WIDTH)
    scores = jnp.einsum("bthd,bshd->bhts", q, k)
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    x = x + jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v).reshape(x.shape) @ params["out"]
    x = x + jax.nn.gelu(x @ params["up"]) @ params["down"]
    logits = jax.nn.log_softmax(x @ params["wte"].T)
    return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1))


def step(state: dict[str, Any], tokens: jax.Array) -> tuple[dict[str, Any], jax.Array]:
    """Adam with weight decay and clipping."""
    loss, grads = jax.value_and_grad(loss_of)(state["params"], tokens)
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * jnp.minimum(1, 0.5 / norm), grads)
    count = state["count"] + 1
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["m"], grads)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g**2, state["v"], grads)

    def move(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        m, v = m / (1 - 0.9**count), v / (1 - 0.99**count)
        return p - 0.01 * (m / (jnp.sqrt(v) + 1e-6) + 0.1 * p)

    return {"params": jax.tree.map(move, state["params"], m, v), "m": m, "v": v, "count": count}, loss


TOKENS = jax.random.randint(jax.random.key(9), (ROWS, LENGTH + 1), 0, VOCABULARY)

SCHEDULES = {
    "vocabulary": {"tactics": [{"axis": "model", "tile": [["state/params/wte", 0]]}]},
    "batch": {"tactics": [{"axis": "data", "tile": [["tokens", 0]]}]},
    "hidden": {"tactics": [{"axis": "model", "tile": [["state/params/up", 1], ["state/params/down", 0]]}]},
    "heads": {"tactics": [{"pad": [["state/params/out", 0, 4]]}, {"axis": "model", "tile": [["state/params/qkv", 2]]}]},
    "all": {
        "tactics": [
            {"axis": "data", "tile": [["tokens", 0]]},
            {"axis": "model", "tile": [["state/params/wte", 0], ["state/params/up", 1], ["state/params/down", 0]]},
        ]
    },
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_three_steps_equal_one_device(name: str) -> None:
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=SCHEDULES[name])
    assert "padding: " in str(plan.report)
    run, single = plan.jit(compiler_options=FAST), jax.jit(step)
    mine, other = make_state(), make_state()
    for _ in range(3):
        (mine, loss), (other, expected) = run(mine, TOKENS), single(other, TOKENS)
        close(loss, expected)
        close(mine, other)
    assert plan.verify().equal


def test_padded_dims_keep_their_names_in_the_strategy() -> None:
    def layers(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w["into"]) @ w["out"]

    w = {"into": jax.ShapeDtypeStruct((16, 64), "float32"), "out": jax.ShapeDtypeStruct((64, 16), "float32")}
    x = jax.ShapeDtypeStruct((63, 16), "float32")
    usual = [partita.presets.data_parallel("data"), partita.presets.megatron("model")]
    plan = partita.plan(layers, w, x, mesh={"data": 4, "model": 2}, schedule=usual)
    assert plan.report.padding and plan.report.strategy == "batch over data; hidden over model"


def test_shardy_partitions_what_is_padded() -> None:
    """The annotated program has the longer sizes, which axes divide; at its border arrays keep their own."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=SCHEDULES["all"])
    assert f"{VOCABULARY + 3}x" in plan.annotated_text()
    mine, loss = plan.jit(compiler_options=FAST, partitioner="shardy")(make_state(), TOKENS)
    other, expected = jax.jit(step)(make_state(), TOKENS)
    close(loss, expected)
    close(mine, other)


def test_what_shardy_cannot_split_stays_whole() -> None:
    """Arrays of JAX have pieces of one size. So an argument is whole along such a dim, and what it is padded to is
    split; state that is stored padded is split itself. The report says which."""
    sharding = r"#sdy.sharding<@mesh, \[\{(.*?)\}, \{.*?\}\]>"
    argument = r"%arg\d+: tensor<{}x12xf32> \{{[^}}]*sdy.sharding = " + sharding.replace("{", "{{").replace("}", "}}")
    tiled = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=SCHEDULES["vocabulary"])
    stored = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    text = tiled.annotated_text()
    # The vocabulary's rows and both of their moments.
    assert re.findall(argument.format(VOCABULARY), text) == [""] * 3
    assert (
        '"model"'
        in re.findall(rf"sdy.sharding_constraint %\S+ <@mesh, (.*)> : tensor<{VOCABULARY + 3}x12xf32>", text)[0]
    )
    assert re.findall(argument.format(VOCABULARY + 3), stored.annotated_text()) == ['"model"'] * 3
    said = "between steps, and in annotated.mlir, no axis splits these dims"
    assert said in re.sub(r"\s+", " ", str(tiled.report)) and "annotated.mlir" not in str(stored.report)
    for plan in (tiled, stored):
        run, state = plan.jit(compiler_options=FAST, partitioner="shardy"), plan.put(make_state())
        close(plan.unput(run(state, TOKENS)[0]), jax.jit(step)(make_state(), TOKENS)[0])


def test_dims_that_divide_are_preferred() -> None:
    """No vocabulary is padded where the width divides; of a list, the first is if none does."""
    tiles = [["state/params/wte", "first_divisible"], ["state/params/up", [1, 0]]]
    tactics = [{"axis": "model", "tile": tiles}]
    plan = partita.plan(step, make_state(), TOKENS, mesh={"model": 4}, schedule={"tactics": tactics})
    assert not plan.report.padding
    placed = plan.shardings()[0][0]["params"]
    assert (placed["wte"].spec, placed["up"].spec) == (P(None, "model"), P("model"))
    tactics += [{"axis": "data", "tile": [["tokens", "first_divisible"]]}]
    five = {"model": 4, "data": 5}
    plan = partita.plan(step, make_state(), TOKENS, mesh=five, schedule={"tactics": tactics})
    assert not plan.report.padding
    tactics[-1] = {"axis": "data", "tile": [["tokens", [0, 1]]]}
    plan = partita.plan(step, make_state(), TOKENS, mesh=five, schedule={"tactics": tactics})
    assert f"{ROWS} -> 5" in plan.report.padding


def test_specs_on_dims_that_do_not_divide() -> None:
    specs = {"tokens": P("data"), "state/params/wte": P("model", None)}
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=list(specs.items()))
    close(plan.jit(compiler_options=FAST)(make_state(), TOKENS), jax.jit(step)(make_state(), TOKENS))


def test_sizes_are_left_as_they_are_where_padding_is_forbidden() -> None:
    forbidden = {"tactics": [{"pad": False}, *SCHEDULES["batch"]["tactics"]]}
    with pytest.raises(partita.PartitaError, match="does not divide"):
        partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=forbidden)


def test_state_is_stored_padded() -> None:
    schedule = {
        "tactics": [
            {"pad": [["state/params/wte", 0, 4]], "store": True},
            {"axis": "model", "tile": [["state/params/wte", 0]]},
        ]
    }
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=schedule)
    run, single = plan.jit(compiler_options=FAST), jax.jit(step)
    other = make_state()
    mine = plan.put(make_state())
    # 37 rows of the vocabulary and of its moments are stored as 40.
    assert mine["params"]["wte"].shape == mine["m"]["wte"].shape == (40, HIDDEN)
    assert {shard.data.shape for shard in mine["params"]["wte"].addressable_shards} == {(10, HIDDEN)}
    for _ in range(3):
        (mine, loss), (other, expected) = run(mine, TOKENS), single(other, TOKENS)
        close(loss, expected)
        assert mine["params"]["wte"].shape == (40, HIDDEN)
    close(plan.unput(mine), other)
    close(run(make_state(), TOKENS)[1], single(make_state(), TOKENS)[1])
    assert plan.verify().equal
    # A function that follows takes the state as it is stored.
    evaluate = partita.plan(
        lambda state, tokens: loss_of(state["params"], tokens),
        make_state(), TOKENS, mesh={"data": 2, "model": 4}, pins=plan, schedule=[],
    )  # fmt: skip
    close(evaluate.jit(compiler_options=FAST)(mine, TOKENS), loss_of(other["params"], TOKENS))
    with pytest.raises(partita.PartitaError, match="is not all 0"):
        plan.unput(jax.tree.map(lambda leaf: leaf + 1, mine))


def test_unput_says_what_it_was_given_wrongly() -> None:
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2}, schedule=[])
    with pytest.raises(partita.PartitaError, match="2 positional arguments, not 3"):
        plan.unput(make_state(), TOKENS, TOKENS)
    with pytest.raises(partita.PartitaError, match="has the structure"):
        plan.unput(make_state()["params"])
    with pytest.raises(partita.PartitaError, match="no keyword argument 'rate'"):
        plan.unput(kwargs={"rate": 1})


def test_modules_are_stored_padded() -> None:
    """Variables of nnx are made longer and cut again in place."""
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(6, 5, use_bias=False, rngs=nnx.Rngs(0))
    given = model.kernel[...]

    def train(model: object, x: jax.Array) -> jax.Array:
        loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
        nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model), grads))
        return loss

    tactics = [{"pad": [["model/kernel", 1, 4]], "store": True}, {"axis": "data", "tile": [["model/kernel", 1]]}]
    x = jnp.ones((4, 6))
    plan = partita.plan(train, model, x, mesh={"data": 4}, schedule={"tactics": tactics})
    plan.put(model)
    assert model.kernel[...].shape == (6, 8)
    plan.jit(compiler_options=FAST)(model, x)
    assert model.kernel[...].shape == (6, 8)
    plan.unput(model)
    expected = given - 0.1 * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(given)
    assert model.kernel[...].shape == (6, 5)
    close(model.kernel[...], expected)


def store_vocabulary() -> dict[str, Any]:
    tactics = [
        {"pad": [["state/params/wte", 0, 4]], "store": True},
        {"axis": "model", "tile": [["state/params/wte", 0]]},
    ]
    return {"tactics": tactics}


def test_zeros_of_both_signs_may_lie_behind_the_elements() -> None:
    """A function of the stored state that is negative there leaves -0, and the step takes it."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    state = plan.put(make_state())
    turned = jax.tree.map(lambda leaf: -leaf if leaf.dtype == jnp.float32 else leaf, state)
    assert bool(jnp.all(jnp.signbit(turned["params"]["wte"][VOCABULARY:])))
    negative = plan.unput(turned)
    close(negative["params"]["wte"], -make_state()["params"]["wte"])
    run = plan.jit(compiler_options=FAST)
    turned["v"], negative["v"] = state["v"], make_state()["v"]
    (stored, loss), (plain, expected) = run(turned, TOKENS), jax.jit(step)(negative, TOKENS)
    close(loss, expected)
    close(plan.unput(stored), plain)
    # What each step leaves is +0.
    assert not bool(jnp.any(jnp.signbit(stored["params"]["wte"][VOCABULARY:])))


def test_elements_may_be_anything() -> None:
    """Of a training that diverged, NaN is given back, and not taken for what lies behind the elements."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    state = plan.put(make_state())
    state["params"]["wte"] = state["params"]["wte"].at[VOCABULARY - 1].set(jnp.nan)
    assert bool(jnp.all(jnp.isnan(plan.unput(state)["params"]["wte"][VOCABULARY - 1])))
    state["params"]["wte"] = state["params"]["wte"].at[VOCABULARY].set(jnp.nan)
    with pytest.raises(partita.PartitaError, match="is not all 0"):
        plan.unput(state)


def test_nothing_behind_the_elements_becomes_nan() -> None:
    """With NaN checking on, three steps of Adam with weight decay and clipping run on stored padding."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    run, single = plan.jit(compiler_options=FAST), jax.jit(step)
    mine, other = plan.put(make_state()), make_state()
    with jax.debug_nans(True), jax.debug_infs(True):
        for _ in range(3):
            (mine, loss), (other, expected) = run(mine, TOKENS), single(other, TOKENS)
            close(loss, expected)
    for part in ("params", "m", "v"):
        assert not bool(jnp.any(mine[part]["wte"][VOCABULARY:]))
    close(plan.unput(mine), other)


def test_shapes_and_shardings_of_stored_state(tmp_path: Path) -> None:
    """What checkpoints are restored by, after saving and loading, too."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    plan.save(tmp_path / "plan.json")
    again = partita.load(tmp_path / "plan.json", step, make_state(), TOKENS)
    placed = again.put(make_state())
    for known in (plan, again):
        shape = known.in_shapes[0]["params"]["wte"]
        assert (shape.shape, shape.sharding.spec) == ((40, HIDDEN), P("model"))
        assert known.in_shapes[0]["params"]["up"].shape == (HIDDEN, 11)
        assert known.shardings()[0][0]["m"]["wte"] == known.shardings()[1][0]["m"]["wte"] == shape.sharding
        assert jax.tree.map(lambda s: (s.shape, s.dtype, s.sharding), known.in_shapes[0]) == jax.tree.map(
            lambda a: (a.shape, a.dtype, a.sharding), placed
        )
    (placed, loss) = again.jit(compiler_options=FAST)(placed, TOKENS)
    state, expected = jax.jit(step)(make_state(), TOKENS)
    close(loss, expected)
    close(again.unput(placed), state)


def test_planned_at_the_first_call() -> None:
    """`partita.jit` pads and stores as `partita.plan` does; the state comes and goes in either form."""
    planned = partita.jit(step, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    state, loss = planned(make_state(), TOKENS)
    expected, loss_of_one = jax.jit(step)(make_state(), TOKENS)
    close(loss, loss_of_one)
    assert state["params"]["wte"].shape == (40, HIDDEN)
    close(planned.plan(make_state(), TOKENS).unput(state), expected)
    # What the step gave is the state that its plan stores, not that of a vocabulary of 40.
    whole = jax.tree.map(np.asarray, state)
    (state, loss), (expected, loss_of_one) = planned(state, TOKENS), jax.jit(step)(expected, TOKENS)
    close(loss, loss_of_one)
    # Of arrays that do not lie as it left them, that cannot be told.
    with pytest.raises(partita.PartitaError, match="does not lie as the plan left it"):
        planned(whole, TOKENS)


def test_initialization_follows_what_is_stored() -> None:
    """It gives the function's shapes; the first call, or `put`, stores them."""
    plan = partita.plan(step, make_state(), TOKENS, mesh={"data": 2, "model": 4}, schedule=store_vocabulary())
    init = partita.plan(make_state, mesh={"data": 2, "model": 4}, pins=plan, schedule=[])
    made = init.jit(compiler_options=FAST)()
    close(made, make_state())
    (state, loss), (expected, loss_of_one) = plan.jit(compiler_options=FAST)(made, TOKENS), jax.jit(step)(made, TOKENS)
    close(loss, loss_of_one)
    close(plan.unput(state), expected)
    assert plan.put(made)["v"]["wte"].shape == (40, HIDDEN)


def long_step(state: dict[str, jax.Array], tokens: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
    def loss(params: dict[str, jax.Array]) -> jax.Array:
        x = params["table"][tokens]
        x = x + jax.nn.gelu(x @ params["up"]) @ params["down"]
        return -jnp.mean(jax.nn.log_softmax(x @ params["table"].T)[..., 0])

    value, gradients = jax.value_and_grad(loss)(state)
    return jax.tree.map(lambda p, g: p - 0.1 * g, state, gradients), value


def test_found_padding_is_part_of_the_plan() -> None:
    sizes = {"table": (10007, 512), "up": (512, 2050), "down": (2050, 512)}
    state = {name: jax.ShapeDtypeStruct(shape, "float32") for name, shape in sizes.items()}
    arguments = (long_step, state, jax.ShapeDtypeStruct((3, 4099), "int32"))
    plan = partita.plan(*arguments, mesh="model=8", machine="h100-sxm:1x8", platform="cpu", budget=50)
    assert "4099 -> 4104" in plan.report.padding
    schedule = plan.to_json()["schedule"]
    assert list(schedule["tactics"][0]) == ["name", "pad"]
    again = partita.plan(*arguments, mesh="model=8", schedule=schedule, platform="cpu")
    assert again.report.padding == plan.report.padding and again.local_text() == plan.local_text()
    forbidden = {"tactics": [{"pad": False}, {"name": "rest", "auto": {}}]}
    whole = partita.plan(
        *arguments, mesh="model=8", machine="h100-sxm:1x8", platform="cpu", budget=20, schedule=forbidden
    )
    assert not whole.report.padding and whole.to_json()["schedule"]["tactics"][0] == {"pad": False}
