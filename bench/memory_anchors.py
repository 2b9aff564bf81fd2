"""Published gains of recomputation beside ours: `python bench/memory_actions.py --anchors`

torchtitan trains Llama 8B on 8 H100s with FSDP over all of them, sequences of 8,192 tokens, and attention as a kernel
that keeps no scores. Its layers are recomputed in one of three ways:

selective  its default: kept are the results of attention and of every second product of a layer
full       nothing of a layer is kept but its input
auto       as much is kept as memory allows, of what saves most time for its bytes

Published: full takes 10 to 11% more time than the default and 33 to 39% less memory, with one sequence on each device
(52.4 and 32.1 GiB); auto is 5.6 to 5.8% faster than full in 69 to 72 GiB. The batch of the last one is not published.
Here it is the largest power of two with which full fits into that memory: four sequences on each device.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from row_cache import write_once

MACHINE, MESH = "h100-sxm:1x8", "data=8"
POLICIES = ("none", "selective", "full")
#: What the default of torchtitan keeps of a layer.
KEPT = ("q", "v", "attended", "gate", "down")
GIB = 2**30
#: Sequences, over all devices.
SMALL, LARGE = 8, 32


@dataclasses.dataclass(frozen=True)
class Anchor:
    name: str
    low: float
    high: float

    def is_near(self, ours: float) -> bool:
        return 0.5 * self.low <= ours <= 1.5 * self.high


ANCHORS = (
    Anchor("auto over full, time", 0.056, 0.058),
    Anchor("full over selective, time", 0.10, 0.11),
    Anchor("full over selective, memory", 0.33, 0.39),
    Anchor("auto, GiB", 69, 72),
)


def make_layer(config: Any, policy: str) -> Callable[..., Any]:
    """A layer of llama.py with attention as a kernel, checkpointed as the policy says."""
    import jax
    from jax.ad_checkpoint import checkpoint_name

    import partita
    from models import llama
    from models.layers import cast, rms_norm, rotary

    def attention(params: Any, x: Any) -> Any:
        q, k, v = llama.project_qkv(config, params, x)
        q, v = checkpoint_name(q, "q"), checkpoint_name(v, "v")
        positions = jax.numpy.arange(x.shape[1])
        out = partita.attention(rotary(q, positions), rotary(k, positions), v, is_causal=True)
        return checkpoint_name(out, "attended").reshape(*x.shape[:2], -1) @ params["wo"]

    def feed(params: Any, x: Any) -> Any:
        gate, up = checkpoint_name(x @ params["w_gate"], "gate"), x @ params["w_up"]
        return checkpoint_name((jax.nn.silu(gate) * up) @ params["w_down"], "down")

    def layer(params: Any, x: Any) -> Any:
        params = cast(params, config.dtype)
        x = x + attention(params, rms_norm(x, params["norm1"]))
        return x + feed(params, rms_norm(x, params["norm2"]))

    if policy == "none":
        return layer
    named = jax.checkpoint_policies.save_only_these_names(*KEPT)

    def is_attention(primitive: Any, *_: Any, **__: Any) -> bool:
        return str(primitive.name) == "partita_choice"

    both = jax.checkpoint_policies.save_from_both_policies(named, is_attention)
    checkpointed: Callable[..., Any] = jax.checkpoint(layer, policy=both if policy == "selective" else None)
    return checkpointed


def lower(policy: str, batch: int) -> str:
    """The text of a step of Llama 8B for GPUs."""
    import jax

    import partita
    from models import llama
    from models.layers import apply_layers, cross_entropy, rms_norm
    from models.train import training

    config = dataclasses.replace(llama.L8B, batch=batch, scan=True)

    def loss(params: Any, inputs: Any) -> Any:
        x = params["embed"][inputs["tokens"]].astype(config.dtype)
        x = rms_norm(apply_layers(make_layer(config, policy), params["layers"], x, False), params["norm"])
        return cross_entropy(x @ params["unembed"].astype(config.dtype), inputs["targets"])

    arguments = jax.eval_shape(llama.build(config).init, jax.random.key(0))
    plan = partita.plan(training(loss), *arguments, mesh={"data": 8}, machine=MACHINE, schedule=[], donate_argnums=(0,))
    return str(plan._program.text)


def program_of(folder: Path, policy: str, batch: int) -> Path:
    return write_once(folder / f"anchor.{policy}.{batch}.mlir", lambda: lower(policy, batch))


def print_anchors(folder: Path, plan: Callable[..., Any]) -> bool:
    """`plan` plans a program with options; whether all of ours are within half of what is published."""
    fixed = ("--forbid", "accumulate,recompute,pipeline,pad")
    limit = ("--memory-limit", "72GiB")
    alone = {policy: plan(program_of(folder, policy, SMALL), *fixed, *limit) for policy in ("selective", "full")}
    full, auto = (
        plan(program_of(folder, "full", LARGE), *fixed, *limit),
        plan(program_of(folder, "full", LARGE), *limit),
    )
    none = plan(program_of(folder, "none", LARGE), *fixed, "--memory-limit", "1000GiB")
    ours = (
        full.time_ps / auto.time_ps - 1,
        alone["full"].time_ps / alone["selective"].time_ps - 1,
        1 - alone["full"].peak_bytes / alone["selective"].peak_bytes,
        auto.peak_bytes / GIB,
    )
    for name, priced in (*alone.items(), ("full, larger batch", full), ("auto", auto), ("none, any memory", none)):
        print(f"{name:28} {priced.time_ps / 1e9:9.1f} ms {priced.peak_bytes / GIB:6.1f} GiB  {priced.name[:90]}")
    for anchor, found in zip(ANCHORS, ours, strict=True):
        form = ".1f" if anchor.low > 1 else ".1%"
        near = "" if anchor.is_near(found) else "NOT within 50%"
        print(f"{anchor.name:28} published {anchor.low:{form}} to {anchor.high:{form}}  ours {found:{form}}  {near}")
    return all(anchor.is_near(found) for anchor, found in zip(ANCHORS, ours, strict=True))
