"""The shardings of a plan in the form in which other packages keep theirs: `Plan.rules(format=...)`.

flax, maxtext   logical axis rules, [("mlp", "model"), ("embed", ("data", "model"))], for names of dims
levanter        axis_resources and parameter_axis_resources, {"mlp": "model"}, for names of dims
keras           the entries of a LayoutMap, {"^dense/kernel$": (None, "model")}, for paths of variables
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
from jax.sharding import PartitionSpec

from partita._src import engine, logical_axes, static_fields, ties
from partita._src.axis_rules import Axes, NamedArray, find_mapping, find_rules, map_dims, translate
from partita._src.errors import FileError, InputError, UsageError, warn
from partita._src.names import list_names, to_path
from partita._src.programs import Program

_SHOWN = 5


@dataclass(frozen=True)
class PlannedArgument:
    """An argument of a plan: the axes of each dim, and its bytes."""

    name: str
    axes: tuple[Axes, ...]
    size: int
    #: As `partita analyze` tells them apart: `parameter`, `optimizer_state`, `input`, ...; empty if not asked for.
    kind: str = ""
    #: The axes of each dim where it is computed with, behind gathers.
    used: tuple[Axes, ...] = ()


@dataclass(frozen=True, repr=False)
class ExportedRules:
    """A plan's shardings as another package writes them; prints as a part of its configuration.

    `value` is what the package takes. `missed` has each array of which it says something other than the
    plan, and what.
    """

    format: str
    value: Any
    missed: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [*_PRINTERS[self.format](self.value), *(f"# {line}" for line in _list_missed(self.missed))]
        return "\n".join(lines)

    __repr__ = __str__


def export_rules(
    format: str, program: Program, names: Any, arguments: Callable[[bool], Sequence[PlannedArgument]]
) -> ExportedRules:
    """`arguments` gives those of the plan, with how they are used if that is asked for."""
    if format not in _PRINTERS:
        raise UsageError(f"there is no format {format!r}", remedy=f"one of {', '.join(_PRINTERS)}; or none")
    listed = arguments(format == "levanter")
    if format == "keras":
        exported = _to_keras(_find_paths(names, program), listed)
    else:
        named = _name_dims(names, program, listed)
        exported = _to_levanter(named) if format == "levanter" else _to_logical(format, [array for array, _ in named])
    if exported.missed:
        warn(f"the {format} rules do not say all of the plan\n  " + "\n  ".join(_list_missed(exported.missed)))
    return exported


def find_kinds(program: Program) -> list[str]:
    """What each argument is."""
    flags = [*ties.to_flags(program), *(f"--rule={rule}" for rule in program.rules)]
    done = engine.run(["analyze", "program.mlir", "--json", *flags], {"program.mlir": program.text})
    kinds = ["input"] * len(program.argument_names)
    for group in json.loads(done.stdout)["groups"]:
        for member in group.get("members", ()):
            kinds[member] = group["kind"]
    return kinds


def with_uses_of(
    arguments: Sequence[PlannedArgument], values: Sequence[Mapping[str, Any]], kinds: Sequence[str]
) -> list[PlannedArgument]:
    """With what is known of their use, from what `partita explain` says of them."""
    gathered: dict[str, set[str]] = {}
    for value in values:
        moved = [entry["steps"] for entry in value["reshards"] if entry["moved"] in ("value", "slice")]
        axes = re.findall(r"all_gather \{([^}]*)\}", " ".join(moved))
        gathered[value["name"]] = {axis for listed in axes for axis in listed.split(", ")}
    return [
        dataclasses.replace(
            argument,
            kind=kind,
            used=tuple(tuple(a for a in axes if a not in gathered.get(argument.name, ())) for axes in argument.axes),
        )
        for argument, kind in zip(arguments, kinds, strict=True)
    ]


# The names that users give.


def _name_dims(
    names: Any, program: Program, arguments: Sequence[PlannedArgument]
) -> list[tuple[NamedArray, PlannedArgument]]:
    """The arguments whose dims have names."""
    found = dict(_find_dims(names, program))
    named = []
    for argument in arguments:
        dims = tuple(found.get(argument.name) or ())
        if argument.name not in found or not argument.axes:
            continue
        if len(dims) > len(argument.axes):
            raise InputError(
                f"{argument.name} has {len(argument.axes)} dims, but {len(dims)} names: {', '.join(map(str, dims))}",
                remedy="give one for each dim, or None for a dim without one",
            )
        dims += (None,) * (len(argument.axes) - len(dims))
        named.append((NamedArray(argument.name, dims, argument.axes, argument.size), argument))
    return named


def _find_dims(names: Any, program: Program) -> Iterator[tuple[str, Any]]:
    """The names of the dims of each argument that has some."""
    if isinstance(names, (str, Path)):
        names = _read(Path(names))
    if isinstance(names, Mapping) and names and all(_is_entry(entry) for entry in names.values()):
        yield from _by_paths({path: entry["partition_spec"] for path, entry in names.items()}, program.argument_names)
    elif type(names) is list and names and all(_is_pair(entry) for entry in names):
        yield from _by_patterns(names, program.argument_names)
    else:
        trees = None if names is None else names if type(names) is tuple else (names,)
        yield from logical_axes.find_logical_names(trees, program, program.argument_names)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "partition_spec" in entry


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the names of dims: {error.strerror}", place=str(path)) from None
    except ValueError as error:
        raise InputError(f"the names of dims are not JSON: {error}", place=str(path)) from None


def _by_paths(named: Mapping[str, Any], arguments: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """`.params/['mlp']/['kernel']` is the argument whose path ends so."""
    paths = {to_path(key.replace("/", "")): dims for key, dims in named.items()}
    for argument in arguments:
        parts = to_path(argument).split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        yield from ((argument, paths[end]) for end in ends if end in paths)


def _by_patterns(pairs: Sequence[Any], arguments: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The first pattern that matches an argument's path counts."""
    matched: dict[str, Any] = {}
    for pattern, dims in pairs:
        found = [name for name in arguments if re.fullmatch(pattern, to_path(name)) or name == pattern]
        if not found:
            raise InputError(f"the pattern {pattern!r} matches no argument", remedy=list_names(arguments))
        for name in found:
            matched.setdefault(name, dims)
    yield from matched.items()


def _find_paths(names: Any, program: Program) -> dict[str, str]:
    """The path of the variable that each argument is, by trees of paths."""
    if names is None:
        raise UsageError(
            "Keras lays out variables by their paths, which the arguments do not carry",
            remedy="names=([v.path for v in model.trainable_variables], ...), a tree of paths for each argument",
        )
    arguments, _ = jax.tree.unflatten(program.in_tree, program.argument_names[len(program.constants) :])
    found: dict[str, str] = {}
    for number, (tree, argument) in enumerate(
        zip(names if type(names) is tuple else (names,), arguments, strict=False)
    ):
        if tree is None:
            continue
        paths, flat = jax.tree.leaves(static_fields.adopt_tree(tree, argument)), jax.tree.leaves(argument)
        if len(paths) != len(flat):
            raise InputError(
                f"names= has {len(paths)} paths for argument {number}, which has {len(flat)} arrays",
                remedy="give a tuple with a tree of paths for each argument, built as it is, or None for one without",
            )
        found |= zip(flat, map(str, paths), strict=True)
    return found


# The formats.


def _to_logical(format: str, arrays: Sequence[NamedArray]) -> ExportedRules:
    rules = find_rules(arrays)
    value = [(name, _unwrap(axes)) for name, axes in rules]
    return ExportedRules(format, value, _compare((array, translate(rules, array.dims)) for array in arrays))


def _to_levanter(named: Sequence[tuple[NamedArray, PlannedArgument]]) -> ExportedRules:
    """The batch is split, and parameters are computed with, as `axis_resources` says; where the state is stored
    otherwise, `parameter_axis_resources` says so."""
    computed = [
        NamedArray(array.name, array.dims, argument.used, array.size)
        for array, argument in named
        if argument.kind in ("input", "parameter")
    ]
    compute = {name: axes for name, axes in find_mapping(computed).items() if axes}
    states = [array for array, argument in named if argument.kind != "input"]
    stored = find_mapping(states)
    own = {name: axes for name, axes in stored.items() if axes != compute.get(name, ())}
    mapping = compute | own
    value = {
        "axis_resources": {name: _unwrap(axes) for name, axes in sorted(compute.items())},
        "parameter_axis_resources": {name: _unwrap(axes) for name, axes in sorted(own.items())},
    }
    inputs = [array for array, argument in named if argument.kind == "input"]
    missed = _compare((array, map_dims(mapping, array.dims)) for array in states)
    missed |= _compare((array, map_dims(compute, array.dims)) for array in inputs)
    used = ((array, map_dims(compute, array.dims)) for array in computed if array.name not in missed)
    return ExportedRules(
        "levanter", value, missed | {n: f"where it is used, {why}" for n, why in _compare(used).items()}
    )


def _to_keras(paths: Mapping[str, str], arguments: Sequence[PlannedArgument]) -> ExportedRules:
    """One entry for variables that differ only in numbers and are split alike. An axis of Keras is one of the mesh."""
    layouts: dict[str, tuple[str | None, ...]] = {}
    missed = {}
    for argument in arguments:
        path = paths.get(argument.name)
        if path is None:
            continue
        if any(len(axes) > 1 or ":(" in axis for axes in argument.axes for axis in axes):
            missed[path] = f"{print_spec(argument.axes)}; a LayoutMap has one whole axis for a dim"
            continue
        layouts[path] = tuple(axes[0] if axes else None for axes in argument.axes)
    groups: dict[str, dict[str, tuple[str | None, ...]]] = {}
    for path, layout in layouts.items():
        groups.setdefault(re.sub(r"[0-9]+", "[0-9]+", re.escape(path)), {})[path] = layout
    entries: dict[str, tuple[str | None, ...]] = {}
    for pattern, members in groups.items():
        alike = len(set(members.values())) == 1 and not any(re.fullmatch(pattern, path) for path in missed)
        listed = {pattern: next(iter(members.values()))} if alike and len(members) > 1 else {}
        entries |= listed or {re.escape(path): layout for path, layout in members.items()}
    value = {f"^{pattern}$": layout for pattern, layout in entries.items() if any(layout)}
    return ExportedRules("keras", value, missed)


def _compare(results: Any) -> dict[str, str]:
    """Of arrays with what the rules give, those for which that is something else."""
    return {
        array.name: f"{print_spec(array.axes)}; the rules give {print_spec(given)}"
        for array, given in results
        if given != array.axes
    }


def _unwrap(axes: Axes) -> str | Axes | None:
    return None if not axes else axes[0] if len(axes) == 1 else axes


def print_spec(axes: Sequence[Axes]) -> str:
    """
    >>> print_spec((("data", "model"), (), ("model",), ()))
    "P(('data', 'model'), None, 'model')"
    """
    dims = [_unwrap(each) for each in axes]
    while dims and dims[-1] is None:
        dims.pop()
    return f"P({', '.join(map(repr, dims))})" if dims else repr(PartitionSpec())


def _list_missed(missed: Mapping[str, str]) -> list[str]:
    lines = [f"planned otherwise: {name} as {why}" for name, why in list(missed.items())[:_SHOWN]]
    return [*lines, *([f"and {len(missed) - _SHOWN} more"] if len(missed) > _SHOWN else [])]


def _print_flax(value: Any) -> list[str]:
    return ["logical_axis_rules = [", *(f"    {rule!r}," for rule in value), "]"]


def _print_maxtext(value: Any) -> list[str]:
    """As its YAML files have it."""
    rules = ([name, [] if axes is None else [axes] if isinstance(axes, str) else list(axes)] for name, axes in value)
    return ["logical_axis_rules: [", *(f"  {rule!r}," for rule in rules), "]"]


def _print_levanter(value: Any) -> list[str]:
    lines = ["trainer:"]
    for key, mapping in value.items():
        lines.append(f"  {key}:" + ("" if mapping else " {}"))
        for name, axes in mapping.items():
            lines.append(f"    {name}: " + (axes if isinstance(axes, str) else f"[{', '.join(axes or ())}]"))
    return lines


def _print_keras(value: Any) -> list[str]:
    return [
        "layout_map = keras.distribution.LayoutMap(device_mesh)",
        *(f"layout_map[{pattern!r}] = {layout!r}" for pattern, layout in value.items()),
    ]


_PRINTERS: dict[str, Callable[[Any], list[str]]] = {
    "flax": _print_flax,
    "maxtext": _print_maxtext,
    "levanter": _print_levanter,
    "keras": _print_keras,
}
