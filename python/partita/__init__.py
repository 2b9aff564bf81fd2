"""Partita, an open automatic SPMD partitioner for JAX and StableHLO programs.

    plan = partita.plan(train_step, state, batch, mesh={"data": 4, "model": 2}, machine="h100-sxm:1x8")
    step = plan.jit()
    state, loss = step(plan.put(state), batch)

`python -m partita` is the command-line tool, which needs no JAX: what does is imported when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from partita._src.binary import find_binary
from partita._src.errors import (
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
from partita._src.version import VERSION

if TYPE_CHECKING:
    from partita import machines, presets, stages
    from partita._src.calibration import Calibration, calibrate
    from partita._src.checking import Check
    from partita._src.execution import PlannedFunction
    from partita._src.exported_rules import ExportedRules
    from partita._src.fused_attention import attention
    from partita._src.kernels import kernel
    from partita._src.loading import load
    from partita._src.logical_axes import Logical, logical
    from partita._src.measuring import measure
    from partita._src.planned_jit import jit
    from partita._src.planning import plan
    from partita._src.plans import Plan
    from partita._src.report import Comparison, Report
    from partita._src.strategies import shardings
    from partita._src.sweeping import Sweep, SweepRow, sweep
    from partita._src.tactics import Tactic, accumulate, auto, cut, keep, recompute, replicate, side, tile
    from partita._src.verification import Verification

__version__ = VERSION

#: Where a name is that is imported when it is first used.
_LATER = {
    "Calibration": "_src.calibration",
    "Check": "_src.checking",
    "Comparison": "_src.report",
    "ExportedRules": "_src.exported_rules",
    "Plan": "_src.plans",
    "PlannedFunction": "_src.execution",
    "Report": "_src.report",
    "Sweep": "_src.sweeping",
    "SweepRow": "_src.sweeping",
    "Tactic": "_src.tactics",
    "Verification": "_src.verification",
    "accumulate": "_src.tactics",
    "attention": "_src.fused_attention",
    "auto": "_src.tactics",
    "calibrate": "_src.calibration",
    "cut": "_src.tactics",
    "jit": "_src.planned_jit",
    "keep": "_src.tactics",
    "kernel": "_src.kernels",
    "load": "_src.loading",
    "Logical": "_src.logical_axes",
    "logical": "_src.logical_axes",
    "measure": "_src.measuring",
    "plan": "_src.planning",
    "recompute": "_src.tactics",
    "replicate": "_src.tactics",
    "shardings": "_src.strategies",
    "side": "_src.tactics",
    "sweep": "_src.sweeping",
    "tile": "_src.tactics",
}

_MODULES = ("machines", "presets", "stages")

# As tracebacks and warnings name them.
for _error in (
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
):
    _error.__module__ = "partita"

__all__ = [
    "Calibration",
    "Check",
    "Comparison",
    "DifferenceError",
    "DoesNotFitWarning",
    "ExportedRules",
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
    "Sweep",
    "SweepRow",
    "Tactic",
    "UnpricedWarning",
    "UnsupportedError",
    "UsageError",
    "Verification",
    "__version__",
    "accumulate",
    "attention",
    "auto",
    "calibrate",
    "cut",
    "find_binary",
    "jit",
    "keep",
    "kernel",
    "load",
    "logical",
    "machines",
    "measure",
    "plan",
    "presets",
    "recompute",
    "replicate",
    "shardings",
    "side",
    "stages",
    "sweep",
    "tile",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"partita.{name}")
    if name in _LATER:
        return getattr(importlib.import_module(f"partita.{_LATER[name]}"), name)
    raise AttributeError(f"module 'partita' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
