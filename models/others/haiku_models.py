"""haiku: an MLP-Mixer, a ResNet and a VQ-VAE with averages, a transformer and an LSTM, as pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 16, 96, 64


class MixerBlock(hk.Module):
    """Mixes patches, then channels."""

    def __call__(self, x: jax.Array) -> jax.Array:
        patches, channels = x.shape[1:]
        y = hk.LayerNorm(-1, True, True)(x).swapaxes(1, 2)
        y = hk.Linear(patches, name="patches_out")(jax.nn.gelu(hk.Linear(2 * patches, name="patches_in")(y)))
        x = x + y.swapaxes(1, 2)
        y = hk.LayerNorm(-1, True, True)(x)
        return x + hk.Linear(channels, name="channels_out")(jax.nn.gelu(hk.Linear(2 * channels, name="channels_in")(y)))


def mixer() -> Case:
    def forward(images: jax.Array) -> jax.Array:
        x = hk.Conv2D(HIDDEN, 4, stride=4, padding="VALID")(images)
        x = x.reshape(x.shape[0], -1, HIDDEN)
        for _ in range(2):
            x = MixerBlock()(x)
        return hk.Linear(10)(hk.LayerNorm(-1, True, True)(x).mean(axis=1))

    model = hk.without_apply_rng(hk.transform(forward))
    batch = {"images": random_floats((BATCH, 16, 16, 3)), "labels": random_tokens((BATCH,), 10)}
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), batch["images"]))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply(params, batch["images"]), batch["labels"])

    return train(loss, params, batch)


def _train_with_averages(model: Any, inputs: Any, loss_of: Any, batch: Any, rule: optax.GradientTransformation) -> Case:
    """A step of a model with state of its own; `loss_of(output, batch)` is what is trained."""
    shapes, others = jax.eval_shape(model.init, jax.random.PRNGKey(0), batch[inputs])
    params = random_weights(shapes)

    def start(path: Any, leaf: Any) -> np.ndarray:
        codes = path[-1].key == "embeddings"
        return random_floats(leaf.shape) if codes else np.zeros(leaf.shape, leaf.dtype)

    averages = jax.tree_util.tree_map_with_path(start, others)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            output, averages = model.apply(params, state["averages"], batch[inputs])
            return loss_of(output, batch), averages

        (value, averages), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "averages": averages, "optimizer": moments}, value

    state = {"params": params, "averages": averages, "optimizer": rule.init(params)}
    return Case(step, (state, batch), params)


def resnet() -> Case:
    """Batch normalisation's averages are state beside the parameters: the mean is over the whole batch."""

    def forward(images: jax.Array) -> jax.Array:
        network = hk.nets.ResNet(
            (1, 1, 1, 1), 8, resnet_v2=False, bottleneck=False, channels_per_group=(16, 32, 32, 64),
            use_projection=(True, True, True, True),
        )  # fmt: skip
        return network(images, is_training=True)

    def loss(logits: jax.Array, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(logits, batch["labels"])

    model = hk.without_apply_rng(hk.transform_with_state(forward))
    batch = {"images": random_floats((BATCH, 32, 32, 3)), "labels": random_tokens((BATCH,), 8)}
    return _train_with_averages(model, "images", loss, batch, optax.sgd(1e-2, momentum=0.9, nesterov=True))


def vq_vae() -> Case:
    """Each place of an image takes the nearest of 32 codes, which are averages of what took them."""

    def forward(images: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jax.nn.relu(hk.Conv2D(32, 4, stride=2)(images))
        found = hk.nets.VectorQuantizerEMA(32, 16, 0.25, 0.99)(hk.Conv2D(32, 4, stride=2)(x), is_training=True)
        x = jax.nn.relu(hk.Conv2DTranspose(32, 4, stride=2)(found["quantize"]))
        return hk.Conv2DTranspose(3, 4, stride=2)(x), found["loss"]

    def loss(output: tuple[jax.Array, jax.Array], batch: Mapping[str, jax.Array]) -> jax.Array:
        return jnp.mean((output[0] - batch["images"]) ** 2) + output[1]

    model = hk.without_apply_rng(hk.transform_with_state(forward))
    batch = {"images": random_floats((BATCH, 16, 16, 3))}
    return _train_with_averages(model, "images", loss, batch, optax.adam(1e-3))


def transformer() -> Case:
    """haiku's own attention module; 4 heads of 16."""

    def forward(tokens: jax.Array) -> jax.Array:
        initial = hk.initializers.VarianceScaling(1.0)
        x = hk.Embed(VOCABULARY, HIDDEN)(tokens)
        x = x + hk.get_parameter("positions", (LENGTH, HIDDEN), init=hk.initializers.TruncatedNormal(0.02))
        mask = jnp.tril(jnp.ones((1, 1, LENGTH, LENGTH)))
        for _ in range(2):
            y = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.MultiHeadAttention(4, 16, w_init=initial, model_size=HIDDEN)(y, y, y, mask)
            y = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.Linear(HIDDEN, name="wide_out")(jax.nn.gelu(hk.Linear(4 * HIDDEN, name="wide_in")(y)))
        return hk.Linear(VOCABULARY, name="head")(hk.LayerNorm(-1, True, True)(x))

    model = hk.without_apply_rng(hk.transform(forward))
    tokens = random_tokens((BATCH, LENGTH), VOCABULARY)
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), tokens))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply(params, batch["tokens"])[:, :-1], batch["tokens"][:, 1:])

    return train(loss, params, {"tokens": tokens})


def lstm() -> Case:
    """An unrolled core over time (hk.dynamic_unroll is a scan), gates of 4 x 64 in one matrix."""

    def forward(tokens: jax.Array) -> jax.Array:
        x = hk.Embed(VOCABULARY, HIDDEN)(tokens)
        core = hk.LSTM(HIDDEN)
        y, _ = hk.dynamic_unroll(core, x, core.initial_state(tokens.shape[0]), time_major=False)
        return hk.Linear(VOCABULARY, name="head")(y)

    model = hk.without_apply_rng(hk.transform(forward))
    tokens = random_tokens((BATCH, LENGTH), VOCABULARY)
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), tokens))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply(params, batch["tokens"])[:, :-1], batch["tokens"][:, 1:])

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    return train(loss, params, {"tokens": tokens}, optimizer=optimizer)


ROWS = [
    Row("MLP-Mixer", "haiku", mixer),
    Row("ResNet (Nesterov)", "haiku", resnet),
    Row("Transformer", "haiku", transformer),
    Row("LSTM (clipped)", "haiku", lstm),
    Row("VQ-VAE", "haiku", vq_vae),
]
