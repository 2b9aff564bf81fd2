"""`partita.jit`: plans at the first call for given shapes, then runs."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import jax

from partita._src import equinox, planning, static_fields
from partita._src.errors import UsageError
from partita._src.execution import PlannedFunction
from partita._src.nnx import separate_modules
from partita._src.plans import Plan
from partita._src.static_arguments import read_static


class PlannedJit:
    """What `partita.jit` gives: a function that plans itself for each kind of arguments it is called with."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        _check(function, options)
        self._function = function
        self._options = options
        self._planned: dict[Hashable, tuple[Plan, PlannedFunction]] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._get(arguments, keywords)[1](*arguments, **keywords)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """Of a method, with the object as its first argument."""
        return self if owner is None else functools.partial(self, owner)

    def plan(self, *arguments: Any, **keywords: Any) -> Plan:
        """The plan for such arguments; made if there is none yet."""
        return self._get(arguments, keywords)[0]

    def lower(self, *arguments: Any, **keywords: Any) -> Any:
        """As `jax.jit(...).lower`, of the planned function."""
        return self._get(arguments, keywords)[1].lower(*arguments, **keywords)

    def _get(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Plan, PlannedFunction]:
        try:
            key = self._describe(arguments, keywords)
            hash(key)
        except TypeError as error:
            raise UsageError(
                f"a static argument cannot be told from others: {error}", remedy="static arguments have to be hashable"
            ) from None
        if key not in self._planned:
            made = planning.plan(self._function, *arguments, kwargs=keywords, **self._options)
            self._planned[key] = (made, made.jit())
        return self._planned[key]

    def _describe(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Hashable:
        """What a plan is made for: structure, shapes and types, and the values of static arguments."""
        numbers, names = (self._options.get(key, ()) for key in ("static_argnums", "static_argnames"))
        static = read_static(self._function, arguments, keywords, numbers, names)
        _, positional, by_name = static.split(arguments, keywords)
        dynamic = [separate_modules(value) for value in positional]
        named = {name: separate_modules(value) for name, value in by_name.items()}
        leaves, tree = jax.tree.flatten((dynamic, named))
        everywhere = equinox.is_filter_jit(self._function)
        others = tuple(equinox.describe(value, everywhere) for value in (*dynamic, *named.values()))
        nodes = static_fields.describe_tree_again(tree)
        return (
            nodes,
            tuple(map(_describe_leaf, leaves)),
            others,
            tuple(static.values.items()),
            jax.config.jax_enable_x64,
        )


def _check(function: Any, options: Mapping[str, Any]) -> None:
    """What is wrong is said where the decorator stands, not at the first call."""
    if not callable(function):
        raise UsageError(f"a {type(function).__name__} cannot be planned", remedy="give a function")
    if "mesh" not in options:
        raise UsageError("partita.jit needs a mesh", remedy="write @partita.jit(mesh=...)")
    known = [name for name, p in inspect.signature(planning.plan).parameters.items() if p.kind is p.KEYWORD_ONLY]
    if unknown := [name for name in options if name not in known or name == "kwargs"]:
        meant = difflib.get_close_matches(unknown[0], known, 1)
        raise UsageError(
            f"partita.jit has no option {unknown[0]!r}",
            remedy=f"did you mean {meant[0]}=?" if meant else f"it has {', '.join(known)}",
        )


def _describe_leaf(leaf: Any) -> Hashable:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return tuple(leaf.shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False))
    return type(leaf).__name__


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """As a decorator, `@partita.jit(mesh=...)`: plans at the first call for given shapes, then behaves like `jax.jit`.

    `options` are those of `partita.plan`. With `cache`, plans are kept in that folder and found again by later
    processes, as long as the program, what is asked for and the tool are the same. It plans whole steps: inside it
    everything that `partita.plan` takes may stand; around it no `jax.grad`, `jax.vmap` or `jax.shard_map`.
    """
    if function is None:
        return lambda f: PlannedJit(f, options)
    return PlannedJit(function, options)
