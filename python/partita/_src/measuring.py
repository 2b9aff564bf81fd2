"""`partita.measure`: microbenchmarks on the devices that JAX has, as rows for `partita.calibrate`.

Copies, products and other ops run on one device, collectives over all of them. On GPUs the profiler says what kernels
take, each on operands that lie in memory and not in a cache. Elsewhere, and for collectives, each program runs its op
many times, in turn on different arrays, so that what the host does to start a program is shared by all.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita._src import progress
from partita._src.errors import UsageError
from partita._src.files import write_whole
from partita._src.kernel_times import Program, make_argument, time_kernels
from partita._src.measured_ops import list_ops

_ROUNDS = 5
_ROUND_SECONDS = 0.02
#: All arrays of a program together.
_MOST_BYTES = 1 << 30
#: How often a program goes through its arrays; on CPUs, where an op takes longer than its start, once.
_TRIPS = 16
_TYPES = {"bf16": "bfloat16", "f32": "float32"}
_ROWS = (1, 16, 256, 1536, 6144)
_SIZES = (256, 768, 1536, 3072, 5120, 10240)


#: Programs that are compiled at the same time and traced together.
_BATCH = 48


@dataclass(frozen=True)
class _Benchmark:
    """What a row says, and what is timed: a program on one device, or a function that makes and times its own."""

    row: dict[str, Any]
    work: Program | Callable[[], float]

    @property
    def program(self) -> Program | None:
        return None if callable(self.work) else self.work


def measure(
    output: str | os.PathLike[str] | None = None,
    *,
    devices: Sequence[Any] | None = None,
    seconds: float = 240.0,
    show: bool = True,
) -> list[dict[str, Any]]:
    """Times copies, products and, on several devices, collectives; stops when the seconds are over.

    Returns rows for `partita.calibrate`, and writes them to `output`, one a line. Rows come in an order in which each
    half of the time has a part of every kind.
    """
    import jax

    chosen = list(devices if devices is not None else jax.local_devices())
    if not chosen:
        raise UsageError("there are no devices to measure")
    benchmarks = _list_benchmarks(chosen)
    rows: list[dict[str, Any]] = []
    start = time.monotonic()
    with progress.show_count(show, "measuring") as draw:
        for first in range(0, len(benchmarks), _BATCH):
            if time.monotonic() - start > seconds:
                break
            draw(first, len(benchmarks))
            rows += _measure_batch(benchmarks[first : first + _BATCH], chosen[0], start + seconds)
    if output is not None:
        write_whole(Path(output), "".join(json.dumps(row) + "\n" for row in rows))
    return rows


def _measure_batch(batch: Sequence[_Benchmark], device: Any, end: float) -> Iterator[dict[str, Any]]:
    """Rows, as long as there is time."""
    programs = [each.program for each in batch if each.program is not None]
    by_clock: Iterator[float | None] = iter([None] * len(programs))
    if device.platform == "gpu":
        by_clock = iter(time_kernels(programs, device))
    for each in batch:
        seconds = next(by_clock) if each.program is not None else None
        if seconds is None and time.monotonic() > end:
            continue
        if seconds is None:
            seconds = each.work() if callable(each.work) else _time_program(each.work, device)
        yield {**each.row, "time_us": round(seconds * 1e6, 3)}


def _list_benchmarks(devices: Sequence[Any]) -> list[_Benchmark]:
    """All of them, kinds mixed."""
    scale = 64 if devices[0].platform == "cpu" else 1
    kinds: list[Iterator[_Benchmark]] = [_copies(scale), _products(scale), _ops(scale)]
    if len(devices) > 1:
        kinds.append(_collectives(devices, scale))
    return [each for group in itertools.zip_longest(*kinds) for each in group if each is not None]


def _time(function: Callable[..., Any], arguments: Sequence[Any], count: int) -> float:
    """Seconds of one of the ops that the program runs."""
    import jax

    def run(calls: int) -> float:
        begin = time.perf_counter()
        for _ in range(calls):
            result = function(*arguments)
        jax.block_until_ready(result)
        return (time.perf_counter() - begin) / calls

    run(2)
    calls = max(1, min(50, int(_ROUND_SECONDS / max(run(1), 1e-6))))
    return statistics.median(run(calls) for _ in range(_ROUNDS)) / count


def _in_turn(operation: Callable[..., Any], trips: int) -> Callable[..., list[Any]]:
    """The op on each argument, each behind the one before, and all of it so many times.

    Barriers tie an argument to the results so far, so that no compiler moves the op out of the loop, joins it with the
    next one or changes their order.
    """
    import jax
    import jax.numpy as jnp
    from jax import lax

    def run(*arguments: Any) -> list[Any]:
        def trip(_: Any, results: list[Any]) -> list[Any]:
            found, last = [], results[-1]
            for argument, held in zip(arguments, results, strict=True):
                argument, _, _ = lax.optimization_barrier((argument, held, last))
                last = operation(argument)
                found.append(last)
            return found

        kinds = [jax.eval_shape(operation, argument) for argument in arguments]
        return list(lax.fori_loop(0, trips, trip, [jnp.zeros(kind.shape, kind.dtype) for kind in kinds]))

    return run


def _count_trips(device: Any) -> int:
    return 1 if device.platform == "cpu" else _TRIPS


def _count(bytes_each: int) -> int:
    return max(1, min(16, _MOST_BYTES // max(1, bytes_each)))


def _random(shape: tuple[int, ...], kind: str, sharding: Any, number: int) -> Any:
    import jax

    return jax.device_put(jax.random.normal(jax.random.key(number), shape, "float32").astype(kind) * 0.1, sharding)


def _time_program(program: Program, device: Any) -> float:
    """In a loop over several copies of its arguments."""
    import jax

    function, shapes = program
    count = _count(sum(4 * math.prod(shape) for shape, _ in shapes))
    arguments = [
        tuple(make_argument(shape, kind, 8 * number + place, device) for place, (shape, kind) in enumerate(shapes))
        for number in range(count)
    ]
    trips = _count_trips(device)
    return _time(jax.jit(_in_turn(lambda given: function(*given), trips)), arguments, count * trips)


def _copies(scale: int) -> Iterator[_Benchmark]:
    for half in range(24, 58):
        moved = max(1 << 12, int(2 ** (half / 2)) // scale // 1024 * 1024) // 8
        yield _Benchmark({"kind": "copy", "bytes": moved * 8}, (lambda x: x + 1, (((moved,), "float32"),)))


def _products(scale: int) -> Iterator[_Benchmark]:
    import jax.numpy as jnp

    shapes = [(m, k, n) for m, k, n in itertools.product(_ROWS, _SIZES, _SIZES) if m * k * n <= (1 << 36) // scale]
    for number, (m, k, n) in enumerate(shapes[:: 2 if scale == 1 else 5]):
        short, kind = ("f32", "float32") if number % 4 == 0 else ("bf16", "bfloat16")
        row = {"kind": "product", "sizes": [1, m, k, n], "type": short}
        yield _Benchmark(row, (jnp.matmul, (((m, k), kind), ((k, n), kind))))


def _ops(scale: int) -> Iterator[_Benchmark]:
    import jax

    for op in list_ops(scale):
        function, shapes = op.program
        kinds = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in shapes]
        text = jax.jit(function).lower(*kinds).as_text()
        yield _Benchmark({"kind": "op", "name": op.name, "text": text}, op.program)


def _collectives(devices: Sequence[Any], scale: int) -> Iterator[_Benchmark]:
    import jax
    import numpy as np
    from jax import lax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    count = len(devices)
    mesh = Mesh(np.array(devices), ("peer",))
    split, whole = PartitionSpec("peer"), PartitionSpec()
    forms: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
        "all_reduce": (lambda x: lax.psum(x, "peer"), whole, whole),
        "all_gather": (lambda x: lax.all_gather(x, "peer", tiled=True), split, whole),
        "reduce_scatter": (lambda x: lax.psum_scatter(x, "peer", tiled=True), whole, split),
        "all_to_all": (lambda x: lax.all_to_all(x, "peer", 0, 0, tiled=True), split, split),
    }
    for power in range(12, 29, 2):
        for kind, (operation, enters, leaves) in forms.items():
            elements = max(count * count, (1 << power) // 4 // scale // (count * count) * count * count)

            def run(
                operation: Callable[[Any], Any] = operation, elements: int = elements, kind: str = kind,
                enters: Any = enters, leaves: Any = leaves,
            ) -> float:  # fmt: skip
                many = min(8, _count(4 * elements * (count if kind == "all_to_all" else 1)))
                size = elements * count if kind == "all_to_all" else elements
                arrays = [_random((size,), "float32", NamedSharding(mesh, enters), number) for number in range(many)]
                mapped = jax.shard_map(operation, mesh=mesh, in_specs=enters, out_specs=leaves, check_vma=False)
                trips = _count_trips(devices[0])
                return _time(jax.jit(_in_turn(mapped, trips)), arrays, many * trips)

            row = {"kind": kind, "mesh": f"peer={count}", "axes": ["peer"], "bytes": 4 * elements}
            yield _Benchmark(row, run)


def describe(rows: Sequence[dict[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["kind"]] = counts.get(row["kind"], 0) + 1
    return ", ".join(f"{count} x {kind}" for kind, count in sorted(counts.items()))


def main(arguments: Sequence[str]) -> int:
    """`partita measure -o rows.jsonl [--seconds 240]`."""
    import argparse

    parser = argparse.ArgumentParser(prog="partita measure", description="Times this machine; rows for calibrate.")
    parser.add_argument("-o", "--output", required=True, help="the file to write, a row a line")
    parser.add_argument("--seconds", type=float, default=240.0, help="stop after so long")
    options = parser.parse_args(arguments)
    rows = measure(options.output, seconds=options.seconds)
    print(f"{options.output}: {describe(rows)}", file=sys.stdout)
    return 0
