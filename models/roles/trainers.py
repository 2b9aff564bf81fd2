"""Train states of flax, optax, haiku, equinox, Keras and transformers, written with the packages themselves."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import keras
import optax
from flax import nnx
from flax.training import train_state
from keras import layers
from optax import contrib

from models.roles.case import (
    COUNTER,
    INPUT,
    OPTIMIZER,
    PARAMETER,
    STATE,
    TRAINING,
    Case,
    Row,
    cross_entropy,
    norms,
    shape,
    tokens,
)

KEY = shape(2, dtype=jnp.uint32)


class Encoder(nn.Module):
    """A transformer of flax linen."""

    vocabulary: int = 320
    width: int = 48
    layers: int = 2

    @nn.compact
    def __call__(self, ids: jax.Array, train: bool = False) -> jax.Array:
        x = nn.Embed(self.vocabulary, self.width)(ids)
        x = x + self.param("positions", nn.initializers.normal(), (ids.shape[1], self.width))
        for _ in range(self.layers):
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(4)(y, mask=nn.make_causal_mask(ids))
            x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(3 * self.width)(nn.LayerNorm()(x))))
        return nn.Dense(self.vocabulary)(x)


def linen_state(model: nn.Module, ids: Any, rule: optax.GradientTransformation) -> train_state.TrainState:
    def init(ids: jax.Array) -> train_state.TrainState:
        params = model.init(jax.random.key(0), ids)["params"]
        return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=rule)

    return jax.eval_shape(init, ids)


def linen_metrics() -> Case:
    """`TrainState.apply_gradients` with what trainers log: norms of gradients, updates, old and new parameters."""
    model, ids = Encoder(), tokens(6, 20)
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))

    def step(state: train_state.TrainState, batch: Any) -> Any:
        def loss_of(params: Any) -> tuple[jax.Array, jax.Array]:
            logits = state.apply_fn({"params": params}, batch["tokens"])
            return cross_entropy(logits, batch["labels"]), logits

        (loss, logits), gradients = jax.value_and_grad(loss_of, has_aux=True)(state.params)
        new = state.apply_gradients(grads=gradients)
        updates = jax.tree.map(jnp.subtract, new.params, state.params)
        logged = {"gradients": gradients, "old": state.params, "new": new.params, "updates": updates}
        accuracy = (logits.argmax(-1) == batch["labels"]).mean()
        return new, {"loss": loss, "accuracy": accuracy, "rate": schedule(state.step), **norms(logged)}

    return Case(step, (linen_state(model, ids, rule), {"tokens": ids, "labels": ids}), TRAINING, donated=(0,))


def linen_batch_norm() -> Case:
    """A convolutional network with `batch_stats` beside `params`, by momentum."""

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array, train: bool = True) -> jax.Array:
            for width in (24, 40):
                x = nn.Conv(width, (3, 3))(x)
                x = nn.relu(nn.BatchNorm(use_running_average=not train)(x))
                x = nn.max_pool(x, (2, 2), (2, 2))
            return nn.Dense(11)(x.mean((1, 2)))

    model, images = Network(), shape(10, 16, 16, 3)
    rule = optax.sgd(0.1, momentum=0.9, nesterov=True)

    def init(images: jax.Array) -> Any:
        made = model.init(jax.random.key(0), images)
        return {"step": jnp.zeros((), jnp.int32), "opt_state": rule.init(made["params"]), **made}

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> Any:
            variables = {"params": params, "batch_stats": state["batch_stats"]}
            logits, updated = model.apply(variables, batch["images"], mutable=["batch_stats"])
            decay = 1e-4 * sum(jnp.sum(p * p) for p in jax.tree.leaves(params))
            return cross_entropy(logits, batch["labels"]) + decay, updated["batch_stats"]

        (loss, stats), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        new = {"step": state["step"] + 1, "opt_state": opt_state, "params": params, "batch_stats": stats}
        return new, {"loss": loss, **norms({"g": gradients, "p": params})}

    batch = {"images": images, "labels": tokens(10)}
    return Case(step, (jax.eval_shape(init, images), batch), ((r".*/batch_stats/.*", STATE), *TRAINING))


class NnxBlock(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs) -> None:
        self.norm = nnx.RMSNorm(width, rngs=rngs)
        self.wide = nnx.Linear(width, 3 * width, rngs=rngs)
        self.narrow = nnx.Linear(3 * width, width, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.dropout(self.narrow(nnx.silu(self.wide(self.norm(x)))))


class NnxModel(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Embed(200, 40, rngs=rngs)
        self.blocks = nnx.List([NnxBlock(40, rngs) for _ in range(3)])
        self.head = nnx.Linear(40, 200, rngs=rngs)

    def __call__(self, ids: jax.Array) -> jax.Array:
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


NNX_TRUTH = (
    (r".*(rngs|dropout|count|key|step).*", COUNTER),
    (r".*opt_state.*", OPTIMIZER),
    (r"state.*", PARAMETER),
    (r"batch.*", INPUT),
)


def nnx_optimizer() -> Case:
    """`nnx.Optimizer`: module and optimizer in one state, as `nnx.split` gives it; random states are carried."""

    def make() -> Any:
        model = NnxModel(nnx.Rngs(0))
        return nnx.split((model, nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)))

    definition, made = make()
    state = jax.eval_shape(lambda: made)

    def step(state: Any, batch: Any) -> Any:
        model, optimizer = nnx.merge(definition, state)

        def loss_of(model: NnxModel) -> jax.Array:
            return cross_entropy(model(batch["tokens"]), batch["labels"])

        loss, gradients = nnx.value_and_grad(loss_of)(model)
        optimizer.update(model, gradients)
        return nnx.split((model, optimizer))[1], {"loss": loss, "grad_norm": optax.global_norm(gradients)}

    ids = tokens(6, 18)
    return Case(step, (state, {"tokens": ids, "labels": ids}), NNX_TRUTH)


def nnx_values() -> Case:
    """Parameters as a pure dict of values, updated by optax; metrics are norms of each parameter and its gradient."""
    definition, state = nnx.split(NnxModel(nnx.Rngs(0)))
    params, rest = nnx.split_state(state, nnx.Param, ...)
    rule = optax.lion(1e-4)

    def step(params: Any, opt_state: Any, rest: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> Any:
            model = nnx.merge(definition, params, rest, copy=True)
            loss = cross_entropy(model(batch["tokens"]), batch["labels"])
            return loss, nnx.state(model, nnx.Not(nnx.Param))

        (loss, others), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, new_opt_state = rule.update(gradients, opt_state, params)
        new = optax.apply_updates(params, updates)
        each = jax.tree.leaves(jax.tree.map(lambda g, p: jnp.linalg.norm(g) / jnp.linalg.norm(p), gradients, new))
        return new, new_opt_state, others, loss, jnp.stack(each)

    ids = tokens(5, 18)
    arguments = jax.eval_shape(lambda: (params, rule.init(params), rest))
    truth = ((r".*count.*|rest.*", COUNTER), (r"opt_state.*", OPTIMIZER), (r"params.*", PARAMETER), (r"batch.*", INPUT))
    return Case(step, (*arguments, {"tokens": ids, "labels": ids}), truth, donated=(0, 1))


def optax_ema() -> Case:
    """An average of the parameters beside them, debiased, and a plateau schedule that reads the loss."""
    model, ids = Encoder(layers=1), tokens(6, 20)
    rule = optax.chain(optax.adam(1e-3), optax.contrib.reduce_on_plateau(patience=3))

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return cross_entropy(model.apply({"params": params}, batch["tokens"]), batch["labels"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"], value=loss)
        params = optax.apply_updates(state["params"], updates)
        ema = optax.incremental_update(params, state["ema"], 1e-3)
        distance = optax.global_norm(jax.tree.map(jnp.subtract, ema, params))
        return {"params": params, "opt_state": opt_state, "ema": ema}, (loss, distance)

    def init(ids: jax.Array) -> Any:
        params = model.init(jax.random.key(0), ids)["params"]
        return {"params": params, "opt_state": rule.init(params), "ema": params}

    truth = ((r".*/(plateau_count|cooldown_count)", COUNTER), (r"state/ema/.*", OPTIMIZER), *TRAINING)
    return Case(step, (jax.eval_shape(init, ids), {"tokens": ids, "labels": ids}), truth)


def _optax_case(rule: Any, **options: Any) -> Case:
    """A step of the encoder under a rule of optax; the state is a tuple without names."""
    model, ids = Encoder(**options), tokens(6, 20)

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return cross_entropy(model.apply({"params": params}, batch["tokens"]), batch["labels"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        rate = opt_state.hyperparams["learning_rate"] if hasattr(opt_state, "hyperparams") else jnp.float32(0)
        return {"params": params, "opt_state": opt_state}, {"loss": loss, "rate": rate, **norms({"u": updates})}

    def init(ids: jax.Array) -> Any:
        params = model.init(jax.random.key(0), ids)["params"]
        return {"params": params, "opt_state": rule.init(params)}

    return Case(step, (jax.eval_shape(init, ids), {"tokens": ids, "labels": ids}), TRAINING)


def optax_masked() -> Case:
    """Embeddings are frozen, norms have no decay, matrices have Adam: `multi_transform` with masked states."""

    def label(path: Any, leaf: Any) -> str:
        name = jax.tree_util.keystr(path)
        return "frozen" if "Embed" in name else "plain" if leaf.ndim < 2 else "adam"

    rule = optax.multi_transform(
        {"frozen": optax.set_to_zero(), "plain": optax.sgd(0.1, momentum=0.9), "adam": optax.adamw(1e-3)},
        lambda params: jax.tree_util.tree_map_with_path(label, params),
    )
    return _optax_case(rule)


def optax_injected() -> Case:
    """Hyperparameters that are arrays of the state, one of them by a schedule, and logged."""
    return _optax_case(optax.inject_hyperparams(optax.adamw)(optax.linear_schedule(1e-3, 0.0, 100)))


def optax_muon() -> Case:
    """Matrices are made orthogonal by products of their own, other parameters have Adam."""
    return _optax_case(contrib.muon(1e-3), layers=1)


def optax_adafactor() -> Case:
    """Second moments as rows and columns; sizes are above the limit from which they are factored."""
    return _optax_case(optax.adafactor(1e-3, min_dim_size_to_factor=16), layers=1, width=32)


def optax_multi_steps() -> Case:
    """Gradients are added up over calls: the sum is state, and updates happen under a condition."""
    return _optax_case(optax.MultiSteps(optax.adamw(1e-3), 4), layers=1)


def haiku_state() -> Case:
    """A convolutional network of haiku: parameters, averages and moments are three arguments; all come back."""

    def forward(images: jax.Array) -> jax.Array:
        x = hk.Conv2D(24, 3)(images)
        x = jax.nn.relu(hk.BatchNorm(True, True, 0.9)(x, is_training=True))
        x = jax.nn.relu(hk.BatchNorm(True, True, 0.9)(hk.Conv2D(40, 3, stride=2)(x), is_training=True))
        return hk.Linear(11)(x.mean((1, 2)))

    model, rule = hk.without_apply_rng(hk.transform_with_state(forward)), optax.adam(1e-3)
    images = shape(10, 16, 16, 3)

    def update(params: Any, state: Any, opt_state: Any, images: Any, labels: Any) -> Any:
        def loss_of(params: Any) -> Any:
            logits, new = model.apply(params, state, images)
            return cross_entropy(logits, labels), new

        (loss, new_state), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return loss, optax.apply_updates(params, updates), new_state, opt_state

    params, state = jax.eval_shape(model.init, jax.random.PRNGKey(0), images)
    truth = (
        (r".*count(er)?", COUNTER), (r"params/.*", PARAMETER), (r"state/.*", STATE), (r"opt_state/.*", OPTIMIZER),
        (r"images|labels", INPUT),
    )  # fmt: skip
    return Case(update, (params, state, jax.eval_shape(rule.init, params), images, tokens(10)), truth)


def haiku_vq() -> Case:
    """A VQ-VAE whose codes are averages of what is assigned to them."""

    def forward(x: jax.Array) -> Any:
        codes = hk.nets.VectorQuantizerEMA(24, 56, 0.25, 0.99)(hk.nets.MLP([64, 24])(x), is_training=True)
        return hk.nets.MLP([64, 30])(codes["quantize"]), codes

    model, rule, x = hk.without_apply_rng(hk.transform_with_state(forward)), optax.adam(1e-3), shape(18, 30)

    def update(params: Any, state: Any, opt_state: Any, x: Any) -> Any:
        def loss_of(params: Any) -> Any:
            (y, codes), new = model.apply(params, state, x)
            return jnp.mean((y - x) ** 2) + codes["loss"], (new, codes["perplexity"])

        (loss, (new, perplexity)), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return optax.apply_updates(params, updates), new, opt_state, {"loss": loss, "perplexity": perplexity}

    params, state = jax.eval_shape(model.init, jax.random.PRNGKey(0), x)
    truth = (
        (r".*count(er)?", COUNTER), (r"params/.*", PARAMETER), (r"state/.*", STATE), (r"opt_state/.*", OPTIMIZER),
        (r"x", INPUT),
    )  # fmt: skip
    return Case(update, (params, state, jax.eval_shape(rule.init, params), x), truth)


def equinox_partitioned() -> Case:
    """The arrays of `eqx.partition`; leaves have names by attributes, and matrices stand left of what they multiply."""
    model = eqx.filter_eval_shape(
        lambda key: eqx.nn.MLP(30, 12, 56, 3, key=key), jax.ShapeDtypeStruct((2,), jnp.uint32)
    )
    arrays, static = eqx.partition(model, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    rule = optax.adamw(1e-3)

    def step(model: Any, opt_state: Any, x: Any, y: Any) -> Any:
        def loss_of(arrays: Any) -> jax.Array:
            return jnp.mean((jax.vmap(eqx.combine(arrays, static))(x) - y) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(model)
        updates, opt_state = rule.update(gradients, opt_state, model)
        return eqx.apply_updates(model, updates), opt_state, loss, optax.global_norm(model)

    truth = ((r".*count", COUNTER), (r"model/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"x|y", INPUT))
    return Case(step, (arrays, jax.eval_shape(rule.init, arrays), shape(18, 30), shape(18, 12)), truth)


def equinox_inference() -> Case:
    """The same model called on a batch: weights are frozen arguments, on the left of products."""
    model = eqx.filter_eval_shape(
        lambda key: eqx.nn.MLP(30, 12, 56, 3, key=key), jax.ShapeDtypeStruct((2,), jnp.uint32)
    )
    arrays, static = eqx.partition(model, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))

    def predict(model: Any, x: Any) -> Any:
        return jax.vmap(eqx.combine(model, static))(x)

    return Case(predict, (arrays, shape(18, 30)), ((r"model/.*", PARAMETER), (r"x", INPUT)))


def keras_lists() -> Case:
    """Keras' own trainer: lists of trainable, other and optimizer variables, which have no names but their numbers."""
    model = keras.Sequential(
        [layers.Input((16, 16, 3)), layers.Conv2D(24, 3), layers.BatchNormalization(), layers.ReLU(),
         layers.Conv2D(40, 3), layers.BatchNormalization(), layers.ReLU(), layers.GlobalAveragePooling2D(),
         layers.Dropout(0.1), layers.Dense(11)]
    )  # fmt: skip
    optimizer = keras.optimizers.AdamW(1e-3)
    optimizer.build(model.trainable_variables)

    def step(trainable: Any, others: Any, optimizer_variables: Any, batch: Any) -> Any:
        def loss_of(trainable: Any) -> Any:
            logits, new = model.stateless_call(trainable, others, batch["images"], training=True)
            return cross_entropy(logits, batch["labels"]), new

        (loss, new), gradients = jax.value_and_grad(loss_of, has_aux=True)(trainable)
        trainable, optimizer_variables = optimizer.stateless_apply(optimizer_variables, gradients, trainable)
        return loss, trainable, new, optimizer_variables

    def shapes(variables: Any) -> list[Any]:
        return [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in variables]

    arguments = tuple(map(shapes, (model.trainable_variables, model.non_trainable_variables, optimizer.variables)))
    counters = [f"others/{i}" for i, v in enumerate(model.non_trainable_variables) if "seed" in v.path]
    counters += [f"optimizer_variables/{i}" for i, v in enumerate(optimizer.variables) if "iteration" in v.path]
    truth = (
        ("|".join(counters), COUNTER), (r"trainable/.*", PARAMETER), (r"others/.*", STATE),
        (r"optimizer_variables/.*", OPTIMIZER), (r"batch/.*", INPUT),
    )  # fmt: skip
    batch = {"images": shape(10, 16, 16, 3), "labels": tokens(10)}
    return Case(step, (*arguments, batch), truth, donated=(0, 1, 2))


def transformers_gpt2() -> Case:
    """GPT-2 of transformers in a linen TrainState with dropout: its key is carried."""
    from transformers import FlaxGPT2LMHeadModel, GPT2Config

    config = GPT2Config(vocab_size=300, n_positions=24, n_embd=48, n_layer=2, n_head=4)
    model = FlaxGPT2LMHeadModel(config, _do_init=False, input_shape=(1, 24))
    params = jax.eval_shape(lambda key: model.init_weights(key, (1, 24)), KEY)
    rule = optax.adamw(1e-3)

    class State(train_state.TrainState):
        dropout_rng: Any

    def init(params: Any, key: Any) -> State:
        return State.create(apply_fn=model.__call__, params=params, tx=rule, dropout_rng=key)

    def step(state: State, batch: Any) -> Any:
        key, new_key = jax.random.split(state.dropout_rng)

        def loss_of(params: Any) -> jax.Array:
            logits = model(batch["input_ids"], params=params, dropout_rng=key, train=True)[0]
            return cross_entropy(logits[:, :-1], batch["labels"][:, 1:])

        loss, gradients = jax.value_and_grad(loss_of)(state.params)
        new = state.apply_gradients(grads=gradients, dropout_rng=new_key)
        return new, {"loss": loss, "learning_rate": 1e-3 * state.step, **norms({"weights": new.params})}

    ids = tokens(6, 24)
    truth = ((r"state/dropout_rng", COUNTER), *TRAINING)
    return Case(step, (jax.eval_shape(init, params, KEY), {"input_ids": ids, "labels": ids}), truth)


ROWS = [
    Row("TrainState, all metrics", "flax linen", linen_metrics),
    Row("batch_stats", "flax linen", linen_batch_norm),
    Row("nnx.Optimizer", "flax nnx", nnx_optimizer),
    Row("nnx values, norms of each", "flax nnx", nnx_values),
    Row("EMA, reduce on plateau", "optax", optax_ema),
    Row("multi_transform, masked", "optax", optax_masked),
    Row("inject_hyperparams", "optax", optax_injected),
    Row("Muon", "optax", optax_muon),
    Row("Adafactor", "optax", optax_adafactor),
    Row("MultiSteps", "optax", optax_multi_steps),
    Row("transform_with_state", "haiku", haiku_state),
    Row("VQ-VAE, averaged codes", "haiku", haiku_vq),
    Row("partitioned module", "equinox", equinox_partitioned),
    Row("module, inference", "equinox", equinox_inference),
    Row("stateless lists", "keras", keras_lists),
    Row("GPT-2, dropout", "transformers", transformers_gpt2),
]
