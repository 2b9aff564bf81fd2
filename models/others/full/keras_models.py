"""Keras on JAX: ResNet-50 of its applications, and an encoder by its attention, in its mixed precision.

Models are built and called in a `StatelessScope` that makes no values: variables have shapes alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")

import jax
import keras
import optax
from keras import layers

from models.others.full.program import Entry, Program, adamw, cross_entropy, floats, tokens


def without_values() -> Any:
    """A scope in which variables are made, and models called, without values being drawn for variables."""
    return keras.StatelessScope(initialize_variables=False)


@contextmanager
def mixed_precision() -> Iterator[None]:
    """Layers that are made in it compute in bf16 from f32 weights."""
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        yield
    finally:
        keras.mixed_precision.set_dtype_policy(before)


def name_variables(variables: Sequence[Any]) -> dict[str, jax.ShapeDtypeStruct]:
    """The shapes of variables under their paths, with a number, for paths of two layers may agree."""
    return {
        f"{number:04}/{variable.path}": jax.ShapeDtypeStruct(variable.shape, variable.dtype)
        for number, variable in enumerate(variables)
    }


def train(build: Callable[[], Any], batch: Mapping[str, Any], rule: optax.GradientTransformation) -> Program:
    """A step on the cross entropy of `batch['inputs']` and `batch['labels']`; averages and seeds are state too."""
    keras.utils.clear_session()  # layers without a name are counted from the start
    with mixed_precision(), without_values():
        model = build()
    params, rest = name_variables(model.trainable_variables), name_variables(model.non_trainable_variables)

    def step(state: Any, batch: Mapping[str, jax.Array]) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            kept = state["rest"]
            # The numbers in the names keep the order of the variables, where JAX sorts.
            weights = [params[name] for name in sorted(params)]
            with without_values():
                logits, others = model.stateless_call(
                    weights, [kept[name] for name in sorted(kept)], batch["inputs"], training=True
                )
            return cross_entropy(logits, batch["labels"]), dict(zip(sorted(kept), others, strict=True))

        (value, others), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "optimizer": moments, "rest": others}, value

    state = {"params": params, "optimizer": jax.eval_shape(rule.init, params), "rest": rest}
    return Program(step, (state, dict(batch)), params)


def resnet_50(batch: int = 2048) -> Program:
    def build() -> Any:
        return keras.applications.ResNet50(weights=None, classifier_activation=None)

    rule = optax.sgd(0.1, momentum=0.9, nesterov=True)
    return train(build, {"inputs": floats(batch, 224, 224, 3), "labels": tokens(batch)}, rule)


def application(name: str, size: int, batch: int) -> Program:
    """A classifier of Keras' applications on images of that size, by AdamW."""

    def build() -> Any:
        return getattr(keras.applications, name)(
            weights=None, classifier_activation=None, include_preprocessing=False, input_shape=(size, size, 3)
        )

    return train(build, {"inputs": floats(batch, size, size, 3), "labels": tokens(batch)}, adamw())


def encoder(depth: int = 24, batch: int = 128, length: int = 512) -> Program:
    """The size of BERT-large, with dropout; a class for each token."""

    def build() -> Any:
        inputs = keras.Input((length,), dtype="int32")
        x = layers.Embedding(30522, 1024, name="embedding")(inputs)
        for number in range(depth):
            attention = layers.MultiHeadAttention(16, 64, dropout=0.1, name=f"attention_{number}")
            x = layers.LayerNormalization()(x + layers.Dropout(0.1)(attention(x, x)))
            y = layers.Dense(4096, activation="gelu", name=f"wide_in_{number}")(x)
            y = layers.Dense(1024, name=f"wide_out_{number}")(y)
            x = layers.LayerNormalization()(x + layers.Dropout(0.1)(y))
        return keras.Model(inputs, layers.Dense(30522, name="head")(x))

    rows = tokens(batch, length)
    return train(build, {"inputs": rows, "labels": rows}, adamw())


ENTRIES = [
    Entry("keras_resnet50", "keras", resnet_50),
    Entry("keras_encoder_large", "keras", encoder),
    Entry("keras_convnext_large", "keras", partial(application, "ConvNeXtLarge", 224, 1024)),
    Entry("keras_efficientnet_v2_l", "keras", partial(application, "EfficientNetV2L", 384, 512)),
]
