"""A training step of 8B parameters, planned for four hosts of eight H100s: nothing is allocated, no GPU needed.

python examples/llama.py        the search beside three strategies that people write by hand
"""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the models of this repository

import jax.numpy as jnp

import partita
from models.registry import ZOO
from partita import presets

llama = ZOO["llama_scan"]
program = llama.build(replace(llama.sizes["8b"], batch=32, sequence=4096, dtype=jnp.bfloat16, remat=True))
by_hand = [presets.data_parallel("data"), presets.megatron("model")]
warnings.simplefilter("ignore", partita.DoesNotFitWarning)  # strategies that need too much memory are shown, too

plan = partita.plan(
    program.fn,
    *program.shapes(),
    mesh={"data": 4, "model": 8},
    machine="h100-sxm:4x8",
    donate_argnums=program.donate_argnums,
    baseline=[*by_hand, presets.zero3("data")],
    budget=1000,
)
print(plan.report)
print(
    plan.compare(
        data_parallel=presets.data_parallel("data"),
        fsdp=presets.fsdp("data"),
        zero2=[*by_hand, presets.zero2("data")],
    )
)
print("what to write into a configuration file:")
for pattern, spec in plan.rules()[:6]:
    print(f"  {pattern:32} {spec}")
