"""Runs clang-tidy (its checks are in .clang-tidy) with the build's compile commands.

python scripts/lint.py [--all | --changed] [--most N] [FILE ...]

A file of MLIR takes 5 to 10 seconds, so `make test` lints what changed since the last commit that it passed for; in a
fresh clone, where it never did, what the last commit changed, at most N files. `make lint` lints all.
Headers are linted through the sources that include them. Exit code 1 if a file has a warning, 2 if nothing can be run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from llvm_tools import find_tool
from sources import BUILD, ROOT, changed_cpp_files, cpp_files, last_passed_commit

NO_LIMIT = 1_000_000
NOISE = re.compile(
    r"^(\d+ warnings? (generated|treated as error)|Suppressed \d+ warnings|Use -header-filter|\[\d+/\d+\]).*"
)


@dataclass(frozen=True)
class Lint:
    """What clang-tidy said of one source; nothing when it is clean."""

    path: Path
    complaints: str
    seconds: float


def compiled_sources(build: Path) -> set[Path]:
    """The sources that the build compiles; only they have a command line to lint with."""
    database = build / "compile_commands.json"
    if not database.is_file():
        return set()
    return {Path(entry["directory"], entry["file"]).resolve() for entry in json.loads(database.read_text())}


def lint(path: Path, build: Path) -> Lint:
    start = time.perf_counter()
    command = [find_tool("clang-tidy"), "-p", str(build), "--quiet", "--warnings-as-errors=*", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    said = "\n".join(line for line in lines if line.strip() and not NOISE.match(line))
    clean = done.returncode == 0
    complaints = "" if clean else said or f"clang-tidy ended with {done.returncode}"
    return Lint(path, complaints, time.perf_counter() - start)


def choose(wanted: list[Path], most: int, build: Path) -> tuple[list[Path], int]:
    """The sources to lint, the most recently changed ones first, and how many were left out."""
    compiled = compiled_sources(build)
    sources = [path for path in wanted if path.resolve() in compiled]
    sources.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return sources[:most], max(0, len(sources) - most)


def want(options: argparse.Namespace) -> tuple[list[Path], int]:
    """The files that are asked for, and how many of them may be linted."""
    if options.files:
        return [path.resolve() for path in options.files], NO_LIMIT
    if options.all:
        return cpp_files(), NO_LIMIT
    passed = last_passed_commit()
    return (changed_cpp_files(passed), NO_LIMIT) if passed else (changed_cpp_files(), options.most)


def lint_all(sources: list[Path], build: Path) -> list[Lint]:
    """Lints with all cores, printing what is found as it comes."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = []
        for result in pool.map(lambda path: lint(path, build), sources):
            results.append(result)
            verdict = "warnings" if result.complaints else "clean"
            print(f"lint: {result.path.relative_to(ROOT)}: {verdict} ({result.seconds:.1f} s)", flush=True)
            if result.complaints:
                print(result.complaints, flush=True)
    return results


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every source of the repository")
    parser.add_argument(
        "--changed", action="store_true", help="what differs from the commit that passed last (default)"
    )
    parser.add_argument("--most", type=int, default=NO_LIMIT, help="lint at most this many where no commit passed yet")
    parser.add_argument("--build", type=Path, default=BUILD, help="folder that holds compile_commands.json")
    parser.add_argument("files", nargs="*", type=Path, help="these files instead")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    build = options.build.resolve()
    if not compiled_sources(build):
        print(f"lint: {build / 'compile_commands.json'} is missing or empty; run make first", file=sys.stderr)
        return 2
    chosen, left_out = choose(*want(options), build)
    if left_out:
        print(f"lint: {left_out} more changed sources are left to `make lint`")
    results = lint_all(chosen, build)
    failed = sum(bool(result.complaints) for result in results)
    print(f"lint: {len(results) - failed} clean, {failed} with warnings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
