"""How long the kernels of a program take by a GPU's own clock: what a step of many ops is made of.

In a step, most of what a kernel reads was written long before, and what it writes pushes other lines out of the cache.
So a program goes through several sets of arguments and results, together several times what a cache holds: its operands
come from memory, and what it finds in the cache is what kernels like it leave there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_CALLS = 5
_COMPILERS = 12
#: Of all sets of arguments and results of a program: three times the cache of an H200. Programs of less than a
#: megabyte stay in the cache; next to what it takes to start a kernel, that is little.
_ROTATED_BYTES, _MOST_SETS = 192_000_000, 64

Shapes = Sequence[tuple[tuple[int, ...], str]]
Program = tuple[Callable[..., Any], Shapes]
"""A function, and the shapes and types of its arguments."""


def make_argument(shape: tuple[int, ...], kind: str, number: int, place: Any) -> Any:
    """Small random floats; integers are indices that stay small."""
    import jax

    return jax.device_put(_draw(shape, kind, number), place)


def _draw(shape: tuple[int, ...], kind: str, number: int) -> Any:
    import jax

    key = jax.random.key(number)
    if kind.startswith(("int", "uint")):
        return jax.random.randint(key, shape, 0, 64, "int32").astype(kind)
    return 0.1 * jax.random.normal(key, shape, "float32").astype(kind)


def time_kernels(programs: Sequence[Program], device: Any) -> list[float | None]:
    """Seconds of one execution of each; None where the profiler has no kernels of it, as of those joined to a graph."""
    import jax

    place = jax.sharding.SingleDeviceSharding(device)

    def compile_one(numbered: tuple[int, Program]) -> tuple[Any, Any]:
        """The program, and one that makes its arguments."""
        number, (function, shapes) = numbered

        def run(*arguments: Any) -> Any:
            return function(*arguments)

        def make() -> list[Any]:
            return [_draw(shape, kind, place) for place, (shape, kind) in enumerate(shapes)]

        run.__name__ = f"partita_measured{number}"
        kinds = [jax.ShapeDtypeStruct(shape, kind, sharding=place) for shape, kind in shapes]
        return jax.jit(run).lower(*kinds).compile(), jax.jit(make, out_shardings=place).lower().compile()

    with ThreadPoolExecutor(_COMPILERS) as pool:
        compiled = list(pool.map(compile_one, enumerate(programs)))
    for run, make in compiled:
        jax.block_until_ready(run(*make()))
    with tempfile.TemporaryDirectory() as folder:
        calls = []
        with jax.profiler.trace(folder):
            for run, make in compiled:
                calls.append(call_in_turn(run, make, _CALLS))
        seen = _sum_calls(Path(folder))
    times = (seen.get(f"partita_measured{number}") for number in range(len(programs)))
    return [None if time is None else time / count for time, count in zip(times, calls, strict=True)]


def call_in_turn(executable: Any, make: Callable[[], Sequence[Any]], least: int) -> int:
    """Calls it on one set of arguments after the other, which `make` makes, and keeps all results; how many times."""
    import jax

    first = make()
    results = [executable(*first)]
    held = sum(array.nbytes for array in jax.tree.leaves((first, results)))
    sets = [first, *(make() for _ in range(min(_MOST_SETS, -(-_ROTATED_BYTES // max(held, 1))) - 1))]
    calls = max(least, len(sets))
    jax.block_until_ready((sets, results))
    for number in range(1, calls):
        results = [*results[-len(sets) :], jax.block_until_ready(executable(*sets[number % len(sets)]))]
    return calls


def read_kernels(folder: Path) -> Iterator[tuple[str, str, float]]:
    """The module, the name and the nanoseconds of every kernel and copy in a trace."""
    import jax

    for file in folder.rglob("*.xplane.pb"):
        for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
            if not plane.name.startswith("/device:GPU"):
                continue
            for line in plane.lines:
                if not line.name.startswith("Stream"):
                    continue
                for event in line.events:
                    module = next((str(value) for name, value in event.stats if name == "hlo_module"), "")
                    yield module.removeprefix("jit_"), event.name, event.duration_ns


def _sum_calls(folder: Path) -> dict[str, float]:
    """Seconds of all calls of each module."""
    found: dict[str, float] = {}
    for module, _, duration in read_kernels(folder):
        found[module] = found.get(module, 0.0) + duration / 1e9
    return found
