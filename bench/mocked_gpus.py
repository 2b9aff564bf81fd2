"""Eight H200s of which XLA is only told: compiles for them on a machine without a GPU.

XLA's GPU compiler takes a description of the device in place of the device. What it then says of memory, and the
schedule, are those of its whole pipeline; only autotuning, which needs a GPU, is off. JAX with the plugin for CUDA has
to be there (`python -m venv build/gpu-venv; build/gpu-venv/bin/pip install "jax[cuda12]"`), which needs Python 3.12.
"""

from __future__ import annotations

from typing import Any

TOPOLOGY = "1x8x1"
"""Slices, hosts and GPUs of a host: as jax_mock_gpu_topology has it where there is one GPU."""

SCALAR_RATES = {4: (64, 1), 8: (64, 1), 10: (128, 2), 11: (128, 1), 12: (64, 1), 16: (128, 2)}
"""By XLA's number of an element type: units of a core and what one of them does in a cycle."""
MATRIX_RATES = {2: 1024, 6: 1024, 10: 512, 11: 256, 12: 32, 16: 512} | dict.fromkeys((19, 20, 23, 24, 25), 1024)
SCALAR_GHZ, MATRIX_GHZ = 1.98, 1.83
LIMITS = {
    "threads_per_block_limit": 1024, "threads_per_warp": 32, "threads_per_core_limit": 2048,
    "shared_memory_per_block": 48 << 10, "shared_memory_per_block_optin": 227 << 10,
    "shared_memory_per_core": 228 << 10,
    "core_count": 132, "fpus_per_core": 128, "registers_per_core_limit": 65536, "registers_per_block_limit": 65536,
    "block_dim_limit_x": 2**31 - 1, "block_dim_limit_y": 65535, "block_dim_limit_z": 65535,
    "thread_dim_limit_x": 1024, "thread_dim_limit_y": 1024, "thread_dim_limit_z": 64,
    "memory_bandwidth": 4_800_000_000_000, "l2_cache_size": 50 << 20, "clock_rate_ghz": SCALAR_GHZ,
    "device_memory_size": 141 << 30, "device_address_bits": 64, "pcie_bandwidth": 32 << 30,
}  # fmt: skip


def describe_rate(key: int, ghz: float, units: int, ops: int) -> str:
    return f"rate_infos {{ key: {key} value {{ clock_rate_ghz: {ghz} units_per_core: {units} ops_per_clock: {ops} }} }}"


def describe_h200() -> str:
    """The device as XLA's compiler wants it described (a text of GpuTargetConfigProto)."""
    limits = " ".join(f"{name}: {value}" for name, value in LIMITS.items())
    scalar = " ".join(describe_rate(key, SCALAR_GHZ, *rate) for key, rate in SCALAR_RATES.items())
    matrix = " ".join(describe_rate(key, MATRIX_GHZ, 4, rate) for key, rate in MATRIX_RATES.items())
    return (
        f"gpu_device_info {{ {limits} cuda_compute_capability {{ major: 9 }} ecc_enabled: true "
        f"scalar_unit_description {{ {scalar} }} matrix_unit_description {{ {matrix} }} "
        f'device_vendor: "NVIDIA Corporation" platform_version: "Compute Capability 9.0a" name: "NVIDIA H200" '
        f'driver_version: "13.0.0" runtime_version: "12.9.0" compile_time_toolkit_version: "12.9.0" '
        f'dnn_version: "9.10.0" device_interconnect_info {{ active_links: 18 }} }} platform_name: "CUDA" '
        f'dnn_version_info {{ major: 9 minor: 10 }} device_description_str: "NVIDIA H200"'
    )


def list_devices() -> list[Any]:
    from jax.experimental import topologies

    described = topologies.get_topology_desc(
        platform="cuda", topology_name="", topology=TOPOLOGY, target_config=describe_h200()
    )
    return list(described.devices)


def compile_text(text: str) -> Any:
    """XLA's executable, which cannot be run."""
    import numpy as np
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    devices = list_devices()
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    for each in (options, build):
        each.num_replicas, each.num_partitions = 1, len(devices)
        each.device_assignment = xla_client.DeviceAssignment.create(
            np.array([[device.id for device in devices]], np.int32)
        )
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    with make_ir_context():
        client = devices[0].client
        return client.compile(ir.Module.parse(text), xla_client.DeviceList(tuple(devices)), options)
