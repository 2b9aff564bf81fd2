"""Runs every check of the repository, stage by stage, and counts what passed and failed.

python scripts/run_tests.py [--only STAGE ...] [--sanitizer asan|tsan]

All stages run, whether or not an earlier one failed. The last line is `N passed, M failed`; the exit code is 1 if M is
not 0. Stages that hold many tests (unit, lit, models, pytest) count each of them, others one per tool or file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sources import BUILD, LLVM_BIN, PYTHON_FOLDERS, ROOT, cpp_files

MOST_LINTED = 4
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

    @property
    def results(self) -> Path:
        folder = self.build / "test-results"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@dataclass(frozen=True)
class Finished:
    code: int
    output: str


def run(setting: Setting, command: list[str | Path]) -> Finished:
    """Runs a command in the repository's root, showing its output as it comes and keeping it."""
    arguments = [str(part) for part in command]
    try:
        process = subprocess.Popen(
            arguments, cwd=ROOT, env=setting.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace",
        )  # fmt: skip
    except OSError as error:
        print(f"cannot run {arguments[0]}: {error}")
        return Finished(127, "")
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    return Finished(process.wait(), "".join(lines))


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
        one(run(setting, ["clang-format-22", "--dry-run", "-Werror", *cpp_files()]))
        + one(run(setting, python_tool("ruff", "format", "--check", "--quiet", *PYTHON_FOLDERS)))
        + one(run(setting, python_tool("ruff", "check", "--quiet", *PYTHON_FOLDERS)))
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


def count_gtest(report: Path) -> Outcome:
    """From gtest's JSON report; a binary that crashed leaves none."""
    if not report.is_file():
        return Outcome()
    counts = json.loads(report.read_text())
    bad = counts["failures"] + counts.get("errors", 0)
    return Outcome(counts["tests"] - bad - counts.get("disabled", 0), bad)


def run_unit(setting: Setting) -> Outcome:
    binaries = sorted((setting.build / "bin").glob("*-tests"))
    if not binaries:
        print(f"no *-tests in {setting.build / 'bin'}")
        return Outcome(0, 1)
    total = Outcome()
    for binary in binaries:
        report = setting.results / f"{binary.name}.json"
        report.unlink(missing_ok=True)
        finished = run(setting, [binary, "--gtest_brief=1", f"--gtest_output=json:{report}"])
        total += at_least_one_failure(count_gtest(report), finished)
    return total


def run_lit(setting: Setting) -> Outcome:
    report = setting.results / "lit.json"
    report.unlink(missing_ok=True)
    options: list[str | Path] = ["--no-progress-bar", "-s", "-v", "-o", report, "-D", f"build={setting.build}"]
    finished = run(setting, [sys.executable, LLVM_BIN / "lit", *options, "test"])
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
    finished = run(setting, python_tool("pytest", "-q", f"--junit-xml={report}", *arguments))
    notes = [line for line in finished.output.splitlines() if line.startswith("judge: ")]
    counted = count_junit(report)
    counted.notes += notes
    return at_least_one_failure(counted, finished)


def run_models(setting: Setting) -> Outcome:
    exported = one(run(setting, python_tool("models.export", "--size", "tiny")))
    return exported + run_pytest(setting, "models", "models")


def run_python(setting: Setting) -> Outcome:
    return run_pytest(setting, "pytest", "--durations=8", "test")


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
    print(f"seed {seed} (PARTITA_FUZZ_SEED)", flush=True)
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
    "unit": run_unit,
    "lit": run_lit,
    "models": run_models,
    "pytest": run_python,
    "fuzz": run_fuzz,
    "random": run_random,
}
SANITIZED = {"asan": ("unit", "lit"), "tsan": ("unit",)}


def make_setting(sanitizer: str | None) -> Setting:
    environment = dict(os.environ)
    build = BUILD / sanitizer if sanitizer else BUILD
    environment["PARTITA_BIN_DIR"] = str(build / "bin")
    environment.setdefault("JAX_PLATFORMS", "cpu")
    # Eight virtual devices on few cores abort after a minute without it.
    environment.setdefault("PJRT_NPROC", "32")
    if sanitizer:
        environment |= SANITIZER_OPTIONS
    return Setting(build, environment)


def run_stages(names: list[str], setting: Setting) -> Outcome:
    total, table = Outcome(), []
    for name in names:
        print(f"\n--- {name}", flush=True)
        start = time.perf_counter()
        outcome = STAGES[name](setting)
        seconds = time.perf_counter() - start
        table.append(f"{name:8} {outcome.passed:6} passed {outcome.failed:5} failed {seconds:8.1f} s")
        total += outcome
    print("\n--- summary\n" + "\n".join(table + total.notes))
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(STAGES), action="append", help="run this stage; may be repeated")
    parser.add_argument(
        "--sanitizer", choices=list(SANITIZED), help="C++ tests and lit with the binaries of build/NAME"
    )
    options = parser.parse_args()
    names = options.only or (list(SANITIZED[options.sanitizer]) if options.sanitizer else list(STAGES))
    setting = make_setting(options.sanitizer)
    total = run_stages(names, setting)
    summary = f"{total.passed} passed, {total.failed} failed"
    # For .ci/run: make prints its own complaint after a failure.
    (setting.results / "summary.txt").write_text(f"{summary}\n")
    print(summary, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
