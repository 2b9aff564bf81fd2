"""Tactics: what to split over which axis. A schedule is a list of them; earlier ones win.

    schedule=[partita.tile(r"batch.*", dim=0, axis="data"), partita.auto("model")]

`names.py` says what patterns match.
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from partita._src.errors import FileError, InputError, UsageError
from partita._src.names import Names
from partita._src.programs import Program

FIRST_DIVISIBLE = "first_divisible"

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
            raise UsageError(
                f"{self.axis!r} is not an axis", remedy="give the name of one axis; for several, one tactic each"
            )

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
Preset = Callable[[Program, Names], Sequence["Tactic | Mapping[str, Any]"]]
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


def accumulate(
    microbatches: int | Literal["auto"],
    *,
    batch: str | None = None,
    dim: int = 0,
    accumulate_type: str | None = None,
    passes: int = 1,
    scatter: str | None = None,
    name: str = "accumulate",
) -> Preset:
    """Cuts the batch into `microbatches` parts that run one after the other, and adds up gradients: memory for time.

    `"auto"` chooses their number with the plan, on a machine: as many as it takes to fit, or none. A search does so by
    itself, unless `partita.plan(..., forbid="accumulate")`; say it for a schedule that is otherwise your own.

    `batch` is a pattern for its arrays and `dim` their dim of rows; both are found by structure if it is not given.
    Sums of 16-bit gradients keep their type, unless `accumulate_type="f32"`. Where something needs the whole
    batch in the middle of the step (batch norm, a contrastive loss), what products made before is kept for the whole
    batch; with `passes=2` they run a second time for each microbatch instead. `scatter="data"` keeps the sums split
    over that axis and scatters gradients for each microbatch, as presets that split optimizer state do by themselves;
    with `scatter="none"` they are whole and reduced once.

    It comes with other tactics: `schedule=[partita.accumulate(8), partita.auto()]`.
    """
    is_number = isinstance(microbatches, int) and not isinstance(microbatches, bool) and microbatches >= 1
    if not is_number and microbatches != "auto":
        raise UsageError(f"{microbatches!r} is not a number of microbatches", remedy="give 1 or more, or 'auto'")

    def tactic(program: Program, names: Names) -> list[Mapping[str, Any]]:
        entry: dict[str, Any] = {"name": name, "temporal": {"micro": microbatches}}
        if batch is not None:
            entry["tile"] = [[names.translate(batch), dim]]
        if accumulate_type is not None:
            entry["accumulate_type"] = accumulate_type
        if scatter is not None:
            entry["scatter"] = scatter
        return [entry | ({"passes": passes} if passes != 1 else {})]

    return tactic


def _remat(word: str, patterns: tuple[str, ...]) -> Preset:
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise UsageError(f"{pattern!r} is not a pattern", remedy="give a name, or a regular expression, as text")
    if not patterns:
        raise UsageError(f"partita.{word} has no pattern", remedy=f'say what to {word}: partita.{word}("attention/.*")')
    return lambda program, names: [{"name": "remat", word: list(patterns)}]


def recompute(*patterns: str) -> Preset:
    """The backward pass computes matching values of the forward pass again instead of keeping them: time for memory.

    Patterns match scopes and ops of the forward pass, `attention/dot_general`; `attention/.*` is all of a scope. Values
    that are alike in all layers have one name. An error for a pattern that matches nothing lists the names.

    It comes with other tactics: `schedule=[partita.recompute("attention/.*"), partita.auto()]`.
    """
    return _remat("recompute", patterns)


def keep(*patterns: str) -> Preset:
    """The backward pass keeps matching values of the forward pass, also where `jax.checkpoint` recomputes them.

    Where `recompute` and `keep` both match a value, it is kept.
    """
    return _remat("keep", patterns)


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
    """What takes something other than a program and its names was meant to be called first."""
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
