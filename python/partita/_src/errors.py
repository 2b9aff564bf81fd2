"""What can go wrong, one exception for each kind.

The tool ends with an exit code, and says `place: error: reason` and a remedy; `from_tool` makes the exception of it.
All exceptions are `PartitaError`s with `reason`, `place`, `remedy` and `code`.
"""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line outside this package that led to it."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


class PartitaError(Exception):
    """Something went wrong: `reason` says what, `place` where, `remedy` what to do about it."""

    code = 70

    def __init__(self, reason: str, *, place: str = "", remedy: str = "", notes: str = "") -> None:
        self.reason = reason
        self.place = place
        self.remedy = remedy
        self.notes = notes
        text = f"{place}: {reason}" if place else reason
        if remedy:
            text += f"\n  remedy: {remedy}"
        if notes:
            text += f"\n{notes}"
        super().__init__(text)


class DifferenceError(PartitaError):
    """A local program computes something other than the original."""

    code = 1


class UsageError(PartitaError, ValueError):
    """An argument of a call is wrong."""

    code = 2


class InputError(PartitaError, ValueError):
    """A program, schedule, plan or machine is wrong, or does not fit the others."""

    code = 65


class UnsupportedError(PartitaError, NotImplementedError):
    """The program is valid, but Partita cannot partition it, or JAX cannot run it so."""

    code = 69


class InternalError(PartitaError):
    """A fault of Partita's own."""

    code = 70


class FileError(PartitaError, OSError):
    """A file cannot be read or written."""

    code = 74


class LimitError(PartitaError):
    """The program is beyond one of the limits."""

    code = 75


class DoesNotFitWarning(UserWarning):
    """There is a plan, but it needs more memory than the limit, or than JAX takes of a GPU in this process."""


class UnpricedWarning(UserWarning):
    """The program calls something whose work is not known: time and memory of the plan are lower limits."""


class IncompleteWarning(UserWarning):
    """The search was cut short; the plan is the best one until then."""


_KINDS: dict[int, type[PartitaError]] = {
    kind.code: kind
    for kind in (DifferenceError, UsageError, InputError, UnsupportedError, InternalError, FileError, LimitError)
}


#: Files that a call wrote for the tool; their lines say nothing to its caller.
_OWN_FILES = re.compile(r"(schedule\.json|plan\.json|program\.mlir|machine\.json|partita)(:\d+)*:?")


def from_tool(code: int, standard_error: str) -> PartitaError:
    """The exception for what the tool wrote when it ended with `code`."""
    kind = _KINDS.get(code, InternalError)
    found = re.search(r"^(?:(\S+): )?error: ", standard_error, re.MULTILINE)
    if found is None:
        return kind(standard_error.strip() or f"the tool ended with {code} and said nothing")
    before, after = standard_error[: found.start()].strip(), standard_error[found.end() :].strip()
    reason, _, remedy = after.partition("\n  remedy: ")
    place = found[1] or ""
    return kind(
        in_python(reason.strip()),
        place="" if _OWN_FILES.fullmatch(place) else place,
        remedy=in_python(remedy.strip()),
        notes=in_python(before),
    )


#: Flags of the tool that are arguments of `partita.plan`.
_FLAGS = "schedule|plan|mesh|machine|memory-limit|placement|goals|budget|deadline|seed|assume-trips|allow|forbid"


def in_python(text: str) -> str:
    """What the tool says about its flags, for callers of `partita.plan`.

    >>> in_python("give it as --schedule, or drop them with --ignore-shardings")
    'give it as schedule=, or drop them with ignore_shardings=True'
    >>> in_python("--memory-limit '10 apples' is not an amount of memory"), in_python("with --budget or less")
    ("memory_limit='10 apples' is not an amount of memory", 'with budget= or less')
    """
    text = re.sub(r" \(program\.mlir[^)]*\)", "", text)
    text = text.replace('"optional": true in the tactic', "optional=True in the tactic")
    text = text.replace("' cannot atomic ", "' cannot replicate ")
    text = text.replace('"accumulate_type": "f32" in the tactic', 'partita.accumulate(..., accumulate_type="f32")')
    text = text.replace("--ignore-shardings", "ignore_shardings=True").replace("--rule", "rules=")
    return re.sub(
        rf"--({_FLAGS})\b(?:=| (?=['\"\d]))?",
        lambda flag: f"{flag[1].replace('-', '_')}=",
        text,
    )
