"""The names of a program's values, and the patterns that match them.

Patterns are Python's regular expressions and match whole names: `state.params['w1']`, as a path `state/params/w1`, or
`arg3`; a result's is `result[0].params['w1']` or `result0`. A name is a pattern of itself, brackets and all, also as
reports print those that are alike (`layers[0:24]['w']`), and as modules have it (`model.layers[0].w`). Where no
argument or result matches, they match inner values (`jit(step)/jvp(mlp)/dot_general#17`, or `model.py:42#2`).
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partita._src import engine
from partita._src.errors import InputError
from partita._src.programs import Program
from partita._src.spelling import advise_name

#: Group 1: what only Python's expressions have, or what means something else in POSIX's. What is escaped is neither.
_PYTHON_ONLY = re.compile(r"\\[^A-Za-z0-9]|(\(\?|\\[A-Za-z0-9]|[*+?}][?+]|\[[^\]]*\\)")


@dataclass
class Names:
    """The names of a program's values. Those of inner values are asked for when a pattern matches nothing else."""

    arguments: Sequence[str]
    results: Sequence[str]
    #: All names of each inner value, the first of which is its own.
    inner: Callable[[], Sequence[tuple[str, ...]]] = field(default=lambda: ())

    def match(self, pattern: str) -> list[str]:
        """The names (one for each value) that a Python pattern matches."""
        meant = self.respell(pattern)
        if meant:
            return meant
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise InputError(
                f"{pattern!r} is not a regular expression: {error}", remedy=list_names(self.arguments)
            ) from None
        return _match(self._outer, pattern, compiled) or _match(self.inner(), pattern, compiled)

    def respell(self, pattern: str) -> list[str]:
        """The arguments and results that are meant by what matches none of their names as it stands: a name as reports
        print it, `layers[0:24]['w']`, or perhaps with `.*` behind, whose brackets are no regular expression; or the
        same path as a module has it, `model.layers[0].kernel`."""
        try:
            if _match(self._outer, pattern, re.compile(pattern)):
                return []
        except re.error:
            pass
        path = to_path(pattern)
        spelled = [forms[0] for forms in self._outer if forms[1] == path]
        try:
            return spelled or _match(self._outer, pattern, re.compile(_take_brackets_literally(pattern)))
        except re.error:
            return []

    @functools.cached_property
    def _outer(self) -> list[tuple[str, str, str]]:
        """All names of each argument and result, the first of which is its own."""
        sides = (("arg", self.arguments), ("result", self.results))
        return [(name, to_path(name), f"{kind}{n}") for kind, names in sides for n, name in enumerate(names)]

    def find(self, pattern: str) -> list[str]:
        """The same; an error where there is none."""
        found = self.match(pattern)
        if not found:
            raise InputError(
                f"the pattern {pattern!r} matches no argument, result or inner value",
                remedy=advise_name(pattern, map(to_path, self.arguments)) or list_names(self.arguments),
            )
        return found

    def translate(self, pattern: str) -> str:
        """The pattern for the tool, which knows POSIX's extended expressions: as it is, or the names it matches."""
        if is_python_only(pattern) or self.respell(pattern):
            return "|".join(map(quote, self.find(pattern)))
        return pattern


def read_names(program: Program) -> Names:
    """The names of the program's values, as the tool gives them."""

    def inner() -> list[tuple[str, ...]]:
        done = engine.run(["plan", "program.mlir", "--stop-after=flatten"], {"program.mlir": program.text})
        return name_inner(json.loads(done.stdout)["cells"])

    return Names(program.argument_names, program.result_names, inner)


def _match(values: Sequence[tuple[str, ...]], pattern: str, compiled: re.Pattern[str]) -> list[str]:
    """The own names of those values of which one name is the pattern, or is matched by it."""
    return [forms[0] for forms in values if pattern in forms or any(map(compiled.fullmatch, forms))]


def _take_brackets_literally(pattern: str) -> str:
    """Keys and numbers in brackets are what they are in a name, `*` in them, as in reports, is any, and entries of a
    list are those that Python takes.

    >>> _take_brackets_literally("w['a.b'][*].*")
    "w\\\\['a\\\\.b'\\\\]\\\\[[^]']*\\\\].*"
    >>> _take_brackets_literally("w[0:2]"), _take_brackets_literally("w[1:6:2]"), _take_brackets_literally("w[0, 3]")
    ('w\\\\[(0|1)\\\\]', 'w\\\\[(1|3|5)\\\\]', 'w\\\\[(0|3)\\\\]')
    """

    def escape(found: re.Match[str]) -> str:
        text = found[0]
        if numbers := re.fullmatch(_ENTRIES, text):
            return rf"\[{_list_entries(numbers[0][1:-1])}\]"
        return re.escape(text).replace(r"\*", "[^]']*")

    return re.sub(rf"\['[^']*'\]|\[[0-9*]+\]|{_ENTRIES}", escape, pattern)


#: `[0:24]`, `[1:8:2]`, `[0, 3]`, `[0, 1, 3, 7, ...]`: entries of a list, as reports print them.
_ENTRIES = r"\[[0-9]{1,6}(?:(?::[0-9]{1,6}){1,2}|(?:, [0-9]{1,6})+(?:, \.\.\.)?)\]"


def _list_entries(text: str) -> str:
    """A regular expression for the numbers; any, if some are left out."""
    if text.endswith("..."):
        return "[0-9]+"
    if ":" not in text:
        return f"({text.replace(', ', '|')})"
    first, end, *step = map(int, text.split(":"))
    return f"({'|'.join(map(str, range(first, end, max(1, *step, 1))))})"


def is_python_only(pattern: str) -> bool:
    """Whether a pattern is one of Python's that POSIX's extended expressions lack, or read otherwise.

    >>> is_python_only(r"params/layers/\\d+"), is_python_only("params/.*")
    (True, False)
    """
    return any(found[1] for found in _PYTHON_ONLY.finditer(pattern))


def name_inner(cells: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The names of the inner values among the cells of a flat program: by what they are, and by their source line.

    Up to JAX 0.9, constants come from nowhere: those have numbers only, as the tool gives them.

    >>> name_inner([{"kind": "op_result", "name": "jit(f)/sin", "occurrence": 1, "place": "/home/m.py:4"}])
    [('jit(f)/sin#1', '/home/m.py:4#0', 'm.py:4#0')]
    >>> name_inner([{"kind": "op_result", "occurrence": 0}])
    [('#0',)]
    """
    named: list[tuple[str, ...]] = []
    numbers: Counter[str] = Counter()
    for cell in cells:
        if cell["kind"] in ("argument", "result"):
            continue
        own = cell.get("name", "") + (f"#{cell['occurrence']}" if "occurrence" in cell else "")
        place = cell.get("place", "")
        full = f"{place}#{numbers[place]}"
        numbers[place] += 1
        named.append((own, full, full.rpartition("/")[2]) if place else (own,))
    return [forms for forms in named if forms[0]]


def list_names(arguments: Sequence[str]) -> str:
    """What to write instead of a pattern that matches nothing.

    >>> list_names(["state.step", "batch['x']"])
    "arguments are called state.step, batch['x']"
    """
    shown = ", ".join(arguments[:4]) + (", ..." if len(arguments) > 4 else "")
    return f"arguments are called {shown}" if shown else "the function has no arguments"


def to_path(name: str) -> str:
    """`state.params['w1'][0]` as `state/params/w1/0`.

    >>> to_path("state.params['layers'][0]['w']")
    'state/params/layers/0/w'
    """
    parts = re.findall(r"\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\[([^\]]*)\]|\.?([^.\[\]]+)", name)
    return "/".join(next((group for group in part if group), "") for part in parts)


def quote(name: str) -> str:
    """A POSIX pattern that matches this name alone."""
    return re.sub(r"([][.*^$+?(){}|\\])", r"\\\1", name)
