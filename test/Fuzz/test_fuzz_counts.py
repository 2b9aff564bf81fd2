"""What a campaign says of the cases that counted: how much of it was padded, and how much had windows."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

BIN = Path(os.environ.get("PARTITA_BIN_DIR", Path(__file__).resolve().parents[2] / "build" / "bin"))


def test_padding_and_windows_are_counted(tmp_path: Path) -> None:
    command = [BIN / "partita", "fuzz", "--count", "150", "--seed", "1", "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {name: int(count) for count, name in re.findall(r"^ +(\d+)  (.+)$", done.stdout, re.MULTILINE)}
    drawn, split = counts["programs with padding"], counts["programs with padding that is split"]
    assert 0 < split < drawn
    assert counts["programs with windows"] > 0
    # Of padded dims that were split, some leave devices without an element.
    remainders = {kind: [n for name, n in counts.items() if name.endswith(f" {kind}")] for kind in ("uneven", "empty")}
    assert sum(remainders["uneven"]) > 0 and sum(remainders["empty"]) > 0
