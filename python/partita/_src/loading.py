"""`partita.load`: from the text of a plan to the plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jax.sharding import Mesh

from partita._src import machines, meshes
from partita._src.errors import FileError, InputError, UsageError, warn
from partita._src.names import read_names
from partita._src.plan_command import to_flags, to_program_flags
from partita._src.planning import trace_given
from partita._src.plans import Plan
from partita._src.requests import Request


def load(path: str | Path, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """Reads a plan that `Plan.save` wrote, for the function and arguments it was made for.

    Another program is refused with what differs. `options` are those of `partita.plan` that belong to the program
    (`donate_argnums`, `static_argnums`, their `argnames`, `kwargs`, `platform`, `ignore_shardings`, `rules`,
    `debug_prints`) or to its price (`memory_limit`, `assume_trips`, `machine`, which has to be given if it is a file),
    and keyword arguments of the function.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"cannot read the plan: {error.strerror}", place=str(path), remedy="Plan.save writes one"
        ) from None
    except UnicodeDecodeError:
        raise InputError("the plan is not text in UTF-8", place=str(path)) from None
    try:
        return load_text(text, function, *arguments, mesh=mesh, **options)
    except InputError as error:
        place = error.place or str(path)
        raise InputError(error.reason, place=place, remedy=_advise(error), notes=error.notes) from None


def _advise(error: InputError) -> str:
    """Of a program that differs in its inside alone, most often by an option that is missing here."""
    if "what is computed between them" not in error.reason:
        return error.remedy
    return (
        "give load the options of the program that the plan was made with, such as donate_argnums; if it is "
        "another program, give the plan as schedule= to apply its tactics anew"
    )


def load_text(text: str, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """As `load`, from the plan's text."""
    value = _parse_plan(text)
    axes = meshes.parse_axes(value["mesh"])
    if mesh is not None and (given_axes := meshes.parse_axes(mesh)) != axes:
        raise UsageError(
            f"the mesh {meshes.print_axes(given_axes)} is not that of the plan, {meshes.print_axes(axes)}",
            remedy="give schedule= the plan's path to apply its tactics to another mesh",
        )
    keywords = dict(options.pop("kwargs", None) or {})
    own = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames")
    settings = {name: options.pop(name) for name in own if name in options}
    given = {name: options.pop(name, None) for name in ("machine", "memory_limit", "assume_trips", "ignore_shardings")}
    rules, debug_prints = options.pop("rules", ()), options.pop("debug_prints", "print")
    known = machines.resolve(given["machine"], axes if mesh is None else mesh) or value.get("machine")
    if known is not None and not machines.is_known(known):
        warn(f"the plan is for the machine {known!r} of a file: give it as machine=, and what it costs is known")
        known = None
    platform = options.pop("platform", None) or value.get("platform") or machines.platform_of(known)
    explicit = None if mesh is None else meshes.get_explicit(mesh)
    program = trace_given(
        function, arguments, {**options, **keywords}, axes, platform,
        explicit=explicit, debug_prints=debug_prints, **settings,
    )  # fmt: skip
    flags = to_flags(
        placement=value.get("placement"), **{name: given[name] for name in ("memory_limit", "assume_trips")}
    )
    flags += to_program_flags(program, bool(given["ignore_shardings"]), rules)
    request = Request(program, read_names(program), None, flags, known, axes, axes if mesh is None else mesh, None)
    return request.replay(text)


def _parse_plan(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InputError(f"the plan is not JSON: {error}", remedy="Plan.save writes one") from None
    if not isinstance(value, dict) or value.get("partita_plan") != 1 or not isinstance(value.get("mesh"), str):
        raise InputError("this is no plan.json of version 1", remedy="Plan.save writes one")
    return value
