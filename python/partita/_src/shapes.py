"""Shapes that stand for arguments while a function is traced."""

from __future__ import annotations

import functools
from typing import Any

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from partita._src.errors import UnsupportedError, UsageError
from partita._src.jax_internals import abstract_values, mesh_contexts


def to_shapes(tree: Any, place: str, mesh: AbstractMesh | None = None) -> Any:
    """Shapes instead of arrays; leaves that JAX takes for no array are named.

    Under a mesh with explicit axes the shardings of arrays on it are part of their types.
    """
    return jax.tree_util.tree_map_with_path(functools.partial(_to_shape, place, mesh), tree)


def _to_shape(place: str, mesh: AbstractMesh | None, path: Any, leaf: Any) -> Any:
    sharding = None if mesh is None else _on_mesh(getattr(leaf, "sharding", None), mesh)
    aval = read_aval(f"{place}{jax.tree_util.keystr(path)}", leaf)
    if abstract_values.is_mutable(aval):
        raise UnsupportedError(
            f"{place}{jax.tree_util.keystr(path)} is an array that can be changed (jax.new_ref)",
            remedy="give its value, ref[...], and return the new one; inside of the function such arrays may stand",
        )
    if not all(isinstance(size, int) for size in aval.shape):
        raise UnsupportedError(
            f"{place}{jax.tree_util.keystr(path)} has the shape {aval.shape}: dynamic shapes are not partitioned",
            remedy="plan for the sizes that it will have; partita.jit plans for each that it meets",
        )
    weak = bool(getattr(aval, "weak_type", False))
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding, weak_type=weak)


def read_aval(name: str, leaf: Any) -> Any:
    """Shape, dtype and weak type of a leaf; an error with its name if JAX takes it for no array."""
    try:
        return abstract_values.abstract_value(leaf)
    except (TypeError, ValueError):  # the latter of what turns into an array, as Keras's variables do
        is_numbers = hasattr(leaf, "dtype") and hasattr(leaf, "shape")
        kind = f"{type(leaf).__name__} of {leaf.dtype}" if is_numbers else type(leaf).__name__
        raise UsageError(f"{name} is of type {kind}, which is no array for JAX", remedy=_advise(leaf)) from None


def _advise(leaf: Any) -> str:
    """What to give instead of what is no array."""
    if hasattr(leaf, "stateless_call"):
        return "a Keras model is a function of its variables: plan a step that calls model.stateless_call"
    if hasattr(leaf, "__jax_array__") and hasattr(leaf, "value"):
        return "give its value: [v.value for v in variables]"
    return "make it static (static_argnums=), or leave it out of the tree"


def to_shape(aval: Any) -> jax.ShapeDtypeStruct:
    """Without where it lies."""
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def to_weak_shape(aval: Any, is_weak: bool) -> jax.ShapeDtypeStruct:
    """The shape of an argument that was traced, with another weak type."""
    sharding = getattr(aval, "sharding", None)
    is_placed = isinstance(sharding, NamedSharding) and not sharding.mesh.empty
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding if is_placed else None, weak_type=is_weak)


def _on_mesh(sharding: Any, mesh: AbstractMesh) -> NamedSharding | None:
    """The sharding without devices; if it is of another mesh, none, or that of a whole array where one is needed."""
    if isinstance(sharding, NamedSharding) and dict(sharding.mesh.shape) == dict(mesh.shape):
        return NamedSharding(mesh, sharding.spec)
    return NamedSharding(mesh, PartitionSpec()) if mesh_contexts.EXPLICIT_NEEDS_SHARDINGS else None
