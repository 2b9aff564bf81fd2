"""Tests of the package with other versions of JAX, each in an environment of its own: `make jax-versions`.

python scripts/jax_versions.py [VERSION ...] [--tests FILE ...]

JAX 0.11 and later need Python 3.12, which is looked for. A version that cannot be had here is reported, and is no
failure; the exit code is 1 if tests fail.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
VERSIONS = ["0.7.2", "0.8.3", "0.9.2", "0.11.2", "0.12.0.1"]
TESTS = [
    f"test/Python/test_{name}.py"
    for name in (
        "plan",
        "functions",
        "presets",
        "refusals",
        "strategies",
        "kernels",
        "modules",
        "planned_jit",
        "transformations",
        "weak_types",
    )
]
#: From this version of JAX on, Python has to be so new.
NEEDS = [((0, 11), (3, 12)), ((0, 0), (3, 11))]


def find_python(version: str) -> Path | None:
    """An interpreter that can have this version of JAX."""
    known = tuple(int(part) for part in version.split(".")[:2])
    least = next(python for jax, python in NEEDS if known >= jax)
    for minor in range(least[1], least[1] + 3):
        for found in (shutil.which(f"python3.{minor}"), *_pyenv(minor)):
            if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
                return Path(found)
    return None


def _pyenv(minor: int) -> list[Path]:
    """Interpreters that pyenv has installed, whether it shows them on the path or not."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return sorted(root.glob(f"versions/3.{minor}.*/bin/python3.{minor}"))


def make_environment(version: str) -> Path | str:
    """The Python of an environment with this version, or why there is none."""
    folder = BUILD / f"jax-{version}"
    python = folder / "bin" / "python"
    if not python.exists():
        base = find_python(version)
        if base is None:
            return "no Python that it runs on"
        subprocess.run([base, "-m", "venv", folder], check=True)
    packages = [f"jax=={version}", f"jaxlib=={version}", "flax", "optax", "pytest==9.2.0"]
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return python if done.returncode == 0 else f"it cannot be installed: {done.stderr.strip().splitlines()[-1]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    options = parser.parse_args()
    failed = 0
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PJRT_NPROC": "32"}
    for version in options.versions:
        python = make_environment(version)
        if isinstance(python, str):
            print(f"JAX {version}: not run, {python}", flush=True)
            continue
        command = [python, "-m", "pytest", "-q", *options.tests]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        failed += done.returncode != 0
        counts = re.findall(r"^.*(?:passed|failed|error).* in .*$", done.stdout, re.MULTILINE)
        print(f"JAX {version}: {counts[-1] if counts else done.stdout[-2000:]}", flush=True)
        if done.returncode:
            print(done.stdout[-4000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
