"""Build times: `make bench-build`.

A full build in a folder of its own (build/bench-build), then the rebuild after one source of each kind was touched.
Goals: from nothing to all tests passed within 30 minutes on 2 cores; a rebuild after one touched source within 15 s.
The whole of `make clean && make test` is for `time` to measure; this prints its first part.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench-build"
TOUCHED = {
    "a source with MLIR": "partita/Dialect/StableHlo/ContractionOps.cpp",
    "a source of Support": "partita/Support/Json.cpp",
}
FULL_GOAL_SECONDS, REBUILD_GOAL_SECONDS = 30 * 60, 15


def timed(*command: str | Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def build() -> float:
    return timed("ninja", "-C", FOLDER, "--quiet")


def full_build() -> float:
    shutil.rmtree(FOLDER, ignore_errors=True)
    return timed("cmake", "--preset", "release", "-B", FOLDER) + build()


def report(what: str, seconds: float, goal: float) -> bool:
    met = seconds <= goal
    print(f"{what:46} {seconds:8.1f} s   goal {goal:6.0f} s   {'met' if met else 'MISSED'}", flush=True)
    return met


def main() -> int:
    met = [report("full build, part of the way to tests", full_build(), FULL_GOAL_SECONDS)]
    build()
    for what, source in TOUCHED.items():
        (ROOT / source).touch()
        met.append(report(f"rebuild after {what}", build(), REBUILD_GOAL_SECONDS))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
