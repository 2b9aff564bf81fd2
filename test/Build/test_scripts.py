"""The scripts that run the tests count rightly, and what they generate can be generated again."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

import check_message
import fuzz_mutations
import fuzz_seeds
import generate
import lint
import llvm_tools
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


def test_stages_side_by_side_are_counted_and_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    meeting = threading.Barrier(2, timeout=60)

    def stage(name: str) -> run_tests.Outcome:
        run_tests.say(f"{name} begins\n")
        meeting.wait()
        run_tests.say(f"{name} ends\n")
        return run_tests.Outcome(1, 0, [name])

    if run_tests.CORES < 2:
        meeting = threading.Barrier(1)
    outcome = run_tests.side_by_side([lambda: stage("a"), lambda: stage("b")])
    assert outcome == run_tests.Outcome(2, 0, ["a", "b"])
    assert capsys.readouterr().out == "a begins\na ends\nb begins\nb ends\n"


def test_a_command_that_does_not_end_is_ended() -> None:
    setting = run_tests.Setting(Path(), {})
    assert run_tests.run(setting, ["/bin/sleep", "60"], seconds=0.1).code != 0
    assert run_tests.run(setting, ["/bin/sh", "-c", "echo $A"], seconds=60, A="b") == run_tests.Finished(0, "b\n")


def test_stages_come_with_what_they_need() -> None:
    assert run_tests.with_needed(["pytest", "unit"]) == ["zoo", "unit", "pytest"]
    assert run_tests.with_needed(list(run_tests.STAGES)) == list(run_tests.STAGES)
    assert set(run_tests.ONE_CORE) < set(run_tests.STAGES)


def test_long_tests_are_run_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (tmp_path / "test_it.py").write_text(
        "import os, pytest\n"
        "QUICK = 'xla_backend_optimization_level=0' in os.environ.get('XLA_FLAGS', '')\n"
        "@pytest.mark.long\ndef test_long(): assert not QUICK\n"
        "def test_short(request): assert QUICK != request.config.getoption('--long')\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir"]
        command += [str(tmp_path), str(tmp_path), "-W", "ignore", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    assert "1 passed, 1 deselected" in run()
    assert "2 passed" in run("--long")


def test_tests_of_a_file_stay_together() -> None:
    path = ROOT / "conftest.py"
    settings = runpy.run_path(str(path))
    group_of = settings["group_of"]
    assert group_of("test/A/test_a.py::test_x[1-2]") == group_of("test/A/test_a.py::test_y")
    runs, text, other = (group_of(f"models/test_zoo.py::test_model[{name}]") for name in ("a-b", "a-c", "d-b"))
    assert runs == text != other
    assert all((ROOT / file).is_file() for file in settings["SPREAD"])


def test_the_last_line_counts() -> None:
    """Its summary file is overwritten by the run that this test is part of, which ends later."""
    command = [sys.executable, "scripts/run_tests.py", "--only", "rooms"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1])
    assert counts is not None and int(counts[1]) + int(counts[2]) == 2
    assert (done.returncode == 0) == (counts[2] == "0")


def test_mutations_follow_from_the_seed() -> None:
    programs = fuzz_seeds.hand_written("Conformance/accepted")
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


def test_a_recorded_commit_is_used_while_it_exists(tmp_path: Path) -> None:
    record = tmp_path / "last-passed-commit"
    assert sources.last_passed_commit(record) is None
    record.write_text("0" * 40)
    assert sources.last_passed_commit(record) is None
    (head,) = sources.git_lines("rev-parse", "HEAD")
    record.write_text(f"{head}\n")
    assert sources.last_passed_commit(record) == head


def test_only_a_fresh_clone_lints_few(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def changed(since: str = "HEAD~1") -> list[Path]:
        asked.append(since)
        return []

    monkeypatch.setattr(lint, "changed_cpp_files", changed)
    options = argparse.Namespace(files=[], all=False, most=4)
    monkeypatch.setattr(lint, "last_passed_commit", lambda: None)
    assert lint.want(options) == ([], 4)
    monkeypatch.setattr(lint, "last_passed_commit", lambda: "abc")
    assert lint.want(options) == ([], lint.NO_LIMIT)
    assert asked == ["HEAD~1", "abc"]


def test_changed_files_are_files() -> None:
    assert all(path.is_file() and path.suffix in (".h", ".cpp") for path in sources.changed_cpp_files())
    assert ROOT / "partita" / "Support" / "Json.cpp" in sources.cpp_files()


@pytest.mark.parametrize(("message", "found"), [
    ("Search: what is cut\n\nIt took too long.\n# a comment of git\n", ""),
    ("x" * 71, ""),
    ("x" * 72, "72 characters"),
    ("Done.\n", "full stop"),
    ("What\nand why\n", "right behind the subject"),
    ("# nothing\n", "no subject"),
])  # fmt: skip
def test_messages_of_commits_are_held_to_their_form(message: str, found: str) -> None:
    complaints = check_message.check(message)
    assert (not complaints and not found) or (len(complaints) == 1 and found in complaints[0])


def test_tools_of_llvm_are_those_of_the_build(tmp_path: Path) -> None:
    assert llvm_tools.find_tool("no-such-tool", tmp_path) == "no-such-tool"
    own = tmp_path / "own" / "bin" / "clang-format"
    own.parent.mkdir(parents=True)
    own.touch(0o755)
    (tmp_path / "CMakeCache.txt").write_text(f"A:PATH=b\nMLIR_DIR:PATH={tmp_path}/own/lib/cmake/mlir\n")
    assert llvm_tools.find_tool("clang-format", tmp_path) == str(own)


def test_hooks_before_a_commit_run_what_is_there() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    scripts = [word for hook in hooks for word in re.findall(r"(?:scripts|test)/[\w/]+\.py", hook["entry"])]
    assert len(scripts) == 3 and all((ROOT / script).is_file() for script in scripts)
    templates = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert all(yaml.safe_load(path.read_text()) for path in templates) and len(templates) == 4
