"""jraph: a simulator of particles in the manner of GNS, on one large graph; nodes and edges keep residual streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import jraph
from flax import linen as nn

from models.others.full.program import Entry, Program, floats, tokens, train

NODES, EDGES, FEATURES, WIDTH, STEPS = 262_144, 2_097_152, 32, 256, 10


class MLP(nn.Module):
    """Two hidden layers, and a norm unless it is the last."""

    size: int
    normalized: bool = True

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for number in range(2):
            x = nn.relu(nn.Dense(WIDTH, dtype=jnp.bfloat16, name=f"hidden_{number}")(x))
        x = nn.Dense(self.size, dtype=jnp.bfloat16, name="out")(x)
        return nn.LayerNorm(dtype=jnp.bfloat16, name="norm")(x) if self.normalized else x


def add_residual(name: str) -> Callable[..., jax.Array]:
    """What updates a node or an edge, from its own value and those around it."""

    def update(own: jax.Array, *others: jax.Array) -> jax.Array:
        known = [other for other in others if other is not None]
        return own + MLP(WIDTH, name=name)(jnp.concatenate([own, *known], axis=-1))

    return update


class Simulator(nn.Module):
    steps: int

    @nn.compact
    def __call__(self, graph: jraph.GraphsTuple) -> jax.Array:
        graph = jraph.GraphMapFeatures(MLP(WIDTH, name="encode_edges"), MLP(WIDTH, name="encode_nodes"))(graph)
        for number in range(self.steps):
            graph = jraph.GraphNetwork(add_residual(f"edges_{number}"), add_residual(f"nodes_{number}"))(graph)
        return MLP(3, normalized=False, name="decode")(graph.nodes)


def gns(nodes: int = NODES, edges: int = EDGES, steps: int = STEPS) -> Program:
    """Accelerations of all particles from their last velocities."""
    model = Simulator(steps)

    def make_graph(batch: Mapping[str, jax.Array]) -> jraph.GraphsTuple:
        return jraph.GraphsTuple(
            nodes=batch["nodes"], edges=batch["edges"], senders=batch["senders"], receivers=batch["receivers"],
            globals=None, n_node=jnp.array([nodes]), n_edge=jnp.array([edges]),
        )  # fmt: skip

    batch = {
        "nodes": floats(nodes, FEATURES), "edges": floats(edges, 4), "senders": tokens(edges),
        "receivers": tokens(edges), "accelerations": floats(nodes, 3),
    }  # fmt: skip
    params = jax.eval_shape(lambda key, batch: model.init(key, make_graph(batch)), jax.random.PRNGKey(0), batch)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        predicted = model.apply(params, make_graph(batch)).astype(jnp.float32)
        return jnp.mean((predicted - batch["accelerations"]) ** 2)

    return train(loss, params, batch)


ENTRIES = [Entry("jraph_gns", "jraph", gns)]
