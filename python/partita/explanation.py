"""Why a value lies as it does: what `partita explain` says of it, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from partita.errors import InputError, UsageError
from partita.names import Names, is_python_only, list_names
from partita.report import print_bytes, print_time

#: Asks the tool for values, each by its name or by a pattern of POSIX.
Ask = Callable[[Sequence[str]], Mapping[str, Any]]


def explain(ask: Ask, names: Names, name: str) -> str:
    """For each value of that name, or that the pattern matches: its sharding, who decided it, the reshards it takes
    part in, and what else would cost."""
    if not isinstance(name, str) or not name:
        raise UsageError(f"{name!r} is not the name of a value", remedy=list_names(names.arguments))
    known = name in names.arguments or name in names.results
    try:
        found = ask(names.find(name) if is_python_only(name) and not known else [name])
    except UsageError as error:
        if "has no value" not in error.reason:
            raise
        raise InputError(
            f"the plan has no value {name!r}",
            remedy=error.remedy
            if "did you mean" in error.remedy
            else f"{list_names(names.arguments)}; inner values as in jit(step)/dot_general#0, or model.py:42#0",
        ) from None
    return "\n".join(line for value in found["values"] for line in _print_value(value))


def _print_value(value: Mapping[str, Any]) -> Iterable[str]:
    place = f" ({value['loc']})" if value["loc"] else ""
    yield f"{value['name']}: {value['type']} as {value['sharding']}{place}"
    for axis in value["axes"]:
        yield f"  {', '.join(axis['axes'])}: {axis['reason']}"
    for action in value["actions"]:
        yield f"  {action['action']}, by tactic '{action['tactic']}'"
    for reshard in value["reshards"]:
        yield f"  {_print_reshard(reshard, value['name'])}"
    if value["others"]:
        yield "  alternatives, each decided first: time and memory change"
        for other in value["others"]:
            time, memory = _print_change(other["time_ps"], print_time), _print_change(other["peak_bytes"], print_bytes)
            yield f"    {time:>12} {memory:>12}  {_print_choice(other)}"


def _print_reshard(reshard: Mapping[str, Any], name: str) -> str:
    of = "" if reshard["value"] == name else f"{reshard['value']}: "
    time = "" if reshard["time_ps"] is None else f", {print_time(reshard['time_ps'])}"
    place = f" ({reshard['loc']})" if reshard["loc"] else ""
    return (
        f"{of}{reshard['from']} -> {reshard['to']}: {reshard['steps']}, {reshard['count']} x, "
        f"{print_bytes(reshard['bytes'])}{time}, {reshard['cause']}{place}"
    )


def _print_choice(other: Mapping[str, Any]) -> str:
    if other["dim"] is None:
        return f"whole over {other['axis']}"
    return f"split along dim {other['dim']} over {other['axis']}"


def _print_change(value: int, print_amount: Callable[[float], str]) -> str:
    """
    >>> _print_change(-2048, print_bytes)
    '-2.05 kB'
    """
    return "0" if value == 0 else ("-" if value < 0 else "+") + print_amount(abs(value))
