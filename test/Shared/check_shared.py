"""Imports programs of other people's models: `make check-shared`.

They are no part of the repository: the folder is ../shared/programs beside it, or what PARTITA_SHARED says. Each
*.mlir.gz must be imported, and the import of the result must print the same text. Where the folder is missing, nothing
is checked, and that is said.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
PROGRAMS = Path(os.environ.get("PARTITA_SHARED", ROOT.parent / "shared")) / "programs"
WORK = ROOT / "build" / "shared"
TIMEOUT_SECONDS = 300
OP = re.compile(r'^\s+(?:%\S+(?:, %\S+)* = )?"?(?:stablehlo|chlo|sdy|func)\.|^\s+return\b', re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """What became of one program; `ms` is the time of its import, the process included."""

    name: str
    ops: int
    ms: float
    result: str

    def __str__(self) -> str:
        return f"{self.name:32} {self.ops:8} {self.ms:9.0f}  {self.result}"


def unpack(path: Path) -> Path:
    """The program's text in the build folder."""
    WORK.mkdir(parents=True, exist_ok=True)
    target = WORK / path.name.removesuffix(".gz")
    if not target.is_file() or target.stat().st_mtime < path.stat().st_mtime:
        target.write_bytes(gzip.decompress(path.read_bytes()))
    return target


def import_program(source: Path, target: Path, *flags: str) -> str:
    """Empty if the import succeeded; else its first message."""
    command: list[str | Path] = [BIN / "partita", "import", source, *flags, "-o", target]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer after {TIMEOUT_SECONDS} s"
    if done.returncode == 0:
        return ""
    return f"exit code {done.returncode}: {(done.stderr.splitlines() or ['no message'])[0]}"


def check(path: Path) -> Row:
    source = unpack(path)
    once, twice = source.with_suffix(".once.mlir"), source.with_suffix(".twice.mlir")
    start = time.perf_counter()
    error = import_program(source, once, "--locations")
    ms = (time.perf_counter() - start) * 1e3
    if not error:
        error = import_program(once, twice, "--locations")
        error = f"second import: {error}" if error else ""
    if not error and once.read_bytes() != twice.read_bytes():
        error = f"the second import differs: diff {once.relative_to(ROOT)} {twice.relative_to(ROOT)}"
    return Row(path.name.removesuffix(".mlir.gz"), len(OP.findall(source.read_text())), ms, error or "ok")


def main() -> int:
    if not PROGRAMS.is_dir():
        print(f"check-shared: {PROGRAMS} is missing; nothing was checked (set PARTITA_SHARED to the folder above it)")
        return 0
    packed = sorted(PROGRAMS.glob("*.mlir.gz"))
    if not packed:
        print(f"check-shared: no *.mlir.gz in {PROGRAMS}")
        return 1
    print(f"{'program':32} {'ops':>8} {'ms':>9}  result")
    rows = []
    for path in packed:
        rows.append(check(path))
        print(rows[-1], flush=True)
    failed = sum(row.result != "ok" for row in rows)
    print(f"check-shared: {len(rows) - failed} imported, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
