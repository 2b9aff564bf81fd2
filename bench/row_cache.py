"""Results of rows that were measured, kept in build/bench under a hash of all that decides them.

A run that was broken off goes on where it was, and a new build measures anew.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from search_rows import CACHE


@functools.cache
def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stored_path(folder: str, parts: list[str]) -> Path:
    """Named after `parts`, everything that decides what comes out."""
    return CACHE / folder / f"{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:24]}.json"


def obtain(path: Path, measure: Callable[[], dict[str, Any]], again: bool = False) -> dict[str, Any]:
    """What is stored at `path`; measured first if there is nothing, or if it is to be measured again."""
    if again or not path.exists():
        result = measure()
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(result))
        partial.replace(path)
    stored: dict[str, Any] = json.loads(path.read_text())
    return stored


def write_once(path: Path, make: Callable[[], str]) -> Path:
    """The file of a text that takes long to make, made if it is not there. Nobody sees half of it."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_text(make())
        partial.replace(path)
    return path
