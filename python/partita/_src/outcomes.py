"""What the tool made of a program: of this plans are built."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jax.sharding import Mesh

from partita._src.programs import Program


@dataclass(frozen=True)
class Outcome:
    """The files that the tool wrote for a program, and what it was asked with."""

    program: Program
    #: By name, as `partita plan -o` writes them.
    files: Mapping[str, str]
    #: What each tactic did.
    tactics: Mapping[str, Any]
    #: The mesh, the machine and the tool's flags, as far as they were given.
    mesh: Mesh | None = None
    machine: str | None = None
    flags: Sequence[str] = ()

    def with_files(self, files: Mapping[str, str]) -> Outcome:
        """With other texts of these files."""
        return dataclasses.replace(self, files={**self.files, **files})
