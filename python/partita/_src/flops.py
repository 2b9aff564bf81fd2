"""The work of a function: multiplications and additions of its products, counted in its jaxpr."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax

from partita._src.jax_internals.jaxprs import Jaxpr, inner_jaxprs


def count_flops(function: Callable[..., Any], arguments: Sequence[Any]) -> int:
    """Multiplications and additions of the products in a function of such arguments."""
    return _count_flops(function, tuple(jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in arguments))


@functools.lru_cache(maxsize=256)  # layers are alike
def _count_flops(function: Callable[..., Any], shapes: tuple[Any, ...]) -> int:
    return count_jaxpr_flops(jax.make_jaxpr(function)(*shapes).jaxpr)


def count_jaxpr_flops(jaxpr: Jaxpr) -> int:
    """Loops count as often as they run, once if that is not known; of branches the one with most counts."""
    return sum(count_equation_flops(equation) for equation in jaxpr.eqns)


def count_equation_flops(equation: Any) -> int:
    """Those of one equation."""
    name, parameters = equation.primitive.name, equation.params
    if name == "dot_general":
        (contracted, _), _ = parameters["dimension_numbers"]
        shape = equation.invars[0].aval.shape
        return int(2 * math.prod(equation.outvars[0].aval.shape) * math.prod(shape[dim] for dim in contracted))
    if name == "conv_general_dilated":
        kernel = equation.invars[1].aval.shape
        features = kernel[parameters["dimension_numbers"].rhs_spec[0]]
        return int(2 * math.prod(equation.outvars[0].aval.shape) * math.prod(kernel) // max(features, 1))
    if name == "pallas_call":
        estimate = parameters.get("cost_estimate")
        if estimate is not None:
            return int(estimate.flops)
        steps = [size for size in parameters["grid_mapping"].grid if isinstance(size, int)]
        return math.prod(steps) * count_jaxpr_flops(parameters["jaxpr"])
    inner = [count_jaxpr_flops(jaxpr) for jaxpr, _ in inner_jaxprs(equation)]
    if name == "cond":
        return max(inner)
    return int(parameters["length"] if name == "scan" else 1) * sum(inner)
