"""Every hand-written program that jaxlib accepts: its ops' rules are right, and nothing in it ends the validator."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

import validate_rules

FOLDER = Path(__file__).resolve().parents[1] / "Conformance" / "accepted"


def programs(path: Path) -> list[str]:
    return [part for part in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE) if part.strip()]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda path: path.stem)
def test_rules_are_right(path: Path) -> None:
    for text in programs(path):
        command: list[str | Path] = [validate_rules.BIN / "partita", "validate-rules", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{text}\n{done.stderr}\n{done.stdout}"
        assert all(json.loads(line)["op"] for line in done.stdout.splitlines())
