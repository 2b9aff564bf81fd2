"""Kernels: one primitive, whose lowering is its implementation, or a mark for the planner.

`program_text.install_kernels` puts implementations in the place of the marks.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
from jax._src import core
from jax._src.interpreters import batching, mlir
from jax.extend import core as jax_extend
from jaxlib.mlir import ir

_kernel_primitive = jax_extend.Primitive("partita_kernel")
_kernel_primitive.multiple_results = True
#: While a program is lowered to be planned, what the calls of its kernels are named, by `Kernel.identity`.
_marks: contextvars.ContextVar[Mapping[Any, str] | None] = contextvars.ContextVar("marks", default=None)


def bind_kernel(kernel: Any, arguments: Sequence[Any], shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a kernel, as one equation."""
    avals = tuple(core.ShapedArray(shape.shape, shape.dtype) for shape in shapes)
    return tuple(_kernel_primitive.bind(*arguments, kernel=kernel, avals=avals))


def _run_kernel(*arguments: Any, kernel: Any, avals: Any) -> Any:
    results = kernel.impl(*arguments)
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _lower_kernel(context: Any, *operands: Any, kernel: Any, avals: Any) -> Any:
    marks = _marks.get()
    if marks is None:
        lower = mlir.lower_fun(_run_kernel, multiple_results=True)
        return lower(_with_devices(context), *operands, kernel=kernel, avals=avals)
    types = [ir.RankedTensorType.get(aval.shape, mlir.dtype_to_ir_type(aval.dtype)) for aval in avals]
    flops = ir.StringAttr.get(str(kernel.count_flops(context.avals_in)))
    return mlir.custom_call(
        marks[kernel.identity],
        result_types=types,
        operands=operands,
        backend_config="",
        extra_attributes={"mhlo.frontend_attributes": ir.DictAttr.get({"partita_flops": flops})},
    ).results


def _with_devices(context: Any) -> Any:
    """For what has to know devices when it is lowered (cuDNN's calls, `custom_partitioning`): JAX tells them only to
    programs in which it sees such a thing, and it sees into no kernel. Their number and order is all that counts."""
    module = context.module_context
    if getattr(module.axis_context, "device_assignment", ()) is not None:
        return context
    count = module.axis_context.num_devices
    devices = jax.devices()[:count]
    if len(devices) < count:
        return context
    known = dataclasses.replace(module.axis_context, device_assignment=tuple(devices))
    return context.replace(module_context=module.replace(axis_context=known))


def _map_kernel(arguments: Sequence[Any], dims: Sequence[Any], *, kernel: Any, avals: Any) -> Any:
    """Under `vmap`: the kernel with one more factor, which stands first."""
    mapped = tuple(dim is not None for dim in dims)
    moved = [jax.numpy.moveaxis(a, dim, 0) if m else a for a, dim, m in zip(arguments, dims, mapped, strict=True)]
    size = next(array.shape[0] for array, is_mapped in zip(moved, mapped, strict=True) if is_mapped)
    wider = tuple(core.ShapedArray((size, *aval.shape), aval.dtype) for aval in avals)
    results = _kernel_primitive.bind(*moved, kernel=kernel.map_over(mapped), avals=wider)
    return results, [0] * len(results)


_kernel_primitive.def_abstract_eval(lambda *_, kernel, avals: avals)
_kernel_primitive.def_impl(_run_kernel)
mlir.register_lowering(_kernel_primitive, _lower_kernel)
batching.primitive_batchers[_kernel_primitive] = _map_kernel


def name_kernels(equations: Sequence[Any]) -> dict[Any, Any]:
    """The kernels of a program by their identity. Different ones of one name are numbered: `scale`, `scale_2`."""
    named: dict[Any, Any] = {}
    taken: set[str] = set()
    for equation in equations:
        if equation.primitive is not _kernel_primitive or equation.params["kernel"].identity in named:
            continue
        kernel = equation.params["kernel"]
        numbered = (f"{kernel.name}_{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([kernel.name], numbered) if name not in taken)
        taken.add(name)
        named[kernel.identity] = dataclasses.replace(kernel, name=name)
    return named


@contextlib.contextmanager
def marking_kernels(kernels: Mapping[Any, Any]) -> Iterator[None]:
    """While a program is lowered to be planned, its kernels (`name_kernels`) are calls of their names."""
    token = _marks.set({identity: kernel.target for identity, kernel in kernels.items()})
    try:
        yield
    finally:
        _marks.reset(token)
