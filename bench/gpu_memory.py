"""What XLA's GPU pipeline allocates for local programs of real size, without the GPUs they are for.

    python bench/gpu_memory.py prepare FOLDER           plans the rows below; a text each, and an index
    python bench/gpu_memory.py measure FOLDER FILE      with one GPU and JAX for it: compiles them, writes rows

`measure` needs nothing of Partita. XLA is told of eight GPUs (jax_mock_gpu_topology) and compiles for all of them; what
it then says of the memory of one is recorded in bench/data/gpu_memory.json, which `make accuracy` compares with
Partita's own figures. A row remembers the hash of its text: it speaks of that program alone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models import exported  # noqa: E402

BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
RECORDED = ROOT / "bench" / "data" / "gpu_memory.json"
MEASURED = ("argument", "output", "alias", "temp", "generated_code")

ROWS = [
    ("llama_scan_remat.8b", "llama_scan", "data=4,model=2", "BP BP+MP BP+Z3 BP+MP+Z2 BP+MP+Z3"),
    ("llama_scan_remat.8b", "llama_scan", "data=4,model=2", "BP+MP+SEQ BP+EMB BP+MP+VOCAB"),
    ("llama_scan_remat.8b", "llama_scan", "data=2,model=4", "BP+MP BP+MP+Z3"),
    ("llama_scan.8b", "llama_scan", "data=4,model=2", "BP BP+MP BP+MP+Z3"),
    ("llama_scan_accum.8b", "llama_scan_accum", "data=4,model=2", "BP BP+MP+Z3"),
    ("gpt_scan_remat.t32", "gpt_scan", "data=4,model=2", "BP BP+MP BP+MP+Z2 BP+MP+Z3"),
    ("decode_scan.it32", "decode_scan", "data=4,model=2", "BP MP BP+MP BP+MQ+MP"),
    ("unet.full", "unet", "data=4,model=2", "BP BP+MP BP+Z3"),
    ("resnet.resnet50", "resnet", "data=4,model=2", "BP BP+Z2"),
    ("gns_scan.full", "gns_scan", "data=4,model=2", "ES ES+Z3"),
    ("rnn_lstm.large", "rnn", "data=4,model=2", "BP BP+Z3"),
]  # fmt: skip
"""Program, family of schedules, mesh, schedules."""


def list_rows() -> list[tuple[str, str, str, str]]:
    return [(program, family, mesh, name) for program, family, mesh, names in ROWS for name in names.split()]


def run_partita(*words: str | Path) -> str:
    """What the tool prints; RuntimeError with its message if it fails."""
    done = subprocess.run([BIN / "partita", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def lower(program: Path, mesh: str, schedule: Path) -> str:
    """The text of the local program."""
    return run_partita("plan", program, "--mesh", mesh, "--schedule", schedule, "--stop-after=lower")


def plan(program: Path, schedule: str, mesh: str) -> str:
    """The same for a schedule of the zoo."""
    return lower(program, mesh, ROOT / "models" / "schedules" / f"{schedule}.json")


def write_texts(folder: Path, rows: Iterable[tuple[dict[str, str], str]]) -> None:
    """Packs the text of each row, and writes an index of them with their hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for row, text in rows:
        digest = hashlib.sha256(text.encode()).hexdigest()
        name = f"{digest[:16]}.mlir.gz"
        (folder / name).write_bytes(gzip.compress(text.encode(), mtime=0))
        index.append({**row, "sha256": digest, "file": name})
        print(*row.values(), len(text), flush=True)
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def prepare(folder: Path) -> None:
    write_texts(
        folder,
        (
            (
                {"program": program, "mesh": mesh, "schedule": f"{family}.{name}"},
                plan(exported.find(program), f"{family}.{name}", mesh),
            )
            for program, family, mesh, name in list_rows()
        ),
    )


def compile_text(text: str, flags: dict[str, Any] | None = None) -> Any:
    """XLA's executable for the mocked GPUs, under flags of its own."""
    import jax
    import numpy as np
    from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    devices = jax.devices()
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, len(devices)
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = 1, len(devices)
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = True
    options.device_assignment = xla_client.DeviceAssignment.create(
        np.array([[device.id for device in devices]], np.int32)
    )
    build.device_assignment = options.device_assignment
    options.env_option_overrides = list((flags or {}).items())
    with make_ir_context():
        code = module_to_bytecode(ir.Module.parse(text))
    client = devices[0].client
    return client.compile_and_load(code, xla_client.DeviceList(tuple(devices)), options)


def measure(folder: Path, out: Path) -> None:
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_autotune_level=0".strip()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    jax.config.update("jax_mock_gpu_topology", "1x8x1")
    rows = []
    for entry in json.loads((folder / "index.json").read_text()):
        text = gzip.decompress((folder / entry["file"]).read_bytes()).decode()
        start = time.perf_counter()
        row = {key: entry[key] for key in ("program", "mesh", "schedule", "sha256")}
        try:
            stats = compile_text(text).get_compiled_memory_stats()
            row |= {f"{name}_bytes": getattr(stats, f"{name}_size_in_bytes") for name in MEASURED}
            row["peak_bytes"] = stats.peak_memory_in_bytes
        except Exception as error:  # whatever XLA says is the row's result
            row["error"] = str(error)[:500]
        rows.append(row)
        print(f"{time.perf_counter() - start:6.1f} s", json.dumps(row), flush=True)
        made = {
            "jax": jax.__version__,
            "device": jax.devices()[0].device_kind,
            "topology": "1x8x1",
            "flags": os.environ["XLA_FLAGS"],
        }
        out.write_text(
            json.dumps({"made_by": "python bench/gpu_memory.py measure", **made, "rows": rows}, indent=1) + "\n"
        )


def run_command(
    description: str | None,
    prepare: Callable[[Path], None],
    measure: Callable[[Path, Path], None],
    table: Callable[..., None] | None = None,
    table_options: dict[str, dict[str, Any]] | None = None,
) -> int:
    """`prepare FOLDER` here, `measure FOLDER FILE` where the GPU is, `table FILE` of what it wrote.

    `table_options` are words that `table` takes by name, each with what argparse is told of it.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("prepare").add_argument("folder", type=Path)
    measuring = commands.add_parser("measure")
    measuring.add_argument("folder", type=Path)
    measuring.add_argument("file", type=Path)
    if table is not None:
        printing = commands.add_parser("table")
        printing.add_argument("file", type=Path)
        for name, settings in (table_options or {}).items():
            printing.add_argument(f"--{name}", **settings)
    options = parser.parse_args()
    if options.command == "prepare":
        prepare(options.folder)
    elif options.command == "measure":
        measure(options.folder, options.file)
    elif table is not None:
        table(options.file, **{name: getattr(options, name) for name in table_options or {}})
    return 0


if __name__ == "__main__":
    sys.exit(run_command(__doc__, prepare, measure))
