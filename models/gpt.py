"""A GPT-style transformer: multi-head attention, GELU, LayerNorm, learned positions, biases everywhere.

Sizes: T32 (32 layers, width 3584: 12·32·3584² = 4.93e9 in the layers, 5.06e9 with embeddings) and T48 (48 layers,
width 7424: 12·48·7424² = 31.7e9, 32.0e9 with embeddings). They compute in bf16 from f32 master parameters.

Arrays of one layer, separate q, k, v:
    matrices  wq wk wv wo w_in w_out                                                    Q = 6
    vectors   bq bk bv bo b_in b_out, ln1_scale ln1_bias ln2_scale ln2_bias             P = 6 + 10 = 16
Fused: wqkv and bqkv in place of three each, so P = 12, Q = 4. Outside the layers: embed, pos, ln_scale, ln_bias, and
unembed where the embedding is not tied (O = 4 or 5). If every gradient and the loss are reduced separately, BP needs
L·P + O + 1 all-reduces, and MP 4·L more (after wo and w_out forward, before wq, wk, wv and before w_in backward).
Z2 makes reduce-scatters and gathers of the L·Q matrices and the embedding tables.
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
    layer_norm,
    matrix,
    softmax,
    token_batch,
)
from models.program import Model, Params, Program
from models.train import init_state, training


@dataclass(frozen=True)
class Config:
    vocab: int
    layers: int
    width: int
    heads: int
    batch: int
    sequence: int
    dtype: Any = jnp.bfloat16
    scan: bool = False
    remat: bool = False
    fused: bool = False
    tied: bool = True

    @property
    def head_dim(self) -> int:
        return self.width // self.heads


TINY = Config(vocab=128, layers=2, width=64, heads=8, batch=8, sequence=16, dtype=jnp.float32)
T32 = Config(vocab=32768, layers=32, width=3584, heads=32, batch=64, sequence=2048)
T48 = Config(vocab=32768, layers=48, width=7424, heads=64, batch=64, sequence=2048)


def init_layer(config: Config, key: jax.Array) -> Params:
    width, hidden = config.width, 4 * config.width
    keys = iter(jax.random.split(key, 6))
    attention = ["qkv"] if config.fused else ["q", "k", "v"]
    params = {f"w{name}": matrix(next(keys), width, width * len(name)) for name in attention}
    params |= {f"b{name}": jnp.zeros(width * len(name)) for name in attention}
    return params | {
        "wo": matrix(next(keys), width, width),
        "bo": jnp.zeros(width),
        "w_in": matrix(next(keys), width, hidden),
        "b_in": jnp.zeros(hidden),
        "w_out": matrix(next(keys), hidden, width),
        "b_out": jnp.zeros(width),
        "ln1_scale": jnp.ones(width),
        "ln1_bias": jnp.zeros(width),
        "ln2_scale": jnp.ones(width),
        "ln2_bias": jnp.zeros(width),
    }


def init_params(config: Config, key: jax.Array) -> Params:
    embed, pos, layers, unembed = jax.random.split(key, 4)
    params = {
        "embed": matrix(embed, config.vocab, config.width, fan_in=config.width),
        "pos": matrix(pos, config.sequence, config.width, fan_in=config.width),
        "layers": init_layers(functools.partial(init_layer, config), layers, config.layers, config.scan),
        "ln_scale": jnp.ones(config.width),
        "ln_bias": jnp.zeros(config.width),
    }
    return params if config.tied else params | {"unembed": matrix(unembed, config.width, config.vocab)}


def project_qkv(config: Config, params: Params, x: jax.Array) -> list[jax.Array]:
    """q, k and v, each `[batch, sequence, heads, head_dim]`; a fused projection holds them side by side per head."""
    heads = (*x.shape[:2], config.heads)
    if config.fused:
        fused = x @ params["wqkv"] + params["bqkv"]
        return jnp.split(fused.reshape(*heads, 3 * config.head_dim), 3, axis=-1)
    return [(x @ params[f"w{n}"] + params[f"b{n}"]).reshape(*heads, config.head_dim) for n in "qkv"]


def attention(config: Config, params: Params, x: jax.Array) -> jax.Array:
    q, k, v = project_qkv(config, params, x)
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / math.sqrt(config.head_dim)
    weights = softmax(scores, causal_mask(x.shape[1]))
    out = jnp.einsum("bhts,bshk->bthk", weights, v)
    return out.reshape(x.shape) @ params["wo"] + params["bo"]


def mlp(params: Params, x: jax.Array) -> jax.Array:
    return jax.nn.gelu(x @ params["w_in"] + params["b_in"]) @ params["w_out"] + params["b_out"]


def layer(config: Config, params: Params, x: jax.Array) -> jax.Array:
    params = cast(params, config.dtype)
    with jax.named_scope("attention"):
        branch = attention(config, params, layer_norm(x, params["ln1_scale"], params["ln1_bias"]))
    with jax.named_scope("residual"):
        x = x + branch
    with jax.named_scope("mlp"):
        branch = mlp(params, layer_norm(x, params["ln2_scale"], params["ln2_bias"]))
    with jax.named_scope("residual"):
        return x + branch


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    with jax.named_scope("embed"):
        x = (params["embed"][batch["tokens"]] + params["pos"]).astype(config.dtype)
    x = apply_layers(functools.partial(layer, config), params["layers"], x, config.remat)
    x = layer_norm(x, params["ln_scale"], params["ln_bias"])
    with jax.named_scope("logits"):
        table = params["embed"].T if config.tied else params["unembed"]
        logits = x @ table.astype(config.dtype)
    return cross_entropy(logits, batch["targets"])


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        return init_state(init_params(config, key)), token_batch(key, config.vocab, config.batch, config.sequence)

    return Program(training(functools.partial(loss, config)), init, donate_argnums=(0,))


STRATEGIES = {
    "gpt": ("BP", "MP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "BP+EMB", "BP+MP+SEQ", "BP+MP+VOCAB"),
    "gpt_scan": ("BP", "MP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "BP+EMB", "BP+MP+SEQ", "BP+MP+VOCAB"),
    "gpt_untied": ("BP+MP", "BP+MP+Z3", "BP+EMB", "BP+MP+VOCAB"),
    "gpt_fused": ("BP+MP", "BP+MP+Z3"),
    "gpt_scan_fused": ("BP+MP", "BP+MP+Z3"),
}


def variant(name: str, layout: str, published: dict[str, Config], notes: str, **flags: Any) -> Model:
    """A model whose sizes all carry the given flags, except `dtype`, which is the tiny size's alone."""
    fused = flags.get("fused", False)
    dtype = flags.pop("dtype", None)
    sizes = {"tiny": TINY} | published
    sizes = {size: dataclasses.replace(config, **flags) for size, config in sizes.items()}
    if dtype is not None:
        sizes["tiny"] = dataclasses.replace(sizes["tiny"], dtype=dtype)
    pattern = "state/params/layers/.*" if flags.get("scan") else "state/params/layers/0/.*"
    outer = 4 if flags.get("tied", True) else 5
    return Model(
        name, sizes, build, 12 if fused else 16, 4 if fused else 6, outer, pattern, layout, STRATEGIES[layout], notes
    )


MODELS = [
    variant("gpt", "gpt", {"t32": T32, "t48": T48}, "unrolled layers"),
    variant("gpt_remat", "gpt", {"t32": T32}, "unrolled layers, each rematerialised", remat=True),
    variant("gpt_scan", "gpt_scan", {"t32": T32, "t48": T48}, "scan over layers", scan=True),
    variant(
        "gpt_scan_remat", "gpt_scan", {"t32": T32, "t48": T48}, "scan over rematerialised layers", scan=True, remat=True
    ),
    variant("gpt_untied", "gpt_untied", {}, "separate output embedding", tied=False),
    variant("gpt_fused", "gpt_fused", {"t32": T32}, "one projection for q, k and v", fused=True),
    variant("gpt_scan_fused", "gpt_scan_fused", {}, "scan, fused q, k, v", scan=True, fused=True),
    variant("gpt_bf16", "gpt", {}, "computes in bf16", dtype=jnp.bfloat16),
]
