"""Runs every check of the repository, stage by stage, and counts what passed and failed.

python scripts/run_tests.py [--only STAGE ...] [--long] [--sanitizer asan|tsan]

All stages run, whether or not an earlier one failed. The last line is `N passed, M failed`; the exit code is 1 if M is
not 0. Stages that hold many tests (unit, lit, models, pytest, web) count each of them, others one per tool or file.
Every stage keeps all cores busy, or runs beside others that do not either.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from llvm_tools import find_tool
from sources import BUILD, LAST_PASSED, PYTHON_SOURCES, ROOT, cpp_files, git_lines

CORES = os.cpu_count() or 1
MOST_LINTED = 4
UNIT_SHARDS = CORES
UNIT_SECONDS = 3600
"""A test that does not end is a failure, and what is behind it runs. With sanitizers they take twenty times as long."""
FUZZ_BATCHES, FUZZ_SECONDS = 60, 60
RANDOM_CASES = 2000
SANITIZER_OPTIONS = {
    # The allocators of Debian's archives and ours disagree about poisoning; leaks of a process that ends are none.
    "ASAN_OPTIONS": "allow_user_poisoning=0:detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@dataclass
class Outcome:
    """What a stage counted. `notes` are lines that are worth repeating at the end."""

    passed: int = 0
    failed: int = 0
    notes: list[str] = field(default_factory=list)

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.passed + other.passed, self.failed + other.failed, self.notes + other.notes)


@dataclass(frozen=True)
class Setting:
    """Which binaries are tested, and in which environment."""

    build: Path
    environment: dict[str, str]
    long: bool = False

    @property
    def results(self) -> Path:
        folder = self.build / "test-results"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@dataclass(frozen=True)
class Finished:
    code: int
    output: str


class Kept(threading.local):
    """What this thread has said and not shown; None where it is shown as it comes."""

    lines: list[str] | None = None


KEPT = Kept()


def say(text: str) -> None:
    if KEPT.lines is not None:
        KEPT.lines.append(text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def side_by_side(tasks: Iterable[Callable[[], Outcome]]) -> Outcome:
    """Runs tasks on all cores; what each says is shown when it has ended."""

    def keep(task: Callable[[], Outcome]) -> tuple[Outcome, str]:
        KEPT.lines = []
        try:
            outcome = task()
            return outcome, "".join(KEPT.lines)
        finally:
            KEPT.lines = None

    total = Outcome()
    with ThreadPoolExecutor(CORES) as pool:
        for outcome, said in pool.map(keep, tasks):
            say(said)
            total += outcome
    return total


def run(setting: Setting, command: list[str | Path], seconds: float | None = None, **variables: str) -> Finished:
    """Runs a command in the repository's root, showing its output as it comes and keeping it. After so many seconds it
    is ended."""
    arguments = [str(part) for part in command]
    try:
        process = subprocess.Popen(
            arguments, cwd=ROOT, env=setting.environment | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace",
        )  # fmt: skip
    except OSError as error:
        say(f"cannot run {arguments[0]}: {error}\n")
        return Finished(127, "")
    watch = threading.Timer(seconds, process.kill) if seconds else None
    if watch:
        watch.start()
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        say(line)
        lines.append(line)
    code = process.wait()
    if watch:
        if not watch.is_alive():
            say(f"{arguments[0]} was ended after {seconds} s\n")
        watch.cancel()
    return Finished(code, "".join(lines))


def one(finished: Finished) -> Outcome:
    """A command that is one check."""
    return Outcome(1, 0) if finished.code == 0 else Outcome(0, 1)


def at_least_one_failure(counted: Outcome, finished: Finished) -> Outcome:
    """A tool that failed without saying which of its tests did is a failure too."""
    if finished.code != 0 and counted.failed == 0:
        counted.failed = 1
    return counted


def python_tool(name: str, *arguments: str | Path) -> list[str | Path]:
    return [sys.executable, "-m", name, *arguments]


def check_format(setting: Setting) -> Outcome:
    return (
        one(run(setting, [find_tool("clang-format"), "--dry-run", "-Werror", *cpp_files()]))
        + one(run(setting, python_tool("ruff", "format", "--check", "--quiet", *PYTHON_SOURCES)))
        + one(run(setting, python_tool("ruff", "check", "--quiet", *PYTHON_SOURCES)))
    )


def check_lint(setting: Setting) -> Outcome:
    finished = run(setting, [sys.executable, "scripts/lint.py", "--changed", "--most", str(MOST_LINTED)])
    counts = re.search(r"^lint: (\d+) clean, (\d+) with warnings$", finished.output, re.MULTILINE)
    if counts is None:
        return Outcome(0, 1)
    return at_least_one_failure(Outcome(int(counts[1]), int(counts[2])), finished)


def check_rooms(setting: Setting) -> Outcome:
    checks = ("check_rooms.py", "check_types.py")
    return sum((one(run(setting, [sys.executable, f"test/Build/{name}"])) for name in checks), Outcome())


def check_types(setting: Setting) -> Outcome:
    return one(run(setting, python_tool("mypy")))


def export_zoo(setting: Setting) -> Outcome:
    return one(run(setting, python_tool("models.export", "--size", "tiny")))


def count_gtest(report: Path) -> Outcome:
    """From gtest's JSON report; a binary that crashed leaves none."""
    if not report.is_file():
        return Outcome()
    counts = json.loads(report.read_text())
    bad = counts["failures"] + counts.get("errors", 0)
    return Outcome(counts["tests"] - bad - counts.get("disabled", 0), bad)


def run_shard(setting: Setting, binary: Path, shard: int) -> Outcome:
    """Every so-many-th test of a binary, from that of number `shard`."""
    report = setting.results / f"{binary.name}.{shard}.json"
    report.unlink(missing_ok=True)
    part = {"GTEST_TOTAL_SHARDS": str(UNIT_SHARDS), "GTEST_SHARD_INDEX": str(shard)}
    command: list[str | Path] = [binary, "--gtest_brief=1", f"--gtest_output=json:{report}"]
    finished = run(setting, command, seconds=UNIT_SECONDS, **part)
    return at_least_one_failure(count_gtest(report), finished)


def run_unit(setting: Setting) -> Outcome:
    binaries = sorted((setting.build / "bin").glob("*-tests"))
    if not binaries:
        say(f"no *-tests in {setting.build / 'bin'}\n")
        return Outcome(0, 1)
    shards = [(binary, shard) for binary in binaries for shard in range(UNIT_SHARDS)]
    return side_by_side(functools.partial(run_shard, setting, *shard) for shard in shards)


def run_lit(setting: Setting) -> Outcome:
    report = setting.results / "lit.json"
    report.unlink(missing_ok=True)
    options: list[str | Path] = ["--no-progress-bar", "-s", "-v", "-o", report, "-D", f"build={setting.build}"]
    finished = run(setting, [sys.executable, find_tool("lit"), *options, "test"])
    codes = [test["code"] for test in json.loads(report.read_text())["tests"]] if report.is_file() else []
    passed = sum(code in ("PASS", "XFAIL", "FLAKYPASS") for code in codes)
    skipped = sum(code in ("UNSUPPORTED", "EXCLUDED", "SKIPPED") for code in codes)
    return at_least_one_failure(Outcome(passed, len(codes) - passed - skipped), finished)


def count_junit(report: Path) -> Outcome:
    if not report.is_file():
        return Outcome()
    total = Outcome()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        total += Outcome(int(suite.get("tests", 0)) - bad - int(suite.get("skipped", 0)), bad)
    return total


def run_pytest(setting: Setting, name: str, *arguments: str) -> Outcome:
    report = setting.results / f"{name}.xml"
    report.unlink(missing_ok=True)
    options = ["-q", f"--junit-xml={report}", "-n", str(CORES), *(["--long"] if setting.long else [])]
    finished = run(setting, python_tool("pytest", *options, *arguments))
    notes = [line for line in finished.output.splitlines() if line.startswith("judge: ")]
    counted = count_junit(report)
    counted.notes += notes
    return at_least_one_failure(counted, finished)


def run_models(setting: Setting) -> Outcome:
    return run_pytest(setting, "models", "models")


def run_python(setting: Setting) -> Outcome:
    return run_pytest(setting, "pytest", "--durations=8", "--ignore=test/Web", "test")


def run_web(setting: Setting) -> Outcome:
    """Pages of reports in a browser."""
    return run_pytest(setting, "web", "test/Web")


def run_fuzz(setting: Setting) -> Outcome:
    """The same cases every time, some 20 seconds of them on two cores."""
    bounds = ["--seed", "1", "--batches", str(FUZZ_BATCHES), "--seconds", str(FUZZ_SECONDS)]
    return one(run(setting, [sys.executable, "scripts/fuzz_parser.py", *bounds]))


def choose_seed() -> int:
    """New cases for every commit, the same for the same one; PARTITA_FUZZ_SEED says otherwise."""
    if given := os.environ.get("PARTITA_FUZZ_SEED"):
        return int(given)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(head.stdout[:9], 16) * 10000 if head.returncode == 0 else 1


def run_random(setting: Setting) -> Outcome:
    """Random programs, partitioned at random; counts those in which something is split and devices talk."""
    seed = choose_seed()
    say(f"seed {seed} (PARTITA_FUZZ_SEED)\n")
    binary = setting.build / "bin" / "partita"
    bounds = ["--count", str(RANDOM_CASES)]
    finished = run(setting, [binary, "fuzz", *bounds, "--seed", str(seed)])
    counts = re.search(r"(\d+) counted with .* (\d+) wrong, (\d+) crashed$", finished.output, re.MULTILINE)
    if counts is None:
        return Outcome(0, 1)
    return at_least_one_failure(Outcome(int(counts[1]), int(counts[2]) + int(counts[3])), finished)


STAGES: dict[str, Callable[[Setting], Outcome]] = {
    "format": check_format,
    "lint": check_lint,
    "rooms": check_rooms,
    "types": check_types,
    "zoo": export_zoo,
    "unit": run_unit,
    "lit": run_lit,
    "models": run_models,
    "pytest": run_python,
    "web": run_web,
    "fuzz": run_fuzz,
    "random": run_random,
}
ONE_CORE = ("format", "lint", "rooms", "types", "zoo")
"""Stages that leave cores idle; they run beside each other, first."""
NEEDED = {"models": "zoo", "pytest": "zoo"}
SANITIZED = {"asan": ("unit", "lit"), "tsan": ("unit",)}


def make_setting(sanitizer: str | None, long: bool) -> Setting:
    environment = dict(os.environ)
    build = BUILD / sanitizer if sanitizer else BUILD
    environment["PARTITA_BIN_DIR"] = str(build / "bin")
    environment.setdefault("JAX_PLATFORMS", "cpu")
    if sanitizer:
        environment |= SANITIZER_OPTIONS
    return Setting(build, environment, long)


def table_line(name: str, outcome: Outcome, seconds: float) -> str:
    return f"{name:8} {outcome.passed:6} passed {outcome.failed:5} failed {seconds:8.1f} s\n"


def run_stage(name: str, setting: Setting, table: list[str]) -> Outcome:
    say(f"\n--- {name}\n")
    start = time.perf_counter()
    outcome = STAGES[name](setting)
    table.append(table_line(name, outcome, time.perf_counter() - start))
    return outcome


def run_stages(names: list[str], setting: Setting) -> Outcome:
    start, table = time.perf_counter(), list[str]()
    together = [name for name in names if name in ONE_CORE]
    total = side_by_side(functools.partial(run_stage, name, setting, table) for name in together)
    for name in names:
        if name not in ONE_CORE:
            total += run_stage(name, setting, table)
    say("\n--- summary\n" + "".join(table) + table_line("total", total, time.perf_counter() - start))
    say("".join(f"{note}\n" for note in total.notes))
    return total


def with_needed(names: list[str]) -> list[str]:
    """In the order of the stages, with what they need."""
    wanted = {*names, *(NEEDED[name] for name in names if name in NEEDED)}
    return [name for name in STAGES if name in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(STAGES), action="append", help="run this stage; may be repeated")
    parser.add_argument(
        "--sanitizer", choices=list(SANITIZED), help="C++ tests and lit with the binaries of build/NAME"
    )
    parser.add_argument("--long", action="store_true", help="also the tests marked long; XLA compiles as for users")
    options = parser.parse_args()
    everything = not options.only and not options.sanitizer
    names = options.only or (list(SANITIZED[options.sanitizer]) if options.sanitizer else list(STAGES))
    setting = make_setting(options.sanitizer, options.long)
    head = git_lines("rev-parse", "HEAD")
    total = run_stages(with_needed(names), setting)
    summary = f"{total.passed} passed, {total.failed} failed"
    # For .ci/run: make prints its own complaint after a failure.
    (setting.results / "summary.txt").write_text(f"{summary}\n")
    if everything and not total.failed:
        LAST_PASSED.write_text("\n".join(head))
    print(summary, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
