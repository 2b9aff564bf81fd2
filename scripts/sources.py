"""Which files of the repository the checks look at, as git sees them: tracked, or new and not ignored."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CPP_PATTERNS = ("*.h", "*.cpp")
PYTHON_SOURCES = ("conftest.py", "python", "models", "test", "scripts", "bench", "examples")
LAST_PASSED = BUILD / "last-passed-commit"
"""Holds the last commit that `make test` passed for."""


def git_lines(*arguments: str) -> list[str]:
    """The lines that a git command prints; none when it fails (outside of a checkout, without a parent commit)."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def existing(names: list[str]) -> list[Path]:
    """The files of these names that are still there, without repetition, sorted."""
    return sorted({ROOT / name for name in names if (ROOT / name).is_file()})


def cpp_files() -> list[Path]:
    """Every C++ file of the repository."""
    found = existing(git_lines("ls-files", "-co", "--exclude-standard", "--", *CPP_PATTERNS))
    if found:
        return found
    folders = (ROOT / name for name in ("partita", "tools", "fuzz", "cmake"))
    return sorted(path for folder in folders for pattern in CPP_PATTERNS for path in folder.rglob(pattern))


def last_passed_commit(record: Path = LAST_PASSED) -> str | None:
    """The commit that passed last here; none in a fresh clone, or if it is no longer there."""
    name = record.read_text().strip() if record.is_file() else ""
    known = git_lines("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if name else []
    return known[0] if known else None


def changed_cpp_files(since: str = "HEAD~1") -> list[Path]:
    """C++ files that differ from a commit, and new ones."""
    names = git_lines("diff", "--name-only", since, "--", *CPP_PATTERNS)
    names += git_lines("ls-files", "-o", "--exclude-standard", "--", *CPP_PATTERNS)
    return existing(names)
