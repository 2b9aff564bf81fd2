"""What is chosen by platform: one primitive, lowered as one of its functions.

Other than `lax.platform_dependent` it traces none of the others, and nothing of them is moved out of loops.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
from jax._src import core, dispatch
from jax._src.interpreters import batching, mlir
from jax.extend import core as jax_extend

from partita._src.jax_internals.abstract_values import Aval
from partita._src.jax_internals.cudnn import assuming_gpu
from partita._src.jax_internals.platforms import traced_platform

_choice_primitive = jax_extend.Primitive("partita_choice")
_choice_primitive.multiple_results = True


def bind_choice(choice: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a choice among functions of flat arrays, as one equation: `choice.choose(platform)` is the
    function for a platform, `choice.map` what it is under `vmap`."""
    return tuple(_choice_primitive.bind(*arguments, choice=choice))


def trace_choice(equation: Any) -> Any:
    """Of an equation that is a choice, the jaxpr for the platform that is traced for; None of others."""
    platform = traced_platform()
    if equation.primitive is not _choice_primitive or platform is None:
        return None
    shapes = tuple(jax.ShapeDtypeStruct(atom.aval.shape, atom.aval.dtype) for atom in equation.invars)
    return _trace_choice(equation.params["choice"], platform, shapes)


@functools.lru_cache(maxsize=64)  # layers are alike
def _trace_choice(choice: Any, platform: str, shapes: tuple[Any, ...]) -> Any:
    return jax.make_jaxpr(choice.choose(platform))(*shapes)


def _evaluate_choice_types(*avals: Any, choice: Any) -> tuple[Aval, ...]:
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    return tuple(core.ShapedArray(s.shape, s.dtype) for s in jax.eval_shape(choice.choose("cpu"), *shapes))


def _lower_choice(platform: str, context: Any, *operands: Any, choice: Any) -> Any:
    with assuming_gpu():
        return mlir.lower_fun(choice.choose(platform), multiple_results=True)(context, *operands)


def _map_choice(arguments: Sequence[Any], dims: Sequence[Any], *, choice: Any) -> Any:
    size = next(a.shape[dim] for a, dim in zip(arguments, dims, strict=True) if dim is not None)
    moved = [a[None] if dim is None else jax.numpy.moveaxis(a, dim, 0) for a, dim in zip(arguments, dims, strict=True)]
    results = choice.map(moved, size)
    return results, [0] * len(results)


_choice_primitive.def_abstract_eval(_evaluate_choice_types)
_choice_primitive.def_impl(functools.partial(dispatch.apply_primitive, _choice_primitive))
mlir.register_lowering(_choice_primitive, functools.partial(_lower_choice, "cpu"))
for _name in ("cuda", "tpu"):
    mlir.register_lowering(_choice_primitive, functools.partial(_lower_choice, _name), platform=_name)
batching.primitive_batchers[_choice_primitive] = _map_choice
# cuDNN's calls have to know devices when they are lowered.
dispatch.prim_requires_devices_during_lowering.add(_choice_primitive)
