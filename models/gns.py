"""A graph network simulator: an encoder, message passing steps over a graph's edges and nodes, a decoder.

The `full` size: 24 message passing steps, MLPs of 5 layers (hidden 1024), latent 512, 2,048 nodes, 65,536 edges,
bf16 compute from f32 master parameters.

A layer is one message passing step, an edge MLP and a node MLP of m linear layers each with a LayerNorm at the end:
    matrices  2·m weights                                                               Q = 2·m = 10 for m = 5
    vectors   2·m biases, 2 scales, 2 offsets                                           P = 4·m + 4 = 24 for m = 5
Outside: two encoders of 2·m + 2 arrays and a decoder of 2·m (no norm): O = 6·m + 4 = 34. The tiny size has m = 5 too.

ES splits the edges: each step then reduces once forward (the sum over each node's edges) and once backward (the
gradients that the two gathers send back to the nodes, if the adds of partial sums carry), and every gradient of an
edge MLP is reduced: the steps + 1 of them have 2·m + 2 arrays each. The loss is a sum over nodes, which stay whole.
That is 2·steps + (steps + 1)·(2·m + 2) all-reduces, 348 in the full size.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models.layers import cast, layer_norm, matrix
from models.program import Model, Params, Program
from models.train import init_state, training


@dataclass(frozen=True)
class Config:
    nodes: int
    edges: int
    steps: int
    latent: int
    hidden: int
    dtype: Any = jnp.bfloat16
    mlp_layers: int = 5
    node_features: int = 32
    edge_features: int = 8
    outputs: int = 3
    scan: bool = False


def init_mlp(config: Config, key: jax.Array, inputs: int, outputs: int, norm: bool = True) -> Params:
    sizes = [inputs] + [config.hidden] * (config.mlp_layers - 1) + [outputs]
    keys = jax.random.split(key, config.mlp_layers)
    linear = [
        {"w": matrix(k, rows, columns), "b": jnp.zeros(columns)}
        for k, rows, columns in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]
    if not norm:
        return {"linear": linear}
    return {"linear": linear, "ln_scale": jnp.ones(outputs), "ln_bias": jnp.zeros(outputs)}


def init_step(config: Config, key: jax.Array) -> Params:
    edge, node = jax.random.split(key)
    latent = config.latent
    return {"edge": init_mlp(config, edge, 3 * latent, latent), "node": init_mlp(config, node, 2 * latent, latent)}


def init_params(config: Config, key: jax.Array) -> Params:
    node, edge, decoder, steps = jax.random.split(key, 4)
    keys = jax.random.split(steps, config.steps)
    init = functools.partial(init_step, config)
    return {
        "encode_nodes": init_mlp(config, node, config.node_features, config.latent),
        "encode_edges": init_mlp(config, edge, config.edge_features, config.latent),
        "steps": jax.vmap(init)(keys) if config.scan else [init(k) for k in keys],
        "decode": init_mlp(config, decoder, config.latent, config.outputs, norm=False),
    }


def mlp(params: Params, inputs: Sequence[jax.Array]) -> jax.Array:
    """An MLP on the inputs side by side."""
    x = jnp.concatenate(inputs, axis=-1)
    for index, linear in enumerate(params["linear"]):
        x = (jax.nn.relu(x) if index else x) @ linear["w"] + linear["b"]
    return layer_norm(x, params["ln_scale"], params["ln_bias"]) if "ln_scale" in params else x


def message_passing(params: Params, graph: Params, nodes: jax.Array, edges: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Edges see their two nodes, nodes see the sum of the edges that arrive; both are residual."""
    with jax.named_scope("edge_update"):
        ends = [nodes[graph["senders"]], nodes[graph["receivers"]]]
        edges = edges + mlp(params["edge"], [edges, *ends])
    with jax.named_scope("aggregate"):
        arriving = jax.ops.segment_sum(edges, graph["receivers"], num_segments=nodes.shape[0])
    with jax.named_scope("node_update"):
        nodes = nodes + mlp(params["node"], [nodes, arriving])
    return nodes, edges


def predict(config: Config, params: Params, graph: Params) -> jax.Array:
    nodes = mlp(params["encode_nodes"], [graph["nodes"].astype(config.dtype)])
    edges = mlp(params["encode_edges"], [graph["edges"].astype(config.dtype)])
    if config.scan:

        def body(carry: tuple[jax.Array, jax.Array], step: Params) -> tuple[tuple[jax.Array, jax.Array], None]:
            return message_passing(step, graph, *carry), None

        (nodes, edges), _ = lax.scan(body, (nodes, edges), params["steps"])
    else:
        for step in params["steps"]:
            nodes, edges = message_passing(step, graph, nodes, edges)
    return mlp(params["decode"], [nodes])


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    """Mean squared error of the predicted accelerations."""
    error = predict(config, cast(params, config.dtype), batch).astype(jnp.float32) - batch["targets"]
    return jnp.mean(jnp.square(error))


def random_graph(config: Config, key: jax.Array) -> Params:
    node, edge, target, send, receive = jax.random.split(key, 5)
    return {
        "nodes": jax.random.normal(node, (config.nodes, config.node_features)),
        "edges": jax.random.normal(edge, (config.edges, config.edge_features)),
        "senders": jax.random.randint(send, (config.edges,), 0, config.nodes),
        "receivers": jax.random.randint(receive, (config.edges,), 0, config.nodes),
        "targets": jax.random.normal(target, (config.nodes, config.outputs)),
    }


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        return init_state(init_params(config, key)), random_graph(config, key)

    return Program(training(functools.partial(loss, config)), init, donate_argnums=(0,))


def variant(name: str, notes: str, scan: bool) -> Model:
    sizes = {
        "tiny": Config(nodes=16, edges=64, steps=2, latent=16, hidden=32, dtype=jnp.float32, scan=scan),
        "full": Config(nodes=2048, edges=65536, steps=24, latent=512, hidden=1024, scan=scan),
    }
    pattern = "state/params/steps/.*" if scan else "state/params/steps/0/.*"
    return Model(name, sizes, build, 24, 10, 34, pattern, name, ("ES", "MP", "ES+MP", "ES+Z2", "ES+Z3"), notes)


MODELS = [variant("gns", "unrolled steps", scan=False), variant("gns_scan", "scan over steps", scan=True)]
