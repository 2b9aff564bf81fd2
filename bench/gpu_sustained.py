"""What a GPU does under load: ops and parts of transformers repeated for about a second each, on one real GPU.

    python bench/gpu_sustained.py measure FILE [--count N]    with a GPU and JAX for it

`gpu_ops.py` times an op a few times on a cool device, whose clock is then at its highest. Training steps run for hours:
products draw more power than the board may take, and the clock falls. Rows are those of `gpu_op_rows.py` that take long
enough and draw power, and the programs of `gpu_timing.py`. For each it writes

sustained_us   one execution, in the second half of about a second of them
burst_us       one execution of the first few, on a device that rested
clock_mhz      the median clock while `sustained_us` was taken
power_w        the median power
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gpu_ops
import gpu_timing

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "bench" / "data" / "gpu_sustained.json"
KINDS = ("product", "batched product", "attention", "convolution", "elementwise", "optimizer", "norm", "cross-entropy")
#: Shorter ops wait for the host when they are queued one by one.
LEAST_US = 150
REST_SECONDS, LOAD_SECONDS, BURST_CALLS = 0.3, 1.0, 3


class Sampler:
    """Clock and power, read every 20 ms beside what runs."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, float, float]] = []
        query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits", "-lms", "20"]
        self.process = subprocess.Popen(query, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            clock, power = (float(part) for part in line.split(","))
            self.samples.append((time.perf_counter(), clock, power))

    def median_since(self, start: float) -> tuple[float, float]:
        seen = [sample for sample in self.samples if sample[0] >= start] or [(0.0, 0.0, 0.0)]
        return statistics.median(s[1] for s in seen), statistics.median(s[2] for s in seen)


def load(call: Any, sampler: Sampler) -> dict[str, float]:
    import jax

    jax.block_until_ready(call())
    time.sleep(REST_SECONDS)

    def run(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            out = call()
        jax.block_until_ready(out)
        return (time.perf_counter() - start) / calls

    burst = run(BURST_CALLS)
    calls = max(1, int(LOAD_SECONDS / 8 / burst))
    for _ in range(4):
        run(calls)
    start = time.perf_counter()
    sustained = statistics.median(run(calls) for _ in range(4))
    clock, power = sampler.median_since(start)
    return {
        "sustained_us": round(sustained * 1e6, 2),
        "burst_us": round(burst * 1e6, 2),
        "clock_mhz": clock,
        "power_w": round(power, 1),
    }


def list_calls(count: int) -> Any:
    """Kind, name and a call for each program and for so many rows."""
    import jax

    from gpu_op_rows import build_rows

    known = {row["name"]: row.get("kernel_us", 0) for row in json.loads(gpu_ops.RECORDED.read_text())["rows"]}
    for name, (function, arguments) in gpu_timing.build_programs().items():
        shapes = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in arguments]
        executable = jax.jit(function, keep_unused=True).lower(*shapes).compile()
        inputs = gpu_timing.make_inputs([(list(shape), kind) for shape, kind in arguments])
        yield "program", name, lambda executable=executable, inputs=inputs: executable(*inputs)
    rows = [row for row in build_rows() if row.kind in KINDS and (known.get(row.name) or 0) >= LEAST_US]
    rows.sort(key=lambda row: hashlib.sha256(row.name.encode()).hexdigest())
    rows = rows[:count]
    # All at first: XLA times kernels while it compiles.
    with ThreadPoolExecutor(gpu_ops.COMPILERS) as pool:
        compiled = list(pool.map(lambda each: gpu_ops.compile_row(*each), enumerate(rows)))
    for row, executable in zip(rows, compiled, strict=True):
        if isinstance(executable, str):
            continue
        inputs = gpu_ops.make_inputs(row.arguments)
        yield row.kind, row.name, lambda executable=executable, inputs=inputs: executable(*inputs)


def measure(file: Path, count: int) -> None:
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {gpu_ops.FLAGS}"
    import jax

    sampler, rows = Sampler(), []
    made = {"made_by": "python bench/gpu_sustained.py measure", "jax": jax.__version__}
    for kind, name, call in list_calls(count):
        rows.append({"kind": kind, "name": name, **load(call, sampler)})
        print(json.dumps(rows[-1]), flush=True)
        device = jax.devices()[0].device_kind
        file.write_text(json.dumps({**made, "device": device, "rows": rows}, indent=1) + "\n")
    sampler.process.terminate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=1000, help="of single ops")
    options = parser.parse_args()
    measure(options.file, options.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
