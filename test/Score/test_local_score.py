"""`partita score --local` says of a plan's local program what `--plan` says of the plan."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
MACHINE = ["--machine", "h100-sxm:1x8"]
PROGRAM = """\
func.func @main(%x: tensor<1024x1024xf32> loc("x"), %w: tensor<1024x4096xf32> loc("w")) -> tensor<1024x4096xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<1024x1024xf32>, tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  return %0 : tensor<1024x4096xf32>
}
"""
FLOPS = 2 * 1024 * 1024 * 4096
BP = {"name": "BP", "axis": "data", "tile": [["x", 0]]}
MP = {"name": "MP", "axis": "model", "tile": [["w", 1]]}


def score(folder: Path, tactics: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the plan, and of its local program."""
    (folder / "program.mlir").write_text(PROGRAM)
    (folder / "schedule.json").write_text(json.dumps({"tactics": tactics}))

    def run(*words: str) -> str:
        return subprocess.run([PARTITA, *words], check=True, capture_output=True, text=True, cwd=folder).stdout

    run("plan", "program.mlir", "--mesh=data=4,model=2", "--schedule=schedule.json", *MACHINE, "-o", "out")
    common = ["score", "program.mlir", *MACHINE, "--json", "--no-bound"]
    plan = json.loads(run(*common, "--plan=out/plan.json"))
    return plan, json.loads(run(*common, "--local=out/local.mlir"))


def test_figures_are_those_of_the_plan(tmp_path: Path) -> None:
    plan, local = score(tmp_path, [BP, MP])
    assert plan["flops"] == local["flops"] == FLOPS
    assert plan["mfu"] == local["mfu"] > 0 and plan["time_ps"] == local["time_ps"]
    assert plan["lower_bound_ps"] == local["lower_bound_ps"] > 0
    assert local["split_flops"] == {} and local["replicated"] == []


@pytest.mark.parametrize(("tactics", "copies"), [([BP], 2), ([MP], 4), ([], 8)])
def test_what_devices_do_alike_counts_for_each(tmp_path: Path, tactics: list[dict[str, Any]], copies: int) -> None:
    plan, local = score(tmp_path, tactics)
    assert plan["flops"] == FLOPS and local["flops"] == copies * FLOPS
    assert local["mfu"] == pytest.approx(copies * plan["mfu"], rel=1e-4) and local["mfu"] <= 1
