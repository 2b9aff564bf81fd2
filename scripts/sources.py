"""Which files of the repository the checks look at, as git sees them: tracked, or new and not ignored."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LLVM_BIN = Path("/usr/lib/llvm-22/bin")
CPP_PATTERNS = ("*.h", "*.cpp")
PYTHON_FOLDERS = ("python", "models", "test", "scripts", "bench", "examples")


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


def changed_cpp_files() -> list[Path]:
    """C++ files that differ from the commit before the last, and new ones."""
    names = git_lines("diff", "--name-only", "HEAD~1", "--", *CPP_PATTERNS)
    names += git_lines("ls-files", "-o", "--exclude-standard", "--", *CPP_PATTERNS)
    return existing(names)
