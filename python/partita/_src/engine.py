"""Runs a command of the tool on texts in memory, and hands back what it wrote.

The tool is a process of its own: a crash or an exhausted memory in the compiler does not take a training process down,
nothing is forked inside a process full of XLA's threads, and one wheel serves every Python. While it runs, Python's
other threads do too. Ctrl-C is passed on to it: a search then ends with the best plan so far. Nothing of it outlives
the caller, however that ends.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from partita._src.binary import find_binary
from partita._src.errors import from_tool
from partita._src.workspaces import open_workspace

Progress = Callable[[dict[str, Any]], None]
DOES_NOT_FIT = 11
CUT_SHORT = 10
UNPRICED = 12


@dataclass(frozen=True)
class Finished:
    """A command that ended: its exit code, what it printed, and the files of its output folder."""

    code: int
    stdout: str
    stderr: str
    files: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False


def run(
    command: Sequence[str],
    inputs: Mapping[str, str],
    *,
    output_folder: bool = False,
    accept: Sequence[int] = (0,),
    progress: Progress | None = None,
) -> Finished:
    """Runs `partita COMMAND...` in a fresh folder that holds `inputs`, by file name.

    With `output_folder`, `--output=out` is added and the files written there are read back. An exit code that is not in
    `accept` raises the exception of its kind.
    """
    with open_workspace() as folder:
        for file, text in inputs.items():
            (folder / file).write_text(text, encoding="utf-8")
        words = [str(find_binary()), *command, f"--caller={os.getpid()}"]
        words += ["--output=out"] if output_folder else []
        code, stdout, stderr, interrupted = _communicate(words, folder, progress)
        stderr = _keep_reproducers(folder, stderr).replace(f"{folder}/", "")
        if code == 130 and interrupted:
            raise KeyboardInterrupt
        if code not in accept:
            raise from_tool(code, stderr)
        out = folder / "out"
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted(out.iterdir())} if out.is_dir() else {}
        return Finished(code, stdout, stderr, files, interrupted)


def _keep_reproducers(folder: Path, stderr: str) -> str:
    """What the tool saved of a crash is kept where it says now."""
    for saved in folder.glob("partita-crash-*"):
        kept = Path(tempfile.gettempdir()) / saved.name
        shutil.copytree(saved, kept, dirs_exist_ok=True)
        stderr = stderr.replace(f"./{saved.name}", str(kept))
    return stderr


def _communicate(words: list[str], folder: Path, progress: Progress | None) -> tuple[int, str, str, bool]:
    """Exit code, both outputs, and whether Ctrl-C was passed on. A second Ctrl-C ends the tool at once."""
    process = subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    out: list[str] = []
    err: list[str] = []
    readers = [
        threading.Thread(target=_read, args=(process.stdout, out, None), daemon=True),
        threading.Thread(target=_read, args=(process.stderr, err, progress), daemon=True),
    ]
    for reader in readers:
        reader.start()
    interrupted = False
    while True:
        try:
            process.wait()
            for reader in readers:
                reader.join()
            break
        except BaseException as error:  # Ctrl-C, or such as sys.exit in a handler of a signal
            if interrupted or not isinstance(error, KeyboardInterrupt):
                process.kill()
                process.wait()
                raise
            interrupted = True
            process.send_signal(signal.SIGINT)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, "".join(out), "".join(err), interrupted


def _read(stream: IO[str], lines: list[str], progress: Progress | None) -> None:
    """Keeps the lines of a stream; those that report progress go to `progress` instead."""
    for line in stream:
        event = _event(line)
        if event is None:
            lines.append(line)
        elif progress is not None:
            progress(event)


def _event(line: str) -> dict[str, Any] | None:
    """A line of `--progress jsonl`."""
    if not re.match(r"\{.*\}\s*$", line):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "evaluation" in event else None
