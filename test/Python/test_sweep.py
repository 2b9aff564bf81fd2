"""`partita.sweep`: steps that only tracing can make, planned side by side."""

from __future__ import annotations

from typing import Any

from small_steps import make_params, mlp  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest

import partita

ON: Any = {"mesh": "data=2", "machine": "cpu-host:1x2"}


def make_step(batch: int, remat: bool = False) -> tuple[Any, tuple[Any, Any]]:
    if batch == 13:
        raise RuntimeError("unlucky\nand more of it")
    forward = jax.checkpoint(mlp) if remat else mlp

    def step(params: Any, x: jax.Array) -> Any:
        grads = jax.grad(lambda p: jnp.mean(forward(p, x) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, (make_params(), jax.ShapeDtypeStruct((batch, 16), "float32"))


def test_all_points_are_rows_of_one_table() -> None:
    found = partita.sweep(make_step, {"batch": [8, 64], "remat": [False, True]}, samples="batch", **ON)
    assert [dict(row.point) for row in found.rows] == [
        {"batch": 8, "remat": False},
        {"batch": 8, "remat": True},
        {"batch": 64, "remat": False},
        {"batch": 64, "remat": True},
    ]
    assert all(row.fits and row.plan is not None for row in found.rows)
    head, *lines = str(found).splitlines()
    assert head.split() == ["batch", "remat", "time", "per", "sample", "peak", "memory", "microbatches"]
    assert len(lines) == 4 and sum(line.endswith("best") for line in lines) == 1
    # A larger batch takes longer, but less for each sample.
    assert found.ranked()[0].point["batch"] == 64
    best, second = found.best(2)
    assert best is found.ranked()[0].plan and second is found.ranked()[1].plan
    assert "<table>" in found._repr_html_()


def test_it_does_not_depend_on_how_many_run_at_a_time() -> None:
    grid = {"batch": [8, 16, 32]}
    assert str(partita.sweep(make_step, grid, jobs=1, **ON)) == str(partita.sweep(make_step, grid, jobs=3, **ON))


def test_an_error_is_a_row(capfd: pytest.CaptureFixture[str]) -> None:
    found = partita.sweep(make_step, [{"batch": 13}, {"batch": 7, "remat": True}], progress=True, **ON)
    assert [row.error for row in found.rows] == ["RuntimeError: unlucky", ""]
    assert found.rows[0].plan is None and found.best(5) == [found.rows[1].plan]
    assert "2 of 2 points" in capfd.readouterr().err


def test_what_a_sweep_refuses() -> None:
    with pytest.raises(partita.UsageError, match="the values of 'batch' are not a list"):
        partita.sweep(make_step, {"batch": 8}, **ON)  # type: ignore[dict-item]
    with pytest.raises(partita.UsageError, match="not in the grid"):
        partita.sweep(make_step, {"batch": [8]}, samples="rows", **ON)
    with pytest.raises(partita.UsageError, match=r"has no option 'machin'\n.*did you mean machine=\?"):
        partita.sweep(make_step, {"batch": [8]}, machin="cpu-host:1x2")
    with pytest.raises(partita.UsageError, match="keeps no plans in a cache"):
        partita.sweep(make_step, {"batch": [8]}, cache="plans", **ON)
    with pytest.raises(partita.UsageError, match="sweep needs a mesh"):
        partita.sweep(make_step, {"batch": [8]})
    with pytest.raises(partita.UsageError, match="something other than a step"):
        partita.sweep(lambda batch: batch, {"batch": [8]}, **ON)
    with pytest.raises(RuntimeError, match="unlucky"):
        partita.sweep(make_step, {"batch": [13]}, **ON)


def test_options_of_one_point() -> None:
    def step(batch: int) -> Any:
        return (*make_step(batch), {"schedule": [partita.tile("x", dim=0, axis="data")]})

    found = partita.sweep(step, {"batch": [8]}, samples=lambda batch: 2 * batch, **ON)
    plan = found.best(1)[0]
    assert plan.in_specs[1] == jax.sharding.PartitionSpec("data")
    assert found.rows[0].samples == 16
