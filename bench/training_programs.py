"""The programs and schedules behind the measured training steps (`accuracy_training.py`).

A row of a measured table says a model's shape, how the batch is cut into microbatches, and the degrees of data (dp or
fsdp) and tensor (tp) partitioning. The program is the zoo's transformer of that shape, its layers scanned and
recomputed in the backward pass, in a loop over microbatches that sums gradients; then Adam. Parameters are in the type
that the frameworks keep them in, and the optimizer's state in its own. Kernels are the frameworks', too: Megatron runs
op by op, with the fused kernels that it has and with dropout (VIA-Research/vTrain, src/model/gpt_modeling.py), which
are composites or stand between barriers; KempnerForge compiles, and its attention is one kernel; so it is in the steps
that other packages published (`accuracy_published.py`), whose GPTs are of the family `mpt`. Texts are kept in
build/accuracy, under the hash of the sources that made them.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "accuracy"

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """Everything that decides a program's text. `rows` are the sequences of one microbatch on all devices; without
    `microbatches` (0) there is no loop over them, as a pipeline makes its own."""

    family: str
    width: int
    layers: int
    heads: int
    sequence: int
    vocab: int
    microbatches: int
    rows: int
    kv_heads: int = 0
    ffn: int = 0
    #: What the backward pass computes again of each layer: `all`, all but products (`dots`), or `none`.
    remat: str = "all"
    #: Of a llama, if it is not width over heads.
    head_dim: int = 0

    @property
    def name(self) -> str:
        heads = f"h{self.heads}x{self.head_dim}" if self.head_dim else f"h{self.heads}"
        batch = f"s{self.sequence}_m{self.microbatches}_r{self.rows}"
        return (
            f"{self.family}_{self.width}x{self.layers}_{heads}_{batch}{'' if self.remat == 'all' else '_' + self.remat}"
        )


def source_hash() -> str:
    """Of everything that decides the text."""
    from models.export import source_hash as models_hash

    return hashlib.sha256(models_hash().encode() + Path(__file__).read_bytes()).hexdigest()[:12]


def with_master(params: Any) -> Any:
    """Megatron's state: bf16 parameters; master copies and both moments in f32."""
    import jax
    import jax.numpy as jnp

    wide = partial(jax.tree.map, lambda p: p.astype(jnp.float32))
    zeros = partial(jax.tree.map, lambda p: jnp.zeros(p.shape, jnp.float32))
    return {"params": params, "master": wide(params), "mu": zeros(params), "nu": zeros(params)}


def without_master(params: Any) -> Any:
    """Everything bf16."""
    import jax
    import jax.numpy as jnp

    zeros = partial(jax.tree.map, jnp.zeros_like)
    return {"params": params, "mu": zeros(params), "nu": zeros(params)}


def apply_adam(state: Any, grads: Any) -> Any:
    """Adam without bias correction, computed in f32."""
    import jax
    import jax.numpy as jnp

    def moment(decay: float, power: int) -> Callable[[Any, Any], Any]:
        return lambda m, g: (decay * m + (1 - decay) * g.astype(jnp.float32) ** power).astype(m.dtype)

    def update(p: Any, m: Any, v: Any) -> Any:
        return (p - 1e-3 * m.astype(jnp.float32) / (jnp.sqrt(v.astype(jnp.float32)) + 1e-8)).astype(p.dtype)

    mu = jax.tree.map(moment(0.9, 1), state["mu"], grads)
    nu = jax.tree.map(moment(0.95, 2), state["nu"], grads)
    if "master" not in state:
        return {"params": jax.tree.map(update, state["params"], mu, nu), "mu": mu, "nu": nu}
    master = jax.tree.map(update, state["master"], mu, nu)
    params = jax.tree.map(lambda p, w: w.astype(p.dtype), state["params"], master)
    return {"params": params, "master": master, "mu": mu, "nu": nu}


def make_whole_step(loss_of: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The step over a batch that is not stacked."""
    import jax

    def train_step(state: Any, batch: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(state["params"], batch)
        return apply_adam(state, grads), loss

    return train_step


def make_step(loss_of: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The step over a batch that is stacked in microbatches on dim 0."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def train_step(state: Any, batch: Any) -> Any:
        def accumulate(carry: Any, microbatch: Any) -> Any:
            return jax.tree.map(jnp.add, carry, jax.value_and_grad(loss_of)(state["params"], microbatch)), None

        zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, state["params"]))
        (loss, grads), _ = lax.scan(accumulate, zero, batch)
        return apply_adam(state, grads), loss

    return train_step


def separate(*values: Any) -> Any:
    """What stands before and behind runs in different kernels: an eager framework runs op by op."""
    from jax import lax

    return lax.optimization_barrier(values if len(values) > 1 else values[0])


def rematerialize(layer: Callable[..., Any], remat: str) -> Callable[..., Any]:
    import jax

    if remat == "none":
        return layer
    policies = jax.checkpoint_policies
    policy = policies.dots_with_no_batch_dims_saveable if remat == "dots" else None
    block: Callable[..., Any] = jax.checkpoint(layer, policy=policy)
    return block


def drop(x: Any, keep: Any) -> Any:
    """Dropout by a mask of bytes. The framework draws the mask and writes it; here it is read: as many bytes."""
    return x * (keep.astype(x.dtype) * (1 / 0.9))


Gradients = tuple[tuple[slice, str], ...]


def make_kernel(name: str, function: Callable[..., Any], rule: str, gradients: Gradients) -> Callable[..., Any]:
    """A function that is one kernel. `gradients` are the kernels of its backward pass: which arguments' gradients each
    gives, and its rule. Partita prices what such a composite reads and writes, and the products that its decomposition
    spells."""
    import jax
    from jax import lax

    def call(body: Callable[..., Any], suffix: str, text: str) -> Callable[..., Any]:
        composite = lax.composite(lambda *values, rule: body(*values), f"partita.kernel.{name}{suffix}")
        return lambda *values: composite(*values, rule=text)

    def back(chosen: slice) -> Callable[..., Any]:
        return lambda *values: jax.vjp(function, *values[:-1])[1](values[-1])[chosen]

    def run_back(kept: Any, d: Any) -> Any:
        found: list[Any] = [None] * len(kept)
        for number, (chosen, text) in enumerate(gradients):
            found[chosen] = call(back(chosen), f"_back{number}", text)(*kept, d)
        return tuple(found)

    kernel: Any = jax.custom_vjp(call(function, "", rule))
    kernel.defvjp(lambda *values: (call(function, "", rule)(*values), values), run_back)
    run: Callable[..., Any] = kernel
    return run


NORM = "([b,t,d],[d],[d])->([b,t,d]) replicate={d}"
NORM_BACK: Gradients = (
    (slice(0, 1), "([b,t,d],[d],[d],[b,t,d])->([b,t,d]) replicate={d}"),
    (slice(1, 3), "([b,t,d],[d],[d],[b,t,d])->([d],[d]) reduce(add)={b,t} replicate={d}"),
)
SOFTMAX = "([b,h,t,s])->([b,h,t,s]) replicate={s}"
SOFTMAX_BACK: Gradients = ((slice(0, 1), "([b,h,t,s],[b,h,t,s])->([b,h,t,s]) replicate={s}"),)
DROP = "([b,h,t,s],[b,h,t,s])->([b,h,t,s])"
DROP_BACK: Gradients = ((slice(0, 1), "([b,h,t,s],[b,h,t,s],[b,h,t,s])->([b,h,t,s])"),)
GELU = "([b,t,f],[f])->([b,t,f])"
GELU_BACK: Gradients = (
    (slice(0, 1), "([b,t,f],[f],[b,t,f])->([b,t,f])"),
    (slice(1, 2), "([b,t,f],[f],[b,t,f])->([f]) reduce(add)={b,t}"),
)
ATTENTION = "([b,t,g,r,k],[b,s,g,k],[b,s,g,k])->([b,t,g,r,k]) replicate={t,s,k}"
ATTENTION_BACK: Gradients = (
    (
        slice(0, 3),
        "([b,t,g,r,k],[b,s,g,k],[b,s,g,k],[b,t,g,r,k])->([b,t,g,r,k],[b,s,g,k],[b,s,g,k]) replicate={t,s,k,r}",
    ),
)


def megatron_kernels(head_dim: int, sequence: int) -> dict[str, Callable[..., Any]]:
    """Kernels that Megatron has: layer norm; scale, mask and softmax; dropout; bias and GELU."""
    import jax

    from models.layers import causal_mask, layer_norm, softmax

    def attention_weights(scores: Any) -> Any:
        return softmax(scores / head_dim**0.5, causal_mask(sequence))

    return {
        "norm": make_kernel("norm", layer_norm, NORM, NORM_BACK),
        "softmax": make_kernel("softmax", attention_weights, SOFTMAX, SOFTMAX_BACK),
        "drop": make_kernel("drop", drop, DROP, DROP_BACK),
        "gelu": make_kernel("gelu", lambda x, bias: jax.nn.gelu(x + bias), GELU, GELU_BACK),
    }


def megatron_layer(heads: int, params: Any, x: Any, masks: Any) -> Any:
    """Megatron's layer, kernel by kernel: one projection for q, k and v; bias, dropout and residual in one kernel;
    dropout of the attention weights in its own."""
    import jax
    import jax.numpy as jnp

    batch, sequence, width = x.shape
    kernels = megatron_kernels(width // heads, sequence)
    h = kernels["norm"](x, params["ln1_scale"], params["ln1_bias"])
    qkv = separate((h @ params["wqkv"]).reshape(batch, sequence, heads, -1) + params["bqkv"].reshape(heads, -1))
    q, k, v = jnp.split(qkv, 3, axis=-1)
    weights = kernels["softmax"](jnp.einsum("bthk,bshk->bhts", q, k))
    weights = kernels["drop"](weights, masks["weights"])
    out = jnp.einsum("bhts,bshk->bthk", weights, v).reshape(batch, sequence, width)
    with jax.named_scope("residual"):
        x = separate(x + drop(out @ params["wo"] + params["bo"], masks["branch"]))
    h = kernels["norm"](x, params["ln2_scale"], params["ln2_bias"])
    h = kernels["gelu"](h @ params["w_in"], params["b_in"])
    with jax.named_scope("residual"):
        return separate(x + drop(h @ params["w_out"] + params["b_out"], masks["branch"]))


def megatron_loss(shape: Shape, params: Any, batch: Any) -> Any:
    from jax import lax

    from models.layers import cross_entropy

    x = params["embed"][batch["tokens"]] + params["pos"]
    block = rematerialize(partial(megatron_layer, shape.heads), shape.remat)
    x = lax.scan(lambda carry, layer: (block(layer, carry, batch["masks"]), None), x, params["layers"])[0]
    norm = megatron_kernels(shape.width // shape.heads, shape.sequence)["norm"]
    x = norm(x, params["ln_scale"], params["ln_bias"])
    return cross_entropy(separate(x @ params["embed"].T), batch["targets"])


def make_megatron(shape: Shape) -> tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]:
    """Loss and initial state and batch. Masks of dropout come with the batch, the same ones for all layers."""
    import jax.numpy as jnp

    from models import gpt
    from models.layers import cast, token_batch

    config = gpt.Config(
        shape.vocab, shape.layers, shape.width, shape.heads, shape.rows, shape.sequence, scan=True, fused=True
    )

    def init(key: Any) -> Any:
        params = cast(gpt.init_params(config, key), jnp.bfloat16)
        batch = token_batch(key, shape.vocab, shape.microbatches, shape.rows, shape.sequence)
        rows = (shape.microbatches, shape.rows)
        masks = {
            "weights": jnp.ones((*rows, shape.heads, shape.sequence, shape.sequence), jnp.int8),
            "branch": jnp.ones((*rows, shape.sequence, shape.width), jnp.int8),
        }
        return with_master(params), {**batch, "masks": masks}

    return partial(megatron_loss, shape), init


def make_attention() -> Callable[..., Any]:
    """Attention as one kernel, and its gradient as one: nothing of the size of the scores is written."""
    import jax.numpy as jnp

    from models.layers import causal_mask, softmax

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("btgrk,bsgk->bgrts", q, k) / q.shape[-1] ** 0.5
        return jnp.einsum("bgrts,bsgk->btgrk", softmax(scores, causal_mask(q.shape[1])), v)

    return make_kernel("attention", attend, ATTENTION, ATTENTION_BACK)


def llama_layer(kernel: Callable[..., Any], config: Any, params: Any, x: Any) -> Any:
    """The zoo's layer with attention as one kernel. Each projection takes a value of its own, for each gathers its
    input by itself (KempnerForge, docs/distributed/tensor-parallelism.md)."""
    import jax
    import jax.numpy as jnp

    from models.layers import rms_norm, rotary

    batch, sequence, _ = x.shape
    h = rms_norm(x, params["norm1"])
    q, k, v = (
        (separate(h) @ params[f"w{name}"]).reshape(batch, sequence, heads, config.head_dim)
        for name, heads in (("q", config.heads), ("k", config.kv_heads), ("v", config.kv_heads))
    )
    positions = jnp.arange(sequence)
    q, k = rotary(q, positions), rotary(k, positions)
    q = q.reshape(batch, sequence, config.kv_heads, -1, config.head_dim)
    branch = kernel(q, k, v).reshape(batch, sequence, -1) @ params["wo"]
    with jax.named_scope("residual"):
        x = x + branch
    h = rms_norm(x, params["norm2"])
    gate, up = separate(h) @ params["w_gate"], separate(h) @ params["w_up"]
    with jax.named_scope("residual"):
        return x + (jax.nn.silu(gate) * up) @ params["w_down"]


def llama_loss(config: Any, remat: str, params: Any, batch: Any) -> Any:
    import jax

    from models.layers import apply_layers, cross_entropy, rms_norm

    x = params["embed"][batch["tokens"]]
    block = rematerialize(partial(llama_layer, make_attention(), config), remat)
    x = apply_layers(block, params["layers"], x, remat=False)
    # Under tensor partitioning every device has all logits: the framework gathers them.
    with jax.named_scope("logits"):
        logits = separate(rms_norm(x, params["norm"]) @ params["unembed"])
    return cross_entropy(logits, batch["targets"])


def make_llama(shape: Shape) -> tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]:
    import jax.numpy as jnp

    from models import llama
    from models.layers import cast, token_batch

    config = llama.Config(
        shape.vocab, shape.layers, shape.width, shape.heads, shape.kv_heads,
        shape.head_dim or shape.width // shape.heads, shape.ffn, shape.rows, shape.sequence, scan=True,
    )  # fmt: skip

    def init(key: Any) -> Any:
        params = cast(llama.init_params(config, key), jnp.bfloat16)
        return without_master(params), token_batch(key, shape.vocab, shape.microbatches, shape.rows, shape.sequence)

    return partial(llama_loss, config, shape.remat), init


def mpt_layer(kernel: Callable[..., Any], heads: int, params: Any, x: Any) -> Any:
    """The zoo's fused layer with attention as one kernel."""
    import jax
    import jax.numpy as jnp

    from models.layers import layer_norm

    batch, sequence, width = x.shape
    h = layer_norm(x, params["ln1_scale"], params["ln1_bias"])
    qkv = (h @ params["wqkv"]).reshape(batch, sequence, heads, -1) + params["bqkv"].reshape(heads, -1)
    q, k, v = jnp.split(qkv, 3, axis=-1)
    branch = kernel(q[:, :, :, None, :], k, v).reshape(batch, sequence, width)
    with jax.named_scope("residual"):
        x = x + branch @ params["wo"] + params["bo"]
    h = layer_norm(x, params["ln2_scale"], params["ln2_bias"])
    h = jax.nn.gelu(h @ params["w_in"] + params["b_in"])
    with jax.named_scope("residual"):
        return x + h @ params["w_out"] + params["b_out"]


def mpt_loss(shape: Shape, params: Any, batch: Any) -> Any:
    from models.layers import apply_layers, cross_entropy, layer_norm

    x = params["embed"][batch["tokens"]] + params["pos"]
    block = rematerialize(partial(mpt_layer, make_attention(), shape.heads), shape.remat)
    x = apply_layers(block, params["layers"], x, remat=False)
    x = layer_norm(x, params["ln_scale"], params["ln_bias"])
    return cross_entropy(x @ params["embed"].T, batch["targets"])


def make_mpt(shape: Shape) -> tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]:
    """A GPT as compiled frameworks and those with attention kernels run it, without dropout."""
    import jax.numpy as jnp

    from models import gpt
    from models.layers import cast, token_batch

    config = gpt.Config(
        shape.vocab, shape.layers, shape.width, shape.heads, shape.rows, shape.sequence, scan=True, fused=True
    )

    def init(key: Any) -> Any:
        params = cast(gpt.init_params(config, key), jnp.bfloat16)
        return with_master(params), token_batch(key, shape.vocab, shape.microbatches, shape.rows, shape.sequence)

    return partial(mpt_loss, shape), init


FAMILIES = {"gpt": make_megatron, "mpt": make_mpt, "llama": make_llama}


def lower(shape: Shape) -> str:
    """StableHLO text with locations."""
    import jax

    loss_of, init = FAMILIES[shape.family](replace(shape, microbatches=max(1, shape.microbatches)))

    def run() -> str:
        jax.clear_caches()
        state, batch = jax.eval_shape(init, jax.random.key(0))
        step = make_step(loss_of)
        if not shape.microbatches:
            batch = jax.tree.map(lambda part: jax.ShapeDtypeStruct(part.shape[1:], part.dtype), batch)
            step = make_whole_step(loss_of)
        return str(jax.jit(step, keep_unused=True, donate_argnums=(0,)).lower(state, batch).as_text(debug_info=True))

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run).result()


def write_whole(path: Path, text: str) -> None:
    """Whoever reads the file meanwhile, another thread or process, finds all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    partial.write_text(text)
    partial.replace(path)


def find_program(shape: Shape, sources: str) -> Path:
    """The program's file, lowered now if these sources have not lowered it yet."""
    path = CACHE / sources / f"{shape.name}.mlir"
    if not path.is_file():
        write_whole(path, lower(shape))
    return path


FUSED = ("wqkv|w_in", "wo|w_out")
MATRICES = {"gpt": FUSED, "mpt": FUSED, "llama": ("wq|wk|wv|w_gate|w_up", "wo|w_down")}
TIED = [["state/params/embed", 0]]
VOCABULARY = {"gpt": TIED, "mpt": TIED, "llama": [["state/params/unembed", 1]]}
WHOLE_LOGITS = [".*logits[)]*/optimization_barrier.*"]


def make_schedule(
    family: str,
    tensor: bool,
    sequence_norms: bool = False,
    fully_sharded: bool = False,
    replicas: bool = False,
    stages: int = 0,
    whole_logits: bool = False,
) -> JsonObject:
    """Data partitioning over `data`; over `model` Megatron's, the last product split by the vocabulary; ZeRO-3 over
    `data`. With `replicas`, the batch lies over that axis too, and weights do not. With `stages`, layers are stages
    over `pipe`, and the batch, which is not stacked, that many microbatches. With `whole_logits`, every device gathers
    them."""
    sequences = 0 if stages else 1
    tactics: list[JsonObject] = [{"name": "BP", "axis": "data", "tile": [["batch/.*", sequences]]}]
    if stages:
        tactics.insert(
            0, {"name": "PP", "axis": "pipe", "pipeline": ["state/params/layers/.*"], "microbatches": stages}
        )
    if replicas:
        tactics.insert(0, {"name": "DP", "axis": "replica", "tile": [["batch/.*", sequences]]})
    if tensor:
        columns, rows = MATRICES[family]
        tiles = [[f"state/params/layers/({columns})", 2], [f"state/params/layers/({rows})", 1]]
        tactics.append({"name": "MP", "axis": "model", "tile": tiles, "atomic": WHOLE_LOGITS if whole_logits else []})
        tactics.append({"name": "VOCAB", "axis": "model", "tile": VOCABULARY[family]})
    if sequence_norms:
        tactics.append({"name": "SEQ", "axis": "model", "tile": [[".*residual[)]*/add#[0-9]+", 1]], "optional": True})
    if fully_sharded:
        pattern = "state/(params|master|mu|nu)/(layers/w.*|embed|unembed)"
        tactics.append({"name": "Z3", "axis": "data", "tile": [[pattern, "first_divisible"]]})
    return {"tactics": tactics}


def write_schedule(name: str, schedule: JsonObject) -> Path:
    path = CACHE / "schedules" / f"{name}.json"
    write_whole(path, json.dumps(schedule, indent=1) + "\n")
    return path


def describe(shape: Shape) -> JsonObject:
    return asdict(shape)
