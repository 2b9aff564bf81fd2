"""The loop form means what the program means: the evaluator runs both, in ring mode, and every bit is the same."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from lower_programs import PROGRAMS, lower

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
ZOO = REPOSITORY / "build" / "zoo"
SCHEDULES = REPOSITORY / "models" / "schedules"
MESHES = ["data=2", "data=2,model=2", "x=2,y=2,z=2", "data=4,model=2", "a=3,b=2", "one=1,four=4", "model=8"]
EXAMPLE = REPOSITORY / "test" / "Lower" / "loops-tactics.mlir"
SPLIT_FILE = "/usr/lib/llvm-22/bin/split-file"
CASES_PER_PROGRAM = 6
TIMEOUT_SECONDS = 300


def run(*command: str | Path, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluate(program: Path) -> str:
    """What `partita eval` prints: a hash of every result."""
    return run(BIN / "partita", "eval", program, "--ring")


def draw_schedule(text: str, seed: int) -> tuple[str, list[dict[str, object]]]:
    """A mesh, and tactics that tile up to four arguments and results: those that cannot be are left out."""
    drawn = random.Random(seed)
    mesh = drawn.choice(MESHES)
    axes = [name for name, size in re.findall(r"(\w+)=(\d+)", mesh) if size != "1"]
    signature = re.search(r"@main\((.*?)\) -> (.*?) \{\n", text, re.DOTALL)
    assert signature is not None
    tiles = [
        (f"{kind}{index}", dim)
        for kind, part in (("arg", signature.group(1)), ("result", signature.group(2)))
        for index, shape in enumerate(re.findall(r"tensor<((?:\d+x)*)[a-z]", part))
        for dim in range(shape.count("x"))
    ]
    return mesh, [
        {"name": str(number), "axis": drawn.choice(axes), "tile": [drawn.choice(tiles)], "optional": True}
        for number in range(drawn.randint(1, 4))
    ]


def build_loops(program: Path, mesh: str, schedule: Path, target: Path) -> str:
    """Writes the loop form to `target`."""
    run(BIN / "partita", "plan", program, "--mesh", mesh, "--schedule", schedule, "--stop-after=loops", "-o", target)
    return target.read_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_compute_the_same(name: str, tmp_path: Path) -> None:
    program, schedule, loops = tmp_path / "program.mlir", tmp_path / "schedule.json", tmp_path / "loops.mlir"
    program.write_text(lower(name))
    whole = evaluate(program)
    num_split = 0
    for seed in range(CASES_PER_PROGRAM):
        mesh, tactics = draw_schedule(program.read_text(), seed)
        schedule.write_text(json.dumps({"tactics": tactics}))
        num_split += "part.loop" in build_loops(program, mesh, schedule, loops)
        assert evaluate(loops) == whole, f"mesh {mesh}, {tactics}"
    assert num_split >= CASES_PER_PROGRAM / 2


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
