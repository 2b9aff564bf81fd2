"""Output appears whole or not at all, and what prevents it is said."""

from __future__ import annotations

import os
import re
import resource
import signal
from pathlib import Path

import pytest

from command_line import BAD_INPUT, CANNOT_READ_OR_WRITE, DONE, PROGRAM, import_file, run


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "program.mlir"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def large_program(tmp_path: Path) -> Path:
    """Its output is some 600 kB, more than fits into a pipe."""
    path = tmp_path / "in" / "large.mlir"
    path.parent.mkdir(exist_ok=True)
    body = "".join(f"  %{i + 1} = stablehlo.tanh %{i} : tensor<4xf32>\n" for i in range(15_000))
    head = "func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n"
    path.write_text(f"{head}{body}  return %15000 : tensor<4xf32>\n}}\n")
    return path


def test_the_file_holds_what_would_be_printed(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "normal.mlir"
    answer = import_file(program, "-o", out)
    assert (answer.code, answer.out) == (DONE, ""), answer
    assert out.read_text() == import_file(program).out
    assert os.listdir(out.parent) == ["normal.mlir"]


def test_an_existing_file_is_replaced(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "normal.mlir"
    out.write_text("before")
    assert import_file(program, "-o", out).code == DONE
    assert "stablehlo.tanh" in out.read_text()


def test_failed_import_leaves_nothing(program: Path, tmp_path: Path) -> None:
    program.write_text(PROGRAM[:200])
    folder = tmp_path / "out"
    folder.mkdir()
    assert import_file(program, "-o", folder / "normal.mlir").code == BAD_INPUT
    assert os.listdir(folder) == []


def test_failed_import_keeps_what_was_there(program: Path, tmp_path: Path) -> None:
    program.write_text(PROGRAM[:200])
    out = tmp_path / "normal.mlir"
    out.write_text("before")
    assert import_file(program, "-o", out).code == BAD_INPUT
    assert out.read_text() == "before"


def test_unwritable_places_are_named(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    folder = tmp_path / "folder"
    folder.mkdir()
    for out in (folder, file / "child.mlir", Path("/proc/nothing/normal.mlir")):
        answer = import_file(program, "-o", out)
        assert answer.code == CANNOT_READ_OR_WRITE, (out, answer)
        assert re.match(rf"{re.escape(str(out))}\S*: error: ", answer.err), answer.err
    assert os.listdir(folder) == []
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "in"]


def test_a_disk_that_is_full_leaves_nothing(large_program: Path, tmp_path: Path) -> None:
    def bound_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    out = tmp_path / "out"
    out.mkdir()
    (out / "normal.mlir").write_text("before")
    # Python ignores SIGXFSZ, and the tool inherits that: it sees the write fail, as on a full disk.
    answer = run(
        "partita", "import", large_program, "-o", out / "normal.mlir", prepare=bound_files, restore_signals=False
    )
    assert answer.code == CANNOT_READ_OR_WRITE, answer
    assert os.listdir(out) == ["normal.mlir"]
    assert (out / "normal.mlir").read_text() == "before"


def test_standard_output_that_is_full(large_program: Path) -> None:
    with open("/dev/full", "wb") as full:
        answer = run("partita", "import", large_program, stdout=full)
    assert answer.code == CANNOT_READ_OR_WRITE, answer
    assert "error: " in answer.err


@pytest.mark.parametrize("command", [("import",), ("plan", "--stop-after=flatten"), ("plan", "--help"), ("rules",)])
def test_a_pipe_that_nobody_reads_ends_the_tool_quietly(large_program: Path, command: tuple[str, ...]) -> None:
    """As in `| head`: nothing is said, and the code is a shell's for SIGPIPE."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        answer = run("partita", command[0], large_program, *command[1:], stdout=pipe, restore_signals=False)
    assert (answer.code, answer.err) == (128 + signal.SIGPIPE, ""), answer


def test_files_are_written_though_nobody_reads_what_is_printed(program: Path, tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.json"
    schedule.write_text('{"tactics": [{"name": "A", "axis": "data", "tile": [["x", 0]]}]}')
    reading, writing = os.pipe()
    os.close(reading)
    options = ("--mesh=data=2", "--schedule", schedule, "-o", tmp_path / "out")
    with os.fdopen(writing, "wb") as pipe:
        answer = run("partita", "plan", program, *options, stdout=pipe)
    assert (answer.code, answer.err) == (128 + signal.SIGPIPE, ""), answer
    assert (tmp_path / "out" / "plan.json").is_file()


def test_a_summary_that_cannot_be_printed_is_said(program: Path, tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.json"
    schedule.write_text('{"tactics": [{"name": "A", "axis": "data", "tile": [["x", 0]]}]}')
    with open("/dev/full", "wb") as full:
        answer = run("partita", "plan", program, "--mesh=data=2", "--schedule", schedule, stdout=full)
    assert answer.code == CANNOT_READ_OR_WRITE and "<stdout>: error: cannot write" in answer.err, answer


def test_standard_output_that_is_closed(program: Path) -> None:
    def close_standard_output() -> None:
        os.close(1)

    answer = run("partita", "import", program, prepare=close_standard_output)
    assert answer.code == CANNOT_READ_OR_WRITE, answer
    assert "error: " in answer.err


def test_the_same_bytes_every_time(program: Path) -> None:
    assert import_file(program).out == import_file(program).out
