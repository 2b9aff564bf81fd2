"""Convolutions: layouts, strides, dilations, groups, transposes, gradients, image operations."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, bf16, f32, shaped

conv = Family("conv")


def _conv(strides: Any = (1, 1), padding: Any = "SAME", **options: Any) -> Any:
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, **options)


_NCHW = (f32(2, 4, 8, 8), f32(6, 4, 3, 3))
_NHWC = (f32(2, 8, 8, 4), f32(3, 3, 4, 6))
_NHWC_NUMBERS = ("NHWC", "HWIO", "NHWC")
conv.add("same", _conv(), *_NCHW)
conv.add("valid", _conv(padding="VALID"), *_NCHW)
conv.add("strided", _conv((2, 3)), *_NCHW)
conv.add("explicit_padding", _conv(padding=((1, 2), (0, 3))), *_NCHW)
conv.add("negative_padding", _conv(padding=((-1, 2), (0, -1))), *_NCHW)
conv.add("lhs_dilation", _conv(padding=((1, 1), (2, 1)), lhs_dilation=(2, 2)), *_NCHW)
conv.add("rhs_dilation", _conv(rhs_dilation=(2, 1)), *_NCHW)
conv.add("nhwc", _conv(dimension_numbers=_NHWC_NUMBERS), *_NHWC)
conv.add("mixed_layout", _conv(dimension_numbers=("HWNC", "OHWI", "CNHW")), f32(8, 8, 2, 4), f32(6, 3, 3, 4))
conv.add("feature_groups", _conv(feature_group_count=2), f32(2, 4, 8, 8), f32(6, 2, 3, 3))
conv.add("batch_groups", _conv(batch_group_count=2), f32(4, 4, 8, 8), f32(6, 4, 3, 3))
conv.add("depthwise", _conv(dimension_numbers=_NHWC_NUMBERS, feature_group_count=4), f32(2, 8, 8, 4), f32(3, 3, 1, 8))
conv.add("one_spatial", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME"), f32(2, 4, 8), f32(6, 4, 3))
conv.add(
    "three_spatial",
    lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), "SAME"),
    f32(2, 4, 5, 5, 5),
    f32(6, 4, 3, 3, 3),
)
conv.add("no_spatial", lambda x, w: lax.conv_general_dilated(x, w, (), ()), f32(2, 4), f32(6, 4))
conv.add("highest", _conv(precision="highest"), *_NCHW)
conv.add("i8_to_i32", _conv(preferred_element_type=jnp.int32), shaped("int8", 2, 4, 8, 8), shaped("int8", 6, 4, 3, 3))
conv.add("bf16_to_f32", _conv(preferred_element_type=jnp.float32), bf16(2, 4, 8, 8), bf16(6, 4, 3, 3))
conv.add("complex", _conv(), shaped("c8", 2, 4, 8, 8), shaped("c8", 6, 4, 3, 3))
conv.add("transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=_NHWC_NUMBERS), *_NHWC)
conv.add(
    "transpose_kernel",
    lambda x, w: lax.conv_transpose(x, w, (2, 2), "VALID", dimension_numbers=_NHWC_NUMBERS, transpose_kernel=True),
    f32(2, 8, 8, 6),
    f32(3, 3, 4, 6),
)
conv.add("grad", jax.grad(lambda x, w: _conv((2, 2))(x, w).sum(), argnums=(0, 1)), *_NCHW)
conv.add(
    "grad_groups",
    jax.grad(lambda x, w: _conv(feature_group_count=2)(x, w).sum(), argnums=(0, 1)),
    f32(2, 4, 8, 8),
    f32(6, 2, 3, 3),
)
conv.add("patches", lambda x: lax.conv_general_dilated_patches(x, (3, 3), (1, 1), "SAME"), f32(2, 4, 8, 8))
conv.add(
    "local",
    lambda x, w: lax.conv_general_dilated_local(x, w, (1, 1), "VALID", (3, 3)),
    f32(2, 4, 8, 8),
    f32(6, 36, 6, 6),
)
conv.add("vmapped_kernel", jax.vmap(_conv(), (None, 0)), f32(2, 4, 8, 8), f32(3, 6, 4, 3, 3))
conv.add("convolve", lambda x, y: jnp.convolve(x, y, "same"), f32(8), f32(3))

image = Family("image")
for _method in ("nearest", "bilinear", "bicubic", "lanczos3"):
    image.add(f"resize_{_method}", lambda x, m=_method: jax.image.resize(x, (2, 12, 5, 3), m), f32(2, 8, 8, 3))
image.add(
    "scale_and_translate",
    lambda x, s, t: jax.image.scale_and_translate(x, (6, 6), (0, 1), s, t, "linear"),
    f32(4, 4),
    f32(2),
    f32(2),
)
image.add("map_coordinates", lambda x, c: jax.scipy.ndimage.map_coordinates(x, [c, c], order=1), f32(4, 4), f32(5))
