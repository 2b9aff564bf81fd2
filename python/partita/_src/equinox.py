"""equinox modules as arguments: trees with functions, numbers and modes among their leaves, beside arrays.

`jax.jit` refuses such leaves. `eqx.filter_jit` takes the arrays as arguments and all else as part of the program, and
so does a plan: the function is planned as one of trees that have None for what is no array, and a planned call puts the
rest back, into its arguments and its results. A call with another rest is not a call of that program.

    step(model, state, x) -> model    becomes    pure(arrays of model, arrays of state, x) -> arrays of model
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from partita._src.errors import UnsupportedError, UsageError

Place = int | str


def _equinox() -> Any:
    """None unless the caller has imported it, for without it there are no modules."""
    return sys.modules.get("equinox")


def is_filter_jit(function: Any) -> bool:
    """Whether `eqx.filter_jit` made it."""
    return type(function).__module__.startswith("equinox.") and hasattr(function, "donate_first")


def unwrap(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside `eqx.filter_jit`; others as they are."""
    if not is_filter_jit(function):
        return function
    if function.donate_first or function.donate_rest:  # type: ignore[attr-defined]
        raise UnsupportedError(
            "what eqx.filter_jit donates is not read", remedy="plan the function itself, with donate_argnums="
        )
    inner: Callable[..., Any] = function.__wrapped__  # type: ignore[attr-defined]
    return inner


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic, jax.ShapeDtypeStruct))


def holds_others(value: Any) -> bool:
    """Whether a tree has an equinox module in it with leaves that are no arrays."""
    equinox = _equinox()
    if equinox is None:
        return False
    nodes = jax.tree.leaves(value, is_leaf=lambda node: isinstance(node, equinox.Module))
    return any(
        not _is_array(leaf) for node in nodes if isinstance(node, equinox.Module) for leaf in jax.tree.leaves(node)
    )


def separate(value: Any) -> tuple[Any, Any]:
    """A tree with its arrays alone, and one with all else."""
    arrays, rest = _equinox().partition(value, _is_array)
    return arrays, rest


def describe(value: Any, everywhere: bool) -> Hashable:
    """What is no array in such a tree, or in any, to be told from others; None for other trees."""
    if not everywhere and not holds_others(value):
        return None
    leaves, structure = jax.tree.flatten(separate(value)[1])
    return structure, tuple(leaf if isinstance(leaf, Hashable) else id(leaf) for leaf in leaves)


@dataclass(frozen=True)
class Filter:
    """Which arguments are filtered, and what is no array in them."""

    places: tuple[Place, ...]
    rest: tuple[Any, ...]
    #: What is no array in the results; known when the function is traced.
    rest_of_result: list[Any] = field(default_factory=list)

    @staticmethod
    def find(
        arguments: Sequence[Any], keywords: Mapping[str, Any], static: Mapping[Place, Any], everywhere: bool
    ) -> Filter | None:
        """None if no argument is to be filtered; with `everywhere` all are, as `eqx.filter_jit` does."""
        given = [(place, value) for place, value in _enumerate(arguments, keywords) if place not in static]
        chosen = [(place, value) for place, value in given if everywhere or holds_others(value)]
        if not chosen:
            return None
        return Filter(tuple(place for place, _ in chosen), tuple(separate(value)[1] for _, value in chosen))

    def to_arrays(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with arrays alone; an error if the rest is not what was planned."""
        given = dict(_enumerate(arguments, keywords))
        for place, planned in zip(self.places, self.rest, strict=True):
            arrays, rest = separate(given.get(place))
            if not _equal(rest, planned):
                raise UsageError(
                    f"what is no array in argument {place!r} is not as planned: functions, numbers or modes",
                    remedy="plan again for it, or use partita.jit, which plans for each",
                )
            given[place] = arrays
        return [given[place] for place in range(len(arguments))], {name: given[name] for name in keywords}

    def make_pure(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of trees with arrays alone, which gives such."""

        @functools.wraps(function)
        def pure(*arguments: Any, **keywords: Any) -> Any:
            given = dict(_enumerate(arguments, keywords))
            for place, rest in zip(self.places, self.rest, strict=True):
                given[place] = _equinox().combine(given[place], rest)
            result = function(*(given[place] for place in range(len(arguments))), **{n: given[n] for n in keywords})
            arrays, self.rest_of_result[:] = separate(result)[0], [separate(result)[1]]
            return arrays

        return pure

    def finish(self, arguments: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> Any:
        """What the function gives."""
        return _equinox().combine(result, self.rest_of_result[0])

    def get_own(self, result: Any) -> Any:
        """Of what belongs to the results, what belongs to those of the function: all."""
        return result

    def replace_arrays(self, value: Any, function: Callable[..., Any], *trees: Any) -> Any:
        """The tree with what the function makes of each of its arrays and of what the trees have for it."""
        arrays, rest = separate(value)
        leaves, structure = jax.tree.flatten(arrays)
        wanted = [jax.tree.leaves(tree) for tree in trees]
        if len(leaves) != len(wanted[0]):
            raise UsageError(f"an argument has {len(leaves)} arrays, but the plan was made for {len(wanted[0])}")
        replaced = [function(*each) for each in zip(leaves, *wanted, strict=True)]
        return _equinox().combine(jax.tree.unflatten(structure, replaced), rest)


def _equal(a: Any, b: Any) -> bool:
    left, right = jax.tree.flatten(a), jax.tree.flatten(b)
    return left[1] == right[1] and all(x is y or x == y for x, y in zip(left[0], right[0], strict=True))


def _enumerate(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[tuple[Place, Any]]:
    return [*enumerate(arguments), *keywords.items()]
