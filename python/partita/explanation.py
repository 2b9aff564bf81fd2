"""Why a value lies as it does, from plan.json and report.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from partita.errors import InputError
from partita.report import print_bytes
from partita.tactics import to_path


def explain(plan: Mapping[str, Any], report: Mapping[str, Any], name: str) -> str:
    """For each value of that name, or that the pattern matches: its sharding, its actions, the reshards it takes part
    in."""
    entries = [*plan["arguments"], *plan["results"]]
    numbered = [
        (f"{kind}{number}", entry)
        for kind, side in (("arg", "arguments"), ("result", "results"))
        for number, entry in enumerate(plan[side])
    ]
    found = [entry["name"] for place, entry in numbered if name == place or _is_meant(entry["name"], name)]
    found += [
        r["value"] for r in report.get("reshards") or [] if _is_meant(r["value"], name) and r["value"] not in found
    ]
    if not found:
        some = ", ".join(entry["name"] for entry in entries[:4])
        raise InputError(f"the plan has no value {name!r}", remedy=f"values are called {some}, ...")
    return "\n".join(line for value in dict.fromkeys(found) for line in _explain_one(plan, report, value))


def _is_meant(value: str, name: str) -> bool:
    if name in (value, to_path(value)):
        return True
    try:
        return re.fullmatch(name, value) is not None or re.fullmatch(name, to_path(value)) is not None
    except re.error:
        return False


def _explain_one(plan: Mapping[str, Any], report: Mapping[str, Any], value: str) -> list[str]:
    lines = [value]
    for entry in (*plan["arguments"], *plan["results"]):
        if entry["name"] == value:
            dims = ", ".join("{" + ", ".join(axes) + "}" for axes in entry["sharding"])
            lines.append(f"  {entry['type']} as [{dims}]")
            break
    for action in plan["actions"]:
        kind = next(key for key in action if key not in ("tactic", "first_divisible"))
        if action[kind][0] == value:
            words = " ".join(str(word) for word in action[kind][1:])
            lines.append(f"  {kind} {words}, by the tactic {action.get('tactic', '?')}")
    if len(lines) == 2:
        split = any(
            entry["name"] == value and any(entry["sharding"]) for entry in (*plan["arguments"], *plan["results"])
        )
        lines.append("  no tactic names it: it follows by propagation" if split else "  nothing splits it")
    for reshard in report.get("reshards") or []:
        if reshard["value"] == value:
            lines.append(
                f"  {reshard['from']} -> {reshard['to']}: {reshard['steps']}, {reshard['count']} x, "
                f"{print_bytes(reshard['bytes'])}, {reshard['cause']} ({reshard['loc']})"
            )
    return lines
