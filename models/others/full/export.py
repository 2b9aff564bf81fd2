"""Writes full-size programs of other packages as text: python -m models.others.full.export FOLDER

A package that is not installed is named and left out; a program that is there already is not traced again.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jax

from models.export import OPERATION, ROOT, write_atomically
from models.others.full.program import Entry

MODULES = (
    "transformers_flax", "transformers_families", "flax_linen", "flax_linen_families", "flax_nnx", "flax_nnx_families",
    "diffusers_flax", "haiku_models", "equinox_models", "keras_models", "jraph_models", "numpyro_models",
)  # fmt: skip


def load_installed() -> Iterator[Entry]:
    for module in MODULES:
        try:
            yield from importlib.import_module(f"models.others.full.{module}").ENTRIES
        except ImportError as error:
            print(f"{module}: {error}", file=sys.stderr)


def write(entry: Entry, path: Path) -> None:
    """Traces the program into `path` and prints its size. What was traced before leaves nothing in its locations."""
    jax.clear_caches()
    start = time.perf_counter()
    program = entry.make()
    text = program.to_text()
    seconds = time.perf_counter() - start
    write_atomically(path, text)
    count, ops = program.count_parameters() / 1e6, len(OPERATION.findall(text))
    print(f"{entry.name:28} {entry.package:14} {count:8.0f}M {ops:7} ops {seconds:6.1f} s", flush=True)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.others.full.export", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in the name")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args(argv)
    chosen = [entry for entry in load_installed() if options.only.search(entry.name)]
    if options.list:
        print("\n".join(entry.name for entry in chosen))
        return 0
    jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(f"{ROOT}/"))
    options.folder.mkdir(parents=True, exist_ok=True)
    for entry in chosen:
        path = options.folder / f"{entry.name}.mlir"
        if not path.is_file():
            write(entry, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
