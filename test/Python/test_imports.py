"""What the package's files import: nothing in a circle, and what is private to JAX in one folder."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import partita

PACKAGE = Path(partita.__file__).parent
PRIVATE = PACKAGE / "jax_internals"
FILES = sorted(PACKAGE.rglob("*.py"))


def name_module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def read_imports(path: Path) -> Iterator[str]:
    """The names of modules, also of those that are imported in functions or for types alone; some are of no module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_imports_go_one_way() -> None:
    """`partita` itself names what is imported when it is first used."""
    modules = {name_module(path): path for path in FILES if path != PACKAGE / "__init__.py"}
    graph = {name: modules.keys() & set(read_imports(path)) for name, path in modules.items()}
    assert len(tuple(graphlib.TopologicalSorter(graph).static_order())) == len(modules)


def test_private_parts_of_jax_are_used_in_one_folder() -> None:
    def is_private(name: str) -> bool:
        return any(part.startswith("_") and part != "__future__" for part in name.split("."))

    users = {path for path in FILES if any(map(is_private, read_imports(path)))}
    assert users and all(path.parent == PRIVATE for path in users)
