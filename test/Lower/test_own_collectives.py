"""Collectives outside of manual computations: all devices run the program in lock step, on the same arguments."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xla_local

REPOSITORY = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin")) / "partita"
MESH = "data=4,model=2"
EQUAL, UNSUPPORTED = 0, 69

ALL = "dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>"
ROWS = "dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
SECOND = CHANNEL.replace("handle = 1", "handle = 2")
ADD = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""


def module(body: str, result: str = "tensor<8x16xf32>", partitions: int = 8) -> str:
    return f"""module attributes {{mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> {result} {{
    %in = stablehlo.sine %x : tensor<8x16xf32>
{body}
    return %out : {result}
  }}
}}
"""


def all_reduce(operand: str, kind: str = "tensor<8x16xf32>", groups: str = ROWS) -> str:
    return (
        f'"stablehlo.all_reduce"({operand}) <{{{CHANNEL}, replica_groups = {groups}, use_global_device_ids}}> {ADD} '
        f": ({kind}) -> {kind}"
    )


DOT = (
    "stablehlo.dot_general {}, %w, contracting_dims = [1] x [0] "
    ": (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>"
)
SCATTER = (
    f'"stablehlo.reduce_scatter"(%in) <{{{CHANNEL}, replica_groups = {ALL}, scatter_dimension = 0 : i64, '
    f"use_global_device_ids}}> {ADD} : (tensor<8x16xf32>) -> tensor<1x16xf32>"
)


def permute(pairs: list[list[int]]) -> str:
    return (
        f'"stablehlo.collective_permute"(%in) <{{{CHANNEL}, source_target_pairs = dense<{pairs}> '
        f": tensor<{len(pairs)}x2xi64>}}> : (tensor<8x16xf32>) -> tensor<8x16xf32>"
    )


AROUND = permute([[i, (i + 1) % 8] for i in range(8)])

PROGRAMS = {
    "all_reduce": module(f"    %r = {all_reduce('%in')}\n    %out = {DOT.format('%r')}"),
    "all_gather": module(
        f'    %r = "stablehlo.all_gather"(%in) <{{all_gather_dim = 0 : i64, {CHANNEL}, replica_groups = {ROWS}, '
        "use_global_device_ids}> : (tensor<8x16xf32>) -> tensor<16x16xf32>\n"
        "    %out = stablehlo.slice %r [4:12, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>"
    ),
    "permute": module(f"    %r = {AROUND}\n    %out = {DOT.format('%r')}"),
    # Each device has another row, works on it, and all are gathered.
    "scatter": module(
        f"    %r = {SCATTER}\n"
        "    %k = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] "
        ": (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>\n"
        f'    %g = "stablehlo.all_gather"(%k) <{{all_gather_dim = 0 : i64, {SECOND}, '
        f"replica_groups = {ALL}, use_global_device_ids}}> : (tensor<1x16xf32>) -> tensor<8x16xf32>\n"
        "    %out = stablehlo.add %g, %in : tensor<8x16xf32>"
    ),
    "loop": module(
        f"""    %n = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %l:2 = stablehlo.while(%i = %zero, %c = %in) : tensor<i32>, tensor<8x16xf32>
     cond {{
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }} do {{
      %r = {all_reduce("%c")}
      %d = {DOT.format("%r")}
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %d : tensor<i32>, tensor<8x16xf32>
    }}
    %out = stablehlo.tanh %l#1 : tensor<8x16xf32>"""
    ),
    # Which device it is, added up over all of them: 28.
    "id": module(
        f"""    %d = stablehlo.partition_id : tensor<ui32>
    %f = stablehlo.convert %d : (tensor<ui32>) -> tensor<f32>
    %t = {all_reduce("%f", "tensor<f32>", ALL)}
    %b = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %out = stablehlo.multiply %b, %in : tensor<8x16xf32>"""
    ),
}
TACTICS = {
    "none": [],
    "rows": [{"axis": "data", "tile": [["arg0", 0]], "optional": True}],
    "both": [
        {"axis": "data", "tile": [["arg0", 0], ["result0", 0]], "optional": True},
        {"axis": "model", "tile": [["arg1", 1], ["result0", 1]], "optional": True},
    ],
}


def run(command: str, folder: Path, text: str, tactics: list[Any], *flags: str, mesh: str = MESH) -> Any:
    (folder / "program.mlir").write_text(text)
    (folder / "schedule.json").write_text(json.dumps({"tactics": tactics}))
    arguments = [PARTITA, command, "program.mlir", "--mesh", mesh, "--schedule", "schedule.json", *flags]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("tactics", TACTICS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_equals_the_original(name: str, tactics: str, tmp_path: Path) -> None:
    done = run("verify", tmp_path, PROGRAMS[name], TACTICS[tactics], "--json")
    assert done.returncode == EQUAL, done.stderr
    report = json.loads(done.stdout)
    assert report["equal"] and report["collectives"] >= 1
    assert report["vacuous"] == (tactics == "none" and name != "scatter")


@pytest.mark.parametrize("name", PROGRAMS)
def test_static_check(name: str, tmp_path: Path) -> None:
    """It does not know programs that ask which device they run on."""
    done = run("plan", tmp_path, PROGRAMS[name], TACTICS["both"], "-o", "out")
    assert done.returncode == EQUAL, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["checked"]["relation"] is (name != "id")


def test_collectives_are_counted(tmp_path: Path) -> None:
    """Whole values: 8x16 floats are summed in each of three trips; nothing else is split, so nothing else moves."""
    assert run("plan", tmp_path, PROGRAMS["loop"], [], "-o", "out").returncode == EQUAL
    (line,) = json.loads((tmp_path / "out" / "report.json").read_text())["collectives"]
    assert (line["kind"], line["axes"], line["count"], line["bytes"]) == ("all_reduce", ["model"], 3, 3 * 8 * 16 * 4)


def test_what_differs_between_devices_is_never_split(tmp_path: Path) -> None:
    """The row that a device has of the sum is its own: no tactic may cut it."""
    tactics = [{"axis": "model", "tile": [["arg1", 1], ["arg0", 1]], "optional": True}]
    done = run("plan", tmp_path, PROGRAMS["scatter"], tactics, "-o", "out")
    assert done.returncode == EQUAL, done.stderr
    local = (tmp_path / "out" / "local.mlir").read_text()
    assert "(tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>" in local


def test_xla_agrees(tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 8 * 16, dtype=np.float32).reshape(8, 16)
    w = np.linspace(0, 1, 16 * 16, dtype=np.float32).reshape(16, 16)
    expected = {
        "all_reduce": 2 * np.sin(x) @ w,
        "permute": np.sin(x) @ w,
        "scatter": 8 * np.sin(x) @ w + np.sin(x),
        "id": 28 * np.sin(x),
    }
    for name, result in expected.items():
        assert run("plan", tmp_path, PROGRAMS[name], TACTICS["both"], "-o", name).returncode == EQUAL
        (ours,) = xla_local.run_local((tmp_path / name / "local.mlir").read_text(), [x, w], [(8, 16)])
        np.testing.assert_allclose(ours, result, rtol=1e-5, err_msg=name)


REFUSED = {
    "depends on which device computes it": module(f"    %out = {SCATTER}", "tensor<1x16xf32>"),
    "has no channel": PROGRAMS["all_reduce"].replace(CHANNEL + ", ", "").replace(", use_global_device_ids", ""),
    "for 4 partitions, the mesh has 8": module(f"    %out = {AROUND}", partitions=4),
    "groups are of 4 devices, the mesh has 8": module(
        f"    %out = {all_reduce('%in', groups='dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>')}", partitions=1
    ),
    # Devices that get nothing have zeros.
    "result 0 depends on which device": module(f"    %out = {permute([[0, 1], [1, 2]])}"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_has_no_meaning_is_refused(reason: str, tmp_path: Path) -> None:
    done = run("plan", tmp_path, REFUSED[reason], [], "-o", "out")
    assert done.returncode == UNSUPPORTED, done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "out").exists()
