"""Files that others may write and read at the same time: processes that share a cache, threads."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes all of a file, or nothing."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.partial")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
