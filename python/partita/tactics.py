"""Tactics: what to split over which axis. A schedule is a list of them; earlier ones win.

    schedule=[partita.tile(r"batch.*", dim=0, axis="data"), partita.auto("model")]

Patterns are Python's regular expressions and match whole names: `state.params['w1']`, as a path `state/params/w1`, or
`arg3`; a result's is `result[0].params['w1']` or `result0`. A name is a pattern of itself, brackets and all. Where no
argument or result matches, they match inner values (`jit(step)/jvp(mlp)/dot_general#17`, or `model.py:42#2`).
"""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from partita.errors import FileError, InputError, UsageError
from partita.spelling import advise_name
from partita.tracing import Program

FIRST_DIVISIBLE = "first_divisible"
#: Group 1: what only Python's expressions have, or what means something else in POSIX's. What is escaped is neither.
_PYTHON_ONLY = re.compile(r"\\[^A-Za-z0-9]|(\(\?|\\[A-Za-z0-9]|[*+?}][?+]|\[[^\]]*\\)")

#: Of a tile: a number, several of which the first that can be split is, or FIRST_DIVISIBLE.
Dim = int | tuple[int, ...] | str


@dataclass(frozen=True)
class Tactic:
    """One step of a schedule; `tile`, `replicate`, `cut`, `side` and `auto` make them, and `+` joins those of one
    axis."""

    axis: str
    name: str = ""
    tiles: tuple[tuple[str, Dim], ...] = ()
    atomics: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()
    sides: tuple[tuple[str, int], ...] = ()
    optional: bool = False
    #: For an automatic tactic: the axes it may use, and its goals.
    automatic: tuple[str, ...] | None = None
    goals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        dims = (*self.tiles, *self.sides)
        for pattern in (*self.atomics, *self.cuts, *(pattern for pattern, _ in dims)):
            if not isinstance(pattern, str):
                raise UsageError(
                    f"{pattern!r} is not a pattern", remedy="give a name, or a regular expression, as text"
                )
        for dim in itertools.chain.from_iterable(d if isinstance(d, tuple) and d else (d,) for _, d in dims):
            if dim != FIRST_DIVISIBLE and (isinstance(dim, bool) or not isinstance(dim, int)):
                raise UsageError(f"{dim!r} is not a dim", remedy=f"give a number, or {FIRST_DIVISIBLE!r}")
            if isinstance(dim, int) and dim < 0:
                raise UsageError(f"{dim} is not a dim", remedy="dims are counted from 0")
        if not isinstance(self.axis, str):
            raise UsageError(f"{self.axis!r} is not an axis", remedy="give the name of an axis of the mesh")

    def __add__(self, other: Tactic) -> Tactic:
        if self.axis != other.axis or self.automatic is not None or other.automatic is not None:
            raise UsageError(f"tactics over {self.axis!r} and {other.axis!r} cannot be joined into one")
        return Tactic(
            self.axis,
            self.name or other.name,
            self.tiles + other.tiles,
            self.atomics + other.atomics,
            self.cuts + other.cuts,
            self.sides + other.sides,
            self.optional or other.optional,
        )


#: A tactic that is known only when the program is: a preset.
Preset = Callable[[Program, "Names"], Sequence["Tactic | Mapping[str, Any]"]]
#: Makes pairs of a name and a spec, as the tool reads them, of what says where arguments lie.
ToShardings = Callable[[Any], Sequence[Any]]
TacticLike = Tactic | Preset | Mapping[str, Any]
ScheduleLike = Sequence[TacticLike] | TacticLike | str | Path


def tile(pattern: str, *, dim: int | Sequence[int] | str, axis: str, name: str = "", optional: bool = False) -> Tactic:
    """Splits the matching arrays along `dim` over `axis`; of several, `dim=(1, 0)`, along the first that can be split,
    and `dim="first_divisible"` tries all.

    >>> tile(r"batch.*", dim=0, axis="data").tiles
    (('batch.*', 0),)
    """
    chosen: Dim = tuple(dim) if isinstance(dim, (list, tuple)) else dim  # type: ignore[assignment]
    return Tactic(axis, name, tiles=((pattern, chosen),), optional=optional)


def replicate(pattern: str, *, axis: str, name: str = "", optional: bool = False) -> Tactic:
    """Keeps the matching arrays whole over `axis`, from here on."""
    return Tactic(axis, name, atomics=(pattern,), optional=optional)


def cut(pattern: str, *, axis: str, name: str = "", optional: bool = False) -> Tactic:
    """In its tactic, nothing spreads between the definition of the matching values and their uses.

    Join it with the tile that it is to hold back: `partita.cut(...) + partita.tile(...)`.
    """
    return Tactic(axis, name, cuts=(pattern,), optional=optional)


def side(pattern: str, *, dim: int, axis: str, name: str = "", optional: bool = False) -> Tactic:
    """Where ops could be split in two ways, takes the way that splits `dim` of the matching values."""
    return Tactic(axis, name, sides=((pattern, dim),), optional=optional)


def auto(*axes: str, goals: Sequence[str] = ("fit", "time"), name: str = "auto") -> Tactic:
    """Searches for the rest over these axes (all of them if none is named)."""
    return Tactic("", name, automatic=axes, goals=tuple(goals))


@dataclass
class Names:
    """The names of a program's values. Those of inner values are asked for when a pattern matches nothing else."""

    arguments: Sequence[str]
    results: Sequence[str]
    #: All names of each inner value, the first of which is its own.
    inner: Callable[[], Sequence[tuple[str, ...]]] = field(default=lambda: ())

    def match(self, pattern: str) -> list[str]:
        """The names (one for each value) that a Python pattern matches."""
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise InputError(
                f"{pattern!r} is not a regular expression: {error}", remedy=list_names(self.arguments)
            ) from None

        def is_meant(forms: Sequence[str]) -> bool:
            return pattern in forms or any(map(compiled.fullmatch, forms))

        return [f[0] for f in self._outer if is_meant(f)] or [f[0] for f in self.inner() if is_meant(f)]

    @functools.cached_property
    def _outer(self) -> list[tuple[str, str, str]]:
        """All names of each argument and result, the first of which is its own."""
        sides = (("arg", self.arguments), ("result", self.results))
        return [(name, to_path(name), f"{kind}{n}") for kind, names in sides for n, name in enumerate(names)]

    def find(self, pattern: str) -> list[str]:
        """The same; an error where there is none."""
        found = self.match(pattern)
        if not found:
            raise InputError(
                f"the pattern {pattern!r} matches no argument, result or inner value",
                remedy=advise_name(pattern, map(to_path, self.arguments)) or list_names(self.arguments),
            )
        return found

    def translate(self, pattern: str) -> str:
        """The pattern for the tool, which knows POSIX's extended expressions: as it is, or the names it matches."""
        return "|".join(map(quote, self.find(pattern))) if is_python_only(pattern) else pattern


def is_python_only(pattern: str) -> bool:
    """Whether a pattern is one of Python's that POSIX's extended expressions lack, or read otherwise.

    >>> is_python_only(r"params/layers/\\d+"), is_python_only("params/.*")
    (True, False)
    """
    return any(found[1] for found in _PYTHON_ONLY.finditer(pattern))


def name_inner(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The names of the inner values among the cells of a flat program: by what they are, and by their source line.

    Up to JAX 0.9, constants come from nowhere: those have numbers only, as the tool gives them.

    >>> name_inner([{"kind": "op_result", "name": "jit(f)/sin", "occurrence": 1, "place": "/home/m.py:4"}])
    [('jit(f)/sin#1', '/home/m.py:4#0', 'm.py:4#0')]
    >>> name_inner([{"kind": "op_result", "occurrence": 0}])
    [('#0',)]
    """
    named: list[tuple[str, ...]] = []
    numbers: Counter[str] = Counter()
    for cell in cells:
        if cell["kind"] in ("argument", "result"):
            continue
        own = cell.get("name", "") + (f"#{cell['occurrence']}" if "occurrence" in cell else "")
        place = cell.get("place", "")
        full = f"{place}#{numbers[place]}"
        numbers[place] += 1
        named.append((own, full, full.rpartition("/")[2]) if place else (own,))
    return [forms for forms in named if forms[0]]


def list_names(arguments: Sequence[str]) -> str:
    """What to write instead of a pattern that matches nothing.

    >>> list_names(["state.step", "batch['x']"])
    "arguments are called state.step, batch['x']"
    """
    shown = ", ".join(arguments[:4]) + (", ..." if len(arguments) > 4 else "")
    return f"arguments are called {shown}" if shown else "the function has no arguments"


def to_path(name: str) -> str:
    """`state.params['w1'][0]` as `state/params/w1/0`.

    >>> to_path("state.params['layers'][0]['w']")
    'state/params/layers/0/w'
    """
    parts = re.findall(r"\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\[([^\]]*)\]|\.?([^.\[\]]+)", name)
    return "/".join(next((group for group in part if group), "") for part in parts)


def quote(name: str) -> str:
    """A POSIX pattern that matches this name alone."""
    return re.sub(r"([][.*^$+?(){}|\\])", r"\\\1", name)


@dataclass(frozen=True)
class Parts:
    """A schedule in two parts: where values lie, and the tactics behind that."""

    shardings: tuple[Any, ...] = ()
    tactics: tuple[Any, ...] = ()


NOTHING = Parts()


def build_schedule(schedule: Any, program: Program, names: Names, first: Parts, specs: ToShardings) -> Any:
    """The schedule as the tool reads it; None if there is neither a tactic nor a pin: everything is searched."""
    if schedule is None and first == NOTHING:
        return None
    chosen = Parts((), (auto(),)) if schedule is None else expand(schedule, program, names, specs)
    tactics = [t if isinstance(t, Mapping) else _to_json(t, names) for t in (*first.tactics, *chosen.tactics)]
    bound = [*first.shardings, *chosen.shardings]
    return ({"shardings": bound} if bound else {}) | {"tactics": tactics}


def expand(schedule: Any, program: Program, names: Names, specs: ToShardings) -> Parts:
    """The parts of a schedule in any of its forms; presets are made for the program. `specs` makes shardings of what
    says where arguments lie."""
    if isinstance(schedule, (str, Path)):
        schedule = _read(Path(schedule))
    elif hasattr(schedule, "schedule"):
        schedule = schedule.schedule  # a plan's, applied anew
    if isinstance(schedule, Mapping) and ("tactics" in schedule or "shardings" in schedule):
        return Parts(tuple(schedule.get("shardings", ())), tuple(schedule.get("tactics", ())))
    entries = [schedule] if isinstance(schedule, (Tactic, Mapping)) or callable(schedule) else schedule
    if not isinstance(entries, Iterable):
        raise UsageError(f"{schedule!r} is not a schedule", remedy="give a list of tactics, or the path of a file")
    bound: list[Any] = []
    expanded: list[Any] = []
    for entry in entries:
        if isinstance(entry, Tactic) or (isinstance(entry, Mapping) and {"axis", "auto"} & set(entry)):
            expanded.append(entry)
        elif is_preset(entry):
            expanded += _check_preset(entry)(program, names)
        elif isinstance(entry, Mapping) or hasattr(entry, "specs_by_name") or hasattr(entry, "in_shardings"):
            bound += specs(entry)
        else:
            raise UsageError(f"{entry!r} is not a tactic", remedy="use partita.tile, replicate, cut, auto or a preset")
    return Parts(tuple(bound), tuple(expanded))


def is_preset(entry: Any) -> bool:
    """Whether tactics are made of it for a program; a plan can be called, too."""
    return callable(entry) and not hasattr(entry, "specs_by_name")


def _check_preset(entry: Preset) -> Preset:
    """What takes something else than a program and its names was meant to be called first."""
    try:
        inspect.signature(entry).bind(None, None)
    except TypeError:
        name = getattr(entry, "__name__", repr(entry))
        raise UsageError(f"{name} is not a tactic", remedy=f"call it with its axis, {name}('data')") from None
    return entry


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text())
    except OSError as error:
        raise FileError(
            f"cannot read the schedule: {error.strerror}",
            place=str(path),
            remedy="a text is the path of a file; presets are partita.presets.fsdp('data') and others",
        ) from None
    except ValueError as error:
        raise InputError(f"the schedule is not JSON: {error}", place=str(path)) from None
    if isinstance(value, dict) and "partita_plan" in value:
        value = value["schedule"]
    if not isinstance(value, dict):
        raise InputError("a schedule is an object with a list of tactics", place=str(path))
    return value


def _to_json(tactic: Tactic, names: Names) -> dict[str, Any]:
    if tactic.automatic is not None:
        entry: dict[str, Any] = {"name": tactic.name or "auto", "auto": {"goals": list(tactic.goals)}}
        return entry | ({"axes": list(tactic.automatic)} if tactic.automatic else {})
    entry = {"name": tactic.name or _describe(tactic), "axis": tactic.axis}
    if tactic.atomics:
        entry["atomic"] = [names.translate(pattern) for pattern in tactic.atomics]
    if tactic.cuts:
        entry["cut"] = [names.translate(pattern) for pattern in tactic.cuts]
    if tactic.sides:
        entry["side"] = [[names.translate(pattern), dim] for pattern, dim in tactic.sides]
    if tactic.tiles:
        entry["tile"] = [[names.translate(pattern), dim] for pattern, dim in tactic.tiles]
    if tactic.optional:
        entry["optional"] = True
    return entry


def _describe(tactic: Tactic) -> str:
    """What a tactic without a name is called: by what it does first."""
    kinds = (("tile", tactic.tiles), ("replicate", tactic.atomics), ("cut", tactic.cuts), ("side", tactic.sides))
    return next((kind for kind, actions in kinds if actions), "nothing")
