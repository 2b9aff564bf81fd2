"""A training step on eight devices: planned, run, compared with one device."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"  # eight virtual devices on a CPU
os.environ["PJRT_NPROC"] = "32"

import jax
import jax.numpy as jnp
from jax.random import key, normal

import partita


def step(params, batch):
    def loss_of(p):
        return jnp.mean((jax.nn.gelu(batch["x"] @ p["w1"]) @ p["w2"] - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), loss


params = {"w1": normal(key(0), (256, 1024)) / 16, "w2": normal(key(1), (1024, 256)) / 32}
batch = {"x": normal(key(2), (2048, 256)), "y": normal(key(3), (2048, 256))}

plan = partita.plan(step, params, batch, mesh={"data": 8}, machine="cpu-host:1x8", donate_argnums=0)
print(plan.report)
planned, whole = plan.jit(), jax.jit(step)
placed, shard = plan.put(params, batch)
for _ in range(3):
    placed, loss = planned(placed, shard)
    params, expected = whole(params, batch)
print("x on a device:", shard["x"].addressable_shards[0].data.shape, "of", batch["x"].shape)
print("same loss as on one device:", bool(jnp.allclose(loss, expected, rtol=1e-5)))
