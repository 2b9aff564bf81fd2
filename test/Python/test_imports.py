"""What the package's files import: nothing in a circle, and what is private to JAX in one folder; what is public."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import partita

PACKAGE = Path(partita.__file__).parent
PRIVATE = PACKAGE / "_src" / "jax_internals"
MODULES = ("machines", "presets", "stages")
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
        package, *parts = name.split(".")
        return package in ("jax", "jaxlib") and any(part.startswith("_") for part in parts)

    users = {path for path in FILES if any(map(is_private, read_imports(path)))}
    assert users and all(path.parent == PRIVATE for path in users)


def test_public_modules_hold_nothing_of_their_own() -> None:
    """They name what stands in `_src`, and all of it is in the reference."""
    public = {path.stem: path for path in PACKAGE.glob("*.py")}
    assert public.keys() == {"__init__", "__main__", *MODULES}
    reference = (PACKAGE.parents[1] / "docs" / "python.md").read_text()
    for name in MODULES:
        nodes = ast.parse(public[name].read_text()).body
        assert {type(node) for node in nodes} <= {ast.Expr, ast.ImportFrom, ast.Assign}
        assert all(
            re.search(rf"^### `{name}.{each}\b", reference, re.MULTILINE) for each in getattr(partita, name).__all__
        )


def test_public_names_are_in_the_reference() -> None:
    reference = (PACKAGE.parents[1] / "docs" / "python.md").read_text()
    names = set(dir(partita)) - {"__version__", *MODULES}
    assert {name for name in names if not re.search(rf"^### `{name}\b", reference, re.MULTILINE)} == set()
    assert all(hasattr(partita, name) for name in dir(partita))


def test_errors_are_named_as_they_are_caught() -> None:
    assert {getattr(partita, name).__module__ for name in dir(partita) if name.endswith(("Error", "Warning"))} == {
        "partita"
    }
