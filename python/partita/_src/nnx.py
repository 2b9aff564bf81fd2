"""flax nnx modules as arguments: objects that a call changes in place.

`jax.jit` of a function of modules loses what it changes. So the function is planned as a pure one: each argument that
holds modules becomes a dict of its arrays (`nnx.split`), the function is called on modules that are put together again
(`nnx.merge`), and the arrays they hold afterwards are results beside the function's own. A planned call writes those
into the caller's modules, as `nnx.jit` does.

    step(model, optimizer, batch) -> loss
    pure({'linear': {'kernel': ...}}, {'opt_state': ...}, batch) -> (loss, new arrays of model, new arrays of optimizer)
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from partita._src.errors import UnsupportedError, UsageError, warn
from partita._src.static_fields import describe

Place = int | str


def _nnx() -> Any:
    """flax.nnx; None unless the caller has imported it, for without it there are no modules."""
    return sys.modules.get("flax.nnx")


def holds_modules(value: Any) -> bool:
    """Whether a tree has a flax nnx module, optimizer, variable or random stream in it."""
    nnx = _nnx()
    if nnx is None or isinstance(value, nnx.State):
        return False
    return any(map(nnx.graph.is_graph_node, jax.tree.leaves(value, is_leaf=_is_node)))


def separate_modules(value: Any) -> Any:
    """A tree without modules: how they are built, which has no leaves, and their arrays."""
    if not holds_modules(value):
        return value
    graph, state = _nnx().split(value)
    return graph, state


def is_state(value: Any) -> bool:
    """Whether it is an `nnx.State`, as `nnx.state` and `nnx.get_partition_spec` give it."""
    nnx = _nnx()
    return nnx is not None and isinstance(value, nnx.State)


def to_plain_tree(value: Any, like: Any) -> Any:
    """A state as dicts, with None for what it leaves out of a tree of dicts; anything else as it is."""
    return _fill(_nnx().to_pure_dict(value), like) if is_state(value) else value


def _fill(plain: Any, like: Any) -> Any:
    if not isinstance(plain, dict) or not isinstance(like, dict):
        return plain
    return {**plain, **{key: _fill(plain.get(key), value) for key, value in like.items()}}


def _is_node(value: Any) -> bool:
    nnx = _nnx()
    return isinstance(value, nnx.State) or nnx.graph.is_graph_node(value)


def unwrap(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside `nnx.jit`, which would name its arguments by numbers; others as they are."""
    nnx = _nnx()
    if nnx is None or not type(function).__module__.startswith("flax.nnx"):
        return function
    if getattr(function, "in_shardings", None) is not None or getattr(function, "out_shardings", None) is not None:
        raise UnsupportedError(
            "shardings of an nnx.jit are not read", remedy="plan the function itself, with the shardings as pins="
        )
    inner: Callable[..., Any] = getattr(function, "__wrapped__", function)
    return inner


@dataclass(frozen=True)
class Modules:
    """Which arguments hold modules, and what they are made of beside arrays."""

    places: tuple[Place, ...]
    #: Of all these arguments together, for they may share variables.
    graph: Any
    #: Variables without values.
    template: Any

    @staticmethod
    def find(arguments: Sequence[Any], keywords: Mapping[str, Any], static: Mapping[Place, Any]) -> Modules | None:
        """None if no argument holds a module."""
        given = _enumerate(arguments, keywords)
        places = tuple(place for place, value in given if place not in static and holds_modules(value))
        if not places:
            return None
        graph, state = _nnx().split(tuple(value for place, value in given if place in places))
        return Modules(places, graph, jax.tree.map(_to_shape, state))

    def to_arrays(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with modules replaced by their arrays; an error if they are not built as those planned."""
        graph, state = _nnx().split(self._chosen(arguments, keywords))
        self._check(graph)
        return self._replace(arguments, keywords, self._to_dicts(state))

    def _check(self, graph: Any) -> None:
        """An error if modules are built otherwise than planned; functions, as those of an optax rule, may be others."""
        if graph in self._known_graphs:
            return
        if describe(graph, functions=False) != describe(self.graph, functions=False):
            raise UsageError(
                "the modules are not built as those that were planned: other variables, or other static parts, such as "
                "modes or sizes",
                remedy="plan again for them, or use partita.jit, which plans for each",
            )
        if describe(graph) != describe(self.graph):
            warn(
                "the modules hold other functions than those that the plan was made with, which are what runs; plan "
                "again for them, or use partita.jit, which plans for each"
            )
        self._known_graphs[1:] = [graph, *self._known_graphs[1:8]]

    @functools.cached_property
    def _known_graphs(self) -> list[Any]:
        """Those that were accepted: the planned one, then the latest."""
        return [self.graph]

    def make_pure(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of arrays, which gives `(result, arrays of the first argument with modules, ...)`."""
        nnx = _nnx()

        @functools.wraps(function)
        def pure(*arguments: Any, **keywords: Any) -> Any:
            merged = nnx.merge(self.graph, self._to_state(self._chosen(arguments, keywords)))
            given, named = self._replace(arguments, keywords, merged)
            result = function(*given, **named)
            if holds_modules(result):
                raise UnsupportedError(
                    "the function gives back a flax nnx module",
                    remedy="modules are changed in place: give back arrays, or nothing",
                )
            graph, state = nnx.split(merged)
            if graph != self.graph:
                raise UnsupportedError(
                    "the function changes how its flax nnx modules are built, not only their arrays",
                    remedy="add variables and set modes (train, eval) before the planned step",
                )
            return (result, *self._to_dicts(state))

        return pure

    def finish(self, arguments: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> Any:
        """Writes the new arrays, one dict for each argument with modules, into the caller's modules, and gives what the
        function does."""
        _nnx().update(self._chosen(arguments, keywords), self._to_state(result[1:]))
        return result[0]

    def get_own(self, result: Any) -> Any:
        """Of what belongs to the results, what belongs to those of the function itself."""
        return result[0]

    def replace_arrays(self, value: Any, function: Callable[..., Any], *trees: Any) -> Any:
        """Replaces the arrays of one argument, in place, by what the function makes of each and of what the trees have
        for it; those it shares with an earlier argument are in no tree and stay."""
        nnx = _nnx()
        state = nnx.split((value,))[1]
        known = [dict(jax.tree_util.tree_flatten_with_path(tree)[0]) for tree in trees]
        leaves, _ = jax.tree_util.tree_flatten_with_path(nnx.to_pure_dict(state).get(0, {}))
        replaced = [
            function(leaf, *(each[path] for each in known)) if path in known[0] else leaf for path, leaf in leaves
        ]
        nnx.update((value,), jax.tree.unflatten(jax.tree.structure(state), replaced))
        return value

    def _chosen(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        given = dict(_enumerate(arguments, keywords))
        missing = [place for place in self.places if place not in given]
        if missing:
            raise UsageError(f"the argument {missing[0]!r} is missing, which holds modules")
        return tuple(given[place] for place in self.places)

    def _replace(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any], values: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        chosen = dict(zip(self.places, values, strict=True))
        replaced = [chosen.get(place, value) for place, value in enumerate(arguments)]
        return replaced, {name: chosen.get(name, value) for name, value in keywords.items()}

    def _to_dicts(self, state: Any) -> tuple[Any, ...]:
        """Plain arrays for each argument: `{'linear': {'kernel': array}}`."""
        plain = _nnx().to_pure_dict(state)
        return tuple(plain.get(number, {}) for number in range(len(self.places)))

    def _to_state(self, arrays: Sequence[Any]) -> Any:
        """As nnx merges it: the template with these values."""
        structure = jax.tree.structure(self.template)
        return jax.tree.unflatten(structure, jax.tree.leaves(tuple(arrays)))


def _to_shape(leaf: Any) -> Any:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if hasattr(leaf, "shape") else leaf


def _enumerate(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> list[tuple[Place, Any]]:
    return [*enumerate(arguments), *keywords.items()]
