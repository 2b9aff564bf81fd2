"""What XLA's GPU pipeline makes of plans for eight GPUs, and how long one device's share takes on a real one.

    python bench/gpu_plans.py prepare FOLDER          plans the rows below; texts, and an index
    python bench/gpu_plans.py measure FOLDER FILE     with one GPU, JAX for it and build/bin/partita: compiles, runs
    python bench/gpu_plans.py table FILE              what was measured, as docs/gpu.md shows it

Three forms of each plan are compiled for eight GPUs, of which XLA is only told (jax_mock_gpu_topology): the local
program, the annotated one, and the original with the shardings of arguments and results alone. Collectives are counted
behind XLA's partitioner; `rematerialised` is how often it reports that it makes a tensor whole to split it anew.

A *share* is what one device computes: the body of the local program on local shapes, with a stand-in for each
collective that gives a value of its type without talking (a copy for a reduction, copies side by side for a gather,
the first piece for a scatter). Its time is compared with the `compute_ps` that is predicted.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gpu_memory
import gpu_timing
from gpu_memory import run_partita

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "python"), str(ROOT)]

from hlo_traffic import SHORT, read_hlo  # noqa: E402
from models import exported  # noqa: E402
from xla_forms import FORMS, captured_rematerializations, read_forms  # noqa: E402

MACHINE = "h200-sxm:1x8"
MESH = "data=4,model=2"
JOBS = 12
ROWS = [
    ("llama_scan_remat.8b", "llama_scan", "BP BP+MP BP+Z3 BP+MP+Z2 BP+MP+Z3 BP+MP+SEQ found"),
    ("gpt_scan_remat.t32", "gpt_scan", "BP BP+MP BP+MP+Z2 BP+MP+Z3 BP+MP+SEQ found"),
    ("unet.full", "unet", "BP BP+MP BP+Z3 found"),
    ("decode_scan.it32", "decode_scan", "BP+MP found"),
]  # fmt: skip
"""Program, family of schedules, schedules; `found` is searched for on MACHINE."""
SHARES = [
    ("llama_scan_remat.8b", "llama_scan.BP+MP+Z3"),
    ("llama_scan_remat.8b", "llama_scan.found"),
    ("gpt_scan_remat.t32", "gpt_scan.BP+MP+Z3"),
    ("gpt_scan_remat.t32", "gpt_scan.found"),
    ("unet.full", "unet.found"),
    ("decode_scan.it32", "decode_scan.BP+MP"),
]
ALONE = ["llama_scan", "moe_einsum", "unet", "decode_scan"]
"""Models that are planned for one device and run there."""


def list_rows() -> list[tuple[str, str]]:
    return [(program, f"{family}.{name}") for program, family, names in ROWS for name in names.split()]


#
# Texts
#


def count_group(op: Any) -> int:
    """Devices in a group of a collective."""
    groups = op.attributes["replica_groups"]
    return int(groups.type.shape[1])


def take_first(value: Any, dim: int, ways: int) -> Any:
    """The first of `ways` pieces along `dim`."""
    from jaxlib.mlir.dialects import stablehlo

    shape = list(value.type.shape)
    limits = list(shape)
    limits[dim] //= ways
    return stablehlo.slice(value, [0] * len(shape), limits, [1] * len(shape))


def repeat(value: Any, dim: int, ways: int) -> Any:
    from jaxlib.mlir.dialects import stablehlo

    return stablehlo.concatenate([value] * ways, dimension=dim)


def stand_in(op: Any) -> list[Any] | None:
    """Values in place of the results of a collective; None for other ops."""
    import numpy as np
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    def number(name: str) -> int:
        return int(ir.IntegerAttr(op.attributes[name]).value)

    if op.name == "stablehlo.partition_id":
        zero = ir.DenseElementsAttr.get(np.zeros((), np.uint32), type=ir.IntegerType.get_unsigned(32))
        return [stablehlo.constant(zero)]
    if op.name in ("stablehlo.all_reduce", "stablehlo.collective_permute"):
        return list(op.operands)
    if op.name == "stablehlo.all_gather":
        return [repeat(value, number("all_gather_dim"), count_group(op)) for value in op.operands]
    if op.name == "stablehlo.reduce_scatter":
        return [take_first(op.operands[0], number("scatter_dimension"), count_group(op))]
    if op.name == "stablehlo.all_to_all":
        ways = number("split_count")
        pieces = [take_first(value, number("split_dimension"), ways) for value in op.operands]
        return [repeat(value, number("concat_dimension"), ways) for value in pieces]
    return None


def write_share(text: str) -> tuple[str, list[tuple[list[int], str]]]:
    """One device's share of a local program, with shapes and types of its arguments."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func

    with make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        main = next(op for op in module.body.operations if op.operation.name == "func.func")
        manual = next(
            op for op in main.regions[0].blocks[0].operations if op.operation.name == "sdy.manual_computation"
        )
        collectives: list[Any] = []

        def collect(op: Any) -> Any:
            collectives.append(op)
            return ir.WalkResult.ADVANCE

        manual.operation.walk(collect)
        for op in collectives:
            with ir.InsertionPoint(op):
                values = stand_in(op)
            if values is not None:
                for result, value in zip(op.results, values, strict=True):
                    result.replace_all_uses_with(value)
                op.erase()
        block = manual.regions[0].blocks[0]
        inputs = [argument.type for argument in block.arguments]
        last = block.operations[len(block.operations) - 1]
        outputs = [value.type for value in last.operands]
        share = ir.Module.create()
        with ir.InsertionPoint(share.body):
            function = func.FuncOp("main", ir.FunctionType.get(inputs, outputs))
        block.append_to(function.regions[0])
        with ir.InsertionPoint(last):
            func.ReturnOp(list(last.operands))
        last.operation.erase()
        arguments = [(list(kind.shape), str(kind.element_type)) for kind in inputs]
        return str(share), arguments


ELEMENTS = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "i32": "int32", "ui32": "uint32", "i1": "bool"}


def plan(program: str, schedule: str, folder: Path) -> None:
    """Writes the plan's files."""
    file = ROOT / "models" / "schedules" / f"{schedule}.json"
    strategy = ["--machine", MACHINE] if schedule.endswith(".found") else ["--schedule", str(file)]
    run_partita("plan", exported.find(program), "--mesh", MESH, *strategy, "-o", folder)


def predict(program: str, folder: Path) -> dict[str, Any]:
    """Of the plan in this folder."""
    file, of = exported.find(program), folder / "plan.json"
    found = json.loads(run_partita("score", file, "--plan", of, "--machine", MACHINE, "--no-bound", "--json"))
    return {key: found[key] for key in ("time_ps", "compute_ps", "peak_bytes")} | {
        "collectives": {
            kind: sum(entry["count"] for entry in found["collectives"] if entry["kind"] == kind)
            for kind in sorted({entry["kind"] for entry in found["collectives"]})
        }
    }


def prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, Any] = {"plans": [], "shares": []}

    def write(name: str, text: str) -> str:
        (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        return f"{name}.gz"

    for program, schedule in list_rows():
        with tempfile.TemporaryDirectory() as out:
            plan(program, schedule, Path(out))
            texts, predicted = read_forms(Path(out)), predict(program, Path(out))
        name = f"{program}.{schedule}"
        files = {form: write(f"{name}.{form}.mlir", text) for form, text in texts.items()}
        entry = {"program": program, "schedule": schedule, "predicted": predicted}
        index["plans"].append(entry | {"files": files})
        if (program, schedule) in SHARES:
            share, arguments = write_share(texts["local"])
            typed = [(shape, ELEMENTS[element]) for shape, element in arguments]
            index["shares"].append(entry | {"file": write(f"{name}.share.mlir", share), "arguments": typed})
        print(name, flush=True)
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


#
# On the GPU
#


def compile_form(text: str) -> dict[str, Any]:
    """Collectives behind the partitioner, memory, and what XLA complains of while it compiles."""
    with tempfile.TemporaryDirectory() as folder:
        flags = {
            "xla_dump_to": folder, "xla_dump_hlo_pass_re": "spmd-partitioning|shardy", "xla_dump_hlo_as_text": True,
        }  # fmt: skip
        with captured_rematerializations() as warnings:
            stats = gpu_memory.compile_text(text, flags).get_compiled_memory_stats()
        found = sorted(Path(folder).glob("*.after_spmd-partitioning*.txt"))
        counts = dict(read_hlo(found[-1].read_text()).counts) if found else None
    return {"peak_bytes": stats.peak_memory_in_bytes, "rematerialised": len(warnings), "collectives": counts}


def read_text(folder: Path, name: str) -> str:
    return gzip.decompress((folder / name).read_bytes()).decode()


def compile_plan(folder: Path, number: int, out: Path) -> None:
    """Compiles all forms of one plan in this process."""
    import jax

    jax.config.update("jax_mock_gpu_topology", "1x8x1")
    entry = json.loads((folder / "index.json").read_text())["plans"][number]
    entry["measured"] = {}
    for form in FORMS:
        try:
            entry["measured"][form] = compile_form(read_text(folder, entry["files"][form]))
        except Exception as error:  # whatever XLA says is the row's result
            entry["measured"][form] = {"error": str(error)[:500]}
    del entry["files"]
    out.write_text(json.dumps(entry))


def measure_plans(folder: Path, plans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_gpu_autotune_level=0".strip()
    environment = os.environ | {"XLA_FLAGS": flags, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

    def measure_plan(number: int) -> dict[str, Any]:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "plan.json"
            command = [sys.executable, __file__, "compile", str(folder), str(number), str(out)]
            subprocess.run(command, env=environment, check=True, capture_output=True)
            entry: dict[str, Any] = json.loads(out.read_text())
        print(f"{time.perf_counter() - start:6.1f} s", entry["program"], entry["schedule"], flush=True)
        return entry

    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(measure_plan, range(len(plans))))


def measure_shares(folder: Path, shares: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for entry in shares:
        try:
            entry["measured_us"] = round(
                gpu_timing.time_text(read_text(folder, entry["file"]), entry["arguments"]) * 1e6
            )
        except Exception as error:
            entry["error"] = str(error)[:500]
        del entry["arguments"], entry["file"]
        print(entry, flush=True)
    return shares


def measure_alone(model: str) -> dict[str, Any]:
    """Plans a model of the zoo for a mesh of the one device there is, and runs the plan beside `jax.jit`."""
    import jax

    import partita
    from models.compare import run_both
    from models.registry import ZOO

    program = ZOO[model].program("tiny")
    arguments = program.arguments()
    with jax.default_matmul_precision("highest"):
        plan = partita.plan(program.fn, *arguments, mesh={"data": 1}, machine="auto")
        trains = plan.argument_names[0].startswith("state")
        compared = run_both(jax.jit(program.fn), plan.jit(), arguments, steps=3 if trains else 1, feeds_back=trains)
    return {
        "model": model, "platform": plan.platform, "results": compared.leaves,
        "without_digits": len(compared.unstable), "worst": compared.worst,
    }  # fmt: skip


def measure(folder: Path, out: Path) -> None:
    """Each part in a process of its own, or PARTITA_GPU_PART: JAX cannot go from a real to a mocked topology."""
    part = os.environ.get("PARTITA_GPU_PART")
    if part is None:
        for name in ("alone", "shares", "plans"):
            environment = os.environ | {"PARTITA_GPU_PART": name, "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.95"}
            subprocess.run([sys.executable, *sys.argv], env=environment, check=True)
        return
    index = json.loads((folder / "index.json").read_text())
    if part == "plans":
        rows = measure_plans(folder, index["plans"])
    elif part == "shares":
        rows = measure_shares(folder, index["shares"])
    else:
        rows = [measure_alone(model) for model in ALONE]
    import jax

    found = json.loads(out.read_text()) if out.is_file() else {"made_by": "python bench/gpu_plans.py measure"}
    found |= {"jax": jax.__version__, "device": jax.devices()[0].device_kind, "mesh": MESH, part: rows}
    out.write_text(json.dumps(found, indent=1) + "\n")


#
# Table
#


def print_counts(counts: dict[str, int] | None) -> str:
    return ", ".join(f"{counts[kind]} {name}" for kind, name in SHORT.items() if counts.get(kind)) if counts else "none"


def table(file: Path) -> None:
    found = json.loads(file.read_text())
    print("| program, schedule | form | collectives | peak | rematerialised |\n| --- | --- | --- | --- | --- |")
    for entry in found["plans"]:
        predicted = entry["predicted"]
        label, counts = f"{entry['program']} {entry['schedule'].split('.')[1]}", print_counts(predicted["collectives"])
        print(f"| {label} | predicted | {counts} | {predicted['peak_bytes'] / 1e9:.2f} GB | |")
        for form, row in entry["measured"].items():
            if "error" in row:
                print(f"| | {form} | {row['error'].splitlines()[0][:80]} | | |")
                continue
            print(
                f"| | {form} | {print_counts(row['collectives'])} | {row['peak_bytes'] / 1e9:.2f} GB"
                f" | {row['rematerialised']} |"
            )
    print("\n| planned for one device | results | without digits | largest distance of the others |")
    print("| --- | --- | --- | --- |")
    for entry in found["alone"]:
        print(f"| {entry['model']}.tiny | {entry['results']} | {entry['without_digits']} | {entry['worst']:.1e} |")
    print("\n| share of | predicted compute | measured |\n| --- | --- | --- |")
    for entry in found["shares"]:
        taken = (
            f"{entry['measured_us'] / 1e3:.1f} ms" if "measured_us" in entry else entry["error"].splitlines()[0][:80]
        )
        compute = entry["predicted"]["compute_ps"] / 1e9
        print(f"| {entry['program']} {entry['schedule'].split('.')[1]} | {compute:.1f} ms | {taken} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["compile"]:
        compile_plan(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
        sys.exit(0)
    sys.exit(gpu_memory.run_command(__doc__, prepare, measure, table))
