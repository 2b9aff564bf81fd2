"""Strategies with names, made for a program when it is known: `schedule=partita.presets.fsdp("data")`.

They find by structure what is state (an argument that comes back as a result), what is a batch (other arrays that share
their first dim), and what are parameters (state that the loss depends on). Every choice can be given as a pattern. What
cannot be split is reported, and where nothing is found, `optional=True` lets that pass, too. A schedule file says the
same as `{"preset": "fsdp", "axis": "data"}`.
"""

from partita._src.presets import data_parallel, fsdp, megatron, pipeline, zero2, zero3

__all__ = ["data_parallel", "fsdp", "megatron", "pipeline", "zero2", "zero3"]
