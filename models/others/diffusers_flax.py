"""diffusers: the Flax UNet of Stable Diffusion with cross-attention, and its autoencoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from diffusers import FlaxAutoencoderKL, FlaxUNet2DConditionModel

from models.others.case import Case, Row, random_floats, random_tokens, random_weights, train

BATCH, SIZE = 8, 8


def unet() -> Case:
    """Denoising: the noise is predicted from noisy latents, the time and a text."""
    model = FlaxUNet2DConditionModel(
        sample_size=SIZE, in_channels=4, out_channels=4, block_out_channels=(32, 64), layers_per_block=1,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        attention_head_dim=4, cross_attention_dim=32,
    )  # fmt: skip
    params = random_weights(jax.eval_shape(model.init_weights, jax.random.PRNGKey(0)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        predicted = model.apply({"params": params}, batch["latents"], batch["times"], batch["text"]).sample
        return jnp.mean((predicted - batch["noise"]) ** 2)

    batch = {
        "latents": random_floats((BATCH, 4, SIZE, SIZE)),
        "noise": random_floats((BATCH, 4, SIZE, SIZE), 1),
        "times": random_tokens((BATCH,), 1000),
        "text": random_floats((BATCH, 8, 32), 2),
    }
    return train(loss, params, batch)


def autoencoder() -> Case:
    """Reconstruction through the mean of the latents."""
    model = FlaxAutoencoderKL(
        in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D"),
        up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D"), block_out_channels=(32, 64), layers_per_block=1,
        latent_channels=4, sample_size=16,
    )  # fmt: skip
    params = random_weights(jax.eval_shape(model.init_weights, jax.random.PRNGKey(0)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        images = batch["images"]
        predicted = model.apply({"params": params}, images, sample_posterior=False).sample
        return jnp.mean((predicted - images) ** 2)

    return train(loss, params, {"images": random_floats((BATCH, 3, 16, 16))})


ROWS = [Row("UNet2DCondition", "diffusers", unet), Row("AutoencoderKL", "diffusers", autoencoder)]
