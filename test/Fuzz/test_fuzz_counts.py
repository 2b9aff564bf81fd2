"""What a campaign says of the cases that counted: how many are padded, have windows, or run other programs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

BIN = Path(os.environ.get("PARTITA_BIN_DIR", Path(__file__).resolve().parents[2] / "build" / "bin"))


def test_padding_windows_and_actions_are_counted(tmp_path: Path) -> None:
    command = [BIN / "partita", "fuzz", "--count", "150", "--seed", "1", "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {name: int(count) for count, name in re.findall(r"^ +(\d+)  (.+)$", done.stdout, re.MULTILINE)}
    found = re.search(r"(\d+) counted", done.stdout)
    assert found is not None
    counted = int(found[1])
    drawn, split = counts["programs with padding"], counts["programs with padding that is split"]
    assert counted / 2 < split < drawn
    assert counts["programs with windows"] > counted / 3
    for action in ("of microbatches", "with recomputed values", "with kept values", "with pipelines"):
        assert counts[f"programs {action}"] > 0, action
    # Of padded dims that were split, some leave devices without an element, or with one at most.
    for kind in ("uneven", "empty", "uneven+empty", "single"):
        assert sum(count for name, count in counts.items() if name.endswith(f" {kind}")) > 30, kind
