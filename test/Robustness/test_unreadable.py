"""Files that hold no program, or not all of one, or one in a form that is not read."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import jax
import jax.export
import jax.numpy as jnp
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from command_line import (
    BAD_INPUT,
    CANNOT_READ_OR_WRITE,
    DONE,
    PROGRAM,
    UNSUPPORTED,
    USAGE,
    assert_refused,
    import_file,
    run,
)


def written(folder: Path, contents: bytes) -> Path:
    path = folder / "program.mlir"
    path.write_bytes(contents)
    return path


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b" \n\t\n", "empty", id="blank"),
        pytest.param(bytes(range(256)) * 16, "binary", id="binary"),
        pytest.param(b"\x7fELF\x02\x01\x01" + bytes(64), "binary", id="elf"),
        pytest.param(PROGRAM.encode("utf-16"), "UTF-16", id="utf-16"),
        pytest.param(PROGRAM.encode("utf-16-le"), "UTF-16|binary", id="utf-16 without a mark"),
        pytest.param(PROGRAM.encode("utf-8-sig"), "byte order mark", id="byte order mark"),
        pytest.param(gzip.compress(PROGRAM.encode()), "gzip", id="gzip"),
        pytest.param(PROGRAM.encode() + b"\0", "binary", id="zero byte at the end"),
    ],
)
def test_what_is_no_program_is_refused(tmp_path: Path, contents: bytes, reason: str) -> None:
    path = written(tmp_path, contents)
    assert_refused(import_file(path), path, BAD_INPUT, reason)


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_truncated_text_is_refused(tmp_path: Path, part: float) -> None:
    path = written(tmp_path, PROGRAM[: int(len(PROGRAM) * part)].encode())
    assert_refused(import_file(path), path, BAD_INPUT, "", remedy=False)


def test_bytes_that_are_no_utf8_are_refused_or_kept(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM.encode() + b"// caf\xe9\n")
    assert import_file(path).code in (DONE, BAD_INPUT)
    path = written(tmp_path, PROGRAM.encode().replace(b"tanh", b"t\xff\xfenh"))
    assert_refused(import_file(path), path, BAD_INPUT, "", remedy=False)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing.mlir"
    answer = import_file(path)
    assert answer.code == CANNOT_READ_OR_WRITE
    assert answer.first_line.startswith(f"{path}")
    assert "error: " in answer.first_line


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    answer = import_file(tmp_path)
    assert answer.code == CANNOT_READ_OR_WRITE
    assert answer.first_line.startswith(str(tmp_path))


def test_jaxlib_bytecode_is_refused_with_the_way_to_text(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with make_ir_context():
        ir.Module.parse(PROGRAM).operation.write_bytecode(buffer)
    path = written(tmp_path, buffer.getvalue())
    answer = import_file(path)
    assert_refused(answer, path, UNSUPPORTED, "bytecode")
    assert "as_text" in answer.err


def test_portable_artifact_is_refused_with_the_way_to_text(tmp_path: Path) -> None:
    exported = jax.export.export(jax.jit(jnp.tanh))(jax.ShapeDtypeStruct((4,), jnp.float32))
    path = written(tmp_path, exported.mlir_module_serialized)
    answer = import_file(path)
    assert_refused(answer, path, UNSUPPORTED, "portable StableHLO artifact")
    assert "mlir_module()" in answer.err


def test_our_own_bytecode_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM.encode())
    bytecode = tmp_path / "program.mlirbc"
    assert run("partita-opt", "--emit-bytecode", path, "-o", bytecode).code == DONE
    assert import_file(bytecode).out == import_file(path).out != ""


@pytest.mark.parametrize("kept", [5, 20, 60, 0.5, 0.9, 0.99])
def test_truncated_bytecode_is_refused(tmp_path: Path, kept: float) -> None:
    path = written(tmp_path, PROGRAM.encode())
    bytecode = tmp_path / "program.mlirbc"
    assert run("partita-opt", "--emit-bytecode", path, "-o", bytecode).code == DONE
    contents = bytecode.read_bytes()
    bytecode.write_bytes(contents[: int(kept if kept > 1 else len(contents) * kept)])
    answer = import_file(bytecode)
    assert answer.code in (BAD_INPUT, UNSUPPORTED), answer
    assert answer.first_line.startswith(f"{bytecode}:"), answer
    assert run("partita-opt", bytecode).code == 1


def test_standard_input_is_read() -> None:
    answer = run("partita", "import", "-", stdin=PROGRAM.encode())
    assert answer.code == DONE, answer
    assert "stablehlo.tanh" in answer.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("import",),
        ("import", "--no-such-flag", "x.mlir"),
        ("import", "--max-ops", "many", "x.mlir"),
        ("import", "--max-ops", "0", "x.mlir"),
        ("import", "a.mlir", "b.mlir"),
        ("import", "a.mlir", "-o"),
    ],
)
def test_wrong_usage_is_2(arguments: tuple[str, ...]) -> None:
    answer = run("partita", *arguments)
    assert answer.code == USAGE, answer
    assert "error: " in answer.err
    assert answer.out == ""


def test_help_and_version_go_to_standard_output() -> None:
    for flag in ("--help", "--version"):
        answer = run("partita", flag)
        assert (answer.code, answer.err) == (DONE, "")
        assert answer.out
