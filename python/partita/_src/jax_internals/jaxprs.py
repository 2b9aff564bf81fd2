"""The equations of a jaxpr: walked through, read, and evaluated one by one, so that a jaxpr can be traced again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
from jax._src import core
from jax.extend import core as jax_extend

from partita._src.jax_internals.source_info import equation_context

Jaxpr = Any


def iterate_equations(jaxpr: Jaxpr) -> Iterator[Any]:
    """All equations, those inside others too."""
    for equation in jaxpr.eqns:
        yield equation
        for inner in core.jaxprs_in_params(equation.params):
            yield from iterate_equations(inner)


def inner_jaxprs(equation: Any) -> list[tuple[Jaxpr, Sequence[Any]]]:
    """The jaxprs among an equation's parameters, each with its constants."""
    found: list[tuple[Jaxpr, Sequence[Any]]] = []
    for parameter in equation.params.values():
        for one in parameter if isinstance(parameter, tuple) else (parameter,):
            if isinstance(one, jax_extend.ClosedJaxpr):  # from JAX 0.12 on, every jaxpr has its constants
                found.append((one.jaxpr, one.consts))
            elif isinstance(one, core.Jaxpr):
                found.append((one, ()))
    return found


def is_dropped(variable: Any) -> bool:
    """Whether a result of an equation is used nowhere."""
    return isinstance(variable, core.DropVar)


def has_own_shardings(equation: Any) -> bool:
    """Whether it is a jitted function that says how its arguments or results lie."""
    sides = (equation.params.get(side) or () for side in ("in_shardings", "out_shardings"))
    return any(isinstance(sharding, jax.sharding.Sharding) for side in sides for sharding in side)


def count_scan_operands(equation: Any) -> tuple[int, int]:
    """Of a scan's operands, how many are constants and how many are carried; the others are stepped through."""
    parameters: Mapping[str, Any] = equation.params
    if "num_consts" in parameters:
        return int(parameters["num_consts"]), int(parameters["num_carry"])
    constants, carried, _ = parameters["ft_in"].unpack()  # JAX 0.11
    return len(list(constants)), len(list(carried))


def evaluate_jaxpr(jaxpr: Jaxpr, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
    """The results of a jaxpr, traceable."""
    return list(core.eval_jaxpr(jaxpr, constants, *arguments))


def evaluate_equation(equation: Any, operands: Sequence[Any]) -> list[Any]:
    """The results of one equation, with its own source line and names."""
    made = equation.primitive.get_bind_params(equation.params)
    functions, parameters = made if isinstance(made, tuple) else ((), made)  # JAX 0.7 to 0.9 has functions apart
    with equation_context(equation), equation.ctx.manager:
        results = equation.primitive.bind(*functions, *operands, **parameters)
    return list(results) if equation.primitive.multiple_results else [results]


def bind_again(equation: Any, changes: Mapping[str, Any], operands: Sequence[Any]) -> list[Any]:
    """The results of the equation with other parameters and operands."""
    return list(equation.primitive.bind(*operands, **{**equation.params, **changes}))
