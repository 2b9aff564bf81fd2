"""Each limit refuses what is beyond it, by its name and with exit code 75, and lets pass what is at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import BAD_INPUT, DONE, LIMIT, PROGRAM, import_file, run

LIMITED = """\
func.func public @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "limited.mlir"
    path.write_text(LIMITED)
    return path


# The program has a module, a function and four ops with its return: 6 in all, five in the function. Its constant
# has 4 x 4 bytes.
@pytest.mark.parametrize(
    ("flag", "enough", "too_few"),
    [
        ("--max-file-bytes", len(LIMITED), len(LIMITED) - 1),
        ("--max-ops", 10, 3),
        ("--max-depth", 8, 1),
        ("--max-rank", 3, 2),
        ("--max-elements", 24, 23),
        ("--max-constant-bytes", 16, 15),
    ],
)
def test_each_limit_bounds(program: Path, flag: str, enough: int, too_few: int) -> None:
    assert import_file(program, flag, str(enough)).code == DONE
    answer = import_file(program, flag, str(too_few))
    assert answer.code == LIMIT, answer
    assert answer.out == ""
    assert f"limit of {too_few}" in answer.first_line
    assert answer.first_line.startswith(f"{program}:")
    assert flag in answer.err.splitlines()[1]


def test_all_limits_are_documented() -> None:
    flags = ("--max-file-bytes", "--max-ops", "--max-depth", "--max-rank", "--max-elements", "--max-constant-bytes")
    help_text = run("partita", "import", "--help").out
    assert [flag for flag in flags if flag not in help_text] == []


@pytest.mark.parametrize(
    "shape",
    [
        "x".join(["4294967296"] * 3),
        "9223372036854775807x2",
        "x".join(["2"] * 64),
        "9223372036854775807x9223372036854775807x0",
    ],
)
def test_element_counts_that_overflow_are_refused(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "huge.mlir"
    kind = f"tensor<{shape}xf32>"
    path.write_text(f"func.func public @main(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n")
    answer = import_file(path)
    assert answer.code in (LIMIT, BAD_INPUT), answer
    assert answer.first_line.startswith(f"{path}:")


def test_a_dim_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.mlir"
    path.write_text(PROGRAM.replace("4x8", "99999999999999999999x8"))
    assert import_file(path).code == BAD_INPUT


def test_splats_of_huge_types_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "splat.mlir"
    kind = "tensor<1048576x1048576xf32>"
    body = f"  %0 = stablehlo.constant dense<0.0> : {kind}\n  return %0 : {kind}\n"
    path.write_text(f"func.func public @main() -> {kind} {{\n{body}}}\n")
    assert import_file(path).code == DONE
