"""Strategies that people have already: specs for arguments, as tactics.

A strategy is
- a dict or list from patterns to `PartitionSpec`s (the first match counts),
- a tuple with a tree of specs or shardings for each argument; any other tree of them is that of the first argument,
- logical axes with their rules (`partita.logical`),
- another plan, whose shardings are taken for arguments of the same name, and for arguments and results that are the
  same by type and the end of their path,
- the path of a JSON file: a list of [pattern, spec], or an object from paths to {"partition_spec": ...}, as MaxText
  writes it, or names of dims with their rules (docs/schedules.md). The command line reads the same files.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import jax
from jax.sharding import NamedSharding, PartitionSpec

from partita.errors import FileError, InputError, UsageError, warn
from partita.logical_axes import Logical, logical
from partita.presets import find_roles
from partita.tactics import Names, Tactic, list_names, quote, to_path
from partita.tracing import Program

if TYPE_CHECKING:
    from partita.plans import Plan

StrategyLike = Union[Mapping[str, Any], Sequence[Any], str, Path, Logical, "Plan", Any]


def is_strategy(value: Any) -> bool:
    """Whether this says where arguments lie; otherwise it is a schedule: tactics, presets, or the path of one."""
    if isinstance(value, (str, Path)):
        return _is_specs_file(Path(value))
    if isinstance(value, Tactic) or (callable(value) and not hasattr(value, "specs_by_name")):
        return False
    if isinstance(value, Mapping):
        return not {"axis", "auto", "tactics"} & set(value)
    if type(value) is list and value and all(_is_rule(rule) for rule in value):
        return True
    if type(value) in (list, tuple):  # of tactics and presets, or a tree of specs
        return any(
            isinstance(leaf, (PartitionSpec, NamedSharding)) for leaf in jax.tree.leaves(value, is_leaf=_is_leaf)
        )
    return value is not None


def to_tactics(strategy: Any, program: Program, names: Names, axes: Mapping[str, int], name: str) -> list[Tactic]:
    """One tactic for each axis and rank among a dim's axes. Axes that a spec does not name keep its argument whole,
    unless one of its dims is `PartitionSpec.UNCONSTRAINED`.

    What is fed to a step (the batch) comes before its state: under FSDP both are split over one axis, and it is the
    batch that work follows.
    """
    specs = {argument: _check(argument, spec, axes) for argument, spec in _specs(strategy, program, names, axes)}
    state = _find_state(program, names)
    ordered = sorted(specs, key=lambda argument: argument in state)
    ranks = max((len(_names(dim)) for spec in specs.values() for dim in spec), default=0)
    tactics = []
    for rank in range(max(ranks, 1)):
        for axis in axes:
            tiles = tuple(
                (quote(argument), dim)
                for argument in ordered
                for dim, entry in enumerate(specs[argument])
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


def _find_state(program: Program, names: Names) -> set[str]:
    """Arguments that come back as results, and what else has weights in it."""
    if program.closed_jaxpr is None:
        return set()
    roles = find_roles(program)
    return {names.arguments[number] for number in (*roles.parameters, *roles.optimizer)}


def _check(argument: str, spec: PartitionSpec, axes: Mapping[str, int]) -> PartitionSpec:
    named = _axes(spec)
    if twice := [axis for axis in named if named.count(axis) > 1]:
        raise InputError(f"the spec {spec} of {argument} names the axis {twice[0]!r} twice", remedy="change the spec")
    unknown = [axis for axis in named if axis not in axes]
    if unknown:
        raise InputError(
            f"the spec {spec} of {argument} names the axis {unknown[0]!r}, which the mesh has not: {', '.join(axes)}"
        )
    return spec


def _names(entry: Any) -> tuple[str, ...]:
    if entry is None or entry is PartitionSpec.UNCONSTRAINED:
        return ()
    return (entry,) if isinstance(entry, str) else tuple(entry)


def _axes(spec: PartitionSpec) -> list[str]:
    return [axis for entry in spec for axis in _names(entry)]


def _specs(
    strategy: Any, program: Program, names: Names, axes: Mapping[str, int]
) -> Iterator[tuple[str, PartitionSpec]]:
    """The spec of each argument that the strategy speaks of."""
    if isinstance(strategy, (str, Path)):
        strategy = _read(Path(strategy))
    if isinstance(strategy, Logical):
        yield from strategy.specs(program, names.arguments)
    elif hasattr(strategy, "specs_by_name"):
        yield from _by_plan(strategy, program, names)
    elif _is_dump(strategy):
        yield from _by_dump(_to_specs(strategy), names, axes)
    elif isinstance(strategy, Mapping) and not _is_first_argument(strategy, program):
        yield from _by_rules(strategy.items(), names)
    elif isinstance(strategy, list) and all(_is_rule(rule) for rule in strategy):
        yield from _by_rules(strategy, names)
    else:
        yield from _by_tree(strategy if type(strategy) is tuple else (strategy,), program, names)


def _by_plan(plan: Plan, program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    """Arguments of the same name lie as in the plan. Arguments that this program has not are looked for among its other
    arguments and results (`_find_alike`): an initialisation gives parameters that a training step takes."""
    known = dict(plan.specs_by_name())
    yield from ((name, known[name]) for name in names.arguments if name in known)
    described = zip(plan.argument_names, plan.parts[0].in_avals, strict=True)
    missing = [(name, aval) for name, aval in described if name in known and name not in set(names.arguments)]
    for name, aval in (
        *zip(names.arguments, program.in_avals, strict=True),
        *zip(names.results, program.out_avals, strict=True),
    ):
        alike = [] if name in known or not aval.ndim else _find_alike(name, aval, missing)
        specs = {known[other] for other in alike}
        if len(specs) == 1:
            yield name, specs.pop()


def _find_alike(name: str, aval: Any, others: Sequence[tuple[str, Any]]) -> list[str]:
    """Those of the same type whose path has the longest end in common; among these, those with the least before it.

    `params/w` and `result/params/w` are `state/params/w` rather than `state/opt_state/0/mu/w`.
    """
    path = to_path(name).split("/")
    ranked: dict[tuple[int, int], list[str]] = {}
    for other, kind in others:
        if (tuple(kind.shape), kind.dtype) == (tuple(aval.shape), aval.dtype):
            parts = to_path(other).split("/")
            pairs = zip(reversed(path), reversed(parts), strict=False)
            common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
            ranked.setdefault((common, common - len(parts)), []).append(other)
    best = max(ranked, default=(0, 0))
    return ranked[best] if best[0] else []


def _is_first_argument(strategy: Mapping[str, Any], program: Program) -> bool:
    """Whether a dict is a tree of specs for the first argument; its keys are patterns otherwise."""
    arguments, _ = jax.tree.unflatten(program.in_tree, range(program.in_tree.num_leaves))
    return bool(arguments) and isinstance(arguments[0], Mapping) and set(strategy) == set(arguments[0])


def _is_dump(strategy: Any) -> bool:
    """As MaxText writes it: `{"['params']/['w']": {"partition_spec": ["fsdp", null], ...}}`, or names of dims:
    `{"logical_axis_rules": [["embed", "fsdp"]], "logical_axes": {"['params']/['w']": ["embed", null]}}`."""
    if not isinstance(strategy, Mapping) or not strategy:
        return False
    is_entry = [isinstance(entry, Mapping) and "partition_spec" in entry for entry in strategy.values()]
    return all(is_entry) or {"logical_axis_rules", "logical_axes"} <= set(strategy)


def _to_specs(dump: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first form of a dump, from either."""
    if "logical_axis_rules" not in dump:
        return dump
    rules = logical(dump["logical_axis_rules"])
    mesh = dump.get("mesh")
    return {
        path: {"partition_spec": rules.translate(dims), "mesh": mesh} for path, dims in dump["logical_axes"].items()
    }


def _by_dump(dump: Mapping[str, Any], names: Names, axes: Mapping[str, int]) -> Iterator[tuple[str, PartitionSpec]]:
    """Paths of a dump begin below the argument: an argument is meant whose path ends with it. Axes of one device that
    the mesh has not are left out."""
    paths = {name: to_path(name) for name in names.arguments}
    missed = []
    for key, entry in dump.items():
        end = to_path(".".join(key.split("/")).replace(".[", "[").replace("..", "."))
        sizes = (entry.get("mesh") or {}).get("shape") or {}
        spec = PartitionSpec(
            *(
                tuple(axis for axis in _names(dim) if axis in axes or sizes.get(axis) != 1) or None
                for dim in to_spec(entry["partition_spec"])
            )
        )
        meant = [name for name, path in paths.items() if path == end or path.endswith(f"/{end}")]
        missed += [] if meant else [key]
        yield from ((name, spec) for name in meant)
    if len(missed) == len(dump):
        raise InputError(
            f"none of the {len(dump)} paths is one of an argument, such as {missed[0]}",
            remedy=list_names(names.arguments),
        )
    if missed:
        warn(f"{len(missed)} of {len(dump)} paths match no argument, such as {missed[0]}")


def _is_specs_file(path: Path) -> bool:
    """Whether a file has specs; schedules and plans are objects of their own."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return False
    if text.lstrip().startswith("["):
        return True
    try:
        return _is_dump(json.loads(text))
    except ValueError:
        return False


def _read(path: Path) -> Any:
    """A list of [pattern, spec], or a dump of shardings, from a JSON file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read the rules: {error.strerror}", place=str(path)) from None
    except ValueError as error:
        raise InputError(f"the rules are not JSON: {error}", place=str(path)) from None
    if not _is_dump(found) and not (isinstance(found, list) and all(_is_rule(rule) for rule in found)):
        raise InputError(
            "rules are a list of [pattern, spec], an object from paths to partition_spec, or logical_axis_rules",
            place=str(path),
            remedy='[["params/.*", [null, "model"]]]',
        )
    return found


def _is_rule(rule: Any) -> bool:
    return isinstance(rule, (tuple, list)) and len(rule) == 2 and isinstance(rule[0], str)


def _by_rules(rules: Any, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    taken: set[str] = set()
    arguments = set(names.arguments)
    for pattern, spec in rules:
        found = [name for name in names.match(pattern) if name in arguments]
        if not found:
            raise InputError(
                f"the pattern {pattern!r} matches no argument",
                remedy=list_names(names.arguments),
            )
        for name in found:
            if name not in taken:
                taken.add(name)
                yield name, to_spec(spec, f" of {pattern!r}")


def _by_tree(trees: tuple[Any, ...], program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    arguments, _ = jax.tree.unflatten(program.in_tree, list(names.arguments)[len(program.constants) :])
    if len(trees) > len(arguments):
        raise UsageError(f"there are {len(trees)} trees of specs for {len(arguments)} arguments")
    for number, (tree, argument) in enumerate(zip(trees, arguments, strict=False)):
        try:
            specs = jax.tree.map(
                lambda spec, part: jax.tree.map(lambda _: _Leaf(spec), part), tree, argument, is_leaf=_is_leaf
            )
        except ValueError as error:
            raise UsageError(
                f"the tree of specs for argument {number} is not built as the argument: {error}",
                remedy="for several arguments give a tuple with a tree for each",
            ) from None
        for name, leaf in zip(jax.tree.leaves(argument), jax.tree.leaves(specs), strict=True):
            if leaf.spec is not None:
                yield name, to_spec(leaf.spec, f" of {name}")


class _Leaf:
    """A spec, or None, that trees do not look into."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec


def _is_leaf(value: Any) -> bool:
    return value is None or isinstance(value, (PartitionSpec, NamedSharding))


def to_spec(spec: Any, whose: str = "") -> PartitionSpec:
    """A spec from a spec, a `NamedSharding` or a list such as `[null, "model"]`; an error says whose it is."""
    if isinstance(spec, NamedSharding):
        return spec.spec
    if isinstance(spec, PartitionSpec):
        return spec
    if isinstance(spec, (list, tuple)):
        return PartitionSpec(*(tuple(entry) if isinstance(entry, list) else entry for entry in spec))
    raise UsageError(
        f"the spec{whose}, {spec!r}, is not a PartitionSpec",
        remedy="a strategy is a dict or list from patterns to specs, {'params/.*': P('data')}, trees of specs, a plan,"
        " a preset, tactics, or a file of one",
    )
