"""Programs of other people's models: `make check-shared`.

They are no part of the repository: the folder is ../shared/programs beside it, or what PARTITA_SHARED says. Each
*.mlir.gz must be imported, and the import of the result must print the same text. Its flat graph must be the same after
it was read back, and at most 1% of its FLOPs and 5% of its bytes may be at ops that nothing can split (the columns
`flops` and `bytes`). Where the folder is missing, nothing is checked, and that is said.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import split_coverage  # noqa: E402

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
    coverage: split_coverage.Coverage | None
    result: str

    def __str__(self) -> str:
        whole = self.coverage or split_coverage.Coverage(1.0, 1.0, "-")
        shares = f"{whole.flops_whole:8.2%} {whole.bytes_whole:8.2%}"
        return f"{self.name:32} {self.ops:8} {self.ms:9.0f} {shares}  {self.result}"


def unpack(path: Path) -> Path:
    """The program's text in the build folder."""
    WORK.mkdir(parents=True, exist_ok=True)
    target = WORK / path.name.removesuffix(".gz")
    if not target.is_file() or target.stat().st_mtime < path.stat().st_mtime:
        target.write_bytes(gzip.decompress(path.read_bytes()))
    return target


def run(command: list[str | Path]) -> str:
    """Empty if the command succeeded; else its first message."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer after {TIMEOUT_SECONDS} s"
    if done.returncode == 0:
        return ""
    return f"exit code {done.returncode}: {(done.stderr.splitlines() or ['no message'])[0]}"


def import_program(source: Path, target: Path) -> str:
    return run([BIN / "partita", "import", source, "--locations", "-o", target])


def check_import(source: Path, once: Path) -> str:
    """Why a second import does not give the same; empty if it does."""
    twice = source.with_suffix(".twice.mlir")
    if error := import_program(once, twice):
        return f"second import: {error}"
    if once.read_bytes() != twice.read_bytes():
        return f"the second import differs: diff {once.relative_to(ROOT)} {twice.relative_to(ROOT)}"
    return ""


def check_graph(source: Path) -> tuple[str, split_coverage.Coverage | None]:
    """Why the flat graph is not what it must be, empty if it is; and how much of it nothing can split."""
    graph, again = source.with_suffix(".graph.json"), source.with_suffix(".again.json")
    if error := run([BIN / "partita", "plan", source, "--stop-after=flatten", "-o", graph]):
        return f"flatten: {error}", None
    if error := run([BIN / "partita", "graph", graph, "-o", again]):
        return f"graph: {error}", None
    if graph.read_bytes() != again.read_bytes():
        return f"the graph read back differs: diff {graph.relative_to(ROOT)} {again.relative_to(ROOT)}", None
    coverage = split_coverage.measure(json.loads(graph.read_text()))
    over = coverage.flops_whole > split_coverage.MOST_FLOPS or coverage.bytes_whole > split_coverage.MOST_BYTES
    return f"too much is whole, most of it at {coverage.largest}" if over else "", coverage


def check(path: Path) -> Row:
    source = unpack(path)
    once = source.with_suffix(".once.mlir")
    start = time.perf_counter()
    error = import_program(source, once)
    ms = (time.perf_counter() - start) * 1e3
    coverage = None
    if not error:
        error = check_import(source, once)
    if not error:
        error, coverage = check_graph(source)
    ops = len(OP.findall(source.read_text()))
    return Row(path.name.removesuffix(".mlir.gz"), ops, ms, coverage, error or "ok")


def main() -> int:
    if not PROGRAMS.is_dir():
        print(f"check-shared: {PROGRAMS} is missing; nothing was checked (set PARTITA_SHARED to the folder above it)")
        return 0
    packed = sorted(PROGRAMS.glob("*.mlir.gz"))
    if not packed:
        print(f"check-shared: no *.mlir.gz in {PROGRAMS}")
        return 1
    print(f"{'program':32} {'ops':>8} {'ms':>9} {'flops':>8} {'bytes':>8}  result")
    rows = []
    for path in packed:
        rows.append(check(path))
        print(rows[-1], flush=True)
    failed = sum(row.result != "ok" for row in rows)
    print(f"check-shared: {len(rows) - failed} imported, flattened and read back, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
