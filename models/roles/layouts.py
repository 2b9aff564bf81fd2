"""Trainers of language models that are not installed here, in their layout: trees shaped and named as theirs.

MaxText (nnx train state, leaves under `.value`, weights stacked in the middle dim), Levanter (leaves under
`[<flat index 0>]`), EasyDeL (graph states and accumulated gradients), Tunix (LoRA on frozen weights), and what trainers
of other kinds do: several losses, target networks, steps in a loop, results without names.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

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


@jax.tree_util.register_pytree_with_keys_class
class Boxed:
    """An array in a box whose leaf is called `.value`, as variables of nnx are."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tree_flatten_with_keys(self) -> Any:
        return ((jax.tree_util.GetAttrKey("value"), self.value),), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Boxed:
        return cls(*children)


@jax.tree_util.register_pytree_node_class
class Named:
    """An array with names of dims; its leaf has no key, so JAX calls it `[<flat index 0>]`."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def tree_flatten(self) -> Any:
        return (self.array,), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Named:
        return cls(*children)


def layer(w: Any, x: jax.Array, heads: int) -> jax.Array:
    """A llama-like layer of weights `norm_1, wq, wk, wv, wo, norm_2, w_gate, w_up, w_down`."""
    y = rms_norm(x, w["norm_1"])
    q, k, v = (jnp.einsum("bsd,dhk->bshk", y, w[name]) for name in ("wq", "wk", "wv"))
    k, v = (jnp.repeat(a, heads // a.shape[2], axis=2) for a in (k, v))
    x = x + jnp.einsum("bshk,hkd->bsd", attention(q, k, v, causal(x.shape[1])), w["wo"])
    y = rms_norm(x, w["norm_2"])
    return x + (jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]


def layer_shapes(width: int, heads: int, kv: int, size: int, hidden: int) -> dict[str, Any]:
    return {
        "norm_1": shape(width), "wq": shape(width, heads, size), "wk": shape(width, kv, size),
        "wv": shape(width, kv, size), "wo": shape(heads, size, width), "norm_2": shape(width),
        "w_gate": shape(width, hidden), "w_up": shape(width, hidden), "w_down": shape(hidden, width),
    }  # fmt: skip


def stack(shapes: Any, layers: int, dim: int) -> Any:
    def insert(leaf: Any) -> Any:
        at = min(dim, len(leaf.shape))
        return shape(*leaf.shape[:at], layers, *leaf.shape[at:], dtype=leaf.dtype)

    return jax.tree.map(insert, shapes)


def maxtext() -> Case:
    """Layers stacked in dim 1 and scanned with remat, a carried random state, per-layer norms among the metrics."""
    width, layers = 40, 3
    weights = stack(layer_shapes(width, 4, 2, 12, 104), layers, 1)
    params = {
        "token_embedder": {"embedding": shape(260, width)},
        "decoder": {"layers": weights, "decoder_norm": {"scale": shape(width)}, "logits_dense": shape(width, 260)},
    }
    schedule = optax.cosine_decay_schedule(1e-3, 100)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))
    keys = {"params": {"key": shape(2, dtype=jnp.uint32), "count": shape(dtype=jnp.uint32)}}

    def box(tree: Any) -> Any:
        return jax.tree.map(Boxed, tree)

    def unbox(tree: Any) -> Any:
        return jax.tree.map(lambda b: b.value, tree, is_leaf=lambda b: isinstance(b, Boxed))

    def train_step(state: Any, batch: Any) -> Any:
        params, rngs = unbox(state["model"]["params"]), unbox(state["model"]["rngs"])
        key = jax.random.fold_in(rngs["params"]["key"], rngs["params"]["count"])

        def loss_of(params: Any) -> Any:
            x = params["token_embedder"]["embedding"][batch["inputs"]]
            x = x * (jax.random.uniform(key, x.shape) > 0.1)
            moved = jax.tree.map(lambda w: jnp.moveaxis(w, 1, 0), params["decoder"]["layers"])
            body = jax.checkpoint(lambda x, w: (layer(w, x, 4), jnp.mean(x * x)))
            x, statistics = jax.lax.scan(body, x, moved)
            logits = rms_norm(x, params["decoder"]["decoder_norm"]["scale"]) @ params["decoder"]["logits_dense"]
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["targets"])
            mask = batch["targets_segmentation"] != 0
            return jnp.sum(losses * mask) / jnp.sum(mask), (statistics, jnp.sum(mask))

        (loss, (statistics, weights)), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, unbox(state["optimizer"]["opt_state"]), params)
        new = optax.apply_updates(params, updates)
        count = rngs["params"]["count"] + 1
        rngs = {"params": {"key": rngs["params"]["key"], "count": count}}
        model = {"params": box(new), "rngs": box(rngs)}
        optimizer = {"opt_state": box(opt_state), "step": Boxed(state["optimizer"]["step"].value + 1)}
        of_layers = jax.vmap(jnp.linalg.norm, in_axes=1)(gradients["decoder"]["layers"]["w_up"])
        scalars = {
            "learning/loss": loss, "learning/total_weights": weights, "learning/of_layers": of_layers,
            "learning/activations": statistics, "learning/current_learning_rate": schedule(optimizer["step"].value),
            **norms({"learning/grad_norm": gradients, "learning/raw_grad_norm": updates, "learning/param_norm": new}),
        }  # fmt: skip
        return {"model": model, "optimizer": optimizer}, {"scalar": scalars}

    state = {
        "model": {"params": box(params), "rngs": box(keys)},
        "optimizer": {
            "opt_state": box(jax.eval_shape(rule.init, params)),
            "step": Boxed(shape(dtype=jnp.int32)),
        },
    }
    truth = ((r".*(rngs|count|/step).*", COUNTER), (r"state/model/params/.*", PARAMETER), *TRAINING)
    ids = tokens(6, 20)
    return Case(train_step, (state, {"inputs": ids, "targets": ids, "targets_segmentation": ids}), truth, donated=(0,))


def levanter() -> Case:
    """Arrays with named dims: every leaf is `[<flat index 0>]`; a model average and a training key in the state."""
    width, layers = 44, 2
    model = {"transformer": stack(layer_shapes(width, 4, 4, 11, 120), layers, 0), "embeddings": shape(240, width)}
    model = {**model, "norm": shape(width), "lm_head": shape(width, 240)}
    rule = optax.inject_hyperparams(optax.adamw)(optax.linear_schedule(1e-3, 0.0, 100))

    def unwrap(tree: Any) -> Any:
        return jax.tree.map(lambda n: n.array, tree, is_leaf=lambda n: isinstance(n, Named))

    class TrainerState(NamedTuple):
        step: Any
        model: Any
        opt_state: Any
        training_key: Any
        model_averaging: Any

    def train_step(state: TrainerState, examples: Any) -> Any:
        key, new_key = jax.random.split(state.training_key)

        def loss_of(model: Any) -> jax.Array:
            x = model["embeddings"][examples["tokens"]]
            x = x * (jax.random.uniform(key, x.shape) > 0.1)
            x, _ = jax.lax.scan(lambda x, w: (layer(w, x, 4), None), x, model["transformer"])
            logits = rms_norm(x, model["norm"]) @ model["lm_head"]
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, examples["tokens"])
            return jnp.mean(losses * examples["loss_mask"])

        model = unwrap(state.model)
        loss, gradients = jax.value_and_grad(loss_of)(model)
        updates, opt_state = rule.update(gradients, unwrap(state.opt_state), model)
        new = optax.apply_updates(model, updates)
        average = optax.incremental_update(new, unwrap(state.model_averaging), 1e-3)
        wrapped = [jax.tree.map(Named, tree) for tree in (new, opt_state, average)]
        state = TrainerState(state.step + 1, wrapped[0], wrapped[1], new_key, wrapped[2])
        return loss, state, {"rate": opt_state.hyperparams["learning_rate"], **norms({"p": new, "u": updates})}

    wrapped = jax.tree.map(Named, model)
    opt_state = jax.tree.map(Named, jax.eval_shape(rule.init, model))
    state = TrainerState(tokens(), wrapped, opt_state, shape(2, dtype=jnp.uint32), wrapped)
    truth = (
        (r".*(step|training_key|count).*", COUNTER), (r"state/model/.*", PARAMETER),
        (r"state/(opt_state|model_averaging)/.*", OPTIMIZER), (r"examples/.*", INPUT),
    )  # fmt: skip
    return Case(train_step, (state, {"tokens": tokens(6, 18), "loss_mask": shape(6, 18)}), truth)


def easydel() -> Case:
    """`graphstate`, `graphother` and `opt_state`; gradients are accumulated in a loop over microbatches."""
    width = 36
    params = {"embed_tokens": shape(230, width), "layers": {str(i): layer_shapes(width, 4, 2, 9, 96) for i in range(2)}}
    params = {**params, "norm": {"kernel": shape(width)}, "lm_head": {"kernel": shape(width, 230)}}
    rule = optax.adamw(optax.constant_schedule(1e-3))

    def minibatch_loss(params: Any, rope: Any, ids: jax.Array) -> Any:
        x = params["embed_tokens"][ids]
        x = x * jnp.cos(rope["frequencies"])
        for w in params["layers"].values():
            x = layer(w, x, 4)
        logits = rms_norm(x, params["norm"]["kernel"]) @ params["lm_head"]["kernel"]
        return cross_entropy(logits[:, :-1], ids[:, 1:]), (logits.argmax(-1)[:, :-1] == ids[:, 1:]).mean()

    def training_step(state: Any, batch: Any) -> Any:
        def add(total: Any, ids: jax.Array) -> Any:
            out = jax.value_and_grad(minibatch_loss, has_aux=True)(state["graphstate"], state["graphother"], ids)
            return jax.tree.map(jnp.add, total, out), None

        zeros = jax.tree.map(jnp.zeros_like, ((jnp.float32(0), jnp.float32(0)), state["graphstate"]))
        ((loss, accuracy), gradients), _ = jax.lax.scan(add, zeros, batch["input_ids"].reshape(3, 4, 22))
        gradients = jax.tree.map(lambda g: g / 3, gradients)
        updates, opt_state = rule.update(gradients, state["opt_state"], state["graphstate"])
        new = {**state, "graphstate": optax.apply_updates(state["graphstate"], updates), "opt_state": opt_state}
        each = {f"grad/{i}": jnp.linalg.norm(g) for i, g in enumerate(jax.tree.leaves(gradients))}
        return {**new, "step": state["step"] + 1}, {"loss": loss / 3, "accuracy": accuracy / 3, **each}

    state = {
        "graphstate": params, "graphother": {"frequencies": shape(width)}, "step": tokens(),
        "opt_state": jax.eval_shape(rule.init, params),
    }  # fmt: skip
    truth = ((r"state/graph(state|other)/.*", PARAMETER), *TRAINING)
    return Case(training_step, (state, {"input_ids": tokens(12, 22)}), truth)


def tunix_lora() -> Case:
    """LoRA: factors beside each matrix are trained; the frozen weights are an argument that does not come back."""
    width, rank = 40, 6
    base = {"embedder": shape(250, width), "head": shape(width, 250), "norm": shape(width)}
    base = {**base, "layers": [layer_shapes(width, 4, 2, 10, 100) for _ in range(2)]}
    adapted = {"wq": (width, 40), "w_up": (width, 100), "w_down": (100, width)}
    lora = [
        {n: {"lora_a": shape(i, rank), "lora_b": shape(rank, o)} for n, (i, o) in adapted.items()} for _ in range(2)
    ]
    rule = optax.adamw(1e-3)

    def train_step(lora: Any, opt_state: Any, base: Any, batch: Any) -> Any:
        def loss_of(lora: Any) -> jax.Array:
            x = base["embedder"][batch["input_tokens"]]
            for w, factors in zip(base["layers"], lora, strict=True):
                sums = {n: w[n] + (f["lora_a"] @ f["lora_b"]).reshape(w[n].shape) for n, f in factors.items()}
                x = layer({**w, **sums}, x, 4)
            losses = optax.softmax_cross_entropy_with_integer_labels(
                rms_norm(x, base["norm"]) @ base["head"], batch["input_tokens"]
            )
            return jnp.sum(losses * batch["input_mask"]) / jnp.sum(batch["input_mask"])

        loss, gradients = jax.value_and_grad(loss_of)(lora)
        updates, opt_state = rule.update(gradients, opt_state, lora)
        return optax.apply_updates(lora, updates), opt_state, {"loss": loss, **norms({"g": gradients})}

    truth = ((r".*count", COUNTER), (r"(lora|base)/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"batch/.*", INPUT))
    batch = {"input_tokens": tokens(6, 18), "input_mask": shape(6, 18)}
    return Case(train_step, (lora, jax.eval_shape(rule.init, lora), base, batch), truth)


def lora_applied() -> Case:
    """LoRA as x A B beside x W, by SGD; frozen and trained weights are one tree, all of which comes back."""
    params = [{"w": shape(a, b), "a": shape(a, 5), "b": shape(5, b)} for a, b in ((34, 70), (70, 70), (70, 26))]

    def step(params: Any, x: Any, y: Any) -> Any:
        trained = [{"a": p["a"], "b": p["b"]} for p in params]

        def loss_of(trained: Any) -> jax.Array:
            h = x
            for p, t in zip(params, trained, strict=True):
                h = jnp.tanh(h @ p["w"] + h @ t["a"] @ t["b"])
            return jnp.mean((h - y) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(trained)
        new = [
            {"w": p["w"], "a": p["a"] - 0.1 * g["a"], "b": p["b"] - 0.1 * g["b"]}
            for p, g in zip(params, gradients, strict=True)
        ]
        return new, loss

    return Case(step, (params, shape(22, 34), shape(22, 26)), ((r"params/.*", PARAMETER), (r"x|y", INPUT)))


def mlp_shapes(*sizes: int) -> list[Any]:
    return [{"w": shape(a, b), "b": shape(b)} for a, b in itertools.pairwise(sizes)]


def mlp(params: Any, x: jax.Array) -> jax.Array:
    for p in params[:-1]:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def dqn() -> Case:
    """A target network in the loss that follows the other one."""
    rule, params = optax.adam(1e-3), mlp_shapes(18, 70, 50, 6)

    def update(params: Any, target: Any, opt_state: Any, batch: Any) -> Any:
        best = jnp.max(mlp(target, batch["next"]), -1)

        def loss_of(params: Any) -> jax.Array:
            values = jnp.take_along_axis(mlp(params, batch["observations"]), batch["actions"][:, None], 1)[:, 0]
            return jnp.mean((values - batch["rewards"] - 0.99 * best) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        params = optax.apply_updates(params, updates)
        return params, optax.incremental_update(params, target, 0.005), opt_state, loss, best.mean()

    batch = {"observations": shape(32, 18), "next": shape(32, 18), "actions": tokens(32), "rewards": shape(32)}
    truth = (
        (r".*count", COUNTER),
        (r"(params|target)/.*", PARAMETER),
        (r"opt_state/.*", OPTIMIZER),
        (r"batch.*", INPUT),
    )
    return Case(update, (params, params, jax.eval_shape(rule.init, params), batch), truth)


def ddpg() -> Case:
    """Actor and critic with a loss each, two targets and two optimizers in one state."""
    rule, actor, critic = optax.adam(1e-3), mlp_shapes(17, 60, 44, 5), mlp_shapes(22, 60, 44, 1)

    def update(state: Any, batch: Any) -> Any:
        def critic_loss(critic: Any) -> jax.Array:
            following = jnp.tanh(mlp(state["target_actor"], batch["next"]))
            value = mlp(state["target_critic"], jnp.concatenate([batch["next"], following], -1))
            taken = mlp(critic, jnp.concatenate([batch["observations"], batch["actions"]], -1))
            return jnp.mean((taken - batch["rewards"][:, None] - 0.99 * value) ** 2)

        def actor_loss(actor: Any) -> jax.Array:
            chosen = jnp.tanh(mlp(actor, batch["observations"]))
            return -jnp.mean(mlp(state["critic"], jnp.concatenate([batch["observations"], chosen], -1)))

        new, metrics = dict(state), {}
        for name, loss_of in (("critic", critic_loss), ("actor", actor_loss)):
            metrics[f"{name}_loss"], gradients = jax.value_and_grad(loss_of)(state[name])
            updates, new[f"{name}_opt_state"] = rule.update(gradients, state[f"{name}_opt_state"])
            new[name] = optax.apply_updates(state[name], updates)
            new[f"target_{name}"] = optax.incremental_update(new[name], state[f"target_{name}"], 0.005)
            metrics |= norms({f"{name}_gradients": gradients})
        return new, metrics

    nets = {"actor": actor, "critic": critic, "target_actor": actor, "target_critic": critic}
    state = nets | {f"{name}_opt_state": jax.eval_shape(rule.init, nets[name]) for name in ("actor", "critic")}
    batch = {"observations": shape(32, 17), "next": shape(32, 17), "actions": shape(32, 5), "rewards": shape(32)}
    truth = (
        (r".*count", COUNTER),
        (r"state/\w*_opt_state/.*", OPTIMIZER),
        (r"state/.*", PARAMETER),
        (r"batch.*", INPUT),
    )
    return Case(update, (state, batch), truth)


def ppo() -> Case:
    """Several steps in one program: a loop over epochs and minibatches that carries parameters and moments."""
    rule = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-3))
    params = {"policy": mlp_shapes(18, 54, 54, 6), "value": mlp_shapes(18, 54, 54, 1)}

    def update(state: Any, rollout: Any) -> Any:
        def loss_of(params: Any, batch: Any) -> jax.Array:
            log = jnp.take_along_axis(
                jax.nn.log_softmax(mlp(params["policy"], batch["observations"])), batch["actions"][:, None], 1
            )[:, 0]
            ratio = jnp.exp(log - batch["log"])
            clipped = jnp.clip(ratio, 0.8, 1.2) * batch["advantages"]
            value = mlp(params["value"], batch["observations"])[:, 0]
            return -jnp.mean(jnp.minimum(ratio * batch["advantages"], clipped)) + jnp.mean(
                (value - batch["returns"]) ** 2
            )

        def minibatch(carry: Any, batch: Any) -> Any:
            params, opt_state = carry
            loss, gradients = jax.value_and_grad(loss_of)(params, batch)
            updates, opt_state = rule.update(gradients, opt_state)
            return (optax.apply_updates(params, updates), opt_state), loss

        carry = state["params"], state["opt_state"]
        pieces = jax.tree.map(lambda a: a.reshape(4, -1, *a.shape[1:]), rollout)
        carry, losses = jax.lax.scan(lambda c, _: jax.lax.scan(minibatch, c, pieces), carry, None, length=2)
        return {"params": carry[0], "opt_state": carry[1]}, losses.mean()

    rollout = {"observations": shape(64, 18), "actions": tokens(64)}
    rollout |= {name: shape(64) for name in ("log", "advantages", "returns")}
    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(update, (state, rollout), (*TRAINING, (r"rollout/.*", INPUT)))


def gan() -> Case:
    """Generator and discriminator, trained in turn: gradients of the second go through the first's new weights."""
    rule = optax.adam(1e-3)
    params = {"generator": mlp_shapes(14, 60, 38), "discriminator": mlp_shapes(38, 52, 1)}

    def step(params: Any, opt_state: Any, real: Any, noise: Any) -> Any:
        def judge(discriminator: Any, generator: Any) -> jax.Array:
            fake, true = mlp(discriminator, mlp(generator, noise)), mlp(discriminator, real)
            return jnp.mean(jax.nn.softplus(fake)) + jnp.mean(jax.nn.softplus(-true))

        d_loss, gradients = jax.value_and_grad(judge)(params["discriminator"], params["generator"])
        updates, d_state = rule.update(gradients, opt_state["discriminator"])
        discriminator = optax.apply_updates(params["discriminator"], updates)

        def deceive(generator: Any) -> jax.Array:
            return jnp.mean(jax.nn.softplus(-mlp(discriminator, mlp(generator, noise))))

        g_loss, gradients = jax.value_and_grad(deceive)(params["generator"])
        updates, g_state = rule.update(gradients, opt_state["generator"])
        generator = optax.apply_updates(params["generator"], updates)
        new_state = {"generator": g_state, "discriminator": d_state}
        return {"generator": generator, "discriminator": discriminator}, new_state, {"d": d_loss, "g": g_loss}

    opt_state = {name: jax.eval_shape(rule.init, tree) for name, tree in params.items()}
    truth = ((r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"real|noise", INPUT))
    return Case(step, (params, opt_state, shape(26, 38), shape(26, 14)), truth)


def diffusion() -> Case:
    """A denoiser with a schedule of noise as an argument, an average of its weights, and a key that is fed."""
    rule, params = (
        optax.adamw(1e-3),
        {"in": shape(46, 90), "time": shape(1, 90), "mid": shape(90, 90), "out": shape(90, 46)},
    )

    def step(state: Any, noise_levels: Any, images: Any, key: Any) -> Any:
        times, noise_key = jax.random.split(key)
        t = jax.random.randint(times, (images.shape[0],), 0, noise_levels.shape[0])
        level, noise = noise_levels[t][:, None], jax.random.normal(noise_key, images.shape)

        def loss_of(p: Any) -> jax.Array:
            x = jnp.sqrt(level) * images + jnp.sqrt(1 - level) * noise
            h = jax.nn.silu(x @ p["in"] + (t[:, None] / 1000.0) @ p["time"])
            return jnp.mean((jax.nn.silu(h @ p["mid"]) @ p["out"] - noise) ** 2)

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"], state["params"])
        new = optax.apply_updates(state["params"], updates)
        ema = jax.tree.map(lambda e, p: jnp.where(state["step"] < 10, p, 0.99 * e + 0.01 * p), state["ema"], new)
        return {"params": new, "ema": ema, "opt_state": opt_state, "step": state["step"] + 1}, loss

    state = {"params": params, "ema": params, "opt_state": jax.eval_shape(rule.init, params), "step": tokens()}
    # The schedule of noise has no dim of the batch: it is stored like a weight.
    truth = (
        (r"key", COUNTER),
        (r"images", INPUT),
        (r"noise_levels", PARAMETER),
        (r"state/ema/.*", OPTIMIZER),
        *TRAINING,
    )
    return Case(step, (state, shape(100), shape(28, 46), shape(2, dtype=jnp.uint32)), truth)


def master_weights() -> Case:
    """Weights of 16 bits that are casts of 32-bit ones in the optimizer, and a loss scale that adapts."""
    rule = optax.adamw(1e-3)
    params = [{k: shape(*v.shape, dtype=jnp.bfloat16) for k, v in p.items()} for p in mlp_shapes(30, 84, 84, 22)]

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> Any:
            loss = jnp.mean((mlp(params, batch["x"]).astype(jnp.float32) - batch["y"]) ** 2)
            return loss * state["scale"], loss

        (_, loss), gradients = jax.value_and_grad(loss_of, has_aux=True)(state["params"])
        gradients = jax.tree.map(lambda g: g.astype(jnp.float32) / state["scale"], gradients)
        finite = jnp.isfinite(optax.global_norm(gradients))
        updates, opt_state = rule.update(gradients, state["opt_state"], state["master"])
        master = jax.tree.map(lambda m, u: jnp.where(finite, m + u, m), state["master"], updates)
        params = jax.tree.map(lambda m: m.astype(jnp.bfloat16), master)
        scale = jnp.where(finite, state["scale"] * 1.001, state["scale"] / 2)
        return {"params": params, "master": master, "opt_state": opt_state, "scale": scale}, {"loss": loss}

    master = mlp_shapes(30, 84, 84, 22)
    state = {"params": params, "master": master, "opt_state": jax.eval_shape(rule.init, master), "scale": shape()}
    truth = ((r"state/(master/.*|scale)", OPTIMIZER), *TRAINING)
    batch = {"x": shape(20, 30, dtype=jnp.bfloat16), "y": shape(20, 22)}
    return Case(step, (state, batch), truth)


def equal_dims() -> Case:
    """All dims have one size: batch, length, width, vocabulary, hidden. Only flow tells them apart."""
    n = 24
    params = {name: shape(n, n) for name in ("embedding", "wq", "wk", "wv", "wo", "up", "down", "head")}
    rule = optax.adam(1e-3)

    def step(state: Any, batch: Any) -> Any:
        def loss_of(p: Any) -> jax.Array:
            x = p["embedding"][batch["tokens"]]
            q, k, v = (x @ p[name] for name in ("wq", "wk", "wv"))
            scores = jnp.where(causal(n), q @ k.swapaxes(1, 2), -1e9)
            x = x + jax.nn.softmax(scores) @ v @ p["wo"]
            x = x + jnp.tanh(x @ p["up"]) @ p["down"]
            return cross_entropy(x @ p["head"], batch["labels"])

        loss, gradients = jax.value_and_grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"])
        new = optax.apply_updates(state["params"], updates)
        return {"params": new, "opt_state": opt_state}, {"loss": loss, **norms({"g": gradients, "p": new})}

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(step, (state, {"tokens": tokens(n, n), "labels": tokens(n, n)}), TRAINING)


def no_loss() -> Case:
    """A step that gives back its state alone, as loops of benchmarks do."""
    rule, params = optax.adam(1e-3), mlp_shapes(30, 84, 62, 12)

    def step(state: Any, batch: Any) -> Any:
        def loss_of(params: Any) -> jax.Array:
            return cross_entropy(mlp(params, batch["x"]), batch["labels"])

        gradients = jax.grad(loss_of)(state["params"])
        updates, opt_state = rule.update(gradients, state["opt_state"])
        return {"params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}

    state = {"params": params, "opt_state": jax.eval_shape(rule.init, params)}
    return Case(step, (state, {"x": shape(20, 30), "labels": tokens(20)}), TRAINING)


def flat_results() -> Case:
    """Results are one flat tuple, moments before parameters, beside gradients of the same shapes."""
    rule, params = optax.adamw(1e-3), mlp_shapes(30, 84, 62, 12)

    def step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda p: jnp.mean((mlp(p, x) - y) ** 2))(params)
        updates, opt_state = rule.update(gradients, opt_state, params)
        new = optax.apply_updates(params, updates)
        return (*jax.tree.leaves(gradients), loss, *jax.tree.leaves(opt_state), *jax.tree.leaves(new))

    truth = ((r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"x|y", INPUT))
    return Case(step, (params, jax.eval_shape(rule.init, params), shape(20, 30), shape(20, 12)), truth, donated=(0, 1))


def distillation() -> Case:
    """A frozen teacher beside the student that is trained on its outputs; an int8 mask of classes is fed, too."""
    rule, student, teacher = optax.adam(1e-3), mlp_shapes(30, 58, 26), mlp_shapes(30, 120, 120, 26)

    def step(student: Any, opt_state: Any, teacher: Any, x: Any) -> Any:
        wanted = jax.nn.softmax(mlp(teacher, x))
        loss, gradients = jax.value_and_grad(lambda p: optax.softmax_cross_entropy(mlp(p, x), wanted).mean())(student)
        updates, opt_state = rule.update(gradients, opt_state)
        student = optax.apply_updates(student, updates)
        return student, opt_state, loss, optax.global_norm(student)

    truth = ((r".*count", COUNTER), (r"(student|teacher)/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"x", INPUT))
    return Case(step, (student, jax.eval_shape(rule.init, student), teacher, shape(20, 30)), truth)


def recurrent() -> Case:
    """Truncated backpropagation: the last state of an LSTM is given back and fed again."""
    rule, width = optax.adam(1e-3), 44
    params = {
        "embedding": shape(150, width),
        "x": shape(width, 4 * width),
        "h": shape(width, 4 * width),
        "head": shape(width, 150),
    }

    def step(params: Any, opt_state: Any, carry: Any, ids: Any) -> Any:
        def loss_of(p: Any) -> Any:
            def cell(carry: Any, x: Any) -> Any:
                c, h = carry
                i, f, g, o = jnp.split(x @ p["x"] + h @ p["h"], 4, -1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
                return (c, h), h

            last, hidden = jax.lax.scan(cell, (carry["c"], carry["h"]), p["embedding"][ids[:, :-1].T])
            return cross_entropy(hidden @ p["head"], ids[:, 1:].T), {"c": last[0], "h": last[1]}

        (loss, carry), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
        updates, opt_state = rule.update(gradients, opt_state)
        return optax.apply_updates(params, updates), opt_state, carry, loss

    carry = {"c": shape(14, width), "h": shape(14, width)}
    truth = (
        (r".*count", COUNTER), (r"params/.*", PARAMETER), (r"opt_state/.*", OPTIMIZER), (r"carry/.*", STATE),
        (r"ids", INPUT),
    )  # fmt: skip
    return Case(step, (params, jax.eval_shape(rule.init, params), carry, tokens(14, 21)), truth)


ROWS = [
    Row("train state, dim 1 stacked", "as MaxText", maxtext),
    Row("named arrays, average", "as Levanter", levanter),
    Row("graph states, accumulated", "as EasyDeL", easydel),
    Row("LoRA, frozen argument", "as Tunix", tunix_lora),
    Row("LoRA beside, one tree", "plain JAX", lora_applied),
    Row("DQN, target network", "plain JAX", dqn),
    Row("DDPG, two losses", "plain JAX", ddpg),
    Row("PPO, steps in a loop", "plain JAX", ppo),
    Row("GAN", "plain JAX", gan),
    Row("diffusion, average", "plain JAX", diffusion),
    Row("master weights, loss scale", "plain JAX", master_weights),
    Row("equal dims", "plain JAX", equal_dims),
    Row("no loss", "plain JAX", no_loss),
    Row("flat results", "plain JAX", flat_results),
    Row("distillation", "plain JAX", distillation),
    Row("LSTM, carried state", "plain JAX", recurrent),
]
