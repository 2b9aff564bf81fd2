"""The UNet of a diffusion model, planned for sixteen TPUs: which strategy is best when convolutions do the work?

python examples/unet.py             predicted times of strategies; no TPU needed
"""

import warnings

import jax
import jax.numpy as jnp
import optax

import partita
from partita import presets

CHANNELS, BATCH, SIZE = (128, 256, 512), 64, 64
optimizer = optax.adamw(1e-4)


def kernel(key, *shape):
    return jax.random.normal(key, shape) / (shape[0] * shape[1] * shape[2]) ** 0.5


def init(key):
    def block(into, out):
        return {
            "conv1": kernel(key, 3, 3, into, out),
            "time": jnp.zeros((1, out)),
            "conv2": kernel(key, 3, 3, out, out),
        }

    widths = list(zip((3, *CHANNELS), CHANNELS, strict=False))
    params = {
        "down": [block(into, out) for into, out in widths],
        "middle": block(CHANNELS[-1], CHANNELS[-1]),
        "up": [block(2 * out, into) for into, out in reversed(widths[1:])],
        "out": kernel(key, 3, 3, CHANNELS[0], 3),
    }
    return {"params": params, "opt_state": optimizer.init(params)}


def convolve(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def residual(p, x, time):
    y = convolve(jax.nn.silu(x), p["conv1"]) + (time[:, None] @ p["time"])[:, None, None]
    y = (y - y.mean((1, 2), keepdims=True)) * jax.lax.rsqrt(y.var((1, 2), keepdims=True) + 1e-5)
    return convolve(jax.nn.silu(y), p["conv2"])


def unet(params, x, time):
    kept = []
    for p in params["down"]:
        x = residual(p, x, time)
        kept.append(x)
        x = x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2, x.shape[3]).mean((2, 4))
    x = residual(params["middle"], x, time)
    for p in params["up"]:
        x = jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2)
        x = residual(p, jnp.concatenate([x, kept.pop()], axis=-1), time)
    return convolve(jnp.repeat(jnp.repeat(x, 2, axis=1), 2, axis=2), params["out"])


def train_step(state, batch):
    def loss_of(params):
        return jnp.mean((unet(params, batch["images"], batch["time"]) - batch["noise"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(state["params"])
    updates, opt_state = optimizer.update(grads, state["opt_state"], state["params"])
    return {"params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}, loss


images = jax.ShapeDtypeStruct((BATCH, SIZE, SIZE, 3), "float32")
batch = {"images": images, "noise": images, "time": jax.ShapeDtypeStruct((BATCH,), "float32")}
warnings.simplefilter("ignore", partita.DoesNotFitWarning)
plan = partita.plan(
    train_step, jax.eval_shape(init, jax.random.key(0)), batch, donate_argnums=0,
    mesh={"data": 8, "model": 2}, machine="tpu-v5e:4x4",
    baseline=[presets.data_parallel("data"), presets.megatron("model")],
)  # fmt: skip
print(
    plan.compare(
        data_parallel=presets.data_parallel("data"),
        fsdp=presets.fsdp("data"),
        both_axes=[presets.data_parallel("data"), presets.data_parallel("model")],
    )
)
