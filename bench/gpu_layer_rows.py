"""Convolutions, attention and decoding at the shapes of real programs: rows of `gpu_ops.py`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from gpu_op_row import Argument, OpRow, gradients, shape_text


def convolutions() -> Iterator[OpRow]:
    """ResNet-50's, a UNet's, a patch embedding's and depthwise ones, with their gradients."""
    for batch, size, cin, cout, window, stride, groups in (
        (32, 224, 3, 64, 7, 2, 1), (32, 56, 64, 64, 3, 1, 1), (32, 56, 64, 256, 1, 1, 1), (32, 28, 128, 128, 3, 1, 1),
        (32, 14, 256, 256, 3, 1, 1),
        (32, 14, 1024, 256, 1, 1, 1), (32, 7, 512, 512, 3, 1, 1), (4, 64, 320, 320, 3, 1, 1),
        (4, 32, 640, 640, 3, 1, 1),
        (64, 224, 3, 768, 16, 16, 1),
        (32, 56, 96, 96, 7, 1, 96), (8, 14, 256, 512, 3, 2, 1),
        (32, 112, 32, 32, 3, 1, 32), (32, 56, 144, 144, 3, 1, 144), (8, 14, 384, 384, 7, 1, 384),
        (32, 28, 192, 192, 5, 2, 192),
        (4, 128, 64, 64, 3, 1, 64), (64, 28, 192, 192, 7, 1, 192), (32, 56, 128, 128, 3, 1, 32),
        (32, 14, 512, 512, 3, 1, 32),
        (32, 112, 64, 128, 3, 2, 1), (8, 256, 64, 64, 3, 1, 1), (16, 32, 128, 256, 3, 1, 1), (64, 8, 512, 512, 3, 1, 1),
        (32, 56, 256, 64, 1, 1, 1), (16, 28, 512, 128, 1, 1, 1), (8, 64, 128, 128, 5, 1, 1), (32, 224, 3, 32, 3, 2, 1),
        (16, 384, 3, 96, 4, 4, 1), (2, 64, 4, 320, 3, 1, 1), (2, 64, 320, 4, 3, 1, 1),
    ):  # fmt: skip
        image, kernel = (batch, size, size, cin), (window, window, cin // groups, cout)

        def run(x: Any, w: Any, stride: int = stride, groups: int = groups) -> Any:
            dims = ("NHWC", "HWIO", "NHWC")
            return lax.conv_general_dilated(
                x, w, (stride, stride), "SAME", dimension_numbers=dims, feature_group_count=groups
            )

        pair: tuple[Argument, Argument] = ((image, "bfloat16"), (kernel, "bfloat16"))
        text = f"{shape_text(image)} by {shape_text(kernel)} stride {stride}"
        yield OpRow("convolution", f"convolution {text}", run, pair)
        yield OpRow("convolution", f"convolution {text}, gradients", gradients(run, (0, 1)), pair)


def spelt_attention(q: Any, k: Any, v: Any) -> Any:
    groups = k.shape[2]
    wide = q.reshape(*q.shape[:2], groups, -1, q.shape[-1])
    scores = jnp.einsum("btgrk,bsgk->bgrts", wide, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), -1).astype(q.dtype)
    return jnp.einsum("bgrts,bsgk->btgrk", weights, v).reshape(q.shape)


def kernel_attention(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation="cudnn")


def attention() -> Iterator[OpRow]:
    for batch, length, heads, groups, depth in (
        (8, 1024, 12, 12, 64), (4, 2048, 16, 16, 64), (1, 4096, 32, 8, 128), (2, 4096, 4, 1, 128), (1, 8192, 8, 8, 128),
        (32, 512, 8, 8, 64),
        (2, 2048, 32, 8, 128), (16, 256, 16, 16, 64), (16, 512, 12, 12, 64), (32, 128, 16, 16, 64),
        (4, 1024, 16, 4, 80),
        (2, 1024, 32, 32, 128), (1, 2048, 8, 8, 64), (8, 384, 16, 16, 64), (64, 197, 12, 12, 64), (4, 4096, 2, 1, 128),
    ):  # fmt: skip
        q, k = (batch, length, heads, depth), (batch, length, groups, depth)
        inputs: tuple[Argument, ...] = ((q, "bfloat16"), (k, "bfloat16"), (k, "bfloat16"))
        text = f"{shape_text(q)} of {groups} groups"
        for name, function, needs_gpu in (("spelt out", spelt_attention, False), ("cudnn", kernel_attention, True)):
            yield OpRow("attention", f"attention {name} {text}", function, inputs, needs_gpu)
            yield OpRow(
                "attention", f"attention {name} {text}, step", gradients(function, (0, 1, 2)), inputs, needs_gpu
            )


def decode(q: Any, k: Any, v: Any) -> Any:
    """One token of each sequence against its keys and values, which lie as batch, length, group and depth."""
    scores = jnp.einsum("bgrk,btgk->bgrt", q, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
    return jnp.einsum("bgrt,btgk->bgrk", jax.nn.softmax(scores, -1).astype(q.dtype), v)


def decode_by_head(q: Any, k: Any, v: Any, length: Any) -> Any:
    """The same with a length, and keys that lie as batch, group, length and depth."""
    scores = jnp.einsum("bgrk,bgtk->bgrt", q, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
    scores = jnp.where(jnp.arange(k.shape[2]) < length, scores, -1e30)
    return jnp.einsum("bgrt,bgtk->bgrk", jax.nn.softmax(scores, -1).astype(q.dtype), v)


def decoding() -> Iterator[OpRow]:
    for batch, length, groups, share, depth in (
        (64, 2048, 1, 4, 128), (8, 2048, 8, 4, 128), (1, 8192, 8, 4, 128), (32, 1024, 12, 1, 64), (16, 512, 16, 1, 64),
        (128, 1024, 1, 8, 128), (4, 4096, 8, 8, 128), (8, 4096, 8, 1, 64), (64, 512, 8, 4, 128), (2, 2048, 16, 1, 128),
        (16, 8192, 1, 8, 128), (256, 256, 2, 4, 128),
    ):  # fmt: skip
        q = (batch, groups, share, depth)
        for text, function, cache, rest in (
            ("by token", decode, (batch, length, groups, depth), ()),
            ("by head", decode_by_head, (batch, groups, length, depth), (((), "int32"),)),
        ):
            inputs: tuple[Argument, ...] = ((q, "bfloat16"), (cache, "bfloat16"), (cache, "bfloat16"), *rest)
            yield OpRow("decoding", f"decoding {text} {shape_text(q)} of {length}", function, inputs)
