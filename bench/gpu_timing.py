"""Programs at the sizes that one device of eight sees, timed on one real GPU.

    python bench/gpu_timing.py prepare FOLDER          lowers the programs below to StableHLO text, with an index
    python bench/gpu_timing.py measure FOLDER FILE     with a GPU and JAX for it: compiles, runs and times them

`measure` needs nothing of Partita. What it finds is recorded in bench/data/gpu_timing.json, which `make accuracy`
compares with what Partita predicts for the same text on one device. A row remembers the hash of its text.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpu_memory import run_command

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "bench" / "data" / "gpu_timing.json"
ROUNDS, CALLS = 7, 10
# What takes this long is called once a round: the host has nothing to hide.
LONG_SECONDS = 0.5

Shapes = list[tuple[tuple[int, ...], str]]
Program = tuple[Callable[..., Any], Shapes]
"""A function and the shapes and types of its arguments."""


def build_programs() -> dict[str, Program]:
    """Parts of transformers as one of eight devices has them: 8B llama, sequence 4096."""
    import jax
    import jax.numpy as jnp

    bf16, f32, i32 = "bfloat16", "float32", "int32"
    tokens, width, hidden, heads, keys, dim, vocab, sequence = 8192, 4096, 14336, 32, 8, 128, 128256, 4096

    def norm(x: Any, scale: Any) -> Any:
        wide = x.astype(jnp.float32)
        return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-5)).astype(x.dtype) * scale

    def mlp(x: Any, gate: Any, up: Any, down: Any) -> Any:
        return (jax.nn.silu(x @ gate) * (x @ up)) @ down

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("btgrk,bsgk->bgrts", q, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
        causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -1e30), -1).astype(q.dtype)
        return jnp.einsum("bgrts,bsgk->btgrk", weights, v)

    def layer(x: Any, n1: Any, wq: Any, wk: Any, wv: Any, wo: Any, n2: Any, gate: Any, up: Any, down: Any) -> Any:
        h = norm(x, n1)
        groups = wk.shape[1] // dim
        q = (h @ wq).reshape(*x.shape[:2], groups, -1, dim)
        k, v = ((h @ w).reshape(*x.shape[:2], groups, dim) for w in (wk, wv))
        x = x + attend(q, k, v).reshape(*x.shape[:2], -1) @ wo
        return x + mlp(norm(x, n2), gate, up, down)

    def entropy(x: Any, table: Any, labels: Any) -> Any:
        logits = (x @ table).astype(jnp.float32)
        chosen = jnp.take_along_axis(logits, labels[:, None], 1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, -1) - chosen)

    def adam(p: Any, g: Any, m: Any, v: Any) -> Any:
        m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
        return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    def decode(x: Any, wq: Any, wo: Any, ks: Any, vs: Any) -> Any:
        q = (x @ wq).reshape(x.shape[0], ks.shape[2], -1, dim)
        weights = jax.nn.softmax(jnp.einsum("bgrk,btgk->bgrt", q, ks).astype(jnp.float32), -1).astype(x.dtype)
        return jnp.einsum("bgrt,btgk->bgrk", weights, vs).reshape(x.shape[0], -1) @ wo

    def both(f: Callable[..., Any]) -> Callable[..., Any]:
        """Forward and backward: the gradient of the sum in all floating arguments."""

        def run(*args: Any) -> Any:
            floats = [i for i, arg in enumerate(args) if jnp.issubdtype(arg.dtype, jnp.floating)]
            return jax.grad(lambda *a: jnp.sum(f(*a).astype(jnp.float32)), argnums=floats)(*args)

        return run

    def layer_shapes(batch: int, ways: int) -> Shapes:
        q, k, f = heads * dim // ways, keys * dim // ways, hidden // ways
        weights = [(width, q), (width, k), (width, k), (q, width), (width,), (width, f), (width, f), (f, width)]
        return [((batch, sequence, width), bf16), ((width,), bf16), *((shape, bf16) for shape in weights)]

    def mlp_shapes(ways: int) -> Shapes:
        shapes = [(tokens, width), (width, hidden // ways), (width, hidden // ways), (hidden // ways, width)]
        return [(shape, bf16) for shape in shapes]

    def attention_shapes(ways: int) -> Shapes:
        q, k = (2, sequence, keys // ways, heads // keys, dim), (2, sequence, keys // ways, dim)
        return [(q, bf16), (k, bf16), (k, bf16)]

    state: Shapes = [((250_000_000,), f32)] * 4
    loss = [((2048, width), bf16), ((width, vocab // 8), bf16), ((2048,), i32)]
    steps: Shapes = [(shape, bf16) for shape in ((64, width), (width, 512), (512, width), *[(64, 2048, 1, dim)] * 2)]
    return {
        "mlp forward, 1/8 of hidden": (mlp, mlp_shapes(8)),
        "mlp forward, whole": (mlp, mlp_shapes(1)),
        "mlp step, 1/8 of hidden": (both(mlp), mlp_shapes(8)),
        "mlp step, whole": (both(mlp), mlp_shapes(1)),
        "attention forward, 1/8 of heads": (attend, attention_shapes(8)),
        "attention step, 1/8 of heads": (both(attend), attention_shapes(8)),
        "attention step, 1/2 of heads": (both(attend), attention_shapes(2)),
        "norm step": (both(norm), [((tokens, width), bf16), ((width,), bf16)]),
        "layer forward, 1/8 of heads and hidden": (layer, layer_shapes(2, 8)),
        "layer step, 1/8 of heads and hidden": (both(layer), layer_shapes(2, 8)),
        "layer step, 1/2 of heads and hidden": (both(layer), layer_shapes(1, 2)),
        "layer step, whole": (both(layer), layer_shapes(1, 1)),
        "loss step, 1/8 of vocabulary": (both(entropy), loss),
        "adam, 250M parameters": (adam, state),
        "decoding attention, 1/8 of heads": (decode, steps),
    }


def prepare(folder: Path) -> None:
    import jax

    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for name, (function, arguments) in build_programs().items():
        shapes = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in arguments]
        text = jax.jit(function, keep_unused=True).lower(*shapes).as_text()
        digest = hashlib.sha256(text.encode()).hexdigest()
        (folder / f"{digest[:16]}.mlir.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        index.append({"name": name, "sha256": digest, "file": f"{digest[:16]}.mlir.gz", "arguments": arguments})
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def make_inputs(arguments: list[tuple[list[int], str]]) -> list[Any]:
    """Small random floats; integers are indices from 0 on."""
    import jax
    import jax.numpy as jnp

    key = jax.random.key(0)
    inputs = []
    for number, (shape, kind) in enumerate(arguments):
        if kind == "int32":
            inputs.append(jnp.arange(math.prod(shape), dtype=kind).reshape(shape))
        else:
            inputs.append(0.1 * jax.random.normal(jax.random.fold_in(key, number), tuple(shape), kind))
    return inputs


def time_text(text: str, arguments: list[tuple[list[int], str]]) -> float:
    """Seconds of one execution: calls are queued, so that what the host does is hidden; the median round counts."""
    import jax
    from jax._src.interpreters.mlir import make_ir_context, module_to_bytecode
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    device = jax.devices()[0]
    options = xla_client.CompileOptions()
    with make_ir_context():
        code = module_to_bytecode(ir.Module.parse(text))
    executable = device.client.compile_and_load(code, xla_client.DeviceList((device,)), options)
    inputs = make_inputs(arguments)

    def call() -> Any:
        return executable.execute_sharded(inputs).disassemble_into_single_device_arrays()

    def time_round(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            results = call()
        jax.block_until_ready(results)
        return (time.perf_counter() - start) / calls

    jax.block_until_ready(call())
    calls = 1 if time_round(1) >= LONG_SECONDS else CALLS
    return statistics.median(time_round(calls) for _ in range(ROUNDS))


def measure(folder: Path, out: Path) -> None:
    import jax

    rows = []
    for entry in json.loads((folder / "index.json").read_text()):
        text = gzip.decompress((folder / entry["file"]).read_bytes()).decode()
        row = {"name": entry["name"], "sha256": entry["sha256"]}
        try:
            row["measured_us"] = round(time_text(text, entry["arguments"]) * 1e6, 2)
        except Exception as error:  # whatever XLA says is the row's result
            row["error"] = str(error)[:500]
        rows.append(row)
        print(json.dumps(row), flush=True)
    made = {"jax": jax.__version__, "device": jax.devices()[0].device_kind}
    out.write_text(json.dumps({"made_by": "python bench/gpu_timing.py measure", **made, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(run_command(__doc__, prepare, measure))
