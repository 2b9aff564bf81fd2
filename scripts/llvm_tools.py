"""Where a tool of LLVM is: with the LLVM that the build found, or on the path.

python scripts/llvm_tools.py clang-format     prints its path
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from sources import BUILD

VERSION = 22


def read_llvm_bin(build: Path = BUILD) -> Path | None:
    """The folder of the tools of the LLVM that a build is configured with (cmake/PartitaLlvm.cmake)."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^MLIR_DIR:\w+=(.+)$", cache.read_text(), re.MULTILINE) if cache.is_file() else None
    return None if found is None else Path(found[1]).parents[2] / "bin"


def find_tool(name: str, build: Path = BUILD) -> str:
    """The tool's path; its name alone where it is nowhere, which says what is missing when it is run."""
    folder = read_llvm_bin(build)
    places = [*([] if folder is None else [str(folder / name)]), f"{name}-{VERSION}", name]
    return next((found for place in places if (found := shutil.which(place))), name)


if __name__ == "__main__":
    print(find_tool(sys.argv[1]))
