"""Mutants of hand-written local programs: the static check refuses what execution finds wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from local_programs import CASES
from mutants import all_mutants, judge

FEWEST_REFUSED = 0.9


@pytest.mark.parametrize("name", CASES)
def test_mutants_are_killed(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    original, local = tmp_path / "original.mlir", tmp_path / "local.mlir"
    original.write_text(case.original)
    local.write_text(case.local)
    mutants = all_mutants(local)
    tally = judge(original, mutants, len(mutants))
    assert tally.drawn.total() >= 2, mutants
    assert tally.static.total() >= FEWEST_REFUSED * tally.drawn.total(), tally.survivors
    assert not [line for line in tally.survivors if line.startswith("the static check")], tally.survivors
