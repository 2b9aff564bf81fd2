"""How a family of programs is declared, and how a JAX function becomes text.

    family = Family("elementwise")
    family.add("add", jnp.add, f32(4), f32(4))

    @family.program(f32(8, 4), mesh=MESH)
    def column_sum(x): ...

Everything is lowered without devices: meshes are abstract and platforms are named.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType


@dataclass(frozen=True)
class Program:
    """`text()` lowers the function anew each time."""

    name: str
    text: Callable[[], str]


def shaped(dtype: Any, *shape: int, **options: Any) -> jax.ShapeDtypeStruct:
    """An argument of a lowered function: `shaped("f4", 2, 3)`, `shaped(jnp.int4, 8, sharding=...)`."""
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype), **options)


def f32(*shape: int, **options: Any) -> jax.ShapeDtypeStruct:
    return shaped(jnp.float32, *shape, **options)


def i32(*shape: int, **options: Any) -> jax.ShapeDtypeStruct:
    return shaped(jnp.int32, *shape, **options)


def u32(*shape: int) -> jax.ShapeDtypeStruct:
    return shaped(jnp.uint32, *shape)


def bf16(*shape: int) -> jax.ShapeDtypeStruct:
    return shaped(jnp.bfloat16, *shape)


def c64(*shape: int) -> jax.ShapeDtypeStruct:
    return shaped(jnp.complex64, *shape)


def boolean(*shape: int) -> jax.ShapeDtypeStruct:
    return shaped(jnp.bool_, *shape)


def auto_mesh(sizes: Sequence[int], names: Sequence[str], kind: AxisType = AxisType.Auto) -> AbstractMesh:
    """A mesh without devices whose axes all have one type."""
    return AbstractMesh(tuple(sizes), tuple(names), axis_types=(kind,) * len(sizes))


@dataclass(frozen=True)
class Lowering:
    """How to lower: `mesh` is current while tracing, `jit` are further arguments of `jax.jit`."""

    mesh: AbstractMesh | None = None
    platforms: tuple[str, ...] = ("cpu",)
    x64: bool = False
    jit: dict[str, Any] | None = None

    @contextlib.contextmanager
    def settings(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            if self.mesh is not None:
                stack.enter_context(jax.sharding.use_abstract_mesh(self.mesh))
            stack.enter_context(jax.enable_x64(self.x64))
            yield

    def text(self, function: Callable[..., Any], args: Sequence[Any]) -> str:
        with self.settings(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Some donated buffers were not usable")
            jitted = jax.jit(function, keep_unused=True, **(self.jit or {}))
            return jitted.trace(*args).lower(lowering_platforms=self.platforms).as_text(debug_info=True)


class Family:
    """A named list of programs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.programs: list[Program] = []

    def add_text(self, name: str, text: Callable[[], str]) -> None:
        """Adds a program that is not the lowering of one jitted function."""
        self.programs.append(Program(f"{self.name}/{name}", text))

    def add(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> None:
        """Adds `function` lowered on `args`; `options` are the fields of `Lowering`."""
        lowering = Lowering(**options)
        self.add_text(name, lambda: lowering.text(function, args))

    def program(self, *args: Any, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """`add` as a decorator: the program is named like the function."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.add(function.__name__, function, *args, **options)
            return function

        return register
