"""Strategies with names, as `partita.presets` has them; the tool finds what they speak of in the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita._src.errors import UsageError
from partita._src.names import Names
from partita._src.programs import Program
from partita._src.tactics import Preset


def _write(kind: str, axis: str, optional: bool, patterns: Mapping[str, str | None], dim: int | None = None) -> Preset:
    """A preset as the tool reads it."""
    if not isinstance(axis, str):
        raise UsageError(
            f"{axis!r} is not an axis",
            remedy=f"give the name of one axis; for several, one preset each: [{kind}('data'), {kind}('model')]",
        )

    def preset(program: Program, names: Names) -> list[Mapping[str, Any]]:
        given = {word: names.translate(pattern) for word, pattern in patterns.items() if pattern is not None}
        entry: dict[str, Any] = {"preset": kind, "axis": axis, **given}
        return [entry | ({} if dim is None else {"dim": dim}) | ({"optional": True} if optional else {})]

    return preset


def data_parallel(axis: str, *, batch: str | None = None, dim: int | None = None, optional: bool = False) -> Preset:
    """Splits the batch over `axis`. `batch` is a pattern for its arrays, found by structure if not given; `dim` is the
    first that no loop steps through, as one over micro batches does."""
    return _write("data_parallel", axis, optional, {"batch": batch}, dim)


def zero2(axis: str, *, parameters: str | None = None, optimizer: str | None = None, optional: bool = False) -> Preset:
    """Optimizer state split over `axis`, parameters whole (ZeRO-2). Comes after `data_parallel`."""
    return _write("zero2", axis, optional, {"parameters": parameters, "optimizer": optimizer})


def zero3(axis: str, *, state: str | None = None, optional: bool = False) -> Preset:
    """Parameters and optimizer state split over `axis` (ZeRO-3). Comes after `data_parallel`."""
    return _write("zero3", axis, optional, {"state": state})


def fsdp(
    axis: str, *, batch: str | None = None, state: str | None = None, dim: int | None = None, optional: bool = False
) -> Preset:
    """Fully sharded data parallelism: `data_parallel`, then `zero3`, over one axis."""
    return _write("fsdp", axis, optional, {"batch": batch, "state": state}, dim)


def megatron(axis: str, *, column: str | None = None, row: str | None = None, optional: bool = False) -> Preset:
    """Tensor parallelism: matrices split along their outputs, the ones behind them along their inputs.

    Without patterns it goes by structure: in the order of their use, the largest output dim of each matrix is split, if
    propagation from those before has not yet split another; so the second matrix of a pair follows from the first.
    Of attention the heads are split; where the axis does not divide them, they stay whole, and so do keys and values
    that all heads share.
    Where other outputs cannot be split (10 classes; gates of an LSTM that are joined, or a fused matrix that is cut,
    before it is multiplied), experts are, or else inputs.
    `column` and `row` are patterns for those that are split along their last or their second-last dim.
    """
    return _write("megatron", axis, optional, {"column": column, "row": row})


def pipeline(
    axis: str,
    *,
    microbatches: int,
    repeats: int = 1,
    store: bool = False,
    layers: str | None = None,
    name: str = "pipeline",
) -> Preset:
    """Pipeline parallelism (GPipe): each device of `axis` runs an equal part of the layers, microbatch by microbatch.

    The layers must be stacked and scanned over, and the number of layers divisible by the size of the axis. `layers` is
    a pattern for their stacked weights; without it all that a loop over layers steps through is meant. The batch is cut
    into `microbatches`; of `microbatches + stages - 1` ticks each device is idle in `stages - 1`, so four times as many
    as there are stages waste a fifth. Forward and backward pass are pipelines of their own: the loss sees the whole
    batch.

    With `repeats` the pipeline is circular: each device has so many blocks of layers, and a microbatch goes around all
    devices so many times. Of `repeats * microbatches + stages - 1` shorter ticks each device is idle in `stages - 1`,
    if the number of microbatches is a multiple of that of the stages. Weights are brought to their devices in each
    step; with `store` they have another order of layers between steps, too (`plan.put` and `plan.unput` convert).

    It comes with other tactics: `schedule=[presets.pipeline("pipe", microbatches=8), presets.fsdp("data")]`.
    """
    if not isinstance(microbatches, int) or isinstance(microbatches, bool) or microbatches < 1:
        raise UsageError(f"{microbatches!r} is not a number of microbatches", remedy="give 1 or more")
    if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
        raise UsageError(f"{repeats!r} is not a number of repeats", remedy="give 1 or more")

    def tactic(program: Program, names: Names) -> list[Mapping[str, Any]]:
        patterns = [] if layers is None else [names.translate(layers)]
        made = {"name": name, "axis": axis, "pipeline": patterns, "microbatches": microbatches}
        return [made | ({"repeats": repeats} if repeats > 1 else {}) | ({"store": True} if store else {})]

    return tactic
