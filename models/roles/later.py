"""Programs that were written when the analysis was done, to judge it: other optimizers, losses, networks, servers."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax
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
    attention,
    causal,
    cross_entropy,
    norms,
    rms_norm,
    shape,
    tokens,
)
from models.roles.layouts import layer, layer_shapes, mlp, mlp_shapes, stack

KEY = shape(2, dtype=jnp.uint32)


def maml() -> Case:
    """The loss is that of weights after a step of their own: it contains gradients."""
    rule, params = optax.adam(1e-3), mlp_shapes(11, 48, 36, 3)

    def step(state: Any, batch: Any) -> Any:
        def task_loss(params: Any, x: jax.Array, y: jax.Array) -> jax.Array:
            return jnp.mean((mlp(params, x) - y) ** 2)

        def outer(params: Any) -> jax.Array:
            def one(xs: Any, ys: Any, xq: Any, yq: Any) -> jax.Array:
                inner = jax.grad(task_loss)(params, xs, ys)
                return task_loss(jax.tree.map(lambda p, g: p - 0.1 * g, params, inner), xq, yq)

            return jnp.mean(jax.vmap(one)(batch["xs"], batch["ys"], batch["xq"], batch["yq"]))

        loss, gradients = jax.value_and_grad(outer)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"])
        new = optax.apply_updates(state["params"], updates)
        return {"params": new, "opt_state": opt_state}, {"loss": loss, **norms({"g": gradients})}

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    batch = {"xs": shape(6, 5, 11), "ys": shape(6, 5, 3), "xq": shape(6, 7, 11), "yq": shape(6, 7, 3)}
    return Case(step, (state, batch), TRAINING)


def moco() -> Case:
    """Contrastive learning with a momentum encoder and a queue of negatives, of which a part is replaced."""
    rule, params = optax.sgd(0.1, momentum=0.9), mlp_shapes(42, 90, 26)

    def step(state: Any, views: Any) -> Any:
        keys = mlp(state["momentum_encoder"], views["k"])

        def loss_of(params: Any) -> jax.Array:
            q = mlp(params, views["q"])
            positive = jnp.sum(q * keys, -1, keepdims=True)
            logits = jnp.concatenate([positive, q @ state["queue"].T], 1)
            return -jnp.mean(jax.nn.log_softmax(logits)[:, 0])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"])
        new = optax.apply_updates(state["params"], updates)
        encoder = optax.incremental_update(new, state["momentum_encoder"], 0.01)
        queue = jax.lax.dynamic_update_slice(state["queue"], keys, (state["at"], 0))
        at = (state["at"] + keys.shape[0]) % queue.shape[0]
        state = {"params": new, "opt_state": opt_state, "momentum_encoder": encoder, "queue": queue, "at": at}
        return state, loss

    state = {
        "params": params, "opt_state": jax.eval_shape(rule.init, params), "momentum_encoder": params,
        "queue": shape(128, 26), "at": tokens(),
    }  # fmt: skip
    truth = (
        (r"state/at", COUNTER), (r"state/queue", STATE), (r"state/momentum_encoder/.*", PARAMETER), *TRAINING,
        (r"views/.*", INPUT),
    )  # fmt: skip
    return Case(step, (state, {"q": shape(22, 42), "k": shape(22, 42)}), truth)


def sharpness_aware() -> Case:
    """Two gradients in a step: the second at weights that were moved along the first."""
    rule, params = optax.sgd(0.1, momentum=0.9), mlp_shapes(30, 70, 54, 9)

    def step(params: Any, opt_state: Any, x: Any, labels: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return cross_entropy(mlp(params, x), labels)

        loss, first = jax.value_and_grad(loss_of)(params)
        scale = 0.05 / optax.global_norm(first)
        second = jax.grad(loss_of)(jax.tree.map(lambda p, g: p + scale * g, params, first))
        updates, opt_state = rule.update(second, opt_state)
        return optax.apply_updates(params, updates), opt_state, {"loss": loss, **norms({"first": first, "u": updates})}

    truth = ((r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"x|labels", INPUT))
    return Case(step, (params, jax.eval_shape(rule.init, params), shape(24, 30), tokens(24)), truth)


def experts() -> Case:
    """A mixture of experts with a balance loss, a z-loss, and the load of each expert among the metrics."""
    width, count = 36, 5
    params = {
        "embedding": shape(220, width), "router": shape(width, count), "up": shape(count, width, 76),
        "down": shape(count, 76, width), "norm": shape(width), "head": shape(width, 220),
    }  # fmt: skip
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> Any:
            x = p["embedding"][batch["ids"]]
            gates = jax.nn.softmax(rms_norm(x, p["norm"]) @ p["router"])
            chosen = jax.nn.one_hot(gates.argmax(-1), count)
            hidden = jax.nn.silu(jnp.einsum("bsd,edf->bsef", x, p["up"]))
            x = x + jnp.einsum("bsef,efd,bse->bsd", hidden, p["down"], chosen * gates)
            logits = x @ p["head"]
            load = chosen.mean((0, 1))
            balance = count * jnp.sum(load * gates.mean((0, 1)))
            z = jnp.mean(jax.nn.logsumexp(logits, -1) ** 2)
            return cross_entropy(logits, batch["ids"]) + 0.01 * balance + 1e-4 * z, (load, balance, z)

        (loss, (load, balance, z)), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        metrics = {"loss": loss, "load": load, "balance": balance, "z": z, **norms({"g": gradients, "p": new})}
        return {"params": new, "opt_state": opt_state}, metrics

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(step, (state, {"ids": tokens(7, 18)}), TRAINING)


def towers() -> Case:
    """Two towers over tables of embeddings, by Adagrad: nearly all bytes are tables."""
    params = {
        "users": shape(900, 20), "items": shape(700, 20), "user_net": mlp_shapes(20 + 8, 44, 16),
        "item_net": mlp_shapes(20, 44, 16),
    }  # fmt: skip
    rule = optax.adagrad(0.1)

    def step(params: Any, accumulators: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            user = mlp(p["user_net"], jnp.concatenate([p["users"][batch["user"]], batch["dense"]], -1))
            item = mlp(p["item_net"], p["items"][batch["item"]])
            return cross_entropy(user @ item.T, jnp.arange(user.shape[0]))

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, accumulators = rule.update(gradients, accumulators)
        return loss, optax.apply_updates(params, updates), accumulators

    truth = ((r".*count", COUNTER), (r"params/.*", PARAMETER), (r"accumulators/.*", OPTIMIZER), (r"batch/.*", INPUT))
    batch = {"user": tokens(34), "item": tokens(34), "dense": shape(34, 8)}
    return Case(step, (params, jax.eval_shape(rule.init, params), batch), truth)


def schedule_free() -> Case:
    """Schedule-free AdamW: the state holds another copy of the weights; metrics are at the averaged weights."""
    rule, params = contrib.schedule_free_adamw(1e-3), mlp_shapes(30, 70, 54, 9)

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return cross_entropy(mlp(params, batch["x"]), batch["labels"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        averaged = contrib.schedule_free_eval_params(opt_state, new)
        return {"params": new, "opt_state": opt_state}, (loss, optax.global_norm(averaged))

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(step, (state, {"x": shape(24, 30), "labels": tokens(24)}), TRAINING)


def lookahead() -> Case:
    """Fast and slow weights in one tree of parameters, and updates that are left out if they are not finite."""
    rule = optax.lookahead(optax.apply_if_finite(optax.adam(1e-3), 5), 4, 0.5)
    params = optax.LookaheadParams(mlp_shapes(30, 70, 54, 9), mlp_shapes(30, 70, 54, 9))

    def step(params: Any, opt_state: Any, x: Any, labels: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda p: cross_entropy(mlp(p, x), labels))(params.fast)
        updates, opt_state = rule.update(gradients, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    # The loss does not depend on the slow weights.
    truth = (
        (r".*(count|steps_since_sync|last_finite|total_notfinite)", COUNTER), (r"params/fast/.*", PARAMETER),
        (r"params/slow/.*|opt_state/.*", OPTIMIZER), (r"x|labels", INPUT),
    )  # fmt: skip
    return Case(step, (params, jax.eval_shape(rule.init, params), shape(24, 30), tokens(24)), truth)


def haiku_lstm() -> Case:
    """A language model of haiku that keeps the state of its LSTM between batches."""

    def forward(ids: jax.Array, state: Any) -> Any:
        core = hk.DeepRNN([hk.Embed(170, 40), hk.LSTM(56), hk.Linear(170)])
        return hk.dynamic_unroll(core, ids.T, state)

    model, rule = hk.without_apply_rng(hk.transform(forward)), optax.rmsprop(1e-3, momentum=0.9)
    lstm = hk.LSTMState(shape(12, 56), shape(12, 56))
    ids = tokens(12, 15)

    def update(params: Any, opt_state: Any, rnn_state: Any, ids: Any) -> Any:
        def loss_of(params: Any) -> Any:
            logits, new = model.apply(params, ids[:, :-1], (rnn_state,))
            return cross_entropy(logits, ids[:, 1:].T), new[0]

        (loss, new), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return optax.apply_updates(params, updates), opt_state, new, loss

    params = jax.eval_shape(lambda key, i, s: model.init(key, i, (s,)), jax.random.PRNGKey(0), ids, lstm)
    truth = (
        (r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"rnn_state/.*", STATE),
        (r"ids", INPUT),
    )  # fmt: skip
    return Case(update, (params, jax.eval_shape(rule.init, params), lstm, ids), truth)


def equinox_frozen() -> Case:
    """A fine-tuned head: `eqx.partition` by a filter puts the frozen body into an argument of its own."""

    class Model(eqx.Module):
        body: eqx.nn.MLP
        head: eqx.nn.Linear

    def make(key: Any) -> Model:
        a, b = jax.random.split(key)
        return Model(eqx.nn.MLP(30, 64, 110, 2, key=a), eqx.nn.Linear(64, 13, key=b))

    model = eqx.filter_eval_shape(make, KEY)
    arrays, static = eqx.partition(model, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    spec = eqx.tree_at(
        lambda m: m.head, jax.tree.map(lambda _: False, arrays), jax.tree.map(lambda _: True, arrays.head)
    )
    trained, frozen = eqx.partition(arrays, spec)
    rule = optax.adamw(1e-3)

    def step(trained: Any, frozen: Any, opt_state: Any, x: Any, labels: Any) -> Any:
        def loss_of(trained: Any) -> jax.Array:
            model = eqx.combine(trained, frozen, static)
            return cross_entropy(jax.vmap(lambda row: model.head(model.body(row)))(x), labels)

        loss, gradients = jax.value_and_grad(loss_of)(trained)
        updates, opt_state = rule.update(gradients, opt_state, trained)
        return eqx.apply_updates(trained, updates), opt_state, loss

    truth = (
        (r".*count", COUNTER),
        (r"(trained|frozen)/.*", PARAMETER),
        (r"opt_state/.*", OPTIMIZER),
        (r"x|labels", INPUT),
    )
    return Case(step, (trained, frozen, jax.eval_shape(rule.init, trained), shape(18, 30), tokens(18)), truth)


def paged() -> Case:
    """Decoding from a cache of pages: tables say which pages hold a sequence."""
    width, heads, size, pages, page = 40, 4, 12, 30, 8
    params = {"embedding": shape(250, width), "layers": stack(layer_shapes(width, heads, heads, size, 100), 2, 0)}
    params = {**params, "norm": shape(width), "head": shape(width, 250)}

    def run(params: Any, pages_of: Any, batch: Any) -> Any:
        x = params["embedding"][batch["ids"]][:, None]
        at, tables = batch["positions"], batch["tables"]
        rows = jnp.take_along_axis(tables, (at // page)[:, None], 1)[:, 0]
        new = []
        for i in range(2):
            w = jax.tree.map(lambda a, i=i: a[i], params["layers"])
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("bsd,dhk->bshk", y, w[name]) for name in ("wq", "wk", "wv"))
            k_pages, v_pages = (
                pages_of[i]["k"].at[rows, at % page].set(k[:, 0]),
                pages_of[i]["v"].at[rows, at % page].set(v[:, 0]),
            )
            new.append({"k": k_pages, "v": v_pages})
            keys, values = (p[tables].reshape(tables.shape[0], -1, heads, size) for p in (k_pages, v_pages))
            mask = (jnp.arange(keys.shape[1]) <= at[:, None])[:, None, None]
            x = x + jnp.einsum("bshk,hkd->bsd", attention(q, keys, values, mask), w["wo"])
            y = rms_norm(x, w["norm_2"])
            x = x + (jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]
        return new, (rms_norm(x[:, 0], params["norm"]) @ params["head"]).argmax(-1)

    cache = [{"k": shape(pages, page, heads, size), "v": shape(pages, page, heads, size)} for _ in range(2)]
    batch = {"ids": tokens(5), "positions": tokens(5), "tables": tokens(5, 6)}
    truth = ((r"params/.*", PARAMETER), (r"pages_of/.*", STATE), (r"batch/.*", INPUT))
    return Case(run, (params, cache, batch), truth, donated=(1,))


def sampler() -> Case:
    """A loop that denoises: weights are arguments, the noise is the only float that is fed."""
    params = {"in": shape(34, 88), "time": shape(1, 88), "mid": shape(88, 88), "out": shape(88, 34), "bias": shape(88)}

    def run(params: Any, x: Any) -> Any:
        def body(i: Any, x: jax.Array) -> jax.Array:
            t = jnp.full((x.shape[0], 1), i / 20.0)
            h = jax.nn.silu(x @ params["in"] + t @ params["time"] + params["bias"])
            return 0.98 * x - 0.1 * (jax.nn.silu(h @ params["mid"]) @ params["out"])

        return jax.lax.fori_loop(0, 20, body, x)

    return Case(run, (params, shape(16, 34)), ((r"params/.*", PARAMETER), (r"x", INPUT)))


def linen_eval() -> Case:
    """Evaluation of a network with averages: `batch_stats` are read and not written."""

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x: jax.Array) -> jax.Array:
            for width in (20, 36):
                x = nn.relu(nn.BatchNorm(use_running_average=True)(nn.Conv(width, (3, 3))(x)))
            return nn.Dense(13)(x.mean((1, 2)))

    model, images = Network(), shape(9, 14, 14, 3)
    variables = jax.eval_shape(model.init, jax.random.key(0), images)

    def run(variables: Any, batch: Any) -> Any:
        logits = model.apply(variables, batch["images"])
        return {"loss": cross_entropy(logits, batch["labels"]), "right": (logits.argmax(-1) == batch["labels"]).sum()}

    truth = ((r"variables/.*", PARAMETER), (r"batch/.*", INPUT))
    return Case(run, (dict(variables), {"images": images, "labels": tokens(9)}), truth)


def encoder_decoder() -> Case:
    """Two stacks of layers, the second of which attends to the first; dropout by a key that is fed and the step."""
    width = 36
    block = layer_shapes(width, 4, 4, 9, 84)
    params = {
        "embedding": shape(190, width), "encoder": stack(block, 2, 0), "decoder": [block, block],
        "cross": {name: shape(width, 4, 9) for name in ("wq", "wk", "wv")} | {"wo": shape(4, 9, width)},
        "norm": shape(width),
    }  # fmt: skip
    rule = optax.adafactor(1e-3, min_dim_size_to_factor=8)

    def step(state: Any, batch: Any, key: Any) -> Any:
        own = jax.random.fold_in(key, state["step"])

        def loss_of(p: Any) -> jax.Array:
            x, _ = jax.lax.scan(lambda x, w: (layer(w, x, 4), None), p["embedding"][batch["source"]], p["encoder"])
            y = p["embedding"][batch["target"]]
            y = y * jax.random.bernoulli(own, 0.9, y.shape)
            for w in p["decoder"]:
                y = layer(w, y, 4)
                q = jnp.einsum("bsd,dhk->bshk", y, p["cross"]["wq"])
                k, v = (jnp.einsum("bsd,dhk->bshk", x, p["cross"][name]) for name in ("wk", "wv"))
                y = y + jnp.einsum("bshk,hkd->bsd", attention(q, k, v), p["cross"]["wo"])
            return cross_entropy(rms_norm(y, p["norm"]) @ p["embedding"].T, batch["target"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        return {"params": new, "opt_state": opt_state, "step": state["step"] + 1}, {
            "loss": loss,
            **norms({"u": updates}),
        }

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params), "step": tokens()}
    truth = (*TRAINING, (r"key", COUNTER))
    return Case(step, (state, {"source": tokens(6, 17), "target": tokens(6, 13)}, KEY), truth)


def vision_transformer() -> Case:
    """Patches, a class token and positions; weights are averaged only every tenth step."""
    width, count = 40, 16
    params = {
        "patch": shape(4 * 4 * 3, width), "token": shape(1, 1, width), "positions": shape(1, count + 1, width),
        "layers": stack(layer_shapes(width, 4, 4, 10, 92), 2, 0), "norm": shape(width), "head": shape(width, 14),
    }  # fmt: skip
    rule = optax.adamw(1e-3)

    def step(state: Any, images: Any, labels: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = images.reshape(-1, 4, 4, 4, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(-1, count, 48) @ p["patch"]
            first = jnp.broadcast_to(p["token"], (x.shape[0], 1, width))
            x = jnp.concatenate([first, x], 1) + p["positions"]
            x, _ = jax.lax.scan(jax.checkpoint(lambda x, w: (layer(w, x, 4), None)), x, p["layers"])
            return optax.sigmoid_binary_cross_entropy(rms_norm(x[:, 0], p["norm"]) @ p["head"], labels).mean()

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        every = state["step"] % 10 == 0
        ema = jax.tree.map(lambda e, p: jnp.where(every, 0.99 * e + 0.01 * p, e), state["ema"], new)
        return {"params": new, "opt_state": opt_state, "ema": ema, "step": state["step"] + 1}, loss

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params), "ema": params, "step": tokens()}
    truth = ((r"state/ema/.*", OPTIMIZER), (r"images|labels", INPUT), *TRAINING)
    return Case(step, (state, shape(9, 16, 16, 3), shape(9, 14)), truth)


def masked_attention() -> Case:
    """A forward pass of floats with a mask for each sequence and one for all; what is fed comes first."""
    width = 44
    params = [layer_shapes(width, 4, 4, 11, 96) for _ in range(2)]

    def run(x: Any, lengths_mask: Any, params: Any) -> Any:
        for w in params:
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("bsd,dhk->bshk", y, w[name]) for name in ("wq", "wk", "wv"))
            mask = causal(x.shape[1]) & (lengths_mask[:, None, None] > 0)
            x = x + jnp.einsum("bshk,hkd->bsd", attention(q, k, v, mask), w["wo"])
            y = rms_norm(x, w["norm_2"])
            x = x + (jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]
        return x

    return Case(
        run, (shape(8, 21, width), shape(8, 21), params), ((r"params/.*", PARAMETER), (r"x|lengths_mask", INPUT))
    )


ROWS = [
    Row("MAML", "plain JAX", maml),
    Row("MoCo, queue", "plain JAX", moco),
    Row("sharpness-aware", "plain JAX", sharpness_aware),
    Row("experts, balance loss", "plain JAX", experts),
    Row("two towers", "optax", towers),
    Row("schedule-free", "optax", schedule_free),
    Row("lookahead, if finite", "optax", lookahead),
    Row("LSTM state, RMSProp", "haiku", haiku_lstm),
    Row("frozen body", "equinox", equinox_frozen),
    Row("decode, pages", "serving", paged),
    Row("sampler in a loop", "serving", sampler),
    Row("evaluation, averages", "flax linen", linen_eval),
    Row("encoder and decoder", "plain JAX", encoder_decoder),
    Row("vision transformer, average", "plain JAX", vision_transformer),
    Row("masked attention, floats", "serving", masked_attention),
]
