"""The loop form means what the program means: the evaluator runs both, in ring mode, and every bit is the same."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from llvm_tools import find_tool
from lower_programs import PROGRAMS, lower

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "test" / "Rules"))
import grammar  # noqa: E402

BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
ZOO = REPOSITORY / "build" / "zoo"
SCHEDULES = REPOSITORY / "models" / "schedules"
MESHES = ["data=2", "data=2,model=2", "x=2,y=2,z=2", "data=4,model=2", "a=3,b=2", "one=1,four=4", "model=8"]
EXAMPLE = REPOSITORY / "test" / "Lower" / "loops-tactics.mlir"
SPLIT_FILE = find_tool("split-file", BIN.parent)
CASES_PER_PROGRAM = 6
INSTANCES_PER_OP = 2
LEAST_SPLIT = 100
"""Fewer instances of ops than this, and the test says little."""
TIMEOUT_SECONDS = 300


def run(*command: str | Path, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluate(program: Path) -> str:
    """What `partita eval` prints: a hash of every result."""
    return run(BIN / "partita", "eval", program, "--ring")


def draw_schedule(text: str, seed: int) -> tuple[str, list[dict[str, object]]]:
    """A mesh, and tactics that tile up to four arguments and results; what cannot be is left out."""
    drawn = random.Random(seed)
    mesh = drawn.choice(MESHES)
    signature = re.search(r"@main\((.*?)\) -> (.*?) \{\n", text, re.DOTALL)
    assert signature is not None
    tiles = [
        {"axis": axis, "tile": [[f"{kind}{index}", dim]], "optional": True}
        for kind, part in (("arg", signature.group(1)), ("result", signature.group(2)))
        for index, shape in enumerate(re.findall(r"tensor<((?:\d+x)*)[a-z]", part))
        for dim, size in enumerate(shape.split("x")[:-1])
        for axis, parts in re.findall(r"(\w+)=(\d+)", mesh)
        if parts != "1" and size != "0" and int(size) % int(parts) == 0
    ]
    tactics = drawn.sample(tiles, min(len(tiles), drawn.randint(1, 4)))
    return mesh, [{"name": str(number), **tactic} for number, tactic in enumerate(tactics)]


def build_loops(program: Path, mesh: str, schedule: Path, target: Path) -> str:
    """Writes the loop form to `target`."""
    run(BIN / "partita", "plan", program, "--mesh", mesh, "--schedule", schedule, "--stop-after=loops", "-o", target)
    return target.read_text()


def has_equal_loops(text: str, seed: int, folder: Path) -> bool:
    """Whether the program was split; fails if its loop form computes something else."""
    program, schedule, loops = folder / "program.mlir", folder / "schedule.json", folder / "loops.mlir"
    program.write_text(text)
    mesh, tactics = draw_schedule(text, seed)
    schedule.write_text(json.dumps({"tactics": tactics}))
    is_split = "part.loop" in build_loops(program, mesh, schedule, loops)
    assert not is_split or evaluate(loops) == evaluate(program), f"mesh {mesh}, {tactics}, {text}"
    return is_split


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_compute_the_same(name: str, tmp_path: Path) -> None:
    num_split = sum(has_equal_loops(lower(name), seed, tmp_path) for seed in range(CASES_PER_PROGRAM))
    assert num_split >= CASES_PER_PROGRAM / 2


def return_results(function: str) -> str | None:
    """An instance of the rules' grammar as a program that returns the op's results; none if they have no dim."""
    types = re.findall(r"-> \(([^()]*)\)\n  return\n", function)
    count = re.search(r"%r:(\d+) =", function)
    if not types or count is None or not re.search(r"tensor<\d", types[0]):
        return None
    results = ", ".join(f"%r#{number}" for number in range(int(count[1])))
    text = re.sub(r"@\w+\(", "@main(", function, count=1).replace(") {\n", f") -> ({types[0]}) {{\n", 1)
    return text.replace("\n  return\n", f"\n  return {results} : {types[0]}\n")


def test_every_op(tmp_path: Path) -> None:
    """Those that nothing can split count too: nothing may fail."""
    num_split = 0
    for op in sorted(op for op in grammar.MAKERS if not op.startswith("sdy.")):
        programs = map(return_results, grammar.instances(op, INSTANCES_PER_OP, seed=1))
        for seed, text in enumerate(text for text in programs if text is not None):
            num_split += has_equal_loops(text, seed, tmp_path)
    assert num_split >= LEAST_SPLIT


def zoo_cases() -> list[tuple[str, Path]]:
    """Each layout's schedule of most tactics, on the model of that name."""
    longest: dict[str, Path] = {}
    for schedule in sorted(SCHEDULES.glob("*.json")):
        layout = schedule.name.split(".")[0]
        if layout not in longest or schedule.name.count("+") > longest[layout].name.count("+"):
            longest[layout] = schedule
    return [(layout, schedule) for layout, schedule in longest.items() if (ZOO / f"{layout}.tiny.mlir").exists()]


@pytest.mark.parametrize(("model", "schedule"), zoo_cases(), ids=lambda value: getattr(value, "stem", value))
def test_zoo(model: str, schedule: Path, tmp_path: Path) -> None:
    program, loops = ZOO / f"{model}.tiny.mlir", tmp_path / "loops.mlir"
    text = build_loops(program, "data=2,model=2", schedule, loops)
    assert text.count("part.loop") > 10
    assert evaluate(loops) == evaluate(program)
    again = run(BIN / "partita-opt", loops)
    assert again.strip() == text.strip(), "partita-opt prints it as it reads it"


def test_documented_example(tmp_path: Path) -> None:
    """The blocks of docs/design.md are parts of what is printed, after MP and after Z3."""
    run(SPLIT_FILE, EXAMPLE, tmp_path)
    section = (REPOSITORY / "docs" / "design.md").read_text().split("## The loop form")[1].split("\n## ")[0]
    blocks = re.findall(r"```mlir\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 2
    for block, schedule in zip(blocks, ("mp.json", "z3.json"), strict=True):
        printed = build_loops(tmp_path / "program.mlir", "B=4,M=2", tmp_path / schedule, tmp_path / "loops.mlir")
        assert "".join(f"    {line}\n" for line in block.splitlines()) in printed
