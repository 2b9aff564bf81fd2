"""What the documents say is so: examples are run, tables are held against the sources, links lead somewhere."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import found
import found_chart
import partita
import run_tests
import site_pages

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "models/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
EXAMPLE = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """Each command of the README with the output that is printed under it."""
    return EXAMPLE.findall((ROOT / "README.md").read_text())


def table(document: str, heading: str) -> list[list[str]]:
    """The rows of the table whose first heading is this."""
    text = (ROOT / document).read_text()
    found = re.search(rf"^\| {heading} \|.*\n\|[-: |]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None, f"no table {heading} in {document}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


def test_the_readme_has_examples() -> None:
    assert len(examples()) >= 2


@pytest.mark.parametrize(("command", "expected"), examples())
def test_readme_example_prints_what_it_says(command: str, expected: str) -> None:
    ours = command.replace("build/bin/", f"{BIN}/").replace(".venv/bin/python", sys.executable)
    done = subprocess.run(["bash", "-c", ours], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.stdout.decode() == expected


def list_anchors(document: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", document.read_text())
    for file, anchor in links:
        target = document.parent / file if file else document
        if not file.startswith("http"):
            assert target.exists(), file
            assert not anchor or anchor in list_anchors(target), f"{file}#{anchor}"


def test_rooms_are_those_of_the_build() -> None:
    rooms = re.compile(r"^\s*partita_(?:testing_)?room\((\w+)", re.MULTILINE)
    declared = set(rooms.findall((ROOT / "CMakeLists.txt").read_text()))
    states = {row[0]: row[2] for row in table("docs/design.md", "room")}
    assert declared <= set(states)
    assert {name for name, state in states.items() if state == "built"} <= declared
    assert {name for name, state in states.items() if state == "planned"} & declared == set()


def read_room(room: str) -> str:
    """All headers of a room."""
    return "\n".join(path.read_text() for path in sorted((ROOT / "partita" / room).rglob("*.h")))


def test_values_of_the_picture_exist() -> None:
    """Each value of the path of the data is a type of its room, and what builds it is a function there."""
    rooms = {path.name.lower(): path.name for path in (ROOT / "partita").iterdir()}
    rows = table("docs/design.md", "value")
    assert len(rows) >= 8
    for values, builders, _ in rows:
        for namespace, name in re.findall(r"`(\w+)::(\w+)`", values):
            headers = read_room(rooms[namespace])
            assert re.search(rf"^(struct|class) {name} ", headers, re.MULTILINE), f"{namespace}::{name}"
            for builder in re.findall(r"`(\w+)`", builders):
                assert f" {builder}(" in headers, builder


def test_files_of_the_followed_program_exist() -> None:
    """Every file that the design page names is there, and holds the functions that are named with it."""
    text = (ROOT / "docs" / "design.md").read_text()
    steps = text[text.index("**One program, followed.**") : text.index("## Rooms")]
    named = re.findall(r"`(\w+)` \((\w+/\w+\.(?:h|cpp))\)", steps)
    assert len(named) >= 8
    for name, file in named:
        assert re.search(rf"\b{name}\b", (ROOT / "partita" / file).read_text()), f"{name} in {file}"


PRIVATE_WORDS = (
    "Stock|Kinship|Likeness|SumTaking|PassingNodes|LookedAt|Oracle|UnitRecords|UnitRows|UnitKeys|JointTable|NastyInputs"
    "|Jitter|OwnCollective|Transfers|SlotId|ShiftId|Colours?|schedulePs|scheduledPs|getNumDeviations|CollectiveForm"
)


def test_words_are_the_fields() -> None:
    """Names that only we would understand do not come back."""
    sources = [path for path in (ROOT / "partita").rglob("*") if path.suffix in (".h", ".cpp")]
    found = [
        f"{path.name}: {word}" for path in sources for word in re.findall(rf"\b(?:{PRIVATE_WORDS})\b", path.read_text())
    ]
    assert found == []


def test_every_header_says_what_it_is_for() -> None:
    headers = sorted((ROOT / "partita").rglob("*.h"))
    assert len(headers) > 300
    wrong = [path for path in headers if not re.match(rf"//===- {path.name} - \S.* -*===//\n", path.read_text())]
    assert wrong == []


def test_exit_codes_are_those_of_the_source() -> None:
    source = (ROOT / "partita" / "Support" / "Error.h").read_text()
    body = source[source.index("enum class ExitCode") :].split("};")[0]
    assert [row[0] for row in table("docs/design.md", "code")] == re.findall(r"= (\d+),", body)


def test_one_version() -> None:
    """It is written down once, and the tool, the wheel and the changelog have the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    read = project["tool"]["scikit-build"]["metadata"]["version"]
    written = re.search(read["regex"], (ROOT / read["input"]).read_text())
    assert written is not None and "version" in project["project"]["dynamic"]
    printed = subprocess.run([BIN / "partita", "--version"], capture_output=True, text=True, check=True).stdout
    assert {partita.__version__, printed.split()[-1]} == {written["value"]}
    released = re.findall(r"^## \[([0-9.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == written["value"]


def test_make_targets_of_the_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = {
        name for path in DOCUMENTS for name in re.findall(r"(?:`|^)make ([a-z-]+)", path.read_text(), re.MULTILINE)
    }
    assert [name for name in sorted(named) if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_the_readme_has_what_the_search_finds() -> None:
    """If it has not: python bench/found.py > docs/found.json, and make pictures"""
    figures = found_chart.read_figures()
    assert [row["row"] for row in figures] == list(found.MODELS)
    shown = (ROOT / "README.md").read_text().split(found_chart.BEGIN)[1].split(found_chart.END)[0]
    assert shown == found_chart.write_table(figures)


@pytest.mark.parametrize("look", list(found_chart.LOOKS))
def test_the_chart_has_what_the_search_finds(look: str) -> None:
    """If it has not: make pictures"""
    texts = re.findall(r"<text [^>]*>(.*?)</text>", (found_chart.IMAGES / f"found-{look}.svg").read_text())
    for row in found_chart.read_figures():
        gain = f"{found_chart.print_time(row['found_ps'])}, {found_chart.describe_gain(row)}"
        assert {row["model"], row["machine"], found_chart.print_time(row["by_hand_ps"]), gain} <= set(texts)


@pytest.mark.parametrize("module", [found, found_chart, site_pages])
def test_scripts_do_what_their_examples_say(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module)
    assert attempted and not failed


def test_strategies_are_said_in_words() -> None:
    """No words of experts' schedules come into the README."""
    for row in found_chart.read_figures():
        assert not re.search(r"\b(BP|MP|EP|ES|MQ|SEQ|EMB|VOCAB|Z[123])\b", f"{row['by_hand']} {row['found']}")


def test_the_site_has_every_page() -> None:
    """In mkdocs.yml; what `make docs` checks beside it, links and anchors, is checked above."""
    text = (ROOT / "mkdocs.yml").read_text()
    nav = text[text.index("\nnav:") : text.index("\ntheme:")]
    listed = re.findall(r": (\S+\.md)$", nav, re.MULTILINE)
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))
    kinds = re.findall(r"^  - ([\w ]+):$", nav, re.MULTILINE)
    assert kinds == ["Tutorial", "How to", "Reference", "Explanation"]
    assert site_pages.list_outside() and all((ROOT / path).is_file() for path in site_pages.list_outside())


def test_the_tables_of_gpu_plans_are_those_of_the_measurements() -> None:
    command = [sys.executable, "bench/gpu_plans.py", "table", "bench/data/gpu_plans.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    printed = [line for line in done.stdout.splitlines() if line.startswith("|")]
    shown = [line for line in (ROOT / "docs" / "gpu.md").read_text().splitlines() if line.startswith("|")]
    assert shown == printed


def test_xla_adds_nothing_to_local_programs() -> None:
    """In docs/compare-xla.md, where every reason why ours sends more is below the table."""
    text = (ROOT / "docs" / "compare-xla.md").read_text()
    rows = [row for row in table("docs/compare-xla.md", "model and strategy") if len(row) == 10 and row[3]]
    assert len(rows) > 200 and sum(row[0].endswith(" found") for row in rows) >= 30
    assert {row[3] for row in rows} == {"yes"}
    assert not any("local" in row[9] for row in rows)
    letters = {mark for row in rows for mark in re.findall(r"\(\w\)", row[2])}
    assert letters == set(re.findall(r"^- (\(\w\)) ", text, re.MULTILINE)) and "not explained" not in text


def test_stages_of_the_tests_are_those_that_contributors_read_of() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    listed = re.search(r"repeats one stage: ([^.]*)\.", text)
    assert listed is not None
    assert re.split(r",\s+", listed[1]) == list(run_tests.STAGES)


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
    assert listed == written
    # Commands may have options of one name and different meaning, each with its own help.
    lines = re.findall(r"^- `.*", done.stdout, re.MULTILINE)
    assert len(lines) == len(set(lines))
    assert {"partita plan", "partita score", "partita diff", "--mesh", "--budget"} <= set(listed)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_is_said_to_be_printed_is_not_empty(document: Path) -> None:
    """Code that once printed an error may print nothing now, and then the words around it are wrong."""
    assert not re.search(r"^```text\n```$", document.read_text(), re.MULTILINE)
