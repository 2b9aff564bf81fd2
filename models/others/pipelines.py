"""Layers of other packages in pipelines, run against one device: the last part of `make check-pipeline`.

    python -m models.others.pipelines [--only REGEX]

Each model stacks its layers and runs them in a scan, in the way of its package. Its training step is planned on the
mesh `pipe=4,data=2` of 8 virtual CPU devices: stages of two layers over `pipe` in four microbatches, the batch and FSDP
over `data`. A row passes if `plan.verify()` finds results equal, to the bit in exact mode, and if three steps of
`plan.jit()` give what `jax.jit` gives on one device: ‖a−b‖/‖b‖ at most 1e-5 for each leaf of the state but for those
that are zero up to rounding.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np
import optax

import partita
from models.others.case import Case, Row, cross_entropy, random_tokens, random_weights, train
from partita import presets

BATCH, LENGTH, VOCABULARY, HIDDEN, LAYERS, HEADS = 8, 8, 32, 16, 8, 2
MESH = {"pipe": 4, "data": 2}
TOLERANCE = 1e-5
#: Leaves whose gradient is rounding alone, such as the bias of a key under softmax: Adam makes steps of them.
ROUNDING = 5e-3

Layer = Callable[[Any, jax.Array, jax.Array], jax.Array]


def train_stack(layer: Layer, layers: Any, checkpoint: bool = False) -> Case:
    """A language model of a package's layers: `layer(params, x, key)` on stacked parameters."""
    params = {
        "embedding": random_weights(jax.ShapeDtypeStruct((VOCABULARY, HIDDEN), jnp.float32)),
        "layers": layers,
        "head": random_weights(jax.ShapeDtypeStruct((HIDDEN, VOCABULARY), jnp.float32), 1),
    }

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        def run(x: jax.Array, each: tuple[Any, jax.Array]) -> tuple[jax.Array, None]:
            return layer(each[0], x, each[1]), None

        keys = jax.random.split(jax.random.PRNGKey(0), LAYERS)
        body = jax.checkpoint(run, prevent_cse=False) if checkpoint else run
        x, _ = jax.lax.scan(body, params["embedding"][batch["tokens"]], (params["layers"], keys))
        return cross_entropy((x @ params["head"])[:, :-1], batch["tokens"][:, 1:])

    batch = {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)}
    # A larger constant of Adam keeps rounding small.
    return train(loss, params, batch, optimizer=optax.adamw(1e-3, eps=1e-3))


def stack_shapes(make: Callable[[jax.Array], Any]) -> Any:
    """Random parameters of all layers, of which `make(key)` gives one."""
    return random_weights(jax.eval_shape(jax.vmap(make), jax.random.split(jax.random.PRNGKey(0), LAYERS)))


def stack_linen(module: Any, *others: Any, **options: Any) -> tuple[Any, Layer]:
    """Parameters of a flax module that takes and gives a sequence, and how a layer is run."""
    x = jnp.zeros((BATCH, LENGTH, HIDDEN))

    def run(params: Any, x: jax.Array, key: jax.Array) -> jax.Array:
        found = module.apply(params, x, *others, rngs={"dropout": key}, **options)
        return found[0] if isinstance(found, tuple) else found

    return stack_shapes(lambda key: module.init({"params": key, "dropout": key}, x, *others, **options)), run


def linen_encoder(dropout: float = 0.0, checkpoint: bool = False) -> Case:
    """flax linen's attention and dense layers."""
    from flax import linen as nn

    class Block(nn.Module):  # type: ignore[misc]
        @nn.compact  # type: ignore[misc]
        def __call__(self, x: jax.Array) -> jax.Array:
            y = nn.MultiHeadDotProductAttention(HEADS)(nn.LayerNorm()(x))
            x = x + nn.Dropout(dropout, deterministic=dropout == 0)(y)
            return x + nn.Dense(HIDDEN)(nn.gelu(nn.Dense(4 * HIDDEN)(nn.LayerNorm()(x))))

    layers, run = stack_linen(Block())
    return train_stack(run, layers, checkpoint)


def nnx_encoder() -> Case:
    """flax nnx: a layer is split into its graph and its state."""
    from flax import nnx

    class Block(nnx.Module):  # type: ignore[misc]
        def __init__(self, key: jax.Array) -> None:
            rngs = nnx.Rngs(params=key)
            self.norm = nnx.RMSNorm(HIDDEN, rngs=rngs)
            self.wide_in = nnx.Linear(HIDDEN, 4 * HIDDEN, rngs=rngs)
            self.wide_out = nnx.Linear(4 * HIDDEN, HIDDEN, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            return x + self.wide_out(jax.nn.silu(self.wide_in(self.norm(x))))

    def make(key: jax.Array) -> Any:
        return nnx.to_pure_dict(nnx.state(Block(key), nnx.Param))

    graph, state = nnx.split(Block(jax.random.PRNGKey(0)), nnx.Param)

    def run(params: Any, x: jax.Array, _: jax.Array) -> jax.Array:
        own = jax.tree.map(lambda leaf: leaf, state)
        nnx.replace_by_pure_dict(own, params)
        return nnx.merge(graph, own)(x)  # type: ignore[no-any-return]

    return train_stack(run, stack_shapes(make))


def haiku_encoder() -> Case:
    """haiku's attention, layer norm and linear layers, transformed one layer at a time."""
    import haiku as hk

    def block(x: jax.Array) -> jax.Array:
        attention = hk.MultiHeadAttention(HEADS, HIDDEN // HEADS, w_init=hk.initializers.VarianceScaling())
        y = hk.LayerNorm(-1, True, True)(x)
        x = x + attention(y, y, y)
        y = hk.Linear(4 * HIDDEN)(hk.LayerNorm(-1, True, True)(x))
        return x + hk.Linear(HIDDEN)(jax.nn.gelu(y))

    layer = hk.without_apply_rng(hk.transform(block))
    layers = stack_shapes(lambda key: layer.init(key, jnp.zeros((BATCH, LENGTH, HIDDEN))))
    return train_stack(lambda params, x, _: layer.apply(params, x), layers)


def equinox_encoder() -> Case:
    """equinox's attention and linear layers, for one sequence."""
    import equinox as eqx

    def make(key: jax.Array) -> Any:
        keys = jax.random.split(key, 3)
        return (
            eqx.nn.MultiheadAttention(HEADS, HIDDEN, key=keys[0]),
            eqx.nn.LayerNorm(HIDDEN),
            eqx.nn.MLP(HIDDEN, HIDDEN, 4 * HIDDEN, 1, jax.nn.gelu, key=keys[1]),
        )

    _, static = eqx.partition(make(jax.random.PRNGKey(0)), eqx.is_array)

    def run(params: Any, x: jax.Array, _: jax.Array) -> jax.Array:
        attention, norm, feed = eqx.combine(params, static)

        def alone(row: jax.Array) -> jax.Array:
            y = jax.vmap(norm)(row)
            row = row + attention(y, y, y)
            return row + jax.vmap(feed)(row)  # type: ignore[no-any-return]

        return jax.vmap(alone)(x)

    return train_stack(run, stack_shapes(lambda key: eqx.filter(make(key), eqx.is_array)))


def hf_gpt2() -> Case:
    """Hugging Face's GPT-2 blocks."""
    from transformers import GPT2Config
    from transformers.models.gpt2.modeling_flax_gpt2 import FlaxGPT2Block

    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=HIDDEN, n_layer=LAYERS, n_head=HEADS, attn_pdrop=0.0,
        resid_pdrop=0.0, embd_pdrop=0.0,
    )  # fmt: skip
    layers, run = stack_linen(FlaxGPT2Block(config))
    return train_stack(run, layers)


def hf_bert() -> Case:
    """Hugging Face's BERT layers, checkpointed."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_flax_bert import FlaxBertLayer

    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        intermediate_size=4 * HIDDEN,
    )  # fmt: skip
    layers, run = stack_linen(FlaxBertLayer(config), jnp.ones((BATCH, LENGTH)), None)
    return train_stack(run, layers, True)


def hf_llama() -> Case:
    """Hugging Face's Llama layers: rotary embeddings, grouped queries."""
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_flax_llama import FlaxLlamaDecoderLayer

    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=HIDDEN, intermediate_size=2 * HIDDEN, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=1, max_position_embeddings=8 * LENGTH,
    )  # fmt: skip
    positions = jnp.broadcast_to(jnp.arange(LENGTH), (BATCH, LENGTH))
    layers, run = stack_linen(
        FlaxLlamaDecoderLayer(config), attention_mask=jnp.ones((BATCH, LENGTH)), position_ids=positions
    )
    return train_stack(run, layers)


ROWS = [
    Row("Encoder", "flax linen", linen_encoder),
    Row("Encoder, dropout and checkpoint", "flax linen", lambda: linen_encoder(0.1, True)),
    Row("Feed-forward", "flax nnx", nnx_encoder),
    Row("Encoder", "haiku", haiku_encoder),
    Row("Encoder", "equinox", equinox_encoder),
    Row("GPT-2 blocks", "transformers", hf_gpt2),
    Row("BERT layers, checkpoint", "transformers", hf_bert),
    Row("Llama layers", "transformers", hf_llama),
]


def run_steps(step: Callable[..., Any], case: Case) -> Any:
    state, batch = case.arguments
    for _ in range(case.steps):
        state, loss = step(state, batch)
    return jax.tree.map(np.asarray, (state, loss))


def compare(expected: Any, found: Any) -> float:
    """The largest error of a leaf, without those that are rounding alone."""
    worst = 0.0
    for one, other in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        size, error = (float(np.linalg.norm(np.asarray(value, np.float64))) for value in (one, other - one))
        if size > ROUNDING * np.sqrt(np.size(one)) or error > TOLERANCE:
            worst = max(worst, error / size if size else error)
    return worst


def check(row: Row) -> str:
    """What is wrong; empty if nothing is."""
    case = row.make()
    schedule = [presets.pipeline("pipe", microbatches=4), presets.fsdp("data")]
    try:
        plan = partita.plan(case.function, *case.arguments, mesh=MESH, schedule=schedule)
    except partita.PartitaError as error:
        return f"refused: {str(error).splitlines()[0]}"
    if "pipeline of 4 stages" not in str(plan.report):
        return "no pipeline"
    try:
        if not (verified := plan.verify()).executed:
            return f"not run: {verified.note}"
    except partita.DifferenceError as error:
        return str(error).splitlines()[0]
    error = compare(run_steps(jax.jit(case.function), case), run_steps(plan.jit(), case))
    return "" if error <= TOLERANCE else f"differs by {error:.1e} after {case.steps} steps"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    wrong = 0
    rows = [row for row in ROWS if re.search(given.only, f"{row.package} {row.name}")]
    for row in rows:
        found = check(row)
        wrong += bool(found)
        print(f"{row.package:14} {row.name:34} {found or 'equal'}", flush=True)
    print(f"{len(rows) - wrong} of {len(rows)} models of other packages run in a pipeline as on one device")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
