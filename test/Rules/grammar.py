"""Op instances to validate rules with, from a grammar for each op: every one is a function of a module.

    python test/Rules/grammar.py --count 100 --seed 1 [--op stablehlo.gather ...] > instances.mlir

The same seed gives the same instances; an op's do not depend on which others are asked for.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import contraction
import elementwise
import indexing
import linalg
import reduction
import shapes

MAKERS = elementwise.MAKERS | shapes.MAKERS | contraction.MAKERS | indexing.MAKERS | reduction.MAKERS | linalg.MAKERS


MESH = 'sdy.mesh @mesh = <["x"=2]>\n'


def instances(op: str, count: int, seed: int) -> list[str]:
    """Different functions of one op; fewer than `count` only where the grammar has no more."""
    rng = random.Random(f"{op} {seed}")
    found: dict[str, str] = {}
    for _ in range(count * 20):
        if len(found) == count:
            break
        function = MAKERS[op](rng)
        found.setdefault(function.text(""), function.text(f"{op.replace('.', '_')}_{len(found)}"))
    return list(found.values())


def program(ops: Iterable[str], count: int, seed: int) -> str:
    """A module with `count` instances of each op, and the mesh that those of sdy name."""
    return MESH + "\n".join(text for op in ops for text in instances(op, count, seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="instances of each op")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op", action="append", choices=sorted(MAKERS), help="only this op; may be repeated")
    options = parser.parse_args()
    print(program(options.op or sorted(MAKERS), options.count, options.seed))


if __name__ == "__main__":
    main()
