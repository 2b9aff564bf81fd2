"""Installs the wheel into an empty environment of each Python that the package is for, and plans and runs a step there.

python scripts/wheel_test.py [WHEEL] [--python 3.12 ...]

The wheel is that of `make wheel` if none is given. Interpreters are those on the path, of pyenv, and those that uv
finds or can download. JAX comes from pip's index. What runs is examples/first.py, in a folder of its own, without LLVM
on its path: it plans a training step, runs it on eight virtual devices, and compares with one device. A Python that
cannot be had, or for which there is no JAX, is reported and is no failure.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PROGRAM = ROOT / "examples" / "first.py"
EXPECTED = "same loss as on one device: True"


@dataclass(frozen=True)
class Outcome:
    """Of one Python: `passed`, `failed`, or `missing`, and what is to be said of it."""

    version: str
    state: str
    detail: str


def run(*words: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def find_interpreter(version: str) -> Path | None:
    """A Python of this version that can make environments."""
    for path in list_candidates(version):
        made = run(path, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])")
        if made.returncode == 0 and made.stdout.strip() == version:
            return path
    return None


def list_candidates(version: str) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
    if uv := shutil.which("uv"):
        found = run(uv, "python", "find", version).stdout.strip()
        if not found:
            run(uv, "python", "install", version)
            found = run(uv, "python", "find", version).stdout.strip()
        if found:
            yield Path(found)


def try_wheel(version: str, wheel: Path, folder: Path) -> Outcome:
    interpreter = find_interpreter(version)
    if interpreter is None:
        return Outcome(version, "missing", "there is no such Python on the path, of pyenv or of uv")
    environment, work = folder / "environment", folder / "work"
    work.mkdir(parents=True)
    made = run(interpreter, "-m", "venv", environment)
    if made.returncode:
        return Outcome(version, "failed", made.stderr)
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if (alone := run(*pip, "--no-deps", wheel)).returncode:
        return Outcome(version, "failed", alone.stderr)
    if (installed := run(*pip, wheel)).returncode:
        return Outcome(
            version, "missing", f"what the wheel needs cannot be installed: {installed.stderr.strip()[-300:]}"
        )
    return plan_and_run(version, environment, work)


def plan_and_run(version: str, environment: Path, work: Path) -> Outcome:
    shutil.copy(PROGRAM, work)
    clean = {"PATH": os.defpath, "HOME": str(work), "JAX_PLATFORMS": "cpu"}
    done = run(environment / "bin" / "python", PROGRAM.name, cwd=work, env=clean)
    if done.returncode or EXPECTED not in done.stdout:
        return Outcome(version, "failed", done.stdout[-1000:] + done.stderr[-2000:])
    tool = run(environment / "bin" / "partita", "--version", cwd=work, env=clean)
    ask = "import jax, partita; print(jax.__version__, partita.__version__)"
    known = run(environment / "bin" / "python", "-c", ask, cwd=work, env=clean).stdout.split()
    if tool.returncode or tool.stdout.split()[-1:] != known[1:]:
        return Outcome(version, "failed", f"the tool says {tool.stdout!r}, the package {known}: {tool.stderr}")
    return Outcome(version, "passed", f"planned and run with JAX {known[0]}")


def find_wheel() -> Path:
    found = sorted((ROOT / "build" / "dist").glob("partita-*.whl"))
    if not found:
        sys.exit("there is no wheel in build/dist: run `make wheel`, or name one")
    return found[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="?", help="that of build/dist if not given")
    parser.add_argument("--python", action="append", choices=VERSIONS, help="this version alone; may be repeated")
    options = parser.parse_args()
    wheel = (options.wheel or find_wheel()).resolve()
    outcomes = []
    for version in options.python or VERSIONS:
        with tempfile.TemporaryDirectory(prefix="partita-wheel-") as name:
            outcomes.append(try_wheel(version, wheel, Path(name)))
        print(f"Python {version}: {outcomes[-1].state}: {outcomes[-1].detail}", flush=True)
    counts = {state: sum(outcome.state == state for outcome in outcomes) for state in ("passed", "failed", "missing")}
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
