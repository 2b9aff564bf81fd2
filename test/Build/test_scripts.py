"""The scripts that run the tests count rightly, and what they generate can be generated again."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import fuzz_mutations
import fuzz_seeds
import generate
import run_tests
import sources

ROOT = Path(__file__).resolve().parents[2]


def test_gtest_reports_are_counted(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"tests": 10, "failures": 2, "errors": 1, "disabled": 1}))
    assert run_tests.count_gtest(report) == run_tests.Outcome(6, 3)
    assert run_tests.count_gtest(tmp_path / "missing.json") == run_tests.Outcome()


def test_pytest_reports_are_counted(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    suite = '<testsuite tests="7" failures="1" errors="1" skipped="2"/>'
    report.write_text(f"<testsuites>{suite}</testsuites>")
    assert run_tests.count_junit(report) == run_tests.Outcome(3, 2)


def test_a_tool_that_fails_without_a_count_is_a_failure() -> None:
    outcome = run_tests.at_least_one_failure(run_tests.Outcome(5, 0), run_tests.Finished(-11, ""))
    assert outcome == run_tests.Outcome(5, 1)


def test_the_last_line_counts() -> None:
    """Its summary file is overwritten by the run that this test is part of, which ends later."""
    command = [sys.executable, "scripts/run_tests.py", "--only", "rooms"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1])
    assert counts is not None and int(counts[1]) + int(counts[2]) == 2
    assert (done.returncode == 0) == (counts[2] == "0")


def test_mutations_follow_from_the_seed() -> None:
    programs = fuzz_seeds.hand_written("Judge/accepted")
    assert len(programs) > 50

    def mutate(seed: int) -> list[str]:
        rng = random.Random(seed)
        return [fuzz_mutations.mutate_text(rng.choice(programs), programs, rng) for _ in range(200)]

    assert mutate(1) == mutate(1) != mutate(2)
    # Some mutations may leave a text as it was, not many.
    assert sum(text in programs for text in mutate(1)) < 40


def test_every_mutation_changes_something() -> None:
    text = 'func.func @main(%a: tensor<4xf32>) {\n  %0 = stablehlo.tanh %a : tensor<4xf32> loc("x")\n  return\n}\n'
    for mutation in fuzz_mutations.TEXT_MUTATIONS:
        assert any(mutation(text, random.Random(seed)) != text for seed in range(30)), mutation.__name__
    data = bytes(range(200))
    assert any(fuzz_mutations.mutate_bytes(data, random.Random(seed)) != data for seed in range(3))


def test_pieces_of_functions_are_whole() -> None:
    """Regions stay closed, results are dropped, what follows the cut is gone."""
    lines = [
        "  func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {",
        "    %0 = stablehlo.tanh %arg0 : tensor<f32>",
        "    %1 = stablehlo.while(%i = %0) : tensor<f32>",
        "     cond {",
        "      stablehlo.return %c : tensor<i1>",
        "    } do {",
        "      stablehlo.return %i : tensor<f32>",
        "    }",
        "    %2 = stablehlo.negate %1 : tensor<f32>",
        "    return %2 : tensor<f32>",
        "  }",
    ]
    piece = fuzz_seeds.cut_function(lines, 3)
    assert piece.startswith("  func.func @f(%arg0: tensor<f32>) {\n")
    assert piece.count("{") == piece.count("}") and "negate" not in piece and "do {" in piece


def test_generated_programs_have_the_ops_asked_for() -> None:
    text = generate.write_program(500)
    assert text == generate.write_program(500)
    assert 500 <= text.count("= stablehlo.") < 800


def test_changed_files_are_files() -> None:
    assert all(path.is_file() and path.suffix in (".h", ".cpp") for path in sources.changed_cpp_files())
    assert ROOT / "partita" / "Support" / "Json.cpp" in sources.cpp_files()
