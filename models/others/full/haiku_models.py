"""haiku: a transformer with dropout, in bf16 by a policy of jmp, and a ResNet-50 with averages, in f32."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import haiku as hk
import jax
import jax.numpy as jnp
import jmp
import optax

from models.others.full.program import Entry, Program, cross_entropy, floats, key, next_token_loss, tokens, train

POLICY = jmp.get_policy("params=float32,compute=bfloat16,output=bfloat16")
VOCABULARY = 50304


class Transformer(hk.Module):
    """Its policy is that of all modules in it."""

    def __init__(self, layers: int, width: int, length: int) -> None:
        super().__init__()
        self.layers, self.width, self.length = layers, width, length

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = hk.Embed(VOCABULARY, self.width)(tokens)
        shape = self.length, self.width
        x = x + hk.get_parameter("positions", shape, init=hk.initializers.TruncatedNormal(0.02))
        mask = jnp.tril(jnp.ones((1, 1, self.length, self.length), bool))
        for _ in range(self.layers):
            x = Block()(x, mask)
        return hk.Linear(VOCABULARY, name="head")(hk.LayerNorm(-1, True, True)(x))


hk.mixed_precision.set_policy(Transformer, POLICY)


class Block(hk.Module):
    """Attention of 64 to a head and a feed-forward network, each behind a norm and before dropout."""

    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        width, initial = x.shape[-1], hk.initializers.VarianceScaling(0.02)
        y = hk.LayerNorm(-1, True, True)(x)
        y = hk.MultiHeadAttention(width // 64, 64, w_init=initial, model_size=width)(y, y, y, mask)
        x = x + hk.dropout(hk.next_rng_key(), 0.1, y)
        y = jax.nn.gelu(hk.Linear(4 * width, name="wide_in")(hk.LayerNorm(-1, True, True)(x)))
        return x + hk.dropout(hk.next_rng_key(), 0.1, hk.Linear(width, name="wide_out")(y))


def transformer(layers: int = 24, width: int = 1024, length: int = 1024, batch: int = 32) -> Program:
    def forward(tokens: jax.Array) -> jax.Array:
        return Transformer(layers, width, length)(tokens)

    model = hk.transform(forward)
    params = jax.eval_shape(model.init, jax.random.PRNGKey(0), tokens(batch, length))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return next_token_loss(model.apply(params, batch["key"], batch["tokens"]), batch["tokens"])

    return train(loss, params, {"tokens": tokens(batch, length), "key": key()})


def resnet_50(batch: int = 2048) -> Program:
    """Batch statistics are over the whole batch, their averages are state beside the parameters."""

    def forward(images: jax.Array) -> jax.Array:
        return hk.nets.ResNet50(1000)(images, is_training=True)

    model = hk.without_apply_rng(hk.transform_with_state(forward))
    images = floats(batch, 224, 224, 3)
    params, averages = jax.eval_shape(model.init, jax.random.PRNGKey(0), images)
    rule = optax.sgd(optax.cosine_decay_schedule(0.1, 100_000), momentum=0.9, nesterov=True)

    def step(state: Any, batch: Mapping[str, jax.Array]) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            logits, averages = model.apply(params, state["averages"], batch["images"])
            return cross_entropy(logits, batch["labels"]), averages

        (value, averages), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "averages": averages, "optimizer": moments}, value

    state = {"params": params, "averages": averages, "optimizer": jax.eval_shape(rule.init, params)}
    return Program(step, (state, {"images": images, "labels": tokens(batch)}), params)


ENTRIES = [
    Entry("haiku_transformer_350m", "haiku", transformer),
    Entry("haiku_resnet50", "haiku", resnet_50),
]
