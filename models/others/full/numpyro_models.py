"""numpyro: a step of stochastic variational inference on a topic model with amortized weights (ProdLDA)."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from flax import linen as nn
from numpyro.contrib.module import flax_module
from numpyro.infer import SVI, Trace_ELBO

from models.others.full.program import Entry, Program, adamw, floats

WORDS, TOPICS, HIDDEN, BATCH = 262_144, 1024, 4096, 2048


class Encoder(nn.Module):
    """Mean and spread of a document's weights of topics."""

    topics: int

    @nn.compact
    def __call__(self, counts: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = nn.softplus(nn.Dense(HIDDEN, name="first")(jnp.log1p(counts)))
        x = nn.softplus(nn.Dense(HIDDEN, name="second")(x))
        return nn.Dense(self.topics, name="mean")(x), nn.Dense(self.topics, name="spread")(x)


def model(counts: jax.Array, topics: int) -> None:
    decode = flax_module("decoder", nn.Dense(counts.shape[1], use_bias=False), input_shape=(1, topics))
    with numpyro.plate("documents", counts.shape[0]):
        logits = numpyro.sample("weights", dist.Normal(jnp.zeros(topics), 1.0).to_event(1))
        words = nn.log_softmax(decode(nn.softmax(logits)))
        numpyro.factor("words", jnp.sum(counts * words, axis=-1))


def guide(counts: jax.Array, topics: int) -> None:
    encode = flax_module("encoder", Encoder(topics), input_shape=(1, counts.shape[1]))
    with numpyro.plate("documents", counts.shape[0]):
        mean, spread = encode(counts)
        numpyro.sample("weights", dist.Normal(mean, jnp.exp(0.5 * spread)).to_event(1))


def topic_model(words: int = WORDS, batch: int = BATCH) -> Program:
    """The state of SVI holds the parameters, the optimizer's state and the random key."""
    inference = SVI(partial(model, topics=TOPICS), partial(guide, topics=TOPICS), adamw(), Trace_ELBO())
    counts = floats(batch, words)
    state = jax.eval_shape(inference.init, jax.random.PRNGKey(0), counts)

    def step(state: Any, counts: jax.Array) -> tuple[Any, jax.Array]:
        return inference.update(state, counts)

    return Program(step, (state, counts), jax.eval_shape(inference.get_params, state))


ENTRIES = [Entry("numpyro_topics", "numpyro", topic_model)]
