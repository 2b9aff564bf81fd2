"""From shardings of arrays whose dims have names to rules for these names.

Two kinds of rules are in use. flax and MaxText try an ordered list of (name, axes): the first for a name whose axes no
other dim of the array has. Levanter has one mapping, in which each name has its axes, for all arrays. Neither can say
everything that a plan decides; the arrays for which rules say something else are found by translating them back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Axes = tuple[str, ...]
Rule = tuple[str, Axes]
Rules = tuple[Rule, ...]


@dataclass(frozen=True)
class NamedArray:
    """An array of a plan: the name of each dim (None: it has none), the axes that split it, and its size."""

    name: str
    dims: tuple[str | None, ...]
    axes: tuple[Axes, ...]
    size: int

    @property
    def wanted(self) -> list[Rule]:
        return [(dim, axes) for dim, axes in zip(self.dims, self.axes, strict=True) if dim is not None and axes]


def translate(rules: Rules, dims: Sequence[str | None]) -> tuple[Axes, ...]:
    """The axes of each dim by an ordered list of rules, as flax applies them.

    >>> translate((("embed", ("model",)), ("mlp", ("model",)), ("mlp", ("data",))), ("embed", "mlp", None))
    (('model',), ('data',), ())
    """
    chosen: list[Axes | None] = [None] * len(dims)
    used: set[str] = set()
    for name, axes in rules:
        for dim, own in enumerate(dims):
            if own == name and chosen[dim] is None and used.isdisjoint(axes):
                chosen[dim] = axes
                used |= set(axes)
    return tuple(axes or () for axes in chosen)


def find_rules(arrays: Sequence[NamedArray]) -> Rules:
    """An ordered list of rules that gives as many bytes of the arrays as planned as was found.

    Arrays are taken in turn (`_by_size`). The rules that an array needs are put where all arrays
    before it keep their shardings; an array for which there is no such place is left to what the others decided.
    Names that no rule splits follow at the end, without axes.
    """
    rules: Rules = ()
    kept: list[NamedArray] = []
    for array in _by_size(arrays):
        for changed in _change(rules, array.wanted):
            if all(translate(changed, each.dims) == each.axes for each in (array, *kept)):
                rules, kept = changed, [*kept, array]
                break
    named = {name for name, _ in rules}
    whole = sorted({dim for array in arrays for dim in array.dims if dim is not None and dim not in named})
    return (*rules, *((name, ()) for name in whole))


def _by_size(arrays: Sequence[NamedArray]) -> list[NamedArray]:
    """One array for all with the same names and axes, with their bytes together: first what is split, the largest
    first. So what needs to be split to fit is; what need not be may be split, too."""
    sums: dict[tuple[tuple[str | None, ...], tuple[Axes, ...]], int] = {}
    for array in arrays:
        sums[array.dims, array.axes] = sums.get((array.dims, array.axes), 0) + array.size
    alike = [NamedArray("", dims, axes, size) for (dims, axes), size in sums.items()]
    return sorted(alike, key=lambda array: (not any(array.axes), -array.size, str(array.dims), array.axes))


def _change(rules: Rules, wanted: Sequence[Rule]) -> Iterator[Rules]:
    """The rules with those that are missing, in all places; then also with one of the rules in another place."""
    missing = [rule for rule in wanted if rule not in rules]
    for order in itertools.permutations(missing):
        for places in itertools.combinations_with_replacement(range(len(rules), -1, -1), len(order)):
            yield _insert(rules, order, places)
    base = (*rules, *missing)
    for rule in base:
        others = tuple(each for each in base if each != rule)
        for place in range(len(base)):
            yield (*others[:place], rule, *others[place:])


def _insert(rules: Rules, added: Sequence[Rule], places: Sequence[int]) -> Rules:
    """`places` are in descending order, so that what is put in does not move those that follow."""
    listed = list(rules)
    for rule, place in zip(added, places, strict=True):
        listed.insert(place, rule)
    return tuple(listed)


def map_dims(mapping: Mapping[str, Axes], dims: Sequence[str | None]) -> tuple[Axes, ...]:
    """The axes of each dim by a mapping."""
    return tuple(() if dim is None else mapping.get(dim, ()) for dim in dims)


def find_mapping(arrays: Sequence[NamedArray]) -> dict[str, Axes]:
    """A mapping that gives as many bytes of the arrays as planned as was found, the largest first. No array gets
    an axis for two of its dims, which would be an error."""
    mapping: dict[str, Axes] = {}
    for array in _by_size(arrays):
        wanted = {dim: axes for dim, axes in zip(array.dims, array.axes, strict=True) if dim is not None}
        if any(mapping.get(dim, axes) != axes for dim, axes in wanted.items()):
            continue
        changed = mapping | wanted
        if map_dims(changed, array.dims) == array.axes and not any(_repeats(changed, each.dims) for each in arrays):
            mapping = changed
    return mapping


def _repeats(mapping: Mapping[str, Axes], dims: Sequence[str | None]) -> bool:
    axes = [axis for each in map_dims(mapping, dims) for axis in each]
    return len(axes) > len(set(axes))
