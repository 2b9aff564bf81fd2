"""Plans on disk, found again by what they are made of: `FOLDER/VERSION/HASH.json`.

The hash is that of the program without source lines (a comment in the user's file does not change it), the names of its
arguments, the schedule and the baseline as the tool reads them, all options, and JAX's pool of GPU memory, which is the
default limit. The version is that of the package and
its tool: another build may plan otherwise. Kept with the plan is what only its search knows (how near the bound it is,
what else was tried): a plan that is found again says the same.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from partita._src import machines, pages
from partita._src.binary import find_binary
from partita._src.errors import FileError, InputError, PartitaError
from partita._src.files import write_whole
from partita._src.jax_internals import program_text
from partita._src.plans import Plan
from partita._src.requests import Request
from partita._src.version import VERSION

#: Of the tool's files, and of the data in report.html, what a replay does not give again.
_KEPT = ("plan.json", "report.json", "page")
#: Of searched plans only.
_OF_SEARCH = ("answers.txt",)


def find_or_make(folder: Path, request: Request, progress: bool | None) -> Plan:
    """The plan that an earlier process kept, or a new one, which is kept unless its search was cut short."""
    path = folder / version() / f"{digest(request)}.json"
    try:
        return _read(path.read_text(encoding="utf-8"), request)
    except (OSError, UnicodeDecodeError, PartitaError):
        pass  # there is none yet, or it is not a plan, or not of this program: a new one takes its place
    made = request.run(progress)
    if (made.report.figures.get("search") or {}).get("complete", True):
        _write(path, made)
    return made


def _read(text: str, request: Request) -> Plan:
    try:
        kept = json.loads(text)
        files, tactics = {name: str(kept[name]) for name in _KEPT}, dict(kept["tactics"])
        files |= {name: str(kept[name]) for name in _OF_SEARCH if name in kept}
    except (ValueError, KeyError, TypeError):
        raise InputError("this is no plan of a cache") from None
    return request.replay(files["plan.json"], files, tactics)


def _write(path: Path, made: Plan) -> None:
    files = made._outcome.files
    known = {**files, "page": pages.read_data(files["report.html"])}
    of_search = {name: known[name] for name in _OF_SEARCH if name in known}
    kept = {**{name: known[name] for name in _KEPT}, **of_search, "tactics": made._outcome.tactics}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(kept))
    except OSError as error:
        raise FileError(f"cannot write into the cache: {error.strerror}", place=str(path.parent.parent)) from None


@functools.lru_cache(maxsize=1)
def version() -> str:
    """`0.2.0-6f1d0c...`: of the package, and a hash of the tool."""
    with open(find_binary(), "rb") as tool:
        return f"{VERSION}-{hashlib.file_digest(tool, 'sha256').hexdigest()[:16]}"


def digest(request: Request) -> str:
    """Of everything that the plan depends on."""
    program = request.program
    parts: list[Any] = [
        program_text.without_locations(program.text),
        program.argument_names,
        program.result_names,
        program.platform,
        request.schedule,
        None if request.baseline is None else request.to_schedule(request.baseline),
        list(request.flags),
        _read_machine(request.machine),
        list(request.axes.items()) or request.mesh,
        sorted(program.rules),
        machines.find_pool(),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _read_machine(machine: str | None) -> str | None:
    return Path(machine).read_text() if machine is not None and os.path.isfile(machine) else machine
