"""Where the zoo's programs are as text: `find("llama.tiny")`, or `python -m models.exported llama.tiny` for scripts.

A program that is not there yet is exported first, by a process of its own: its text depends on nothing that the caller
has imported or set. One that is there is taken as it is; `python -m models.export` brings all of them up to date.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ZOO = ROOT / "build" / "zoo"


def find(name: str, folder: Path = ZOO) -> Path:
    """The file of `<model>.<size>`; ValueError if there is no such program."""
    path = folder / f"{name}.mlir"
    if not path.is_file():
        chosen = ["--only", f"^{re.escape(name)}$", "--size", "all", "--out", str(folder)]
        command = [sys.executable, "-m", "models.export", *chosen]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"{name} cannot be exported: {done.stderr.strip()}")
    return path


if __name__ == "__main__":
    for program in sys.argv[1:]:
        print(find(program))
