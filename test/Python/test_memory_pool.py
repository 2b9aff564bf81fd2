"""Plans for GPUs are made for the memory that JAX takes, and say which setting they need."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest

import partita
from partita._src import overview
from partita._src.errors import DoesNotFitWarning

assert xla_runner.MAX_DEVICES >= 8
SETTING = "XLA_PYTHON_CLIENT_MEM_FRACTION"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of 1600 bytes: JAX's default pool gives 1600 * .75 * .896 = 1075, and what is planned here takes 1200."""
    for name in (SETTING, "XLA_CLIENT_MEM_FRACTION"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "gpu.json"
    path.write_text('{"base": "h100-sxm:1x4", "name": "small", "device": {"memory_bytes": 1600}}')
    return str(path)


def add(x: jax.Array, y: jax.Array) -> jax.Array:
    return x + y


def plan(machine: str, **options: Any) -> partita.Plan:
    vector = jax.ShapeDtypeStruct((100,), jnp.float32)
    return partita.plan(add, vector, vector, mesh={"data": 4}, machine=machine, schedule=[], **options)


def test_a_plan_says_which_pool_it_needs(machine: str) -> None:
    with pytest.warns(DoesNotFitWarning, match=f"(?s)more than the 75% .* remedy: set {SETTING}=.84 before JAX"):
        made = plan(machine)
    assert made.report.fits is False and made.report.figures["limit_bytes"] == 1075
    assert made.memory_fraction == made.report.memory_fraction == 0.84
    assert f"memory pool   does not fit in JAX's default pool; fits with {SETTING}=.84" in str(made.report)
    assert f"{SETTING}=.84" in made.report._repr_html_()
    assert repr(made).endswith(f"0 of 2 arguments split, needs {SETTING}=.84)")


def test_a_given_limit_does_not_hide_it(machine: str) -> None:
    with pytest.warns(DoesNotFitWarning, match="84"):
        made = plan(machine, memory_limit="90%")
    assert made.report.fits and made.memory_fraction == 0.84


@pytest.mark.parametrize("name", [SETTING, "XLA_CLIENT_MEM_FRACTION"])
def test_the_setting_of_the_process_is_the_limit(machine: str, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0.85")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = plan(machine)
    assert made.report.fits and made.report.figures["limit_bytes"] == 1218
    assert made.memory_fraction == 0.84


def test_a_search_that_finds_none_that_fits_warns_once(machine: str) -> None:
    text = Path(machine).read_text().replace("1600", "400")
    Path(machine).write_text(text)
    vector = jax.ShapeDtypeStruct((100,), jnp.float32)
    with pytest.warns(DoesNotFitWarning, match=f"(?s)does not fit into memory.*fits with {SETTING}=.84") as caught:
        partita.plan(add, vector, vector, mesh={"data": 4}, machine=machine, budget=10, progress=False)
    assert len(caught) == 1


def test_nothing_is_said_where_the_default_is_enough(machine: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = plan("h100-sxm:1x4")
    assert made.memory_fraction is None
    assert "memory pool" not in str(made.report) and SETTING not in repr(made)


def test_bad_settings_are_refused(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "lots")
    with pytest.raises(partita.UsageError, match=f"{SETTING}='lots' is not a share of the memory"):
        plan(machine)


def test_a_cache_knows_under_which_setting_a_plan_was_made(
    machine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    limits = []
    for fraction in ("0.85", "0.9", "0.85"):
        monkeypatch.setenv(SETTING, fraction)
        limits.append(plan(machine, cache=tmp_path / "cache").report.figures["limit_bytes"])
    assert limits == [1218, 1290, 1218]


def test_near_the_limit_a_report_says_what_overlap_takes() -> None:
    def products(x: jax.Array, weights: dict[str, jax.Array]) -> jax.Array:
        return x @ weights["first"] @ weights["second"]

    matrix = jax.ShapeDtypeStruct((4096, 4096), jnp.float32)
    rules = [["x", ["data"]], ["weights/.*", ["data"]]]
    weights = {"first": matrix, "second": matrix}
    options: dict[str, Any] = {"mesh": {"data": 4}, "machine": "h100-sxm:1x4", "schedule": rules}
    near = partita.plan(products, matrix, weights, memory_limit="210MB", **options).report
    assert near.near_limit is not None and near.time_ps is not None
    assert near.near_limit["overlap_bytes"] > 0 and near.near_limit["synchronous_ps"] > near.time_ps
    assert "overlap       may be given up near the limit: it takes" in str(near)
    assert partita.plan(products, matrix, weights, **options).report.near_limit is None


def test_overlap_that_takes_no_memory_is_said_without_bytes() -> None:
    near = {"overlap_bytes": 0, "synchronous_ps": 3_000_000_000}
    figures = {"peak_bytes": 990, "limit_bytes": 1000, "near_limit": near}
    lines = list(overview.print_memory({"memory": {}}, figures, is_lower_limit=False, pool=""))
    assert lines[-1] == "  overlap       may be given up near the limit: without it a step takes 3.00 ms"
