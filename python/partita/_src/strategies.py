"""Strategies that people have already: where arguments and results lie, in no order.

A strategy is
- a dict or list from patterns to `PartitionSpec`s (the first match counts),
- a tuple with a tree of specs or shardings for each argument; any other tree of them is that of the first argument,
- what `jax.jit` takes, `partita.shardings(in_shardings, out_shardings)`,
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import jax
from jax.sharding import NamedSharding, PartitionSpec

from partita._src import nnx, static_fields
from partita._src.errors import FileError, InputError, UsageError, warn
from partita._src.logical_axes import Logical, logical
from partita._src.names import Names, list_names, quote, to_path
from partita._src.plans import Plan
from partita._src.programs import Program
from partita._src.spelling import advise_name
from partita._src.stored_forms import StoredForm
from partita._src.tactics import Tactic, is_preset

StrategyLike = Union[Mapping[str, Any], Sequence[Any], str, Path, Logical, "Shardings", Plan, Any]


def is_strategy(value: Any) -> bool:
    """Whether this says where arguments lie; otherwise it is a schedule: tactics, presets, or the path of one."""
    if isinstance(value, (str, Path)):
        return _is_specs_file(Path(value))
    if isinstance(value, Tactic) or is_preset(value):
        return False
    if isinstance(value, Mapping):
        return not {"axis", "auto", "tactics", "shardings"} & set(value)
    if type(value) is list and value and all(_is_rule(rule) for rule in value):
        return True
    if type(value) in (list, tuple):  # of tactics and presets, perhaps with strategies between, or a tree of specs
        if any(isinstance(entry, Tactic) or is_preset(entry) for entry in value):
            return False
        return any(
            isinstance(leaf, (PartitionSpec, NamedSharding)) for leaf in jax.tree.leaves(value, is_leaf=_is_leaf)
        )
    return value is not None


@dataclass(frozen=True)
class Shardings:
    """Trees of specs or shardings, as `jax.jit` takes them; None leaves open where something lies."""

    in_shardings: Any
    out_shardings: Any


def shardings(in_shardings: Any = None, out_shardings: Any = None) -> Shardings:
    """What `jax.jit(function, in_shardings=..., out_shardings=...)` takes, for `pins=`, `baseline=` and `Plan.compare`.

    Trees of `PartitionSpec`s or `NamedSharding`s; a spec stands for a whole subtree. None leaves it open.

    >>> from jax.sharding import PartitionSpec as P
    >>> given = shardings(in_shardings=(P("data"), None), out_shardings=P("data"))
    """
    return Shardings(in_shardings, out_shardings)


def to_shardings(strategy: Any, program: Program, names: Names, axes: Mapping[str, int]) -> list[Any]:
    """Pairs of a name and a spec, as the tool reads them. The array lies exactly so, in whatever order they stand; only
    a dim that is `PartitionSpec.UNCONSTRAINED` may take more axes."""
    avals = dict(zip((*names.arguments, *names.results), (*program.in_avals, *program.out_avals), strict=True))
    specs: dict[str, PartitionSpec] = {}
    for name, spec in _specs(strategy, program, names, axes):
        specs.setdefault(name, _check(name, spec, axes, avals.get(name)))
    return [[quote(name), [_dim_to_json(entry) for entry in spec]] for name, spec in specs.items()]


def _dim_to_json(entry: Any) -> Any:
    if entry is PartitionSpec.UNCONSTRAINED:
        return ["?"]
    return entry if entry is None or isinstance(entry, str) else list(entry)


def _check(argument: str, spec: PartitionSpec, axes: Mapping[str, int], aval: Any) -> PartitionSpec:
    """`aval` is None of what is no argument."""
    whose = f"the spec {spec} of {argument}" + ("" if aval is None else f", {aval.str_short()},")
    if aval is not None and len(spec) > aval.ndim:
        raise InputError(
            f"{whose} has {len(spec)} entries for {aval.ndim} dims", remedy="leave out what stands for no dim"
        )
    named = _axes(spec)
    if twice := [axis for axis in named if named.count(axis) > 1]:
        raise InputError(f"{whose} names the axis {twice[0]!r} twice", remedy="an axis splits one dim of an array")
    unknown = [axis for axis in named if axis.split(":(")[0] not in axes]
    if unknown:
        raise InputError(
            f"{whose} names {unknown[0]!r}, which is not an axis of the mesh: {', '.join(axes)}",
            remedy=advise_name(unknown[0], axes),
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
    elif isinstance(strategy, Shardings):
        yield from _by_trees(strategy, program, names)
    elif hasattr(strategy, "specs_by_name"):
        yield from _by_plan(strategy, program, names)
    elif _is_dump(strategy):
        yield from _by_dump(_to_specs(strategy), names, axes)
    elif isinstance(strategy, Mapping) and not nnx.is_state(strategy) and not _is_first_argument(strategy, program):
        yield from _by_rules(strategy.items(), names)
    elif isinstance(strategy, list) and all(_is_rule(rule) for rule in strategy):
        yield from _by_rules(strategy, names)
    elif type(strategy) is list and _are_rules(strategy, program):
        for entry in strategy:
            yield from _specs(entry, program, names, axes)
    else:
        yield from _by_tree(strategy if type(strategy) is tuple else (strategy,), program, names)


def _by_plan(plan: Plan, program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    """Arguments of the same name lie as in the plan. Arguments that this program does not have are looked for among its
    other arguments and results (`_find_alike`): an initialisation gives parameters that a training step takes."""
    known, forms = plan.specs_by_name(), plan.stored_forms()
    numbers = {name: number for number, name in enumerate(names.arguments)}
    results = dict(zip(names.results, program.out_avals, strict=True))
    for name, other in _match_plan(plan, known, program, names):
        spec, number = known[other], numbers.get(name)
        # Nothing pads results and what is not used, and at the border axes divide dims.
        whole = results.get(name)
        if number is not None:
            whole = None if program.uses(number) else program.in_avals[number]
        if whole is not None and other in forms:
            spec = PartitionSpec(*forms[other].keep_divided(spec, whole.shape))
        yield name, spec


def _match_plan(
    plan: Plan, known: Mapping[str, PartitionSpec], program: Program, names: Names
) -> Iterator[tuple[str, str]]:
    """Arguments and results of this program, and which of the plan's known arguments each of them is."""
    yield from ((name, name) for name in names.arguments if name in known)
    described = zip(plan.argument_names, plan._outcome.program.in_avals, strict=True)
    missing = [(name, aval) for name, aval in described if name in known and name not in set(names.arguments)]
    for values in (
        zip(names.arguments, program.in_avals, strict=True),
        zip(names.results, program.out_avals, strict=True),
    ):
        asked: dict[tuple[str, ...], list[str]] = {}
        for name, aval in values:
            alike = [] if name in known or not aval.ndim else _find_alike(name, aval, missing)
            if alike:
                asked.setdefault(tuple(alike), []).append(name)
        for others, askers in asked.items():
            # As many as there are: `result[0]['w']` and `result[1]['w']` are `params['w']` and `momentum['w']`.
            if len(askers) == len(others):
                yield from zip(askers, others, strict=True)
            elif len({known[other] for other in others}) == 1:
                yield from ((name, others[0]) for name in askers)


def find_followed(strategy: Any, program: Program, names: Names) -> dict[int, StoredForm]:
    """How a plan that is followed stores arguments, by their numbers: padded, or in another order."""
    if not isinstance(strategy, Plan):
        return {}
    forms = strategy.stored_forms()
    if not forms:
        return {}
    numbers = {name: number for number, name in enumerate(names.arguments)}
    matches = _match_plan(strategy, strategy.specs_by_name(), program, names)
    return {numbers[name]: forms[other] for name, other in matches if name in numbers and other in forms}


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


def _are_rules(strategy: Sequence[Any], program: Program) -> bool:
    """Whether a list has dicts from patterns, as schedules may; where the first argument is a list, it is its tree."""
    arguments, _ = jax.tree.unflatten(program.in_tree, range(program.in_tree.num_leaves))
    return all(isinstance(entry, Mapping) for entry in strategy) and not (arguments and isinstance(arguments[0], list))


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
    the mesh does not have are left out."""
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
    """A pattern that matches no argument is for results, or else for values inside."""
    taken: set[str] = set()
    arguments, results = set(names.arguments), set(names.results)
    for pattern, spec in rules:
        matched = names.match(pattern)
        found = [name for name in matched if name in arguments]
        found = found or [name for name in matched if name in results] or matched
        if not found:
            raise InputError(
                f"the pattern {pattern!r} matches no argument",
                remedy=advise_name(pattern, map(to_path, names.arguments)) or list_names(names.arguments),
            )
        for name in found:
            if name not in taken:
                taken.add(name)
                yield name, to_spec(spec, f" of {pattern!r}")


def _by_trees(strategy: Shardings, program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    given = strategy.in_shardings
    arguments, _ = jax.tree.unflatten(program.in_tree, list(names.arguments)[len(program.constants) :])
    # As in jax.jit, one spec is that of all arguments.
    trees = (given,) * len(arguments) if _is_leaf(given) else tuple(given)
    yield from _by_tree(trees, program, names)
    results = jax.tree.unflatten(program.out_tree, list(names.results))
    yield from _match(strategy.out_shardings, results, ("the results", "they are"))


def _by_tree(trees: tuple[Any, ...], program: Program, names: Names) -> Iterator[tuple[str, PartitionSpec]]:
    arguments, _ = jax.tree.unflatten(program.in_tree, list(names.arguments)[len(program.constants) :])
    if len(trees) > len(arguments):
        raise UsageError(f"there are {len(trees)} trees of specs for {len(arguments)} arguments")
    for number, (tree, argument) in enumerate(zip(trees, arguments, strict=False)):
        yield from _match(tree, argument, (f"argument {number}", "the argument"))


def _match(tree: Any, named: Any, whose: tuple[str, str]) -> Iterator[tuple[str, PartitionSpec]]:
    """The names in a tree with the specs at the same places of another; a spec stands for all below it."""
    tree = static_fields.adopt_tree(nnx.to_plain_tree(tree, named), named, _is_leaf)
    try:
        specs = jax.tree.map(
            lambda spec, part: jax.tree.map(lambda _: _Leaf(spec), part), tree, named, is_leaf=_is_leaf
        )
    except ValueError as error:
        raise UsageError(
            f"the tree of specs for {whose[0]} is not built as {whose[1]}: {error}",
            remedy="for several arguments give a tuple with a tree for each",
        ) from None
    for name, leaf in zip(jax.tree.leaves(named), jax.tree.leaves(specs), strict=True):
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
