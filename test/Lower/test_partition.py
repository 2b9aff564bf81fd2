"""Device-local programs are executed: whatever is tiled, they compute what the original does.

Our evaluator runs both in ring mode, where results do not depend on the order of sums, and compares bits. XLA compiles
and runs a part of them.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import xla_local
import xla_runner
from lower_programs import PROGRAMS, lower

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
MESHES = ["data=2", "data=2,model=2", "x=2,y=2,z=2", "data=4,model=2", "a=3,b=2", "one=1,four=4", "model=8"]
TIMEOUT_SECONDS = 120
CASES_PER_PROGRAM = 8


def draw_case(text: str, seed: int) -> tuple[str, list[str]]:
    """A mesh and tiles of arguments and results that divide."""
    drawn = random.Random(seed)
    mesh = drawn.choice(MESHES)
    axes = [(name, int(size)) for name, size in re.findall(r"(\w+)=(\d+)", mesh) if size != "1"]
    signature = re.search(r"@main\((.*?)\) -> (.*?) \{\n", text, re.DOTALL) or re.search(
        r"@main\((.*?)\)() \{\n", text, re.DOTALL
    )
    assert signature is not None
    candidates = []
    for kind, part in (("arg", signature.group(1)), ("result", signature.group(2))):
        for index, shape in enumerate(re.findall(r"tensor<((?:\d+x)*)[a-z]", part)):
            for dim, size in enumerate(int(size) for size in shape.split("x")[:-1]):
                candidates += [f"{kind}{index}:{dim}:{name}" for name, count in axes if size % count == 0]
    return mesh, drawn.sample(candidates, min(len(candidates), drawn.randint(1, 4)))


def partition(text: str, mesh: str, tiles: list[str], form: str = "") -> str:
    """The device-local program; with `form` "annotate" the annotated one."""
    done = subprocess.run(
        [BIN / "partita-opt", f"--partita-test-partition=mesh={mesh} tiles={','.join(tiles)} {form}"],
        input=text,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluate(text: str, *flags: str) -> str:
    """What `partita eval` prints: a hash of every result."""
    done = subprocess.run(
        [BIN / "partita", "eval", "-", *flags],
        input=text,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_split(local: str) -> bool:
    """Whether an argument or result has a dim with an axis."""
    return re.search(r'@main.*sdy\.sharding<@mesh, \[[^\]]*\{"', local) is not None


@pytest.mark.parametrize("name", PROGRAMS)
def test_local_program_computes_the_same(name: str) -> None:
    text = lower(name)
    whole = evaluate(text, "--ring")
    num_split = 0
    for seed in range(CASES_PER_PROGRAM):
        mesh, tiles = draw_case(text, seed)
        local = partition(text, mesh, tiles)
        assert evaluate(local, "--ring") == whole, f"mesh {mesh}, tiles {tiles}"
        num_split += is_split(local)
    assert num_split >= CASES_PER_PROGRAM / 2


@pytest.mark.parametrize("form", ["", "annotate"], ids=["local", "annotated"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_xla_agrees(name: str, form: str) -> None:
    """The local program as it is; the annotated one as Shardy partitions it."""
    text = lower(name)
    inputs = xla_runner.make_inputs(text)
    whole = xla_runner.run_cached(text, inputs)
    mesh, tiles = draw_case(text, 2)
    partitioned = partition(text, mesh, tiles, form)
    results = xla_local.run_local(partitioned, inputs, [np.shape(array) for array in whole])
    for ours, judged in zip(results, whole, strict=True):
        assert ours.dtype == judged.dtype
        np.testing.assert_allclose(ours.astype(np.float64), judged.astype(np.float64), rtol=2e-2, atol=1e-3)
