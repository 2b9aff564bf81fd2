"""How long the kernels of a program take by a GPU's own clock: what a step of many ops is made of."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_CALLS = 5
_COMPILERS = 8

Shapes = Sequence[tuple[tuple[int, ...], str]]
Program = tuple[Callable[..., Any], Shapes]
"""A function, and the shapes and types of its arguments."""


def make_argument(shape: tuple[int, ...], kind: str, number: int, place: Any) -> Any:
    """Small random floats; integers are indices that stay small."""
    import jax

    key = jax.random.key(number)
    if kind.startswith(("int", "uint")):
        return jax.device_put(jax.random.randint(key, shape, 0, 64, "int32").astype(kind), place)
    return jax.device_put(0.1 * jax.random.normal(key, shape, "float32").astype(kind), place)


def time_kernels(programs: Sequence[Program], device: Any) -> list[float | None]:
    """Seconds of one execution of each; None where the profiler has no kernels of it, as of those joined to a graph."""
    import jax

    def compile_one(numbered: tuple[int, Program]) -> Any:
        number, (function, shapes) = numbered

        def run(*arguments: Any) -> Any:
            return function(*arguments)

        run.__name__ = f"partita_measured{number}"
        place = jax.sharding.SingleDeviceSharding(device)
        kinds = [jax.ShapeDtypeStruct(shape, kind, sharding=place) for shape, kind in shapes]
        return jax.jit(run).lower(*kinds).compile()

    with ThreadPoolExecutor(_COMPILERS) as pool:
        compiled = list(pool.map(compile_one, enumerate(programs)))
    for executable, (_, shapes) in zip(compiled, programs, strict=True):
        _call(executable, shapes, device, 1)
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for executable, (_, shapes) in zip(compiled, programs, strict=True):
                _call(executable, shapes, device, _CALLS)
        seen = _read_trace(Path(folder))
    return [seen.get(f"partita_measured{number}") for number in range(len(programs))]


def _call(executable: Any, shapes: Shapes, device: Any, calls: int) -> None:
    import jax

    arguments = [make_argument(shape, kind, number, device) for number, (shape, kind) in enumerate(shapes)]
    jax.block_until_ready(arguments)
    for _ in range(calls):
        jax.block_until_ready(executable(*arguments))


def _read_trace(folder: Path) -> dict[str, float]:
    """Seconds of one call of each module."""
    import jax

    found: dict[str, float] = {}
    for file in folder.rglob("*.xplane.pb"):
        for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
            if not plane.name.startswith("/device:GPU"):
                continue
            for line in plane.lines:
                if not line.name.startswith("Stream"):
                    continue
                for event in line.events:
                    module = next((str(value) for name, value in event.stats if name == "hlo_module"), "")
                    name = module.removeprefix("jit_")
                    found[name] = found.get(name, 0.0) + event.duration_ns / 1e9 / _CALLS
    return found
