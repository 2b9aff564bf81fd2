"""The zoo's checks under pytest, one test per model and check."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.check import CHECKS, unused_schedules
from models.registry import ZOO
from models.table import models_table


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", ZOO)
def test_model(name: str, check: str) -> None:
    assert list(CHECKS[check](ZOO[name])) == []


def test_every_schedule_is_used() -> None:
    assert unused_schedules() == []


def test_readme_lists_every_model() -> None:
    readme = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    assert [row for row in models_table() if row not in readme] == []
