"""Rotated loops on eight GPUs: what XLA's schedule hides with and without, and what Partita says.

    python bench/gpu_rotated.py prepare FOLDER          lowers the rows below, rotated and not; texts of those that are
                                                        not recorded, and an index
    python bench/gpu_rotated.py measure FOLDER FILE     with JAX for GPUs: compiles them, writes FILE
    python bench/gpu_rotated.py table FILE              both forms of each row: bytes hidden, memory, time;
                                                        --half tuning or report

The rows are plans with loops of bench/data/gpu_schedules.json, with the schedules that are recorded there, and in the
same halves; forms that are not rotated are taken from there, if their texts are still the same. What is rotated is what
the price chooses; a row of which it chooses nothing has one form.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

import gpu_memory
import gpu_schedules
from gpu_schedules import MACHINE, ROOT, Plan, count_sent_bytes, count_share, is_reported, read_plan, share

RECORDED = ROOT / "bench" / "data" / "gpu_rotated.json"
LABELS = """
linen_gpt_1b3_scan_remat found data=4,model=2
linen_gpt_1b3_scan_remat found data=2,model=4
linen_gpt_1b3_scan_remat fsdp data=8
linen_gpt_1b3_scan_remat fsdp --accumulate 4 data=8
equinox_gpt_350m_scan_remat fsdp data=8
equinox_gpt_350m_scan_remat found data=2,model=4
equinox_gpt_350m_scan_remat found data=4,model=2
equinox_gpt_350m_scan_remat fsdp --accumulate 4 data=8
nnx_llama_1b_scan_remat found data=2,model=4
nnx_llama_1b_scan_remat found data=4,model=2
nnx_llama_1b_scan_remat fsdp data=8
gpt_scan.t32 fsdp --recompute .* data=8
gpt_scan_remat.t32 found data=4,model=2
gpt_scan_remat.t32 fsdp --accumulate 4 data=8
llama_scan.8b fsdp --recompute .* data=8
llama_scan_accum.8b found data=8
llama_scan_remat.8b found data=4,model=2
llama_scan_remat.8b fsdp data=8
llama_scan_remat.8b llama_scan.BP+MP+Z3 data=2,model=4
linen_gpt_1b3_prefill fsdp data=8
decode_scan.it32 found data=4,model=2
rnn_gru.large found data=4,model=2
rnn_gru.large rnn.BP+Z3 data=8
gns_scan.full gns_scan.ES+Z3 data=8
"""
FORMS = {"plain": "--forbid=rotate", "rotated": "--allow=rotate"}


def list_rows() -> list[dict[str, Any]]:
    """Rows of the record with their schedules, in the order of the labels."""
    known = json.loads(gpu_schedules.RECORDED.read_text())["rows"]
    rows = {f"{read_plan(row).label} {row['mesh']}": row for row in known}
    return [rows[label] for label in LABELS.strip().splitlines()]


def plan(known: Plan, schedule: dict[str, Any], form: str, folder: Path) -> tuple[dict[str, Any], str]:
    """The report, and the local program without locations, as in the record."""
    folder.mkdir(parents=True, exist_ok=True)
    file, made = folder / "schedule.json", folder / "plan"
    file.write_text(json.dumps(schedule))
    program = gpu_schedules.find_program(known.program)
    where: list[str | Path] = ["--mesh", known.mesh, "--machine", MACHINE, FORMS[form], "--schedule", file, "-o", made]
    gpu_memory.run_partita("plan", program, *where, *known.rewrites)
    report: dict[str, Any] = json.loads((made / "report.json").read_text())
    return report, gpu_memory.run_partita("plan", program, "--plan", made / "plan.json", "--stop-after=lower")


def find_schedule(row: dict[str, Any]) -> dict[str, Any]:
    schedule: dict[str, Any] = row.get("schedule", gpu_schedules.FSDP)
    return schedule


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    index: list[dict[str, Any]] = []
    for row in list_rows():
        known, digests = read_plan(row), {row["sha256"]}
        for form in FORMS:
            report, text = plan(known, find_schedule(row), form, folder / "made")
            digest = hashlib.sha256(text.encode()).hexdigest()
            print(known.label, known.mesh, form, len(report.get("rotate", ())), digest in digests, flush=True)
            if digest in digests:
                continue
            digests.add(digest)
            (folder / f"{digest[:16]}.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
            named: dict[str, Any] = {"program": known.program, "kind": known.kind, "mesh": known.mesh, "form": form}
            named |= {"rewrites": known.rewrites} if known.rewrites else {}
            named |= {"is_reported": is_reported(row), "sha256": digest, "size": len(text)}
            index.append(named | ({} if known.kind == "fsdp" else {"schedule": find_schedule(row)}))
    (folder / "index.json").write_text(json.dumps(index) + "\n")


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Of the file, and forms that are not rotated of the record, where the file has no newer one."""
    rows = [row for row in json.loads(file.read_text())["rows"] if "peak_bytes" in row]
    done = {(read_plan(row), row["form"]) for row in rows}
    plain = [row | {"form": "plain"} for row in list_rows() if (read_plan(row), "plain") not in done]
    labels = LABELS.strip().splitlines()
    return sorted([*plain, *rows], key=lambda row: (labels.index(f"{read_plan(row).label} {row['mesh']}"), row["form"]))


def describe(row: dict[str, Any], folder: Path) -> str:
    report, text = plan(read_plan(row), find_schedule(row), row["form"], folder)
    said = [(count_sent_bytes(each), each["exposed_ps"] <= 0.5 * each["time_ps"]) for each in report["reshards"]]
    star = " " if hashlib.sha256(text.encode()).hexdigest() == row["sha256"] else "*"
    hidden = f"of all bytes {count_share(row['overlap']):4.0%} hidden, said {share(said):4.0%}"
    memory = f"XLA {row['peak_bytes'] / 1e9:6.2f} GB, said {report['peak_bytes'] / 1e9:6.2f}"
    times = f"step {report['time_ps'] / 1e9:7.1f} ms, timeline {report['simulated_ps'] / 1e9:7.1f}"
    return f"  {row['form']:7}{star} {len(report.get('rotate', ())):2} rotated; {hidden}; {memory}; {times}"


def summarize(rows: list[dict[str, Any]]) -> str:
    """Of the plans in which something is rotated."""
    forms: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        forms.setdefault(f"{read_plan(row).label} {row['mesh']}", {})[row["form"]] = row
    pairs = [(each["plain"], each["rotated"]) for each in forms.values() if len(each) == 2]
    shares = [[count_share(row["overlap"]) for row in pair] for pair in pairs]
    peaks = [rotated["peak_bytes"] / plain["peak_bytes"] for plain, rotated in pairs]
    if not pairs:
        return f"nothing is rotated in {len(forms)} plans"
    without, behind = (mean(pair[place] for pair in shares) for place in range(2))
    more = sum(pair[1] > pair[0] + 0.005 for pair in shares)
    less = sum(pair[1] < pair[0] - 0.005 for pair in shares)
    return (
        f"{len(pairs)} of {len(forms)} plans are rotated; XLA hides {without:.0%} of their bytes without and "
        f"{behind:.0%} with it (mean), more in {more} and less in {less}; the peak is {min(peaks):.2f} to "
        f"{max(peaks):.2f} of what it was"
    )


def table(file: Path, half: str | None = None) -> None:
    rows = read_rows(file)
    for name, reported in gpu_schedules.HALVES.items():
        chosen = [row for row in rows if is_reported(row) == reported]
        if half not in (None, name) or not chosen:
            continue
        print(f"{name}: {summarize(chosen)}")
        previous = ""
        for row in chosen:
            if (label := f"{read_plan(row).label} {row['mesh']}") != previous:
                print(label)
            previous = label
            with tempfile.TemporaryDirectory() as folder:
                print(describe(row, Path(folder)))


if __name__ == "__main__":
    words: dict[str, dict[str, Any]] = {
        "half": {
            "choices": gpu_schedules.HALVES,
            "help": "only the rows that may be looked at, or only those for the report",
        },
    }
    sys.exit(gpu_memory.run_command(__doc__, prepare, gpu_schedules.measure, table, words))
