"""Prints: one primitive, whose lowering is JAX's own, or a mark for the planner.

In the program that was planned, the marks become calls of Python.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
from jax._src import core, sharding_impls
from jax._src.interpreters import mlir
from jax.extend import core as jax_extend
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

from partita._src.jax_internals.callbacks import is_ordered, map_debug_callbacks
from partita._src.jax_internals.program_text import find_operations

_print_primitive = jax_extend.Primitive("partita_print")
_print_primitive.multiple_results = True
#: While a program is lowered to be planned, what the calls of its prints (`prints.Print`) are named.
_print_marks: contextvars.ContextVar[Mapping[Any, str] | None] = contextvars.ContextVar("print_marks", default=None)


def replace_debug_callbacks(closed: Any, make: Callable[[Any, bool], Any]) -> tuple[Any, bool]:
    """The jaxpr with what `make` gives of each equation, and whether it is on a piece of a value, printed in its place,
    and whether there is one. Those that keep an order stay, and those in a `shard_map` over a part of the mesh."""
    found: list[Any] = []

    def replace(equation: Any, is_local: bool | None) -> Any:
        if is_local is None or is_ordered(equation):
            return equation
        found.append(equation)
        return equation.replace(primitive=_print_primitive, params={"printed": make(equation, is_local)})

    changed = map_debug_callbacks(closed, replace)
    return (changed, True) if found else (closed, False)


def get_print(equation: Any) -> Any:
    """What such an equation prints; None of others."""
    return equation.params["printed"] if equation.primitive is _print_primitive else None


def _lower_print(context: Any, *operands: Any, printed: Any) -> Any:
    marks = _print_marks.get()
    if marks is None:
        return mlir.lower_fun(printed.run, multiple_results=True)(context, *operands)
    return mlir.custom_call(
        marks[printed], result_types=[], operands=operands, backend_config="", has_side_effect=True
    ).results


_print_primitive.def_effectful_abstract_eval(lambda *_, printed: ((), set(printed.effects)))
_print_primitive.def_impl(lambda *operands, printed: printed.run(*operands))
mlir.register_lowering(_print_primitive, _lower_print)


@contextlib.contextmanager
def marking_prints(prints: Mapping[str, Any]) -> Iterator[None]:
    """While a program is lowered to be planned, its prints are calls of their names."""
    token = _print_marks.set({printed: name for name, printed in prints.items()})
    try:
        yield
    finally:
        _print_marks.reset(token)


def install_prints(context: Any, prints: Mapping[str, Any]) -> None:
    """Replaces the calls of prints in the module by calls of Python: by the first device, of pieces by each."""
    module = context.module_context
    # As inside a shard_map, which JAX tells by the names of its axes alone.
    mesh = jax.sharding.AbstractMesh((1,), ("devices",))
    manual = sharding_impls.SPMDAxisContext(mesh, frozenset(mesh.axis_names))
    for call in find_operations(module.module.operation, "stablehlo.custom_call"):
        printed = prints.get(ir.StringAttr(call.attributes["call_target_name"]).value)
        if printed is None:
            continue
        inner = context.replace(
            module_context=module.replace(axis_context=manual),
            avals_in=[core.ShapedArray((), jax.numpy.uint32), *printed.avals],
            avals_out=[],
            tokens_out=None,
        )
        with ir.InsertionPoint(call), call.location:
            device = hlo.PartitionIdOp().result
            mlir.lower_fun(printed.run_on, multiple_results=True)(inner, device, *call.operands)
        call.erase()
