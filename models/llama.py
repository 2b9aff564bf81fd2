"""A llama-style transformer: grouped-query attention, RMSNorm, rotary positions, SwiGLU, no biases.

Sizes: 8B (32 layers; 8.03e9 parameters), 70B (80 layers; 70.6e9), and 8B on sequences of 32k. They compute in bf16
from f32 master parameters.

Arrays of one layer:
    matrices  wq wk wv wo w_gate w_up w_down                                            Q = 7
    vectors   norm1 norm2                                                               P = 7 + 2 = 9
Fused: wqkv in place of wq, wk, wv, and w_gate_up in place of w_gate, w_up: P = 6, Q = 4. Outside the layers: embed,
norm, and unembed where the embedding is not tied (O = 2 or 3). If every gradient and the loss are reduced
separately, BP needs L·P + O + 1 all-reduces; MP 4·L more if adds carry partial sums, 7·L if they do not (wo and
w_down forward; the gradients through wq, wk, wv, w_gate and w_up backward). With accumulation over microbatches
the gradients are reduced once if the loop carries partial sums, else once per microbatch.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from models.layers import (
    apply_layers,
    cast,
    causal_mask,
    cross_entropy,
    init_layers,
    matrix,
    rms_norm,
    rotary,
    softmax,
    token_batch,
)
from models.program import Model, Params, Program
from models.train import accumulated_training, init_state, training


@dataclass(frozen=True)
class Config:
    vocab: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    hidden: int
    batch: int
    sequence: int
    dtype: Any = jnp.bfloat16
    scan: bool = False
    remat: bool = False
    fused: bool = False
    tied: bool = False
    microbatches: int = 0


TINY = Config(128, 2, width=64, heads=16, kv_heads=8, head_dim=8, hidden=192, batch=8, sequence=16, dtype=jnp.float32)
L8B = Config(128256, 32, width=4096, heads=32, kv_heads=8, head_dim=128, hidden=14336, batch=16, sequence=8192)
L70B = Config(128256, 80, width=8192, heads=64, kv_heads=8, head_dim=128, hidden=28672, batch=16, sequence=8192)
L8B_32K = dataclasses.replace(L8B, batch=8, sequence=32768)


def init_attention(config: Config, key: jax.Array) -> Params:
    q, k, v, o = jax.random.split(key, 4)
    width, queries, keys = config.width, config.heads * config.head_dim, config.kv_heads * config.head_dim
    out = {"wo": matrix(o, queries, width)}
    if config.fused:
        return {"wqkv": matrix(q, width, queries + 2 * keys)} | out
    return {"wq": matrix(q, width, queries), "wk": matrix(k, width, keys), "wv": matrix(v, width, keys)} | out


def init_mlp(config: Config, key: jax.Array) -> Params:
    gate, up, down = jax.random.split(key, 3)
    width, hidden = config.width, config.hidden
    out = {"w_down": matrix(down, hidden, width)}
    if config.fused:
        return {"w_gate_up": matrix(gate, width, 2, hidden, fan_in=width)} | out
    return {"w_gate": matrix(gate, width, hidden), "w_up": matrix(up, width, hidden)} | out


def init_layer(config: Config, key: jax.Array) -> Params:
    first, second = jax.random.split(key)
    norms = {"norm1": jnp.ones(config.width), "norm2": jnp.ones(config.width)}
    return init_attention(config, first) | init_mlp(config, second) | norms


def init_params(config: Config, key: jax.Array) -> Params:
    embed, layers, unembed = jax.random.split(key, 3)
    params = {
        "embed": matrix(embed, config.vocab, config.width, fan_in=config.width),
        "layers": init_layers(functools.partial(init_layer, config), layers, config.layers, config.scan),
        "norm": jnp.ones(config.width),
    }
    return params if config.tied else params | {"unembed": matrix(unembed, config.width, config.vocab)}


def project_qkv(config: Config, params: Params, x: jax.Array) -> list[jax.Array]:
    """q `[batch, sequence, heads, head_dim]`, k and v with as many heads as there are groups."""
    groups = config.kv_heads
    if config.fused:
        # Heads of one group lie together: its queries, its key, its value.
        shared = config.heads // groups
        fused = (x @ params["wqkv"]).reshape(*x.shape[:2], groups, shared + 2, config.head_dim)
        q, k, v = jnp.split(fused, [shared, shared + 1], axis=3)
        return [q.reshape(*x.shape[:2], config.heads, config.head_dim), k[:, :, :, 0], v[:, :, :, 0]]
    heads = {"q": config.heads, "k": groups, "v": groups}
    return [(x @ params[f"w{n}"]).reshape(*x.shape[:2], h, config.head_dim) for n, h in heads.items()]


def attention(config: Config, params: Params, x: jax.Array) -> jax.Array:
    """Grouped-query attention: each key-value head serves `heads // kv_heads` query heads."""
    batch, sequence, _ = x.shape
    q, k, v = project_qkv(config, params, x)
    positions = jnp.arange(sequence)
    q, k = rotary(q, positions), rotary(k, positions)
    q = q.reshape(batch, sequence, config.kv_heads, -1, config.head_dim)
    scores = jnp.einsum("btgrk,bsgk->bgrts", q, k) / math.sqrt(config.head_dim)
    weights = softmax(scores, causal_mask(sequence))
    out = jnp.einsum("bgrts,bsgk->btgrk", weights, v)
    return out.reshape(batch, sequence, -1) @ params["wo"]


def swiglu(config: Config, params: Params, x: jax.Array) -> jax.Array:
    if config.fused:
        both = jnp.einsum("btd,dnf->nbtf", x, params["w_gate_up"])
        gate, up = both[0], both[1]
    else:
        gate, up = x @ params["w_gate"], x @ params["w_up"]
    return (jax.nn.silu(gate) * up) @ params["w_down"]


def layer(config: Config, params: Params, x: jax.Array) -> jax.Array:
    params = cast(params, config.dtype)
    with jax.named_scope("attention"):
        branch = attention(config, params, rms_norm(x, params["norm1"]))
    with jax.named_scope("residual"):
        x = x + branch
    with jax.named_scope("mlp"):
        branch = swiglu(config, params, rms_norm(x, params["norm2"]))
    with jax.named_scope("residual"):
        return x + branch


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    with jax.named_scope("embed"):
        x = params["embed"][batch["tokens"]].astype(config.dtype)
    x = apply_layers(functools.partial(layer, config), params["layers"], x, config.remat)
    x = rms_norm(x, params["norm"])
    with jax.named_scope("logits"):
        table = params["embed"].T if config.tied else params["unembed"]
        logits = x @ table.astype(config.dtype)
    return cross_entropy(logits, batch["targets"])


def build(config: Config) -> Program:
    count = config.microbatches
    shape = (count, config.batch // count) if count else (config.batch,)

    def init(key: jax.Array) -> tuple[Any, ...]:
        return init_state(init_params(config, key)), token_batch(key, config.vocab, *shape, config.sequence)

    loss_of = functools.partial(loss, config)
    step = accumulated_training(loss_of, count) if count else training(loss_of)
    return Program(step, init, donate_argnums=(0,))


FULL = ("BP", "MP", "BP+MP", "BP+Z3", "BP+MP+Z2", "BP+MP+Z3", "BP+EMB", "BP+MP+SEQ", "BP+MP+VOCAB")
STRATEGIES = {
    "llama": FULL,
    "llama_scan": FULL,
    "llama_fused": ("BP+MP", "BP+MP+Z3"),
    "llama_scan_fused": ("BP+MP", "BP+MP+Z3"),
    "llama_tied": ("BP+MP", "BP+MP+Z3", "BP+EMB", "BP+MP+VOCAB"),
    "llama_mq": ("BP+MP", "BP+MP+Z3"),
    "llama_accum": ("BP", "BP+MP", "BP+MP+Z3"),
    "llama_scan_accum": ("BP", "BP+MP", "BP+MP+Z3"),
}


def variant(
    name: str, layout: str, published: dict[str, Config], notes: str, tiny: Params | None = None, **flags: Any
) -> Model:
    """A model whose sizes all carry the given flags; `tiny` overrides fields of the tiny size alone."""
    sizes = {"tiny": dataclasses.replace(TINY, **(tiny or {}))} | published
    sizes = {size: dataclasses.replace(config, **flags) for size, config in sizes.items()}
    fused = flags.get("fused", False)
    pattern = "state/params/layers/.*" if flags.get("scan") else "state/params/layers/0/.*"
    outer = 2 if flags.get("tied") else 3
    return Model(
        name, sizes, build, 6 if fused else 9, 4 if fused else 7, outer, pattern, layout, STRATEGIES[layout], notes
    )


B8, B70 = {"8b": L8B}, {"70b": L70B}
FEW = {"kv_heads": 4}
MODELS = [
    variant("llama", "llama", B8, "unrolled layers"),
    variant("llama_remat", "llama", B8 | B70, "unrolled layers, each rematerialised", remat=True),
    variant("llama_scan", "llama_scan", B8 | B70, "scan over layers", scan=True),
    variant(
        "llama_scan_remat",
        "llama_scan",
        B8 | B70 | {"8b_32k": L8B_32K},
        "scan over rematerialised layers",
        scan=True,
        remat=True,
    ),
    variant("llama_fused", "llama_fused", B8, "fused q, k, v and fused gate, up", fused=True),
    variant("llama_scan_fused", "llama_scan_fused", {}, "scan, fused projections", scan=True, fused=True),
    variant("llama_tied", "llama_tied", {}, "one table for input and output", tied=True),
    variant("llama_kv4", "llama", {}, "4 key-value heads for 16 query heads", tiny=FEW),
    variant("llama_scan_kv4", "llama_scan", {}, "scan, 4 key-value heads", tiny=FEW, scan=True),
    variant("llama_mq", "llama_mq", {}, "one key-value head", tiny={"kv_heads": 1}),
    variant("llama_bf16", "llama", {}, "computes in bf16", tiny={"dtype": jnp.bfloat16}),
    variant("llama_scan_remat_bf16", "llama_scan", {}, "bf16", tiny={"dtype": jnp.bfloat16}, scan=True, remat=True),
    variant(
        "llama_accum",
        "llama_accum",
        {},
        "gradients of 4 microbatches summed in a loop",
        tiny={"batch": 32},
        microbatches=4,
    ),
    variant(
        "llama_scan_accum",
        "llama_scan_accum",
        {"8b": dataclasses.replace(L8B, batch=64, remat=True)},
        "scan over microbatches around a scan over layers",
        tiny={"batch": 32},
        scan=True,
        microbatches=4,
    ),
]
