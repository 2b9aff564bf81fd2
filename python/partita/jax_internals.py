"""The one file that touches parts of JAX that are not public.

What is needed: the jaxpr's equations with their source lines (to name callbacks), tracing a jaxpr again with the
captured
constants as arguments, and an `Exported` whose program is a text of ours. `jax.export.Exported` is public, but has no
public constructor from a text.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import jax
from jax import export
from jax._src import core, source_info_util
from jax._src.interpreters import mlir, partial_eval
from jaxlib.mlir import ir

Aval = Any
Jaxpr = Any


def iterate_equations(jaxpr: Jaxpr) -> Iterator[Any]:
    """All equations, those inside others too."""
    for equation in jaxpr.eqns:
        yield equation
        for inner in core.jaxprs_in_params(equation.params):
            yield from iterate_equations(inner)


def source_line(equation: Any) -> str:
    """`file.py:12` of the user's code, with the function in parentheses."""
    return str(source_info_util.summarize(equation.source_info))


def find_callbacks(closed: Any) -> list[str]:
    """`file.py:12 (f): debug_callback` for each call back into Python."""
    return [
        f"{source_line(equation)}: {equation.primitive.name}"
        for equation in iterate_equations(closed.jaxpr)
        if "callback" in equation.primitive.name or equation.primitive.name == "debug_print"
    ]


def evaluate_jaxpr(closed: Any, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
    """The results of a jaxpr, traceable, with other values in the place of its constants."""
    return list(core.eval_jaxpr(closed.jaxpr, constants, *arguments))


def used_arguments(closed: Any, results: Sequence[bool]) -> list[bool]:
    """Which arguments the chosen results depend on."""
    _, used = partial_eval.dce_jaxpr(closed.jaxpr, list(results))
    return list(used)


def abstract_value(leaf: Any) -> Aval:
    """Shape, dtype and weak type of an argument; TypeError if JAX takes no such argument."""
    return core.typeof(leaf) if hasattr(core, "typeof") else core.get_aval(leaf)


@functools.lru_cache(maxsize=8)
def _smallest_export(platform: str) -> export.Exported:
    return export.export(jax.jit(lambda x: x), platforms=[platform])(jax.ShapeDtypeStruct((), "float32"))


def serialize_program(text: str) -> bytes:
    """A portable artifact of a program's text."""
    from jax._src.export import _export

    with mlir.make_ir_context():
        return bytes(_export._module_to_bytecode(ir.Module.parse(text)))


def make_exported(
    text: str, name: str, in_avals: Sequence[Aval], out_avals: Sequence[Aval], num_devices: int, platform: str
) -> export.Exported:
    """A function of flat arguments, to be called under `jax.jit`, that runs the program as it is.

    It has no derivative: JAX would otherwise silently differentiate another program.
    """
    count_in, count_out = len(in_avals), len(out_avals)
    known = {field.name for field in dataclasses.fields(export.Exported)}
    changes: dict[str, Any] = {
        "fun_name": name,
        "in_tree": jax.tree.structure(((0,) * count_in, {})),
        "in_avals": tuple(_plain(aval) for aval in in_avals),
        "out_tree": jax.tree.structure((0,) * count_out),
        "out_avals": tuple(_plain(aval) for aval in out_avals),
        "_in_named_shardings": (None,) * count_in,
        "_out_named_shardings": (None,) * count_out,
        "in_shardings_hlo": (None,) * count_in,
        "out_shardings_hlo": (None,) * count_out,
        "nr_devices": num_devices,
        "mlir_module_serialized": serialize_program(text),
        "module_kept_var_idx": tuple(range(count_in)),
        "_get_vjp": None,
    }
    return dataclasses.replace(
        _smallest_export(platform), **{field: value for field, value in changes.items() if field in known}
    )


def _plain(aval: Aval) -> Aval:
    """Without sharding and memory space."""
    return core.ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type)


def argument_names(closed: Any) -> list[str]:
    """The names of the flat arguments, `state.params['w']`."""
    count = len(closed.in_avals)
    information = closed.jaxpr.debug_info
    return [str(name) for name in information.safe_arg_names(count)]
