"""The same plan in several processes, eight devices in all.

python examples/multi_process.py [2]    starts two processes on this machine and waits for them

On a cluster, start one process on each host, let `jax.distributed.initialize()` find the others, and keep the rest.
"""

import os
import socket
import subprocess
import sys

DEVICES = 8


def train(process: int, processes: int, address: str) -> None:
    """What each process runs."""
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES // processes}"
    os.environ["PJRT_NPROC"] = "32"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import hashlib

    import jax
    import numpy as np
    from jax.experimental import multihost_utils

    import partita

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, processes, process)

    def step(params, batch):
        def loss_of(p):
            return ((jax.numpy.tanh(batch @ p["w1"]) @ p["w2"] - batch) ** 2).mean()

        loss, grads = jax.value_and_grad(loss_of)(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    random = np.random.default_rng(0)  # the same numbers in every process
    params = {"w1": random.standard_normal((16, 32)) / 4, "w2": random.standard_normal((32, 16)) / 4}
    params = {name: value.astype(np.float32) for name, value in params.items()}
    batch = random.standard_normal((8, 16)).astype(np.float32)

    plan = partita.plan(
        step,
        params,
        batch,
        mesh={"data": 2, "model": 4},
        schedule=[partita.presets.data_parallel("data", batch="batch"), partita.presets.megatron("model")],
    )
    digest = np.frombuffer(hashlib.sha256(plan.local_text().encode()).digest(), np.uint32)
    multihost_utils.assert_equal(digest, "every process makes the same plan")
    run = plan.jit()
    placed = plan.put(params)
    # Each process reads only the rows that its devices need; here they are in an array, elsewhere in files.
    shard = jax.make_array_from_callback(batch.shape, plan.in_shardings[1], lambda rows: batch[rows])
    for _ in range(3):
        placed, loss = run(placed, shard)
    print(f"process {process} of {processes}: {jax.device_count()} devices, loss {float(loss):.6f}", flush=True)
    with jax.default_device(jax.local_devices()[0]):
        for _ in range(3):
            params, expected = jax.jit(step)(params, batch)
    np.testing.assert_allclose(float(loss), float(expected), rtol=1e-5)


def start(processes: int) -> int:
    """Processes of this script, which find each other by an address."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    command = [sys.executable, __file__, str(processes), address]
    started = [subprocess.Popen([*command, str(number)]) for number in range(processes)]
    return max(process.wait() for process in started)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        train(int(sys.argv[3]), int(sys.argv[1]), sys.argv[2])
    else:
        sys.exit(start(int(sys.argv[1]) if len(sys.argv) > 1 else 2))
