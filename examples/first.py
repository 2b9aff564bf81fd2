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


params = {"w1": normal(key(0), (64, 256)) / 8, "w2": normal(key(1), (256, 64)) / 16}
batch = {"x": normal(key(2), (32, 64)), "y": normal(key(3), (32, 64))}

plan = partita.plan(
    step, params, batch, mesh="data=4,model=2",
    schedule=[partita.presets.data_parallel("data"), partita.presets.megatron("model"), partita.presets.zero3("data")],
)  # fmt: skip
print(plan.report)
planned, whole = plan.jit(), jax.jit(step)
placed, shard = plan.put(params, batch)
for _ in range(3):
    placed, loss = planned(placed, shard)
    params, expected = whole(params, batch)
print("w1 on a device:", placed["w1"].addressable_shards[0].data.shape, "of", params["w1"].shape)
print("same loss as on one device:", bool(jnp.allclose(loss, expected, rtol=1e-5)))
