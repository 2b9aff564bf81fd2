"""How many units in the last place a function may differ from XLA's on the CPU, by op and element type."""

from __future__ import annotations

from element_types import F8, is_complex, is_float

from op_cases.case import EXACT, Tolerance

F32_ULPS: dict[str, int] = {}


def tolerance_of(op: str, element: str) -> Tolerance:
    return EXACT
