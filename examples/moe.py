"""A mixture of experts: experts over `data`, as the tokens are, and all-to-alls between them, on eight virtual devices.

The tile on the experts would spread into the tokens they work on; `cut` stops it where tokens are sent to experts and
where they come back, and all-to-alls stand there.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["PJRT_NPROC"] = "32"

import jax
import jax.numpy as jnp
import numpy as np
from jax.random import key, normal

import partita
from partita import presets

GROUPS, TOKENS, WIDTH, HIDDEN, EXPERTS, CAPACITY = 8, 16, 32, 64, 4, 8


def route(x, router):
    """One expert for each token: [groups, tokens, experts, places], 1 where a token goes, and its weight."""
    gates = jax.nn.softmax(jnp.einsum("gsd,de->gse", x, router))
    chosen = jax.nn.one_hot(jnp.argmax(gates, axis=-1), EXPERTS)
    place = jnp.cumsum(chosen, axis=1) * chosen - 1
    sent = jax.nn.one_hot(place.astype("int32"), CAPACITY) * chosen[..., None]
    return sent, sent * gates[..., None]


def mixture(params, x):
    sent, weights = route(x, params["router"])
    into = jnp.einsum("gsec,gsd->egcd", sent, x)
    with jax.named_scope("dispatch"):
        into = into.reshape(EXPERTS, -1, WIDTH)
    hidden = jax.nn.gelu(jnp.einsum("end,edf->enf", into, params["experts"]["up"]))
    out = jnp.einsum("enf,efd->end", hidden, params["experts"]["down"])
    with jax.named_scope("combine"):
        out = out.reshape(EXPERTS, -1, CAPACITY, WIDTH)
    return x + jnp.einsum("gsec,egcd->gsd", weights, out)


def train_step(params, batch):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((mixture(p, batch["x"]) - batch["y"]) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


params = {
    "router": normal(key(0), (WIDTH, EXPERTS)),
    "experts": {
        "up": normal(key(1), (EXPERTS, WIDTH, HIDDEN)) / 6,
        "down": normal(key(2), (EXPERTS, HIDDEN, WIDTH)) / 8,
    },
}
batch = {"x": normal(key(3), (GROUPS, TOKENS, WIDTH)), "y": normal(key(4), (GROUPS, TOKENS, WIDTH))}
borders = partita.cut(r".*(dispatch|combine).*/reshape#\d+", axis="data")  # and those of their gradients
plan = partita.plan(
    train_step, params, batch, mesh={"data": 4, "model": 2},
    schedule=[
        borders + partita.tile(r"params/experts/.*", dim=0, axis="data"),
        presets.data_parallel("data"),
        partita.tile(r"params/experts/up", dim=2, axis="model"),
    ],
)  # fmt: skip
print(plan.report)
trained, loss = plan.jit()(*plan.put(params, batch))
_, expected = jax.jit(train_step)(params, batch)
np.testing.assert_allclose(loss, expected, rtol=1e-5)
print("experts on a device:", trained["experts"]["up"].addressable_shards[0].data.shape[0], "of", EXPERTS)
print(f"loss {float(loss):.5f}, as on one device")
