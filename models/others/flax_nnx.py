"""flax nnx: modules are objects, so training steps work on what `nnx.split` gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 16, 96, 64


class Block(nnx.Module):
    """A layer of an encoder, by nnx's own attention."""

    def __init__(self, heads: int, rngs: nnx.Rngs) -> None:
        self.norm_1, self.norm_2 = nnx.LayerNorm(HIDDEN, rngs=rngs), nnx.LayerNorm(HIDDEN, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(heads, HIDDEN, decode=False, rngs=rngs)
        self.wide_in = nnx.Linear(HIDDEN, 4 * HIDDEN, rngs=rngs)
        self.wide_out = nnx.Linear(4 * HIDDEN, HIDDEN, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        mask = nnx.make_causal_mask(jnp.ones(x.shape[:2]))
        x = x + self.attention(self.norm_1(x), mask=mask)
        return x + self.wide_out(nnx.gelu(self.wide_in(self.norm_2(x))))


class Transformer(nnx.Module):
    def __init__(self, layers: int, heads: int, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Embed(VOCABULARY, HIDDEN, rngs=rngs)
        self.blocks = nnx.List([Block(heads, rngs) for _ in range(layers)])
        self.head = nnx.Linear(HIDDEN, VOCABULARY, rngs=rngs)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def transformer() -> Case:
    """Parameters are an `nnx.State`, merged with the graph in the loss."""
    graph, shapes = nnx.split(nnx.eval_shape(lambda: Transformer(2, 4, nnx.Rngs(0))))
    params = random_weights(shapes)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = nnx.merge(graph, params)(batch["tokens"])
        return cross_entropy(logits[:, :-1], batch["tokens"][:, 1:])

    return train(loss, params, {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)})


def remat() -> Case:
    """The same under `jax.checkpoint`, with gradients accumulated over two microbatches."""
    graph, shapes = nnx.split(nnx.eval_shape(lambda: Transformer(2, 4, nnx.Rngs(0))))
    params = random_weights(shapes)

    @jax.checkpoint
    def microbatch_loss(params: Any, tokens: jax.Array) -> jax.Array:
        logits = nnx.merge(graph, params)(tokens)
        return cross_entropy(logits[:, :-1], tokens[:, 1:])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        def add(total: jax.Array, tokens: jax.Array) -> tuple[jax.Array, None]:
            return total + microbatch_loss(params, tokens), None

        return jax.lax.scan(add, jnp.zeros(()), batch["tokens"])[0] / 2

    tokens = random_tokens((2, BATCH, LENGTH), VOCABULARY)
    return train(loss, params, {"tokens": tokens}, batch_dim=1)


def convolutional() -> Case:
    """Convolution, batch normalisation, dropout: the random key and the averages are state."""

    class Network(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.first = nnx.Conv(3, 32, (3, 3), rngs=rngs)
            self.norm = nnx.BatchNorm(32, rngs=rngs)
            self.second = nnx.Conv(32, 64, (3, 3), strides=2, rngs=rngs)
            self.head = nnx.Linear(64, 10, rngs=rngs)
            self.dropout = nnx.Dropout(0.1, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            x = nnx.relu(self.norm(self.first(x)))
            x = nnx.relu(self.second(x)).mean(axis=(1, 2))
            return self.head(self.dropout(x))

    graph, params, rest = nnx.split(Network(nnx.Rngs(0)), nnx.Param, ...)
    rule = optax.adamw(1e-3)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> tuple[jax.Array, Any]:
            model = nnx.merge(graph, params, state["rest"], copy=True)
            value = cross_entropy(model(batch["images"]), batch["labels"])
            return value, nnx.split(model, nnx.Param, ...)[2]

        (value, rest), gradients = jax.value_and_grad(loss, has_aux=True)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "optimizer": moments, "rest": rest}, value

    state = {"params": params, "optimizer": rule.init(params), "rest": rest}
    batch = {"images": random_floats((BATCH, 8, 8, 3)), "labels": random_tokens((BATCH,), 10)}
    return Case(step, (state, batch), params, state="state/(params|optimizer)/.*")


def lora() -> Case:
    """Low-rank updates are trained, the weights that they are added to are frozen and not given back."""

    class Network(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.wide_in = nnx.LoRALinear(HIDDEN, 4 * HIDDEN, lora_rank=8, rngs=rngs)
            self.wide_out = nnx.LoRALinear(4 * HIDDEN, HIDDEN, lora_rank=8, rngs=rngs)
            self.head = nnx.Linear(HIDDEN, 8, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            return self.head(self.wide_out(nnx.gelu(self.wide_in(x))))

    graph, shapes, frozen = nnx.split(Network(nnx.Rngs(0)), nnx.LoRAParam, ...)
    params, rule = random_weights(shapes), optax.adamw(1e-3)

    def step(state: Any, frozen: Any, batch: Any) -> tuple[Any, jax.Array]:
        def loss(params: Any) -> jax.Array:
            return cross_entropy(nnx.merge(graph, params, frozen)(batch["x"]), batch["labels"])

        value, gradients = jax.value_and_grad(loss)(state["params"])
        updates, moments = rule.update(gradients, state["optimizer"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "optimizer": moments}, value

    state = {"params": params, "optimizer": rule.init(params)}
    batch = {"x": random_floats((BATCH, HIDDEN)), "labels": random_tokens((BATCH,), 8)}
    return Case(step, (state, frozen, batch), params, state="(state|frozen)/.*")


def ensemble() -> Case:
    """Four networks of one shape, made and run by vmap."""

    class Network(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.first, self.second = nnx.Linear(16, HIDDEN, rngs=rngs), nnx.Linear(HIDDEN, 8, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            return self.second(nnx.relu(self.first(x)))

    keys = jax.random.split(jax.random.key(0), 4)
    graph, shapes = nnx.split(nnx.vmap(lambda key: Network(nnx.Rngs(key)))(keys))
    params = random_weights(shapes)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = jax.vmap(lambda member: nnx.merge(graph, member)(batch["x"]))(params)
        return jax.vmap(lambda each: cross_entropy(each, batch["labels"]))(logits).mean()

    return train(loss, params, {"x": random_floats((16, 16)), "labels": random_tokens((16,), 8)})


def optimizer() -> Case:
    """By `nnx.Optimizer`, which changes the model in place: both are state."""

    def make(key: int) -> tuple[Transformer, nnx.Optimizer]:
        model = Transformer(2, 4, nnx.Rngs(key))
        return model, nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)

    graph, state = nnx.split(make(0))

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        model, rule = nnx.merge(graph, state)

        def loss(model: Transformer) -> jax.Array:
            return cross_entropy(model(batch["tokens"])[:, :-1], batch["tokens"][:, 1:])

        value, gradients = nnx.value_and_grad(loss)(model)
        rule.update(model, gradients)
        return nnx.state((model, rule)), value

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)}
    return Case(step, (state, batch), nnx.state(make(0)[0], nnx.Param))


ROWS = [
    Row("Transformer", "flax nnx", transformer),
    Row("Transformer (remat, accumulated)", "flax nnx", remat),
    Row("CNN (batch norm, dropout)", "flax nnx", convolutional),
    Row("LoRA", "flax nnx", lora),
    Row("Ensemble (vmap)", "flax nnx", ensemble),
    Row("Transformer (nnx.Optimizer)", "flax nnx", optimizer),
]
