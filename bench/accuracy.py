"""How well Partita predicts: `make accuracy`, or `python bench/accuracy.py SECTION ...` for some of it.

Sections print their tables; the exit code is 1 if a floor is missed. docs/accuracy.md holds the last output.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Programs come from the zoo, which stands beside this folder.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import accuracy_calibrated
import accuracy_closed_forms
import accuracy_collectives
import accuracy_formula
import accuracy_gpu
import accuracy_ops
import accuracy_pipelines
import accuracy_plans
import accuracy_products
import accuracy_published
import accuracy_training

SECTIONS = {
    "collectives": accuracy_collectives.report,
    "closed forms": accuracy_closed_forms.report,
    "training steps": accuracy_training.report,
    "published steps": accuracy_published.report,
    "pipelines": accuracy_pipelines.report,
    "memory on GPUs": accuracy_gpu.report_memory,
    "memory on CPUs": accuracy_gpu.report_cpu_memory,
    "times on a GPU": accuracy_gpu.report_timing,
    "plans on a GPU": accuracy_plans.report,
    "ops on a GPU": accuracy_ops.report,
    "a calibrated H200": accuracy_calibrated.report,
    "products of other chips": accuracy_products.report,
    "formula and timeline": accuracy_formula.report,
}


def main() -> int:
    missed = []
    chosen = sys.argv[1:] or list(SECTIONS)
    for name in chosen:
        lines, holds = SECTIONS[name]()
        print(f"== {name}")
        print("\n".join(lines))
        if not holds:
            missed.append(name)
    for name in missed:
        print(f"floor missed: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
