"""Runs the tools as a user does, and says what every answer must look like.

Exit codes are the contract of docs/design.md. `partita` answers bad input with

    file:line:col: error: REASON
      remedy: WHAT TO DO

and is never ended by a signal; `partita-opt` keeps MLIR's codes, 0 and 1.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
DONE, USAGE, BAD_INPUT, UNSUPPORTED, INTERNAL, CANNOT_READ_OR_WRITE, LIMIT = 0, 2, 65, 69, 70, 74, 75
TIMEOUT_SECONDS = 300.0

PROGRAM = """\
module @jit_f {
  func.func public @main(%arg0: tensor<4x8xf32> loc("x"), %arg1: tensor<8x2xf32> loc("w")) -> tensor<4x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.tanh %0 : tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
}
"""  # noqa: E501


@dataclass(frozen=True)
class Answer:
    """What a tool did. `code` is negative when a signal ended it."""

    code: int
    out: str
    err: str

    @property
    def first_line(self) -> str:
        return self.err.splitlines()[0] if self.err else ""


@functools.cache
def scratch() -> tempfile.TemporaryDirectory[str]:
    """Where the tools run: what a crash leaves behind goes there."""
    return tempfile.TemporaryDirectory(prefix="partita-robustness-")


def run(
    tool: str,
    *arguments: str | Path,
    stdin: bytes = b"",
    stdout: int | IO[bytes] = subprocess.PIPE,
    prepare: Callable[[], None] | None = None,
    restore_signals: bool = True,
) -> Answer:
    """Runs build/bin/TOOL to its end; a run past the time limit fails the test."""
    done = subprocess.run(
        [BIN / tool, *arguments],
        cwd=scratch().name,
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=False,
        preexec_fn=prepare,
        restore_signals=restore_signals,
    )
    return Answer(done.returncode, (done.stdout or b"").decode(errors="replace"), done.stderr.decode(errors="replace"))


def import_file(path: Path, *flags: str | Path) -> Answer:
    return run("partita", "import", path, *flags)


def assert_refused(answer: Answer, path: Path, code: int, reason: str, *, remedy: bool = True) -> None:
    """The exit code, a place in the file, the reason (a regular expression), the remedy; and no output."""
    assert answer.code == code, answer
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: error: .*({reason})", answer.err), answer.err
    if remedy:
        assert re.search(r"^  remedy: \S", answer.err, re.MULTILINE), answer.err
    assert answer.out == ""
