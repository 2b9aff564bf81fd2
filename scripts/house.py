"""Prints the size of the house: lines of each room, and how long its functions are.

python scripts/house.py

Lines are those of sources and headers, without tests. Functions are those at namespace scope in sources, from the line
that opens the body to the brace that closes it; `median`, `p90` and `longest` are lines of their bodies.
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read_functions(text: str) -> list[int]:
    """The lengths of the bodies of functions that begin in the first column, as clang-format writes them."""
    lengths: list[int] = []
    start: int | None = None
    for number, line in enumerate(text.splitlines()):
        is_type = re.match(r"^(namespace|class|struct|enum|extern|union)\b", line)
        # The head of a function may go on in further lines.
        is_head = re.match(r"^[A-Za-z].*\{$", line) or (start is None and re.match(r"^ {4,}.*\) (const )?\{$", line))
        if is_head and not is_type:
            start = number
        elif line in ("}", "};") and start is not None:
            lengths += [number - start - 1] if line == "}" else []
            start = None
    return lengths


def describe(name: str, files: list[Path]) -> str:
    lines = sum(len(path.read_text().splitlines()) for path in files)
    lengths = [length for path in files if path.suffix == ".cpp" for length in read_functions(path.read_text())]
    if not lengths:
        return f"{name:14} {lines:7} lines"
    deciles = statistics.quantiles(lengths, n=10) if len(lengths) > 1 else [lengths[0]] * 9
    return (
        f"{name:14} {lines:7} lines {len(lengths):6} functions, median {statistics.median(lengths):.0f},"
        f" p90 {deciles[8]:.0f}, longest {max(lengths)}"
    )


def main() -> None:
    rooms: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "partita").rglob("*")):
        if path.suffix in (".h", ".cpp") and not path.name.endswith("Test.cpp"):
            rooms.setdefault(path.relative_to(ROOT / "partita").parts[0], []).append(path)
    for room, files in rooms.items():
        print(describe(room, files))
    print(describe("all", [path for files in rooms.values() for path in files]))


if __name__ == "__main__":
    main()
