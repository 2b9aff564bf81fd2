"""Planned functions: one primitive, which is lowered as it is and which nothing transforms, however many jits and loops
stand between it and a vmap or a grad.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from jax._src import dispatch
from jax._src.interpreters import ad, batching, mlir
from jax.extend import core as jax_extend

from partita._src.errors import UnsupportedError
from partita._src.jax_internals.abstract_values import Aval, to_plain
from partita._src.jax_internals.print_primitive import install_prints

PLAN_THE_WHOLE = "plan the function that holds the gradient or the vmap: partita.plan(jax.grad(f), ...)"
_planned_primitive = jax_extend.Primitive("partita_planned")
_planned_primitive.multiple_results = True


@dataclasses.dataclass(frozen=True, eq=False)
class Planned:
    """A function of flat arguments: what it is called, and what results and effects it has."""

    function: Callable[..., Sequence[Any]]
    name: str
    out_avals: Sequence[Aval]
    effects: Iterable[Any] = ()
    #: By the names of their calls in what it is lowered to.
    prints: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def bind_planned(planned: Planned, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a planned function, as one equation."""
    return tuple(_planned_primitive.bind(*arguments, planned=planned))


def _evaluate_planned_types(*_: Any, planned: Planned) -> tuple[tuple[Aval, ...], set[Any]]:
    return tuple(to_plain(aval) for aval in planned.out_avals), set(planned.effects)


def _lower_planned(context: Any, *operands: Any, planned: Planned) -> Any:
    results = mlir.lower_fun(planned.function, multiple_results=True)(context, *operands)
    if planned.prints:
        install_prints(context, planned.prints)
    return results


def _refuse_transformation(what: str, *_: Any, planned: Planned) -> Any:
    raise UnsupportedError(f"{planned.name} was planned as it is and cannot be {what}", remedy=PLAN_THE_WHOLE)


_planned_primitive.def_effectful_abstract_eval(_evaluate_planned_types)
_planned_primitive.def_impl(functools.partial(dispatch.apply_primitive, _planned_primitive))
mlir.register_lowering(_planned_primitive, _lower_planned)
ad.primitive_jvps[_planned_primitive] = functools.partial(_refuse_transformation, "differentiated")
ad.primitive_transposes[_planned_primitive] = functools.partial(_refuse_transformation, "transposed")
batching.primitive_batchers[_planned_primitive] = functools.partial(_refuse_transformation, "vectorised")
