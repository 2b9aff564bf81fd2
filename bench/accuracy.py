"""How well Partita predicts: `make accuracy`. Sections print their tables; the exit code is 1 if a floor is missed."""

from __future__ import annotations

import sys

import accuracy_collectives

SECTIONS = {"collectives": accuracy_collectives.report}


def main() -> int:
    missed = []
    for name, report in SECTIONS.items():
        lines, holds = report()
        print(f"== {name}")
        print("\n".join(lines))
        if not holds:
            missed.append(name)
    for name in missed:
        print(f"floor missed: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
