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


def test_what_compares_rows_is_kept_or_runs_twice() -> None:
    def contrast(params: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            rows = mlp(p, batch["x"])
            return -jnp.mean(jnp.diag(jax.nn.log_softmax(rows @ rows.T)))

        return jax.tree.map(lambda p, g: p - g, params, jax.grad(loss_of)(params))

    for passes in (1, 2):
        accumulate = partita.accumulate(2, passes=passes)
        plan = partita.plan(contrast, make_params(), BATCH, mesh=MESH, schedule=[accumulate, BP])
        assert plan.verify().equal


@pytest.mark.parametrize("count", [0, True, "some"])
def test_what_is_no_count_is_refused(count: Any) -> None:
    with pytest.raises(partita.UsageError, match="not a number of microbatches"):
        partita.accumulate(count)


#: What a step of `wide` needs is more than this: its hidden values are 64 rows of 1024.
TIGHT: Any = {"mesh": {"data": 2}, "machine": "cpu-host:1x2", "memory_limit": 100_000}


def make_wide() -> tuple[dict[str, jax.Array], dict[str, jax.Array]]:
    params = {"w1": jnp.linspace(-0.3, 0.3, 4 * 1024).reshape(4, 1024), "w2": jnp.ones((1024, 4)) / 1024}
    return params, {"x": jnp.linspace(-1, 1, 64 * 4).reshape(64, 4), "y": jnp.ones((64, 4))}


def test_a_search_cuts_what_does_not_fit(tmp_path: Any) -> None:
    params, batch = make_wide()
    plan = partita.plan(step, params, batch, **TIGHT, donate_argnums=0, forbid="recompute")
    assert plan.report.fits and plan.microbatches > 1
    lines = str(plan.report).splitlines()
    assert plan.report.strategy.endswith(f"; {plan.microbatches} microbatches")
    assert lines[1] == f"strategy: {plan.report.strategy}"
    assert lines[2] == f"program:  {plan.report.memory_actions[0]}"
    assert lines[2].startswith("program:  microbatches: a loop of")
    assert any(line.strip().startswith("the program as it is") for line in lines)
    assert plan.verify().equal
    want = jax.jit(step)(params, batch)
    plan.save(tmp_path / "plan")
    again = partita.load(tmp_path / "plan", step, params, batch, donate_argnums=0)
    assert again.microbatches == plan.microbatches
    with pytest.raises(partita.PartitaError, match=rf"changes the program \({plan.microbatches} microbatches\)"):
        plan.constraints()
    given = plan.put(params)
    got = plan.jit(compiler_options=FAST)(given, batch)
    close(got, want)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(given)), "donated"
    close(again.jit(compiler_options=FAST)(again.put(params), batch), want)


def test_memory_actions_are_allowed_and_forbidden() -> None:
    params, batch = make_wide()
    with pytest.warns(partita.DoesNotFitWarning, match="(?s)short by .* remedy: take more devices"):
        plan = partita.plan(step, params, batch, **TIGHT, forbid="accumulate")
    assert plan.microbatches == 1 and not plan.report.memory_actions
    with pytest.warns(partita.DoesNotFitWarning):
        assert partita.plan(step, params, batch, **TIGHT, allow=["recompute"]).microbatches == 1
    with pytest.raises(partita.UsageError, match="is no action"):
        partita.plan(step, params, batch, **TIGHT, forbid="offload")
    with pytest.warns(partita.DoesNotFitWarning, match="(?s)short by .* remedy: leave out schedule= to search"):
        by_hand = partita.plan(step, params, batch, **TIGHT, schedule=[BP])
    assert by_hand.microbatches == 1 and by_hand.report.fits is False, "a schedule of one's own is left"


def test_the_number_may_be_left_open() -> None:
    params, batch = make_wide()
    options: Any = TIGHT | {"memory_limit": 200_000}
    plan = partita.plan(step, params, batch, **options, schedule=[partita.accumulate("auto"), BP])
    assert plan.report.fits and plan.microbatches > 1
    assert any(line.strip().startswith("the program as it is") for line in str(plan.report).splitlines())
    roomy = partita.plan(
        step, params, batch, mesh={"data": 2}, machine="cpu-host:1x2", schedule=[partita.accumulate("auto"), BP]
    )
    assert roomy.microbatches == 1
    with pytest.raises(partita.UsageError, match="needs a machine"):
        partita.plan(step, params, batch, mesh={"data": 2}, schedule=[partita.accumulate("auto"), BP])


def test_a_program_with_microbatches_of_its_own_is_left() -> None:
    params, batch = make_wide()

    def own(p: Any, given: Any) -> Any:
        pieces = jax.tree.map(lambda leaf: leaf.reshape(4, 16, 4), given)

        def add(total: Any, piece: Any) -> tuple[Any, None]:
            grads = jax.grad(lambda q: jnp.mean((mlp(q, piece["x"]) - piece["y"]) ** 2))(p)
            return jax.tree.map(jnp.add, total, grads), None

        grads, _ = lax.scan(add, jax.tree.map(jnp.zeros_like, p), pieces)
        return jax.tree.map(lambda w, g: w - 0.1 * g, p, grads)

    options: Any = TIGHT | {"memory_limit": 60_000}
    with pytest.warns(partita.DoesNotFitWarning):
        plan = partita.plan(own, params, batch, **options)
    assert plan.microbatches == 1
    assert "microbatches: the program has 4 of its own, in a loop that adds up gradients" in str(plan.report)
