"""Strategies with names, made for a program when it is known: `schedule=partita.presets.fsdp("data")`.

They find by structure what is state (an argument that comes back as a result), what is a batch (other arrays that share
their first dim), and what are parameters (state that the loss depends on). Every choice can be given as a pattern.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax

from partita import jax_internals
from partita.errors import InputError
from partita.structure import find_matrices
from partita.tactics import FIRST_DIVISIBLE, Dim, Names, Preset, Tactic, quote
from partita.tracing import Program


@dataclass(frozen=True)
class Roles:
    """The numbers of the flat arguments by role; each argument has one role."""

    parameters: tuple[int, ...]
    optimizer: tuple[int, ...]
    batch: tuple[int, ...]
    others: tuple[int, ...]


def find_roles(program: Program) -> Roles:
    """State comes back as a result with the same path and type; of it, parameters are what other results depend on.
    Other arguments that hold matrices are parameters, too: those of a decoder, or frozen ones.

    Where nothing comes back (inference), the arguments that share their first dim with a result are the batch, and the
    other arrays are parameters.
    """
    tied = _ties(program)
    constants = len(program.constants)
    arrays = [number for number, aval in enumerate(program.in_avals) if getattr(aval, "ndim", 0) > 0]
    if not tied:
        return _inference_roles(program, arrays)
    returned = set(tied.values())
    free = [number not in returned for number in range(len(program.out_avals))]
    used = [True] * len(program.in_avals)
    if any(free):
        used = [True] * constants + jax_internals.used_arguments(program.get_jaxpr(), free)
    parameters = [number for number in arrays if number in tied and used[number]]
    optimizer = [number for number in arrays if number in tied and not used[number]]
    tops = _top_arguments(program)
    weights = {tops[matrix.argument] for matrix in find_matrices(program)} - {tops[number] for number in tied}
    if any(is_free and not aval.shape for is_free, aval in zip(free, program.out_avals, strict=True)):
        # A loss is given back: what is fed may be multiplied, too (adjacency), but shares its first dim.
        weights &= _of_various_sizes(program, arrays, tops)
    parameters += [number for number in arrays if tops[number] in weights]
    rest = [
        n
        for n in arrays
        if n not in tied and n >= constants and tops[n] not in weights and not _is_key(program.in_avals[n])
    ]
    return _make_roles(program, parameters, optimizer, _share_first_dim(program, rest))


def _of_various_sizes(program: Program, arrays: Sequence[int], tops: Sequence[int]) -> set[int]:
    """The arguments whose arrays do not all have one first dim."""
    sizes = {(tops[number], program.in_avals[number].shape[0]) for number in arrays}
    return {top for top, count in Counter(top for top, _ in sizes).items() if count > 1}


def _make_roles(program: Program, parameters: Sequence[int], optimizer: Sequence[int], batch: Sequence[int]) -> Roles:
    """With all other arguments as others."""
    taken = {*parameters, *optimizer, *batch}
    others = tuple(number for number in range(len(program.in_avals)) if number not in taken)
    return Roles(tuple(parameters), tuple(optimizer), tuple(batch), others)


def _inference_roles(program: Program, arrays: Sequence[int]) -> Roles:
    batch = _inference_batch(program, arrays)
    taken = set(batch)
    parameters = [n for n in arrays if n not in taken and not _is_key(program.in_avals[n])]
    return _make_roles(program, parameters, (), batch)


def _inference_batch(program: Program, arrays: Sequence[int]) -> list[int]:
    """Trees of which every array has the batch's size, and arrays of integers (tokens) that have it."""
    sizes = Counter(aval.shape[0] for aval in program.out_avals if getattr(aval, "ndim", 0) > 0)
    if not sizes:
        return []
    size = sizes.most_common(1)[0][0]
    tops = _top_arguments(program)
    has_size = {n: program.in_avals[n].shape[0] == size and n >= len(program.constants) for n in arrays}
    mixed = {tops[n] for n in arrays if not has_size[n]}
    return [n for n in arrays if has_size[n] and (tops[n] not in mixed or _is_integer(program.in_avals[n]))]


def _is_integer(aval: Any) -> bool:
    return bool(jax.numpy.issubdtype(aval.dtype, jax.numpy.integer))


def _top_arguments(program: Program) -> list[int]:
    """For each flat argument the number of the argument it belongs to; -1 for constants."""
    arguments, keywords = jax.tree.unflatten(program.in_tree, range(program.in_tree.num_leaves))
    tops = [-1] * len(program.constants)
    for number, tree in enumerate((*arguments, *keywords.values())):
        tops += [number] * len(jax.tree.leaves(tree))
    return tops


def _is_key(aval: Any) -> bool:
    """A PRNG key: typed, or two or four words of 32 bits."""
    if jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return True
    return aval.dtype == "uint32" and tuple(aval.shape) in ((2,), (4,))


def _share_first_dim(program: Program, numbers: Sequence[int]) -> list[int]:
    """Those whose first dim has the size that most have."""
    sizes = Counter(program.in_avals[number].shape[0] for number in numbers)
    if not sizes:
        return []
    size = sizes.most_common(1)[0][0]
    return [number for number in numbers if program.in_avals[number].shape[0] == size]


def find_next_states(program: Program) -> set[int]:
    """The numbers of the results that are an argument's next state."""
    return set() if program.closed_jaxpr is None else set(_ties(program).values())


def _ties(program: Program) -> dict[int, int]:
    """Argument -> result that is its next state: whole arguments that come back with equal structure and types."""
    arguments, keywords = jax.tree.unflatten(program.in_tree, list(range(program.in_tree.num_leaves)))
    start = len(program.constants)
    results = jax.tree.unflatten(program.out_tree, list(range(program.out_tree.num_leaves)))
    candidates: dict[Any, deque[list[int]]] = defaultdict(deque)
    for part in _parts(results):
        outputs, structure = jax.tree.flatten(part)
        candidates[structure, _types(program.out_avals, outputs)].append(outputs)
    ties: dict[int, int] = {}
    taken: set[int] = set()
    for argument in (*arguments, *keywords.values()):
        leaves, structure = jax.tree.flatten(argument)
        inputs = [start + leaf for leaf in leaves]
        if len(inputs) < 2 and not all(program.donated[number] for number in inputs):
            continue  # one array in and one of its type out need not be a state
        alike = candidates[structure, _types(program.in_avals, inputs)]
        while alike and not taken.isdisjoint(alike[0]):
            alike.popleft()
        if alike:
            taken.update(alike[0])
            ties |= zip(inputs, alike.popleft(), strict=True)
    return ties


def _types(avals: Sequence[Any], numbers: Sequence[int]) -> tuple[Any, ...]:
    return tuple((tuple(avals[number].shape), avals[number].dtype) for number in numbers)


def _parts(results: Any) -> list[Any]:
    """The result as a whole, its children, and theirs."""
    parts, level = [results], [results]
    for _ in range(2):
        children = []
        for tree in level:
            if isinstance(tree, int):
                continue
            children += jax.tree.leaves(tree, is_leaf=lambda node, top=tree: node is not top)
        parts += children
        level = children
    return parts


def _patterns(numbers: Sequence[int], names: Names) -> list[str]:
    return [quote(names.arguments[number]) for number in numbers]


def _chosen(pattern: str | None, numbers: Sequence[int], names: Names) -> list[str]:
    return [pattern] if pattern is not None else _patterns(numbers, names)


def data_parallel(axis: str, *, batch: str | None = None, dim: int = 0) -> Preset:
    """Splits the batch over `axis`. `batch` is a pattern for its arrays, found by structure if not given."""

    def preset(program: Program, names: Names) -> list[Tactic]:
        chosen = _chosen(batch, find_roles(program).batch, names)
        if not chosen:
            raise InputError("no argument looks like a batch", remedy="name it: data_parallel(axis, batch='pattern')")
        return [Tactic(axis, "data_parallel", tiles=tuple((pattern, dim) for pattern in chosen))]

    return preset


def zero2(axis: str, *, parameters: str | None = None, optimizer: str | None = None) -> Preset:
    """Optimizer state split over `axis`, parameters whole (ZeRO-2). Comes after `data_parallel`."""

    def preset(program: Program, names: Names) -> list[Tactic]:
        roles = find_roles(program)
        whole = tuple(_chosen(parameters, roles.parameters, names))
        split = tuple((pattern, FIRST_DIVISIBLE) for pattern in _chosen(optimizer, roles.optimizer, names))
        return [Tactic(axis, "zero2", tiles=split, atomics=whole, optional=True)]

    return preset


def zero3(axis: str, *, state: str | None = None) -> Preset:
    """Parameters and optimizer state split over `axis` (ZeRO-3). Comes after `data_parallel`."""

    def preset(program: Program, names: Names) -> list[Tactic]:
        roles = find_roles(program)
        numbers = sorted((*roles.parameters, *roles.optimizer))
        tiles = tuple((pattern, FIRST_DIVISIBLE) for pattern in _chosen(state, numbers, names))
        return [Tactic(axis, "zero3", tiles=tiles, optional=True)]

    return preset


def fsdp(axis: str, *, batch: str | None = None, state: str | None = None) -> Preset:
    """Fully sharded data parallelism: `data_parallel`, then `zero3`, over one axis."""

    def preset(program: Program, names: Names) -> list[Tactic]:
        first, second = data_parallel(axis, batch=batch), zero3(axis, state=state)
        return [*first(program, names), *second(program, names)]

    return preset


def megatron(axis: str, *, column: str | None = None, row: str | None = None) -> Preset:
    """Tensor parallelism: matrices split along their outputs, the ones behind them along their inputs.

    Without patterns it goes by structure: in the order of their use, the largest output dim of each matrix is split, if
    propagation from those before has not yet split another; so the second matrix of a pair follows from the first.
    Where outputs cannot be split (10 classes; gates of an LSTM that are joined, or a fused matrix that is cut, before
    it is multiplied), experts are, or else inputs.
    `column` and `row` are patterns for those that are split along their last or their second-last dim.
    """

    def preset(program: Program, names: Names) -> list[Tactic]:
        ranks = {name: len(aval.shape) for name, aval in zip(names.arguments, program.in_avals, strict=True)}
        tiles: list[tuple[str, Dim]] = []
        for pattern, place in ((column, -1), (row, -2)):
            for name in names.match(pattern) if pattern is not None else ():
                if ranks.get(name, 0) + place >= 0:
                    tiles.append((quote(name), ranks[name] + place))
        if column is None and row is None:
            for matrix in find_matrices(program, find_roles(program).parameters):
                order = matrix.order_dims(program.in_avals[matrix.argument].shape)
                tiles.append((quote(names.arguments[matrix.argument]), order[0] if len(order) == 1 else tuple(order)))
        if not tiles:
            raise InputError("no argument is a matrix", remedy="name them: megatron(axis, column='...', row='...')")
        return [Tactic(axis, "megatron", tiles=tuple(tiles), optional=True)]

    return preset
