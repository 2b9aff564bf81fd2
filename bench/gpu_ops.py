"""Single ops and fused tails (`gpu_op_rows.py`), timed on one real GPU.

    python bench/gpu_ops.py measure FILE [--seconds N] [--only REGEX] [--graphs] [--texts FILE [--again]]

`measure` needs a GPU and JAX for it, and the package's sources, but not its tool. It adds to what FILE has already and
stops behind the batch in which the seconds are over, so that several runs make one file. With `--graphs` XLA may join
kernels to graphs, as it does by default; else it may not, because a graph does not say which program its kernels belong
to. Rows come in an order that has nothing to do with their sizes. For each it writes

kernel_us    what the GPU's own clock says of the kernels and copies of one execution, added up; it goes through sets of
             arguments and results that together are several times larger than the cache
kernels      how many there are
wall_us      of chains of kernels, and of all with `--graphs`: one of many executions that were queued, so that what the
             host does is hidden as far as it can be; operands may come from the cache

With `--texts` the names and times of kernels, and what XLA compiled, are kept of the rows that constants may be chosen
on, and of no others; with `--again` these alone are run.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gpu_op_row import may_decide

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from partita._src.kernel_times import call_in_turn, read_kernels  # noqa: E402

RECORDED = ROOT / "bench" / "data" / "gpu_ops.json"
BATCH, COMPILERS, TRACED, ROUNDS = 64, 16, 5, 5
#: Calls of one round take about so long.
ROUND_SECONDS = 0.01
FLAGS = "--xla_gpu_enable_command_buffer="


def make_inputs(arguments: tuple[tuple[tuple[int, ...], str], ...]) -> list[Any]:
    """Small random floats; integers are indices that stay small."""
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    inputs = []
    for number, (shape, kind) in enumerate(arguments):
        part = jax.random.fold_in(key, number)
        if kind in ("int32", "int8"):
            inputs.append(jax.random.randint(part, shape, 0, 100, jnp.int32).astype(kind))
        elif kind == "complex64":
            inputs.append(jax.random.normal(part, shape, kind))
        else:
            inputs.append((0.1 * jax.random.normal(part, shape, jnp.float32)).astype(kind))
    return inputs


def compile_inputs(row: Any) -> Any:
    """A program that makes the arguments: one compilation instead of one for each op of each shape."""
    import jax

    return jax.jit(lambda: make_inputs(row.arguments)).lower().compile()


def compile_row(number: int, row: Any) -> Any:
    """The executable, under a name that the trace shows; or what XLA says instead."""
    import jax

    def run(*args: Any) -> Any:
        return row.function(*args)

    run.__name__ = f"row{number}"
    try:
        return jax.jit(run).lower(*(jax.ShapeDtypeStruct(shape, kind) for shape, kind in row.arguments)).compile()
    except Exception as error:  # whatever XLA says is the row's result
        return str(error)[:300]


def time_queued(executable: Any, inputs: list[Any]) -> float:
    """Seconds of one execution of many in a queue: the median round."""
    import jax

    def time_calls(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            out = executable(*inputs)
        jax.block_until_ready(out)
        return (time.perf_counter() - start) / calls

    time_calls(1)
    calls = max(1, min(100, math.ceil(ROUND_SECONDS / time_calls(2))))
    return statistics.median(time_calls(calls) for _ in range(ROUNDS))


def read_trace(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """For each module, the name and the microseconds of every kernel and copy."""
    found: dict[str, list[tuple[str, float]]] = {}
    for module, name, duration in read_kernels(folder):
        found.setdefault(module, []).append((name, duration / 1000))
    return found


def describe_kernels(executable: Any, seen: list[tuple[str, float]], calls: int) -> dict[str, Any]:
    """Each kernel with its calls and microseconds in one execution, and the compiled text."""
    kernels: dict[str, list[float]] = {}
    for name, duration in seen:
        kernels.setdefault(name, []).append(duration)
    return {
        "kernels": [
            [name, round(len(times) / calls, 2), round(sum(times) / calls, 3)] for name, times in kernels.items()
        ],
        "text": executable.as_text(),
    }


def measure_batch(batch: list[tuple[int, Any]], texts: dict[str, Any], has_graphs: bool) -> Iterator[dict[str, Any]]:
    import jax

    with ThreadPoolExecutor(COMPILERS) as pool:
        makers = list(pool.map(lambda each: compile_inputs(each[1]), batch))
        compiled = list(pool.map(lambda each: compile_row(*each), batch))
    made = [each for each in zip(batch, compiled, makers, strict=True) if not isinstance(each[1], str)]
    walls: dict[int, float] = {}
    for (number, row), executable, maker in made:
        inputs = maker()
        jax.block_until_ready(executable(*inputs))
        if has_graphs or row.kind == "chain":
            walls[number] = time_queued(executable, inputs)
    calls: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for (number, _), executable, maker in made:
                calls[number] = call_in_turn(executable, maker, TRACED)
        kernels = read_trace(Path(folder))
    for (number, row), executable in zip(batch, compiled, strict=True):
        result: dict[str, Any] = {"kind": row.kind, "name": row.name}
        if isinstance(executable, str):
            result["error"] = executable
        else:
            seen = kernels.get(f"row{number}", [])
            total = sum(duration for _, duration in seen)
            count = calls[number]
            result |= {"kernel_us": round(total / count, 3), "kernels": round(len(seen) / count, 2)}
            if number in walls:
                result["wall_us"] = round(walls[number] * 1e6, 2)
            if may_decide(row.name):
                texts[row.name] = describe_kernels(executable, seen, count)
        yield result


def measure(options: argparse.Namespace) -> None:
    file, seconds, only = options.file, options.seconds, options.only
    if not options.graphs:
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}"
    import jax

    from gpu_op_rows import build_rows

    start = time.monotonic()
    known = json.loads(file.read_text())["rows"] if file.exists() else []
    done = {row["name"] for row in known}
    rows = [
        (number, row)
        for number, row in enumerate(build_rows())
        if row.name not in done and re.search(only, row.name) and (may_decide(row.name) or not options.again)
    ]
    rows.sort(key=lambda each: hashlib.sha256(each[1].name.encode()).hexdigest())
    made = {
        "made_by": "python bench/gpu_ops.py measure",
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
    }
    texts: dict[str, Any] = {}
    for begin in range(0, len(rows), BATCH):
        if time.monotonic() - start > seconds:
            break
        for result in measure_batch(rows[begin : begin + BATCH], texts, options.graphs):
            known.append(result)
            print(json.dumps(result), flush=True)
        known.sort(key=lambda row: (row["kind"], row["name"]))
        file.write_text(json.dumps({**made, "rows": known}, indent=1) + "\n")
        if options.texts:
            options.texts.write_bytes(gzip.compress(json.dumps(texts).encode(), mtime=0))
    print(f"{len(known)} rows, {len(rows)} were to be measured, {time.monotonic() - start:.0f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["measure"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--only", default="")
    parser.add_argument("--graphs", action="store_true")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--again", action="store_true")
    measure(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
