"""Specs say where arrays lie, in no order: whatever `jax.jit` accepts is planned, held at the border, and computes the
same."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import partita
from models.others.small_search import MACHINE
from models.registry import ZOO

assert xla_runner.MAX_DEVICES >= 8
AXES = {"data": 2, "model": 4}


def loss_of(params: Any, batch: Any) -> jax.Array:
    hidden = jnp.tanh(batch["x"] @ params["up"])
    return jnp.mean((hidden @ params["down"] - batch["y"]) ** 2)


def train(params: Any, moments: Any, batch: Any) -> Any:
    loss, grads = jax.value_and_grad(loss_of)(params, batch)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments, loss


def init(key: jax.Array) -> Any:
    first, second = jax.random.split(key)
    params = {"up": jax.random.normal(first, (16, 64)), "down": jax.random.normal(second, (64, 16))}
    return params, jax.tree.map(jnp.zeros_like, params)


def evaluate(params: Any, batch: Any) -> jax.Array:
    return loss_of(params, batch)


def generate(params: Any, x: jax.Array) -> jax.Array:
    def body(x: jax.Array, _: Any) -> tuple[jax.Array, jax.Array]:
        x = jnp.tanh(x @ params["up"]) @ params["down"]
        return x, x

    return jax.lax.scan(body, x, length=3)[1]


PARAMS, MOMENTS = jax.eval_shape(init, jax.random.key(0))
BATCH = {"x": jax.ShapeDtypeStruct((32, 16), "float32"), "y": jax.ShapeDtypeStruct((32, 16), "float32")}
FSDP = {"params.*": P("data"), "moments.*": P("data"), "batch.*": P("data")}


def plan(**options: Any) -> partita.Plan:
    return partita.plan(train, PARAMS, MOMENTS, BATCH, **{"mesh": AXES, "schedule": [], **options})


def count(made: partita.Plan) -> dict[str, int]:
    kinds = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all")
    return {kind: made.local_text().count(f'"stablehlo.{kind}"') for kind in kinds}


def test_the_order_of_specs_has_no_effect() -> None:
    """FSDP: each matrix is gathered for its use, each gradient scattered, whichever rule stands first."""
    made = [plan(pins=list(order)) for order in itertools.permutations(FSDP.items())]
    assert len({each.local_text() for each in made}) == 1
    counted = count(made[0])
    assert counted["reduce_scatter"] == 2 and counted["all_to_all"] == 0
    assert counted["all_gather"] <= 3
    trees = ({name: P("data") for name in PARAMS}, P("data"), P("data"))
    assert plan(schedule=trees).local_text() == plan(schedule=FSDP).local_text() == made[0].local_text()
    assert plan(pins=partita.shardings(trees)).local_text() == made[0].local_text()


def test_specs_that_meet_are_planned() -> None:
    """One axis on dims that no strategy would put together."""
    for dims in itertools.product((0, 1), repeat=3):
        spec = [P(*(None,) * dim, "model") for dim in dims]
        made = plan(pins={"params/up": spec[0], "params/down": spec[1], "batch/x": spec[2]})
        assert made.in_specs[0] == {"up": spec[0], "down": spec[1]} and made.in_specs[2]["x"] == spec[2]
        made.verify()


def test_results_take_specs() -> None:
    pins = partita.shardings((P("data"), P("data"), P("data")), (P("data"), P(None, "model"), None))
    with pytest.warns(UserWarning, match="come back with another sharding"):
        made = plan(pins=pins)
    assert made.out_specs[0] == {"up": P("data"), "down": P("data")}
    assert made.out_specs[1] == {"up": P(None, "model"), "down": P(None, "model")}
    assert made.in_specs[1] == {"up": P("data"), "down": P("data")}
    made.verify()
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), tuple(AXES))
    held = partita.shardings(NamedSharding(mesh, P("data")), NamedSharding(mesh, P()))
    whole = partita.plan(evaluate, PARAMS, BATCH, mesh=AXES, schedule=[], pins=held)
    assert whole.in_specs == ({"up": P("data"), "down": P("data")}, {"x": P("data"), "y": P("data")})
    assert plan(pins={"result/0/up": P("model")}).out_specs[0]["up"] == P("model")


def test_open_dims_take_more() -> None:
    closed = plan(pins={"params/up": P(None, "model"), "params/down": P(None, None)})
    opened = plan(pins={"params/up": P(None, "model"), "params/down": P(P.UNCONSTRAINED, None)})
    assert closed.in_specs[0]["down"] == P() and opened.in_specs[0]["down"] == P("model")


def test_specs_stand_between_tactics() -> None:
    made = plan(schedule=[{"params/up": P(None, "model")}, partita.tile("batch/.*", axis="data", dim=0)])
    assert made.in_specs[0]["up"] == P(None, "model") and made.in_specs[2]["x"] == P("data")
    found = plan(schedule=[{"params/up": P("model")}, partita.auto()], machine=str(MACHINE), budget=20)
    assert found.in_specs[0]["up"] == P("model")
    assert plan(schedule=found).in_specs == found.in_specs


def test_a_saved_plan_has_its_specs(tmp_path: Path) -> None:
    made = plan(pins=FSDP, schedule=None, machine=str(MACHINE), budget=20)
    made.save(tmp_path / "plan.json")
    again = partita.load(tmp_path / "plan.json", train, PARAMS, MOMENTS, BATCH, machine=str(MACHINE))
    assert again.local_text() == made.local_text()


@pytest.mark.parametrize(
    "pins", [FSDP, {"params.*": P("data", "model"), "moments.*": P("model"), "batch.*": P("data")}]
)
def test_other_programs_always_follow(pins: Any) -> None:
    """An initialization, an evaluation and a generation take and give parameters where the training step has them."""
    trained = plan(pins=pins)
    wanted = trained.in_specs[0]
    started = partita.plan(init, jax.random.key(0), mesh=AXES, schedule=[], pins=trained)
    assert started.out_specs == (wanted, trained.in_specs[1])
    scored = partita.plan(evaluate, PARAMS, BATCH, mesh=AXES, schedule=[], pins=trained)
    assert scored.in_specs == (wanted, trained.in_specs[2])
    written = partita.plan(generate, PARAMS, BATCH["x"], mesh=AXES, schedule=[], pins=trained)
    assert written.in_specs[0] == wanted
    for made in (started, scored, written):
        made.verify()


def draw(shape: tuple[int, ...], rng: random.Random) -> P:
    """Axes at dims that they divide."""
    spec: list[list[str]] = [[] for _ in shape]
    for axis in rng.sample(list(AXES), 2):
        if shape and rng.random() < 0.65:
            dim = rng.randrange(len(shape))
            parts = AXES[axis]
            for other in spec[dim]:
                parts *= AXES[other]
            if shape[dim] % parts == 0:
                spec[dim].append(axis)
    return P(*(tuple(axes) or None for axes in spec))


def draw_tree(tree: Any, share: float, rng: random.Random) -> Any:
    """Specs for this share of the leaves, None for the others."""
    return jax.tree.map(lambda leaf: draw(leaf.shape, rng) if rng.random() < share else None, tree)


def normalize(spec: P) -> list[tuple[str, ...]]:
    dims = [() if entry is None else (entry,) if isinstance(entry, str) else tuple(entry) for entry in spec]
    while dims and not dims[-1]:
        dims.pop()
    return dims


def pairs(wanted: Any, found: Any) -> Iterator[tuple[P, P]]:
    is_leaf = lambda leaf: leaf is None or isinstance(leaf, P)  # noqa: E731
    leaves = zip(jax.tree.leaves(wanted, is_leaf=is_leaf), jax.tree.leaves(found, is_leaf=is_leaf), strict=True)
    return ((one, other) for one, other in leaves if one is not None)


@pytest.mark.filterwarnings("ignore:.*come back with another sharding", "ignore:the buffer of .* is donated")
@pytest.mark.parametrize("name", ["gpt", "decode_scan", "moe_sort", "rnn_lstm"])
def test_random_trees_hold_at_the_border_and_compute_the_same(name: str) -> None:
    program = ZOO[name].program("tiny")
    arguments = program.shapes()
    results = jax.eval_shape(program.fn, *arguments)
    for seed in range(2):
        rng = random.Random(f"{name} {seed}")
        given, wanted = draw_tree(arguments, 0.8, rng), draw_tree(results, 0.3, rng)
        made = partita.plan(
            program.fn, *arguments, mesh=AXES, schedule=partita.shardings(given, wanted),
            donate_argnums=program.donate_argnums,
        )  # fmt: skip
        for one, other in (*pairs(given, made.in_specs), *pairs(wanted, made.out_specs)):
            assert normalize(one) == normalize(other)
        made.verify()


@pytest.mark.parametrize("name", ["gpt_scan", "llama_accum", "moe_einsum", "decode"])
def test_the_rules_of_a_plan_give_its_border(name: str) -> None:
    program = ZOO[name].program("tiny")
    options: dict[str, Any] = {"mesh": AXES, "machine": str(MACHINE), "donate_argnums": program.donate_argnums}
    made = partita.plan(program.fn, *program.shapes(), budget=50, forbid="accumulate,recompute,pipeline", **options)
    again = made.replan(made.rules())
    assert again.in_specs == made.in_specs and again.out_specs == made.out_specs
    assert again.report.time_ps <= 1.1 * made.report.time_ps
    inside = made.replan([*made.rules(), *made.constraints()])
    assert inside.in_specs == made.in_specs and inside.report.time_ps <= 1.02 * made.report.time_ps
