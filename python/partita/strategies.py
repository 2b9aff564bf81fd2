"""Strategies that people have already: specs for arguments, as tactics.

A strategy is a dict or list from patterns to `PartitionSpec`s (the first match counts), a tuple with a tree of specs or
shardings for each argument, another plan, whose shardings are taken for arguments of the same name, or the path of a
JSON file with a list of [pattern, spec], as people keep them beside their configuration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import jax
from jax.sharding import NamedSharding, PartitionSpec

from partita.errors import FileError, InputError, UsageError
from partita.tactics import Names, Tactic, quote
from partita.tracing import Program

if TYPE_CHECKING:
    from partita.plans import Plan

StrategyLike = Union[Mapping[str, Any], Sequence[Any], str, Path, "Plan"]


def to_tactics(strategy: Any, program: Program, names: Names, axes: Mapping[str, int], name: str) -> list[Tactic]:
    """One tactic for each axis and rank among a dim's axes. Axes that a spec does not name keep its argument whole,
    unless one of its dims is `PartitionSpec.UNCONSTRAINED`."""
    specs = dict(_specs(strategy, program, names))
    ranks = max((len(_names(dim)) for spec in specs.values() for dim in spec), default=0)
    unknown = sorted({axis for spec in specs.values() for axis in _axes(spec)} - set(axes))
    if unknown:
        raise InputError(f"the {name} name the axis {unknown[0]!r}, which the mesh has not: {', '.join(axes)}")
    tactics = []
    for rank in range(max(ranks, 1)):
        for axis in axes:
            tiles = tuple(
                (quote(argument), dim)
                for argument, spec in specs.items()
                for dim, entry in enumerate(spec)
                if len(_names(entry)) > rank and _names(entry)[rank] == axis
            )
            whole = tuple(
                quote(argument)
                for argument, spec in specs.items()
                if rank == 0 and axis not in _axes(spec) and PartitionSpec.UNCONSTRAINED not in tuple(spec)
            )
            if tiles or whole:
                tactics.append(Tactic(axis, f"{name} {axis}", tiles=tiles, atomics=whole))
    return tactics


def _names(entry: Any) -> tuple[str, ...]:
    if entry is None or entry is PartitionSpec.UNCONSTRAINED:
        return ()
    return (entry,) if isinstance(entry, str) else tuple(entry)


def _axes(spec: PartitionSpec) -> list[str]:
    return [axis for entry in spec for axis in _names(entry)]


def _specs(strategy: Any, program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    """The spec of each argument that the strategy speaks of."""
    if isinstance(strategy, (str, Path)):
        strategy = read_rules(Path(strategy))
    if hasattr(strategy, "specs_by_name"):
        known = dict(strategy.specs_by_name())
        yield from ((name, known[name]) for name in names.arguments if name in known)
    elif isinstance(strategy, Mapping) or (isinstance(strategy, list) and all(_is_rule(rule) for rule in strategy)):
        yield from _by_rules(strategy.items() if isinstance(strategy, Mapping) else strategy, names)
    elif isinstance(strategy, tuple):
        yield from _by_tree(strategy, program, names)
    else:
        raise UsageError(
            f"{strategy!r} is not a strategy",
            remedy="give {pattern: PartitionSpec}, a tuple with a tree of specs for each argument, or a plan",
        )


def is_rules_file(path: Any) -> bool:
    """Whether this is the path of a file with a list of [pattern, spec]; schedules and plans are objects."""
    if not isinstance(path, (str, Path)):
        return False
    try:
        return Path(path).read_text(encoding="utf-8").lstrip().startswith("[")
    except OSError:
        return False


def read_rules(path: Path) -> list[Any]:
    """A list of [pattern, spec] from a JSON file."""
    try:
        rules = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the rules: {error.strerror}", place=str(path)) from None
    except ValueError as error:
        raise InputError(f"the rules are not JSON: {error}", place=str(path)) from None
    if not isinstance(rules, list) or not all(_is_rule(rule) for rule in rules):
        raise InputError(
            "rules are a list of [pattern, spec]", place=str(path), remedy='[["params/.*", [null, "model"]]]'
        )
    return rules


def _is_rule(rule: Any) -> bool:
    return isinstance(rule, (tuple, list)) and len(rule) == 2 and isinstance(rule[0], str)


def _by_rules(rules: Any, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    taken: set[str] = set()
    for pattern, spec in rules:
        found = [name for name in names.match(pattern) if name in set(names.arguments)]
        if not found:
            raise InputError(
                f"the pattern {pattern!r} matches no argument",
                remedy=f"arguments are called {', '.join(names.arguments[:4])}, ...",
            )
        for name in found:
            if name not in taken:
                taken.add(name)
                yield name, to_spec(spec)


def _by_tree(trees: tuple[Any, ...], program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    arguments, _ = jax.tree.unflatten(program.in_tree, list(names.arguments)[len(program.constants) :])
    if len(trees) != len(arguments):
        raise UsageError(f"there are {len(trees)} trees of specs for {len(arguments)} arguments")
    for tree, argument in zip(trees, arguments, strict=True):
        specs = jax.tree.map(
            lambda spec, part: jax.tree.map(lambda _: spec, part),
            tree,
            argument,
            is_leaf=lambda leaf: leaf is None or isinstance(leaf, (PartitionSpec, NamedSharding)),
        )
        pairs = zip(
            jax.tree.leaves(argument),
            jax.tree.leaves(
                specs, is_leaf=lambda leaf: leaf is None or isinstance(leaf, (PartitionSpec, NamedSharding))
            ),
            strict=False,
        )
        yield from ((name, to_spec(spec)) for name, spec in pairs if spec is not None)


def to_spec(spec: Any) -> PartitionSpec:
    """A spec from a spec, a `NamedSharding` or a list such as `[null, "model"]`."""
    if isinstance(spec, NamedSharding):
        return spec.spec
    if isinstance(spec, PartitionSpec):
        return spec
    if isinstance(spec, (list, tuple)):
        return PartitionSpec(*(tuple(entry) if isinstance(entry, list) else entry for entry in spec))
    raise UsageError(f"{spec!r} is not a PartitionSpec")
