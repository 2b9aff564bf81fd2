"""Which results are the next values of arguments, by the trees of both."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from partita._src.programs import Program

#: How deep subtrees of arguments and of the result are compared.
_DEPTH = 3
#: In characters; Linux takes 128 KiB.
_LONGEST_FLAG = 100_000


def find_next_states(program: Program) -> set[int]:
    """The numbers of the results that are an argument's next state."""
    return set() if program.closed_jaxpr is None else set(_pair_in_order(program).values())


def to_flags(program: Program) -> list[str]:
    """What the tool is told: trees of arguments that come back, as wholes, exactly once.

    Where several have one structure (parameters and gradients, two moments) it is left to the tool, which sees what is
    computed from what.
    """
    if program.closed_jaxpr is None:
        return []
    # Names tell the same of most; a command line has its limits.
    pairs = [f"arg{argument}=result{result}" for argument, result in sorted(_pair_surely(program).items())]
    flag = f"--tie={','.join(pairs)}"
    return [flag] if pairs and len(flag) < _LONGEST_FLAG else []


def _pair_surely(program: Program) -> dict[int, int]:
    """Argument -> result of subtrees of at least two arrays, each the only one of its structure and types."""
    arguments, results = _unflatten(program)
    offered: dict[Any, list[list[int]]] = defaultdict(list)
    asked: dict[Any, list[list[int]]] = defaultdict(list)
    for part in _parts(results):
        numbers, structure = jax.tree.flatten(part)
        offered[structure, _types(program.out_avals, numbers)].append(numbers)
    for part in [part for argument in arguments for part in _parts(argument)]:
        numbers, structure = jax.tree.flatten(part)
        asked[structure, _types(program.in_avals, numbers)].append(numbers)
    ties: dict[int, int] = {}
    taken: set[int] = set()
    # Large trees first: what is inside of them is decided by them.
    for key, inputs in sorted(asked.items(), key=lambda entry: -len(entry[1][0])):
        outputs = offered.get(key, [])
        if len(inputs) != 1 or len(outputs) != 1 or len(inputs[0]) < 2:
            continue
        if taken.isdisjoint(outputs[0]) and ties.keys().isdisjoint(inputs[0]):
            ties |= zip(inputs[0], outputs[0], strict=True)
            taken.update(outputs[0])
    return ties


def _pair_in_order(program: Program) -> dict[int, int]:
    """Argument -> result that is its next state: whole arguments that come back with equal structure and types."""
    arguments, results = _unflatten(program)
    candidates: dict[Any, deque[list[int]]] = defaultdict(deque)
    for part in _parts(results):
        outputs, structure = jax.tree.flatten(part)
        candidates[structure, _types(program.out_avals, outputs)].append(outputs)
    ties: dict[int, int] = {}
    taken: set[int] = set()
    for argument in arguments:
        inputs, structure = jax.tree.flatten(argument)
        if len(inputs) < 2 and not all(program.donated[number] for number in inputs):
            continue  # one array in and one of its type out need not be a state
        alike = candidates[structure, _types(program.in_avals, inputs)]
        while alike and not taken.isdisjoint(alike[0]):
            alike.popleft()
        if alike:
            taken.update(alike[0])
            ties |= zip(inputs, alike.popleft(), strict=True)
    return ties


def _unflatten(program: Program) -> tuple[list[Any], Any]:
    """The arguments and the result as trees of the numbers of their arrays."""
    start = len(program.constants)
    numbers = range(start, start + program.in_tree.num_leaves)
    arguments, keywords = jax.tree.unflatten(program.in_tree, list(numbers))
    results = jax.tree.unflatten(program.out_tree, list(range(program.out_tree.num_leaves)))
    return [*arguments, *keywords.values()], results


def _types(avals: Sequence[Any], numbers: Sequence[int]) -> tuple[Any, ...]:
    return tuple((tuple(avals[number].shape), avals[number].dtype) for number in numbers)


def _parts(tree: Any) -> Iterator[Any]:
    """A tree as a whole, its children, and theirs."""
    level = [tree]
    for _ in range(_DEPTH):
        yield from level
        level = [child for part in level if not isinstance(part, int) for child in _children(part)]


def _children(tree: Any) -> list[Any]:
    return list(jax.tree.leaves(tree, is_leaf=lambda node: node is not tree))
