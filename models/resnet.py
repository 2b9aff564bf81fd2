"""A residual network on images with batch norm in training mode: bottleneck blocks, NHWC.

`resnet50`: stages of 3, 4, 6 and 3 blocks, 25.6e6 parameters, 224 by 224 images, 1000 classes, bf16 compute from
f32 master parameters. The statistics of batch norm are those of the whole batch: under BP each norm's mean and mean
square are reduced over devices, forward and backward. The state also carries their running averages, `state.stats`.

Arrays of one block: three convolutions and three norms (scale, bias): P = 9, Q = 3; the first block of a stage also
projects its input (one convolution, one norm): P = 12, Q = 4. Outside: stem convolution, its norm, and the
classifier's w and b (O = 5). BP: one all-reduce per parameter and one for the loss, and for each of the N norms two
forward and two backward (N = 1 + 3·blocks + stages; 53 for ResNet-50), unless partial sums are reduced together.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models.layers import cross_entropy, matrix
from models.program import Model, Params, Program
from models.train import TrainState, adam, init_state


@dataclass(frozen=True)
class Config:
    blocks: tuple[int, ...]
    width: int
    classes: int
    batch: int
    image: int
    dtype: Any = jnp.bfloat16


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["params", "mu", "nu", "step", "stats"], meta_fields=[]
)
@dataclass(frozen=True)
class ResNetState(TrainState):
    """A training state with the running statistics of every norm, in order."""

    stats: Any


def kernel(key: jax.Array, size: int, inputs: int, outputs: int) -> jax.Array:
    return matrix(key, size, size, inputs, outputs, fan_in=size * size * inputs)


def init_norm(channels: int) -> Params:
    return {"scale": jnp.ones(channels), "bias": jnp.zeros(channels)}


def init_block(keys: Iterator[jax.Array], inputs: int, width: int, project: bool) -> Params:
    outputs = 4 * width
    block = {
        "conv1": kernel(next(keys), 1, inputs, width),
        "conv2": kernel(next(keys), 3, width, width),
        "conv3": kernel(next(keys), 1, width, outputs),
        "norm1": init_norm(width),
        "norm2": init_norm(width),
        "norm3": init_norm(outputs),
    }
    if project:
        block |= {"conv_skip": kernel(next(keys), 1, inputs, outputs), "norm_skip": init_norm(outputs)}
    return block


def init_params(config: Config, key: jax.Array) -> Params:
    keys = iter(jax.random.split(key, 2 + 4 * sum(config.blocks)))
    stem = {"conv": kernel(next(keys), 7, 3, config.width), "norm": init_norm(config.width)}
    stages, inputs = [], config.width
    for index, count in enumerate(config.blocks):
        width = config.width << index
        stages.append([init_block(keys, inputs if b == 0 else 4 * width, width, b == 0) for b in range(count)])
        inputs = 4 * width
    head = {"w": matrix(next(keys), inputs, config.classes), "b": jnp.zeros(config.classes)}
    return {"stem": stem, "stages": stages, "head": head}


def convolve(x: jax.Array, weights: jax.Array, stride: int = 1) -> jax.Array:
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, weights.astype(x.dtype), (stride, stride), "SAME", dimension_numbers=layout)


def batch_norm(x: jax.Array, params: Params, seen: list[Params]) -> jax.Array:
    """Normalises each channel over batch and space; appends the statistics it used to `seen`."""
    wide = x.astype(jnp.float32)
    mean = jnp.mean(wide, axis=(0, 1, 2))
    variance = jnp.mean(jnp.square(wide), axis=(0, 1, 2)) - jnp.square(mean)
    seen.append({"mean": mean, "variance": variance})
    return ((wide - mean) * lax.rsqrt(variance + 1e-5) * params["scale"] + params["bias"]).astype(x.dtype)


def bottleneck(params: Params, x: jax.Array, stride: int, seen: list[Params]) -> jax.Array:
    y = jax.nn.relu(batch_norm(convolve(x, params["conv1"]), params["norm1"], seen))
    y = jax.nn.relu(batch_norm(convolve(y, params["conv2"], stride), params["norm2"], seen))
    y = batch_norm(convolve(y, params["conv3"]), params["norm3"], seen)
    if "conv_skip" in params:
        x = batch_norm(convolve(x, params["conv_skip"], stride), params["norm_skip"], seen)
    return jax.nn.relu(x + y)


def max_pool(x: jax.Array) -> jax.Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def loss(config: Config, params: Params, batch: Params) -> tuple[jax.Array, list[Params]]:
    """The loss, and the statistics of every norm in this batch."""
    seen: list[Params] = []
    x = convolve(batch["images"].astype(config.dtype), params["stem"]["conv"], stride=2)
    x = max_pool(jax.nn.relu(batch_norm(x, params["stem"]["norm"], seen)))
    for index, stage in enumerate(params["stages"]):
        for number, block in enumerate(stage):
            x = bottleneck(block, x, 2 if index and number == 0 else 1, seen)
    features = jnp.mean(x.astype(jnp.float32), axis=(1, 2))
    return cross_entropy(features @ params["head"]["w"] + params["head"]["b"], batch["labels"]), seen


def init_stats(config: Config) -> list[Params]:
    """Running statistics, one entry per norm in the order of the forward pass."""
    widths = [config.width]
    for index, count in enumerate(config.blocks):
        width = config.width << index
        for number in range(count):
            widths += [width, width, 4 * width] + [4 * width] * (number == 0)
    return [{"mean": jnp.zeros(width), "variance": jnp.ones(width)} for width in widths]


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        state = init_state(init_params(config, key))
        images = jax.random.normal(key, (config.batch, config.image, config.image, 3))
        labels = jax.random.randint(key, (config.batch,), 0, config.classes)
        fields = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
        return ResNetState(**fields, stats=init_stats(config)), {"images": images, "labels": labels}

    def train_step(state: ResNetState, batch: Params) -> tuple[ResNetState, jax.Array]:
        measure = jax.value_and_grad(functools.partial(loss, config), has_aux=True)
        (value, seen), grads = measure(state.params, batch)
        new = adam(state, grads)
        stats = jax.tree.map(lambda old, now: 0.9 * old + 0.1 * now, state.stats, seen)
        return ResNetState(new.params, new.mu, new.nu, new.step, stats), value

    return Program(train_step, init, donate_argnums=(0,))


MODELS = [
    Model(
        name="resnet",
        sizes={
            "tiny": Config(blocks=(2, 1), width=8, classes=16, batch=8, image=32, dtype=jnp.float32),
            "resnet50": Config(blocks=(3, 4, 6, 3), width=64, classes=1000, batch=256, image=224),
        },
        build=build,
        layer_params=9,
        layer_matrices=3,
        outer_params=5,
        layer_pattern="state/params/stages/0/1/.*",
        layout="resnet",
        strategies=("BP", "BP+Z2", "BP+Z3", "MP", "BP+MP"),
        notes="batch norm over the whole batch, running statistics in the state",
    )
]
