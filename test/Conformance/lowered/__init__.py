"""Small JAX functions that together make JAX emit every operation it can emit, in every form.

Each module holds one or more families as module-level `Family` objects; `all_programs` collects them. Lowering takes
a while, so `cached_texts` keeps the texts in a folder named after the generators' sources and JAX's version.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import tempfile
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jaxlib

from .registry import Family, Program

__all__ = ["Program", "all_programs", "cached_texts"]


@functools.cache
def families() -> tuple[Family, ...]:
    """All families of all modules of this package, in order of module and declaration."""
    found: list[Family] = []
    for module in pkgutil.iter_modules(__path__):
        members = vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        found += [member for member in members if isinstance(member, Family)]
    return tuple(found)


def all_programs() -> list[Program]:
    """Every program, named `family/name`."""
    return [program for family in families() for program in family.programs]


def cache_key() -> str:
    """Changes when a generator or JAX changes."""
    digest = hashlib.sha256(f"{jax.__version__} {jaxlib.__version__}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _lower(program: Program) -> str:
    try:
        return program.text()
    except Exception as error:
        raise RuntimeError(f"JAX cannot lower {program.name}") from error


def cached_texts(cache: Path) -> dict[str, str]:
    """Name to text of all programs. Fills `cache` anew when its key has changed; another process waits meanwhile."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _fill(cache, cache / f"lowered-{cache_key()}.json")


def _fill(cache: Path, entry: Path) -> dict[str, str]:
    if entry.exists():
        return json.loads(entry.read_text())
    texts = {program.name: _lower(program) for program in all_programs()}
    for old in cache.glob("lowered-*.json"):
        old.unlink(missing_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=cache, delete=False) as file:
        json.dump(texts, file)
    shutil.move(file.name, entry)
    return texts
