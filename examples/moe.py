"""A mixture of experts by hand: experts over `data`, tokens over both axes, run on eight virtual devices.

The tile on the experts would spread into the tokens they work on; `cut` stops it where tokens are sent to experts and
where they come back, and all-to-alls stand there.
"""

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

program = ZOO["moe_einsum"].program("tiny")
schedule = Path(__file__).resolve().parent.parent / "models" / "schedules" / "moe.EP+BP+MP.json"
state, batch = program.arguments()
plan = partita.plan(program.fn, state, batch, mesh={"data": 4, "model": 2}, schedule=schedule)
print(plan.report)
fast = {"xla_backend_optimization_level": 0}  # compile quickly: this is a demonstration
_, loss = plan.jit(compiler_options=fast)(state, batch)
_, expected = jax.jit(program.fn, compiler_options=fast)(state, batch)
np.testing.assert_allclose(loss, expected, rtol=1e-5)
print(f"loss {float(loss):.5f}, as on one device")
