"""Where a plan keeps the arguments of a function between calls, and in which shape.

`Storage` moves arguments to their devices and takes them back. State may be stored longer than the function has it: a
pad tactic with `"store": true` gives arguments that come back as results their longer shape at the border of the
program. A vocabulary of 50257 is stored as 50264. Behind the elements lies +0, in the first state and after each step.

A reorder tactic with `"store": true` stores a matrix for queries, keys and values, `[h, 3h]`, as `[h, 8, 3h/8]`: for
each of 8 devices its columns of the three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from partita._src import static_fields
from partita._src.errors import UsageError
from partita._src.jax_internals import abstract_values
from partita._src.programs import Program
from partita._src.shapes import to_shape
from partita._src.spelling import advise_name
from partita._src.stored_forms import StoredForm, find_stored


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
