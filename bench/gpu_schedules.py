"""What XLA's GPU pipeline makes of plans for eight GPUs: peak memory, and what it runs beside each collective.

    python bench/gpu_schedules.py prepare FOLDER       plans the rows that FILE does not have; texts, and an index
    python bench/gpu_schedules.py measure FOLDER FILE  with JAX for GPUs: compiles them, adds rows to FILE
    python bench/gpu_schedules.py table FILE           what was measured, against what Partita says of the same plans;
                                                       --half tuning or report, --only REGEX of the rows' labels

Programs are the zoo's, and those of other packages at full size (models/others/full, in build/full; `make full` writes
them). Schedules that were found are recorded with their row, so that `table` speaks of the plans that were compiled.
XLA is told of eight GPUs and runs with its default flags and those of XLA_FLAGS, but without autotuning. The first rows
were recorded with one GPU (jax_mock_gpu_topology), later ones without any (mocked_gpus.py): both say the same.
Rows are cut in two: one part may be looked at when the model of memory or of overlap is changed, the other is for the
report. The hash of its text decides for a row of the first 58, that of its label and mesh for all others.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import gpu_memory
import mocked_gpus
from gpu_memory import run_partita

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from hlo_schedule import Schedule, read_schedule  # noqa: E402
from models import exported  # noqa: E402

MACHINE = "h200-sxm:1x8"
MESHES = {"found": "data=4,model=2", "fsdp": "data=8"}
FSDP = {"tactics": [{"preset": "fsdp", "axis": "data"}]}
FULL = ROOT / "build" / "full"
RECORDED = ROOT / "bench" / "data" / "gpu_schedules.json"
JOBS = int(os.environ.get("JOBS", "2"))
WALL_S = int(os.environ.get("WALL_S", "3600"))
"""After so long `measure` starts nothing more."""

ROWS = {
    "found": [
        "hf_gpt2_large", "hf_gpt2_xl", "hf_llama_1b", "hf_llama_7b", "hf_bert_large", "hf_clip_large",
        "linen_gpt_1b3_scan_remat", "linen_vit_l16", "linen_moe_16x", "nnx_llama_1b_remat", "nnx_llama_1b_scan_remat",
        "equinox_gpt_350m_scan_remat", "keras_resnet50", "keras_encoder_large", "haiku_resnet50", "jraph_gns",
        "numpyro_topics", "hf_llama_7b_decode", "llama_scan_remat.8b", "gpt_scan_remat.t32", "gpt_remat.t32",
        "unet.full", "decode_scan.it32", "resnet.resnet50", "gns_scan.full", "rnn_lstm.large",
    ],
    "fsdp": [
        "hf_gpt2_large", "hf_llama_1b", "hf_llama_7b", "hf_roberta_large_remat", "linen_gpt_1b3_scan_remat",
        "linen_gpt_350m", "linen_vit_l16", "nnx_llama_1b_scan_remat", "haiku_transformer_350m",
        "equinox_gpt_350m_scan_remat", "keras_encoder_large", "keras_resnet50", "llama_scan_remat.8b", "gpt_remat.t32",
    ],
}  # fmt: skip


MORE = """
gpt_scan.t32 fsdp data=8 --recompute .*
gpt_scan_remat.t32 fsdp data=8 --accumulate 4
gpt_scan_remat.t32 gpt_scan.BP+MP+Z2 data=2,model=4
gpt_scan_remat.t32 gpt_scan.BP+MP+Z3 data=2,model=4
llama_scan.8b fsdp data=8 --recompute .*
llama_scan_accum.8b llama_scan_accum.BP+MP+Z3 data=4,model=2
llama_scan_accum.8b found data=8
llama_scan_remat.8b llama_scan.BP+MP+Z3 data=2,model=4
llama_scan_remat.8b llama_scan.BP+MP+SEQ data=4,model=2
equinox_gpt_350m_scan_remat fsdp data=8 --accumulate 4
equinox_gpt_350m_scan_remat found data=2,model=4
nnx_llama_1b_scan_remat fsdp data=8 --accumulate 4
nnx_llama_1b_scan_remat found data=2,model=4
linen_gpt_1b3_scan_remat fsdp data=8 --accumulate 4
linen_gpt_1b3_scan_remat found data=2,model=4
linen_gpt_1b3_prefill found data=4,model=2
linen_gpt_1b3_prefill fsdp data=8
hf_gpt2_xl_decode found data=4,model=2
decode.it32 decode.BP+MP data=4,model=2
decode_scan.it32 decode_scan.BP+MQ+MP data=4,model=2
rnn_gru.large found data=4,model=2
rnn_gru.large rnn.BP+Z3 data=8
rnn_lstm.large rnn.BP data=8
gns_scan.full gns_scan.ES+Z3 data=8
jraph_gns fsdp data=8
numpyro_topics fsdp data=8
resnet.resnet50 resnet.BP+Z3 data=8
unet.full unet.BP+Z3 data=8
haiku_resnet50 fsdp data=8
gns.full found data=4,model=2
diffusers_sample_sd15 found data=4,model=2
llama_fused.8b fsdp data=8 --recompute .*
llama_remat.8b llama.BP+MP+Z3 data=2,model=4
gpt_fused.t32 gpt_fused.BP+MP+Z3 data=2,model=4 --recompute .*
hf_t5_large fsdp data=8
hf_whisper_medium found data=4,model=2
diffusers_unet_sd15 fsdp data=8
moe_einsum_remat.8x7b moe.EP+BP+Z3 data=4,model=2
linen_gpt_350m fsdp data=8 --recompute .*
keras_encoder_large fsdp data=8 --recompute .*
haiku_transformer_350m fsdp data=8 --recompute .*
hf_gpt2_large fsdp data=8 --recompute .*
hf_llama_1b fsdp data=8 --recompute .*
hf_bert_large fsdp data=8 --recompute .*
hf_clip_large fsdp data=8 --recompute .*
linen_vit_l16 fsdp data=8 --recompute .*
haiku_resnet50 fsdp data=8 --recompute .*
keras_resnet50 fsdp data=8 --recompute .*
gpt_remat.t32 fsdp data=8 --recompute .*
"""
"""Rows that were recorded later: program, kind, mesh, and how the program is rewritten first."""


def find_program(name: str) -> Path:
    path = FULL / f"{name}.mlir"
    return path if path.is_file() else exported.find(name)


@dataclass(frozen=True)
class Plan:
    """What a row is of: `kind` is found, fsdp, or the name of one of the zoo's schedules."""

    program: str
    kind: str
    mesh: str
    rewrites: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return " ".join((self.program, self.kind, *self.rewrites))


LOOKED_AT = {"linen_gpt_350m fsdp --recompute .*"}
"""Labels of rows that were looked at before they were recorded."""


def is_for_report(plan: Plan) -> bool:
    odd = int(hashlib.sha256(f"{plan.label} {plan.mesh}".encode()).hexdigest()[:2], 16) % 2 == 1
    return odd and plan.label not in LOOKED_AT


def list_plans() -> list[Plan]:
    plans = [Plan(name, kind, MESHES[kind]) for kind, names in ROWS.items() for name in names]
    for line in MORE.strip().splitlines():
        program, kind, mesh, *rewrites = line.split()
        plans.append(Plan(program, kind, mesh, tuple(rewrites)))
    return plans


def read_plan(row: dict[str, Any]) -> Plan:
    return Plan(row["program"], row["kind"], row["mesh"], tuple(row.get("rewrites", ())))


def find_schedule(plan: Plan, folder: Path) -> dict[str, Any]:
    """The tactics of a row; those of a search are what it found."""
    if plan.kind == "fsdp":
        return FSDP
    if plan.kind != "found":
        known: dict[str, Any] = json.loads((ROOT / "models" / "schedules" / f"{plan.kind}.json").read_text())
        return known
    where: list[str | Path] = [
        "--mesh",
        plan.mesh,
        "--machine",
        MACHINE,
        "--forbid",
        "accumulate",
        "-o",
        folder / "plan",
    ]
    run_partita("plan", find_program(plan.program), *where, *plan.rewrites)
    found: dict[str, Any] = json.loads((folder / "plan" / "plan.json").read_text())["schedule"]
    return found


def lower(plan: Plan, schedule: Path) -> str:
    """The text of the local program."""
    where: list[str | Path] = ["--mesh", plan.mesh, "--schedule", schedule, "--stop-after=lower"]
    return run_partita("plan", find_program(plan.program), *where, *plan.rewrites)


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    known = {read_plan(row) for row in json.loads(RECORDED.read_text())["rows"]} if RECORDED.is_file() else set()
    index: list[dict[str, Any]] = []
    if (folder / "index.json").is_file():
        index = json.loads((folder / "index.json").read_text())
        known |= {read_plan(row) for row in index}
    for plan in list_plans():
        if plan in known:
            continue
        try:
            schedule = find_schedule(plan, folder)
            (folder / "schedule.json").write_text(json.dumps(schedule))
            text = lower(plan, folder / "schedule.json")
        except RuntimeError as error:
            print(f"{plan.label} is left out: {str(error).splitlines()[0][:200]}", flush=True)
            continue
        digest = hashlib.sha256(text.encode()).hexdigest()
        (folder / f"{digest[:16]}.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        row = {"program": plan.program, "kind": plan.kind, "mesh": plan.mesh, "sha256": digest, "size": len(text)}
        row |= {"rewrites": plan.rewrites} if plan.rewrites else {}
        row["is_reported"] = is_for_report(plan)
        index.append(row | ({} if plan.kind == "fsdp" else {"schedule": schedule}))
        print(plan.label, len(text), flush=True)
        (folder / "index.json").write_text(json.dumps(index) + "\n")


#
# Where the GPU is
#


def summarize_overlap(schedule: Schedule) -> dict[str, list[int]]:
    """By kind: how many collectives there are and how many are hidden, what is sent and what of that is hidden."""
    found: dict[str, list[int]] = {}
    for each in schedule.collectives:
        sent, entry = round(each.sent * each.times), found.setdefault(each.kind, [0, 0, 0, 0])
        for place, amount in enumerate((1, each.is_hidden, sent, sent * each.is_hidden)):
            entry[place] += amount
    return found


def compile_row(folder: Path, number: int, out: Path) -> None:
    """Compiles one row in this process; what XLA says is the row's result."""
    import jax

    row = json.loads((folder / "index.json").read_text())[number]
    text = gzip.decompress((folder / f"{row['sha256'][:16]}.mlir.gz").read_bytes()).decode()
    start = time.perf_counter()
    try:
        made = mocked_gpus.compile_text(text)
        stats = made.get_compiled_memory_stats()
        row |= {f"{name}_bytes": getattr(stats, f"{name}_size_in_bytes") for name in gpu_memory.MEASURED}
        row["peak_bytes"] = stats.peak_memory_in_bytes
        row["overlap"] = summarize_overlap(read_schedule(made.hlo_modules()[0].to_string()))
    except Exception as error:  # whatever XLA says is the row's result
        row["error"] = str(error)[:500]
    row |= {"jax": jax.__version__, "device": "NVIDIA H200, described"}
    row["compile_s"] = round(time.perf_counter() - start, 1)
    (out / f"{number}.json").write_text(json.dumps(row))


def measure(folder: Path, file: Path) -> None:
    """Rows that an earlier run has left in `parts` are not compiled again."""
    parts = file.parent / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    index = json.loads((folder / "index.json").read_text())
    begin = time.monotonic()
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_gpu_autotune_level=0".strip()
    settings = os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}

    def run(number: int) -> None:
        left = WALL_S - (time.monotonic() - begin)
        if left < 10 or (parts / f"{number}.json").is_file():
            return
        command = [sys.executable, __file__, "compile", str(folder), str(number), str(parts)]
        try:
            subprocess.run(command, env=settings, timeout=left, check=False, capture_output=True)
        except subprocess.TimeoutExpired:
            print("not done in time:", index[number]["program"], flush=True)
        print(f"{time.monotonic() - begin:6.0f} s", index[number]["program"], index[number]["kind"], flush=True)

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(run, sorted(range(len(index)), key=lambda number: index[number]["size"])))
    rows = [json.loads(path.read_text()) for path in sorted(parts.glob("*.json"), key=lambda path: int(path.stem))]
    made = {"made_by": "python bench/gpu_schedules.py measure", "topology": mocked_gpus.TOPOLOGY, "flags": flags}
    if file.is_file():
        made = json.loads(file.read_text())
        rows = [*made.pop("rows"), *rows]
    text = ",\n".join(json.dumps(row) for row in rows)
    file.write_text(f'{json.dumps(made)[:-1]}, "rows": [\n{text}\n]}}\n')


#
# What was measured, and what was said
#


@dataclass(frozen=True)
class Row:
    label: str
    is_reported: bool
    predicted: int
    peak: int
    collectives: int
    hidden: int
    hidden_share: float
    said_share: float
    time_ps: int
    simulated_ps: int
    is_same_text: bool

    @property
    def ratio(self) -> float:
        return self.predicted / self.peak

    @property
    def is_near(self) -> bool:
        """Whether the formula and the timeline are within 2%."""
        return abs(self.time_ps - self.simulated_ps) <= 0.02 * self.simulated_ps


def share(pairs: list[tuple[float, bool]]) -> float:
    total = sum(amount for amount, _ in pairs)
    return sum(amount for amount, is_hidden in pairs if is_hidden) / total if total else 1.0


def count_share(overlap: dict[str, list[int]]) -> float:
    """What XLA hides of the bytes that are sent."""
    sent, hidden = (sum(entry[place] for entry in overlap.values()) for place in (2, 3))
    return hidden / sent if sent else 1.0


def count_sent_bytes(reshard: dict[str, Any]) -> float:
    """In proportion to what a device sends: a reduction that keeps all of its result sends it twice."""
    return float(reshard["bytes"]) * (2 if "all_reduce" in reshard["steps"] else 1)


def is_reported(row: dict[str, Any]) -> bool:
    return bool(row.get("is_reported", int(row["sha256"][:2], 16) % 2 == 1))


def compare_row(row: dict[str, Any], folder: Path) -> Row:
    plan, file = read_plan(row), folder / "schedule.json"
    file.write_text(json.dumps(row.get("schedule", FSDP)))
    where = ["--mesh", plan.mesh, "--machine", MACHINE, "--no-bound", "--json"]
    score = json.loads(run_partita("score", find_program(plan.program), "--schedule", file, *where, *plan.rewrites))
    text = lower(plan, file)
    total, hidden = (sum(entry[place] for entry in row["overlap"].values()) for place in range(2))
    said = [(count_sent_bytes(each), each["exposed_ps"] <= 0.5 * each["time_ps"]) for each in score["reshards"]]
    return Row(
        plan.label,
        is_reported(row),
        score["peak_bytes"],
        row["peak_bytes"],
        total,
        hidden,
        count_share(row["overlap"]),
        share(said),
        score["time_ps"],
        score["simulated_ps"],
        hashlib.sha256(text.encode()).hexdigest() == row["sha256"],
    )


def summarize(name: str, rows: list[Row]) -> str:
    errors = sorted(abs(row.ratio - 1) for row in rows)
    kept = [min(1.0, row.hidden_share / row.said_share) for row in rows if row.said_share > 0]
    found = [min(1.0, row.said_share / row.hidden_share) for row in rows if row.hidden_share > 0]
    return (
        f"{name}: {len(rows)} rows; memory: median error {100 * median(errors):.1f}%, 95th percentile "
        f"{100 * errors[int(0.95 * (len(errors) - 1))]:.1f}%, least {min(row.ratio for row in rows):.2f} of XLA's; "
        f"overlap: of the bytes said to be hidden, {100 * mean(kept):.0f}% are (mean), median "
        f"{100 * median(kept):.0f}%; of those that are hidden, {100 * mean(found):.0f}% are said to be (mean); "
        f"formula and timeline within 2%: {sum(row.is_near for row in rows)} of {len(rows)}"
    )


def summarize_flags(rows: list[dict[str, Any]], flags: str) -> list[str]:
    """What flags that let XLA move collectives across iterations change, where that is more than a hundredth."""
    both = [row for row in rows if "pipelined" in row]
    pairs = [(row, count_share(row["overlap"]), count_share(row["pipelined"]["overlap"])) for row in both]
    changed = [pair for pair in pairs if abs(pair[2] - pair[1]) > 0.01]
    if not changed:
        return []
    peak = max(row["pipelined"]["peak_bytes"] / row["peak_bytes"] for row, _, _ in changed)
    before, behind = mean(pair[1] for pair in changed), mean(pair[2] for pair in changed)
    return [
        f"with {flags}",
        f"  the bytes hidden change in {len(changed)} of {len(pairs)} rows: {behind:.0%} (mean), {before:.0%} without; "
        f"at most {peak:.2f} of the memory",
    ]


HALVES = {"tuning": False, "report": True}


def table(file: Path, half: str | None = None, only: str = "") -> None:
    content = json.loads(file.read_text())
    recorded = [row for row in content["rows"] if "peak_bytes" in row and re.search(only, read_plan(row).label)]
    if half:
        recorded = [row for row in recorded if is_reported(row) == HALVES[half]]
    folder = ROOT / "build" / "gpu_schedules"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for row in recorded:
        try:
            rows.append(compare_row(row, folder))
        except (RuntimeError, ValueError) as error:
            print(f"{row['program']} is left out: {str(error).splitlines()[0][:120]}")
    for name, reported in (("rows that may be looked at", False), ("rows for the report", True)):
        if chosen := [row for row in rows if row.is_reported == reported]:
            print(summarize(name, chosen))
    print("\n".join(summarize_flags(recorded, content.get("pipelining_flags", ""))))
    for row in sorted(rows, key=lambda row: row.ratio):
        star = " " if row.is_same_text else "*"
        print(
            f"  {row.label:40}{star} {'report' if row.is_reported else 'tuning'} {row.predicted / 1e9:8.2f} GB, XLA "
            f"{row.peak / 1e9:8.2f}  x{row.ratio:.2f}; hidden {row.hidden:3} of {row.collectives:3} collectives, "
            f"{100 * row.hidden_share:3.0f}% of the bytes, said {100 * row.said_share:3.0f}%; "
            f"formula / timeline {row.time_ps / row.simulated_ps:.3f}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["compile"]:
        compile_row(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
        sys.exit(0)
    words: dict[str, dict[str, Any]] = {
        "half": {"choices": HALVES, "help": "only the rows that may be looked at, or only those for the report"},
        "only": {"default": "", "help": "only rows whose label this pattern finds"},
    }
    sys.exit(gpu_memory.run_command(__doc__, prepare, measure, table, words))
