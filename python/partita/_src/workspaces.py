"""The folders in which the tool works: each is gone after its call.

A process that is killed cannot clean up after itself. It holds a lock on its folder, which the system takes from it
when it ends: the next process removes folders that nobody holds.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "partita-call-"
#: A folder is made a moment before it is locked.
_YOUNG_SECONDS = 60


@contextlib.contextmanager
def open_workspace() -> Iterator[Path]:
    """A fresh folder."""
    _remove_abandoned(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _lock(Path(name)):
        yield Path(name)


@functools.cache
def _remove_abandoned(parent: str) -> None:
    """Once a process."""
    for folder in Path(parent).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours_and_old(folder.lstat()):
                with _lock(folder) as is_held:
                    if is_held:
                        shutil.rmtree(folder)


def _is_ours_and_old(status: os.stat_result) -> bool:
    return status.st_uid == os.getuid() and time.time() - status.st_mtime > _YOUNG_SECONDS


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Whether the folder is held now: not if another process does, or where folders cannot be locked."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
