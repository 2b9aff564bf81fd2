"""The form in which a plan stores an array: longer than the function has it, or in another order (storage.py)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from partita._src.errors import UsageError


@dataclass(frozen=True)
class StoredForm:
    """How an argument or a result is stored."""

    #: Its type.
    aval: Any
    #: If its elements are in another order: the dim of the function's array that is two in the stored one, pieces and
    #: what each has, and the sizes of the parts of which each piece has some.
    dim: int = 0
    parts: tuple[int, ...] = ()

    def store(self, leaf: Any) -> Any:
        """The function's array in the stored form; as it is if it has that already."""
        if not self.parts or not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(self.aval.shape):
            return pad(leaf, self.aval.shape)
        leaf = pad(leaf, self._joined_shape)
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return jax.ShapeDtypeStruct(tuple(self.aval.shape), leaf.dtype, weak_type=leaf.weak_type)
        array, count, dim = _namespace(leaf), self.aval.shape[self.dim], self.dim
        parts = array.split(leaf, list(accumulate(self.parts))[:-1], axis=dim)
        shapes = [(*part.shape[:dim], count, part.shape[dim] // count, *part.shape[dim + 1 :]) for part in parts]
        return array.concatenate([array.reshape(part, s) for part, s in zip(parts, shapes, strict=True)], axis=dim + 1)

    def join_dims(self, dims: Sequence[Any]) -> list[Any]:
        """What is said of each dim of the stored array, for those of the function's: pieces are cut along the first of
        the two dims that are one."""
        return list(dims) if not self.parts else [*dims[: self.dim + 1], *dims[self.dim + 2 :]]

    def keep_divided(self, spec: Sequence[Any], shape: Sequence[int]) -> list[Any]:
        """What a spec of the stored array says of dims that are not longer in it than in `shape`."""
        stored_shape = self._joined_shape
        return [axes if size == stored else None for axes, size, stored in zip(spec, shape, stored_shape, strict=False)]

    def take(self, name: str, leaf: Any, shape: Sequence[int]) -> Any:
        """The function's array of a stored one; an error if something else than zero lies behind its elements."""
        if not self.parts or not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
            return cut(name, leaf, shape)
        return cut(name, self._restore_order(leaf), shape)

    def trim(self, leaf: Any, shape: Sequence[int]) -> Any:
        """The same of an array or a shape that is in the stored form, whatever lies behind its elements."""
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return jax.ShapeDtypeStruct(tuple(shape), leaf.dtype, weak_type=leaf.weak_type)
        return (self._restore_order(leaf) if self.parts else leaf)[tuple(map(slice, shape))]

    @property
    def _joined_shape(self) -> tuple[int, ...]:
        """In the function's order, with padding: an array that is padded and reordered was padded first."""
        shape, dim = tuple(self.aval.shape), self.dim
        return (*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]) if self.parts else shape

    def _restore_order(self, leaf: Any) -> Any:
        array, count, dim = _namespace(leaf), self.aval.shape[self.dim], self.dim
        ends = list(accumulate(part // count for part in self.parts))[:-1]
        pieces = array.split(leaf, ends, axis=dim + 1)
        shapes = [(*piece.shape[:dim], count * piece.shape[dim + 1], *piece.shape[dim + 2 :]) for piece in pieces]
        return array.concatenate([array.reshape(piece, s) for piece, s in zip(pieces, shapes, strict=True)], axis=dim)


def _namespace(leaf: Any) -> Any:
    return np if isinstance(leaf, np.ndarray) else jnp


def find_stored(entries: Sequence[Mapping[str, Any]], avals: Sequence[Any]) -> list[StoredForm]:
    """The forms of arguments or results as the plan stores them: those of the function, or others."""
    return [_find_form(entry, aval) for entry, aval in zip(entries, avals, strict=True)]


def _find_form(entry: Mapping[str, Any], aval: Any) -> StoredForm:
    """`tensor<50264x768xf32>` of an array of 50257 rows; typed PRNG keys hide their words."""
    found = re.match(r"tensor<((?:[0-9]+x)*)", str(entry["type"]))
    shape = tuple(int(size) for size in found[1].split("x") if size) if found else tuple(aval.shape)
    if order := entry.get("order"):
        return StoredForm(aval.update(shape=shape), int(order[0]), tuple(map(int, order[1:])))
    is_longer = len(shape) == len(aval.shape) and shape != tuple(aval.shape)
    return StoredForm(aval.update(shape=shape) if is_longer else aval)


def pad(leaf: Any, shape: Sequence[int]) -> Any:
    """The array with zeros behind its elements; as it is if it has the shape already."""
    if not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
        return leaf
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(tuple(shape), leaf.dtype, weak_type=leaf.weak_type)
    behind = [(0, wanted - size) for size, wanted in zip(leaf.shape, shape, strict=True)]
    return np.pad(leaf, behind) if isinstance(leaf, np.ndarray) else jnp.pad(leaf, behind)


def cut(name: str, leaf: Any, shape: Sequence[int]) -> Any:
    """The elements of a stored array; an error if something other than zero, of either sign, lies behind them."""
    if not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
        return leaf
    if not all(_is_zero_behind(leaf, dim, size) for dim, size in enumerate(shape)):
        raise UsageError(
            f"{name} is stored as {tuple(leaf.shape)}, and what lies behind its {tuple(shape)} elements is not all 0",
            remedy="plan.put writes zeros there, and each step leaves them so",
        )
    return leaf[tuple(slice(size) for size in shape)]


def _is_zero_behind(leaf: Any, dim: int, size: int) -> bool:
    """Elements before the end may be anything: a training that diverged has NaN there."""
    return leaf.shape[dim] == size or not bool(jnp.any(leaf[(*[slice(None)] * dim, slice(size, None))] != 0))
