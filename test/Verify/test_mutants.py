"""Mutants of local programs, hand-written and emitted: execution and the static check kill them.

Sites are drawn uniformly over all sites of all operators of all programs, with a seed. What survives execution is no
mistake that can be seen in a result: zeros that are subtracted instead of added (a gradient that flows to a part of a
table alone), an offset that is clamped. Of the 240 that are drawn today 239 are killed by execution and all by the
static check.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from emitted_programs import EMITTED, PIECED
from local_programs import CASES
from mutants import PARTITA, Mutant, all_mutants, judge
from slow_links import make_machine

FEWEST_EXECUTED, FEWEST_REFUSED = 0.99, 0.9
DRAWN, SEED = 240, 5


@pytest.mark.parametrize("name", CASES)
def test_mutants_are_killed(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    original, local = tmp_path / "original.mlir", tmp_path / "local.mlir"
    original.write_text(case.original)
    local.write_text(case.local)
    mutants = [(original, mutant) for mutant in all_mutants(local)]
    tally = judge(mutants, len(mutants))
    assert tally.drawn.total() >= 2, mutants
    assert tally.static.total() >= FEWEST_REFUSED * tally.drawn.total(), tally.survivors
    assert not [line for line in tally.survivors if line.startswith("the static check")], tally.survivors


def test_mutants_of_emitted_programs_are_killed(tmp_path: Path) -> None:
    pool: list[tuple[Path, Mutant]] = []
    for name, emitted in EMITTED.items():
        original, schedule, out = tmp_path / f"{name}.mlir", tmp_path / f"{name}.json", tmp_path / name
        original.write_text(emitted.program)
        schedule.write_text(emitted.schedule)
        emitted.save_inputs(original.with_suffix(".npz"))
        command: list[str | Path] = [
            PARTITA,
            "plan",
            original,
            "--mesh",
            emitted.mesh,
            "--schedule",
            schedule,
            "-o",
            out,
        ]
        subprocess.run(command, check=True, capture_output=True)
        pool += [(original, mutant) for mutant in all_mutants(out / "local.mlir")]
    random.Random(SEED).shuffle(pool)
    tally = judge(pool, DRAWN)
    print(f"{tally.drawn.total()} mutants of {len(pool)}: {tally.executed.total()} killed by execution,")
    print(f"{tally.static.total()} by the static check")
    print("\n".join(f"survives {line}" for line in tally.survivors))
    assert tally.drawn.total() >= 200
    assert len(tally.drawn) >= 8, "operators without a site"
    assert tally.executed.total() >= FEWEST_EXECUTED * tally.drawn.total(), tally.survivors
    assert tally.static.total() >= FEWEST_REFUSED * tally.drawn.total(), tally.survivors


def test_mutants_of_products_in_pieces_are_killed(tmp_path: Path) -> None:
    """Gathers as circles of permutes, and scatters as terms that are sent, forwards and backwards."""
    original, out = tmp_path / "original.mlir", tmp_path / "out"
    emitted = PIECED
    original.write_text(emitted.program)
    emitted.save_inputs(original.with_suffix(".npz"))
    (tmp_path / "schedule.json").write_text(emitted.schedule)
    (tmp_path / "machine.json").write_text(json.dumps(make_machine(8)))
    given = ("--mesh", emitted.mesh, "--schedule", tmp_path / "schedule.json", "--machine", tmp_path / "machine.json")
    subprocess.run([PARTITA, "plan", original, *given, "--allow=matmul", "-o", out], check=True, capture_output=True)
    listed = json.loads((out / "plan.json").read_text())["matmul"]
    assert {each["collective"] for each in listed} == {"all_gather", "reduce_scatter"}
    mutants = [(original, mutant) for mutant in all_mutants(out / "local.mlir")]
    random.Random(SEED).shuffle(mutants)
    tally = judge(mutants, 60)
    # Where a dim that a slice takes as a whole begins, execution does not see: the start is clamped.
    assert tally.static.total() == tally.drawn.total(), tally.survivors
    seen = [line for line in tally.survivors if "the offset is clamped" not in line]
    assert not seen, seen
