"""`partita verify`: right local programs are accepted, wrong ones refused, and it is said where they are wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from local_programs import CASES as PLAIN
from local_programs import DATA, DATA_PARALLEL, MATMUL, MESH, TENSOR_PARALLEL, manual, reduce_over
from sources import BUILD
from tricky_programs import TRICKY

EQUAL, DIFFERENT, USAGE, BAD_INPUT, UNSUPPORTED, LIMIT = 0, 1, 2, 65, 69, 75
CASES = PLAIN | TRICKY
WRONG = [(case, wrong) for case, entry in CASES.items() for wrong in entry.wrong]


def verify(folder: Path, original: str, local: str, *flags: str) -> subprocess.CompletedProcess[str]:
    (folder / "original.mlir").write_text(original)
    (folder / "local.mlir").write_text(local)
    return subprocess.run(
        [BUILD / "bin" / "partita", "verify", "original.mlir", "--local", "local.mlir", *flags],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
    )


def found(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_right_programs_are_equal(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    done = verify(tmp_path, case.original, case.local, "--json", "--inputs", "seed:3")
    assert done.returncode == EQUAL, done.stderr
    report = found(done)
    assert report["equal"] and report["mode"] == "ring+wide" and not report["vacuous"]
    assert report["split_ops"] == case.split_ops, report
    assert 0 <= report["worst"] <= 1


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_wrong_programs_differ(name: str, wrong: str, tmp_path: Path) -> None:
    case = CASES[name]
    before, after = case.wrong[wrong]
    assert before in case.local
    done = verify(tmp_path, case.original, case.local.replace(before, after), "--json")
    assert done.returncode == DIFFERENT, (done.stdout, done.stderr)
    report = found(done)
    assert not report["equal"] and report["difference"]["mode"] == "ring"


def run_verify(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [BUILD / "bin" / "partita", "verify", "original.mlir", *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=folder)


def test_schedules_and_plans_are_lowered_first(tmp_path: Path) -> None:
    (tmp_path / "original.mlir").write_text(MATMUL)
    schedule = {"tactics": [{"axis": "a", "tile": [["arg0", 0]]}, {"axis": "b", "tile": [["arg0", 1]]}]}
    (tmp_path / "schedule.json").write_text(json.dumps(schedule))
    by_schedule = run_verify(tmp_path, "--mesh", "a=2,b=2", "--schedule", "schedule.json", "--json")
    assert by_schedule.returncode == EQUAL, by_schedule.stderr
    report = found(by_schedule)
    assert report["equal"] and report["collectives"] == 1 and not report["vacuous"]
    command: list[str | Path] = [
        BUILD / "bin" / "partita",
        "plan",
        "original.mlir",
        "--mesh",
        "a=2,b=2",
        "--schedule",
        "schedule.json",
    ]
    subprocess.run([*command, "-o", "out"], check=True, capture_output=True, cwd=tmp_path)
    by_plan = run_verify(tmp_path, "--plan", "out/plan.json", "--json")
    assert found(by_plan) == report
    static = run_verify(tmp_path, "--plan", "out/plan.json", "--relation")
    assert static.returncode == EQUAL and "nothing was run" in static.stdout and "1 collectives" in static.stdout
    both = run_verify(tmp_path, "--plan", "out/plan.json", "--local", "out/local.mlir", "--relation")
    assert both.returncode == EQUAL and both.stdout == static.stdout


def test_one_local_program_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "original.mlir").write_text(MATMUL)
    for flags in ([], ["--local", "a.mlir", "--plan", "b.json"], ["--schedule", "a.json", "--plan", "b.json"]):
        done = run_verify(tmp_path, *flags)
        assert done.returncode == USAGE and "needs one local program" in done.stderr


def test_difference_says_where(tmp_path: Path) -> None:
    before, after = DATA_PARALLEL.wrong["missing all_reduce"]
    local = DATA_PARALLEL.local.replace(before, after)
    done = verify(tmp_path, DATA_PARALLEL.original, local, "--json")
    difference = found(done)["difference"]
    assert difference["result"] == 1 and difference["name"] == "result1" and difference["device"] == 0
    assert difference["index"] == [0] and difference["expected"] != difference["actual"]
    assert done.stderr.startswith("original.mlir:5:24: error: result1[0] on device 0 is ")
    assert "first wrong at local.mlir:" in done.stderr and "result 1 is [{}] partial(add) {2:2}" in difference["note"]


def test_bits_of_narrow_floats(tmp_path: Path) -> None:
    """A float from bits, one to bits: the wide program has those of the narrow type."""
    original = """func.func @main(%x: tensor<4xui32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui32>) {
      %0 = stablehlo.bitcast_convert %x : (tensor<4xui32>) -> tensor<4xf32>
      %1 = stablehlo.add %0, %y : tensor<4xf32>
      %2 = stablehlo.reduce_precision %1, format = e8m7 : tensor<4xf32>
      %3 = stablehlo.bitcast_convert %y : (tensor<4xf32>) -> tensor<4xui32>
      return %2, %3 : tensor<4xf32>, tensor<4xui32>
    }"""
    done = verify(tmp_path, original, original, "--json")
    assert done.returncode == EQUAL, done.stderr
    assert found(done)["mode"] == "ring+wide"


def test_f64_has_a_stated_tolerance(tmp_path: Path) -> None:
    original, local = (text.replace("f32", "f64") for text in (DATA_PARALLEL.original, DATA_PARALLEL.local))
    assert verify(tmp_path, original, local).returncode == EQUAL


def test_floats_catch_what_the_ring_does_not(tmp_path: Path) -> None:
    """0 * inf is 0 in the ring, NaN in floats."""
    original = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }"""
    local = (
        MESH
        + """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %out = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}]>] out_shardings=[<@mesh, [{"data"}]>]
          manual_axes={"data", "model"} (%a: tensor<2xf32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
        %0 = stablehlo.multiply %a, %zero : tensor<2xf32>
        %1 = stablehlo.add %a, %0 : tensor<2xf32>
        sdy.return %1 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %out : tensor<4xf32>
    }"""
    )
    assert verify(tmp_path, original, local).returncode == EQUAL
    np.savez(tmp_path / "inputs.npz", arg0=np.array([1, 2, np.inf, 4], np.float32))
    done = verify(tmp_path, original, local, "--json", "--inputs", "inputs.npz")
    assert done.returncode == DIFFERENT
    difference = found(done)["difference"]
    assert difference["mode"] == "jitter" and difference["index"] == [2] and difference["device"] == 2
    assert verify(tmp_path, original, local, "--ring", "--inputs", "inputs.npz").returncode == EQUAL


def test_sum_in_too_narrow_a_type_is_found(tmp_path: Path) -> None:
    """Equal in the ring, where no type rounds; in floats the local sum is bf16's."""
    sums = """%z = stablehlo.constant dense<0.0> : tensor<{t}>
        %r = stablehlo.reduce({x} init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<512x{t}>, tensor<{t}>) -> tensor<{t}>"""
    original = f"""func.func @main(%x: tensor<512xf32>) -> tensor<f32> {{
      {sums.format(t="f32", x="%x")}
      return %r : tensor<f32>
    }}"""
    local = f"""func.func @main(%x: tensor<512xf32>) -> tensor<f32> {{
      %n = stablehlo.convert %x : (tensor<512xf32>) -> tensor<512xbf16>
      {sums.format(t="bf16", x="%n")}
      %w = stablehlo.convert %r : (tensor<bf16>) -> tensor<f32>
      return %w : tensor<f32>
    }}"""
    np.savez(tmp_path / "inputs.npz", arg0=np.arange(512, dtype=np.float32))
    done = verify(tmp_path, original, local, "--json", "--inputs", "inputs.npz")
    assert done.returncode == DIFFERENT and found(done)["difference"]["mode"] == "jitter"


def test_integers_summed_up_in_wider_ones_are_reduced_first(tmp_path: Path) -> None:
    """Sums of bytes wrap: partial ones must not pass a reduction that does not."""
    (tmp_path / "original.mlir").write_text(TRICKY["wide reduction"].original)
    (tmp_path / "schedule.json").write_text(json.dumps({"tactics": [{"axis": "a", "tile": [["arg0", 1]]}]}))
    done = run_verify(tmp_path, "--mesh", "a=2", "--schedule", "schedule.json", "--json")
    assert done.returncode == EQUAL and found(done)["collectives"] == 1, done.stderr


def test_zeros_of_both_signs_are_equal_in_floats(tmp_path: Path) -> None:
    """-(1 + -1) is -0, -1 + 1 is 0: partial sums pass the negation."""
    sums = """%z = stablehlo.constant dense<0.0> : tensor<f32>
        %t = stablehlo.reduce({x} init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<{n}x2xf32>, tensor<f32>) -> tensor<2xf32>
        %n = stablehlo.negate %t : tensor<2xf32>"""
    original = f"""func.func @main(%x: tensor<4x2xf32>) -> tensor<2xf32> {{
      {sums.format(x="%x", n=4)}
      return %n : tensor<2xf32>
    }}"""
    local = manual(
        "%x: tensor<4x2xf32>",
        "%x",
        '{"data"}, {}',
        "{}",
        f"""(%a: tensor<2x2xf32>) {{
        {sums.format(x="%a", n=2)}
        %r = {reduce_over(DATA, "%n", "tensor<2xf32>")}""",
        "%r : tensor<2xf32>",
        "tensor<2xf32>",
    )
    np.savez(tmp_path / "inputs.npz", arg0=np.array([[1, 2], [2, 3], [-1, 0], [-2, 1]], np.float32))
    done = verify(tmp_path, original, local, "--json", "--inputs", "inputs.npz")
    assert done.returncode == EQUAL and found(done)["worst"] == 0, done.stderr
    assert verify(tmp_path, original, local, "--relation").returncode == EQUAL


def test_replicas_that_differ(tmp_path: Path) -> None:
    local = TENSOR_PARALLEL.local.replace("sdy.return %3", "sdy.return %2")
    done = verify(tmp_path, TENSOR_PARALLEL.original, local)
    assert done.returncode == DIFFERENT and "on device 0" in done.stderr


def test_replicas_that_differ_before_a_slice(tmp_path: Path) -> None:
    original = """func.func @main(%x: tensor<4xf32>) -> tensor<3xf32> {
      %0 = stablehlo.slice %x [0:3] : (tensor<4xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }"""
    local = (
        MESH
        + """func.func @main(%x: tensor<4xf32>) -> tensor<3xf32> {
      %out = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}]>] out_shardings=[<@mesh, [{"data"}]>]
          manual_axes={"data", "model"} (%a: tensor<2xf32>) {
        %id = stablehlo.partition_id : tensor<ui32>
        %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
        %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %1 = stablehlo.add %a, %b : tensor<2xf32>
        sdy.return %1 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      %0 = stablehlo.slice %out [0:3] : (tensor<4xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }"""
    )
    done = verify(tmp_path, original, local)
    assert done.returncode == DIFFERENT and "devices 0 and 1 hold the same piece" in done.stderr
    right = local.replace("add %a, %b", "maximum %a, %a")
    assert verify(tmp_path, original, right).returncode == EQUAL


def test_plain_program_is_vacuous(tmp_path: Path) -> None:
    done = verify(tmp_path, MATMUL, MATMUL, "--json")
    assert done.returncode == EQUAL
    report = found(done)
    assert report["vacuous"] and report["split_ops"] == 0 and report["collectives"] == 0
    assert "nothing is split" in verify(tmp_path, MATMUL, MATMUL).stdout


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("%w: tensor<6x8xf32>", "%w: tensor<6x8xf32>, %y: tensor<f32>", "has 3 arguments, the original 2"),
        ("%x: tensor<4x6xf32>", "%x: tensor<8x6xf32>", "argument 0 of the local program is tensor<8x6xf32>"),
        ("tensor<4x8xf32>, tensor<8xf32>", "tensor<4x8xf32>", "has 1 results, the original 2"),
    ],
)
def test_other_signatures_are_refused(before: str, after: str, reason: str, tmp_path: Path) -> None:
    local = DATA_PARALLEL.original.replace(before, after)
    if "4x8xf32>, tensor<8" in before:
        local = local.replace("return %1, %2 :", "return %1 :")
    if "8x6" in after:
        local = local.replace("tensor<4x", "tensor<8x")
    done = verify(tmp_path, DATA_PARALLEL.original, local)
    assert done.returncode == BAD_INPUT and reason in done.stderr


def test_other_exits(tmp_path: Path) -> None:
    unknown = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    assert verify(tmp_path, unknown, unknown).returncode == UNSUPPORTED
    loop = CASES["loop"]
    assert verify(tmp_path, loop.original, loop.local, "--max-steps", "30").returncode == LIMIT
    (tmp_path / "original.mlir").write_text(MATMUL)
    done = subprocess.run(
        [BUILD / "bin" / "partita", "verify", "original.mlir"], capture_output=True, cwd=tmp_path, check=False
    )
    assert done.returncode == USAGE


def endless(type_: str, condition: str, body: str = "%y = stablehlo.negate %x : {0}") -> str:
    """A loop that carries %a, as ops that give %r."""
    return f"""%true = stablehlo.constant dense<true> : tensor<i1>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %tiny = stablehlo.constant dense<1.0e-10> : tensor<f32>
      %r = stablehlo.while(%x = %a) : {type_}
      cond {{
        {condition}
        stablehlo.return %p : tensor<i1>
      }} do {{
        {body.format(type_)}
        stablehlo.return %y : {type_}
      }}"""


ALWAYS = "%p = stablehlo.optimization_barrier %true : tensor<i1>"
#: 1 - 1e-10 is 1 in f32, not in f64; in ring mode it is large.
ALWAYS_IN_F64 = """%less = stablehlo.subtract %one, %tiny : tensor<f32>
        %p = stablehlo.compare LT, %less, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>"""


@pytest.mark.parametrize("condition", [ALWAYS, ALWAYS_IN_F64], ids=["always", "only in f64"])
def test_loops_without_end_are_stopped(condition: str, tmp_path: Path) -> None:
    def whole(loop: str) -> str:
        return f"func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {{\n{loop}\nreturn %r : tensor<4x8xf32>\n}}"

    whole_type, part = "tensor<4x8xf32>", "tensor<2x8xf32>"
    original = whole(endless(whole_type, condition))
    local = manual(
        f"%g: {whole_type}", "%g", '{"data"}, {}', '{"data"}, {}', f"(%a: {part}) {{\n{endless(part, condition)}",
        f"%r : {part}", whole_type,
    )  # fmt: skip
    done = verify(tmp_path, original, local, "--max-work", "1000000")
    assert done.returncode == LIMIT, done.stderr
    assert "original.mlir:" in done.stderr and "--max-work" in done.stderr and "iterations of the loop" in done.stderr
    # Nothing is run for the static check.
    assert verify(tmp_path, original, local, "--relation").returncode == EQUAL
    # The original ends: only the devices of the local program go on for ever.
    if condition == ALWAYS:
        ends = whole(endless(whole_type, "%p = stablehlo.not %true : tensor<i1>"))
        done = verify(tmp_path, ends, local, "--max-work", "1000000")
        assert done.returncode == LIMIT and "local.mlir:" in done.stderr, done.stderr


def test_static_check_says_what_it_found(tmp_path: Path) -> None:
    case = DATA_PARALLEL
    run = found(verify(tmp_path, case.original, case.local, "--json"))
    static = found(verify(tmp_path, case.original, case.local, "--relation", "--json"))
    assert run["executed"] and not static["executed"] and static["equal"] and static["mode"] == "relation"
    assert static["collectives"] == run["collectives"] > 0 and static["split_ops"] == run["split_ops"] > 0
    assert static["values"] > static["ops"] >= static["split_ops"] and not static["vacuous"]
    before, after = case.wrong["missing all_reduce"]
    done = verify(tmp_path, case.original, case.local.replace(before, after), "--relation", "--json")
    refused = found(done)
    assert done.returncode == DIFFERENT and not refused["equal"] and not refused["executed"] and "ops" not in refused
    assert refused["difference"]["loc"].startswith("local.mlir:") and "partial(add)" in refused["difference"]["note"]


@pytest.mark.parametrize("name", CASES)
def test_static_check_accepts_right_programs(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    done = verify(tmp_path, case.original, case.local, "--relation")
    assert done.returncode == EQUAL, done.stderr


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_static_check_refuses_wrong_programs(name: str, wrong: str, tmp_path: Path) -> None:
    case = CASES[name]
    before, after = case.wrong[wrong]
    done = verify(tmp_path, case.original, case.local.replace(before, after), "--relation")
    assert done.returncode == DIFFERENT, done.stderr
    assert done.stderr.startswith("local.mlir:"), done.stderr


MATCHED_TWICE = """
func.func @main(%s: tensor<1x1xf32>) -> tensor<8x16xf32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
  %sums:2 = stablehlo.while(%i = %c, %sum = %zeros) : tensor<i64>, tensor<8xf32>
  cond {
    %0 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %0 = stablehlo.constant dense<0.0> : tensor<8x4xf32>
    %1 = chlo.broadcast_next_after %0, %s : (tensor<8x4xf32>, tensor<1x1xf32>) -> tensor<8x4xf32> loc("next")
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.add %i, %one : tensor<i64>
    %4 = stablehlo.add %sum, %2 : tensor<8xf32>
    stablehlo.return %3, %4 : tensor<i64>, tensor<8xf32>
  }
  %5 = stablehlo.constant dense<0.0> : tensor<8x16xf32>
  %6 = chlo.broadcast_next_after %5, %s : (tensor<8x16xf32>, tensor<1x1xf32>) -> tensor<8x16xf32> loc("next")
  %7 = stablehlo.broadcast_in_dim %sums#1, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<8x16xf32>
  return %8 : tensor<8x16xf32>
}
"""


def test_a_body_that_is_checked_again_is_matched_alike(tmp_path: Path) -> None:
    """A sum begins with zeros, and that they become something else is learned later, so the loop is looked at twice.

    Two ops of one location and of other sizes stand in the loop and behind it.
    """
    (tmp_path / "program.mlir").write_text(MATCHED_TWICE)
    (tmp_path / "schedule.json").write_text('{"tactics": []}')
    done = subprocess.run(
        [
            BUILD / "bin" / "partita",
            "plan",
            "program.mlir",
            "--mesh",
            "a=16",
            "--schedule",
            "schedule.json",
            "-o",
            "out",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == EQUAL, done.stderr
