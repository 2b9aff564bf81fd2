"""What a row of docs/models.md is made of: a function with arguments, and how an expert would split it.

Functions that train take a state and a batch, `step(state, *batch) -> (state, ...)`, and are called with the state they
gave back; others are called once. Weights are random: nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import optax

from partita import presets
from partita._src.tactics import Tactic

Tiles = Sequence[tuple[str, int | str]]

MESH = {"data": 2, "model": 4}


@dataclass(frozen=True)
class Case:
    """A function, its arguments, and what the presets must be told, in patterns over path names (docs/schedules.md).

    `batch` matches what is split over `data` as the batch, along `batch_dim`. Megatron finds its matrices by structure;
    `tensor` are tiles over `model` for programs whose structure it does not know. `state` matches what FSDP spreads
    over `data`. `parameters` are the weights alone, to be counted. `make_again` gives the arguments as another process
    makes them, with functions of its own: those are what is run. A case that `follows` another is planned with the plan
    of that as its pins, and nothing else.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parameters: Any
    batch: str = "batch/.*"
    batch_dim: int = 0
    tensor: Tiles = ()
    state: str = "state/.*"
    training: bool = True
    make_again: Callable[[], tuple[Any, ...]] | None = None
    follows: Case | None = None

    def make_arguments(self) -> tuple[Any, ...]:
        """Those to be run with."""
        return self.arguments if self.make_again is None else self.make_again()

    @property
    def steps(self) -> int:
        return 3 if self.training else 1

    def count_parameters(self) -> int:
        return sum(int(np.prod(np.shape(leaf))) for leaf in jax.tree.leaves(self.parameters))

    def schedule(self) -> list[Any]:
        """FSDP over `data` and Megatron over `model`: the batch, the weights of each block, then all that is left."""
        megatron = Tactic("model", "megatron", tiles=tuple(self.tensor)) if self.tensor else presets.megatron("model")
        batch = presets.data_parallel("data", batch=self.batch, dim=self.batch_dim)
        return [batch, megatron, *([presets.zero3("data", state=self.state)] if self.state else [])]


@dataclass(frozen=True)
class Row:
    """A named model of a package; `make` builds it, in a process that has the package."""

    name: str
    package: str
    make: Callable[[], Case]


Loss = Callable[..., jax.Array]


def make_step(loss: Loss, rule: optax.GradientTransformation) -> Callable[..., Any]:
    """A training step of `loss(params, batch)`; the state holds `params` and the `optimizer`'s own."""

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        value, gradients = jax.value_and_grad(loss)(state["params"], batch)
        updates, optimizer_state = rule.update(gradients, state["optimizer"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "optimizer": optimizer_state}, value

    return step


def train(
    loss: Loss,
    params: Any,
    batch: Mapping[str, Any],
    /,
    *,
    optimizer: optax.GradientTransformation | None = None,
    **options: Any,
) -> Case:
    """A training step of `loss(params, batch)`, by AdamW if no optimizer is given; `options` are those of `Case`.

    The state is named `state['params']...` and `state['optimizer']...`, the batch `batch[...]`.
    """
    rule = optimizer if optimizer is not None else optax.adamw(1e-3)
    start = {"params": params, "optimizer": rule.init(params)}
    return Case(make_step(loss, rule), (start, dict(batch)), params, **options)


def random_weights(shapes: Any, seed: int = 0) -> Any:
    """Weights of these shapes (`jax.eval_shape` of an initialisation, which need not be compiled then).

    Matrices are normal by their inputs, vectors near 0, or near 1 if they scale. Biases are not 0: gradients of them
    would depend on rounding more than they must.
    """
    random = np.random.default_rng(seed)

    def fill(path: Any, shape: Any) -> np.ndarray:
        values = random.standard_normal(shape.shape)
        if len(shape.shape) > 1:
            values /= np.sqrt(np.prod(shape.shape[:-1]))
        else:
            last = jax.tree_util.keystr(path[-1:], simple=True)
            values = 0.1 * values + (last in ("scale", "gamma", "weight"))
        return values.astype(shape.dtype)

    return jax.tree_util.tree_map_with_path(fill, shapes)


def random_tokens(shape: tuple[int, ...], vocabulary: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, vocabulary, shape).astype(np.int32)


def random_floats(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
