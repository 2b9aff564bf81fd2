"""Partita, an open automatic SPMD partitioner for JAX and StableHLO programs.

    plan = partita.plan(train_step, state, batch, mesh={"data": 4, "model": 2}, machine="h100-sxm:1x8")
    step = plan.jit()
    state, loss = step(plan.put(state), batch)

`python -m partita` is the command-line tool, which needs no JAX: what does is imported when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from partita.binary import find_binary
from partita.errors import (
    DifferenceError,
    DoesNotFitWarning,
    FileError,
    IncompleteWarning,
    InputError,
    InternalError,
    LimitError,
    PartitaError,
    UnpricedWarning,
    UnsupportedError,
    UsageError,
)

if TYPE_CHECKING:
    from partita import presets
    from partita.checking import Check
    from partita.execution import PlannedFunction
    from partita.fused_attention import attention
    from partita.kernels import kernel
    from partita.loading import load
    from partita.logical_axes import Logical, logical
    from partita.planned_jit import jit
    from partita.planning import plan
    from partita.plans import Plan
    from partita.report import Comparison, Report
    from partita.strategies import shardings
    from partita.tactics import Tactic, accumulate, auto, cut, replicate, side, tile
    from partita.verification import Verification

__version__ = "0.1.0"

_LATER = {
    "Check": "checking",
    "Comparison": "report",
    "Plan": "plans",
    "PlannedFunction": "execution",
    "Report": "report",
    "Tactic": "tactics",
    "Verification": "verification",
    "accumulate": "tactics",
    "attention": "fused_attention",
    "auto": "tactics",
    "cut": "tactics",
    "jit": "planned_jit",
    "kernel": "kernels",
    "load": "loading",
    "Logical": "logical_axes",
    "logical": "logical_axes",
    "plan": "planning",
    "replicate": "tactics",
    "shardings": "strategies",
    "side": "tactics",
    "tile": "tactics",
}

__all__ = [
    "Check",
    "Comparison",
    "DifferenceError",
    "DoesNotFitWarning",
    "FileError",
    "IncompleteWarning",
    "InputError",
    "InternalError",
    "LimitError",
    "Logical",
    "PartitaError",
    "Plan",
    "PlannedFunction",
    "Report",
    "Tactic",
    "UnpricedWarning",
    "UnsupportedError",
    "UsageError",
    "Verification",
    "__version__",
    "accumulate",
    "attention",
    "auto",
    "cut",
    "find_binary",
    "jit",
    "kernel",
    "load",
    "logical",
    "plan",
    "presets",
    "replicate",
    "shardings",
    "side",
    "tile",
]


def __getattr__(name: str) -> Any:
    if name == "presets":
        return importlib.import_module("partita.presets")
    if name in _LATER:
        return getattr(importlib.import_module(f"partita.{_LATER[name]}"), name)
    raise AttributeError(f"module 'partita' has no attribute {name!r}")
