"""Training steps of other idioms: preferences, rewards, recurrences, routing, statistics of eight-bit formats.

`s` multiplies the sizes.
"""

from __future__ import annotations

from typing import Any

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


def _language(width: int, heads: int, hidden: int, vocabulary: int, layers: int) -> dict[str, Any]:
    return {
        "embedding": shape(vocabulary, width),
        "layers": stack(layer_shapes(width, heads, heads, width // heads, hidden), layers, 0),
        "norm": shape(width),
        "head": shape(width, vocabulary),
    }


def _logits(params: Any, ids: jax.Array, heads: int) -> jax.Array:
    x, _ = jax.lax.scan(lambda x, w: (layer(w, x, heads), None), params["embedding"][ids], params["layers"])
    return rms_norm(x, params["norm"]) @ params["head"]


def _log_likelihood(params: Any, ids: jax.Array, mask: jax.Array, heads: int) -> jax.Array:
    logs = jax.nn.log_softmax(_logits(params, ids[:, :-1], heads))
    picked = jnp.take_along_axis(logs, ids[:, 1:, None], -1)[..., 0]
    return jnp.sum(picked * mask[:, 1:], -1)


def _update(rule: Any, state: Any, gradients: Any) -> Any:
    updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
    return {**state, "params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}


def _start(rule: Any, params: Any) -> dict[str, Any]:
    return {"params": params, "opt_state": jax.eval_shape(rule.init, params)}


def preferences(s: int = 1) -> Case:
    """DPO: chosen and rejected answers under the model and under a frozen one of the same shape."""
    params, rule = _language(32 * s, 4, 72 * s, 160 * s, 2), optax.rmsprop(1e-4)

    def step(state: Any, reference: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> Any:
            ratios = [
                _log_likelihood(p, batch[n]["ids"], batch[n]["mask"], 4)
                - _log_likelihood(reference, batch[n]["ids"], batch[n]["mask"], 4)
                for n in ("chosen", "rejected")
            ]
            margin = 0.1 * (ratios[0] - ratios[1])
            return -jnp.mean(jax.nn.log_sigmoid(margin)), {"accuracy": jnp.mean(margin > 0), "margin": jnp.mean(margin)}

        (loss, metrics), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        return _update(rule, state, gradients), {"loss": loss, **metrics}

    one = {"ids": tokens(16, 24 * s), "mask": shape(16, 24 * s)}
    truth = (*TRAINING, (r"reference/.*", PARAMETER))
    return Case(step, (_start(rule, params), params, {"chosen": one, "rejected": one}), truth, donated=(0,))


def group_rewards(s: int = 1) -> Case:
    """GRPO: advantages within groups of answers, a clipped ratio, a penalty for leaving the reference."""
    params, rule = (
        _language(40 * s, 4, 88 * s, 144 * s, 2),
        optax.chain(optax.clip_by_global_norm(1.0), optax.lion(1e-5)),
    )
    groups, answers, length = 4, 8, 20 * s

    def step(state: Any, rollout: Any) -> Any:
        rewards = rollout["rewards"].reshape(groups, answers)
        advantage = ((rewards - rewards.mean(1, keepdims=True)) / (rewards.std(1, keepdims=True) + 1e-4)).reshape(-1, 1)

        def loss_of(p: Any) -> Any:
            logs = jax.nn.log_softmax(_logits(p, rollout["ids"], 4))[:, :-1]
            logs = jnp.take_along_axis(logs, rollout["ids"][:, 1:, None], -1)[..., 0]
            ratio = jnp.exp(logs - rollout["old_logs"])
            gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage)
            apart = rollout["reference_logs"] - logs
            penalty = jnp.exp(apart) - apart - 1
            mask = rollout["mask"]
            return -jnp.sum((gain - 0.04 * penalty) * mask) / jnp.sum(mask), jnp.mean(penalty)

        (loss, penalty), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        return _update(rule, state, gradients), {"loss": loss, "penalty": penalty, "reward": jnp.mean(rewards)}

    rows, logs = groups * answers, shape(groups * answers, length - 1)
    rollout = {
        "ids": tokens(rows, length),
        "old_logs": logs,
        "reference_logs": logs,
        "mask": logs,
        "rewards": shape(rows),
    }
    return Case(step, (_start(rule, params), rollout), (*TRAINING, (r"rollout/.*", INPUT)))


def agents(s: int = 1) -> Case:
    """Environments play in a loop, then epochs of minibatches learn from it, all in one step."""
    params, rule = mlp_shapes(8, 64 * s, 48 * s, 5), optax.adam(3e-4, eps=1e-5)
    count, length = 64 * s, 16

    def step(state: Any) -> Any:
        def play(carried: Any, key: jax.Array) -> Any:
            place, seen = carried
            out = mlp(state["params"], seen)
            action = jax.random.categorical(key, out[:, :4])
            place = place + 0.1 * jax.nn.one_hot(action, 4)
            done = jnp.sum(place**2, -1) > 4
            place = jnp.where(done[:, None], 0.0, place)
            new = jnp.concatenate([place, place**2], -1)
            log = jnp.take_along_axis(jax.nn.log_softmax(out[:, :4]), action[:, None], -1)[:, 0]
            return (place, new), {
                "seen": seen,
                "action": action,
                "log": log,
                "value": out[:, 4],
                "reward": -place[:, 0],
            }

        key, own, shuffle = jax.random.split(state["key"], 3)
        carried, played = jax.lax.scan(play, (state["place"], state["seen"]), jax.random.split(own, length))

        def add(total: jax.Array, t: Any) -> Any:
            total = t["reward"] + 0.99 * total
            return total, total

        _, returns = jax.lax.scan(add, jnp.zeros(count), played, reverse=True)
        data = jax.tree.map(lambda a: a.reshape(-1, *a.shape[2:]), {**played, "returns": returns})

        def epoch(learned: Any, key: jax.Array) -> Any:
            order = jax.random.permutation(key, count * length)
            parts = jax.tree.map(lambda a: a[order].reshape(4, -1, *a.shape[1:]), data)

            def learn(learned: Any, part: Any) -> Any:
                def loss_of(p: Any) -> jax.Array:
                    out = mlp(p, part["seen"])
                    log = jnp.take_along_axis(jax.nn.log_softmax(out[:, :4]), part["action"][:, None], -1)[:, 0]
                    gain = part["returns"] - part["value"]
                    ratio = jnp.exp(log - part["log"])
                    policy = -jnp.minimum(ratio * gain, jnp.clip(ratio, 0.8, 1.2) * gain).mean()
                    return policy + 0.5 * jnp.mean((out[:, 4] - part["returns"]) ** 2)

                loss, gradients = jax.value_and_grad(loss_of)(learned["params"])
                return _update(rule, learned, gradients), loss

            return jax.lax.scan(learn, learned, parts)

        learned = {"params": state["params"], "opt_state": state["opt_state"]}
        learned, losses = jax.lax.scan(epoch, learned, jax.random.split(shuffle, 2))
        return {**learned, "place": carried[0], "seen": carried[1], "key": key}, {
            "loss": losses.mean(),
            "reward": played["reward"].mean(),
        }

    state = {**_start(rule, params), "place": shape(count, 4), "seen": shape(count, 8), "key": KEY}
    truth = ((r"state/(place|seen)", STATE), (r"state/key", COUNTER), *TRAINING)
    return Case(step, (state,), truth, donated=(0,))


def clip(s: int = 1) -> Case:
    """Images and texts against each other, both ways, with a learned temperature; Adafactor and an average."""
    width = 48 * s
    params = {
        "image": mlp_shapes(192, 104 * s, width),
        "text": {"table": shape(200 * s, width), "mlp": mlp_shapes(width, 96 * s, width)},
        "temperature": shape(),
    }
    rule = optax.chain(optax.adafactor(1e-3, min_dim_size_to_factor=8), optax.ema(0.9))

    def step(state: Any, images: Any, ids: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            a = mlp(p["image"], images.reshape(images.shape[0], -1))
            b = mlp(p["text"]["mlp"], p["text"]["table"][ids].mean(1))
            a, b = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
            logits = a @ b.T * jnp.exp(p["temperature"])
            own = jnp.arange(logits.shape[0])
            return (cross_entropy(logits, own) + cross_entropy(logits.T, own)) / 2

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    return Case(step, (_start(rule, params), shape(64, 8, 8, 3), tokens(64, 12)), (*TRAINING, (r"images|ids", INPUT)))


def selective_scan(s: int = 1) -> Case:
    """Mamba: a short convolution, gates and a linear recurrence by `associative_scan`; layers in a loop."""
    width, inner, size, layers = 32 * s, 64 * s, 8, 3
    block = {
        "norm": shape(width),
        "in": shape(width, 2 * inner),
        "conv": shape(4, inner),
        "bias": shape(inner),
        "project": shape(inner, 4 + 2 * size),
        "dt": shape(4, inner),
        "dt_bias": shape(inner),
        "a_log": shape(inner, size),
        "d": shape(inner),
        "out": shape(inner, width),
    }
    params = {"embedding": shape(168 * s, width), "layers": stack(block, layers, 0), "norm": shape(width)}
    rule = optax.apply_if_finite(optax.adamw(1e-3), 5)

    def mix(x: jax.Array, w: Any) -> jax.Array:
        u, gate = jnp.split(rms_norm(x, w["norm"]) @ w["in"], 2, -1)
        padded = jnp.pad(u, ((0, 0), (3, 0), (0, 0)))
        u = jax.nn.silu(sum(padded[:, i : i + u.shape[1]] * w["conv"][i] for i in range(4)) + w["bias"])
        dt, b, c = jnp.split(u @ w["project"], [4, 4 + size], -1)
        dt = jax.nn.softplus(dt @ w["dt"] + w["dt_bias"])
        decay = jnp.exp(-jnp.exp(w["a_log"]) * dt[..., None])
        fed = (dt * u)[..., None] * b[:, :, None]
        _, h = jax.lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (decay, fed), axis=1)
        y = jnp.einsum("blin,bln->bli", h, c) + w["d"] * u
        return x + (y * jax.nn.silu(gate)) @ w["out"]

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = p["embedding"][batch["ids"]]
            x, _ = jax.lax.scan(jax.checkpoint(lambda x, w: (mix(x, w), None)), x, p["layers"])
            return cross_entropy(rms_norm(x, p["norm"]) @ p["embedding"].T, batch["labels"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), {"loss": loss, **norms({"g": gradients})}

    ids = tokens(8 * s, 32)
    truth = ((r".*last_finite", COUNTER), *TRAINING)
    return Case(step, (_start(rule, params), {"ids": ids, "labels": ids}), truth, donated=(0,))


def receptance(s: int = 1) -> Case:
    """RWKV: decays for each channel, a recurrence over time in a loop, shifts of tokens; layers unrolled."""
    width, hidden = 40 * s, 120 * s
    block = {
        "norm_1": shape(width),
        "norm_2": shape(width),
        "mix": shape(5, width),
        "decay": shape(width),
        "bonus": shape(width),
        "r": shape(width, width),
        "k": shape(width, width),
        "v": shape(width, width),
        "o": shape(width, width),
        "ck": shape(width, hidden),
        "cv": shape(hidden, width),
        "cr": shape(width, width),
    }
    params = {
        "embedding": shape(184 * s, width),
        "blocks": [block] * 2,
        "norm": shape(width),
        "head": shape(width, 184 * s),
    }
    rule = optax.MultiSteps(optax.adamw(1e-3), 4)

    def time_mix(w: Any, x: jax.Array) -> jax.Array:
        before = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        r, k, v = ((x * w["mix"][i] + before * (1 - w["mix"][i])) @ w[n] for i, n in enumerate("rkv"))
        fade = -jnp.exp(w["decay"])

        def advance(carried: Any, kv: Any) -> Any:
            top, above, below = carried
            k, v = kv
            most = jnp.maximum(top, w["bonus"] + k)
            a, b = jnp.exp(top - most), jnp.exp(w["bonus"] + k - most)
            out = (a * above + b * v) / (a * below + b)
            new = jnp.maximum(top + fade, k)
            a, b = jnp.exp(top + fade - new), jnp.exp(k - new)
            return (new, a * above + b * v, a * below + b), out

        zeros = jnp.zeros_like(x[:, 0])
        _, out = jax.lax.scan(advance, (zeros - 1e9, zeros, zeros), (k.swapaxes(0, 1), v.swapaxes(0, 1)))
        return (jax.nn.sigmoid(r) * out.swapaxes(0, 1)) @ w["o"]

    def step(state: Any, ids: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = p["embedding"][ids]
            for w in p["blocks"]:
                x = x + time_mix(w, rms_norm(x, w["norm_1"]))
                y = rms_norm(x, w["norm_2"])
                before = jnp.pad(y, ((0, 0), (1, 0), (0, 0)))[:, :-1]
                k, r = (y * w["mix"][i] + before * (1 - w["mix"][i]) for i in (3, 4))
                x = x + jax.nn.sigmoid(r @ w["cr"]) * (jax.nn.relu(k @ w["ck"]) ** 2 @ w["cv"])
            return cross_entropy((rms_norm(x, p["norm"]) @ p["head"])[:, :-1], ids[:, 1:])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), {"loss": loss}

    return Case(step, (_start(rule, params), tokens(16 * s, 24)), (*TRAINING, (r"ids", INPUT)))


def matrix_memory(s: int = 1) -> Case:
    """xLSTM: heads with a matrix as memory, gates in log space, chunks of a sequence in a loop."""
    width, heads, size, layers = 32 * s, 4, 8 * s, 2
    block = {
        "norm": shape(width),
        "q": shape(width, heads, size),
        "k": shape(width, heads, size),
        "v": shape(width, heads, size),
        "i": shape(width, heads),
        "f": shape(width, heads),
        "o": shape(width, heads * size),
        "out": shape(heads * size, width),
    }
    params = {"embedding": shape(136 * s, width), "blocks": stack(block, layers, 0), "head": shape(width, 136 * s)}
    rule = optax.chain(
        optax.add_noise(0.01, 0.55, 0), optax.scale_by_adam(), optax.add_decayed_weights(0.1), optax.scale(-1e-3)
    )

    def mix(x: jax.Array, w: Any) -> Any:
        y = rms_norm(x, w["norm"])
        q, k, v = (jnp.einsum("bld,dhk->lbhk", y, w[n]) for n in "qkv")
        i, f = (jnp.einsum("bld,dh->lbh", y, w[n]) for n in "if")

        def advance(carried: Any, t: Any) -> Any:
            memory, norm, top = carried
            q, k, v, i, f = t
            f = jax.nn.log_sigmoid(f)
            new = jnp.maximum(f + top, i)
            keep, add = jnp.exp(f + top - new)[..., None], jnp.exp(i - new)[..., None]
            memory = keep[..., None] * memory + add[..., None] * v[..., :, None] * k[..., None, :]
            norm = keep * norm + add * k
            scale = jnp.maximum(jnp.abs(jnp.einsum("bhk,bhk->bh", norm, q)), 1.0)
            return (memory, norm, new), jnp.einsum("bhvk,bhk->bhv", memory, q) / scale[..., None]

        batch = x.shape[0]
        start = (jnp.zeros((batch, heads, size, size)), jnp.zeros((batch, heads, size)), jnp.zeros((batch, heads)))
        _, h = jax.lax.scan(advance, start, (q, k, v, i, f))
        h = h.transpose(1, 0, 2, 3).reshape(batch, x.shape[1], -1)
        return x + (jax.nn.sigmoid(y @ w["o"]) * h) @ w["out"], None

    def step(state: Any, ids: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x, _ = jax.lax.scan(mix, p["embedding"][ids], p["blocks"])
            return cross_entropy((x @ p["head"])[:, :-1], ids[:, 1:])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    truth = ((r".*rng_key", COUNTER), *TRAINING, (r"ids", INPUT))
    return Case(step, (_start(rule, params), tokens(8 * s, 16)), truth)


def graph_transformer(s: int = 1) -> Case:
    """Attention along the edges of one graph, with features on both; a label for each node."""
    nodes, edges, width, heads, rule = 120 * s, 480 * s, 32 * s, 4, optax.nadamw(1e-3)
    block = {
        "q": shape(width, width),
        "k": shape(width, width),
        "v": shape(width, width),
        "e": shape(width, width),
        "o": shape(width, width),
        "up": shape(width, 72 * s),
        "down": shape(72 * s, width),
    }
    params = {"node": shape(20, width), "edge": shape(6, width), "blocks": [block] * 2, "head": shape(width, 10)}

    def step(state: Any, graph: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x, e = graph["nodes"] @ p["node"], graph["edges"] @ p["edge"]
            for w in p["blocks"]:
                q, k, v = ((x @ w[n]).reshape(nodes, heads, -1) for n in "qkv")
                bias = (e @ w["e"]).reshape(edges, heads, -1)
                k = k[graph["senders"]] + bias
                score = jnp.sum(q[graph["receivers"]] * k, -1) / k.shape[-1] ** 0.5
                top = jax.ops.segment_max(score, graph["receivers"], nodes)
                score = jnp.exp(score - top[graph["receivers"]])
                total = jax.ops.segment_sum(score, graph["receivers"], nodes)
                sent = score[..., None] * v[graph["senders"]]
                x = (
                    x
                    + (jax.ops.segment_sum(sent, graph["receivers"], nodes) / (total[..., None] + 1e-6)).reshape(
                        nodes, -1
                    )
                    @ w["o"]
                )
                x = x + jax.nn.gelu(x @ w["up"]) @ w["down"]
            losses = optax.softmax_cross_entropy_with_integer_labels(x @ p["head"], graph["labels"])
            return jnp.sum(losses * graph["mask"]) / jnp.sum(graph["mask"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    graph = {
        "nodes": shape(nodes, 20),
        "edges": shape(edges, 6),
        "senders": tokens(edges),
        "receivers": tokens(edges),
        "labels": tokens(nodes),
        "mask": shape(nodes),
    }
    return Case(step, (_start(rule, params), graph), (*TRAINING, (r"graph/.*", INPUT)))


def critic_penalty(s: int = 1) -> Case:
    """WGAN with a gradient penalty: five steps of the critic in a loop, one of the generator, two optimizers."""
    maker, critic = mlp_shapes(24, 72 * s, 88 * s, 64), mlp_shapes(64, 104 * s, 56 * s, 1)
    rules = {"maker": optax.adam(1e-4, 0.0, 0.9), "critic": optax.adam(2e-4, 0.0, 0.9)}

    def step(state: Any, real: Any, key: Any) -> Any:
        def teach(carried: Any, given: Any) -> Any:
            critic, opt_state = carried
            real, key = given
            fake = mlp(state["maker"]["params"], jax.random.normal(key, (real.shape[0], 24)))
            part = jax.random.uniform(key, (real.shape[0], 1))

            def loss_of(c: Any) -> jax.Array:
                slope = jax.vmap(jax.grad(lambda x: mlp(c, x)[0]))(part * real + (1 - part) * fake)
                penalty = jnp.mean((jnp.sqrt(jnp.sum(slope**2, -1) + 1e-12) - 1) ** 2)
                return jnp.mean(mlp(c, fake)) - jnp.mean(mlp(c, real)) + 10 * penalty

            loss, gradients = jax.value_and_grad(loss_of)(critic)
            updates, opt_state = rules["critic"].update(gradients, opt_state)
            return (optax.apply_updates(critic, updates), opt_state), loss

        keys = jax.random.split(key, real.shape[0] + 1)
        (critic, opt_state), losses = jax.lax.scan(
            teach, (state["critic"]["params"], state["critic"]["opt_state"]), (real, keys[1:])
        )
        noise = jax.random.normal(keys[0], (real.shape[1], 24))
        loss, gradients = jax.value_and_grad(lambda g: -jnp.mean(mlp(critic, mlp(g, noise))))(state["maker"]["params"])
        new = {"critic": {"params": critic, "opt_state": opt_state}}
        updates, opt_state = rules["maker"].update(gradients, state["maker"]["opt_state"])
        new["maker"] = {"params": optax.apply_updates(state["maker"]["params"], updates), "opt_state": opt_state}
        return new, {"critic": losses.mean(), "maker": loss}

    state = {"maker": _start(rules["maker"], maker), "critic": _start(rules["critic"], critic)}
    truth = (*TRAINING, (r"real", INPUT), (r"key", COUNTER))
    return Case(step, (state, shape(5, 48 * s, 64), KEY), truth)


def depths(s: int = 1) -> Case:
    """Mixture of depths: every second layer sees the tokens that its router ranks highest, and adds them back."""
    width, heads, rule = 40 * s, 4, optax.chain(optax.clip(1.0), contrib.prodigy(1.0))
    block = layer_shapes(width, heads, heads, 10 * s, 96 * s)
    params = {
        "embedding": shape(152 * s, width),
        "full": [block] * 2,
        "part": [block] * 2,
        "router": [shape(width)] * 2,
        "norm": shape(width),
    }

    def step(state: Any, ids: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = p["embedding"][ids]
            for full, part, router in zip(p["full"], p["part"], p["router"], strict=True):
                x = layer(full, x, heads)
                score = x @ router
                _, chosen = jax.lax.top_k(score, ids.shape[1] // 4)
                chosen = jnp.sort(chosen, -1)
                few = jnp.take_along_axis(x, chosen[..., None], 1)
                gate = jax.nn.sigmoid(jnp.take_along_axis(score, chosen, 1))[..., None]
                rows = jnp.arange(x.shape[0])[:, None]
                x = x.at[rows, chosen].add(gate * (layer(part, few, heads) - few))
            return cross_entropy((rms_norm(x, p["norm"]) @ p["embedding"].T)[:, :-1], ids[:, 1:])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    truth = ((r".*estim_lr", OPTIMIZER), *TRAINING, (r"ids", INPUT))
    return Case(step, (_start(rule, params), tokens(16, 32)), truth)


def preconditioned(s: int = 1) -> Case:
    """SOAP: Adam in the eigenbases of both sides' statistics, whose bases are renewed by QR now and then."""
    params = {"in": shape(40 * s, 72 * s), "out": shape(72 * s, 24 * s), "bias": shape(24 * s)}

    def precondition(p: Any, m: Any, g: jax.Array, count: jax.Array) -> Any:
        left, right = 0.95 * m["left"] + 0.05 * g @ g.T, 0.95 * m["right"] + 0.05 * g.T @ g
        turned = m["q_left"].T @ g @ m["q_right"]
        mu, nu = 0.9 * m["mu"] + 0.1 * g, 0.99 * m["nu"] + 0.01 * turned**2
        moved = m["q_left"] @ (m["q_left"].T @ mu @ m["q_right"] / (jnp.sqrt(nu) + 1e-8)) @ m["q_right"].T

        def renew(_: Any) -> Any:
            return jnp.linalg.qr(left @ m["q_left"])[0], jnp.linalg.qr(right @ m["q_right"])[0]

        q_left, q_right = jax.lax.cond(count % 10 == 0, renew, lambda _: (m["q_left"], m["q_right"]), None)
        return p - 1e-3 * moved, {
            "left": left,
            "right": right,
            "q_left": q_left,
            "q_right": q_right,
            "mu": mu,
            "nu": nu,
        }

    def step(params: Any, memory: Any, count: Any, x: Any, y: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            return jnp.mean((jnp.tanh(x @ p["in"]) @ p["out"] + p["bias"] - y) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(params)
        new, rest = {"bias": params["bias"] - 1e-3 * gradients["bias"]}, {}
        for name in ("in", "out"):
            new[name], rest[name] = precondition(params[name], memory[name], gradients[name], count)
        return new, rest, count + 1, loss

    memory = {}
    for name in ("in", "out"):
        a, b = params[name].shape
        memory[name] = {
            "left": shape(a, a),
            "right": shape(b, b),
            "q_left": shape(a, a),
            "q_right": shape(b, b),
            "mu": shape(a, b),
            "nu": shape(a, b),
        }
    truth = ((r"count", COUNTER), (r"params/.*", PARAMETER), (r"memory/.*", OPTIMIZER), (r"x|y", INPUT))
    return Case(step, (params, memory, tokens(), shape(64 * s, 40 * s), shape(64 * s, 24 * s)), truth)


def eight_bit(s: int = 1) -> Case:
    """Eight-bit products with delayed scales: histories of largest values, which the loop over layers stacks anew."""
    width, hidden, layers, rule = 48 * s, 112 * s, 3, optax.adamw(1e-3)
    params = {
        "embedding": shape(176 * s, width),
        "layers": {"up": shape(layers, width, hidden), "down": shape(layers, hidden, width)},
    }

    def quantize(x: jax.Array, history: jax.Array) -> jax.Array:
        scale = 448.0 / jnp.maximum(jnp.max(history), 1e-6)
        return (x * scale).astype(jnp.float8_e4m3fn).astype(jnp.float32) / scale

    def push(history: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.roll(history, 1).at[0].set(jnp.max(jnp.abs(jax.lax.stop_gradient(x))))

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> Any:
            def body(x: jax.Array, given: Any) -> Any:
                w, amax = given
                a = quantize(x, amax["x"]) @ quantize(w["up"], amax["up"])
                h = jax.nn.gelu(a)
                new = {"x": push(amax["x"], x), "up": push(amax["up"], w["up"]), "h": push(amax["h"], h)}
                return x + quantize(h, amax["h"]) @ w["down"], new

            x, amax = jax.lax.scan(body, p["embedding"][batch["ids"]], (p["layers"], state["amax"]))
            return cross_entropy(x @ p["embedding"].T, batch["labels"]), amax

        (loss, amax), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        return {**_update(rule, state, gradients), "amax": amax}, {"loss": loss}

    amax = {name: shape(layers, 16) for name in ("x", "up", "h")}
    ids = tokens(16, 24 * s)
    truth = ((r"state/amax/.*", STATE), *TRAINING)
    return Case(step, ({**_start(rule, params), "amax": amax}, {"ids": ids, "labels": ids}), truth, donated=(0,))


def evoformer(s: int = 1) -> Case:
    """One protein: rows and columns of an alignment, pairs of residues, triangles. There is no batch."""
    rows, length, wide, pair, heads, rule = 16 * s, 32 * s, 24, 40, 4, optax.adam(1e-3)
    block = {
        "bias": shape(pair, heads),
        "row": {n: shape(wide, heads, 6) for n in "qkv"},
        "row_o": shape(heads, 6, wide),
        "column": {n: shape(wide, heads, 6) for n in "qkv"},
        "column_o": shape(heads, 6, wide),
        "left": shape(wide, 8),
        "right": shape(wide, 8),
        "outer": shape(8, 8, pair),
        "a": shape(pair, 16),
        "b": shape(pair, 16),
        "c": shape(16, pair),
        "up": shape(pair, 96),
        "down": shape(96, pair),
    }
    params = {"msa": shape(23, wide), "pair": shape(65, pair), "blocks": stack(block, 2, 0), "head": shape(pair, 37)}

    def attend(w: Any, out: jax.Array, m: jax.Array, bias: Any) -> jax.Array:
        q, k, v = (jnp.einsum("rld,dhk->rlhk", m, w[n]) for n in "qkv")
        score = jnp.einsum("rqhk,rlhk->rhql", q, k) / 6**0.5 + bias
        return jnp.einsum("rhql,rlhk,hkd->rqd", jax.nn.softmax(score), v, out)

    def body(carried: Any, w: Any) -> Any:
        m, z = carried
        m = m + attend(w["row"], w["row_o"], m, (z @ w["bias"]).transpose(2, 0, 1))
        m = m + attend(w["column"], w["column_o"], m.swapaxes(0, 1), 0.0).swapaxes(0, 1)
        z = z + jnp.einsum("ria,rjb,abp->ijp", m @ w["left"], m @ w["right"], w["outer"]) / rows
        z = z + jnp.einsum("ikc,jkc->ijc", z @ w["a"], jax.nn.sigmoid(z @ w["b"])) @ w["c"]
        return (m, z + jax.nn.relu(z @ w["up"]) @ w["down"]), None

    def step(state: Any, protein: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            apart = jnp.clip(protein["index"][:, None] - protein["index"], -32, 32) + 32
            start = (jax.nn.one_hot(protein["msa"], 23) @ p["msa"], p["pair"][apart])
            (_, z), _ = jax.lax.scan(jax.checkpoint(body), start, p["blocks"])
            return cross_entropy((z + z.swapaxes(0, 1)) @ p["head"], protein["bins"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    protein = {"msa": tokens(rows, length), "index": tokens(length), "bins": tokens(length, length)}
    return Case(step, (_start(rule, params), protein), (*TRAINING, (r"protein/.*", INPUT)))


def tensor_train(s: int = 1) -> Case:
    """Matrices as chains of small cores, and a softmax that several experts mix over the vocabulary."""
    rank, mixed, width, rule = 8, 4, 64, optax.sgd(0.1, momentum=0.9, nesterov=True)
    cores = [shape(1, 8, 8, rank), shape(rank, 8, 8 * s, rank), shape(rank, 1, 4, 1)]
    params = {
        "embedding": shape(200 * s, width),
        "cores": cores,
        "prior": shape(256 * s, mixed),
        "latent": shape(mixed, 256 * s, 40),
        "head": shape(40, 200 * s),
    }

    def step(state: Any, ids: Any, labels: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = p["embedding"][ids].reshape(-1, 8, 8, 1)
            h = jnp.einsum("bijk,aixr,rjys,skzt->bxyzat", x, *p["cores"]).reshape(ids.shape[0], -1)
            h = jnp.tanh(h)
            prior = jax.nn.log_softmax(h @ p["prior"])
            each = jax.nn.log_softmax(
                jnp.einsum("bme,ev->bmv", jnp.tanh(jnp.einsum("bh,mhe->bme", h, p["latent"])), p["head"])
            )
            logs = jax.nn.logsumexp(prior[..., None] + each, axis=1)
            return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], 1))

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    return Case(step, (_start(rule, params), tokens(48 * s), tokens(48 * s)), (*TRAINING, (r"ids|labels", INPUT)))


def recommender(s: int = 1) -> Case:
    """Tables of many rows, looked up by bags of ids; products of pairs; tables by Adagrad on rows, the rest by Adam."""
    tables, rows, width = 4, 2000 * s, 16
    params = {
        "tables": [shape(rows, width)] * tables,
        "bottom": mlp_shapes(13, 64, width),
        "top": mlp_shapes(10 + width, 72 * s, 1),
    }
    rule = optax.partition(
        {"t": optax.adagrad(0.05), "d": optax.adam(1e-3)}, lambda p: {k: "t" if k == "tables" else "d" for k in p}
    )

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            dense = mlp(p["bottom"], batch["dense"])
            found = [
                jnp.sum(t[batch["ids"][:, i]] * batch["weights"][:, i, :, None], 1) for i, t in enumerate(p["tables"])
            ]
            every = jnp.stack([dense, *found], 1)
            products = jnp.einsum("bid,bjd->bij", every, every)
            pairs = products[:, *jnp.triu_indices(tables + 1, 1)]
            out = mlp(p["top"], jnp.concatenate([dense, pairs], -1))[:, 0]
            return optax.sigmoid_binary_cross_entropy(out, batch["clicked"]).mean()

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), {"loss": loss}

    batch = {
        "dense": shape(128 * s, 13),
        "ids": tokens(128 * s, tables, 5),
        "weights": shape(128 * s, tables, 5),
        "clicked": shape(128 * s),
    }
    return Case(step, (_start(rule, params), batch), TRAINING)


def flow_matching(s: int = 1) -> Case:
    """A transformer on patches, modulated by time and class; velocities; an average without the bias of its start."""
    width, heads, rule = 40 * s, 4, optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4))
    block = {**layer_shapes(width, heads, heads, 10 * s, 104 * s), "modulate": shape(width, 4 * width)}
    params = {
        "patch": shape(48, width),
        "time": mlp_shapes(32, width, width),
        "class": shape(24, width),
        "blocks": stack(block, 2, 0),
        "out": shape(width, 48),
    }
    average = optax.ema(0.999, debias=True)

    def step(state: Any, images: Any, labels: Any) -> Any:
        key, a, b = jax.random.split(state["key"], 3)
        noise, time = jax.random.normal(a, images.shape), jax.nn.sigmoid(jax.random.normal(b, images.shape[:1]))
        mixed = (1 - time[:, None, None]) * images + time[:, None, None] * noise

        def loss_of(p: Any) -> jax.Array:
            waves = time[:, None] * jnp.exp(-jnp.arange(16) / 2.0)
            c = mlp(p["time"], jnp.concatenate([jnp.sin(waves), jnp.cos(waves)], -1)) + p["class"][labels]

            def body(x: jax.Array, w: Any) -> Any:
                shift, scale, gate, more = jnp.split((c @ w["modulate"])[:, None], 4, -1)
                y = rms_norm(x, w["norm_1"]) * (1 + scale) + shift
                q, k, v = (jnp.einsum("bsd,dhk->bshk", y, w[n]) for n in ("wq", "wk", "wv"))
                x = x + gate * jnp.einsum("bshk,hkd->bsd", attention(q, k, v), w["wo"])
                y = rms_norm(x, w["norm_2"])
                return x + more * ((jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]), None

            x, _ = jax.lax.scan(body, mixed @ p["patch"], p["blocks"])
            return jnp.mean((x @ p["out"] - (noise - images)) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        new = _update(rule, state, gradients)
        _, new["average"] = average.update(new["params"], state["average"])
        return {**new, "key": key}, {"loss": loss, **norms({"g": gradients, "p": new["params"]})}

    state = {**_start(rule, params), "average": jax.eval_shape(average.init, params), "key": KEY}
    truth = (
        (r"state/average/count", COUNTER),
        (r"state/average/.*", OPTIMIZER),
        (r"state/key", COUNTER),
        *TRAINING,
        (r"images|labels", INPUT),
    )
    return Case(step, (state, shape(16 * s, 16, 48), tokens(16 * s)), truth)


def adapters(s: int = 1) -> Case:
    """DoRA on weights of four bits in blocks: magnitudes and factors are trained, codes and scales are frozen."""
    width, hidden, rank, block = 64 * s, 160 * s, 8, 16
    names = {"q": (width, width), "o": (width, width), "up": (width, hidden), "down": (hidden, width)}
    frozen = [
        {n: {"codes": shape(i, o, dtype=jnp.int4), "scales": shape(i // block, o)} for n, (i, o) in names.items()}
        for _ in range(2)
    ]
    trained = [
        {n: {"a": shape(i, rank), "b": shape(rank, o), "m": shape(o)} for n, (i, o) in names.items()} for _ in range(2)
    ]
    rule = optax.adamw(1e-4)

    def step(state: Any, frozen: Any, embedding: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = embedding[batch["ids"]]
            for f, t in zip(frozen, p, strict=True):

                def use(name: str, x: jax.Array, f: Any = f, t: Any = t) -> jax.Array:
                    codes = f[name]["codes"].astype(jnp.float32)
                    w = (codes.reshape(-1, block, codes.shape[1]) * f[name]["scales"][:, None]).reshape(codes.shape)
                    w = w + t[name]["a"] @ t[name]["b"]
                    return x @ (w * t[name]["m"] / (jnp.linalg.norm(w, axis=0) + 1e-6))

                q = use("q", x).reshape(*x.shape[:2], 4, -1)
                x = x + use("o", attention(q, q, q, causal(x.shape[1])).reshape(x.shape))
                x = x + use("down", jax.nn.silu(use("up", x)))
            return cross_entropy((x @ embedding.T)[:, :-1], batch["ids"][:, 1:])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        return _update(rule, state, gradients), loss

    truth = (*TRAINING, (r"(frozen|embedding).*", PARAMETER))
    return Case(step, (_start(rule, trained), frozen, shape(192 * s, width), {"ids": tokens(8, 24)}), truth)


def latent(s: int = 1) -> Case:
    """A hierarchical VAE with free bits and a warmed-up weight; gradients are thrown away if one is not finite."""
    rule = optax.chain(optax.zero_nans(), optax.adamax(1e-3))
    params = {
        "up": mlp_shapes(96, 80 * s, 48),
        "low": mlp_shapes(24, 56 * s, 32),
        "middle": mlp_shapes(16, 40 * s, 48),
        "down": mlp_shapes(40, 88 * s, 96),
    }

    def step(state: Any, x: Any) -> Any:
        keys = jax.random.split(jax.random.fold_in(state["key"], state["step"]), 2)
        weight = jnp.minimum(state["step"] / 1000, 1.0)

        def loss_of(p: Any) -> Any:
            mean, log = jnp.split(mlp(p["up"], x), 2, -1)
            z = mean + jnp.exp(log / 2) * jax.random.normal(keys[0], mean.shape)
            top_mean, top_log = jnp.split(mlp(p["low"], z), 2, -1)
            top = top_mean + jnp.exp(top_log / 2) * jax.random.normal(keys[1], top_mean.shape)
            prior_mean, prior_log = jnp.split(mlp(p["middle"], top), 2, -1)
            out = mlp(p["down"], jnp.concatenate([z, top], -1))
            kl = 0.5 * (prior_log - log - 1 + (jnp.exp(log) + (mean - prior_mean) ** 2) / jnp.exp(prior_log))
            kl_top = 0.5 * (jnp.exp(top_log) + top_mean**2 - 1 - top_log)
            free = jnp.maximum(kl.mean(0), 0.1).sum() + jnp.maximum(kl_top.mean(0), 0.1).sum()
            error = optax.sigmoid_binary_cross_entropy(out, x).sum(-1).mean()
            return error + weight * free, {"error": error, "kl": kl.sum(-1).mean()}

        (loss, metrics), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        new = {**_update(rule, state, gradients), "step": state["step"] + 1}
        finite = jnp.isfinite(optax.global_norm(gradients))
        return jax.tree.map(lambda a, b: jnp.where(finite, a, b), new, state), {"loss": loss, **metrics}

    state = {**_start(rule, params), "step": tokens(), "key": KEY}
    truth = ((r"state/key", COUNTER), *TRAINING, (r"x", INPUT))
    return Case(step, (state, shape(72 * s, 96)), truth)


def solver_network(s: int = 1) -> Case:
    """A neural equation by Runge and Kutta steps over given times; Adabelief and lookahead's slow weights."""
    rule = optax.lookahead(optax.adabelief(1e-3), 5, 0.5)
    params = mlp_shapes(9, 72 * s, 56 * s, 8)

    def step(state: Any, path: Any, times: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            def change(t: jax.Array, y: jax.Array) -> jax.Array:
                return mlp(p, jnp.concatenate([y, jnp.broadcast_to(t, y[:, :1].shape)], -1))

            def advance(y: jax.Array, span: Any) -> Any:
                t, h = span
                a = change(t, y)
                b = change(t + h / 2, y + h / 2 * a)
                c = change(t + h, y - h * a + 2 * h * b)
                y = y + h / 6 * (a + 4 * b + c)
                return y, y

            _, found = jax.lax.scan(advance, path[0], (times[:-1], jnp.diff(times)))
            return jnp.mean((found - path[1:]) ** 2)

        loss, gradients = jax.value_and_grad(lambda p: loss_of(p.fast))(state["params"])
        updates, opt_state = rule.update(gradients.fast, state["opt_state"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}, loss

    pair = optax.LookaheadParams(params, params)
    truth = ((r".*steps_since_sync", COUNTER), (r"state/params/slow/.*", OPTIMIZER), *TRAINING, (r"path|times", INPUT))
    return Case(step, (_start(rule, pair), shape(20, 48 * s, 8), shape(20)), truth)


def own_targets(s: int = 1) -> Case:
    """BYOL: an online network predicts a slow one's output for another view; LARS, statistics of centred outputs."""
    rule = optax.lars(0.1)
    params = {"body": mlp_shapes(72, 104 * s, 48 * s), "predict": mlp_shapes(48 * s, 64 * s, 48 * s)}

    def step(state: Any, first: Any, second: Any) -> Any:
        def target(x: jax.Array) -> jax.Array:
            y = mlp(state["slow"], x) - state["center"]
            return y / jnp.linalg.norm(y, axis=-1, keepdims=True)

        goals = [jax.lax.stop_gradient(target(x)) for x in (second, first)]

        def loss_of(p: Any) -> jax.Array:
            total = 0.0
            for x, goal in zip((first, second), goals, strict=True):
                y = mlp(p["predict"], mlp(p["body"], x))
                total = total + jnp.mean(2 - 2 * jnp.sum(y / jnp.linalg.norm(y, axis=-1, keepdims=True) * goal, -1))
            return total

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        new = _update(rule, state, gradients)
        slow = optax.incremental_update(new["params"]["body"], state["slow"], 0.01)
        center = 0.9 * state["center"] + 0.1 * mlp(state["slow"], first).mean(0)
        return {**new, "slow": slow, "center": center}, loss

    state = {**_start(rule, params), "slow": params["body"], "center": shape(48 * s)}
    truth = ((r"state/slow/.*", PARAMETER), (r"state/center", STATE), *TRAINING, (r"first|second", INPUT))
    return Case(step, (state, shape(56 * s, 72), shape(56 * s, 72)), truth)


ROWS = [
    Row("preferences, reference", "plain JAX", preferences),
    Row("groups of answers", "plain JAX", group_rewards),
    Row("agents and environments", "plain JAX", agents),
    Row("images and texts", "optax", clip),
    Row("selective scan", "plain JAX", selective_scan),
    Row("receptance, MultiSteps", "optax", receptance),
    Row("matrix memory, noise", "optax", matrix_memory),
    Row("graph transformer", "plain JAX", graph_transformer),
    Row("critic with a penalty", "plain JAX", critic_penalty),
    Row("mixture of depths", "optax", depths),
    Row("SOAP", "plain JAX", preconditioned),
    Row("recommender, bags", "optax", recommender),
    Row("eight bits, histories", "plain JAX", eight_bit),
    Row("flow matching, average", "optax", flow_matching),
    Row("alignment and pairs", "plain JAX", evoformer),
    Row("DoRA, four bits", "plain JAX", adapters),
    Row("tensor train, mixed softmax", "plain JAX", tensor_train),
    Row("latent hierarchy", "optax", latent),
    Row("equation by a network", "optax", solver_network),
    Row("own targets", "optax", own_targets),
]
