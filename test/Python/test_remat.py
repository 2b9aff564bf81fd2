"""Values that the backward pass recomputes or keeps, planned and run."""

from __future__ import annotations

import re
from typing import Any

from small_steps import BATCH, BP, FAST, MESH, check, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita

LAYERS = 3
Params = dict[str, list[jax.Array]]


def make_step(*, scan: bool, policy: str) -> Any:
    def layer(w: jax.Array, h: jax.Array) -> jax.Array:
        with jax.named_scope("mix"):
            return h + jnp.tanh(h @ w)

    block = jax.checkpoint(layer) if policy == "full" else layer

    def run(params: Params, h: jax.Array) -> jax.Array:
        if scan:
            return lax.scan(lambda carry, w: (block(w, carry), None), h, jnp.stack(params["layers"]))[0]
        for w in params["layers"]:
            h = block(w, h)
        return h

    def step(params: Params, batch: dict[str, jax.Array]) -> tuple[Params, jax.Array]:
        def loss_of(p: Params) -> jax.Array:
            return jnp.mean((run(p, batch["x"]) - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(loss_of)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    return step


def make_params() -> Params:
    return {"layers": list(jnp.linspace(-0.3, 0.3, LAYERS * 16 * 16).reshape(LAYERS, 16, 16))}


@pytest.mark.parametrize("scan", [True, False])
def test_recomputed_values_do_not_change_the_result(scan: bool) -> None:
    plan = check(make_step(scan=scan, policy="none"), make_params(), BATCH, schedule=[partita.recompute("mix/.*"), BP])
    assert plan.schedule["tactics"][0]["recompute"] == ["mix/.*"]
    assert (
        len(re.findall(r"recomputed in the backward pass: \S+/test_remat\.py:\d+ \([a-z_, ]+\) \(", str(plan.report)))
        == 1
    )
    assert plan.verify().equal


@pytest.mark.parametrize("scan", [True, False])
def test_what_jax_recomputes_is_kept(scan: bool) -> None:
    plan = check(make_step(scan=scan, policy="full"), make_params(), BATCH, schedule=[partita.keep("mix/.*"), BP])
    assert (
        len(re.findall(r"kept instead of recomputed: \S+/test_remat\.py:\d+ \([a-z_, ]+\) \(", str(plan.report))) == 1
    )
    assert plan.verify().equal


@pytest.mark.parametrize("scan", [True, False])
def test_the_order_of_rewrites_in_a_schedule_does_not_matter(scan: bool, tmp_path: Any) -> None:
    step = make_step(scan=scan, policy="none")
    tactics = [partita.recompute("mix/.*"), partita.accumulate(2)]
    plans = [
        partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[*order, BP]) for order in (tactics, tactics[::-1])
    ]
    assert plans[0].local_text() == plans[1].local_text()
    assert plans[0].verify().equal
    plans[0].save(tmp_path / "plan")
    again = partita.load(tmp_path / "plan", step, make_params(), BATCH)
    close(again.jit(compiler_options=FAST)(make_params(), BATCH), jax.jit(step)(make_params(), BATCH))


def test_a_pattern_that_matches_nothing_says_what_there_is() -> None:
    with pytest.raises(partita.InputError, match="did you mean 'mix/tanh'"):
        partita.plan(
            make_step(scan=True, policy="none"),
            make_params(),
            BATCH,
            mesh=MESH,
            schedule=[partita.recompute("mix/tan")],
        )


def test_patterns_are_texts() -> None:
    with pytest.raises(partita.UsageError, match="is not a pattern"):
        partita.recompute(3)  # type: ignore[arg-type]
    with pytest.raises(partita.UsageError, match="has no pattern"):
        partita.keep()
