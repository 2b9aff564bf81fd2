"""Large arrays that a function captured become arguments of its program: priced, sharded, and no part of its text.

JAX keeps a captured array where it was captured: beside the jaxpr of the function, or of a jitted function somewhere in
it, also inside loops and branches. `find` finds them all; `evaluate` runs the jaxpr with other values in their place,
and is traced. Only the equations on the way to such an array are built anew, by the functions that users call:

    scan(jit[W])(x)   ->   scan(jit)(x), which closes over the tracer that stands for W

Pallas kernels on the way are replaced, too, by kernels with a rule (`pallas_calls`). Of what depends on the platform,
the branch for the one that is traced for remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import lax

from partita._src import pallas_calls
from partita._src.jax_internals import choice_primitive, jaxprs, platforms, source_info

#: Arrays of more bytes become arguments.
CONSTANT_BYTES = 1 << 20

#: What stands for a captured array, by its identity.
Values = Mapping[int, Any]


def find(closed: Any) -> tuple[Any, ...]:
    """The large arrays, each once, in the order in which they are met."""
    found: dict[int, Any] = {}
    _find(closed.jaxpr, closed.consts, found)
    return tuple(found.values())


def _find(jaxpr: Any, constants: Sequence[Any], found: dict[int, Any]) -> None:
    found.update({id(c): c for c in constants if int(getattr(c, "nbytes", 0)) > CONSTANT_BYTES})
    for equation in jaxpr.eqns:
        if _find_builder(equation) is not None:
            for inner, captured in jaxprs.inner_jaxprs(equation):
                _find(inner, captured, found)


def has_kernels(closed: Any) -> bool:
    """Whether `evaluate` would replace a Pallas kernel."""
    return _has_kernels(closed.jaxpr)


def _has_kernels(jaxpr: Any) -> bool:
    return any(
        pallas_calls.is_kernel(equation)
        or (_find_builder(equation) is not None and any(map(_has_kernels, _reached_jaxprs(equation))))
        for equation in jaxpr.eqns
    )


def _reached_jaxprs(equation: Any) -> list[Any]:
    """The jaxprs inside an equation that may run on the platform that is traced for."""
    chosen = platforms.find_platform_branch(equation)
    if chosen is not None:
        return [equation.params["branches"][chosen].jaxpr]
    traced = choice_primitive.trace_choice(equation)
    if traced is not None:
        return [traced.jaxpr]
    return [inner for inner, _ in jaxprs.inner_jaxprs(equation)]


def evaluate(closed: Any, values: Values, arguments: Sequence[Any]) -> list[Any]:
    """The results, traceable, with `values` in the place of captured arrays."""
    return _evaluate(closed.jaxpr, closed.consts, values, arguments)


def _evaluate(jaxpr: Any, constants: Sequence[Any], values: Values, arguments: Sequence[Any]) -> list[Any]:
    chosen = [values.get(id(constant), constant) for constant in constants]
    builders = {id(equation): _builder(equation, values) for equation in jaxpr.eqns}
    if not any(builders.values()):
        return jaxprs.evaluate_jaxpr(jaxpr, chosen, arguments)
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*chosen, *arguments), strict=True))

    def read(atom: Any) -> Any:
        return atom.val if hasattr(atom, "val") else known[atom]

    for equation in jaxpr.eqns:
        builder, operands = builders[id(equation)], [read(atom) for atom in equation.invars]
        if builder is None:
            results: Sequence[Any] = jaxprs.evaluate_equation(equation, operands)
        else:
            with source_info.equation_context(equation):
                results = builder(equation, operands, values)
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


Builder = Callable[[Any, Sequence[Any], Values], Sequence[Any]]


def _find_builder(equation: Any) -> Builder | None:
    """What builds such an equation anew. There is none for manual computations and for jitted functions that say how
    their arguments lie: they keep their arrays."""
    return None if jaxprs.has_own_shardings(equation) else _BUILDERS.get(equation.primitive.name)


def _builder(equation: Any, values: Values) -> Builder | None:
    """What builds the equation anew; None if nothing inside it is replaced."""
    builder = _find_builder(equation)
    return builder if builder is not None and _is_changed(equation, values) else None


def _is_changed(equation: Any, values: Values) -> bool:
    if pallas_calls.is_kernel(equation) or any(map(_has_kernels, _reached_jaxprs(equation))):
        return True
    return any(
        any(id(constant) in values for constant in constants) or any(_is_changed(e, values) for e in inner.eqns)
        for inner, constants in jaxprs.inner_jaxprs(equation)
    )


def _as_function(closed: Any, values: Values) -> Callable[..., list[Any]]:
    return lambda *arguments: _evaluate(closed.jaxpr, closed.consts, values, arguments)


def _jit(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    function = _as_function(equation.params["jaxpr"], values)
    function.__name__ = str(equation.params["name"])
    results: list[Any] = jax.jit(function, inline=equation.params["inline"])(*operands)
    return results


def _scan(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    constants, carried = jaxprs.count_scan_operands(equation)
    parameters = equation.params
    body = _as_function(parameters["jaxpr"], values)
    start, stepped = operands[constants : constants + carried], operands[constants + carried :]

    def step(carry: Any, slices: Any) -> tuple[Any, Any]:
        results = body(*operands[:constants], *carry, *slices)
        return tuple(results[:carried]), tuple(results[carried:])

    last, stacked = lax.scan(
        step,
        tuple(start),
        tuple(stepped),
        length=parameters["length"],
        reverse=parameters["reverse"],
        unroll=parameters["unroll"],
    )
    return [*last, *stacked]


def _while(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    parameters = equation.params
    first, second = parameters["cond_nconsts"], parameters["cond_nconsts"] + parameters["body_nconsts"]
    condition = _as_function(parameters["cond_jaxpr"], values)
    body = _as_function(parameters["body_jaxpr"], values)
    results: tuple[Any, ...] = lax.while_loop(
        lambda carry: condition(*operands[:first], *carry)[0],
        lambda carry: tuple(body(*operands[first:second], *carry)),
        tuple(operands[second:]),
    )
    return results


def _cond(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    branches = [_as_function(branch, values) for branch in equation.params["branches"]]
    chosen = platforms.find_platform_branch(equation)
    if chosen is not None:
        return branches[chosen](*operands[1:])
    results: list[Any] = lax.switch(operands[0], branches, *operands[1:])
    return results


def _checkpoint(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    """Bound as it was: whether it is that of a backward pass shows only in its parameters."""
    inner = equation.params["jaxpr"]
    keys = list(values)

    def function(arrays: Sequence[Any], *arguments: Any) -> list[Any]:
        return _evaluate(inner, (), dict(zip(keys, arrays, strict=True)), arguments)

    arrays = [values[key] for key in keys]
    traced = jax.make_jaxpr(function)(arrays, *operands)
    return jaxprs.bind_again(equation, {"jaxpr": traced.jaxpr}, [*traced.consts, *arrays, *operands])


def _custom(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    """Derivatives are taken already where a whole step was traced."""
    return _as_function(equation.params["call_jaxpr"], values)(*operands)


def _pallas(equation: Any, operands: Sequence[Any], _: Values) -> Sequence[Any]:
    return pallas_calls.make_kernel(equation).call(*operands)


def _choice(equation: Any, operands: Sequence[Any], values: Values) -> Sequence[Any]:
    traced = choice_primitive.trace_choice(equation)
    if traced is None:
        return jaxprs.evaluate_equation(equation, operands)
    return _as_function(traced, values)(*operands)


_BUILDERS: dict[str, Builder] = {
    pallas_calls.PRIMITIVE: _pallas,
    "partita_choice": _choice,
    "jit": _jit,
    "pjit": _jit,
    "scan": _scan,
    "while": _while,
    "cond": _cond,
    "checkpoint": _checkpoint,
    "remat2": _checkpoint,
    "custom_jvp_call": _custom,
    "custom_vjp_call": _custom,
    "custom_vjp_call_jaxpr": _custom,
}
