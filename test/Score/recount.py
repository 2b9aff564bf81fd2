"""What a local program moves, counted from its text alone, through jaxlib's reader: `partita score` must say the same.

    python test/Score/recount.py local.mlir

Nothing here knows of plans, prices or Partita's own reader. A collective counts as often as the loops around it run;
its payload is its operand, of an all_gather its result. Groups are kept as the devices that talk with device 0, and
those of permutes as none.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

KINDS = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute")

Group = tuple[int, ...]


@dataclass
class Moved:
    count: int = 0
    bytes: int = 0


def bits_of(element: Any) -> int:
    if isinstance(element, ir.ComplexType):
        return 2 * bits_of(element.element_type)
    text = str(element)
    if text.startswith("!quant"):
        raise NotImplementedError(text)
    width = int("".join(c for c in text.removeprefix("f8").removeprefix("bf") if c.isdigit()) or 0)
    if text.startswith("f8"):
        return 8
    return max(width, 8) if width == 1 else width


def bytes_of(value: Any) -> int:
    shaped = ir.RankedTensorType(value.type)
    return (int(np.prod(shaped.shape, dtype=np.int64)) * bits_of(shaped.element_type) + 7) // 8


def constant_of(value: Any) -> int | None:
    """The integer that a scalar constant holds."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "stablehlo.constant":
        return None
    attribute = ir.DenseElementsAttr(owner.attributes["value"])
    return int(np.array(attribute).reshape(-1)[0]) if ir.RankedTensorType(value.type).rank == 0 else None


def resolve(value: Any, loop: Any) -> Any:
    """What stands behind a value that the loop only passes on."""
    while isinstance(value.owner, ir.Block) and value.owner.owner == loop:
        number = ir.BlockArgument(value).arg_number
        returned = loop.regions[1].blocks[0].operations
        last = list(returned)[-1].operands[number]
        if not isinstance(last.owner, ir.Block) or ir.BlockArgument(last).arg_number != number:
            return value
        value = loop.operands[number]
    return value


def trips_of(loop: Any) -> int:
    """Iterations of a loop that counts up: its condition compares the counter with a constant. Others count as one."""
    compare = list(loop.regions[0].blocks[0].operations)[-1].operands[0].owner
    is_upward = compare.name == "stablehlo.compare" and "LT" in str(compare.attributes["comparison_direction"])
    if not is_upward or not isinstance(compare.operands[0].owner, ir.Block):
        return 1
    number = ir.BlockArgument(compare.operands[0]).arg_number
    start, limit = constant_of(loop.operands[number]), constant_of(resolve(compare.operands[1], loop))
    added = list(loop.regions[1].blocks[0].operations)[-1].operands[number].owner
    steps = [constant_of(resolve(operand, loop)) for operand in added.operands]
    step = next((step for step in steps if step is not None), None)
    if limit is None or start is None or step is None or added.name != "stablehlo.add":
        return 1
    return max(0, -(-(limit - start) // step))


def group_of(op: Any) -> Group:
    """Devices that talk with device 0, in ascending order."""
    if op.name == "stablehlo.collective_permute":
        return ()
    groups = np.array(ir.DenseIntElementsAttr(op.attributes["replica_groups"]))
    return tuple(sorted(int(device) for device in next(group for group in groups if 0 in group)))


def count_block(block: Any, times: int, found: dict[tuple[str, Group], Moved]) -> None:
    for op in block.operations:
        kind = op.operation.name.removeprefix("stablehlo.")
        if kind in KINDS:
            moved = found[kind, group_of(op.operation)]
            for value in op.operation.results if kind == "all_gather" else op.operation.operands:
                moved.count += times
                moved.bytes += times * bytes_of(value)
            continue
        inner = times * trips_of(op.operation) if kind == "while" else times
        for number, region in enumerate(op.operation.regions):
            for nested in region.blocks:
                # A condition holds no collectives that matter: it runs once more than the body.
                count_block(nested, times if kind == "while" and number == 0 else inner, found)


def count_collectives(text: str) -> dict[tuple[str, Group], Moved]:
    """By kind and group."""
    found: dict[tuple[str, Group], Moved] = defaultdict(Moved)
    with make_ir_context():
        for op in ir.Module.parse(text).body.operations:
            if op.operation.name == "func.func":
                count_block(op.regions[0].blocks[0], 1, found)
    return dict(found)


def main() -> int:
    for (kind, group), moved in sorted(count_collectives(Path(sys.argv[1]).read_text()).items()):
        print(f"{kind:20} {group!s:24} {moved.count:6} x {moved.bytes:14} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
