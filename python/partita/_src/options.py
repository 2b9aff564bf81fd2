"""What is asked of a plan: the options that `partita.plan`, `partita.jit` and `partita.sweep` share, as one value.

`partita.plan` writes them in its signature, with what each one means; the others take them as keywords.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita._src import prints
from partita._src.errors import UsageError
from partita._src.meshes import MeshLike
from partita._src.spelling import advise_name


@dataclass(frozen=True, kw_only=True)
class Options:
    """As the arguments of `partita.plan` of these names."""

    mesh: MeshLike
    machine: str | os.PathLike[str] | None = None
    schedule: Any = None
    pins: Any = None
    baseline: Any = None
    memory_limit: str | int | None = None
    donate_argnums: int | Sequence[int] | None = ()
    donate_argnames: str | Sequence[str] | None = ()
    static_argnums: int | Sequence[int] | None = ()
    static_argnames: str | Sequence[str] | None = ()
    goals: str | Sequence[str] | None = None
    budget: int | None = None
    deadline: float | None = None
    seed: int | None = None
    allow: str | Sequence[str] | None = None
    forbid: str | Sequence[str] | None = None
    resume: str | Path | None = None
    platform: str | None = None
    placement: str | None = None
    assume_trips: int | None = None
    ignore_shardings: bool = False
    rules: str | Sequence[str] = ()
    debug_prints: prints.DebugPrints = "print"
    cache: str | Path | None = None
    progress: bool | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def pick(cls, values: Mapping[str, Any]) -> Options:
        """From the arguments of a call, of which others are left out."""
        return cls(**{name: values[name] for name in cls.names() if name in values})

    @property
    def call_settings(self) -> dict[str, Any]:
        """How the function is to be called, as `jax.jit` is told."""
        names = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames")
        return {name: getattr(self, name) for name in names}


def check_names(given: Iterable[str], caller: str, others: Sequence[str] = (), hint: str = "") -> None:
    """Refuses what is neither an option of a plan nor one of the caller's `others`."""
    known = [*Options.names(), *others]
    for name in given:
        if name not in known:
            meant = advise_name(name, known).replace("'?", "=?").replace("'", "")
            raise UsageError(
                f"{caller} has no option {name!r}", remedy=meant or hint or f"its options are {', '.join(known)}"
            )
