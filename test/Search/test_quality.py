"""A recorded part of `make bench-search`: found plans are no worse than the best expert's, with seeds and without."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


# The 70B step fits only if parameters, optimizer state and activations are all split, over both axes.
@pytest.mark.parametrize("program", ["llama_scan_remat.70b", "gpt_scan_remat.t32"])
def test_found_plans_are_no_worse_than_experts(program: str, tmp_path: Path) -> None:
    measured = tmp_path / "rows.json"
    command = [sys.executable, str(ROOT / "bench" / "search.py"), "--quick", "--only", program, "--json", str(measured)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(measured.read_text())
    assert row["expert_fits"] and row["found_fits"]
    assert row["exact"], "the folded program was priced otherwise than the whole one"
    assert row["ratios"]["found"] <= 1.0
    assert row["ratios"]["no seeds"] <= 1.02
