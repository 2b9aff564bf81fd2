"""Programs as JAX writes them, and how they are partitioned: what the mutation test spoils."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

F32, I32 = jnp.float32, jnp.int32


@dataclass(frozen=True)
class Emitted:
    """A program with a mesh and tiles: `(value, dim, axis)`."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    mesh: str
    tiles: tuple[tuple[str, int, str], ...]
    integers: tuple[int, ...] = ()

    @functools.cached_property
    def program(self) -> str:
        types = [I32 if number in self.integers else F32 for number in range(len(self.shapes))]
        arguments = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in zip(self.shapes, types, strict=True)]
        return str(jax.jit(self.function, keep_unused=True).lower(*arguments).as_text())

    def save_inputs(self, path: Path) -> None:
        """Numbers of both signs; indices that are in range and repeat."""
        drawn = np.random.default_rng(7)
        arrays: dict[str, Any] = {}
        for number, shape in enumerate(self.shapes):
            whole = number in self.integers
            arrays[f"arg{number}"] = (
                drawn.integers(0, 3, shape, np.int32) if whole else drawn.normal(size=shape).astype(np.float32)
            )
        np.savez(path, **arrays)

    @property
    def schedule(self) -> str:
        return json.dumps({"tactics": [{"axis": axis, "tile": [[name, dim]]} for name, dim, axis in self.tiles]})


def loss(weights: Any, x: Any) -> Any:
    return jnp.sum(jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]) ** 2)


def train(w1: Any, w2: Any, x: Any) -> Any:
    value, gradients = jax.value_and_grad(loss)((w1, w2), x)
    return value, w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1]


def rows(x: Any, w_in: Any, w_out: Any) -> Any:
    """Two products whose rows are gathered before and scattered behind them."""

    def total(x: Any, w_in: Any, w_out: Any) -> Any:
        return jnp.sum((x + jnp.tanh(x @ w_in) @ w_out) ** 2)

    return jax.grad(total, argnums=(0, 1, 2))(x, w_in, w_out)


def softmax(x: Any) -> Any:
    return jax.nn.softmax(x * 3, axis=-1)


def attention(q: Any, k: Any, v: Any) -> Any:
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2, axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def lookup(table: Any, ids: Any) -> Any:
    value, gradient = jax.value_and_grad(lambda t: jnp.sum(jnp.sin(t[ids])))(table)
    return value, gradient


def layers(weights: Any, x: Any) -> Any:
    return lax.scan(lambda carry, w: (jnp.tanh(carry @ w), jnp.sum(carry)), x, weights)


def accumulated(w: Any, batches: Any) -> Any:
    def step(total: Any, x: Any) -> Any:
        return total + jax.grad(lambda v: jnp.sum(jnp.tanh(x @ v)))(w), ()

    return lax.scan(step, jnp.zeros_like(w), batches)[0]


def averaged(w: Any, batches: Any) -> Any:
    """Averages of gradients, scaled at each step, and how far they have gone: one sum, reduced behind the loop."""

    def step(carry: Any, x: Any) -> Any:
        average, total = carry
        average = 0.9 * average / (1 + w**2) + jax.grad(lambda v: jnp.sum(jnp.tanh(x @ v)))(w)
        return (average, total - average), ()

    return lax.scan(step, (jnp.zeros_like(w), jnp.zeros_like(w)), batches)[0][1]


def entropy(x: Any, table: Any, targets: Any) -> Any:
    def mean_loss(t: Any) -> Any:
        logits = x @ t
        chosen = jnp.take_along_axis(logits, targets[:, None], axis=-1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - chosen)

    return jax.value_and_grad(mean_loss)(table)


def experts(x: Any, gate: Any, weights: Any) -> Any:
    """Each row goes to the expert that its gate likes best, and comes back scaled."""

    def mean(w: Any) -> Any:
        likes = jax.nn.softmax(x @ gate)
        chosen = jax.nn.one_hot(jnp.argmax(likes, axis=-1), weights.shape[0], dtype=x.dtype)
        hidden = jnp.tanh(jnp.einsum("td,te,edf->etf", x, chosen, w))
        return jnp.mean(jnp.einsum("etf,te->tf", hidden, chosen * likes) ** 2)

    return jax.value_and_grad(mean)(weights)


def segments(values: Any, ids: Any) -> Any:
    """Sums of rows with one id, and each row's share of its sum."""
    sums = jnp.zeros((8, values.shape[1]), values.dtype).at[ids].add(values)
    return sums, jnp.sin(sums[ids]) * values


def carried(weights: Any, x: Any) -> Any:
    """Layers with their gradients: what is stacked on the way is read on the way back."""

    def total(w: Any) -> Any:
        return jnp.sum(lax.scan(lambda h, v: (jnp.tanh(h @ v), ()), x, w)[0] ** 2)

    return jax.value_and_grad(total)(weights)


def mapped(x: Any, w: Any) -> Any:
    """The user's own collective, over an axis of the plan's mesh."""
    mesh = jax.sharding.AbstractMesh((2, 2), ("data", "model"))
    rows = jax.sharding.PartitionSpec("data")

    def body(part: Any) -> Any:
        return part - lax.psum(jnp.sum(part, axis=0), "data") / 8

    return jnp.tanh(jax.shard_map(body, mesh=mesh, in_specs=rows, out_specs=rows)(jnp.sin(x)) @ w)


def moved(x: Any) -> Any:
    return jnp.sort(x, axis=0), jnp.sort(x, axis=1)


EMITTED: dict[str, Emitted] = {
    "train": Emitted(train, ((4, 8), (8, 4), (8, 4)), "data=2,model=2", (("arg2", 0, "data"), ("arg0", 1, "model"))),
    "sharded": Emitted(
        train,
        ((4, 8), (8, 4), (8, 4)),
        "data=4,model=2",
        (("arg2", 0, "data"), ("arg0", 1, "model"), ("arg0", 0, "data"), ("arg1", 1, "data")),
    ),
    "softmax": Emitted(softmax, ((6, 8),), "data=2,model=4", (("arg0", 0, "data"), ("arg0", 1, "model"))),
    "attention": Emitted(
        attention,
        ((2, 4, 2, 6), (2, 4, 2, 6), (2, 4, 2, 6)),
        "data=2,model=2",
        (("arg0", 0, "data"), ("arg1", 1, "model")),
    ),
    "heads": Emitted(
        attention,
        ((2, 4, 2, 6), (2, 4, 2, 6), (2, 4, 2, 6)),
        "data=2,model=2",
        (("arg0", 2, "model"), ("arg1", 1, "data"), ("result0", 1, "data")),
    ),
    "lookup": Emitted(lookup, ((8, 4), (3, 4)), "data=2,model=4", (("arg0", 0, "model"), ("arg0", 1, "data")), (1,)),
    "layers": Emitted(layers, ((3, 4, 4), (8, 4)), "data=2,model=2", (("arg1", 0, "data"), ("arg0", 2, "model"))),
    "entropy": Emitted(
        entropy, ((8, 4), (4, 8), (8,)), "data=2,model=4", (("arg0", 0, "data"), ("arg1", 1, "model")), (2,)
    ),
    "moved": Emitted(moved, ((8, 8),), "a=2,b=4", (("arg0", 0, "a"), ("result0", 1, "a"), ("result1", 0, "b"))),
    "experts": Emitted(
        experts, ((8, 4), (4, 4), (4, 4, 6)), "data=2,expert=2", (("arg0", 0, "data"), ("arg2", 0, "expert"))
    ),
    "segments": Emitted(
        segments, ((8, 4), (8,)), "data=2,model=4", (("result0", 0, "model"), ("arg0", 1, "data")), (1,)
    ),
    "carried": Emitted(carried, ((3, 4, 4), (8, 4)), "data=2,model=2", (("arg1", 0, "data"), ("arg0", 1, "model"))),
    "mapped": Emitted(mapped, ((8, 4), (4, 6)), "data=2,model=2", (("arg0", 0, "data"), ("arg1", 1, "model"))),
    "accumulated": Emitted(accumulated, ((4, 6), (3, 8, 4)), "data=4", (("arg1", 1, "data"),)),
    "averaged": Emitted(averaged, ((4, 6), (3, 8, 4)), "data=4", (("arg1", 1, "data"),)),
}

# Of this one, some gathers and scatters run in pieces.
PIECED = Emitted(
    rows,
    ((2, 16, 8), (8, 16), (16, 8)),
    "data=2,model=4",
    (("arg0", 0, "data"), ("arg1", 1, "model"), ("arg2", 0, "model"), ("arg0", 1, "model")),
)
