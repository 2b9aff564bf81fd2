"""A traced function: the program that is planned, and how it is called with the user's own arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from partita._src import equinox, prints, static_fields
from partita._src.argument_trees import describe_difference
from partita._src.errors import UsageError, warn
from partita._src.jax_internals import program_text
from partita._src.nnx import Modules
from partita._src.shapes import to_shape, to_weak_shape
from partita._src.static_arguments import Static, list_parameters
from partita._src.stored_forms import StoredForm


@dataclass(frozen=True)
class Program:
    """A traced function.

    The flat arguments are those of `constants`, then the leaves of `(arguments, keyword arguments)` without the static
    ones, which `in_tree` describes.
    """

    function: Callable[..., Any]
    text: str
    name: str
    platform: str
    in_tree: Any
    out_tree: Any
    in_avals: tuple[Any, ...]
    out_avals: tuple[Any, ...]
    argument_names: tuple[str, ...]
    result_names: tuple[str, ...]
    donated: tuple[bool, ...]
    constants: tuple[Any, ...]
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    static_values: Mapping[int | str, Any]
    callbacks: tuple[str, ...]
    #: By the names of their calls in the text.
    kernels: Mapping[str, Any]
    #: By the names of their calls in the text.
    prints: Mapping[str, prints.Print]
    #: Lines of prints that were dropped.
    dropped_prints: tuple[str, ...]
    #: None for what was lowered already.
    closed_jaxpr: Any
    #: What is done with arguments that are more than trees of arrays.
    modules: Modules | equinox.Filter | None = None
    #: The program for other shapes of the dynamic arguments; None for what was traced before it was planned.
    trace_again: Callable[[Sequence[Any], Mapping[str, Any]], Program] | None = None
    #: How a plan that this program follows stores the flat arguments, by number, where that is not as they are.
    followed: Mapping[int, StoredForm] = field(default_factory=dict)

    def uses(self, number: int) -> bool:
        """Whether something is computed from a flat argument, or it is a result; true where that is not known."""
        if self.closed_jaxpr is None:
            return True
        jaxpr = self.closed_jaxpr.jaxpr
        read = {id(atom) for equation in jaxpr.eqns for atom in equation.invars} | {id(atom) for atom in jaxpr.outvars}
        place = number - len(self.constants)
        return place < 0 or id(jaxpr.invars[place]) in read

    @property
    def rules(self) -> list[str]:
        """Those of its kernels and prints, as `--rule` takes them."""
        return [
            *(kernel.rule for kernel in self.kernels.values()),
            *(printed.make_rule(target) for target, printed in self.prints.items()),
        ]

    @property
    def has_only_empty_arguments(self) -> bool:
        """XLA takes such for constants, and then misses the arguments of the computation on each device."""
        return bool(self.in_avals) and all(aval.size == 0 for aval in self.in_avals)

    def install(self, text: str, *, references: bool = False) -> str:
        """A program made from this one's text, with kernels that run: their implementations, or their references and
        no prints."""
        bodies = {name: k.reference if references else k.impl for name, k in self.kernels.items()}
        silent = program_text.drop_calls(text, list(self.prints)) if references else text
        return program_text.install_kernels(silent, bodies, self.platform)

    def is_same_if_weak(self, weak: Sequence[bool]) -> bool:
        """Whether the program is the same one for arguments of these weak types. What was traced before it was planned
        is the same for all that it is called with."""
        if self.trace_again is None:
            return True
        shapes = [to_weak_shape(aval, is_weak) for aval, is_weak in zip(self._argument_avals, weak, strict=True)]
        other = self.trace_again(*jax.tree.unflatten(self.in_tree, shapes))
        return program_text.computes_same(self.text, other.text)

    @property
    def _argument_avals(self) -> Sequence[Any]:
        return self.in_avals[len(self.constants) :]

    def flatten_call(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], Any]:
        """The flat arguments of a call, without the constants, and the tree of its results; an error if it is not a
        call of this program."""
        if self.modules is not None:
            arguments, keywords = self.modules.to_arrays(arguments, keywords)
        for place, value in self.static_values.items():
            given = keywords.get(place) if isinstance(place, str) else _get(arguments, place)
            if not _same(given, value):
                said = f"is {given!r}" if place in keywords or not isinstance(place, str) else "is not given"
                raise UsageError(
                    f"the static argument {place!r} {said}, but the plan was made for {value!r}",
                    remedy="plan again for it, or use partita.jit, which plans for each",
                )
        dynamic = tuple(argument for i, argument in enumerate(arguments) if i not in self.static_values)
        named = {name: value for name, value in keywords.items() if name not in self.static_values}
        leaves: list[Any]
        leaves, tree = jax.tree.flatten((dynamic, named))
        return leaves, self._accept_tree(tree)

    def _accept_tree(self, tree: Any) -> Any:
        """The tree of the results for arguments of such a tree, whose static fields may be others than planned."""
        for known, results in self._known_trees:
            if tree == known:
                return results
        self._check_tree(tree)
        results = static_fields.replace_in_results(self.out_tree, self.in_tree, tree)
        self._known_trees[1:] = [(tree, results), *self._known_trees[1:8]]
        return results

    @functools.cached_property
    def _known_trees(self) -> list[tuple[Any, Any]]:
        """Trees of arguments that were accepted, with those of their results: the planned one, then the latest."""
        return [(self.in_tree, self.out_tree)]

    def _check_count(self, tree: Any) -> None:
        """An error if there are more or fewer positional arguments than planned."""
        planned, given = (len(jax.tree_util.treedef_children(each)[0].children()) for each in (self.in_tree, tree))
        if planned != given:
            raise UsageError(
                f"the plan was made for {planned} positional arguments, and {given} are given",
                remedy="call it as the function was planned; arguments by name stay arguments by name",
            )

    def _check_tree(self, tree: Any) -> None:
        """An error if the arguments are built otherwise than planned; a warning if they hold other functions."""
        differences = static_fields.find_differences(self.in_tree, tree, functions=False)
        if differences is None:
            self._check_count(tree)
            raise UsageError(
                "the arguments are not those that were planned: "
                + describe_difference(self.in_tree, self.argument_names[len(self.constants) :], tree),
                remedy="call it with the same structure, positional and keyword arguments alike",
            )
        for found in differences:
            raise UsageError(
                f"{found.field} of a {found.kind.__name__} is {found.given!r}, but the plan was made for "
                f"{found.planned!r}",
                remedy="plan again for it, or use partita.jit, which plans for each",
            )
        for found in static_fields.find_differences(self.in_tree, tree, functions=True) or ():
            warn(
                f"{found.field} of a {found.kind.__name__} is another function than the plan was made with, which is "
                "what runs; plan again for it, or use partita.jit, which plans for each"
            )

    def insert_static(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """A call without its static arguments, with those that it was planned for."""
        static = Static(values=self.static_values)
        return static.insert_positional(arguments), {**keywords, **static.named}

    def align_call(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The same call with those arguments by name that were given so when it was planned."""
        count = self._count_positional
        if len(arguments) == count:
            return arguments, keywords
        parameters = list_parameters(self.function)
        given = {**dict(zip(parameters, arguments, strict=False)), **keywords}
        first = parameters[:count]
        if len(arguments) > len(parameters) or len(given) != len(arguments) + len(keywords) or set(first) - set(given):
            return arguments, keywords
        return [given.pop(name) for name in first], given

    @functools.cached_property
    def _count_positional(self) -> int:
        dynamic, _ = self.in_tree.children()
        return len(dynamic.children()) + sum(isinstance(place, int) for place in self.static_values)

    @functools.cached_property
    def dynamic_places(self) -> tuple[int, ...]:
        """The numbers of the positional arguments that are not static."""
        return tuple(number for number in range(self._count_positional) if number not in self.static_values)

    def unflatten_arguments(self, flat: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, without static ones, from what belongs to the flat ones."""
        arguments, keywords = jax.tree.unflatten(self.in_tree, flat[len(self.constants) :])
        return arguments, keywords

    def unflatten_results(self, flat: Sequence[Any]) -> Any:
        """What belongs to the flat results, with the structure of the function's own results: without the arrays of
        modules that it changes."""
        tree = jax.tree.unflatten(self.out_tree, flat)
        return tree if self.modules is None else self.modules.get_own(tree)

    @property
    def result_shapes(self) -> Any:
        """The shapes of the function's own results."""
        return self.unflatten_results([to_shape(aval) for aval in self.out_avals])

    def finish_call(self, arguments: Sequence[Any], keywords: Mapping[str, Any], tree: Any, flat: Sequence[Any]) -> Any:
        """What the function gives, from the flat results and their tree; modules among the arguments are changed in
        place."""
        result = jax.tree.unflatten(tree, flat)
        return result if self.modules is None else self.modules.finish(arguments, keywords, result)


def _get(arguments: Sequence[Any], place: int) -> Any:
    return arguments[place] if place < len(arguments) else None


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(np.all(a == b))
