"""Decoding with a cache, a loop of sixteen tokens, on eight virtual devices: sequences over data, heads over model."""

import os
import sys
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["PJRT_NPROC"] = "32"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the models of this repository

import jax
import numpy as np

import partita
from models.registry import ZOO
from partita import presets

program = ZOO["decode_kv8"].program("tiny")
arguments = program.arguments()
plan = partita.plan(
    program.fn,
    *arguments,
    mesh={"data": 4, "model": 2},
    schedule=[presets.data_parallel("data", batch="first"), presets.megatron("model")],
)
print(plan.report)
fast = {"xla_backend_optimization_level": 0}  # compile quickly: this is a demonstration
tokens = plan.jit(compiler_options=fast)(*arguments)
expected = jax.jit(program.fn, compiler_options=fast)(*arguments)
jax.tree.map(np.testing.assert_array_equal, jax.tree.leaves(tokens)[-1:], jax.tree.leaves(expected)[-1:])
print("the same tokens as on one device")
