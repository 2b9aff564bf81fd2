"""What XLA allocates for local programs of real size on eight CPU devices.

    python bench/cpu_memory.py prepare FOLDER           plans the rows below; texts and an index
    python bench/cpu_memory.py measure FOLDER FILE      compiles them (they are not run), writes rows

CPUs compute bf16 in f32, take no donations, and by default hoist gathers out of loops, combine reductions and schedule
for concurrency: the programs are in f32 and without donation here, and FLAGS switch the rest off. What is left is
recorded in bench/data/cpu_memory.json, which `make accuracy` compares with Partita's figures for the same programs.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import time
from pathlib import Path

from gpu_memory import MEASURED, compile_text, plan, run_command, write_texts
from models import exported

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "bench" / "data" / "cpu_memory.json"
PROGRAMS = ROOT / "build" / "accuracy" / "f32"
FLAGS = (
    "--xla_force_host_platform_device_count=8 "
    "--xla_disable_hlo_passes=while-loop-invariant-code-motion,cpu-all-reduce-combiner "
    "--xla_cpu_enable_concurrency_optimized_scheduler=false"
)

MESH = "data=4,model=2"
ROWS = [
    ("llama_scan_remat.8b", "llama_scan", "BP+MP BP+MP+Z3"),
    ("gpt_scan_remat.t32", "gpt_scan", "BP+MP BP+MP+Z2"),
    ("decode_scan.it32", "decode_scan", "BP BP+MP"),
    ("gns_scan.full", "gns_scan", "ES ES+Z3"),
    ("rnn_lstm.large", "rnn", "BP BP+Z3"),
    ("resnet.resnet50", "resnet", "BP"),
]
"""Program, family of schedules, schedules."""


def list_rows() -> list[tuple[str, str]]:
    """Programs and schedules."""
    return [(program, f"{family}.{name}") for program, family, names in ROWS for name in names.split()]


def write_f32(program: str) -> Path:
    """The program in f32 and without donation."""
    text = exported.find(program).read_text()
    # Bits of a bf16 are the upper half of an f32's.
    text = re.sub(r"dense<0x([0-9A-F]{4})>(?= : tensor<[0-9x]*bf16>)", r"dense<0x\g<1>0000>", text)
    text = text.replace("bf16", "f32")
    text = re.sub(r"(, )?(tf\.aliasing_output = \d+ : i32|jax\.buffer_donor = true)", "", text)
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    path = PROGRAMS / f"{program}.mlir"
    path.write_text(re.sub(r"\{, ", "{", text))
    return path


def prepare(folder: Path) -> None:
    write_texts(
        folder,
        (
            ({"program": program, "schedule": schedule}, plan(write_f32(program), schedule, MESH))
            for program, schedule in list_rows()
        ),
    )


def measure(folder: Path, out: Path) -> None:
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}".strip()
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    rows = []
    for entry in json.loads((folder / "index.json").read_text()):
        text = gzip.decompress((folder / entry["file"]).read_bytes()).decode()
        start = time.perf_counter()
        row = {key: entry[key] for key in ("program", "schedule", "sha256")}
        try:
            stats = compile_text(text).get_compiled_memory_stats()
            row |= {f"{name}_bytes": getattr(stats, f"{name}_size_in_bytes") for name in MEASURED}
        except Exception as error:  # whatever XLA says is the row's result
            row["error"] = str(error)[:500]
        rows.append(row)
        print(f"{time.perf_counter() - start:6.1f} s", json.dumps(row), flush=True)
        made = {"made_by": "python bench/cpu_memory.py measure", "jax": jax.__version__, "mesh": MESH, "flags": FLAGS}
        out.write_text(json.dumps({**made, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(run_command(__doc__, prepare, measure))
