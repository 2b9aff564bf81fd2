"""A diffusion UNet that predicts noise: residual blocks with group norm, a time embedding, attention at the bottom.

The `full` size has the shape of PartIR's benchmark: 9 residual blocks on the way down (3 at each of 3 resolutions),
12 on the way up (4 each, every one beside a skip: the stem, 9 blocks and 2 poolings give 12), and in the middle 2
residual blocks around an attention layer of 16 heads. Channels (256, 512, 1024) and images (64 by 64) are our choice.
It computes in bf16 from f32 master parameters.

Arrays of one residual block: norm1, norm2 (scale, bias each), conv1, conv2 and the time projection (w, b each):
P = 10, Q = 3; where the channels change, a 1 by 1 convolution on the skip adds w, b: P = 12, Q = 4. The
attention layer: norm scale and bias, wq wk wv wo and their biases: 10, of which 4 matrices. Outside: the time MLP,
stem, last norm and head, w and b (or scale and bias) each: O = 10.

If every gradient and the loss are reduced separately, BP needs one all-reduce per parameter array and one more. MP
splits the channels between conv1 and conv2 (conv1's output, conv2's input), the attention's heads and the time MLP's
hidden dim: one reduction forward and one backward per block, if group norm's groups are split with the channels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models.layers import cast, matrix, softmax
from models.program import Model, Params, Program
from models.train import init_state, training


@dataclass(frozen=True)
class Config:
    channels: tuple[int, ...]
    blocks: int
    heads: int
    groups: int
    batch: int
    image: int
    dtype: Any = jnp.bfloat16
    remat: bool = False

    @property
    def time_width(self) -> int:
        return 4 * self.channels[0]


Keys = Iterator[jax.Array]


def init_conv(keys: Keys, size: int, inputs: int, outputs: int) -> Params:
    weights = matrix(next(keys), size, size, inputs, outputs, fan_in=size * size * inputs)
    return {"w": weights, "b": jnp.zeros(outputs)}


def init_linear(keys: Keys, inputs: int, outputs: int) -> Params:
    return {"w": matrix(next(keys), inputs, outputs), "b": jnp.zeros(outputs)}


def init_norm(channels: int) -> Params:
    return {"scale": jnp.ones(channels), "bias": jnp.zeros(channels)}


def init_block(config: Config, keys: Keys, inputs: int, outputs: int) -> Params:
    block = {
        "norm1": init_norm(inputs),
        "conv1": init_conv(keys, 3, inputs, outputs),
        "time": init_linear(keys, config.time_width, outputs),
        "norm2": init_norm(outputs),
        "conv2": init_conv(keys, 3, outputs, outputs),
    }
    return block if inputs == outputs else block | {"skip": init_conv(keys, 1, inputs, outputs)}


def init_attention(keys: Keys, width: int) -> Params:
    params = {f"w{name}": matrix(next(keys), width, width) for name in "qkvo"}
    return params | {f"b{name}": jnp.zeros(width) for name in "qkvo"} | {"norm": init_norm(width)}


def init_params(config: Config, key: jax.Array) -> Params:
    keys = iter(jax.random.split(key, 256))
    first, width = config.channels[0], config.channels[0]
    skips, down, up = [first], [], []
    for index, channels in enumerate(config.channels):
        level = []
        skips += [width] * (index > 0)
        for _ in range(config.blocks):
            level.append(init_block(config, keys, width, channels))
            width = channels
            skips.append(width)
        down.append(level)
    middle = {
        "block1": init_block(config, keys, width, width),
        "attention": init_attention(keys, width),
        "block2": init_block(config, keys, width, width),
    }
    for channels in reversed(config.channels):
        level = []
        for _ in range(config.blocks + 1):
            level.append(init_block(config, keys, width + skips.pop(), channels))
            width = channels
        up.append(level)
    time = {
        "up": init_linear(keys, first, config.time_width),
        "down": init_linear(keys, config.time_width, config.time_width),
    }
    ends = {"stem": init_conv(keys, 3, 3, first), "norm": init_norm(width), "head": init_conv(keys, 3, width, 3)}
    return {"time": time, "down": down, "middle": middle, "up": up} | ends


def convolve(x: jax.Array, params: Params, stride: int = 1) -> jax.Array:
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, params["w"], (stride, stride), "SAME", dimension_numbers=layout) + params["b"]


def group_norm(x: jax.Array, params: Params, groups: int) -> jax.Array:
    """Normalises each group of channels over space."""
    batch, height, width, channels = x.shape
    wide = x.astype(jnp.float32).reshape(batch, height, width, groups, channels // groups)
    mean = jnp.mean(wide, axis=(1, 2, 4), keepdims=True)
    variance = jnp.mean(jnp.square(wide - mean), axis=(1, 2, 4), keepdims=True)
    normal = ((wide - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)
    return (normal * params["scale"] + params["bias"]).astype(x.dtype)


def residual_block(config: Config, params: Params, x: jax.Array, time: jax.Array) -> jax.Array:
    y = convolve(jax.nn.silu(group_norm(x, params["norm1"], config.groups)), params["conv1"])
    y = y + (time @ params["time"]["w"] + params["time"]["b"])[:, None, None, :]
    y = convolve(jax.nn.silu(group_norm(y, params["norm2"], config.groups)), params["conv2"])
    return y + (convolve(x, params["skip"]) if "skip" in params else x)


def attention(config: Config, params: Params, x: jax.Array) -> jax.Array:
    """Every place attends to every place."""
    batch, height, width, channels = x.shape
    flat = group_norm(x, params["norm"], config.groups).reshape(batch, height * width, channels)
    heads = (batch, height * width, config.heads, channels // config.heads)
    q, k, v = ((flat @ params[f"w{n}"] + params[f"b{n}"]).reshape(heads) for n in "qkv")
    weights = softmax(jnp.einsum("bthk,bshk->bhts", q, k) / math.sqrt(heads[-1]))
    out = jnp.einsum("bhts,bshk->bthk", weights, v).reshape(flat.shape)
    return x + (out @ params["wo"] + params["bo"]).reshape(x.shape)


def average_pool(x: jax.Array) -> jax.Array:
    """Halves the resolution."""
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def time_embedding(params: Params, time: jax.Array, width: int, dtype: Any) -> jax.Array:
    """Sines and cosines of the noise level, through an MLP."""
    frequencies = jnp.exp(-math.log(10_000.0) * jnp.arange(width // 2) / (width // 2))
    angles = time[:, None] * 1000 * frequencies
    waves = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=-1).astype(dtype)
    hidden = jax.nn.silu(waves @ params["up"]["w"] + params["up"]["b"])
    return jax.nn.silu(hidden @ params["down"]["w"] + params["down"]["b"])


def predict(config: Config, params: Params, images: jax.Array, time: jax.Array) -> jax.Array:
    block = functools.partial(residual_block, config)
    block = jax.checkpoint(block) if config.remat else block
    embedded = time_embedding(params["time"], time, config.channels[0], config.dtype)
    x = convolve(images.astype(config.dtype), params["stem"])
    skips = [x]
    for index, level in enumerate(params["down"]):
        if index:
            x = average_pool(x)
            skips.append(x)
        for weights in level:
            x = block(weights, x, embedded)
            skips.append(x)
    x = block(params["middle"]["block1"], x, embedded)
    x = attention(config, params["middle"]["attention"], x)
    x = block(params["middle"]["block2"], x, embedded)
    for index, level in enumerate(params["up"]):
        if index:
            x = jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2)
        for weights in level:
            x = block(weights, jnp.concatenate([x, skips.pop()], axis=-1), embedded)
    return convolve(jax.nn.silu(group_norm(x, params["norm"], config.groups)), params["head"])


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    """Mean squared error of the noise predicted from images that were mixed with it."""
    level = batch["time"][:, None, None, None]
    noisy = jnp.cos(level) * batch["images"] + jnp.sin(level) * batch["noise"]
    predicted = predict(config, cast(params, config.dtype), noisy, batch["time"])
    return jnp.mean(jnp.square(predicted.astype(jnp.float32) - batch["noise"]))


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        image, noise, time = jax.random.split(key, 3)
        shape = (config.batch, config.image, config.image, 3)
        batch = {
            "images": jax.random.normal(image, shape),
            "noise": jax.random.normal(noise, shape),
            "time": jax.random.uniform(time, (config.batch,)),
        }
        return init_state(init_params(config, key)), batch

    return Program(training(functools.partial(loss, config)), init, donate_argnums=(0,))


def variant(name: str, notes: str, remat: bool) -> Model:
    sizes = {
        "tiny": Config((16, 32), blocks=1, heads=8, groups=8, batch=8, image=8, dtype=jnp.float32, remat=remat),
        "full": Config((256, 512, 1024), blocks=3, heads=16, groups=32, batch=256, image=64, remat=remat),
    }
    strategies = ("BP", "MP", "BP+MP", "BP+Z2", "BP+Z3")
    return Model(name, sizes, build, 10, 3, OUTER, "state/params/down/0/0/.*", "unet", strategies, notes)


OUTER = 4 + 2 + 2 + 2
MODELS = [
    variant("unet", "training step", remat=False),
    variant("unet_remat", "training step, each residual block rematerialised", remat=True),
]
