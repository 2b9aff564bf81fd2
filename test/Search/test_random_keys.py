"""Keys of random numbers among the arguments: a search never splits their words."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

PARTITA = Path(__file__).resolve().parents[2] / "build" / "bin" / "partita"
DONE, DOES_NOT_FIT = 0, 11
WORDS = {"threefry2x32": 2, "rbg": 4}


def carry(w: jax.Array, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One key, which the step returns anew."""

    def loss(w: jax.Array) -> jax.Array:
        return jnp.mean(jnp.where(jax.random.bernoulli(key, 0.9, (8, 16)), x @ w, 0) ** 2)

    return w - jax.grad(loss)(w), jax.random.split(key, 1)[0]


def stack(w: jax.Array, x: jax.Array, key: jax.Array) -> jax.Array:
    """One key for each layer."""

    def layer(x: jax.Array, each: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        return jnp.where(jax.random.bernoulli(each[1], 0.9, x.shape), x @ each[0], 0), None

    return jax.lax.scan(layer, x, (w, key))[0]


CASES: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "carry": (carry, [(8, 16), (8, 8), ()]),
    "stack": (stack, [(4, 16, 16), (8, 16), (4,)]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("impl", WORDS)
def test_words_of_a_key_stay_together(case: str, impl: str, tmp_path: Path) -> None:
    function, (weights, inputs, keys) = CASES[case]
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in (weights, inputs)]
    with jax.default_prng_impl(impl):
        lowered = jax.jit(function).lower(*arguments, jax.ShapeDtypeStruct((*keys, WORDS[impl]), jnp.uint32))
    (tmp_path / "program.mlir").write_text(lowered.as_text(debug_info=True))
    where = ["--mesh", "data=2,model=2", "--machine", "h100-sxm:1x4", "--memory-limit", "1kB"]
    how = ["--budget", "300", "--no-check", "--dump-evaluated", "evaluated.jsonl", "-o", "out"]
    command = [str(PARTITA), "plan", "program.mlir", *where, *how]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode in (DONE, DOES_NOT_FIT), done.stderr
    with (tmp_path / "evaluated.jsonl").open() as lines:
        moves = {move for line in lines for move in json.loads(line)["moves"]}
    assert len(moves) > 5
    assert not [move for move in moves if re.match("key along", move)]
    tactics = json.loads((tmp_path / "out" / "plan.json").read_text())["schedule"]["tactics"]
    tiled = [pattern for tactic in tactics for pattern, *_ in tactic.get("tile", [])]
    assert tiled and "key" not in tiled
