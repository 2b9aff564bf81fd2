"""Which operations of the three dialects the corpus holds, with which attributes, and in which textual form.

`pretty` counts the programs whose text writes the operation in its own syntax, `generic` those whose text writes it as
`"dialect.name"(...)`. Every accepted program is also given to partita-opt in jaxlib's generic form, so an operation
that is seen at all is judged in generic form too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import jaxlib_judge as judge
from corpus import Source

_NAME = r"(?:stablehlo|chlo|sdy)\.[\w-]+"
_PRETTY = re.compile(rf"^\s*(?:%[^=\n]*= )?({_NAME})|\bapplies ({_NAME})", flags=re.MULTILINE)
_GENERIC = re.compile(rf'"({_NAME})"\s*\(')


@dataclass
class Coverage:
    """Numbers of programs per operation: with it at all, in its own syntax, in generic syntax; and per attribute."""

    programs: Counter[str] = field(default_factory=Counter)
    pretty: Counter[str] = field(default_factory=Counter)
    generic: Counter[str] = field(default_factory=Counter)
    attributes: Counter[tuple[str, str]] = field(default_factory=Counter)

    def unseen_attributes(self, operation: str, attributes: Iterable[str]) -> list[str]:
        """Those of `attributes` that no program gives to `operation`."""
        return [a for a in attributes if not self.attributes[operation, a]]

    def missing(self) -> list[str]:
        """The operations, and the attributes of operations, that no program has."""
        missing = []
        for dialect in judge.DIALECTS:
            for op, attributes in judge.dialect_operations(dialect).items():
                if self.programs[op]:
                    missing += [f"{op} {{{a}}}" for a in self.unseen_attributes(op, attributes)]
                else:
                    missing.append(op)
        return missing

    def table(self) -> str:
        """One line an operation, and one line a dialect."""
        lines = []
        for dialect in judge.DIALECTS:
            operations = judge.dialect_operations(dialect)
            seen = sum(self.programs[op] > 0 for op in operations)
            lines.append(f"{dialect}: {seen} of {len(operations)} operations")
            for op, attributes in operations.items():
                counts = f"{self.programs[op]:8}{self.pretty[op]:8}{self.generic[op]:9}"
                unseen = self.unseen_attributes(op, attributes) if self.programs[op] else ["operation"]
                lines.append(f"  {op:42}{counts}{'   never seen: ' + ', '.join(unseen) if unseen else ''}")
        return "\n".join([f"{'operation':44}{'programs':>8}{'pretty':>8}{'generic':>9}", *lines])


def measure(sources: Iterable[Source]) -> Coverage:
    """The coverage of the accepted programs among `sources`."""
    coverage = Coverage()
    for source in sources:
        if source.origin == "rejected" or judge.accepts(source.text) is not None:
            continue
        found = judge.operations(source.text)
        coverage.programs.update(found.keys())
        coverage.attributes.update((op, attribute) for op, attributes in found.items() for attribute in attributes)
        coverage.pretty.update({a or b for a, b in _PRETTY.findall(source.text)})
        coverage.generic.update(set(_GENERIC.findall(source.text)))
    return coverage
