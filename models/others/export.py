"""Writes the programs of other packages' models as text: python -m models.others.export FOLDER

A package that is not installed, and a model that does not lower, is named and left out. The rules of a program's
kernels stand beside it, NAME.rules, one a line, as `--rule` takes them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import partita
from models.others import registry
from models.others.case import MESH, Row


def load_installed() -> Iterator[tuple[str, Row]]:
    for module in registry.MODULES:
        try:
            rows = registry.load(module)
        except ImportError as error:
            print(f"{module}: {error}", flush=True)
            continue
        yield from ((module, row) for row in rows)


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for module, row in load_installed():
        path = folder / f"others.{module}.{re.sub(r'[^A-Za-z0-9]+', '_', row.name)}.mlir"
        if path.is_file():
            continue
        try:
            made = row.make()
            plan = partita.plan(made.function, *made.arguments, mesh=MESH, schedule=[])
        except Exception as error:
            print(f"{row.name}: {str(error).splitlines()[0][:100]}", flush=True)
            continue
        path.write_text(plan._program.text)
        if rules := plan._program.rules:
            path.with_suffix(".rules").write_text("".join(f"{rule}\n" for rule in rules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
