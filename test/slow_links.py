"""A machine on which products of a few numbers are worth running in pieces beside their gathers."""

from __future__ import annotations

from typing import Any


def make_machine(devices: int) -> dict[str, Any]:
    """Links as slow as products, and kernels and messages that take nothing to start: tiny pieces are worth it."""
    free = {"launch_ps": 0, "hop_ps": 0, "rate_ppm": 1_000_000}
    link = {"name": "link", "kind": "switch", "size": devices, "bytes_per_second": 10**9, "devices_per_port": 1}
    return {
        "base": "tpu-v5e:4x2",
        "name": "slow-links",
        "levels": [link | {"protocols": [free], "peer_hop_ps": 0}],
        "device": {
            "launch_ps": 0,
            "matmul_tile": 1,
            "matmul_efficiency": {"points": [[1, 1_000_000]]},
            "peak_flops_per_second": {"bf16": 10**9},
        },
    }
