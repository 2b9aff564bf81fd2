"""What the documents say is so: examples are run, tables are held against the sources, links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import partita

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
DOCUMENTS = [
    ROOT / name
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/design.md",
        "docs/graph.md",
        "docs/tutorial.md",
        "docs/concepts.md",
        "docs/howto.md",
        "docs/python.md",
        "docs/commands.md",
    )
]
EXAMPLE = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Each command of the README with the output that is printed under it."""
    return EXAMPLE.findall((ROOT / "README.md").read_text())


def table(document: str, heading: str) -> list[list[str]]:
    """The rows of the table whose first heading is this."""
    text = (ROOT / document).read_text()
    found = re.search(rf"^\| {heading} \|.*\n\|[- |]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None, f"no table {heading} in {document}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


def test_the_readme_has_examples() -> None:
    assert len(examples()) >= 2


@pytest.mark.parametrize(("command", "expected"), examples())
def test_readme_example_prints_what_it_says(command: str, expected: str) -> None:
    ours = command.replace("build/bin/", f"{BIN}/").replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-c", ours], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.stdout.decode() == expected


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text())
    local = [link for link in links if not link.startswith("http")]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_rooms_are_those_of_the_build() -> None:
    declared = set(re.findall(r"^\s*partita_room\((\w+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE))
    states = {row[0]: row[2] for row in table("docs/design.md", "room")}
    assert declared <= set(states)
    assert {name for name, state in states.items() if state == "built"} <= declared
    assert {name for name, state in states.items() if state == "planned"} & declared == set()


def test_exit_codes_are_those_of_the_source() -> None:
    source = (ROOT / "partita" / "Support" / "Error.h").read_text()
    body = source[source.index("enum class ExitCode") :].split("};")[0]
    assert [row[0] for row in table("docs/design.md", "code")] == re.findall(r"= (\d+),", body)


def test_one_version() -> None:
    cmake = re.search(r"project\(Partita VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert cmake is not None
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    printed = subprocess.run([BIN / "partita", "--version"], capture_output=True, text=True, check=True).stdout
    assert {project, partita.__version__, printed.split()[-1]} == {cmake[1]}


def test_make_targets_of_the_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {
        name for path in DOCUMENTS for name in re.findall(r"(?:`|^)make ([a-z-]+)", path.read_text(), re.MULTILINE)
    }
    assert [name for name in sorted(named) if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_the_package_starts_the_tool() -> None:
    environment = os.environ | {"PARTITA_BIN_DIR": str(BIN), "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "partita", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == partita.__version__


def test_a_missing_tool_is_said(tmp_path: Path) -> None:
    environment = os.environ | {"PARTITA_BIN_DIR": str(tmp_path), "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "partita", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 69
    assert str(tmp_path) in done.stderr


def test_the_reference_of_the_command_line_has_all_commands_and_options() -> None:
    """If it has not: python scripts/commands_doc.py > docs/commands.md"""
    script = [sys.executable, str(ROOT / "scripts" / "commands_doc.py"), str(BIN / "partita")]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    listed, written = (
        re.findall(r"^- `(partita [a-z-]+|--[a-z-]+)", text, re.MULTILINE)
        for text in (done.stdout, (ROOT / "docs" / "commands.md").read_text())
    )
    assert listed == written and len(listed) == len(set(listed))
    assert {"partita plan", "partita score", "partita diff", "--mesh", "--budget"} <= set(listed)
