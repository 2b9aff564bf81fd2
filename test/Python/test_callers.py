"""Nothing of the tool outlives its caller, however that ends."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: The tool waits for a program that never comes.
WORK = """
import signal, sys, threading
from partita._src import engine

def work():
    engine.run(["import", sys.argv[1]], {})

"""
ENDINGS = {
    "killed": "work()",
    "left by its main thread": "threading.Thread(target=work, daemon=True).start(); sys.stdin.read(1); sys.exit(3)",
    "left in a handler": "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3)); work()",
}


def _children(process: int) -> list[int]:
    """Of all its threads, and theirs."""
    found: list[int] = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            found += [child, *_children(child)]
    return found


def _wait_for_tool(caller: int) -> list[int]:
    """The tool and the process in which it works."""
    for _ in range(600):
        if len(found := _children(caller)) == 2:
            return found
        time.sleep(0.05)
    raise AssertionError("the tool was not started")


def _wait_for_end(process: int) -> bool:
    for _ in range(200):
        try:
            if Path(f"/proc/{process}/stat").read_text().rsplit(")")[-1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_tool_ends_with_its_caller(ending: str, tmp_path: Path) -> None:
    folders, program = tmp_path / "folders", tmp_path / "program.mlir"
    folders.mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(folders)}
    os.mkfifo(program)
    command = [sys.executable, "-c", WORK + ENDINGS[ending], str(program)]
    caller = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE)
    tools = _wait_for_tool(caller.pid)
    (folder,) = folders.iterdir()
    if ending == "killed":
        caller.kill()
    elif ending == "left in a handler":
        caller.terminate()
    else:
        caller.communicate(b"x", timeout=60)
    assert caller.wait(timeout=60) == (-signal.SIGKILL if ending == "killed" else 3)
    assert [_wait_for_end(tool) for tool in tools] == [True, True]
    assert folder.exists() == (ending == "killed")
    if caller.stdin is not None:
        caller.stdin.close()


def test_what_is_saved_of_a_crash_outlives_the_call(tmp_path: Path) -> None:
    """Whose folder is gone when its error is read."""
    schedule = tmp_path / "schedule.json"
    os.mkfifo(schedule)
    script = """
import sys
from partita._src import engine
engine.run(["plan", "program.mlir", "--mesh=data=4", "--schedule=" + sys.argv[1]],
           {"program.mlir": "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }"})
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", script, str(schedule)]
    caller = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    os.kill(_wait_for_tool(caller.pid)[-1], signal.SIGSEGV)
    _, said = caller.communicate(timeout=60)
    found = re.search(r"InternalError: .*a reproducer was saved in (\S+)", said)
    assert found is not None, said
    assert Path(found[1]).parent == tmp_path and "func.func" in (Path(found[1]) / "program.mlir").read_text()
    assert "--schedule" in (Path(found[1]) / "command.txt").read_text()


def test_the_folder_of_a_killed_caller_is_removed_by_the_next(tmp_path: Path) -> None:
    """Not those that are in use, that are new, or that are someone else's."""
    left, used, new, other = (
        tmp_path / name for name in ("partita-call-1", "partita-call-2", "partita-call-3", "mine")
    )
    for folder in (left, used, new, other):
        folder.mkdir()
        (folder / "program.mlir").write_text("module {}")
    for folder in (left, used, other):
        os.utime(folder, (1e9, 1e9))
    held = os.open(used, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    script = "from partita._src import engine; print(engine.run(['machines'], {}).stdout)"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    os.close(held)
    assert "h100-sxm" in done.stdout
    assert [folder.exists() for folder in (left, used, new, other)] == [False, True, True, True]
