"""Holds what `partita plan` writes against what it wrote when `test/Golden/recorded.json` was made.

python scripts/check_golden.py [--only REGEX] [--jobs 2]     says which files differ; exit code 1 if any does
python scripts/check_golden.py --record                      writes the record anew

Each case is a tiny program of the zoo with one of its schedules, or searched for; the files are plan.json, local.mlir,
annotated.mlir and report.json. A case whose program is not the recorded one, as another version of JAX writes it, is
counted apart: its files say nothing.

A change that means to change plans records them anew, and its commit says what changed and why.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models import exported, registry  # noqa: E402

RECORD = ROOT / "test" / "Golden" / "recorded.json"
SCHEDULES = ROOT / "models" / "schedules"
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
FILES = ("plan.json", "local.mlir", "annotated.mlir", "report.json")
MESH, MACHINE = "data=4,model=2", "h100-sxm:1x8"
# Ways to search that the tests use: the default, one axis on another machine, a limit that binds, the baselines.
SEARCHES = {
    "search": ["--mesh", MESH, "--machine", MACHINE],
    "search-tpu": ["--mesh", "data=8", "--machine", "tpu-v5e:2x4"],
    "search-limit": ["--mesh", MESH, "--machine", MACHINE, "--memory-limit", "1MB"],
    "search-devices": ["--devices", "8", "--machine", MACHINE, "--budget", "200"],
    "search-beam": ["--mesh", MESH, "--machine", MACHINE, "--search", "beam", "--budget", "200"],
    "search-random": ["--mesh", MESH, "--machine", MACHINE, "--search", "random", "--budget", "200"],
}
DONE, DOES_NOT_FIT = 0, 11

Digests = dict[str, str]


@dataclass(frozen=True)
class Case:
    name: str
    model: str
    options: list[str]


def list_cases() -> list[Case]:
    cases = []
    for model in registry.ZOO:
        for schedule in sorted(SCHEDULES.glob(f"{model}.*.json")):
            options = ["--mesh", MESH, "--machine", MACHINE, "--schedule", str(schedule)]
            cases.append(Case(schedule.stem, model, options))
        cases += [Case(f"{model}.{name}", model, options) for name, options in SEARCHES.items()]
    return cases


def digest(path: Path) -> str:
    """Of a file as version 0.1.0 would write it, with which the record began: a new version alone changes nothing."""
    if not path.is_file():
        return "none"
    text = re.sub(rb'("partita": ?)"[0-9.]+"', rb'\1"0.1.0"', path.read_bytes())
    return hashlib.sha256(text).hexdigest()[:16]


def run_case(case: Case) -> Digests:
    """The digests of the program and of what was written, and the exit code."""
    program = exported.find(f"{case.model}.tiny")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(PARTITA), "plan", str(program), *case.options, "--threads", "1", "-o", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        written = {name: digest(Path(folder) / name) for name in FILES}
    if done.returncode not in (DONE, DOES_NOT_FIT):
        written["error"] = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message"
    return {"program": digest(program), "exit": str(done.returncode)} | written


def compare(found: dict[str, Digests], recorded: dict[str, Digests]) -> int:
    """Prints what differs; gives the number of cases that do."""
    same = different = other = 0
    for name, digests in found.items():
        known = recorded.get(name)
        if known is None or known["program"] != digests["program"]:
            other += 1
            continue
        changed = [key for key in known | digests if known.get(key) != digests.get(key)]
        if changed:
            different += 1
            print(f"{name}: {', '.join(changed)} differ" + (f" ({digests['error']})" if "error" in digests else ""))
        else:
            same += 1
    print(f"golden: {same} cases are as recorded, {different} differ, {other} are of another program")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the record anew")
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    cases = [case for case in list_cases() if re.search(options.only, case.name)]
    for model in sorted({case.model for case in cases}):
        exported.find(f"{model}.tiny")
    with ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip([case.name for case in cases], pool.map(run_case, cases), strict=True))
    if options.record:
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        RECORD.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
        print(f"golden: {len(found)} cases recorded")
        return 0
    return 1 if compare(found, json.loads(RECORD.read_text())) else 0


if __name__ == "__main__":
    sys.exit(main())
