"""Machines as the scaling book computes with them: nominal rates, no launches, hops of a microsecond, matrix products
at peak. Only closed forms are priced on these (`accuracy_closed_forms.py`); presets have what is reached.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from training_programs import CACHE, JsonObject

MICROSECOND = 1_000_000


@dataclass(frozen=True)
class Chip:
    """FLOP/s of bf16, bytes/s of a link in one direction and of memory, bytes of memory (jax-ml/scaling-book)."""

    flops: float
    link: float
    memory: float
    memory_bytes: float

    @property
    def alpha(self) -> float:
        return self.flops / (2 * self.link)


CHIPS = {
    "tpu-v4": Chip(275e12, 4.5e10, 1.2e12, 32e9),
    "tpu-v5e": Chip(197e12, 4.5e10, 8.1e11, 16e9),
    "tpu-v5p": Chip(459e12, 9e10, 2.8e12, 96e9),
    "tpu-v6e": Chip(918e12, 9e10, 1.6e12, 32e9),
    "tpu-7x": Chip(2307e12, 9e10, 7.4e12, 192e9),
}
#: A host's card, which its chips share.
DCN, CHIPS_OF_A_HOST = 2.5e10, 4


def make_level(name: str, kind: str, size: int, rate: float, sharers: int = 1, hop: int = MICROSECOND) -> JsonObject:
    protocol = {"launch_ps": 0, "hop_ps": hop, "rate_ppm": 1_000_000}
    return {
        "name": name, "kind": kind, "size": size, "bytes_per_second": int(rate), "devices_per_port": sharers,
        "protocols": [protocol],
    }  # fmt: skip


def write_book_machine(
    chip: str, sizes: list[int], slices: int = 1, wraps: bool = True, streams_free: bool = True
) -> str:
    """A torus of these sizes, and slices of it over the data-centre network. `streams_free`: only products cost."""
    figures = CHIPS[chip]
    kind = "ring" if wraps else "line"
    levels = [make_level(name, kind, size, figures.link) for name, size in zip("xyz", sizes, strict=False)]
    if slices > 1:
        levels.insert(0, make_level("slice", "switch", slices, DCN, CHIPS_OF_A_HOST, hop=0))
    memory_rate = figures.memory * (1000 if streams_free else 1)
    machine = {
        "partita_machine": 1,
        "name": f"{chip} of the book",
        "device": {
            "peak_flops_per_second": {"bf16": int(figures.flops), "int8": int(2 * figures.flops)},
            "memory_bytes": int(figures.memory_bytes),
            "memory_bytes_per_second": int(memory_rate),
            "launch_ps": 0,
        },
        "levels": levels,
        "hierarchical_collectives": True,
    }
    name = "x".join(map(str, sizes)) + ("" if wraps else "_open") + ("" if streams_free else "_memory")
    path = CACHE / "machines" / f"book_{chip}_{slices}_{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(machine))
    return str(path)
