"""A training step of Llama 8B, planned for four hosts of eight H100s: nothing is allocated, no GPU needed.

python examples/llama.py            what the search finds
python examples/llama.py compare    and beside it strategies that people write by hand, and rules to keep
python examples/llama.py four       for four GPUs, on which the step does not fit as it is traced
"""

import sys
import warnings

import jax
import jax.numpy as jnp
import optax

import partita
from partita import presets

LAYERS, WIDTH, HEADS, GROUPS, HEAD, HIDDEN, VOCAB = 32, 4096, 32, 8, 128, 14336, 128256
BATCH, SEQUENCE = 32, 4096
optimizer = optax.adamw(3e-4)


def init(key):
    shapes = {
        "wq": (WIDTH, HEADS * HEAD), "wk": (WIDTH, GROUPS * HEAD), "wv": (WIDTH, GROUPS * HEAD),
        "wo": (HEADS * HEAD, WIDTH), "gate": (WIDTH, HIDDEN), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH),
    }  # fmt: skip
    layers = {name: jax.random.normal(key, (LAYERS, *shape)) / shape[0] ** 0.5 for name, shape in shapes.items()}
    layers |= {"norm1": jnp.ones((LAYERS, WIDTH)), "norm2": jnp.ones((LAYERS, WIDTH))}
    params = {
        "embed": jax.random.normal(key, (VOCAB, WIDTH)) / WIDTH**0.5,
        "layers": layers,
        "norm": jnp.ones(WIDTH),
        "unembed": jax.random.normal(key, (WIDTH, VOCAB)) / WIDTH**0.5,
    }
    return {"params": params, "opt_state": optimizer.init(params)}


def rms_norm(x, scale):
    return (x * jax.lax.rsqrt(jnp.mean(jnp.square(x.astype("float32")), -1, keepdims=True) + 1e-5)).astype(
        x.dtype
    ) * scale


def rotary(x):
    angles = jnp.arange(x.shape[1])[:, None] * 5e5 ** -jnp.linspace(0, 1, HEAD // 2, endpoint=False)
    sin, cos = jnp.sin(angles)[:, None], jnp.cos(angles)[:, None]
    low, high = jnp.split(x.astype("float32"), 2, axis=-1)
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1).astype(x.dtype)


def layer(x, p):
    p = jax.tree.map(lambda leaf: leaf.astype("bfloat16"), p)
    y = rms_norm(x, p["norm1"])
    q, k, v = ((y @ p[name]).reshape(*x.shape[:2], -1, HEAD) for name in ("wq", "wk", "wv"))
    q = rotary(q).reshape(*x.shape[:2], GROUPS, HEADS // GROUPS, HEAD)
    scores = jnp.einsum("btgrk,bsgk->bgrts", q, rotary(k)).astype("float32") / HEAD**0.5
    causal = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9)).astype(x.dtype)
    x = x + jnp.einsum("bgrts,bsgk->btgrk", weights, v).reshape(*x.shape[:2], -1) @ p["wo"]
    y = rms_norm(x, p["norm2"])
    return x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"], None


def loss_of(params, batch):
    x = params["embed"].astype("bfloat16")[batch["tokens"]]
    x, _ = jax.lax.scan(jax.checkpoint(layer), x, params["layers"])
    logits = rms_norm(x, params["norm"].astype("bfloat16")) @ params["unembed"].astype("bfloat16")
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype("float32"), batch["targets"]).mean()


def train_step(state, batch):
    loss, grads = jax.value_and_grad(loss_of)(state["params"], batch)
    updates, opt_state = optimizer.update(grads, state["opt_state"], state["params"])
    return {"params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}, loss


state = jax.eval_shape(init, jax.random.key(0))
tokens = jax.ShapeDtypeStruct((BATCH, SEQUENCE), "int32")
by_hand = [presets.data_parallel("data"), presets.megatron("model")]
warnings.simplefilter("ignore", partita.DoesNotFitWarning)  # strategies that need too much memory are shown, too
few = "four" in sys.argv
plan = partita.plan(
    train_step, state, {"tokens": tokens, "targets": tokens},
    mesh={"data": 2, "model": 2} if few else {"data": 4, "model": 8}, machine="h100-sxm:1x4" if few else "h100-sxm:4x8",
    donate_argnums=0,
    baseline=[*by_hand, presets.zero3("data")],
)  # fmt: skip
print(plan.report)
if "compare" in sys.argv:
    fsdp, zero2 = presets.fsdp("data"), [*by_hand, presets.zero2("data")]
    print(plan.compare(data_parallel=presets.data_parallel("data"), fsdp=fsdp, zero2=zero2))
    for pattern, spec in plan.rules():
        print(f"{pattern:40} {spec}")
