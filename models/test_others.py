"""The harness of other people's models: what it must notice. The models themselves are run by `make models`."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partita
from models.others import run, widen
from models.others.compare import compare, relative_error

ROOT = Path(__file__).resolve().parents[1]


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_relative_error_of_a_leaf() -> None:
    assert relative_error(f32(3, 4), f32(3, 4)) == 0
    # ‖(0, 1)‖ / ‖(3, 4)‖ = 1 / 5
    assert relative_error(f32(3, 5), f32(3, 4)) == pytest.approx(0.2)
    assert relative_error(f32(1), f32(0)) == float("inf")
    assert relative_error(f32(1), np.array([1.0])) == float("inf")
    assert relative_error(f32(np.nan, 1), f32(1, np.nan)) == float("inf")
    assert relative_error(np.array([1, 2]), np.array([1, 3])) == float("inf")


def test_f64_decides_where_one_device_is_as_coarse() -> None:
    names, expected = ["zero", "one"], [f32(3e-9, 1e-9), f32(1, 1)]
    wide = [np.array([1e-18, 0.0]), np.array([1.0, 1.0])]

    def judge(planned: list[np.ndarray], wide_planned: list[np.ndarray]) -> tuple[tuple[str, ...], list[str]]:
        found = compare(names, planned, expected, lambda: (wide_planned, wide))
        return found.by_f64, [name.split(":")[0] for name in found.differences]

    # Zero but for rounding, of 3e-9 in f32 and of 1e-18 in f64.
    assert judge([f32(-2e-8, 1e-9), f32(1, 1)], [np.array([-3e-18, 0.0]), wide[1]]) == (("zero",), [])
    # A mistake of the size of f32's rounding is not smaller in f64.
    assert judge([f32(-2e-9, 1e-9), f32(1, 1)], [np.array([-2e-9, 0.0]), wide[1]]) == ((), ["zero"])
    # One device has all digits of it, so that rounding excuses nothing.
    assert judge([expected[0], f32(1, 1.001)], wide) == ((), ["one"])
    assert compare(names, [f32(-2e-9, 0), expected[1]], expected, lambda: None).differences != ()


def test_badly_conditioned_leaves_agree_in_f64() -> None:
    # One device has four digits in f32, and all in f64.
    wide = [np.array([1.0, 1.0])]
    expected, planned = [f32(1.0001, 1)], [f32(1.0003, 1)]
    assert compare(["leaf"], planned, expected, lambda: (wide, wide)).by_f64 == ("leaf",)
    off = [np.array([1.0002, 1.0])]
    assert compare(["leaf"], planned, expected, lambda: (off, wide)).differences != ()


def test_a_program_in_f64() -> None:
    text = """
module @m {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xui32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<[1.000000e+00, 0xFF800000]> : tensor<2xf32>
    %cst_1 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
    %0 = stablehlo.minimum %arg0, %cst : tensor<2xf32>
    %1 = stablehlo.maximum %0, %cst_0 : tensor<2xf32>
    %2 = stablehlo.add %1, %cst_1 : tensor<2xf32>
    %3 = stablehlo.bitcast_convert %arg1 : (tensor<2xui32>) -> tensor<2xf32>
    return %2, %3 : tensor<2xf32>, tensor<2xf32>
  }
}
"""
    # The first result is fed back: 0.5 -> max(0.5, 1) + 1 = 2 -> 3; 1e-9 -> 1e-9 - 2 -> -4 + 1e-9.
    bits = np.array([0x3F800000, 0x40000000], np.uint32)
    results = widen.run_steps(widen.widen(text), [f32(0.5, 1e-9), bits], state=1, steps=2)
    assert results[0].dtype == np.float64
    np.testing.assert_allclose(results[0], [3, -4 + float(np.float32(1e-9))], rtol=1e-15)
    np.testing.assert_array_equal(results[1], [1, 2])
    half = widen.widen("%cst = stablehlo.constant dense<[1.5, 0xFF80]> : tensor<2xbf16>")
    assert half == "%cst = stablehlo.constant dense<[1.5, 0xFFF0000000000000]> : tensor<2xf64>"
    with pytest.raises(widen.NotWidened):
        widen.widen("%0 = stablehlo.bitcast_convert %arg0 : (tensor<2xf32>) -> tensor<2xi32>")


def test_a_gradient_that_is_not_reduced_is_noticed() -> None:
    # In a process of its own, for it needs eight devices.
    words = [sys.executable, "-m", "models.others.mutant"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    whole, by_f64, mutant = json.loads(done.stdout)
    assert whole == []
    # Of the leaf that is zero but for rounding, both programs in f64 decided.
    assert {name.rsplit("[", 1)[-1] for name in by_f64} == {"'shift']"}
    # Adam's update hides the size of a gradient, its moments do not.
    assert {re.sub(r".*\.(mu|nu)", r"\1", name) for name in mutant} >= {"mu['w1']", "nu['w1']"}


def test_a_plan_that_does_not_follow_is_noticed() -> None:
    from models.others.row import RowFailure, check_followed

    def plan(function: Any, *arguments: Any, **tiles: int) -> partita.Plan:
        schedule = [partita.tile(name, dim=dim, axis="data") for name, dim in tiles.items()]
        return partita.plan(function, *arguments, mesh="data=2", schedule=schedule)

    w, x = f32(*range(16)).reshape(4, 4), f32(*range(8)).reshape(2, 4)
    leader = plan(lambda w, x: (w + 1, x @ w), w, x, w=1)
    check_followed(plan(lambda w: w * 2, w, w=1), leader)
    check_followed(plan(lambda seed: seed * w, f32(2.0), result=1), leader)
    for other in (plan(lambda w: w * 2, w), plan(lambda seed: seed * w, f32(2.0), result=0)):
        with pytest.raises(RowFailure, match=r"does not follow: \w+ as "):
            check_followed(other, leader)
    with pytest.raises(RowFailure, match="nothing is shared"):
        check_followed(plan(lambda y: (y, y), x), leader)


def test_a_full_size_program_is_traced_from_shapes(tmp_path: Path) -> None:
    from models.others.full import export, flax_linen
    from models.others.full.program import Entry

    config = dataclasses.replace(flax_linen.GPT_1B3, layers=2)
    export.write(Entry("gpt", "flax linen", lambda: flax_linen.gpt(config)), tmp_path / "gpt.mlir")
    text = (tmp_path / "gpt.mlir").read_text(encoding="utf-8")
    # Names and shapes of the arguments are those of the caller; the state is donated, the batch is not.
    assert """loc("state.params['layers']['attention']['query']['kernel']")""" in text
    arguments = re.findall(r"%arg\d+: tensor<([^>]*)>([^%]*)", text[text.index("@main") : text.index(") -> (")])
    assert [kind for kind, _ in arguments].count("2x2048x8192xf32") == 3  # a weight and its two moments
    assert arguments[-1][0] == "32x2048xi32"
    donated = ["tf.aliasing_output" in attributes for _, attributes in arguments]
    assert all(donated[:-1]) and not donated[-1]
    # A layer has attention (4 matrices, biases), two norms and two matrices; the ends a table, positions and a norm.
    program = flax_linen.gpt(config)
    width, layer = 2048, 12 * 2048**2 + 4 * 2048 + 4 * 2048 + 5 * 2048
    assert program.count_parameters() == 2 * layer + (50304 + 2048) * width + 2 * width


def test_full_size_programs_have_names_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    from models.others.full import export

    assert export.main(["unused", "--list", "--only", "linen|equinox"]) == 0
    names = capsys.readouterr().out.split()
    assert "linen_gpt_350m" in names and len(names) == len(set(names)) >= 6


def test_rows_that_are_not_run_stay_on_record() -> None:
    found = {"plan_s": 1.5, "collectives": 3, "split_flops": {"data": 1.0}, "ops": 7, "verified": "ring+wide"}
    strategies = {"preset": {**found, "worst": 2e-7, "by_f64": ["a", "b"]}}
    record = run.to_record("MLP", "haiku", {"parameters": 12, "strategies": strategies, "stderr": "/home/someone"})
    assert "stderr" not in record
    rows = [("MLP", "haiku", record), ("MLP", "keras", {**record, "build": "another"}), ("CNN", "keras", {})]
    page = run.print_table(rows, ["preset"])
    assert "2 of 2 rows pass, 1 were not run. 1 rows are of earlier builds" in page
    assert "| MLP | haiku | 7 | 12 | equal (2e-07, 2 leaves by f64); 3 collectives; split 100%; 1.5 s |" in page
    assert "## Of earlier builds\n\nMLP (keras)\n" in page and "## Not run\n\nCNN (keras)\n" in page


def test_the_page_is_what_is_on_record() -> None:
    known = run.read_known(ROOT / "models" / "others" / "results.json").values()
    rows = [(row["name"], row["package"], row) for row in known]
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for line in run.print_table(rows, run.STRATEGIES).splitlines():
        if line.startswith("| "):
            assert line in page
