"""Products in pieces on eight GPUs: what XLA's schedule runs beside their permutes, and what Partita says.

    python bench/gpu_pieces.py prepare FOLDER          plans the rows below, in pieces and not; texts, and an index
    python bench/gpu_pieces.py measure FOLDER FILE     with JAX for GPUs: compiles them, writes FILE
    python bench/gpu_pieces.py table FILE              both forms of each row: bytes hidden, memory, time

As bench/gpu_schedules.py, which says how XLA is told of the GPUs. What runs in pieces is what the price chooses.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import gpu_memory
import gpu_schedules
from gpu_schedules import MACHINE, ROOT, count_sent_bytes, count_share, share

RECORDED = ROOT / "bench" / "data" / "gpu_pieces.json"
ROWS = [
    ("llama_scan_remat.8b", "llama_scan.BP+MP+SEQ", "data=2,model=4"),
    ("gpt_scan_remat.t32", "gpt_scan.BP+MP+SEQ", "data=2,model=4"),
    ("gpt_scan_remat.t32", "gpt_scan.BP+MP+SEQ", "data=4,model=2"),
]
FORMS = {"whole": "--forbid=matmul", "pieces": "--allow=matmul"}


def plan(row: tuple[str, str, str], form: str, folder: Path) -> tuple[dict[str, Any], str]:
    """The report, and the local program."""
    program, schedule, mesh = row
    where: list[str | Path] = ["--mesh", mesh, "--machine", MACHINE, FORMS[form], "-o", folder]
    given = ROOT / "models" / "schedules" / f"{schedule}.json"
    gpu_memory.run_partita("plan", gpu_schedules.find_program(program), "--schedule", given, *where)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report, (folder / "local.mlir").read_text()


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for row in ROWS:
        for form in FORMS:
            text = plan(row, form, folder / "plan")[1]
            digest = hashlib.sha256(text.encode()).hexdigest()
            (folder / f"{digest[:16]}.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
            program, schedule, mesh = row
            named = {"program": program, "kind": schedule, "mesh": mesh, "form": form}
            index.append(named | {"sha256": digest, "size": len(text)})
    (folder / "index.json").write_text(json.dumps(index) + "\n")


def describe(row: dict[str, Any], folder: Path) -> str:
    report, text = plan((row["program"], row["kind"], row["mesh"]), row["form"], folder)
    said = [(count_sent_bytes(each), each["exposed_ps"] <= 0.5 * each["time_ps"]) for each in report["reshards"]]
    permutes, hidden, *_ = row["overlap"].get("collective_permute", (0, 0))
    star = " " if hashlib.sha256(text.encode()).hexdigest() == row["sha256"] else "*"
    return (
        f"  {row['form']:7}{star} {permutes:2} permutes, {hidden:2} of them hidden; "
        f"of all bytes {count_share(row['overlap']):3.0%} hidden, said {share(said):3.0%}; "
        f"XLA {row['peak_bytes'] / 1e9:6.2f} GB, said {report['peak_bytes'] / 1e9:6.2f}; "
        f"step {report['time_ps'] / 1e9:7.1f} ms, timeline {report['simulated_ps'] / 1e9:7.1f}"
    )


def table(file: Path) -> None:
    previous = ""
    for row in json.loads(file.read_text())["rows"]:
        if (label := f"{row['program']} {row['kind']} {row['mesh']}") != previous:
            print(label)
        previous = label
        with tempfile.TemporaryDirectory() as folder:
            print(describe(row, Path(folder)))


if __name__ == "__main__":
    sys.exit(gpu_memory.run_command(__doc__, prepare, gpu_schedules.measure, table))
