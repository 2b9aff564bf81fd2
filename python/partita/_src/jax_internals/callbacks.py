"""Calls back into Python in a jaxpr: found, and those that are there for debugging changed or left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from jax._src import core, debugging, effects
from jax.extend import core as jax_extend

from partita._src.jax_internals.source_info import source_line


def find_callbacks(equations: Sequence[Any], *, ordered: bool = False) -> list[str]:
    """`file.py:12 (f): debug_callback` for each call back into Python; those alone that keep an order, if asked for."""
    return [
        f"{source_line(equation)}: {equation.primitive.name}"
        for equation in equations
        if ("callback" in equation.primitive.name or equation.primitive.name == "debug_print")
        and (not ordered or effects.ordered_effects.filter_in(equation.effects))
    ]


def is_debug_callback(equation: Any) -> bool:
    """Whether it prints, or calls back for debugging."""
    return any(equation.primitive is getattr(debugging, name, None) for name in ("debug_callback_p", "debug_print_p"))


def is_ordered(equation: Any) -> bool:
    """Whether its effects keep an order."""
    return bool(effects.ordered_effects.filter_in(equation.effects))


def drop_debug_callbacks(closed: Any) -> tuple[Any, list[str]]:
    """The jaxpr without what is there for debugging, at any depth, and `file.py:12 (f): debug_print` for each."""
    lines: list[str] = []

    def drop(equation: Any, is_local: bool) -> None:
        lines.append(f"{source_line(equation)}: {equation.primitive.name}")

    return map_debug_callbacks(closed, drop), lines


def map_debug_callbacks(closed: Any, change: Callable[[Any, Any], Any]) -> Any:
    """The jaxpr with each equation that is there for debugging, at any depth, changed, or left out where None comes of
    it. `change` is told whether it stands in a `shard_map`; None: in one over a part of the mesh."""

    def visit(jaxpr: Any, is_local: bool | None) -> Any:
        if isinstance(jaxpr, jax_extend.ClosedJaxpr) and jaxpr.jaxpr is not jaxpr:
            return jaxpr.replace(jaxpr=visit(jaxpr.jaxpr, is_local))
        made = [visit_equation(equation, is_local) for equation in jaxpr.eqns]
        kept = [equation for equation in made if equation is not None]
        return jaxpr.replace(eqns=kept, effects=remaining(jaxpr.effects, kept))

    def remaining(before: Iterable[Any], inside: Sequence[Any]) -> set[Any]:
        """Of the effects of what holds equations or jaxprs, those that are left."""
        still = set().union(*(each.effects for each in inside))
        return {effect for effect in before if effect in still or not _is_of_debugging(effect)}

    def visit_equation(equation: Any, is_local: bool | None) -> Any:
        if is_debug_callback(equation):
            return change(equation, is_local)
        if equation.primitive.name == "pallas_call" or not any(map(_is_of_debugging, equation.effects)):
            return equation
        inside = _is_local_inside(equation) if equation.primitive.name == "shard_map" else is_local
        inner: list[Any] = []

        def visit_parameter(parameter: Any) -> Any:
            if type(parameter) is tuple:
                return tuple(map(visit_parameter, parameter))
            if not isinstance(parameter, (jax_extend.ClosedJaxpr, core.Jaxpr)):
                return parameter
            inner.append(visit(parameter, inside))
            return inner[-1]

        changed = {name: visit_parameter(parameter) for name, parameter in equation.params.items()}
        return equation.replace(params=changed, effects=remaining(equation.effects, inner))

    return visit(closed, False)


def _is_of_debugging(effect: Any) -> bool:
    return isinstance(effect, (type(debugging.debug_effect), type(debugging.ordered_debug_effect)))


def _is_local_inside(equation: Any) -> bool | None:
    """Of a `shard_map`: True if it is over all axes of its mesh."""
    parameters: Mapping[str, Any] = equation.params
    manual = parameters.get("newly_manual_axes", parameters.get("manual_axes", ()))
    return True if set(manual) == set(parameters["mesh"].axis_names) else None
