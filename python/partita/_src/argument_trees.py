"""How the arguments of a call differ from those that were planned: by the names of arrays, not as trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.tree_util import SequenceKey, keystr

_MOST_NAMES = 3

Path = tuple[Any, ...]


def describe_difference(planned: Any, names: Sequence[str], given: Any) -> str:
    """`batch['labels'] is missing; batch['label'] is not expected`; `names` are those of the planned leaves."""
    before, after = _list_paths(planned), _list_paths(given)
    if before is None or after is None:
        return "they are built of other parts"
    named = dict(zip(before, names, strict=True))
    missing = [named[path] for path in before if path not in set(after)]
    added = [_name_new(path, named) for path in after if path not in named]
    parts = [_join(list(dict.fromkeys(each)), what) for each, what in ((missing, "missing"), (added, "not expected"))]
    return "; ".join(filter(None, parts)) or "the arrays are the same, but in other containers (tuples for lists, say)"


def _list_paths(tree: Any) -> list[Path] | None:
    """The paths of the leaves; None where nodes of the tree cannot be made without their arrays."""
    try:
        whole = jax.tree.unflatten(tree, [0] * tree.num_leaves)
        paths = [path for path, _ in jax.tree_util.tree_flatten_with_path(whole)[0]]
    except Exception:
        # Classes of users may look at their fields when they are made.
        return None
    return paths if len(paths) == tree.num_leaves else None


def _name_new(path: Path, named: dict[Path, str]) -> str:
    """In the words of the planned leaves that have the longest start in common with it."""
    for depth in range(len(path) - 1, 1, -1):
        for known, name in named.items():
            rest = keystr(known[depth:])
            if known[:depth] == path[:depth] and name.endswith(rest):
                return f"{name.removesuffix(rest)}{keystr(path[depth:])}"
    numbers = [key.idx for key in path[1:] if isinstance(key, SequenceKey)]
    return f"positional argument {numbers[0]}" if numbers else keystr(path[1:])


def _join(names: list[str], what: str) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more} {'is' if len(names) == 1 else 'are'} {what}"
