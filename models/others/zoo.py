"""The models of this repository, tiny, run as planned beside `jax.jit` on one device: `make check-zoo`.

    python -m models.others.zoo [--only REGEX] [--strategy BP+MP]

Each is planned by an expert's schedule (the last that it has, unless one is named), run for three steps on eight
virtual CPU devices, or once if it does not train, and compared leaf by leaf as other people's models are
(models/others/compare.py). The exit code is 1 if one differs.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from models.others import row  # Sets up the virtual devices before JAX starts.

import jax  # isort: skip

import partita
from models.others.case import MESH, Case
from models.others.compare import Comparison
from models.registry import ZOO

SCHEDULES = Path(__file__).resolve().parents[1] / "schedules"


def make_case(name: str) -> Case:
    program = ZOO[name].program("tiny")
    arguments = program.arguments()
    return Case(program.fn, arguments, arguments[0], training=hasattr(arguments[0], "params"))


def compare(name: str, strategy: str | None = None) -> Comparison:
    """One device beside the plan of an expert's schedule."""
    chosen = strategy or ZOO[name].strategies[-1]
    case = make_case(name)
    schedule = SCHEDULES / f"{ZOO[name].layout}.{chosen}.json"
    plan = partita.plan(case.function, *case.arguments, mesh=MESH, schedule=schedule)
    return row.Reference(case).compare(plan)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m models.others.zoo", description="Run the zoo as planned.")
    parser.add_argument("--only", default="", help="regex searched in the model's name")
    parser.add_argument("--strategy", help="an expert's strategy; models that do not have it are left out")
    options = parser.parse_args()
    jax.config.update("jax_default_matmul_precision", "highest")
    different = 0
    for name, model in ZOO.items():
        if not re.search(options.only, name) or (options.strategy or model.strategies[0]) not in model.strategies:
            continue
        start = time.monotonic()
        found = compare(name, options.strategy)
        different += bool(found.differences)
        result = "; ".join(found.differences[:3]) or f"equal ({found.worst:.0e}, {len(found.by_f64)} leaves by f64)"
        used = options.strategy or model.strategies[-1]
        print(f"{name:24} {used:12} {result}  {time.monotonic() - start:.0f} s", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
