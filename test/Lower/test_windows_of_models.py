"""Models whose images, volumes or sequences are split: devices exchange edges, and nothing is gathered.

Each function is a training step's loss with its gradients, planned with the space or the sequence split over devices,
held against the original in exact mode, and run by XLA on virtual devices.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from test_exchanges import run

Params = dict[str, jax.Array]


def weights(seed: int, **shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: (rng.standard_normal(shape) / np.sqrt(max(1, prod(shape[:-1])))).astype(np.float32)
        for name, shape in shapes.items()
    }


def convolve(x: jax.Array, kernel: jax.Array, stride: int = 1, padding: Any = "SAME", **how: Any) -> jax.Array:
    """Positions between batch and channels, however many dims they have."""
    dims = x.ndim - 2
    space = "DHW"[3 - dims :]
    return lax.conv_general_dilated(
        x, kernel, (stride,) * dims, padding, dimension_numbers=(f"N{space}C", f"{space}IO", f"N{space}C"), **how
    )


def normalize(x: jax.Array) -> jax.Array:
    """Over the batch and the space."""
    dims = tuple(range(x.ndim - 1))
    return (x - x.mean(dims)) * lax.rsqrt(x.var(dims) + 1e-3)


def unet(params: Params, image: jax.Array) -> jax.Array:
    """Two levels: down by strides, up by repetition, joined by channels."""
    top = jax.nn.silu(convolve(image, params["in"]))
    low = jax.nn.silu(convolve(top, params["down"], stride=2))
    low = jax.nn.silu(convolve(low, params["middle"]))
    up = jnp.repeat(jnp.repeat(low, 2, axis=1), 2, axis=2)
    joined = jnp.concatenate([top, convolve(up, params["up"])], axis=-1)
    return jnp.mean((convolve(joined, params["out"]) - image) ** 2)


def unet_transposed(params: Params, image: jax.Array) -> jax.Array:
    """The way up is a transposed convolution."""
    top = jax.nn.relu(convolve(image, params["in"]))
    low = jax.nn.relu(convolve(top, params["down"], stride=2))
    up = convolve(low, params["up"], padding=[(2, 2), (2, 2)], lhs_dilation=(2, 2))
    return jnp.mean((convolve(jnp.concatenate([top, up], axis=-1), params["out"]) - image) ** 2)


def resnet(params: Params, image: jax.Array) -> jax.Array:
    """The stem with its maximum over windows, a block that keeps the size, one that halves it, the mean over space."""
    x = jax.nn.relu(normalize(convolve(image, params["stem"], stride=2, padding=[(3, 3), (3, 3)])))
    x = lax.reduce_window(x, -np.float32(np.inf), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    x = jax.nn.relu(x + normalize(convolve(jax.nn.relu(normalize(convolve(x, params["a"]))), params["b"])))
    y = normalize(convolve(jax.nn.relu(normalize(convolve(x, params["c"], stride=2))), params["d"]))
    x = jax.nn.relu(convolve(x, params["short"], stride=2) + y)
    return -jnp.mean(jax.nn.log_softmax(x.mean((1, 2)) @ params["head"])[:, 0])


def volume(params: Params, image: jax.Array) -> jax.Array:
    """A network over three dims: a convolution, a mean of windows, a strided convolution."""
    x = jax.nn.relu(convolve(image, params["a"]))
    x = lax.reduce_window(x, np.float32(0), lax.add, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID") / 8
    return jnp.mean(convolve(jax.nn.relu(x), params["b"], stride=2) ** 2)


def mamba(params: Params, x: jax.Array) -> jax.Array:
    """A block's path along the sequence: projection, causal convolution of each channel alone, gate, and a running
    sum as its state."""
    inner, gate = jnp.split(x @ params["in"], 2, axis=-1)
    channels = inner.shape[-1]
    inner = convolve(inner, params["conv"], padding=[(3, 0)], feature_group_count=channels)
    state = jnp.cumsum(jax.nn.silu(inner) * params["step"], axis=1)
    return jnp.mean(((state * jax.nn.silu(gate)) @ params["out"] - x) ** 2)


WINDOW = 4


def sliding_attention(params: Params, x: jax.Array) -> jax.Array:
    """Queries of a block see the keys of their block and of the one before it: slices of the padded sequence."""
    batch, length, width = x.shape
    q, k, v = (x @ params[name] for name in ("q", "k", "v"))

    def blocks(y: jax.Array) -> jax.Array:
        return y.reshape(batch, length // WINDOW, WINDOW, width)

    def before(y: jax.Array) -> jax.Array:
        return jnp.pad(y, ((0, 0), (WINDOW, 0), (0, 0)))[:, :length]

    keys, values = (jnp.concatenate([blocks(before(y)), blocks(y)], axis=2) for y in (k, v))
    scores = jnp.einsum("bnqh,bnkh->bnqk", blocks(q), keys) / np.sqrt(width).astype(np.float32)
    distance = jnp.arange(WINDOW)[:, None] + WINDOW - jnp.arange(2 * WINDOW)[None, :]
    place = jnp.arange(length).reshape(-1, WINDOW)[None, :, :, None]
    seen = (distance >= 0) & (distance < WINDOW) & (place >= distance)
    shares = jax.nn.softmax(jnp.where(seen, scores, -1e9), axis=-1)
    return jnp.mean((jnp.einsum("bnqk,bnkh->bnqh", shares, values).reshape(x.shape) @ params["o"] - x) ** 2)


def groups_of_batches(params: Params, image: jax.Array) -> jax.Array:
    """The gradient of a convolution of each channel alone is one with groups of the batch."""
    x = convolve(image, params["first"])
    x = jax.nn.relu(convolve(x, params["each"], feature_group_count=x.shape[-1]))
    return jnp.mean(convolve(x, params["each"] * 2, stride=2, feature_group_count=x.shape[-1]) ** 2)


Model = tuple[Callable[..., jax.Array], dict[str, tuple[int, ...]], tuple[int, ...]]
UNET = {"in": (3, 3, 3, 4), "down": (3, 3, 4, 8), "middle": (3, 3, 8, 8), "up": (3, 3, 8, 4), "out": (3, 3, 8, 3)}
MODELS: dict[str, Model] = {
    "UNet": (unet, UNET, (2, 32, 32, 3)),
    "UNet, transposed convolutions": (
        unet_transposed,
        {"in": (3, 3, 3, 4), "down": (3, 3, 4, 8), "up": (4, 4, 8, 4), "out": (3, 3, 8, 3)},
        (2, 32, 32, 3),
    ),
    "ResNet": (
        resnet,
        {"stem": (7, 7, 3, 4), "a": (3, 3, 4, 4), "b": (3, 3, 4, 4), "c": (3, 3, 4, 8), "d": (3, 3, 8, 8),
         "short": (1, 1, 4, 8), "head": (8, 5)},
        (2, 64, 64, 3),
    ),
    "convolutions over three dims": (volume, {"a": (3, 3, 3, 2, 4), "b": (3, 3, 3, 4, 4)}, (2, 16, 16, 16, 2)),
    "Mamba's convolution": (
        mamba,
        {"in": (8, 16), "conv": (4, 1, 8), "step": (8,), "out": (8, 8)},
        (2, 32, 8),
    ),
    "attention with a sliding window": (sliding_attention, dict.fromkeys("qkvo", (8, 8)), (2, 64, 8)),
    "groups of the batch": (groups_of_batches, {"first": (3, 3, 3, 4), "each": (3, 3, 1, 4)}, (2, 32, 32, 3)),
}  # fmt: skip


def count_gathered(local: str) -> int:
    """The most elements that a gather leaves a device with."""
    shapes = re.findall(r'"?stablehlo\.all_gather\b.*-> \(?tensor<([\dx]+)x\w+>', local)
    return max((prod(map(int, shape.split("x"))) for shape in shapes), default=0)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("mesh", "dims"), [
    ("s=4", {"s": 1}),
    ("d=2,s=4", {"d": 0, "s": 1}),
    ("s=2,t=2", {"s": 1, "t": 2}),
], ids=["4", "batch and 4", "two dims"])  # fmt: skip
def test_space_is_split(name: str, mesh: str, dims: dict[str, int], tmp_path: Path) -> None:
    function, shapes, size = MODELS[name]
    if len(size) == 3 and "t" in dims:
        pytest.skip("a sequence has one dim")
    params, x = weights(1, **shapes), weights(2, x=size)["x"] * 4
    names = list(params)

    def step(x: jax.Array, *values: jax.Array) -> Any:
        return jax.value_and_grad(lambda p: function(p, x))(dict(zip(names, values, strict=True)))

    tiles = {axis: [["x", dim]] for axis, dim in dims.items()}
    local = run(step, [x, *params.values()], mesh, tiles, tmp_path, exact=False)
    assert "collective_permute" in local
    # Of cumulative sums each device gets the totals of the pieces; all else moves as edges, and gradients are summed.
    pieces = prod(size) // prod(size[dim] for dim in dims.values())
    assert count_gathered(local) <= 8 * pieces
    assert "all_to_all" not in local


def test_what_is_gathered_is_seen(tmp_path: Path) -> None:
    """A sort takes its dim whole."""
    x = weights(3, x=(16, 8))["x"]
    local = run(lambda x: jnp.sort(x * 2, axis=0) + x, [x], "s=4", {"s": [["x", 0]]}, tmp_path)
    assert count_gathered(local) == x.size
