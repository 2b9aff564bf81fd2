"""Programs of the zoo are found where nothing was exported before, as in a fresh clone."""

from __future__ import annotations

from pathlib import Path

import pytest

from models import exported


def test_what_is_not_there_is_exported_alone(tmp_path: Path) -> None:
    path = exported.find("llama.tiny", tmp_path)
    assert "module @jit_" in path.read_text()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["llama.tiny.mlir", "manifest.json"]


def test_what_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.tiny.mlir").write_text("module {}")
    assert exported.find("mine.tiny", tmp_path).read_text() == "module {}"


def test_a_name_without_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="llama cannot be exported: no program matches"):
        exported.find("llama", tmp_path)
