"""A mixture of experts: llama's attention, and in each layer a router that sends every token to two of the experts.

The `8x7b` size has Mixtral's published shape: 32 layers, width 4096, 8 key-value heads, 8 experts of 14336: a layer
holds 41.9e6 (attention) + 8·3·4096·14336 = 1.409e9 (experts), the model 46.7e9. bf16 compute, f32 master parameters.

Three ways to bring tokens to experts:
    einsum  one-hot products with a [token, expert, slot] mask, a fixed capacity per sequence (as GShard does)
    sort    tokens sorted by expert, scattered into [expert, slot] buffers of fixed capacity, gathered back
    ragged  tokens sorted by expert, and a matrix product over groups of unequal size; no token is dropped

Arrays of one layer: wq wk wv wo w_router, experts/w_gate experts/w_up experts/w_down (Q = 8), norm1 norm2 (P = 10).
Outside: embed, norm, unembed (O = 3). If every gradient and the loss are reduced separately, BP needs L·P + O + 1
all-reduces (one more for the balance term if it is not summed into the loss before). EP splits the experts: two
all-to-alls forward (dispatch, combine) and two backward a layer, and the 3·L expert gradients are no longer reduced.
The reshapes in the scopes `dispatch` and `combine`, and their transposes, are where an expert's slots meet the tokens.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models import llama
from models.layers import cast, cross_entropy, matrix, rms_norm, token_batch
from models.program import Model, Params, Program
from models.train import init_state, training


@dataclass(frozen=True)
class Config(llama.Config):
    experts: int = 8
    capacity_factor: float = 1.25
    dispatch: str = "einsum"

    def capacity(self, tokens: int) -> int:
        """Slots per expert for so many tokens, two slots a token, rounded up to a multiple of 8."""
        return -int(-2 * tokens * self.capacity_factor / self.experts // 8) * 8


def init_experts(config: Config, key: jax.Array) -> Params:
    gate, up, down = jax.random.split(key, 3)
    experts, width, hidden = config.experts, config.width, config.hidden
    return {
        "w_gate": matrix(gate, experts, width, hidden),
        "w_up": matrix(up, experts, width, hidden),
        "w_down": matrix(down, experts, hidden, width),
    }


def init_layer(config: Config, key: jax.Array) -> Params:
    attention, router, experts = jax.random.split(key, 3)
    return llama.init_attention(config, attention) | {
        "w_router": matrix(router, config.width, config.experts),
        "experts": init_experts(config, experts),
        "norm1": jnp.ones(config.width),
        "norm2": jnp.ones(config.width),
    }


def init_params(config: Config, key: jax.Array) -> Params:
    embed, unembed, *layers = jax.random.split(key, 2 + config.layers)
    return {
        "embed": matrix(embed, config.vocab, config.width, fan_in=config.width),
        "layers": [init_layer(config, k) for k in layers],
        "norm": jnp.ones(config.width),
        "unembed": matrix(unembed, config.width, config.vocab),
    }


def route(params: Params, x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The two best experts of each token, their weights (which sum to 1), and the load balance term."""
    gates = jax.nn.softmax((x @ params["w_router"]).astype(jnp.float32), axis=-1)
    weights, chosen = lax.top_k(gates, 2)
    weights = weights / jnp.sum(weights, axis=-1, keepdims=True)
    tokens = tuple(range(gates.ndim - 1))
    share = jnp.mean(jax.nn.one_hot(chosen[..., 0], gates.shape[-1]), axis=tokens)
    balance = gates.shape[-1] * jnp.sum(share * jnp.mean(gates, axis=tokens))
    return weights, chosen, balance


def expert_mlps(params: Params, inputs: jax.Array) -> jax.Array:
    """Every expert's SwiGLU on its own slots, `inputs: [experts, slots, width]`."""
    hidden = jax.nn.silu(jnp.einsum("ecd,edf->ecf", inputs, params["w_gate"]))
    hidden = hidden * jnp.einsum("ecd,edf->ecf", inputs, params["w_up"])
    return jnp.einsum("ecf,efd->ecd", hidden, params["w_down"])


def einsum_experts(config: Config, params: Params, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Each sequence is a group with its own slots; tokens beyond an expert's capacity are dropped."""
    batch, sequence, width = x.shape
    weights, chosen, balance = route(params, x)
    slots = config.capacity(sequence)
    # First choices take their slots before second choices: order the choices [batch, choice, token].
    choice = jax.nn.one_hot(jnp.swapaxes(chosen, 1, 2), config.experts).reshape(batch, 2 * sequence, config.experts)
    slot = jnp.sum((jnp.cumsum(choice, axis=1) - choice) * choice, axis=-1).astype(jnp.int32)
    mask = choice[..., None] * jax.nn.one_hot(slot, slots)[:, :, None, :]
    mask = mask.reshape(batch, 2, sequence, config.experts, slots)
    weight = jnp.einsum("btn,bntec->btec", weights, mask).astype(x.dtype)
    inputs = jnp.einsum("btec,btd->ebcd", (weight > 0).astype(x.dtype), x)
    with jax.named_scope("dispatch"):
        inputs = inputs.reshape(config.experts, batch * slots, width)
    outputs = expert_mlps(params["experts"], inputs)
    with jax.named_scope("combine"):
        outputs = outputs.reshape(config.experts, batch, slots, width)
    return jnp.einsum("btec,ebcd->btd", weight, outputs), balance


def sort_by_expert(config: Config, chosen: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """For choices `[tokens, 2]`: the order that sorts them by expert, the sorted experts, and how many each got."""
    flat = chosen.reshape(-1)
    order = jnp.argsort(flat, stable=True)
    return order, flat[order], jnp.bincount(flat, length=config.experts)


def sort_experts(config: Config, params: Params, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """All tokens of the batch share the slots; those beyond an expert's capacity are dropped."""
    flat = x.reshape(-1, config.width)
    weights, chosen, balance = route(params, flat)
    order, expert, counts = sort_by_expert(config, chosen)
    slots = config.capacity(flat.shape[0])
    rank = jnp.arange(order.shape[0]) - (jnp.cumsum(counts) - counts)[expert]
    place = jnp.where(rank < slots, expert * slots + rank, config.experts * slots)
    buffer = jnp.zeros((config.experts * slots, config.width), x.dtype).at[place].set(flat[order // 2], mode="drop")
    with jax.named_scope("dispatch"):
        inputs = buffer.reshape(config.experts, slots, config.width)
    outputs = expert_mlps(params["experts"], inputs)
    with jax.named_scope("combine"):
        outputs = outputs.reshape(-1, config.width)
    sorted_outputs = outputs.at[place].get(mode="fill", fill_value=0)
    weighted = sorted_outputs * weights.reshape(-1)[order][:, None].astype(x.dtype)
    return jnp.zeros_like(flat).at[order // 2].add(weighted).reshape(x.shape), balance


def ragged_experts(config: Config, params: Params, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Tokens sorted by expert meet their expert's matrices in one product over unequal groups."""
    flat = x.reshape(-1, config.width)
    weights, chosen, balance = route(params, flat)
    order, _, counts = sort_by_expert(config, chosen)
    counts = counts.astype(jnp.int32)
    inputs = flat[order // 2]
    experts = params["experts"]
    hidden = jax.nn.silu(lax.ragged_dot(inputs, experts["w_gate"], counts))
    hidden = hidden * lax.ragged_dot(inputs, experts["w_up"], counts)
    outputs = lax.ragged_dot(hidden, experts["w_down"], counts)
    weighted = outputs * weights.reshape(-1)[order][:, None].astype(x.dtype)
    return jnp.zeros_like(flat).at[order // 2].add(weighted).reshape(x.shape), balance


Experts = Callable[[Config, Params, jax.Array], tuple[jax.Array, jax.Array]]
EXPERTS: dict[str, Experts] = {"einsum": einsum_experts, "sort": sort_experts, "ragged": ragged_experts}


def layer(config: Config, params: Params, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    params = cast(params, config.dtype)
    with jax.named_scope("attention"):
        x = x + llama.attention(config, params, rms_norm(x, params["norm1"]))
    with jax.named_scope("experts"):
        branch, balance = EXPERTS[config.dispatch](config, params, rms_norm(x, params["norm2"]))
    return x + branch, balance


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    """Cross entropy and a hundredth of the mean load balance term."""
    block = functools.partial(layer, config)
    block = jax.checkpoint(block) if config.remat else block
    x = params["embed"][batch["tokens"]].astype(config.dtype)
    total = jnp.zeros(())
    for weights in params["layers"]:
        x, balance = block(weights, x)
        total += balance
    logits = rms_norm(x, params["norm"]) @ params["unembed"].astype(config.dtype)
    return cross_entropy(logits, batch["targets"]) + 0.01 * total / config.layers


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        return init_state(init_params(config, key)), token_batch(key, config.vocab, config.batch, config.sequence)

    return Program(training(functools.partial(loss, config)), init, donate_argnums=(0,))


TINY = Config(
    vocab=128,
    layers=2,
    width=32,
    heads=8,
    kv_heads=8,
    head_dim=8,
    hidden=64,
    batch=8,
    sequence=16,
    dtype=jnp.float32,
)
MIXTRAL = Config(
    vocab=32000, layers=32, width=4096, heads=32, kv_heads=8, head_dim=128, hidden=14336, batch=32, sequence=4096
)


def variant(dispatch: str, notes: str, remat: bool = False) -> Model:
    sizes = {"tiny": TINY, "8x7b": MIXTRAL}
    sizes = {size: dataclasses.replace(config, dispatch=dispatch, remat=remat) for size, config in sizes.items()}
    name = f"moe_{dispatch}" + ("_remat" if remat else "")
    strategies: tuple[str, ...] = ("BP", "BP+MP")
    if dispatch != "ragged":
        strategies += ("EP+BP", "EP+BP+MP", "EP+BP+Z3")
    return Model(name, sizes, build, 10, 8, 3, "state/params/layers/0/.*", "moe", strategies, notes)


MODELS = [
    variant("einsum", "top-2, one-hot dispatch with capacity"),
    variant("einsum", "top-2, one-hot dispatch with capacity, layers rematerialised", remat=True),
    variant("sort", "top-2, sort-based dispatch with capacity"),
    variant("ragged", "top-2, sort-based dispatch, ragged products"),
]
