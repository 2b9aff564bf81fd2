"""Whether the comparison notices a gradient that is not reduced: `python -m models.others.mutant`.

A small step of Adam under data parallelism is run as planned, and again from a local program in which the all_reduce of
one gradient has every device for itself as its group. The leaves that differ are printed as JSON, for both, and those
of the first that f64 decided: the gradient of a shift of all logits is zero but for rounding.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from models.others import row  # Sets up the virtual devices before JAX starts.

import jax  # isort: skip
import jax.numpy as jnp

import partita
from models.others.case import MESH, Case, cross_entropy, random_floats, random_tokens, train
from models.others.compare import Comparison

SHAPES = ("16x32", "32x16")


def without_reduction(text: str) -> str:
    """The local program in which the first all_reduce of a value of one of SHAPES reduces nothing."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if '"stablehlo.all_reduce"' not in line:
            continue
        end = next(later for later in lines[number:] if later.lstrip().startswith("}) :"))
        if any(f"(tensor<{shape}xf32>)" in end for shape in SHAPES):
            alone = ", ".join(f"[{device}]" for device in range(8))
            groups = f"replica_groups = dense<[{alone}]> : tensor<8x1xi64>"
            lines[number] = re.sub(r"replica_groups = dense<\[\[.*?\]\]> : tensor<4x2xi64>", groups, line)
            return "\n".join(lines)
    raise ValueError("no gradient is reduced")


def make_case() -> Case:
    params = {"w1": random_floats((16, 32)) / 4, "w2": random_floats((32, 8), 1) / 6, "shift": random_floats((1,), 3)}

    def loss(params: Any, batch: Any) -> jax.Array:
        return cross_entropy(jnp.tanh(batch["x"] @ params["w1"]) @ params["w2"] + params["shift"], batch["y"])

    return train(loss, params, {"x": random_floats((8, 16), 2), "y": random_tokens((8,), 8)})


def main() -> None:
    jax.config.update("jax_default_matmul_precision", "highest")
    case = make_case()
    reference = row.Reference(case)

    def make_plan() -> partita.Plan:
        return partita.plan(
            case.function, *case.arguments, mesh=MESH, schedule=case.schedule()[:1], donate_argnums=(0,)
        )

    whole = reference.compare(make_plan())
    changed = make_plan()  # Not the plan that has run: it keeps what it compiled.
    changed._files["local.mlir"] = without_reduction(changed.local_text())
    mutant = reference.compare(changed)
    json.dump([_names(whole), list(whole.by_f64), _names(mutant)], sys.stdout)


def _names(comparison: Comparison) -> list[str]:
    """Of the leaves that differ."""
    return [difference.split(":")[0] for difference in comparison.differences]


if __name__ == "__main__":
    main()
