"""The evaluator against XLA on the CPU: thousands of programs of a single op, compared element by element.

Exact results are compared bit for bit, approximated ones within the units in the last place of op_cases/ulps.py. The
inputs come from a fixed seed; PARTITA_SEED=N draws others. XLA's answers are kept under build/.

Known to differ, and left out where the cases are made:
- XLA on the CPU takes denormal f32 and f64 (and bf16) for zeros; we do not. test_denormals.py has NumPy as the judge.
- Where XLA on the CPU is wrong: popcnt of i2 and i4 (it counts the copies of the sign), mulhi of i4, several updates
  of a scatter at an empty index, the order of the NaN of FNUZ types, zeta and polygamma outside their domain.
- Where the specification leaves the result open: reductions from a value that is not neutral, and the choice between
  equal elements in select_and_scatter.
- What XLA on the CPU cannot run (concatenation of i4, ragged_dot, ...) is compared with NumPy.
"""

from __future__ import annotations

import importlib
import os

import numpy as np
import pytest

import judge
from op_cases.case import Case

FAMILIES = ["elementwise", "shape", "indexing", "contraction", "reduction", "control", "linalg", "chlo"]
SEED = int(os.environ.get("PARTITA_SEED", "1"))
LEAST_CASES = 5000


def family_names() -> list[str]:
    names = []
    for name in FAMILIES:
        module = importlib.import_module(f"op_cases.{name}")
        names += [f"{name}.{family.__name__}" for family in module.FAMILIES]
    return names


def family_cases(name: str) -> list[Case]:
    module_name, function = name.split(".")
    random = np.random.default_rng([SEED, family_names().index(name)])
    return list(getattr(importlib.import_module(f"op_cases.{module_name}"), function)(random))


@pytest.mark.parametrize("family", family_names())
def test_family(family: str) -> None:
    cases = family_cases(family)
    verdict = judge.judge(cases)
    print(f"{family}: {verdict.agreed} of {len(cases)} agree")
    assert not verdict.mismatches, "\n" + verdict.summary()
    assert not verdict.unjudged, "XLA cannot run: " + "\n".join(map(str, verdict.unjudged))
    assert verdict.agreed == len(cases) > 0


def test_there_are_enough() -> None:
    cases = [case for name in family_names() for case in family_cases(name)]
    ops = {case.op for case in cases}
    pairs = {(case.op, case.element) for case in cases}
    print(f"judge: {len(cases)} programs of {len(ops)} ops, {len(pairs)} pairs of op and type")
    assert len(cases) >= LEAST_CASES


def test_a_wrong_answer_is_found() -> None:
    """The comparison can fail: by one bit, a sign of zero, an integer, a unit in the last place too many."""
    one = np.array([1.0, 0.0, np.nan], np.float32)
    exact = Case("stablehlo.add", "f32", "", "", (), ("tensor<3xf32>",))
    assert judge.difference(exact, [one], [one.copy()]) is None
    assert judge.difference(exact, [np.nextafter(one, np.float32(9))], [one]) is not None
    assert judge.difference(exact, [one * np.array([1, -1, 1], np.float32)], [one]) is not None
    assert judge.difference(exact, [np.array([1.0, 0.0, 0.0], np.float32)], [one]) is not None
    near = Case("stablehlo.tanh", "f32", "", "", (), ("tensor<3xf32>",), judge.Tolerance(ulps=1))
    beside = np.array([np.nextafter(np.float32(1), np.float32(2)), 0, np.nan], np.float32)
    beyond = np.nextafter(beside, np.float32(2))
    assert judge.difference(near, [beside], [one]) is None
    assert judge.difference(near, [beyond], [one]) is not None
    whole = Case("stablehlo.add", "i8", "", "", (), ("tensor<2xi8>",))
    assert judge.difference(whole, [np.array([1, 2], np.int8)], [np.array([1, 3], np.int8)]) is not None
