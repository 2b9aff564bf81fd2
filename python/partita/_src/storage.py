"""State that a plan stores longer than the function has it.

A pad tactic with `"store": true` gives arguments that come back as results their longer shape at the border of the
program: a vocabulary of 50257 is stored as 50264. Behind the elements lies +0, in the first state and after each step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from partita._src.errors import UsageError


def find_stored(entries: Sequence[Mapping[str, Any]], avals: Sequence[Any]) -> list[Any]:
    """The types of arguments or results as the plan stores them: those of the function, or longer ones."""
    return [_store(str(entry["type"]), aval) for entry, aval in zip(entries, avals, strict=True)]


def _store(text: str, aval: Any) -> Any:
    """`tensor<50264x768xf32>` of an array of 50257 rows; typed PRNG keys hide their words."""
    found = re.match(r"tensor<((?:[0-9]+x)*)", text)
    shape = tuple(int(size) for size in found[1].split("x") if size) if found else tuple(aval.shape)
    is_longer = len(shape) == len(aval.shape) and shape != tuple(aval.shape)
    return aval.update(shape=shape) if is_longer else aval


def pad(leaf: Any, shape: Sequence[int]) -> Any:
    """The array with zeros behind its elements; as it is if it has the shape already."""
    if not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
        return leaf
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(tuple(shape), leaf.dtype, weak_type=leaf.weak_type)
    behind = [(0, wanted - size) for size, wanted in zip(leaf.shape, shape, strict=True)]
    return np.pad(leaf, behind) if isinstance(leaf, np.ndarray) else jnp.pad(leaf, behind)


def cut(name: str, leaf: Any, shape: Sequence[int]) -> Any:
    """The elements of a stored array; an error if something else than zero lies behind them."""
    if tuple(leaf.shape) == tuple(shape):
        return leaf
    elements = leaf[tuple(slice(size) for size in shape)]
    if bool(jnp.any(pad(elements, leaf.shape) != leaf)):
        raise UsageError(
            f"{name} is stored as {tuple(leaf.shape)}, and behind its {tuple(shape)} elements is something else than 0",
            remedy="plan.put writes zeros there, and each step leaves them so",
        )
    return elements
