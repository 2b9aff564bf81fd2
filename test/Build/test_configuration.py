"""How the build is configured: presets that belong together, and an LLVM that is found wherever it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASK = """
include({module})
message("found ${{MLIR_DIR}} ${{CMAKE_CXX_COMPILER}}")
"""


def test_each_preset_has_one_for_its_build_and_one_for_its_tests() -> None:
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    kinds = ("configurePresets", "buildPresets", "testPresets")
    names = [{each["name"] for each in presets[kind] if not each.get("hidden")} for kind in kinds]
    assert names == [{"debug", "release", "asan", "tsan"}] * 3
    assert all(each["configurePreset"] == each["name"] for each in presets["testPresets"] if not each.get("hidden"))
    done = subprocess.run(["cmake", "--list-presets=test"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and '"tsan"' in done.stdout


def make_llvm(prefix: Path, version: str, *, has_mlir: bool = True) -> Path:
    """As much of an LLVM as is asked for; gives its llvm-config."""
    (prefix / "bin").mkdir(parents=True)
    for package in ("llvm", "mlir") if has_mlir else ("llvm",):
        (prefix / "lib" / "cmake" / package).mkdir(parents=True)
        (prefix / "lib" / "cmake" / package / f"{package.upper()}Config.cmake").touch()
    config, compilers = prefix / "bin" / "llvm-config", [prefix / "bin" / name for name in ("clang", "clang++")]
    config.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} || echo {prefix}/lib/cmake/llvm\n')
    for compiler in compilers:
        compiler.write_text(f"#!/bin/sh\necho clang version {version}\n")
    for tool in (config, *compilers):
        tool.chmod(0o755)
    return config


def configure(folder: Path, *options: str, **variables: str) -> str:
    """What the search for LLVM says, with nothing on the path but the tools in `folder`/path."""
    script = folder / "ask.cmake"
    script.write_text(ASK.format(module=ROOT / "cmake" / "PartitaLlvm.cmake"))
    (folder / "path").mkdir(exist_ok=True)
    cmake = subprocess.run(["which", "cmake"], capture_output=True, text=True, check=True).stdout.strip()
    command = [cmake, "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", *options, "-P", str(script)]
    environment = {"PATH": f"{folder / 'path'}", "HOME": os.environ.get("HOME", "/"), **variables}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return " ".join((done.stdout + done.stderr).split())


def test_llvm_is_found_where_it_is(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    config = make_llvm(own, "22.1.0")
    make_llvm(other, "22.0.0")
    found = f"found {own}/lib/cmake/mlir {own}/bin/clang++"
    assert configure(tmp_path, f"-DCMAKE_PREFIX_PATH={own}") == found
    assert configure(tmp_path, CMAKE_PREFIX_PATH=str(own)) == found
    assert configure(tmp_path, LLVM_CONFIG=str(config)) == found
    (tmp_path / "path" / "llvm-config-22").symlink_to(other / "bin" / "llvm-config")
    assert configure(tmp_path, f"-DCMAKE_PREFIX_PATH={own}") == found
    assert configure(tmp_path, f"-DMLIR_DIR={own}/lib/cmake/mlir") == found
    assert configure(tmp_path) == f"found {other}/lib/cmake/mlir {other}/bin/clang++"


@pytest.mark.parametrize(("version", "has_mlir", "reason"), [
    ("14.0.6", True, "LLVM 22 is not found: there is no llvm-config-22 or llvm-config of that version"),
    ("22.1.0", False, "comes without MLIR: there is no"),
])  # fmt: skip
def test_what_is_missing_is_said_with_a_remedy(tmp_path: Path, version: str, has_mlir: bool, reason: str) -> None:
    make_llvm(tmp_path / "own", version, has_mlir=has_mlir)
    said = configure(tmp_path, f"-DCMAKE_PREFIX_PATH={tmp_path / 'own'}")
    assert reason in said and "apt-get install llvm-22-dev" in said and "-DCMAKE_PREFIX_PATH=PREFIX" in said


def test_an_old_clang_is_passed_by(tmp_path: Path) -> None:
    make_llvm(tmp_path / "own", "22.1.0")
    (tmp_path / "path").mkdir()
    old = tmp_path / "path" / "clang++"
    old.write_text("#!/bin/sh\necho clang version 14.0.6\n")
    old.chmod(0o755)
    found = configure(tmp_path, LLVM_CONFIG=str(tmp_path / "own" / "bin" / "llvm-config"))
    assert found.endswith(f"{tmp_path / 'own'}/bin/clang++")
