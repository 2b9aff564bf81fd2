"""Keras on JAX: its applications at small sizes, trained through `stateless_call` with averages and seeds as state."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")

import jax
import keras
import numpy as np
import optax
from keras import layers
from keras.src.applications import convnext, efficientnet, resnet

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens

BATCH = 8


def _by_path(variables: Sequence[Any]) -> dict[str, np.ndarray]:
    """Variables under their paths. Paths of two layers may agree; a number tells them apart."""
    named: dict[str, np.ndarray] = {}
    for variable in variables:
        name, number = variable.path, 1
        while name in named:
            number += 1
            name = f"{variable.path}_{number}"
        named[name] = np.asarray(variable.value)
    return named


def train_classifier(model: Any, batch: Mapping[str, np.ndarray]) -> Case:
    """A step of AdamW on the cross entropy of `batch['inputs']` and `batch['labels']`."""
    params, rest = _by_path(model.trainable_variables), _by_path(model.non_trainable_variables)
    rule = optax.adamw(1e-3)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            logits, others = model.stateless_call(
                [params[name] for name in names], [state["rest"][name] for name in state["rest"]],
                batch["inputs"], training=True,
            )  # fmt: skip
            return cross_entropy(logits, batch["labels"]), dict(zip(state["rest"], others, strict=True))

        (value, others), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "optimizer": moments, "rest": others}, value

    names = list(params)
    start = {"params": params, "optimizer": rule.init(params), "rest": rest}
    # JAX sorts the keys of dicts; the model wants its own order.
    order = list(rest)

    def ordered(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        return step({**state, "rest": {name: state["rest"][name] for name in order}}, batch)

    return Case(ordered, (start, dict(batch)), params, state="state/(params|optimizer)/.*")


def _images(size: int, classes: int) -> dict[str, np.ndarray]:
    return {"inputs": random_floats((BATCH, size, size, 3)), "labels": random_tokens((BATCH,), classes)}


def resnet_50_blocks() -> Case:
    """ResNet's own bottleneck blocks, one for each stage."""

    def stacks(x: Any) -> Any:
        x = resnet.stack_residual_blocks_v1(x, 8, 1, stride1=1, name="conv2")
        return resnet.stack_residual_blocks_v1(x, 16, 1, name="conv3")

    keras.utils.set_random_seed(0)
    model = resnet.ResNet(
        stacks, False, True, name="small", include_top=True, weights=None, input_shape=(32, 32, 3), classes=10,
        classifier_activation=None,
    )  # fmt: skip
    return train_classifier(model, _images(32, 10))


def efficient_net() -> Case:
    """Depthwise convolutions, squeeze and excitation, stochastic depth with its seeds."""
    keras.utils.set_random_seed(0)
    blocks = efficientnet.DEFAULT_BLOCKS_ARGS[:3]
    model = efficientnet.EfficientNet(
        1.0, 0.5, 32, blocks_args=blocks, name="small", include_top=True, weights=None, input_shape=(32, 32, 3),
        classes=8, classifier_activation=None,
    )  # fmt: skip
    return train_classifier(model, _images(32, 8))


def conv_next() -> Case:
    keras.utils.set_random_seed(0)
    model = convnext.ConvNeXt(
        [1, 1, 1, 1], [16, 32, 32, 64], drop_path_rate=0.0, name="small", include_top=True, weights=None,
        input_shape=(32, 32, 3), classes=8, classifier_activation=None,
    )  # fmt: skip
    return train_classifier(model, _images(32, 8))


def mobile_net() -> Case:
    keras.utils.set_random_seed(0)
    model = keras.applications.MobileNet(
        alpha=0.25, weights=None, input_shape=(32, 32, 3), classes=8, classifier_activation=None, dropout=0.0
    )
    return train_classifier(model, _images(32, 8))


def transformer() -> Case:
    """Keras's attention in einsum form, with dropout on: 4 heads of 16."""
    keras.utils.set_random_seed(0)
    tokens = keras.Input((16,), dtype="int32")
    x = layers.Embedding(96, 64, name="embedding")(tokens)
    for number in range(2):
        y = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(4, 16, dropout=0.1, name=f"attention_{number}")(y, y, use_causal_mask=True)
        y = layers.Dense(256, activation="gelu", name=f"wide_in_{number}")(layers.LayerNormalization()(x))
        x = x + layers.Dense(64, name=f"wide_out_{number}")(y)
    model = keras.Model(tokens, layers.Dense(96, name="head")(x))
    batch = {"inputs": random_tokens((BATCH, 16), 96), "labels": random_tokens((BATCH, 16), 96, 1)}
    return train_classifier(model, batch)


def segmentation() -> Case:
    """A U-Net with dilated and transposed convolutions: a class for each pixel."""
    keras.utils.set_random_seed(0)
    images = keras.Input((32, 32, 3))
    x, skips = images, []
    for channels in (16, 32):
        x = layers.Conv2D(channels, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(64, 3, padding="same", activation="relu", dilation_rate=2)(x)
    for channels in (32, 16):
        x = layers.Conv2DTranspose(channels, 3, strides=2, padding="same", activation="relu")(x)
        x = layers.Concatenate()([x, skips.pop()])
        x = layers.Conv2D(channels, 3, padding="same", activation="relu")(x)
    model = keras.Model(images, layers.Conv2D(8, 1)(x))
    return train_classifier(model, {**_images(32, 8), "labels": random_tokens((BATCH, 32, 32), 8)})


def bidirectional() -> Case:
    """An LSTM in each direction, one of them over reversed time."""
    keras.utils.set_random_seed(0)
    tokens = keras.Input((12,), dtype="int32")
    x = layers.Bidirectional(layers.LSTM(32, return_sequences=True))(layers.Embedding(96, 32)(tokens))
    model = keras.Model(tokens, layers.Dense(96)(x))
    return train_classifier(
        model, {"inputs": random_tokens((BATCH, 12), 96), "labels": random_tokens((BATCH, 12), 96, 1)}
    )


ROWS = [
    Row("ResNet", "keras", resnet_50_blocks),
    Row("EfficientNet", "keras", efficient_net),
    Row("ConvNeXt", "keras", conv_next),
    Row("MobileNet", "keras", mobile_net),
    Row("Transformer (dropout)", "keras", transformer),
    Row("U-Net", "keras", segmentation),
    Row("Bidirectional LSTM", "keras", bidirectional),
]
