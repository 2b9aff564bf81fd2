"""A row of `gpu_ops.py`: a name, a function and the types of its arguments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

Shape = tuple[int, ...]
Argument = tuple[Shape, str]


@dataclass(frozen=True)
class OpRow:
    kind: str
    name: str
    function: Callable[..., Any]
    arguments: tuple[Argument, ...]
    #: Only a GPU's JAX can trace it.
    needs_gpu: bool = False


def may_decide(name: str) -> bool:
    """Whether constants and rules may be chosen with the row in view; the other half is only reported."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def shape_text(shape: Shape) -> str:
    return "x".join(map(str, shape)) if shape else "scalar"


def simple(kind: str, text: str, function: Callable[..., Any], *arguments: Argument) -> OpRow:
    return OpRow(kind, f"{text} {', '.join(f'{t} {shape_text(s)}' for s, t in arguments)}", function, arguments)


def gradients(function: Callable[..., Any], which: tuple[int, ...]) -> Callable[..., Any]:
    """The gradients of a weighted sum, so that no cotangent is a constant."""

    def run(*args: Any) -> Any:
        def weighted(*inner: Any) -> Any:
            out = function(*inner).astype(jnp.float32)
            return jnp.sum(out * out)

        return jax.grad(weighted, argnums=which)(*args)

    return run
