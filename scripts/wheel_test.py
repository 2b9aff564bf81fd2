"""Installs the wheel into an empty environment of each Python that the package is for, and plans and runs a step there.

python scripts/wheel_test.py [WHEEL] [--python 3.12 ...]

The wheel is that of `make wheel` if none is given. Interpreters are those on the path, of pyenv, and those that uv
finds or can download. Where there is none, Debian's is taken, in a root of its own (build/debian/SUITE, 300 MB): that
needs root's rights, `unshare` and `debootstrap`. JAX comes from pip's index. What runs is examples/first.py, in a
folder of its own, without LLVM on its path: it plans a training step, runs it on eight virtual devices, and compares
with one device. A Python that cannot be had, or for which there is no JAX, is reported and is no failure.
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
# XLA asks /proc what the processor can do.
CONTAINER = ("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--root")
SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "forky"}


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


@dataclass(frozen=True)
class System:
    """Where a Python runs: this machine, or a Debian in a folder. Paths are those of this machine."""

    root: Path
    interpreter: Path

    def get_path(self, path: Path) -> Path:
        """The same file, as processes of this system name it."""
        return Path("/") / path.relative_to(self.root)

    def run(self, *words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        inside = [self.get_path(word) if isinstance(word, Path) else word for word in words]
        if self.root == Path("/"):
            return run(*inside, cwd=cwd, env=env)
        enter = (*CONTAINER, str(self.root), "env", "-i", "-C", str(self.get_path(cwd)))
        variables = env or {"PATH": os.defpath, "HOME": "/root"}
        return run(*enter, *(f"{name}={value}" for name, value in variables.items()), *inside)


def find_system(version: str) -> System | str:
    """A system that has this Python, or why there is none."""
    if found := find_interpreter(version):
        return System(Path("/"), found)
    missing = "there is no such Python on the path, of pyenv or of uv"
    suite = SUITES.get(version)
    if suite is None:
        return missing
    needed = ["run this as root"] if os.geteuid() != 0 else []
    needed += ["install debootstrap (apt-get install debootstrap)"] if not shutil.which("debootstrap") else []
    if needed:
        return f"{missing}; to try it on Debian's, {' and '.join(needed)}"
    root = ROOT / "build" / "debian" / suite
    interpreter = root / "usr" / "bin" / f"python{version}"
    if not (root / "complete").exists() and (failure := install_debian(suite, version, root)):
        return f"{missing}, and Debian's could not be installed: {failure}"
    return System(root, interpreter)


def find_archive() -> str | None:
    """Where apt has Debian's packages from."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian").stdout.split()
    return next((address for address in listed if address.rstrip("/").endswith("/debian")), None)


def install_debian(suite: str, version: str, root: Path) -> str:
    """Puts a small Debian with this Python into a folder; returns what went wrong."""
    archive = find_archive()
    if archive is None:
        return "apt does not say where Debian's packages are; run apt-get update"
    shutil.rmtree(root, ignore_errors=True)
    habits = root / "etc" / "dpkg" / "dpkg.cfg.d"
    habits.mkdir(parents=True)
    # Waiting for the disk behind each file takes most of the time, and this root need not survive a crash.
    (habits / "unsafe-io").write_text("force-unsafe-io\n")
    packages = f"--include=python{version},python{version}-venv"
    # Suites newer than this machine's debootstrap are made as Debian's newest is.
    made = run("debootstrap", "--variant=minbase", packages, suite, root, archive, "/usr/share/debootstrap/scripts/sid")
    if made.returncode:
        return (made.stdout + made.stderr).strip()[-300:]
    (root / "complete").touch()
    return ""


def fetch_packages(version: str, wheel: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the wheel needs, for a system that reaches no index itself."""
    return run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", folder),
        *("--only-binary=:all:", "--python-version", version, wheel),
    )


def try_wheel(version: str, wheel: Path) -> Outcome:
    system = find_system(version)
    if isinstance(system, str):
        return Outcome(version, "missing", system)
    temporary = system.root / tempfile.gettempdir().lstrip("/")
    temporary.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="partita-wheel-", dir=temporary) as name:
        return try_system(version, system, wheel, Path(name))


def try_system(version: str, system: System, wheel: Path, folder: Path) -> Outcome:
    environment, work, packages = folder / "environment", folder / "work", folder / "packages"
    for each in (work, packages):
        each.mkdir()
    wheel = Path(shutil.copy(wheel, packages))
    made = system.run(system.interpreter, "-m", "venv", environment, cwd=work)
    if made.returncode:
        return Outcome(version, "failed", made.stderr)
    pip = (environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if (alone := system.run(*pip, "--no-deps", wheel, cwd=work)).returncode:
        return Outcome(version, "failed", alone.stderr)
    if system.root == Path("/"):
        installed = system.run(*pip, wheel, cwd=work)
    else:
        installed = fetch_packages(version, wheel, packages)
        if not installed.returncode:
            installed = system.run(*pip, "--no-index", "--find-links", packages, wheel, cwd=work)
    if installed.returncode:
        return Outcome(
            version, "missing", f"what the wheel needs cannot be installed: {installed.stderr.strip()[-300:]}"
        )
    return plan_and_run(version, system, environment, work)


def plan_and_run(version: str, system: System, environment: Path, work: Path) -> Outcome:
    shutil.copy(PROGRAM, work)
    python = environment / "bin" / "python"
    clean = {"PATH": os.defpath, "HOME": str(system.get_path(work)), "JAX_PLATFORMS": "cpu"}
    done = system.run(python, PROGRAM.name, cwd=work, env=clean)
    if done.returncode or EXPECTED not in done.stdout:
        return Outcome(version, "failed", done.stdout[-1000:] + done.stderr[-2000:])
    tool = system.run(environment / "bin" / "partita", "--version", cwd=work, env=clean)
    ask = "import jax, partita; print(jax.__version__, partita.__version__)"
    known = system.run(python, "-c", ask, cwd=work, env=clean).stdout.split()
    if tool.returncode or tool.stdout.split()[-1:] != known[1:]:
        return Outcome(version, "failed", f"the tool says {tool.stdout!r}, the package {known}: {tool.stderr}")
    where = "" if system.root == Path("/") else f" of Debian {system.root.name}"
    return Outcome(version, "passed", f"planned and run with JAX {known[0]}{where}")


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
        outcomes.append(try_wheel(version, wheel))
        print(f"Python {version}: {outcomes[-1].state}: {outcomes[-1].detail}", flush=True)
    counts = {state: sum(outcome.state == state for outcome in outcomes) for state in ("passed", "failed", "missing")}
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
