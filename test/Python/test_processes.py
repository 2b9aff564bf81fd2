"""Several processes: a planned function takes what each has of its own, as `jax.jit` takes numbers, and gives the same
in all."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROCESSES, DEVICES = 2, 4


def run_in_each(process: int, address: str) -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import multihost_utils

    import partita

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, PROCESSES, process)
    captured = np.arange(1 << 19, dtype=np.float32).reshape(8, -1) / (1 << 19)
    own = jnp.asarray(captured)  # of more than a megabyte: an argument of the program

    def f(x, scale, key, old_key, w):
        noise = jax.random.normal(key, x.shape) + jax.random.normal(old_key, x.shape)
        return jnp.tanh(x * scale + noise) @ w + own.sum(1), jax.random.split(key, 4), scale + 1

    random = np.random.default_rng(0)
    x, w = random.standard_normal((8, 16)).astype(np.float32), random.standard_normal((16, 8)).astype(np.float32)
    key, old_key = jax.random.key(1), jax.random.PRNGKey(2)
    here = jax.local_devices()[1]
    expected = f(jnp.asarray(x), 2.0, key, old_key, jnp.asarray(w))
    schedule = [partita.tile("x", dim=0, axis="data"), partita.tile("w", dim=1, axis="model")]
    plan = partita.plan(f, x, 2.0, key, old_key, w, mesh={"data": 4, "model": 2}, schedule=schedule)
    again = partita.plan(f, x, 2.0, key, old_key, w, mesh={"data": 4, "model": 2}, schedule=schedule, donate_argnums=0)
    fast = {"xla_backend_optimization_level": 0}
    runs = [plan.jit(compiler_options=fast), plan.jit(partitioner="shardy", compiler_options=fast)]
    runs.append(again.jit(compiler_options=fast))
    on_one = jax.device_put((x, w), here)
    calls = [
        (x, 2.0, key, old_key, w),
        (jnp.asarray(x), np.float32(2), key, np.asarray(old_key), jnp.asarray(w)),
        (on_one[0], 2.0, jax.device_put(key, here), jax.device_put(old_key, here), on_one[1]),
        plan.put(x, 2.0, key, old_key, w),
        plan.put(on_one[0], jnp.float32(2), jax.device_put(key, here), old_key, on_one[1]),
    ]
    for run in runs:
        for arguments in calls:
            if run is runs[2]:
                arguments = (jnp.copy(arguments[0]), *arguments[1:])
            y, keys, scale = run(*arguments)
            got = multihost_utils.process_allgather((y, jax.random.key_data(keys), scale), tiled=True)
            wanted = (expected[0], jax.random.key_data(expected[1]), expected[2])
            for a, b in zip(got, wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    assert not on_one[0].is_deleted()
    mine = jax.sharding.Mesh(np.array(jax.local_devices()), ("data",))
    alone = partita.plan(lambda x: x * 2, x, mesh=mine, machine="auto", schedule=schedule[:1])
    assert alone.machine == "cpu-host:1x4" and plan.in_specs[0] == alone.in_specs[0]
    np.testing.assert_allclose(alone.jit(compiler_options=fast)(x), x * 2)
    print(f"process {process}: {len(runs) * len(calls)} calls", flush=True)


def test_each_gives_what_it_has() -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}",
        "PJRT_NPROC": "32",
        "JAX_PLATFORMS": "cpu",
    }
    started = [
        subprocess.Popen(
            [sys.executable, __file__, str(number), address], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        for number in range(PROCESSES)
    ]  # fmt: skip
    try:
        ended = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
    for number, (out, err) in enumerate(ended):
        assert f"process {number}: 15 calls\n" in out, err[-3000:]


if __name__ == "__main__":
    run_in_each(int(sys.argv[1]), sys.argv[2])
