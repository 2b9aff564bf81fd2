"""All rows, by package. A package is imported only when one of its rows is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from models.others.case import Row

MODULES = (
    "transformers_flax", "diffusers_flax", "keras_models", "haiku_models", "equinox_models", "flax_nnx", "flax_linen",
    "jraph_models", "numpyro_models", "programs", "algorithms", "kernels", "recurrences", "uneven",
)  # fmt: skip


def load(module: str) -> list[Row]:
    """The rows of one module of this folder."""
    return list(importlib.import_module(f"models.others.{module}").ROWS)


def load_all() -> Iterator[tuple[str, Row]]:
    """Every row with the module it is in."""
    for module in MODULES:
        for row in load(module):
            yield module, row
