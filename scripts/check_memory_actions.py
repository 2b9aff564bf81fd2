"""Microbatches, program by program: `make check-memory-actions`.

python scripts/check_memory_actions.py [--only REGEX] [--counts 2,3,4] [--jobs 2] [--mesh data=2] [--table] [FOLDER ...]

For each training program of the folders (the tiny models of the zoo, and those of other packages where they are
exported) the batch is cut into microbatches by the temporal tactic, and the rewritten program is run against the
original: in exact mode results must be equal to the bit, in floats within the bounds of `partita verify`. A row says
what was accepted, or the op that forbids it with its line. `2 (9 loops)` is a program that needs the whole batch in the
middle of its step, for batch statistics or a loss that compares rows: its microbatches run in several loops, and what
products made before the last one is kept for the whole batch. A program is a training program if it gives back
parameters and is no sampler or solver. docs/microbatches.md has the programs that are refused two microbatches, and
those that need several loops: a run fails if it finds others, and `--table` writes them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from sources import BUILD, ROOT

PARTITA = BUILD / "bin" / "partita"
FOLDERS = (BUILD / "zoo", BUILD / "specs")
GOAL = 0.9
NO_TRAINING = re.compile("Hamiltonian|Conjugate_gradients")
TIMEOUT_S = 300
PAGE = ROOT / "docs" / "microbatches.md"
#: The number of microbatches of the page.
LISTED = 2


@dataclass(frozen=True)
class Task:
    program: Path
    counts: tuple[int, ...]
    mesh: str
    exact: bool


@dataclass
class Row:
    name: str
    accepted: list[int] = field(default_factory=list)
    #: Over the microbatches, in the rewritten program.
    loops: int = 1
    verified: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    wrong: dict[int, str] = field(default_factory=dict)

    @property
    def refusal(self) -> str:
        return next(iter(self.reasons.values()), "")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [PARTITA, *words], capture_output=True, text=True, check=False, timeout=TIMEOUT_S, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(list(words), 75, "", "error: it took too long")


def read_reason(errors: str) -> str:
    found = re.search(r"^(?:(\S*?):(?:\d+:)? )?error: (.*)$", errors, re.MULTILINE)
    if not found:
        return errors.strip().splitlines()[-1] if errors.strip() else "no reason"
    place = f"{found[1]}: " if found[1] and found[1] != "partita" else ""
    return place + found[2].removeprefix("no microbatches: ")


def is_training(program: Path) -> bool:
    """Whether some parameter comes back."""
    if NO_TRAINING.search(program.name):
        return False
    analysis = run("analyze", program, "--json")
    graph = run("plan", program, "--stop-after=flatten")
    if analysis.returncode or graph.returncode:
        return False
    tied = {argument for argument, _ in json.loads(graph.stdout).get("ties", [])}
    groups = json.loads(analysis.stdout)["groups"]
    return any(group["kind"] == "parameter" and tied & set(group["members"]) for group in groups)


def write_schedule(folder: Path, count: int, mesh: str) -> Path:
    tactics: list[dict[str, object]] = [{"name": "accumulate", "temporal": {"micro": count}}]
    axis, size = mesh.split("=")
    if int(size) > 1:
        tactics.append({"preset": "data_parallel", "axis": axis, "optional": True})
    path = folder / f"accumulate{count}.json"
    path.write_text(json.dumps({"tactics": tactics}))
    return path


def check(task: Task) -> Row | None:
    if not is_training(task.program):
        return None
    row = Row(task.program.name.removesuffix(".mlir"))
    with tempfile.TemporaryDirectory() as name:
        for count in task.counts:
            check_count(task, count, Path(name), row)
    return row


def list_rules(program: Path) -> list[str]:
    """Options with the rules of a program's kernels, which are exported beside it."""
    path = program.with_suffix(".rules")
    rules = path.read_text().splitlines() if path.exists() else []
    return [word for rule in rules for word in ("--rule", rule)]


def accept(task: Task, count: int, folder: Path, row: Row) -> Path | None:
    """The schedule under which the program is rewritten; nothing if that is refused."""
    schedule = write_schedule(folder, count, task.mesh)
    out = folder / "plan"
    options: list[str | Path] = [
        "--schedule",
        schedule,
        "--mesh",
        task.mesh,
        "--no-check",
        "-o",
        out,
        *list_rules(task.program),
    ]
    made = run("plan", task.program, *options)
    if made.returncode:
        row.reasons.setdefault(count, read_reason(made.stderr))
        return None
    row.accepted.append(count)
    row.loops = max(row.loops, json.loads((out / "report.json").read_text())["accumulate"]["loops"])
    return schedule


def check_count(task: Task, count: int, folder: Path, row: Row) -> None:
    schedule = accept(task, count, folder, row)
    if schedule is None:
        return
    options = [*list_rules(task.program), *(["--exact"] if task.exact else [])]
    done = run("verify", task.program, "--schedule", schedule, "--mesh", task.mesh, *options)
    if done.returncode in (69, 75):
        row.wrong[count] = f"not run: {read_reason(done.stderr)}"
    elif done.returncode:
        row.wrong[count] = read_reason(done.stderr) if done.stderr else done.stdout.splitlines()[0]
    else:
        row.verified.append(count)


def print_row(row: Row) -> None:
    accepted = ",".join(map(str, row.accepted)) or "-"
    accepted += f" ({row.loops} loops)" if row.loops > 1 else ""
    verified = ",".join(map(str, row.verified)) or "-"
    notes = [f"{count}: {text}" for count, text in row.wrong.items()] + ([row.refusal] if row.refusal else [])
    print(f"{row.name:48} {accepted:17} {verified:8} {'; '.join(notes)[:220]}", flush=True)


def list_programs(folders: list[Path], only: str) -> list[Path]:
    found = [path for folder in folders for path in sorted(folder.glob("*.mlir"))]
    chosen = [path for path in found if path.name.endswith(".tiny.mlir") or path.name.startswith("others.")]
    return [path for path in chosen if re.search(only, path.name)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(FOLDERS))
    parser.add_argument("--only", default="")
    parser.add_argument("--counts", default="2,3,4")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mesh", default="data=1", help="one axis, over which the batch is split as well")
    parser.add_argument("--floats", action="store_true", help="also within the bounds of floats")
    parser.add_argument("--table", action="store_true", help="write the tables of docs/microbatches.md")
    given = parser.parse_args()
    counts = tuple(int(count) for count in given.counts.split(","))
    tasks = [Task(path, counts, given.mesh, not given.floats) for path in list_programs(given.folders, given.only)]
    print(f"{'program':48} {'accepted':17} {'verified':8} why not")
    rows = []
    with multiprocessing.Pool(given.jobs) as pool:
        for row in pool.imap(check, tasks):
            if row:
                rows.append(row)
                print_row(row)
    failed = summarize(rows, counts)
    if given.table:
        write_page(rows)
    stale = find_stale(rows) if LISTED in counts else []
    if stale:
        print(f"docs/microbatches.md says something else of {', '.join(stale)}: --table writes it")
    return 1 if stale else failed


# ======================================================================================================================
# The page
# ======================================================================================================================


def shorten(reason: str) -> str:
    """The file of a line without its folders, which differ from one machine to the next."""
    return re.sub(r"(?<![\w.])/\S*/(?=\S+\.py:)", "", reason).replace("|", "\\|")


def list_entries(rows: list[Row]) -> dict[str, str]:
    """What the page says of each program, but for those that run in one loop."""
    entries = {}
    for row in rows:
        if LISTED in row.reasons:
            entries[row.name] = shorten(row.reasons[LISTED])
        elif row.loops > 1:
            entries[row.name] = f"runs in {row.loops} loops"
    return entries


def read_page() -> dict[str, str]:
    cells = re.findall(r"^\| `([^`]+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(cells)


def write_page(rows: list[Row]) -> None:
    """Replaces the counts and the tables, which stand at the end."""
    entries = list_entries(rows)
    refused = {name: text for name, text in entries.items() if not text.startswith("runs in ")}
    several = {name: text for name, text in entries.items() if name not in refused}
    page = PAGE.read_text()
    text = page[: page.index("## All programs")]
    text += (
        f"## All programs\n\n{len(rows) - len(refused)} of {len(rows)} training programs accept {LISTED} microbatches, "
    )
    text += f"{len(several)} of them in several loops; {len(refused)} are refused.\n"
    for title, listed in (("refused", refused), ("several loops", several)):
        text += f"\n| {title} | |\n| --- | --- |\n"
        text += "".join(f"| `{name}` | {reason} |\n" for name, reason in sorted(listed.items()))
    PAGE.write_text(text)


def find_stale(rows: list[Row]) -> list[str]:
    """Programs of which the page says something else."""
    page, entries = read_page(), list_entries(rows)
    return sorted(row.name for row in rows if page.get(row.name) != entries.get(row.name))


# ======================================================================================================================


def is_wrong(text: str) -> bool:
    return not text.startswith("not run: ")


def summarize(rows: list[Row], counts: tuple[int, ...]) -> int:
    accepted = [row for row in rows if row.accepted]
    several = sum(row.loops > 1 for row in accepted)
    wrong = [row.name for row in rows if any(map(is_wrong, row.wrong.values()))]
    numbers = ",".join(map(str, counts))
    print(
        f"{len(accepted)} of {len(rows)} training programs accept microbatches ({numbers}), {several} in several loops"
    )
    if wrong:
        print(f"wrong: {', '.join(wrong)}")
    return 1 if wrong or len(accepted) < GOAL * len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
