"""What trees of arguments hold beside their leaves: the static fields of a `TrainState`, of a registered dataclass.

JAX compares them with `==`, by which functions that were made anew (`optax.adam(1e-3)`, `model.apply`) differ in each
process and at each `create`. A plan asks whether they say the same instead:

    data                 numbers, texts, types, small arrays, tuples, dicts and dataclasses of them, and all that
                         defines `==` and a hash: has to be equal, for a function may branch on it
    functions, objects   what `==` tells apart by identity: need not be equal. Functions say the same if they have the
                         same code and what they close over says the same

`describe` gives a value that is equal for all that say the same.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from partita._src.jax_internals import trees

#: Of arrays of more bytes, shape and type are compared alone.
_ARRAY_BYTES = 1 << 20
_PLAIN = (bool, int, complex, str, bytes, type(None), np.dtype, enum.Enum, type, types.ModuleType)
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
_KEYED = (dict, collections.OrderedDict)


def describe(value: Any, *, functions: bool = True) -> Hashable:
    """Equal for values that say the same; without `functions`, all functions do."""
    return _Description(functions).of(value)


def describe_tree(tree: Any, *, functions: bool = True) -> Hashable:
    """Of a tree without leaves (`jax.tree.structure`): its nodes, their keys and static fields."""
    description = _Description(functions)

    def visit(node: Any) -> Hashable:
        return _describe_node(node, description), tuple(visit(child) for child in node.children())

    return visit(tree)


@functools.lru_cache(maxsize=64)
def describe_tree_again(tree: Any) -> Hashable:
    """As `describe_tree`, for trees that come at each step and are hashable."""
    return describe_tree(tree)


def _describe_node(node: Any, description: _Description) -> Hashable:
    data = node.node_data()
    if data is None:
        return None
    kind, static = data
    return kind, tuple(static) if kind in _KEYED else description.of(static)


class _Description:
    """Describes values, each once."""

    def __init__(self, functions: bool) -> None:
        self._functions = functions
        #: By identity, the value, which so stays alive, and its description; one that holds itself has none yet.
        self._known: dict[int, tuple[Any, Hashable]] = {}

    def of(self, value: Any) -> Hashable:
        if isinstance(value, _PLAIN):
            return type(value), value
        if isinstance(value, float):
            return float, repr(value)
        if id(value) not in self._known:
            self._known[id(value)] = value, "itself"
            self._known[id(value)] = value, self._describe(value)
        return self._known[id(value)][1]

    def _describe(self, value: Any) -> Hashable:
        if isinstance(value, (np.ndarray, np.generic, jax.Array)):
            return _describe_array(value)
        if isinstance(value, (tuple, list, jax.sharding.PartitionSpec)):
            return type(value), tuple(map(self.of, value))
        if isinstance(value, Mapping):
            return type(value), tuple((self.of(key), self.of(entry)) for key, entry in value.items())
        if isinstance(value, (set, frozenset)):
            return type(value), frozenset(map(self.of, value))
        if isinstance(value, _FUNCTIONS) or hasattr(value, "__wrapped__"):
            return self._describe_function(value) if self._functions else "function"
        if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            return type(value), tuple((name, self.of(getattr(value, name, None))) for name in names)
        kind: Any = type(value)
        return (kind, value) if kind.__eq__ is not object.__eq__ and _is_hashable(value) else (kind,)

    def _describe_function(self, value: Any) -> Hashable:
        if isinstance(value, functools.partial):
            return "partial", self.of(value.func), self.of(value.args), self.of(value.keywords)
        if isinstance(value, types.MethodType):
            return "method", self.of(value.__func__), self.of(value.__self__)
        if isinstance(value, types.FunctionType):
            held = (value.__defaults__, value.__kwdefaults__, tuple(map(_read_cell, value.__closure__ or ())))
            return value.__code__, self.of(held)
        inner = getattr(value, "__wrapped__", None)
        return value if inner is None else (type(value), self.of(inner))


def _read_cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty yet
        return None


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _describe_array(value: Any) -> Hashable:
    kind = tuple(value.shape), str(value.dtype)
    is_known = not isinstance(value, jax.Array) or (
        not isinstance(value, jax.core.Tracer)
        and not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended)
        and not value.is_deleted()
        and value.is_fully_addressable
    )
    small = is_known and value.nbytes <= _ARRAY_BYTES
    return (*kind, np.asarray(value).tobytes()) if small else kind


@dataclasses.dataclass(frozen=True)
class Difference:
    """Static fields of a node that do not say the same: what the node is, the field's name or number, both values."""

    kind: type
    field: str
    planned: Any
    given: Any


def find_differences(planned: Any, given: Any, *, functions: bool) -> Iterator[Difference] | None:
    """Between the static fields of two trees without leaves; None if they differ in their nodes or keys."""
    pairs = list(zip(_iterate_nodes(planned), _iterate_nodes(given), strict=False))
    if planned.num_nodes != given.num_nodes or any(not _is_alike(*pair) for pair in pairs):
        return None
    return (found for pair in pairs for found in _find_in_node(*pair, functions))


def _iterate_nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for child in tree.children():
        yield from _iterate_nodes(child)


def _is_alike(planned: Any, given: Any) -> bool:
    """Whether two nodes are of one type, with as many children, and of the same keys."""
    left, right = planned.node_data(), given.node_data()
    if left is None or right is None:
        return left is right
    return (
        left[0] is right[0]
        and len(planned.children()) == len(given.children())
        and (left[0] not in _KEYED or left[1] == right[1])
    )


def _find_in_node(planned: Any, given: Any, functions: bool) -> Iterator[Difference]:
    data = planned.node_data()
    if data is None or data[0] in _KEYED:
        return
    kind, static = data
    other = given.node_data()[1]
    for name, left, right in _pair_fields(kind, static, other):
        if left is not right and describe(left, functions=functions) != describe(right, functions=functions):
            yield Difference(kind, name, left, right)


def _pair_fields(kind: type, planned: Any, given: Any) -> Iterator[tuple[str, Any, Any]]:
    """The static fields by name, where these are known."""
    if not (type(planned) is tuple and type(given) is tuple and len(planned) == len(given)):
        yield "what is static", planned, given
        return
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    names = [f.name for f in fields if f.metadata.get("static") or not f.metadata.get("pytree_node", True)]
    if len(names) != len(planned):
        names = [f"static field {number}" for number in range(len(planned))]
    yield from zip(names, planned, given, strict=True)


def replace_in_results(results: Any, planned: Any, given: Any) -> Any:
    """The tree of the results as if the function had been traced with the arguments `given`, which are alike: where a
    node of the results holds what a planned argument of its type holds, it gets what the given one holds."""
    pairs = [
        (left, right)
        for left, right in zip(_iterate_nodes(planned), _iterate_nodes(given), strict=True)
        if left.node_data() is not None and left.node_data()[1] is not right.node_data()[1]
    ]

    def visit(node: Any) -> Any:
        for left, right in pairs:
            if left == node:
                return right
        if node.node_data() is None:
            return node
        kind, static = node.node_data()
        for left, right in pairs:
            if left.node_data()[0] is kind and kind not in _KEYED:
                static = _take(static, left.node_data()[1], right.node_data()[1])
                break
        return trees.make_tree((kind, static), [visit(child) for child in node.children()])

    return visit(results)


def _take(traced: Any, planned: Any, given: Any) -> Any:
    """Field for field what was given, where that is what was traced."""
    if type(traced) is tuple and type(planned) is tuple and len(traced) == len(planned) == len(given):
        return tuple(g if t is p else t for t, p, g in zip(traced, planned, given, strict=True))
    return given if traced is planned or traced == planned else traced


def adopt_tree(tree: Any, other: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """A tree with the static fields of another wherever the two are alike; it may end before the other."""
    leaves, structure = jax.tree.flatten(tree, is_leaf=is_leaf)
    return jax.tree.unflatten(_adopt(structure, jax.tree.structure(other)), leaves)


def _adopt(tree: Any, other: Any) -> Any:
    if tree == other or not _is_alike(tree, other):
        return tree
    children = [_adopt(*pair) for pair in zip(tree.children(), other.children(), strict=True)]
    kind, static = tree.node_data()
    held = other.node_data()[1]
    agrees = describe(static, functions=False) == describe(held, functions=False)
    return trees.make_tree((kind, held if agrees else static), children)
