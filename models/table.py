"""Prints the README's table from the manifest of an export: `python -m models.table [--out DIR]`.

Whoever changes a model runs the export and pastes these tables into `models/README.md`; a test holds the first of
them, which needs no export, against the README.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from models.check import parameter_shapes
from models.export import ROOT, read_manifest
from models.program import Model
from models.registry import ZOO


def count(number: float) -> str:
    """Three digits and a unit."""
    for unit, name in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return str(int(number))


def size_row(model: Model, size: str, entry: dict[str, Any]) -> str:
    parameters = sum(math.prod(shape) for shape in parameter_shapes(model, size).values())
    return f"| `{model.name}.{size}` | {count(parameters)} | {entry['operations']} | {entry['bytes'] / 1000:.0f} |"


def model_row(model: Model) -> str:
    counts = f"{model.layer_params} | {model.layer_matrices} | {model.outer_params}"
    sizes = ", ".join(model.sizes)
    return f"| `{model.name}` | {model.notes} | {sizes} | {counts} | `{model.layout}`: {', '.join(model.strategies)} |"


def models_table() -> list[str]:
    head = ["| model | what | sizes | P | Q | O | schedules |", "| --- | --- | --- | --- | --- | --- | --- |"]
    return head + [model_row(model) for model in ZOO.values()]


def programs_table(manifest: dict[str, Any]) -> list[str]:
    rows = ["| program | parameters | ops | text, kB |", "| --- | --- | --- | --- |"]
    for model in ZOO.values():
        for size in model.sizes:
            entry = manifest.get(f"{model.name}.{size}")
            rows += [size_row(model, size, entry)] if entry else []
    return rows


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.table", description="Print the README's tables.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "zoo", help="folder of the export")
    manifest = read_manifest(parser.parse_args(argv).out / "manifest.json")
    print("\n".join([*models_table(), "", *programs_table(manifest)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
