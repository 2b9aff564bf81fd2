"""Finds C++ outside Program and Dialect that asks which op it has by comparing the op's name as a string.

The flat program has `OpKind` for that, a program of MLIR `isa<>`. The names are those that the dialects' TableGen files
give; those of StableHLO and CHLO are found without the dialect before them, too.
"""

import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Two rooms know ops by name, two know no ops.
LEFT_OUT = ("Program", "Dialect", "Support", "Machine")
# Those that write programs hold ops by name, and one holds the spellings of the kinds.
ALLOWED = {
    "partita/Fuzz/Ops/Blocks.cpp",
    "partita/Fuzz/Ops/Elementwise.cpp",
    "partita/Fuzz/Ops/Reduction.cpp",
    "partita/Fuzz/Reducers.cpp",
    "partita/Graph/OpKind.cpp",
}

DEFINED_OP = re.compile(r'^def\s+\w+Op\s*:\s*\w+<"(\w+)"', re.MULTILINE)
# Comments go, strings stay: a string may hold slashes.
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
LITERAL = re.compile(r'"\.?([\w.]+)"')
COMPARED = re.compile(r'[=!]=\s*(?:\w+::)*(?:\w+[({])?("[^"\n]*")|("[^"\n]*")[)}]?\s*[=!]=')
ASKED = re.compile(
    r"\b(?:starts_with|ends_with|contains|consume_front|consume_back|equals_insensitive|is_contained|Cases?"
    r"|EndsWith|StartsWith)\s*\("
)
# Whatever the other side is.
NAME = r"(?:getStringRef\(\)|stripDialect\(\)|getIdentifier\(\)|getName\([^;{}]*\bopName\))"
COMPARED_NAME = re.compile(rf"{NAME}(?:\.str\(\))?\s*[=!]=|[=!]=\s*(?:[\w.>-]|\(\))*{NAME}")
ASKED_NAME = re.compile(rf"{NAME}\.(?:starts_with|ends_with|contains|consume_front|consume_back|compare|find)\(")
SWITCHED_NAME = re.compile(rf"StringSwitch<[^;]*?>\([^;]*?{NAME}\)")


def defined_ops(root: pathlib.Path) -> set[str]:
    """`stablehlo.reshape`, `reshape`, `sdy.mesh`."""
    names = set()
    for file in (root / "partita/Dialect").rglob("*.td"):
        dialect = file.parent.name.lower()
        found = DEFINED_OP.findall(file.read_text())
        names |= {f"{dialect}.{name}" for name in found}
        if dialect != "sdy":
            names |= set(found)
    return names


def call_text(text: str, opening: int) -> str:
    """From an opening parenthesis to the one that closes it."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening : at + 1]
    return text[opening:]


def comparisons(text: str, ops: set[str]) -> Iterator[int]:
    """Where op names are compared."""
    for found in COMPARED.finditer(text):
        literal = LITERAL.fullmatch(found[1] or found[2])
        if literal and literal[1] in ops:
            yield found.start()
    for found in ASKED.finditer(text):
        if any(name in ops for name in LITERAL.findall(call_text(text, found.end() - 1))):
            yield found.start()
    for pattern in (COMPARED_NAME, ASKED_NAME, SWITCHED_NAME):
        for found in pattern.finditer(text):
            yield found.start()


def complaints(path: str, text: str, ops: set[str]) -> list[str]:
    plain = COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)
    lines = sorted({plain.count("\n", 0, at) + 1 for at in comparisons(plain, ops)})
    return [f"{path}:{line}: compares the name of an op; ask for its OpKind, or isa<>" for line in lines]


def check(root: pathlib.Path) -> list[str]:
    ops = defined_ops(root)
    found = []
    for file in sorted((root / "partita").rglob("*")):
        relative = file.relative_to(root)
        is_source = file.suffix in (".h", ".cpp") and not file.stem.endswith("Test")
        if not is_source or relative.parts[1] in LEFT_OUT:
            continue
        wrong = complaints(relative.as_posix(), file.read_text(), ops)
        if relative.as_posix() not in ALLOWED:
            found += wrong
        elif not wrong:
            found.append(f"{relative}: is allowed to compare names of ops, and compares none")
    return found


if __name__ == "__main__":
    wrong = check(ROOT)
    print("\n".join(wrong) or "op names: none is compared where it may not be")
    sys.exit(1 if wrong else 0)
