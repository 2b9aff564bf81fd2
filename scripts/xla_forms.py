"""The three forms in which XLA is given a plan, and what it complains of while it partitions them.

local       our local program, collectives and all: nothing is left to decide;
annotated   the original with our shardings and interior constraints;
boundary    the original with the shardings of arguments and results alone.

Partitioning, XLA warns of an "involuntary full rematerialization" where it makes a tensor whole on every device to
split it anew. Import this before JAX: the warnings are none at the level of logging that others choose.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"

FORMS = ("local", "annotated", "boundary")
WARNING = "full rematerialization"


def read_forms(folder: Path) -> dict[str, str]:
    """The texts of the plan that was written to this folder, by form."""
    annotated = (folder / "annotated.mlir").read_text()
    return {
        "local": (folder / "local.mlir").read_text(),
        "annotated": annotated,
        "boundary": keep_boundary(annotated),
    }


def keep_boundary(text: str) -> str:
    """An annotated program without the constraints inside it."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir

    with make_ir_context():
        module = ir.Module.parse(text)
        found: list[Any] = []

        def collect(operation: Any) -> Any:
            if operation.name == "sdy.sharding_constraint":
                found.append(operation)
            return ir.WalkResult.ADVANCE

        module.operation.walk(collect)
        for operation in found:
            operation.results[0].replace_all_uses_with(operation.operands[0])
            operation.erase()
        return str(module)


@contextlib.contextmanager
def captured_rematerializations() -> Iterator[list[str]]:
    """Fills a list with XLA's warnings, which it, being no Python, writes to standard error."""
    warnings: list[str] = []
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield warnings
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            lines = file.read().decode(errors="replace").splitlines()
            warnings += [line for line in lines if WARNING in line]
