"""diffusers: the UNet of Stable Diffusion 1.5, trained as its text-to-image example is, and its sampling step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax
from diffusers import FlaxUNet2DConditionModel

from models.others.full.program import Entry, Program, floats, tokens, train

SIZE, CHANNELS, TEXT_LENGTH, TEXT_WIDTH = 64, 4, 77, 768


def make_model() -> tuple[FlaxUNet2DConditionModel, Any]:
    model = FlaxUNet2DConditionModel(sample_size=SIZE, cross_attention_dim=TEXT_WIDTH, dtype=jnp.bfloat16)
    return model, jax.eval_shape(model.init_weights, jax.random.PRNGKey(0))


def unet(batch: int = 64) -> Program:
    """Denoising: noise is added by the schedule of the time and predicted from the result, the time and a text."""
    model, params = make_model()

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        kept = batch["kept"][batch["times"]][:, None, None, None]
        noisy = jnp.sqrt(kept) * batch["latents"] + jnp.sqrt(1 - kept) * batch["noise"]
        predicted = model.apply({"params": params}, noisy, batch["times"], batch["text"], train=True).sample
        return jnp.mean((predicted - batch["noise"]) ** 2)

    latents = floats(batch, CHANNELS, SIZE, SIZE)
    arguments = {
        "latents": latents, "noise": latents, "times": tokens(batch), "kept": floats(1000),
        "text": floats(batch, TEXT_LENGTH, TEXT_WIDTH),
    }  # fmt: skip
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-5, weight_decay=1e-2))
    return train(loss, params, arguments, optimizer=rule)


def sample_step(batch: int = 16) -> Program:
    """A step of sampling with guidance: with the text and without it, in one batch."""
    model, shapes = make_model()
    params = jax.tree.map(lambda leaf: floats(*leaf.shape, dtype=jnp.bfloat16), shapes)

    def step(latents: jax.Array, params: Any, text: jax.Array, time: jax.Array, kept: jax.Array) -> jax.Array:
        both = jnp.concatenate([latents, latents])
        times = jnp.broadcast_to(time, both.shape[:1])
        blind, guided = jnp.split(model.apply({"params": params}, both, times, text).sample, 2)
        noise = blind + 7.5 * (guided - blind)
        clean = (latents - jnp.sqrt(1 - kept[0]) * noise) / jnp.sqrt(kept[0])
        return jnp.sqrt(kept[1]) * clean + jnp.sqrt(1 - kept[1]) * noise

    latents, text = floats(batch, CHANNELS, SIZE, SIZE), floats(2 * batch, TEXT_LENGTH, TEXT_WIDTH, dtype=jnp.bfloat16)
    return Program(step, (latents, params, text, tokens(), floats(2)), params)


ENTRIES = [Entry("diffusers_unet_sd15", "diffusers", unet), Entry("diffusers_sample_sd15", "diffusers", sample_step)]
