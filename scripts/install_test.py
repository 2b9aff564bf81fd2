"""Installs the package as a user would, `pip install .` from a clone, and plans a function with it.

python scripts/install_test.py [--prebuilt PARTITA]

The clone is a copy of the files under version control. It is compiled there, unless a tool that is built already is
given. The environment is empty but for what the package asks for; JAX is lent from that of the tests where its versions
can be found nowhere else. What runs afterwards has no LLVM on its path.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import jax, jax.numpy as jnp, partita
w, x = jax.ShapeDtypeStruct((16, 32), "float32"), jax.ShapeDtypeStruct((8, 16), "float32")
plan = partita.plan(lambda w, x: jnp.tanh(x @ w), w, x, mesh={"data": 4, "model": 2}, machine="cpu-host:1x8", budget=50)
assert plan.verify().equal
plan.report.save("plan.html")
assert "@observablehq/plot" in open("plan.html").read()
print(partita.find_binary(), plan)
"""


def copy_clone(target: Path) -> None:
    """The files under version control, as they are in the working tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    packed = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=ROOT, input=listed, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", target], input=packed.stdout, check=True)


def install(clone: Path, environment: Path, prebuilt: Path | None) -> Path:
    """The environment's Python."""
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    command: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        clone,
    ]
    if prebuilt is not None:
        command += ["--config-settings", f"cmake.define.PARTITA_PREBUILT={prebuilt}"]
        command += ["--config-settings", "build.targets=install"]
    subprocess.run(command, check=True)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prebuilt", type=Path, help="a tool to be installed as it is; nothing is compiled")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="partita-install-") as name:
        clone, environment = Path(name) / "clone", Path(name) / "environment"
        clone.mkdir()
        copy_clone(clone)
        python = install(clone, environment, options.prebuilt and options.prebuilt.resolve())
        clean = {"PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu", "PYTHONPATH": sysconfig.get_paths()["purelib"]}
        done = subprocess.run([python, "-c", PROGRAM], cwd=name, env=clean, capture_output=True, text=True, check=False)
        print(done.stdout or done.stderr, end="")
        tool = subprocess.run(
            [environment / "bin" / "partita", "--version"], cwd=name, env={"PATH": os.defpath}, check=False
        )
        installed = done.stdout.startswith(str(environment))
        return 0 if done.returncode == 0 and tool.returncode == 0 and installed else 1


if __name__ == "__main__":
    sys.exit(main())
