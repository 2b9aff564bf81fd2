"""Microbatches: a batch that is cut in time, planned and run."""

from __future__ import annotations

from typing import Any

from small_steps import BATCH, BP, FAST, MESH, check, close, make_params, mlp, step  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita
from partita import presets


def test_a_step_runs_in_microbatches() -> None:
    plan = check(step, make_params(), BATCH, schedule=[partita.accumulate(2), BP])
    assert plan.microbatches == 2
    assert "2 microbatches" in str(plan.report)
    assert plan.verify().equal
    assert partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[BP]).microbatches == 1


def test_the_tactic_is_part_of_the_plan(tmp_path: Any) -> None:
    accumulate = partita.accumulate(2, batch="batch.*", dim=0)
    plan = partita.plan(step, make_params(), BATCH, mesh=MESH, schedule=[accumulate, presets.fsdp("data")])
    assert plan.schedule["tactics"][0]["temporal"] == {"micro": 2}
    plan.save(tmp_path / "plan")
    again = partita.load(tmp_path / "plan", step, make_params(), BATCH)
    assert again.microbatches == 2
    close(again.jit(compiler_options=FAST)(make_params(), BATCH), jax.jit(step)(make_params(), BATCH))


def scan_step(params: Any, batch: dict[str, jax.Array]) -> tuple[Any, dict[str, jax.Array]]:
    """Layers in a scan, dropout, a mean over what is not padding, a clipped gradient and a metric."""

    def loss_of(p: Any) -> tuple[jax.Array, jax.Array]:
        def layer(h: jax.Array, given: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
            w, key = given
            kept = jax.random.bernoulli(key, 0.8, h.shape)
            return jnp.tanh(h @ w) * kept, None

        keys = jax.random.split(jax.random.key(7), p.shape[0])
        h, _ = lax.scan(layer, batch["x"], (p, keys))
        errors = jnp.sum((h - batch["y"]) ** 2, axis=-1)
        valid = batch["valid"].astype(jnp.float32)
        return jnp.sum(errors * valid) / jnp.maximum(1, jnp.sum(valid)), jnp.max(errors)

    (loss, worst), grads = jax.value_and_grad(loss_of, has_aux=True)(params)
    norm = jnp.sqrt(jnp.sum(grads**2))
    return params - grads * jnp.minimum(1, 0.5 / norm), {"loss": loss, "worst": worst}


def make_scan_inputs() -> tuple[jax.Array, dict[str, jax.Array]]:
    params = jnp.linspace(-0.3, 0.3, 3 * 16 * 16).reshape(3, 16, 16)
    valid = jnp.arange(len(BATCH["x"])) % 3 != 0
    return params, {"x": BATCH["x"], "y": BATCH["y"], "valid": valid}


def test_dropout_masks_and_clipping_are_those_of_the_whole_batch() -> None:
    params, batch = make_scan_inputs()
    plan = check(scan_step, params, batch, mesh={"data": 2}, schedule=[partita.accumulate(2), BP])
    assert plan.verify().equal


def test_what_compares_rows_is_refused_or_runs_twice() -> None:
    def contrast(params: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            rows = mlp(p, batch["x"])
            return -jnp.mean(jnp.diag(jax.nn.log_softmax(rows @ rows.T)))

        return jax.tree.map(lambda p, g: p - g, params, jax.grad(loss_of)(params))

    with pytest.raises(partita.UnsupportedError, match="rows of the batch"):
        partita.plan(contrast, make_params(), BATCH, mesh=MESH, schedule=[partita.accumulate(2)])
    plan = partita.plan(contrast, make_params(), BATCH, mesh=MESH, schedule=[partita.accumulate(2, passes=2), BP])
    assert plan.verify().equal


@pytest.mark.parametrize("count", [0, True, "auto"])
def test_what_is_no_count_is_refused(count: Any) -> None:
    with pytest.raises(partita.UsageError, match="not a number of microbatches"):
        partita.accumulate(count)
