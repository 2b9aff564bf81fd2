"""`partita plan ... -o OUT` writes a plan's files together; its local program is executed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
TIMEOUT_SECONDS = 120
FILES = {"plan.json", "annotated.mlir", "local.mlir", "report.json", "report.html"}
BAD_INPUT, UNSUPPORTED = 65, 69

CHAIN = """
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> loc("first")
  %1 = stablehlo.sine %0 : tensor<8x4xf32> loc("second")
  return %1 : tensor<8x4xf32>
}
"""

WHO_AM_I = """func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
"""


def partita(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [BIN / "partita", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)


def plan(folder: Path, text: str, mesh: str, tactics: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    """Plans `text` in `folder`/program.mlir, to `folder`/out."""
    program, schedule = folder / "program.mlir", folder / "schedule.json"
    program.write_text(text)
    schedule.write_text(json.dumps({"tactics": tactics}))
    return partita("plan", program, "--mesh", mesh, "--schedule", schedule, "-o", folder / "out")


def evaluate(path: Path) -> str:
    done = partita("eval", path, "--ring", "--inputs", "seed:3")
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_equal(folder: Path) -> None:
    whole = evaluate(folder / "program.mlir")
    for name in ("local.mlir", "annotated.mlir"):
        assert evaluate(folder / "out" / name) == whole, name


def test_files_are_written_together(tmp_path: Path) -> None:
    done = plan(tmp_path, CHAIN, "data=2", [{"name": "BP", "axis": "data", "tile": [["arg0", 0]]}])
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    check_equal(tmp_path)


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    text = (
        "func.func @main() -> tensor<ui32> {\n %0 = stablehlo.partition_id : tensor<ui32>\n return %0 : tensor<ui32>\n}"
    )
    done = plan(tmp_path, text, "data=2", [])
    assert done.returncode == UNSUPPORTED, done.stderr
    assert "program.mlir:2:" in done.stderr
    assert not (tmp_path / "out").exists()


def test_order_of_axes_changes_by_a_permute(tmp_path: Path) -> None:
    """The first op has data before model; behind the cut the second has them the other way round."""
    tactics = [
        {"name": "first", "axis": "data", "cut": ["first#0"], "tile": [["arg0", 0]]},
        {"name": "both", "axis": "model", "tile": [["result0", 0]]},
        {"name": "second", "axis": "data", "tile": [["result0", 0]]},
    ]
    done = plan(tmp_path, CHAIN, "data=2,model=4", tactics)
    assert done.returncode == 0, done.stderr
    local = (tmp_path / "out" / "local.mlir").read_text()
    assert re.findall(r'"stablehlo\.(\w+)"', local) == ["collective_permute"]
    check_equal(tmp_path)


TRAINED = """
func.func @main(%w: tensor<8x8xf32> loc("state.w"), %x: tensor<4x8xf32> loc("x"))
    -> (tensor<8x8xf32> {jax.result_info = "result.w"}, tensor<4x8xf32> {jax.result_info = "out"}) {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("forward")
  %y = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("again")
  %b = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1]
    : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("backward")
  %g = stablehlo.dot_general %x, %b, contracting_dims = [0] x [0]
    : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %n = stablehlo.subtract %w, %g : tensor<8x8xf32>
  return %n, %y : tensor<8x8xf32>, tensor<4x8xf32>
}
"""


@pytest.mark.parametrize(
    ("users", "gathers"),
    [
        ([], 2),  # one for each phase
        (["forward#0", "again#0", "backward#0"], 1),
        (["forward#0", "backward#0"], 2),  # the other use of the forward pass stays alone
        (["again#0"], 3),
    ],
)
def test_groups_share_reshards(users: list[str], gathers: int, tmp_path: Path) -> None:
    sharded = {"name": "Z3", "axis": "data", "tile": [["state/w", 0]]}
    grouped = {"name": "G", "axis": "data", "group": [["state/w", users]]}
    tactics = [{"name": "BP", "axis": "data", "tile": [["x", 0]]}, sharded, *([grouped] if users else [])]
    done = plan(tmp_path, TRAINED, "data=2", tactics)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "local.mlir").read_text().count('"stablehlo.all_gather"') == gathers
    check_equal(tmp_path)
    again = partita(
        "plan", tmp_path / "program.mlir", "--plan", tmp_path / "out" / "plan.json", "-o", tmp_path / "again"
    )
    assert again.returncode == 0, again.stderr
    for name in ("plan.json", "local.mlir"):
        assert (tmp_path / "again" / name).read_text() == (tmp_path / "out" / name).read_text()


def test_names_from_a_file(tmp_path: Path) -> None:
    program, names = tmp_path / "program.mlir", tmp_path / "names.json"
    program.write_text(re.sub(r' loc\("(state.w|x)"\)| \{jax.result_info = "[^"]*"\}', "", TRAINED))
    names.write_text(json.dumps({"arg0": "state['w']", "arg1": "tokens", "result0": "next['w']"}))
    schedule = tmp_path / "schedule.json"
    schedule.write_text(json.dumps({"tactics": [{"axis": "data", "tile": [["state/w", 0]]}]}))
    flags = ["--mesh", "data=2", "--schedule", schedule, "-o", tmp_path / "out"]
    done = partita("plan", program, *flags, "--names", names)
    assert done.returncode == 0, done.stderr
    made = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert [entry["name"] for entry in made["arguments"]] == ["state['w']", "tokens"]
    # The result is the next state: it is split as the state is.
    assert made["results"][0]["name"] == "next['w']"
    assert made["results"][0]["sharding"] == [["data"], []]
    assert partita("plan", program, *flags).returncode == BAD_INPUT
    names.write_text('{"arg7": "x"}')
    wrong = partita("plan", program, *flags, "--names", names)
    assert wrong.returncode == BAD_INPUT and "names.json:1:2" in wrong.stderr


def test_local_program_is_checked(tmp_path: Path) -> None:
    tactics = [{"axis": "data", "tile": [["arg0", 0]]}]
    assert plan(tmp_path, CHAIN, "data=2", tactics).returncode == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["checked"] == {"relation": True, "executed": False}
    again = ["--mesh", "data=2", "--schedule", tmp_path / "schedule.json", "-o", tmp_path / "unchecked", "--no-check"]
    assert partita("plan", tmp_path / "program.mlir", *again).returncode == 0
    report = json.loads((tmp_path / "unchecked" / "report.json").read_text())
    assert report["checked"] == {"relation": False, "executed": False}


def test_report_agrees_with_the_local_program(tmp_path: Path) -> None:
    """Data parallel with the weights split as well: they are gathered, and nothing else moves."""
    tactics = [
        {"name": "BP", "axis": "data", "tile": [["arg0", 0]]},
        {"name": "Z3", "axis": "data", "tile": [["arg1", 0]]},
    ]
    done = plan(tmp_path, CHAIN, "data=2", tactics)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    # A 4x4 matrix of f32, half of it on each device.
    assert report["collectives"] == [
        {"kind": "all_gather", "axes": ["data"], "count": 1, "bytes": 64, "wire_bytes": 32, "time_ps": None}
    ]
    assert [reshard["value"] for reshard in report["reshards"]] == ["arg1"]
    local = (tmp_path / "out" / "local.mlir").read_text()
    assert re.findall(r'"stablehlo\.(\w+)"', local) == ["all_gather"]
    assert 'loc("partita/use"' in local
    check_equal(tmp_path)
