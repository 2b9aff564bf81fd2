"""`jax.debug.print` and `jax.debug.callback` inside planned functions."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import partita

assert xla_runner.MAX_DEVICES >= 8
MESH = "data=4,model=2"
MACHINE = "h100-sxm:1x8"
SPLIT = [partita.tile("x", dim=0, axis="data"), partita.tile("w", dim=1, axis="model")]
W = np.random.default_rng(0).standard_normal((16, 32)).astype(np.float32) / 4
X = np.random.default_rng(1).standard_normal((8, 16)).astype(np.float32)


def plain(w: Any, x: Any) -> Any:
    y = jnp.tanh(x @ w)
    jax.debug.print("y {y:.3f} of {shape}", y=y[0, 0], shape=y.shape)
    jax.debug.print("rows {}", jnp.round(10 * y[:2, :3]).astype(int))
    jax.debug.print("here")
    return y.sum()


def nested(w: Any, x: Any) -> Any:
    @jax.jit
    def show(loss: Any) -> Any:
        jax.debug.print("loss {:.3f}", loss)
        return loss

    @jax.checkpoint
    def layer(y: Any, row: Any) -> Any:
        z = jnp.tanh(y @ w)
        jax.debug.print("layer {:.3f}", z.mean())
        return z @ w.T + row

    def measure(w: Any, x: Any) -> Any:
        y, _ = lax.scan(lambda y, row: (layer(y, row), None), x, jnp.ones((3, 16)) / 8)
        lax.cond(y.sum() > 1e9, lambda: jax.debug.print("large"), lambda: jax.debug.print("small"))
        jax.vmap(lambda v: jax.debug.print("entry {:.3f}", v))(y[0, :2])
        return show((y**2).mean())

    _, last = lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, jax.debug.print("turn {}", c[0]) or c[1]), (0, x))
    return jax.value_and_grad(measure)(w, last)


def keys(w: Any, x: Any) -> Any:
    key = jax.random.key(0)
    jax.debug.callback(lambda key, whole: print("key", jax.random.key_data(key), whole.shape), key, x)
    return x @ w + jax.random.normal(key, (32,))


def printed(capfd: pytest.CaptureFixture[str], run: Any) -> tuple[list[str], Any]:
    """The lines, in any order, and the result."""
    capfd.readouterr()
    result = jax.block_until_ready(run(W, X))
    jax.effects_barrier()
    return sorted(capfd.readouterr().out.splitlines()), result


@pytest.mark.parametrize("function", [plain, nested, keys], ids=["plain", "nested", "keys"])
def test_whole_values_are_printed_once(function: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = partita.plan(function, W, X, mesh=MESH, machine=MACHINE, platform="cpu", schedule=SPLIT)
        wanted, expected = printed(capfd, jax.jit(function))
        assert len(wanted) >= 1
        for partitioner in ("partita", "shardy"):
            run = made.jit(partitioner=partitioner)  # type: ignore[arg-type]
            for _ in range(2):
                lines, result = printed(capfd, run)
                assert lines == wanted
        # As part of another function.
        lines, _ = printed(capfd, jax.jit(lambda w, x: made.jit()(w, x)))
        assert lines == wanted
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-5), result, expected)
    assert made.report.unpriced == [] and made.report.fits and not made.report.is_lower_limit
    assert "partita.print.0" in made.local_text()
    found = made.verify()
    assert found.equal and found.executed


def test_each_callback_sees_the_whole_value_once() -> None:
    seen: list[Any] = []

    def f(w: Any, x: Any) -> Any:
        y = x @ w
        jax.debug.callback(lambda y: seen.append(np.asarray(y)), y)
        return y.sum()

    # Nothing but the callback wants it whole.
    made = partita.plan(f, W, X, mesh=MESH, schedule=SPLIT)
    jax.block_until_ready(made.jit()(W, X))
    jax.effects_barrier()
    [whole] = seen
    np.testing.assert_allclose(whole, X @ W, rtol=1e-4, atol=1e-5)


def test_prints_are_dropped_with_a_warning(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"3 prints are dropped: .*test_prints\.py:\d+.*: debug_\w+, "):
        made = partita.plan(plain, W, X, mesh=MESH, schedule=SPLIT, debug_prints="drop")
    for partitioner in ("partita", "shardy"):
        lines, result = printed(capfd, made.jit(partitioner=partitioner))  # type: ignore[arg-type]
        assert lines == []
        np.testing.assert_allclose(result, np.tanh(X @ W).sum(), rtol=1e-4)
    assert "custom_call" not in made.local_text()
    made.save(tmp_path / "plan.json")
    with pytest.warns(UserWarning, match="3 prints are dropped"):
        loaded = partita.load(tmp_path / "plan.json", plain, W, X, debug_prints="drop")
    assert loaded.to_json() == made.to_json()
    with pytest.raises(partita.InputError):
        partita.load(tmp_path / "plan.json", plain, W, X)


def multiply_pieces(w: Any, x: Any, **options: Any) -> Any:
    def local(x: Any) -> Any:
        jax.debug.print("piece {:.2f}", x.sum())
        return x * 4

    return jax.shard_map(local, in_specs=P("data"), out_specs=P("data"), **options)(x) @ w


def test_each_device_prints_its_piece(capfd: pytest.CaptureFixture[str]) -> None:
    made = partita.plan(multiply_pieces, W, X, mesh=MESH, machine=MACHINE, platform="cpu", schedule=SPLIT[1:])
    lines, result = printed(capfd, made.jit())
    assert lines == sorted(f"piece {X[2 * row : 2 * row + 2].sum():.2f}" for row in range(4) for _ in range(2))
    np.testing.assert_allclose(result, X @ W * 4, rtol=1e-4, atol=1e-5)
    assert made.report.unpriced == []
    # Over one of the two axes it is neither a piece nor the whole.
    part = functools.partial(multiply_pieces, axis_names={"data"})
    with pytest.raises(partita.UnsupportedError, match=r"test_prints\.py:\d+"):
        partita.plan(part, W, X, mesh=MESH, schedule=SPLIT[1:]).jit()


@pytest.mark.filterwarnings("ignore:.*dropped")
def test_what_cannot_be_printed_can_be_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    """Prints in an order, and those of pieces; at any depth."""
    part = functools.partial(multiply_pieces, axis_names={"data"})

    def ordered(w: Any, x: Any) -> Any:
        y, _ = lax.scan(lambda y, _: (jax.debug.print("{}", y.sum(), ordered=True) or y * 2, None), x, None, length=2)
        return y @ w

    for function in (ordered, multiply_pieces, part, nested):
        made = partita.plan(function, W, X, mesh=MESH, schedule=SPLIT[1:], debug_prints="drop")
        assert "custom_call" not in made.local_text()
        lines, result = printed(capfd, made.jit())
        assert lines == []
        if function is not nested:
            np.testing.assert_allclose(result, X @ W * 4, rtol=1e-4, atol=1e-5)


def test_planning_jit_takes_both(capfd: pytest.CaptureFixture[str]) -> None:
    run = partita.jit(plain, mesh=MESH, schedule=SPLIT)
    assert printed(capfd, run)[0] == printed(capfd, jax.jit(plain))[0] != []
    with pytest.warns(UserWarning, match="3 prints are dropped"):
        assert printed(capfd, partita.jit(plain, mesh=MESH, schedule=SPLIT, debug_prints="drop"))[0] == []


def test_what_was_traced_prints(capfd: pytest.CaptureFixture[str]) -> None:
    traced = jax.jit(plain).trace(W, X)
    made = partita.plan(traced, mesh=MESH, schedule=SPLIT)
    assert printed(capfd, made.jit())[0] == printed(capfd, jax.jit(plain))[0]
    with pytest.warns(UserWarning, match="3 prints are dropped"):
        assert printed(capfd, partita.plan(traced, mesh=MESH, schedule=SPLIT, debug_prints="drop").jit())[0] == []


def test_a_search_prices_prints(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = partita.plan(nested, W, X, mesh=MESH, machine=MACHINE, platform="cpu", budget=20, progress=False)
    assert made.report.fits and made.report.unpriced == []
    assert printed(capfd, made.jit())[0] == printed(capfd, jax.jit(nested))[0]


def test_other_values_of_the_option_are_refused() -> None:
    with pytest.raises(partita.UsageError, match="'print' or 'drop'"):
        partita.plan(plain, W, X, mesh=MESH, schedule=SPLIT, debug_prints="no")  # type: ignore[arg-type]
    with pytest.raises(partita.UsageError, match="prints of a jax"):
        partita.plan(jax.jit(plain).lower(W, X), mesh=MESH, schedule=SPLIT, debug_prints="drop")
