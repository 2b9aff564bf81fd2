"""Logical axes: dims that are named by what they are (`embed`, `heads`), and rules that say where such dims go.

rules = [("batch", "data"), ("heads", "model"), ("mlp", "model")]
partita.plan(step, variables, batch, mesh=mesh, pins=partita.logical(rules))          # names of flax's boxes
partita.plan(step, params, batch, mesh=mesh, pins=partita.logical(rules, specs, P("batch")))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.sharding import PartitionSpec

from partita._src import static_fields
from partita._src.errors import InputError
from partita._src.nnx import Modules
from partita._src.programs import Program

Rule = tuple[str, Any]


@dataclass(frozen=True)
class Logical:
    """A strategy by logical axes; `logical` makes one."""

    rules: tuple[Rule, ...]
    #: A tree of specs of logical names for each argument; None: those that the arguments carry.
    trees: tuple[Any, ...] | None

    def translate(self, spec: Any) -> PartitionSpec:
        """The spec over axes of the mesh. Rules are tried in order: the first for a name whose axes are still free in
        this array is taken, as flax does.

        >>> logical([("embed", "model"), ("mlp", "model"), ("mlp", "data")]).translate(("embed", "mlp", None))
        P('model', 'data', None)
        """
        names = list(spec)
        chosen: list[Any] = [None] * len(names)
        assigned = [name is None for name in names]
        used: set[str] = set()
        for name, axes in self.rules:
            for dim, wanted in enumerate(names):
                if assigned[dim] or wanted != name or used & set(_axes(axes)):
                    continue
                chosen[dim], assigned[dim] = axes if axes is None or isinstance(axes, str) else tuple(axes), True
                used |= set(_axes(axes))
        return PartitionSpec(*chosen)

    def specs(self, program: Program, names: Sequence[str]) -> Iterator[tuple[str, PartitionSpec]]:
        """The spec of each argument that has logical names."""
        for name, spec in find_logical_names(self.trees, program, names):
            yield name, self.translate(spec)


def find_logical_names(trees: tuple[Any, ...] | None, program: Program, names: Sequence[str]) -> list[tuple[str, Any]]:
    """The arguments with logical names, and these: those of trees of specs, or those that the arguments carry."""
    found = list(_carried(program, names) if trees is None else _given(trees, program, names))
    if not found:
        raise InputError(
            "no argument has logical axes",
            remedy="give variables in their boxes (nn.with_logical_partitioning, nnx.with_partitioning), or trees of "
            "specs: partita.logical(rules, specs), plan.rules(format, names=specs)",
        )
    return found


def _axes(axes: Any) -> tuple[str, ...]:
    return () if axes is None else (axes,) if isinstance(axes, str) else tuple(axes)


def _is_spec(value: Any) -> bool:
    return value is None or isinstance(value, PartitionSpec)


def _given(trees: Sequence[Any], program: Program, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    arguments, _ = jax.tree.unflatten(program.in_tree, list(names)[len(program.constants) :])
    for tree, argument in zip(trees, arguments, strict=False):
        tree = static_fields.adopt_tree(tree, argument, _is_spec)
        whole = jax.tree.map(lambda spec, part: jax.tree.map(lambda _: spec, part), tree, argument, is_leaf=_is_spec)
        leaves = jax.tree.leaves(whole, is_leaf=_is_spec)
        yield from ((n, s) for n, s in zip(jax.tree.leaves(argument), leaves, strict=True) if s is not None)


def _carried(program: Program, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The names of flax's boxes and variables, which are part of the arguments' tree, or of their modules."""
    tree = jax.tree.unflatten(program.in_tree, list(names)[len(program.constants) :])
    for box in jax.tree.leaves(tree, is_leaf=lambda node: _logical_names(node) is not None):
        spec = _logical_names(box)
        if spec is not None:
            yield jax.tree.leaves(box)[0], spec
    if isinstance(program.modules, Modules):
        yield from _of_modules(program, tree)


def _logical_names(node: Any) -> Any:
    """Of a linen box its `names`, of an array of haliax those of its axes, of an nnx variable the metadata that its
    initializer left."""
    if hasattr(node, "names") and hasattr(node, "unbox"):
        return node.names
    if hasattr(node, "resolve_axis") and hasattr(node, "axes"):
        return tuple(axis.name for axis in node.axes)
    if hasattr(node, "get_metadata") and hasattr(node, "set_metadata"):
        known: Mapping[str, Any] = node.get_metadata()
        return next((known[key] for key in ("out_sharding", "sharding_names", "sharding") if known.get(key)), None)
    return None


def _of_modules(program: Program, tree: Any) -> Iterator[tuple[str, Any]]:
    assert isinstance(program.modules, Modules)
    arguments, keywords = tree
    chosen = [arguments[p] if isinstance(p, int) else keywords[p] for p in program.modules.places]
    variables = jax.tree.leaves(program.modules.template, is_leaf=lambda node: hasattr(node, "get_metadata"))
    for name, variable in zip(jax.tree.leaves(chosen), variables, strict=True):
        if (spec := _logical_names(variable)) is not None:
            yield name, spec


def logical(rules: Sequence[Rule] | Mapping[str, Any], *trees: Any) -> Logical:
    """A strategy by logical axes, for `pins=`, `baseline=` and `Plan.compare`.

    Args:
      rules: pairs of a logical name and the axis (or axes, or None) of the mesh that it goes to, in order of
        preference, as flax's `logical_axis_rules`.
      trees: specs of logical names for each argument, as `nn.get_partition_spec` gives them. Without them the names
        are those that the arguments themselves carry: linen's boxes, nnx's variables, haliax's named arrays.
    """
    pairs = rules.items() if isinstance(rules, Mapping) else rules
    return Logical(tuple((name, axes) for name, axes in pairs), trees or None)
