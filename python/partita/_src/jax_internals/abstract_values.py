"""The types of values: what JAX knows of an array without its numbers."""

from __future__ import annotations

from typing import Any

import jax
from jax._src import core

Aval = Any


def abstract_value(leaf: Any) -> Aval:
    """Shape, dtype and weak type of an argument, or of what stands for one; TypeError if JAX takes none such."""
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    return core.typeof(leaf) if hasattr(core, "typeof") else core.get_aval(leaf)


def is_mutable(aval: Aval) -> bool:
    """Whether it is of a reference to an array."""
    return hasattr(aval, "inner_aval")


def physical_shape(aval: Aval) -> tuple[int, ...]:
    """In the program: of typed PRNG keys with their words."""
    return tuple(core.physical_aval(aval).shape)


def to_plain(aval: Aval) -> Aval:
    """Without sharding and memory space."""
    return core.ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type)
