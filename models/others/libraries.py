"""Models of haiku, equinox, flax (linen and nnx), Keras, jraph and optax programs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from models.others.row import Model, cross_entropy, normal, row, tokens

BATCH = 8


def _images(size: int = 16) -> dict[str, jax.Array]:
    return {"pixels": normal(BATCH, size, size, 3), "labels": tokens(BATCH, vocabulary=10)}


@row("haiku", "momentum")
def haiku_mlp() -> Model:
    import haiku as hk

    model = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([64, 32, 16])(x)))
    batch = {"x": normal(BATCH, 32), "labels": tokens(BATCH, vocabulary=16)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(model.apply(params, batch["x"]), batch["labels"])

    return model.init(jax.random.PRNGKey(0), batch["x"]), batch, loss


@row("haiku")
def haiku_attention() -> Model:
    import haiku as hk

    def forward(x: jax.Array) -> jax.Array:
        x = hk.Embed(64, 32)(x)
        for _ in range(2):
            y = hk.LayerNorm(-1, True, True)(x)
            x = x + hk.MultiHeadAttention(4, 8, w_init=hk.initializers.VarianceScaling(1.0), model_size=32)(y, y, y)
            x = x + hk.nets.MLP([64, 32])(hk.LayerNorm(-1, True, True)(x))
        return hk.Linear(64)(x)

    model = hk.without_apply_rng(hk.transform(forward))
    batch = {"x": tokens(BATCH, 16), "labels": tokens(BATCH, 16, seed=1)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(model.apply(params, batch["x"]), batch["labels"])

    return model.init(jax.random.PRNGKey(0), batch["x"]), batch, loss


@row("haiku", "adafactor")
def haiku_lstm() -> Model:
    import haiku as hk

    def forward(x: jax.Array) -> jax.Array:
        core = hk.LSTM(32)
        embedded = hk.Embed(64, 32)(x)
        outputs, _ = hk.dynamic_unroll(core, embedded, core.initial_state(BATCH), time_major=False)
        return hk.Linear(64)(outputs)

    model = hk.without_apply_rng(hk.transform(forward))
    batch = {"x": tokens(BATCH, 16), "labels": tokens(BATCH, 16, seed=1)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(model.apply(params, batch["x"]), batch["labels"])

    return model.init(jax.random.PRNGKey(0), batch["x"]), batch, loss


@row("equinox")
def equinox_mlp() -> Model:
    import equinox as eqx

    model = eqx.nn.MLP(32, 16, 64, 2, key=jax.random.PRNGKey(0))
    params, static = eqx.partition(model, eqx.is_array)
    batch = {"x": normal(BATCH, 32), "labels": tokens(BATCH, vocabulary=16)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(jax.vmap(eqx.combine(params, static))(batch["x"]), batch["labels"])

    return params, batch, loss


@row("equinox", "lion")
def equinox_attention() -> Model:
    import equinox as eqx

    keys = jax.random.split(jax.random.PRNGKey(0), 5)
    layers = {
        "embed": eqx.nn.Embedding(64, 32, key=keys[0]),
        "attention": eqx.nn.MultiheadAttention(4, 32, key=keys[1]),
        "norm": eqx.nn.LayerNorm(32),
        "mlp": eqx.nn.MLP(32, 32, 64, 1, key=keys[2]),
        "head": eqx.nn.Linear(32, 64, key=keys[3]),
    }
    params, static = eqx.partition(layers, eqx.is_array)
    batch = {"x": tokens(BATCH, 16), "labels": tokens(BATCH, 16, seed=1)}

    def loss(params: Any, batch: Any) -> jax.Array:
        model = eqx.combine(params, static)

        def one(x: jax.Array) -> jax.Array:
            h = jax.vmap(model["embed"])(x)
            y = jax.vmap(model["norm"])(h)
            h = h + model["attention"](y, y, y)
            return jax.vmap(model["head"])(h + jax.vmap(model["mlp"])(h))

        return cross_entropy(jax.vmap(one)(batch["x"]), batch["labels"])

    return params, batch, loss


@row("equinox", "momentum")
def equinox_cnn() -> Model:
    import equinox as eqx

    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    layers = [
        eqx.nn.Conv2d(3, 16, 3, padding=1, key=keys[0]),
        eqx.nn.Conv2d(16, 16, 3, padding=1, stride=2, key=keys[1]),
        eqx.nn.Linear(16, 10, key=keys[2]),
    ]
    params, static = eqx.partition(layers, eqx.is_array)
    batch = {"pixels": normal(BATCH, 3, 16, 16), "labels": tokens(BATCH, vocabulary=10)}

    def loss(params: Any, batch: Any) -> jax.Array:
        first, second, head = eqx.combine(params, static)

        def one(x: jax.Array) -> jax.Array:
            return head(jax.nn.relu(second(jax.nn.relu(first(x)))).mean(axis=(1, 2)))

        return cross_entropy(jax.vmap(one)(batch["pixels"]), batch["labels"])

    return params, batch, loss


@row("flax linen", "momentum")
def linen_cnn() -> Model:
    from flax import linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array) -> jax.Array:
            x = nn.relu(nn.Conv(16, (3, 3))(x))
            x = nn.relu(nn.GroupNorm(4)(nn.Conv(32, (3, 3), strides=2)(x)))
            return nn.Dense(10)(x.mean(axis=(1, 2)))

    model, batch = Network(), _images()

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(model.apply({"params": params}, batch["pixels"]), batch["labels"])

    return model.init(jax.random.PRNGKey(0), batch["pixels"])["params"], batch, loss


@row("flax linen")
def linen_scanned_transformer() -> Model:
    from flax import linen as nn

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array, _: None) -> tuple[jax.Array, None]:
            x = x + nn.MultiHeadDotProductAttention(4)(nn.LayerNorm()(x))
            return x + nn.Dense(32)(nn.gelu(nn.Dense(64)(nn.LayerNorm()(x)))), None

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array) -> jax.Array:
            x = nn.Embed(64, 32)(x)
            blocks = nn.scan(
                nn.remat(Block),
                variable_axes={"params": 0},
                split_rngs={"params": True},
                in_axes=nn.broadcast,
                length=2,
            )
            return nn.Dense(64)(blocks()(x, None)[0])

    model = Network()
    batch = {"x": tokens(BATCH, 16), "labels": tokens(BATCH, 16, seed=1)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(model.apply({"params": params}, batch["x"]), batch["labels"])

    return model.init(jax.random.PRNGKey(0), batch["x"])["params"], batch, loss


@row("flax nnx")
def nnx_transformer() -> Model:
    """Through split and merge: the state is a pytree, the graph is static."""
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.attention = nnx.MultiHeadAttention(4, 32, decode=False, rngs=rngs)
            self.norm = nnx.LayerNorm(32, rngs=rngs)
            self.into = nnx.Linear(32, 64, rngs=rngs)
            self.out = nnx.Linear(64, 32, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            x = x + self.attention(self.norm(x))
            return x + self.out(nnx.gelu(self.into(x)))

    class Network(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.embed = nnx.Embed(64, 32, rngs=rngs)
            self.first, self.second = Block(rngs), Block(rngs)
            self.head = nnx.Linear(32, 64, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            return self.head(self.second(self.first(self.embed(x))))

    graph, params, rest = nnx.split(Network(nnx.Rngs(0)), nnx.Param, ...)
    batch = {"x": tokens(BATCH, 16), "labels": tokens(BATCH, 16, seed=1)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(nnx.merge(graph, params, rest)(batch["x"]), batch["labels"])

    return nnx.to_pure_dict(params), batch, lambda p, b: loss(_restore(params, p), b)


def _restore(state: Any, values: Any) -> Any:
    from flax import nnx

    copied = jax.tree.map(lambda leaf: leaf, state)
    nnx.replace_by_pure_dict(copied, values)
    return copied


def _keras(make: Any, size: int = 32) -> Model:
    """Trainable weights are the parameters; statistics of batch norms stay as they are."""
    import os

    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    keras.utils.set_random_seed(0)
    model = make(keras)
    trained = [jnp.asarray(v.value) for v in model.trainable_variables]
    fixed = [jnp.asarray(v.value) for v in model.non_trainable_variables]
    names = [f"{number:03}_{v.path.replace('/', '.')}" for number, v in enumerate(model.trainable_variables)]
    params = dict(zip(names, trained, strict=True))
    batch = {"pixels": normal(BATCH, size, size, 3), "labels": tokens(BATCH, vocabulary=10)}

    def loss(params: Any, batch: Any) -> jax.Array:
        ordered = [params[name] for name in sorted(params)]
        logits, _ = model.stateless_call(ordered, fixed, batch["pixels"], training=False)
        return cross_entropy(logits, batch["labels"])

    return params, batch, loss


@row("keras", "momentum")
def keras_mobilenet() -> Model:
    return _keras(
        lambda keras: keras.applications.MobileNet(
            input_shape=(32, 32, 3), alpha=0.25, weights=None, classes=10, classifier_activation=None, dropout=0.0
        )
    )


@row("keras", "momentum")
def keras_resnet50() -> Model:
    return _keras(
        lambda keras: keras.applications.ResNet50V2(
            input_shape=(32, 32, 3), weights=None, classes=10, classifier_activation=None
        )
    )


@row("keras")
def keras_transformer() -> Model:
    def make(keras: Any) -> Any:
        image = keras.Input((32, 32, 3))
        x = keras.layers.Conv2D(32, 8, strides=8)(image)
        x = keras.layers.Reshape((16, 32))(x)
        for _ in range(2):
            y = keras.layers.LayerNormalization()(x)
            x = x + keras.layers.MultiHeadAttention(4, 8)(y, y)
            x = x + keras.layers.Dense(32)(keras.layers.Dense(64, activation="gelu")(x))
        return keras.Model(image, keras.layers.Dense(10)(keras.layers.GlobalAveragePooling1D()(x)))

    return _keras(make)


@row("jraph")
def jraph_network() -> Model:
    import haiku as hk
    import jraph

    nodes, edges = 16, 64
    random = np.random.default_rng(0)

    def forward(features: jax.Array, edge: jax.Array, senders: jax.Array, receivers: jax.Array) -> jax.Array:
        def update(*parts: Any) -> jax.Array:
            return hk.nets.MLP([32, 16])(jnp.concatenate([part for part in parts if part is not None], axis=-1))

        graph = jraph.GraphsTuple(
            nodes=features, edges=edge, senders=senders, receivers=receivers,
            n_node=jnp.array([nodes]), n_edge=jnp.array([edges]), globals=None,
        )  # fmt: skip
        step = jraph.InteractionNetwork(
            update_edge_fn=update, update_node_fn=update, include_sent_messages_in_node_update=True
        )
        return step(step(graph)).nodes

    model = hk.without_apply_rng(hk.transform(forward))
    batch = {
        "edge": normal(edges, 16),
        "senders": jnp.asarray(random.integers(0, nodes, edges), jnp.int32),
        "receivers": jnp.asarray(random.integers(0, nodes, edges), jnp.int32),
        "nodes": normal(nodes, 16, seed=1),
        "targets": normal(nodes, 16, seed=2),
    }

    def loss(params: Any, batch: Any) -> jax.Array:
        answer = model.apply(params, batch["nodes"], batch["edge"], batch["senders"], batch["receivers"])
        return jnp.mean((answer - batch["targets"]) ** 2)

    first = (batch["nodes"], batch["edge"], batch["senders"], batch["receivers"])
    return model.init(jax.random.PRNGKey(0), *first), batch, loss


@row("numpyro", "sgd")
def numpyro_regression() -> Model:
    """The negative log density of a Bayesian regression, its parameters unconstrained."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.util import initialize_model, potential_energy

    def model(x: jax.Array, y: jax.Array) -> None:
        w = numpyro.sample("w", dist.Normal(0, 1).expand([32, 16]).to_event(2))
        v = numpyro.sample("v", dist.Normal(0, 1).expand([16]).to_event(1))
        noise = numpyro.sample("noise", dist.Exponential(1.0))
        numpyro.sample("y", dist.Normal(jnp.tanh(x @ w) @ v, noise), obs=y)

    batch = {"x": normal(64, 32), "y": normal(64, seed=1)}
    start = initialize_model(jax.random.PRNGKey(0), model, model_args=(batch["x"], batch["y"]))
    params = start.param_info.z

    def loss(params: Any, batch: Any) -> jax.Array:
        return potential_energy(model, (batch["x"], batch["y"]), {}, params) / 64

    return params, batch, loss
