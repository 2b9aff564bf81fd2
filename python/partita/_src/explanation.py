"""Why a value lies as it does: what `partita explain` says of it, with errors in Python's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from partita._src.errors import InputError, UsageError
from partita._src.names import Names, is_python_only, list_names, to_path
from partita._src.spelling import advise_name
from partita._src.units import drop_folder

#: Asks the tool for values, each by its name or by a pattern of POSIX; gives what it prints.
Ask = Callable[[Sequence[str]], str]


def explain(ask: Ask, names: Names, name: str) -> str:
    """For each value of that name, or that the pattern matches: its sharding, who decided it, what is moved because of
    it, and what else would cost."""
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not the name of a value", remedy=list_names(names.arguments))
    known = name in names.arguments or name in names.results
    given = not known and (names.respell(name) or (is_python_only(name) and names.find(name)))
    try:
        return drop_folder(ask(given or [name]).rstrip("\n"))
    except UsageError as error:
        if "has no value" not in error.reason:
            raise
        raise InputError(f"the plan has no value {name!r}", remedy=_advise(names, name, error.remedy)) from None


def _advise(names: Names, name: str, remedy: str) -> str:
    """An argument whose path ends so, before the name that looks most alike, which `remedy` may have."""
    paths = list(map(to_path, names.arguments))
    if any(path.endswith(f"/{to_path(name)}") for path in paths):
        return advise_name(to_path(name), paths)
    if "did you mean" in remedy:
        return remedy
    return f"{list_names(names.arguments)}; inner values as in jit(step)/dot_general#0, or model.py:42#0"
