"""Plans on disk, found again by what they are made of: `FOLDER/VERSION/HASH.json`.

The hash is that of the program without source lines (a comment in the user's file does not change it), the names of its
arguments, the schedule and the baseline as the tool reads them, and all options. The version is that of the package and
its tool: another build may plan otherwise.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import partita
from partita import jax_internals
from partita.binary import find_binary
from partita.errors import FileError, PartitaError

if TYPE_CHECKING:
    from partita.planning import Request
    from partita.plans import Plan


def find_or_make(folder: Path, request: Request, progress: bool | None) -> Plan:
    """The plan that an earlier process kept, or a new one, which is kept unless its search was cut short."""
    path = folder / version() / f"{digest(request)}.json"
    try:
        return request.replay(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, PartitaError):
        pass  # there is none yet, or it is not a plan, or not of this program: a new one takes its place
    made = request.run(progress)
    if (made.report.figures.get("search") or {}).get("complete", True):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot write into the cache: {error.strerror}", place=str(folder)) from None
        made.save(path)
    return made


@functools.lru_cache(maxsize=1)
def version() -> str:
    """`0.1.0-6f1d0c...`: of the package, and a hash of the tool."""
    with open(find_binary(), "rb") as tool:
        return f"{partita.__version__}-{hashlib.file_digest(tool, 'sha256').hexdigest()[:16]}"


def digest(request: Request) -> str:
    """Of everything that the plan depends on."""
    program = request.program
    parts: list[Any] = [
        jax_internals.without_locations(program.text),
        program.argument_names,
        program.result_names,
        program.platform,
        request.schedule,
        None if request.baseline is None else request.to_schedule(request.baseline),
        list(request.flags),
        _read_machine(request.machine),
        list(request.axes.items()) or request.mesh,
        sorted(kernel.rule for kernel in program.kernels.values()),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _read_machine(machine: str | None) -> str | None:
    return Path(machine).read_text() if machine is not None and os.path.isfile(machine) else machine
