"""The code of a document in docs/, run from top to bottom, and what it prints:

python scripts/document_blocks.py concepts.md howto/keras.md ...         writes what is printed now into the documents

Blocks of Python are one program, in a folder of its own, on eight virtual CPU devices. A block ```text right behind one
is what it prints; one that begins ```console is a command and what that prints. test_documents.py holds them against
what is printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORM = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<printed>.*?)^```$)?"
    r"|^```console\n\$ (?P<command>.*?)\n(?P<answer>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
BEHIND = "behind a block\n"
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    "PJRT_NPROC": "32",
    "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}",
    "PYTHONUNBUFFERED": "1",
}
TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Block:
    """Python to run; `printed` is what the document says of it, if it says anything."""

    code: str
    printed: str | None


def read_block(match: re.Match[str]) -> Block:
    if match["command"]:
        command = match["command"].replace("python", sys.executable, 1)
        return Block(f"import subprocess\nsubprocess.run({command!r}, shell=True, check=True)\n", match["answer"])
    return Block(match["code"], match["printed"])


def read_blocks(document: Path) -> list[Block]:
    return [read_block(match) for match in FORM.finditer(document.read_text())]


def run_blocks(blocks: list[Block], folder: Path) -> list[str]:
    """What each of them prints; raises RuntimeError with the traceback if one fails."""
    script = folder / "document.py"
    script.write_text("".join(f"{block.code}\nprint({BEHIND!r}, end='')\n" for block in blocks))
    done = subprocess.run(
        [sys.executable, script], cwd=folder, env=os.environ | ENVIRONMENT, capture_output=True, text=True,
        timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-3000:])
    return done.stdout.replace(f"{folder}/", "").split(BEHIND)[:-1]


def write_printed(document: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        printed = iter(run_blocks(read_blocks(document), Path(folder)))

    def put(match: re.Match[str]) -> str:
        out = next(printed)
        if match["command"]:
            return f"```console\n$ {match['command']}\n{out}```"
        if match["printed"] is None:
            return match[0]
        return f"```python\n{match['code']}```\n\n```text\n{out}```"

    document.write_text(FORM.sub(put, document.read_text()))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_printed(ROOT / "docs" / name)
