"""Meshes without devices to trace under, and how tracing fails where the code wants another one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax

#: Whether code for explicit axes is lowered without devices.
LOWERS_EXPLICIT_AXES = jax.__version_info__ >= (0, 9)
#: Up to JAX 0.9, arguments without a sharding are taken to lie on one device when code for explicit axes is lowered.
EXPLICIT_NEEDS_SHARDINGS = jax.__version_info__ < (0, 10)


@contextlib.contextmanager
def under_mesh(mesh: jax.sharding.AbstractMesh) -> Iterator[None]:
    """Under which constraints and `shard_map` are traced, without devices."""
    # JAX 0.7 looks for the mesh of a bare spec only where `with mesh:` of devices leaves it; it reads its axes there.
    older = contextlib.nullcontext() if jax.__version_info__ >= (0, 8) else _as_if_of_devices(mesh)
    with jax.sharding.use_abstract_mesh(mesh), older:
        yield


@contextlib.contextmanager
def _as_if_of_devices(mesh: Any) -> Iterator[None]:
    jax.sharding.Mesh.__enter__(mesh)
    try:
        yield
    finally:
        jax.sharding.Mesh.__exit__(mesh, None, None, None)


def is_of_other_mesh(error: ValueError) -> bool:
    """Whether tracing failed only because a `shard_map` has a mesh of devices, and the mesh around it has none."""
    return "should match the mesh passed to shard_map" in str(error)


def names_shardings(error: ValueError) -> bool:
    """Whether tracing failed because the code says how its values lie, which wants explicit axes."""
    return "axis names that are of type Auto" in str(error)


def needs_mesh(error: RuntimeError) -> bool:
    """Whether tracing failed because the code names axes, and there is no mesh."""
    return "non-empty mesh" in str(error)
