"""The programs and schedules behind the measured training steps (`accuracy_training.py`).

A row of a measured table says a model's shape, how the batch is cut into microbatches, and the degrees of data (dp or
fsdp) and tensor (tp) partitioning. The program is the zoo's transformer of that shape, its layers scanned and
recomputed in the backward pass, in a loop over microbatches that sums gradients; then Adam. Parameters are in the type
that the frameworks keep them in, and the optimizer's state in its own. Texts are kept in build/accuracy, under the hash
of the sources that made them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "accuracy"

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """Everything that decides a program's text. `rows` are the sequences of one microbatch on all devices."""

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

    @property
    def name(self) -> str:
        return (
            f"{self.family}_{self.width}x{self.layers}_h{self.heads}_s{self.sequence}_m{self.microbatches}_r{self.rows}"
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


def lower(shape: Shape) -> str:
    """StableHLO text with locations."""
    import jax
    import jax.numpy as jnp

    from models import gpt, llama
    from models.layers import cast, token_batch

    if shape.family == "gpt":
        config: Any = gpt.Config(
            shape.vocab, shape.layers, shape.width, shape.heads, shape.rows, shape.sequence, scan=True, remat=True
        )
        family: Any = gpt
        make_state = with_master
    else:
        config = llama.Config(
            shape.vocab, shape.layers, shape.width, shape.heads, shape.kv_heads, shape.width // shape.heads, shape.ffn,
            shape.rows, shape.sequence, scan=True, remat=True,
        )  # fmt: skip
        family = llama
        make_state = without_master

    def init(key: Any) -> Any:
        params = cast(family.init_params(config, key), jnp.bfloat16)
        return make_state(params), token_batch(key, shape.vocab, shape.microbatches, shape.rows, shape.sequence)

    def run() -> str:
        jax.clear_caches()
        step = make_step(partial(family.loss, config))
        shapes = jax.eval_shape(init, jax.random.key(0))
        return str(jax.jit(step, keep_unused=True, donate_argnums=(0,)).lower(*shapes).as_text(debug_info=True))

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run).result()


def find_program(shape: Shape, sources: str) -> Path:
    """The program's file, lowered now if these sources have not lowered it yet."""
    path = CACHE / sources / f"{shape.name}.mlir"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial_path = path.with_suffix(".partial")
        partial_path.write_text(lower(shape))
        partial_path.replace(path)
    return path


MATRICES = {"gpt": ("wq|wk|wv|w_in", "wo|w_out"), "llama": ("wq|wk|wv|w_gate|w_up", "wo|w_down")}
VOCABULARY = {"gpt": [["state/params/embed", 0]], "llama": [["state/params/embed", 0], ["state/params/unembed", 1]]}


def make_schedule(family: str, tensor: bool, sequence_norms: bool = False, fully_sharded: bool = False) -> JsonObject:
    """Data partitioning over `data`; over `model` Megatron's, tables split by the vocabulary; ZeRO-3 over `data`."""
    tactics: list[JsonObject] = [{"name": "BP", "axis": "data", "tile": [["batch/.*", 1]]}]
    if tensor:
        columns, rows = MATRICES[family]
        tiles = [[f"state/params/layers/({columns})", 2], [f"state/params/layers/({rows})", 1]]
        tactics.append({"name": "MP", "axis": "model", "tile": tiles})
        tactics.append({"name": "VOCAB", "axis": "model", "tile": VOCABULARY[family]})
    if sequence_norms:
        tactics.append({"name": "SEQ", "axis": "model", "tile": [[".*residual[)]*/add#[0-9]+", 1]], "optional": True})
    if fully_sharded:
        pattern = "state/(params|mu|nu)/(layers/w.*|embed|unembed)"
        tactics.append({"name": "Z3", "axis": "data", "tile": [[pattern, "first_divisible"]]})
    return {"tactics": tactics}


def write_schedule(name: str, schedule: JsonObject) -> Path:
    path = CACHE / "schedules" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(schedule, indent=1) + "\n")
    return path


def describe(shape: Shape) -> JsonObject:
    return asdict(shape)
