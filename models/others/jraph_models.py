"""jraph: a graph network that predicts nodes, convolutions and attention; gathers and segment sums over edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import jraph
import numpy as np

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

NODES, EDGES, FEATURES, HIDDEN = 32, 64, 16, 64


def _graph(batch: Mapping[str, jax.Array]) -> jraph.GraphsTuple:
    return jraph.GraphsTuple(
        nodes=batch["nodes"], edges=batch["edges"], senders=batch["senders"], receivers=batch["receivers"],
        globals=None, n_node=jnp.array([NODES]), n_edge=jnp.array([EDGES]),
    )  # fmt: skip


def _arrays() -> dict[str, np.ndarray]:
    return {
        "nodes": random_floats((NODES, FEATURES)),
        "edges": random_floats((EDGES, FEATURES), 1),
        "senders": random_tokens((EDGES,), NODES, 2),
        "receivers": random_tokens((EDGES,), NODES, 3),
    }


class GraphNetwork(nn.Module):
    """Two steps of message passing, each with an MLP of edges and one of nodes."""

    @nn.compact
    def __call__(self, graph: jraph.GraphsTuple) -> jax.Array:
        for number in range(2):
            edge, node = (_two_layers(f"{kind}_{number}") for kind in ("edge", "node"))
            network = jraph.GraphNetwork(
                update_edge_fn=jraph.concatenated_args(edge), update_node_fn=jraph.concatenated_args(node)
            )
            graph = network(graph)
        return nn.Dense(FEATURES, name="out")(graph.nodes)


def _two_layers(name: str) -> Any:
    first, second = nn.Dense(HIDDEN, name=f"{name}_in"), nn.Dense(FEATURES, name=f"{name}_out")
    return lambda x: second(nn.relu(first(x)))


def graph_network() -> Case:
    """Edges are split over `data`: messages that meet in a node are summed across devices."""
    model, batch = GraphNetwork(), _arrays()
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), _graph(batch))["params"])
    batch["targets"] = random_floats((NODES, FEATURES), 4)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return jnp.mean((model.apply({"params": params}, _graph(batch)) - batch["targets"]) ** 2)

    return train(loss, params, batch)


class Convolutions(nn.Module):
    """Two graph convolutions with symmetric normalisation."""

    @nn.compact
    def __call__(self, graph: jraph.GraphsTuple) -> jax.Array:
        for number, size in enumerate((HIDDEN, 8)):
            dense = nn.Dense(size, name=f"dense_{number}")
            graph = jraph.GraphConvolution(update_node_fn=dense, add_self_edges=True)(graph)
            graph = graph._replace(nodes=nn.relu(graph.nodes))
        return graph.nodes


def convolutions() -> Case:
    model, batch = Convolutions(), _arrays()
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), _graph(batch))["params"])
    batch["labels"] = random_tokens((NODES,), 8, 4)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply({"params": params}, _graph(batch)), batch["labels"])

    return train(loss, params, batch, batch="batch/(nodes|labels)")


class Attention(nn.Module):
    """Two layers of graph attention: a softmax over the edges that meet in a node."""

    @nn.compact
    def __call__(self, graph: jraph.GraphsTuple) -> jax.Array:
        for number in range(2):
            query, logit = nn.Dense(HIDDEN, name=f"query_{number}"), nn.Dense(1, name=f"logit_{number}")
            graph = jraph.GAT(
                attention_query_fn=query,
                attention_logit_fn=_join_ends(logit),
                node_update_fn=None,
            )(graph)
        return nn.Dense(8, name="head")(graph.nodes)


def _join_ends(logit: nn.Dense) -> Any:
    def apply(sent: jax.Array, received: jax.Array, edges: Any) -> jax.Array:
        return logit(nn.leaky_relu(jnp.concatenate([sent, received], axis=-1)))

    return apply


def attention() -> Case:
    model, batch = Attention(), _arrays()
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), _graph(batch))["params"])
    batch["labels"] = random_tokens((NODES,), 8, 4)

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply({"params": params}, _graph(batch)), batch["labels"])

    return train(loss, params, batch, batch="batch/(nodes|labels)")


ROWS = [
    Row("Graph network", "jraph", graph_network),
    Row("Graph convolutions", "jraph", convolutions),
    Row("Graph attention", "jraph", attention),
]
