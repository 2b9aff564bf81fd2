"""Which windows and reductions are split, by execution: `python scripts/check_windows.py [--only REGEX]`.

JAX lowers each function, `partita plan` puts an axis of four devices on the dim that the window runs along, and
`partita verify --exact` runs the local program against the original. The columns differ in the size of that dim: one
that the axis divides, one that it does not divide (the program is padded), and one that leaves each device two rows,
less than some windows reach. A cell says `split` if nothing larger than half of the input is gathered, `whole` if
something is, and `refused` if nothing would be split, and the plan says so. The exit code is 1 if any local program is
wrong, or if a cell says anything but what `NOT_SPLIT` says of it: what is split must stay so, and what newly is has to
be taken off that list.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sources import BUILD

PARTITA = BUILD / "bin" / "partita"
DEVICES = 4
SIZES = {"even": 48, "uneven": 50, "short": 8}
CHANNELS = 8
"""The input is [rows, CHANNELS], or [1, rows, CHANNELS] for convolutions and pools."""

Function = Callable[[jax.Array], Any]


def convolve(stride: int, padding: Any, size: int = 3, groups: int = 1, dilation: int = 1) -> Function:
    kernel = np.arange(size * (CHANNELS // groups) * CHANNELS, dtype=np.float32).reshape(size, -1, CHANNELS)

    def apply(x: jax.Array) -> jax.Array:
        return lax.conv_general_dilated(x[None], kernel, (stride,), padding, None, (dilation,), ("NTC", "TIO", "NTC"),
                                        feature_group_count=groups)  # fmt: skip

    return apply


def convolve_padded(x: jax.Array) -> jax.Array:
    """A causal convolution as flax writes it."""
    kernel = np.arange(4 * CHANNELS * CHANNELS, dtype=np.float32).reshape(4, CHANNELS, CHANNELS)
    padded = jnp.pad(x[None], ((0, 0), (3, 0), (0, 0)))
    return lax.conv_general_dilated(padded, kernel, (1,), "VALID", dimension_numbers=("NTC", "TIO", "NTC"))


def pool(combine: Callable[..., Any], start: float, size: int, stride: int, padding: Any) -> Function:
    return lambda x: lax.reduce_window(x[None], np.float32(start), combine, (1, size, 1), (1, stride, 1), padding)


def gradient(function: Function) -> Function:
    """Of the input; squares, so that it depends on it."""
    found: Function = jax.grad(lambda x: (function(x) ** 2).sum())
    return found


def of_kernel(stride: int, padding: str) -> Function:
    def apply(x: jax.Array) -> jax.Array:
        def loss(kernel: jax.Array) -> jax.Array:
            y = lax.conv_general_dilated(x[None], kernel, (stride,), padding, dimension_numbers=("NTC", "TIO", "NTC"))
            return (y**2).sum()

        return jax.grad(loss)(jnp.ones((3, CHANNELS, CHANNELS), jnp.float32))

    return apply


def several(x: jax.Array) -> jax.Array:
    """Each with fewer windows than rows."""
    for _ in range(3):
        x = jnp.tanh(convolve(1, "VALID")(x)[0] / 1000)
    return x


def logsumexp_pairs(x: jax.Array) -> Any:
    def body(a: tuple[jax.Array, ...], b: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        most = jnp.maximum(a[0], b[0])
        return most, a[1] * jnp.exp(a[0] - most) + b[1] * jnp.exp(b[0] - most)

    return lax.reduce((x, jnp.ones_like(x)), (np.float32(-1e30), np.float32(0)), body, (0,))


def welford(x: jax.Array) -> Any:
    def body(a: tuple[jax.Array, ...], b: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        count = a[2] + b[2]
        share = b[2] / jnp.maximum(count, 1)
        step = b[0] - a[0]
        return a[0] + step * share, a[1] + b[1] + step * step * a[2] * share, count

    zero = np.float32(0)
    return lax.reduce((x, jnp.zeros_like(x), jnp.ones_like(x)), (zero, zero, zero), body, (0,))


ROWS: dict[str, Function] = {
    "convolution": convolve(1, "SAME"),
    "convolution, strided": convolve(2, "SAME"),
    "convolution, dilated": convolve(1, "SAME", dilation=2),
    "convolution, causal, each channel alone": convolve(1, [(3, 0)], size=4, groups=CHANNELS),
    "convolution, VALID": convolve(1, "VALID"),
    "convolution, padded before it": convolve_padded,
    "gradient of its input": gradient(convolve(1, "SAME")),
    "gradient of its input, strided": gradient(convolve(2, "SAME")),
    "gradient of its kernel": of_kernel(1, "SAME"),
    "convolution, VALID, strided": convolve(2, "VALID"),
    "gradient of its input, VALID": gradient(convolve(1, "VALID")),
    "gradient of its input, VALID, strided": gradient(convolve(2, "VALID")),
    "gradient of its kernel, VALID": of_kernel(1, "VALID"),
    "gradient of its kernel, VALID, strided": of_kernel(2, "VALID"),
    "three convolutions, VALID": several,
    "gradients of these": gradient(several),
    "maximum of windows": pool(lax.max, -np.inf, 3, 2, "SAME"),
    "gradient of that": gradient(pool(lax.max, -np.inf, 3, 2, "SAME")),
    "maximum of windows, VALID": pool(lax.max, -np.inf, 3, 2, "VALID"),
    "gradient of that, VALID": gradient(pool(lax.max, -np.inf, 3, 2, "VALID")),
    "gradient of that, without overlap": gradient(pool(lax.max, -np.inf, 2, 2, "VALID")),
    "sum of windows": pool(lax.add, 0.0, 3, 1, "SAME"),
    "gradient of that (sums)": gradient(pool(lax.add, 0.0, 3, 2, "SAME")),
    "gradient of that (sums), VALID": gradient(pool(lax.add, 0.0, 3, 2, "VALID")),
    "pad": lambda x: jnp.pad(x, ((2, 2), (0, 0))),
    "pad, negative": lambda x: lax.pad(x, jnp.float32(0), ((-2, 2, 0), (0, 0, 0))),
    "pad, interior": lambda x: lax.pad(x, jnp.float32(0), ((1, 0, 1), (0, 0, 0))),
    "slice": lambda x: x[: x.shape[0] // 2],
    "slice with a stride": lambda x: x[1::2],
    "concatenate": lambda x: jnp.concatenate([x, x * 2]),
    "reverse": lambda x: lax.rev(x, (0,)),
    "roll": lambda x: jnp.roll(x, 3, axis=0),
    "cumulative sum": lambda x: jnp.cumsum(x, axis=0),
    "cumulative sum from the end": lambda x: lax.cumsum(x, 0, reverse=True),
    "cumulative maximum": lambda x: lax.cummax(x, 0),
    "cumulative logsumexp": lambda x: lax.cumlogsumexp(x, 0),
    "argmax": lambda x: jnp.argmax(x, axis=0),
    "top_k": lambda x: lax.top_k(x.T, 3),
    "logsumexp of pairs": logsumexp_pairs,
    "mean and variance (Welford)": welford,
    "sort": lambda x: jnp.sort(x, axis=0),
}


NOT_SPLIT: dict[str, dict[str, str]] = {
    # Padding two rows for each device would be more than a third of what they compute.
    "gradient of its kernel, VALID, strided": {"short": "whole"},
    "three convolutions, VALID": {"short": "whole"},
    "gradients of these": {"short": "whole"},
    "gradient of that": {"short": "whole"},
    # The windows' body is no combiner.
    "cumulative logsumexp": {"even": "whole", "uneven": "refused", "short": "whole"},
    # Three from each of four pieces of two rows are all rows.
    "top_k": {"short": "whole"},
    "sort": {"even": "whole", "uneven": "refused", "short": "whole"},
}
"""By row and size, the cells that do not say `split`."""


def run(*command: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in (PARTITA, *command)], capture_output=True, text=True, check=False)


def is_gathered(local: str, elements: int) -> bool:
    """Whether a collective leaves a device with more than half of the input."""
    for shape in re.findall(r'"?stablehlo\.(?:all_gather|all_to_all|all_reduce)\b.*-> \(?tensor<([\dx]+)x\w+>', local):
        if prod(int(size) for size in shape.split("x")) * 2 > elements:
            return True
    return False


def check(function: Function, rows: int, folder: Path) -> str:
    """`split`, `whole`, `refused`, or what went wrong."""
    program, schedule, out = folder / "program.mlir", folder / "schedule.json", folder / "out"
    x = jax.ShapeDtypeStruct((rows, CHANNELS), jnp.float32)

    def total(x: jax.Array) -> Any:
        """No row is a result: one that no axis divides could not be stored in pieces."""
        return jax.tree.map(lambda value: (value * value).sum(), function(x))

    program.write_text(jax.jit(total).lower(x).as_text(debug_info=True))
    schedule.write_text(json.dumps({"tactics": [{"axis": "d", "tile": [["x", 0]]}]}))
    planned = run("plan", program, "--mesh", f"d={DEVICES}", "--schedule", schedule, "-o", out)
    if planned.returncode != 0:
        return "refused" if "does not divide" in planned.stderr else f"FAILS: {planned.stderr.strip()}"
    if run("verify", program, "--plan", out / "plan.json", "--exact").returncode != 0:
        return "WRONG"
    return "whole" if is_gathered((out / "local.mlir").read_text(), rows * CHANNELS) else "split"


def check_in_folder(function: Function, rows: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return check(function, rows, Path(folder))


def complaints(name: str, cells: dict[str, str]) -> list[str]:
    """Cells of a row that do not say what they must."""
    expected = {size: NOT_SPLIT.get(name, {}).get(size, "split") for size in cells}
    return [f"{name}, {size}: {cell}, not {expected[size]}" for size, cell in cells.items() if cell != expected[size]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose names match")
    arguments = parser.parse_args()
    names = [name for name in ROWS if re.search(arguments.only, name)]
    if not names:
        parser.error(f"no row matches {arguments.only!r}")
    print(f"| over {DEVICES} devices | " + " | ".join(f"{name} ({size} rows)" for name, size in SIZES.items()) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    failed = []
    for name in names:
        cells = {size: check_in_folder(ROWS[name], rows) for size, rows in SIZES.items()}
        failed += complaints(name, cells)
        print(f"| {name} | " + " | ".join(cells.values()) + " |", flush=True)
    print("\n".join(failed) if failed else "windows: all as they must be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
