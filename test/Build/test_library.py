"""The C++ library installs, and the example that plans a program with it builds and runs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")).parent
PROGRAM = """
func.func public @main(%x: tensor<64x512xf32> loc("x"), %w: tensor<512x512xf32> loc("w")) -> tensor<64x512xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
"""


def run(*words: str | Path) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    prefix, build = folder / "prefix", folder / "build"
    run("cmake", "--install", BUILD, "--component", "library", "--prefix", prefix)
    assert not (prefix / "include" / "partita" / "Testing").exists()
    cache = (BUILD / "CMakeCache.txt").read_text()
    found = re.findall(r"^(CMAKE_(?:C|CXX)_COMPILER):\w+=(.+)$", cache, re.MULTILINE)
    compilers = [f"-D{name}={path}" for name, path in found]
    run(
        "cmake",
        "-S",
        ROOT / "examples" / "cpp",
        "-B",
        build,
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}",
        *compilers,
    )
    run("cmake", "--build", build)
    return build / "plan"


def test_the_example_plans_a_program(example: Path, tmp_path: Path) -> None:
    program = tmp_path / "p.mlir"
    program.write_text(PROGRAM)
    printed = run(example, program, "data=2", "h100-sxm:1x2")
    assert "sdy.manual_computation" in printed
    assert "on data=2, h100-sxm:1x2" in printed


def test_its_main_is_short() -> None:
    """The promise is thirty lines."""
    text = (ROOT / "examples" / "cpp" / "plan.cpp").read_text()
    body = text[text.index("int main") :].splitlines()
    assert len(body) <= 30
