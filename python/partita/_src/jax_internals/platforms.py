"""The platform that a program is traced for, and the branch that JAX's own choice takes on it."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

from partita._src.jax_internals.cudnn import assuming_gpu

#: The platform that a program is traced for, while it is.
_platform: contextvars.ContextVar[str | None] = contextvars.ContextVar("platform", default=None)


@contextlib.contextmanager
def tracing_for(platform: str) -> Iterator[None]:
    """In which a program is traced and lowered for a platform."""
    token = _platform.set(platform)
    try:
        with assuming_gpu() if platform == "cuda" else contextlib.nullcontext():
            yield
    finally:
        _platform.reset(token)


def traced_platform() -> str | None:
    """The platform that a program is being traced for."""
    return _platform.get()


def find_platform_branch(equation: Any) -> int | None:
    """Of an equation that chooses by platform (`lax.platform_dependent`), the branch for the one that is traced for."""
    platforms = equation.params.get("branches_platforms") if equation.primitive.name == "cond" else None
    platform = traced_platform()
    if platforms is None or platform is None:
        return None
    names = {platform, "gpu"} if platform in ("cuda", "rocm") else {platform}
    for number, branch in enumerate(platforms):
        if branch is None or names & set(branch):
            return number
    return None
