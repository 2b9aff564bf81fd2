"""The wheel: it is small, runs on old systems, and plans in an environment that has nothing but JAX."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import wheel_test
from llvm_tools import find_tool

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
OBJDUMP = find_tool("llvm-objdump", BIN.parent)
MOST_BYTES = 20 << 20
NEWEST_GLIBC = (2, 34)
PROGRAM = """
import jax, partita
w, x = jax.ShapeDtypeStruct((16, 8), "float32"), jax.ShapeDtypeStruct((8, 16), "float32")
rows = partita.tile("x", dim=0, axis="data")
plan = partita.plan(lambda w, x: x @ w, w, x, mesh="data=4", schedule=[rows], platform="cpu")
assert "site-packages" in partita.__file__ and str(partita.find_binary()).startswith(partita.__file__[:-12])
print(plan.out_specs)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", ".", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    options = [f"-Ccmake.define.PARTITA_PREBUILT={BIN / 'partita'}", "-Cbuild.targets=install"]
    options += [f"-Cbuild-dir={folder / 'build'}", f"--wheel-dir={folder}"]
    subprocess.run([*command, *options], cwd=ROOT, check=True)
    (made,) = folder.glob("*.whl")
    return made


def test_it_is_small_and_serves_all_pythons(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    assert re.fullmatch(r"partita-[0-9.]+-py3-none-linux_\w+\.whl", wheel.name)


def test_it_can_be_published(wheel: Path) -> None:
    """As PyPI asks, and with nothing in it that does not belong there."""
    for command in (["twine", "check", "--strict"], ["check_wheel_contents"]):
        done = subprocess.run([sys.executable, "-m", *command, wheel], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_tool_asks_for_no_new_system() -> None:
    listed = subprocess.run([OBJDUMP, "-T", BIN / "partita"], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", listed)}
    assert versions and max(versions) <= NEWEST_GLIBC
    assert "GLIBCXX" not in listed
    needed = subprocess.run([OBJDUMP, "-p", BIN / "partita"], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"NEEDED\s+(\S+)", needed))
    assert libraries <= {"libm.so.6", "libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}


def test_it_plans_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """JAX is lent from the environment of the tests; Partita comes from the wheel alone."""
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
    environment = {"PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu", "PYTHONPATH": sysconfig.get_paths()["purelib"]}
    command = [python, "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "'data'" in done.stdout
    tool = subprocess.run(
        [tmp_path / "env" / "bin" / "partita", "--version"], env={"PATH": "/usr/bin"}, capture_output=True, text=True
    )
    assert tool.stdout.startswith("partita "), tool.stderr


def test_a_python_that_cannot_be_had_is_said_with_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_test, "find_interpreter", lambda version: None)
    monkeypatch.setattr(wheel_test.shutil, "which", lambda name: None)
    found = wheel_test.try_wheel("3.14", Path("partita.whl"))
    assert found.state == "missing" and "install debootstrap (apt-get install debootstrap)" in found.detail
