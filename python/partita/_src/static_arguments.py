"""Which arguments are static, and which are meant by `argnums` and `argnames`, as `jax.jit` takes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Static:
    """Which arguments are static: their numbers, names and values."""

    argnums: tuple[int, ...] = ()
    argnames: tuple[str, ...] = ()
    values: Mapping[int | str, Any] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, Any]:
        """Those that were given by name."""
        return {name: value for name, value in self.values.items() if isinstance(name, str)}

    def split(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[list[int], list[Any], dict[str, Any]]:
        """The dynamic arguments of a call: the places of the positional ones, these, and those by name."""
        places = [place for place in range(len(arguments)) if place not in self.values]
        named = {name: value for name, value in keywords.items() if name not in self.values}
        return places, [arguments[place] for place in places], named

    def insert_positional(self, dynamic: Sequence[Any]) -> list[Any]:
        """All positional arguments, from those that are dynamic."""
        whole = list(dynamic)
        for place in sorted(place for place in self.values if isinstance(place, int)):
            whole.insert(place, self.values[place])
        return whole


def read_static(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    argnums: int | Sequence[int],
    argnames: str | Sequence[str],
) -> Static:
    """As `jax.jit` takes `static_argnums` and `static_argnames`: each stands for the other where names are known."""
    numbers, names = resolve_places(function, arguments, as_tuple(argnums), as_tuple(argnames))
    values: dict[int | str, Any] = {n: arguments[n] for n in sorted(numbers) if n < len(arguments)}
    values |= {name: keywords[name] for name in sorted(names) if name in keywords}
    return Static(tuple(sorted(numbers)), tuple(sorted(names)), values)


def resolve_places(
    function: Callable[..., Any], arguments: Sequence[Any], argnums: tuple[int, ...], argnames: tuple[str, ...]
) -> tuple[set[int], set[str]]:
    """Numbers and names of the same arguments, as far as the names of parameters can be known."""
    names = set(argnames)
    parameters = list_parameters(function) if argnums or argnames else []
    count = max(len(parameters), len(arguments))
    numbers = {n + count if n < 0 else n for n in argnums}
    for number, parameter in enumerate(parameters):
        if parameter in names or number in numbers:
            names.add(parameter)
            numbers.add(number)
    return numbers, names


def list_parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the positional parameters, as far as they can be known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in parameters if parameter.kind in positional]


def as_tuple(places: Any) -> tuple[Any, ...]:
    """Numbers or names of arguments, of which one may stand alone; None are none."""
    return (places,) if isinstance(places, (int, str)) else tuple(places or ())
