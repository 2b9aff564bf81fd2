"""Where a plan keeps the arguments of a function between calls, and in which shape.

`Storage` moves arguments to their devices and takes them back. State may be stored longer than the function has it: a
pad tactic with `"store": true` gives arguments that come back as results their longer shape at the border of the
program. A vocabulary of 50257 is stored as 50264. Behind the elements lies +0, in the first state and after each step.

A reorder tactic with `"store": true` stores a matrix for queries, keys and values, `[h, 3h]`, as `[h, 8, 3h/8]`: for
each of 8 devices its columns of the three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from partita._src import static_fields
from partita._src.errors import UsageError
from partita._src.jax_internals import abstract_values
from partita._src.programs import Program
from partita._src.shapes import to_shape
from partita._src.spelling import advise_name


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
        if self.parts:
            return list(spec)
        return [
            axes if size == stored else None for axes, size, stored in zip(spec, shape, self.aval.shape, strict=False)
        ]

    def take(self, name: str, leaf: Any, shape: Sequence[int]) -> Any:
        """The function's array of a stored one; an error if something else than zero lies behind its elements."""
        if not self.parts or not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
            return cut(name, leaf, shape)
        return self._restore_order(leaf)

    def trim(self, leaf: Any, shape: Sequence[int]) -> Any:
        """The same of an array or a shape that is in the stored form, whatever lies behind its elements."""
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return jax.ShapeDtypeStruct(tuple(shape), leaf.dtype, weak_type=leaf.weak_type)
        return self._restore_order(leaf) if self.parts else leaf[tuple(map(slice, shape))]

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
    """The elements of a stored array; an error if something other than zero lies behind them."""
    if not hasattr(leaf, "shape") or tuple(leaf.shape) == tuple(shape):
        return leaf
    elements = leaf[tuple(slice(size) for size in shape)]
    if bool(jnp.any(pad(elements, leaf.shape) != leaf)):
        raise UsageError(
            f"{name} is stored as {tuple(leaf.shape)}, and what lies behind its {tuple(shape)} elements is not all 0",
            remedy="plan.put writes zeros there, and each step leaves them so",
        )
    return elements


def is_concrete(leaf: Any) -> bool:
    """Whether it is an array on devices: neither traced nor of numpy."""
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)


def move(tree: Any, shardings: Any, *, donated: bool) -> Any:
    """The arrays there. Those that are to be donated, and are moved, share no memory with the caller's, which a call
    would delete: `device_put` from one device to several keeps it for the piece there, whatever it is told."""

    def prepare(leaf: Any, sharding: Any) -> Any:
        if not is_concrete(leaf) or leaf.sharding.is_equivalent_to(sharding, leaf.ndim):
            return leaf
        if leaf.is_fully_addressable and not sharding.is_fully_addressable:
            return spread(leaf, sharding)
        return jax.device_put(leaf, leaf.sharding, may_alias=False) if donated else leaf

    return jax.device_put(jax.tree.map(prepare, tree, shardings), shardings)


def spread(value: Any, sharding: Any) -> jax.Array:
    """What each process has of its own, and all have the same, on the devices of all."""
    aval = abstract_values.abstract_value(value)
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        words = spread(jax.random.key_data(value), sharding)
        return jax.random.wrap_key_data(words, impl=jax.random.key_impl(value))
    whole = np.asarray(value, aval.dtype)
    return jax.make_array_from_callback(aval.shape, sharding, lambda index: whole[index], dtype=aval.dtype)


class Storage:
    """How a plan stores the arguments of its program."""

    def __init__(self, program: Program, arguments: Sequence[Mapping[str, Any]]) -> None:
        self._program = program
        self._names = [str(entry["name"]) for entry in arguments]
        #: Of the flat arguments.
        self.forms = find_stored(arguments, program.in_avals)

    def put(self, shardings: Sequence[Any], arguments: Sequence[Any], keywords: Mapping[str, Any] | None) -> list[Any]:
        """The arguments, and a dict of the keyword arguments if there is one, under the flat shardings."""
        donated = self._program.donated

        def put_leaf(leaf: Any, sharding: Any, form: StoredForm, is_donated: bool) -> Any:
            return move(form.store(leaf), sharding, donated=is_donated)

        return self._replace(put_leaf, arguments, keywords, shardings, self.forms, donated)

    def unput(self, arguments: Sequence[Any], keywords: Mapping[str, Any] | None) -> list[Any]:
        """The same in the shapes of the function."""

        def take_leaf(leaf: Any, name: str, form: StoredForm, shape: jax.ShapeDtypeStruct) -> Any:
            return form.take(name, leaf, shape.shape)

        shapes = list(map(to_shape, self._program.in_avals))
        return self._replace(take_leaf, arguments, keywords, self._names, self.forms, shapes)

    def _replace(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        keywords: Mapping[str, Any] | None,
        *flat: Sequence[Any],
    ) -> list[Any]:
        """What the function makes of each leaf and of what the flat lists have for it."""
        positional, named = zip(*map(self._program.unflatten_arguments, flat), strict=True)
        self._check_given(arguments, keywords or {}, len(positional[0]), list(named[0]))
        places = self._program.dynamic_places[: len(arguments)]
        trees = list(zip(*positional, strict=True))[: len(arguments)]
        replaced = [self._replace_one(function, *each) for each in zip(places, arguments, trees, strict=True)]
        if keywords is not None:
            each = {name: (value, tuple(tree[name] for tree in named)) for name, value in keywords.items()}
            replaced.append({name: self._replace_one(function, name, *pair) for name, pair in each.items()})
        return replaced

    def _check_given(self, arguments: Sequence[Any], keywords: Mapping[str, Any], count: int, names: list[str]) -> None:
        if len(arguments) > count:
            raise UsageError(
                f"the plan has {count} positional arguments, not {len(arguments)}",
                remedy="leave out those that are static"
                if self._program.static_values
                else "give arguments in the order of the function's; those at the end may be missing",
            )
        if unknown := sorted(set(keywords) - set(names)):
            raise UsageError(f"the plan has no keyword argument {unknown[0]!r}", remedy=advise_name(unknown[0], names))

    def _replace_one(self, function: Callable[..., Any], place: int | str, value: Any, trees: Sequence[Any]) -> Any:
        modules = self._program.modules
        if modules is not None and place in modules.places:
            return modules.replace_arrays(value, function, *trees)
        alike = [static_fields.adopt_tree(tree, value) for tree in trees]
        if jax.tree.structure(value) != jax.tree.structure(alike[0]):
            raise UsageError(
                f"argument {place!r} has the structure {jax.tree.structure(value)}, but the plan was made for "
                f"{jax.tree.structure(alike[0])}",
                remedy="give arguments in the order of the function's, or by name: plan.put(batch=batch)",
            )
        return jax.tree.map(function, value, *alike)
