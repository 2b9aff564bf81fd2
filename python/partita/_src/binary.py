"""Where the command-line tool is.

It is never loaded into Python's process: a crash in it must not take the caller down.
"""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_REPOSITORY = _PACKAGE.parent.parent


def candidates(name: str) -> list[Path]:
    """The places that are tried, in order: `PARTITA_BIN_DIR`, the installed package, the build folder of a checkout."""
    given = os.environ.get("PARTITA_BIN_DIR")
    folders = [Path(given).resolve()] if given else [_PACKAGE / "bin", _REPOSITORY / "build" / "bin"]
    return [folder / name for folder in folders]


def find_binary(name: str = "partita") -> Path:
    """The path of a tool; FileNotFoundError says where it was sought."""
    tried = candidates(name)
    for path in tried:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    places = ", ".join(str(path.parent) for path in tried)
    raise FileNotFoundError(
        f"{name} is not in {places}; run `make`, or set PARTITA_BIN_DIR to the folder that holds it"
    )
