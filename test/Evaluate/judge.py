"""Runs cases under `partita eval` and under XLA, many in one module, and tells where they differ.

A module is @main, which calls one private function for each case. If either side cannot run a module, it is cut in
halves until the cases that are to blame stand alone.
"""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

import xla_runner
from element_types import NAMES, is_complex, is_float, type_of
from op_cases.case import Case, Tolerance
from partita_eval import EvaluationError, evaluate

MODULE_CASES = 80
"""Cases in a module: XLA takes about half a second for each module, and more than linear time in large ones."""


@dataclass(frozen=True)
class Mismatch:
    """What is different in one case, in words."""

    case: Case
    text: str

    def __str__(self) -> str:
        return f"{self.case.op} {self.case.element} ({self.case.label}): {self.text}"


@dataclass
class Verdict:
    """Of all cases: how many agree, which do not, and which XLA on the CPU cannot run (with its reason)."""

    agreed: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    unjudged: list[Mismatch] = field(default_factory=list)

    def __iadd__(self, other: Verdict) -> Verdict:
        self.agreed += other.agreed
        self.mismatches += other.mismatches
        self.unjudged += other.unjudged
        return self

    def summary(self) -> str:
        """The differing cases by op and element type, with the first of each."""
        groups: dict[tuple[str, str], list[Mismatch]] = defaultdict(list)
        for mismatch in self.mismatches:
            groups[mismatch.case.op, mismatch.case.element].append(mismatch)
        lines = [f"{op} {element}: {len(found)} differ; {found[0]}" for (op, element), found in sorted(groups.items())]
        return "\n".join(lines)


# ----------------------------------------------------------------------------------------------------------------------
# Modules
# ----------------------------------------------------------------------------------------------------------------------


def module_text(cases: Sequence[Case]) -> str:
    """@main has the inputs of all cases in order, and gives the results of all."""
    arguments, calls, returned, types = [], [], [], []
    for number, case in enumerate(cases):
        names = [f"%c{number}_{i}" for i in range(len(case.inputs))]
        inputs = [type_of(array) for array in case.inputs]
        arguments += [f"{name}: {text}" for name, text in zip(names, inputs, strict=True)]
        count = len(case.results)
        calls.append(
            f"  %r{number}:{count} = func.call @case{number}({', '.join(names)})"
            f" : ({', '.join(inputs)}) -> ({', '.join(case.results)})"
        )
        returned += [f"%r{number}#{i}" for i in range(count)]
        types += case.results
    functions = [case.function(f"case{number}", "private ") for number, case in enumerate(cases)]
    main = [f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{", *calls]
    main += [f"  return {', '.join(returned)} : {', '.join(types)}", "}"]
    return "\n".join([*functions, *main]) + "\n"


Outputs = list[list[np.ndarray]]


def split_results(cases: Sequence[Case], results: Sequence[np.ndarray]) -> Outputs:
    remaining = iter(results)
    return [[next(remaining) for _ in case.results] for case in cases]


XLA_OPTIONS: dict[str, Any] = {"xla_backend_optimization_level": 0}
"""Half the time of compilation, and the same bits: what LLVM would optimise does not change results."""
WITH_EMITTERS = XLA_OPTIONS | {"xla_cpu_use_fusion_emitters": True}
"""As users have it. It takes several times as long as without, and some results differ in the last place, or in what an
unusual type does: it has the last word."""


def run_judge(options: dict[str, Any], cases: Sequence[Case]) -> Outputs:
    inputs = [array for case in cases for array in case.inputs]
    return split_results(cases, xla_runner.run_cached(module_text(cases), inputs, **options))


def run_ours(cases: Sequence[Case]) -> Outputs:
    inputs = [array for case in cases for array in case.inputs]
    return split_results(cases, evaluate(module_text(cases), inputs))


def run_halving(
    run: Callable[[Sequence[Case]], Outputs], cases: Sequence[Case], error: type[Exception]
) -> list[list[np.ndarray] | Exception]:
    """The results of each case, or why it cannot be run."""
    try:
        return list(run(cases))
    except error as reason:
        if len(cases) == 1:
            return [reason]
    middle = len(cases) // 2
    return run_halving(run, cases[:middle], error) + run_halving(run, cases[middle:], error)


# ----------------------------------------------------------------------------------------------------------------------
# Comparison
# ----------------------------------------------------------------------------------------------------------------------


def flush(values: np.ndarray) -> np.ndarray:
    """Denormals become zeros of their sign, as XLA on the CPU has it for f32, f64 and what it computes in them."""
    limits = ml_dtypes.finfo(values.dtype)
    with np.errstate(invalid="ignore"):
        tiny = np.abs(values) < limits.smallest_normal
    return np.where(tiny, np.copysign(np.zeros_like(values), values), values)


def ordered(values: np.ndarray) -> np.ndarray:
    """Integers, neighbours for neighbouring floats, and the same for both zeros."""
    bits = values.view(f"u{values.dtype.itemsize}").astype(np.uint64)
    sign = np.uint64(1) << np.uint64(values.dtype.itemsize * 8 - 1)
    magnitude = (bits & (sign - np.uint64(1))).astype(np.int64)
    return np.where(bits & sign != 0, -magnitude, magnitude)


def wrong_floats(ours: np.ndarray, judged: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Which elements are too far away."""
    with np.errstate(invalid="ignore"):
        nan, judged_nan = np.isnan(ours), np.isnan(judged)
    both_nan, unlike = nan & judged_nan, nan != judged_nan
    if tolerance == Tolerance():
        bits = f"u{ours.dtype.itemsize}"
        return unlike | ~both_nan & (ours.view(bits) != judged.view(bits))
    with np.errstate(all="ignore"):
        far = np.abs(ordered(ours) - ordered(judged)) > tolerance.ulps
        near = np.abs(ours.astype(np.float64) - judged.astype(np.float64)) <= tolerance.absolute
    return unlike | ~both_nan & far & ~near


def wrong_complex(ours: np.ndarray, judged: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """Units in the last place of the larger part: the smaller is a difference of large terms in most functions."""
    parts = [(ours.real, judged.real), (ours.imag, judged.imag)]
    wrong = np.zeros(ours.shape, bool)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(judged.real), np.abs(judged.imag)).astype(np.float64)
        allowed = tolerance.ulps * np.spacing(np.where(np.isfinite(scale), scale, 1).astype(judged.real.dtype))
        for mine, theirs in parts:
            mine, theirs = np.ascontiguousarray(mine), np.ascontiguousarray(theirs)
            far = wrong_floats(mine, theirs, tolerance)
            if tolerance != Tolerance():
                far &= ~(np.abs(mine.astype(np.float64) - theirs.astype(np.float64)) <= allowed)
            wrong |= far
    return wrong


def find_wrong(ours: np.ndarray, judged: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    name = NAMES[judged.dtype]
    if is_complex(name):
        return wrong_complex(ours, judged, tolerance)
    if is_float(name):
        if name in ("f32", "f64", "bf16"):
            ours, judged = flush(ours), flush(judged)
        return wrong_floats(ours, judged, tolerance)
    wide = np.uint64 if name == "ui64" else np.int64
    return ours.astype(wide) != judged.astype(wide)


def difference(case: Case, ours: Sequence[np.ndarray], judged: Sequence[np.ndarray]) -> str | None:
    """The first element that is too far from the judge's, in words."""
    for number, (mine, theirs) in enumerate(zip(ours, judged, strict=True)):
        if mine.shape != theirs.shape or mine.dtype.itemsize != theirs.dtype.itemsize:
            return f"result {number} is {mine.dtype}{mine.shape}, not {theirs.dtype}{theirs.shape}"
        typed = np.ascontiguousarray(mine).view(theirs.dtype).reshape(theirs.shape)
        wrong = find_wrong(typed.reshape(-1), np.ascontiguousarray(theirs).reshape(-1), case.tolerance)
        if case.tolerance.finite_only:
            wrong &= all_finite([*case.inputs, theirs])
        if wrong.any():
            return describe(case, number, typed, theirs, int(np.argmax(wrong)), int(wrong.sum()))
    return None


def all_finite(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Of an elementwise op: where all inputs and the result are finite."""
    return np.logical_and.reduce([np.isfinite(array).reshape(-1) for array in arrays])


def describe(case: Case, result: int, ours: np.ndarray, judged: np.ndarray, at: int, count: int) -> str:
    place = [int(i) for i in np.unravel_index(at, judged.shape)]
    text = f"result {result}{place} is {ours.reshape(-1)[at]!r}, XLA has {judged.reshape(-1)[at]!r}"
    same_shape = [array.reshape(-1)[at] for array in case.inputs if array.shape == judged.shape]
    text += f", of {same_shape!r}" if same_shape else ""
    return f"{text}; {count} of {judged.size} elements"


def judge_module(cases: Sequence[Case]) -> Verdict:
    """Where quickly compiled programs differ from ours, or cannot be run, XLA is asked once more, as users have it."""
    verdict = judge_against(XLA_OPTIONS, cases)
    doubtful = [mismatch.case for mismatch in [*verdict.mismatches, *verdict.unjudged]]
    if doubtful:
        verdict.mismatches, verdict.unjudged = [], []
        verdict += judge_against(WITH_EMITTERS, doubtful)
    return verdict


def judge_against(options: dict[str, Any], cases: Sequence[Case]) -> Verdict:
    verdict = Verdict()
    for_xla = [case for case in cases if case.expected is None]
    ask = functools.partial(run_judge, options)
    answers = iter(run_halving(ask, for_xla, xla_runner.RejectedError) if for_xla else [])
    judged = [next(answers) if case.expected is None else list(case.expected) for case in cases]
    rejected = [(case, why) for case, why in zip(cases, judged, strict=True) if isinstance(why, Exception)]
    verdict.unjudged = [Mismatch(case, str(why).splitlines()[0]) for case, why in rejected]
    runnable = [(case, r) for case, r in zip(cases, judged, strict=True) if not isinstance(r, Exception)]
    if not runnable:
        return verdict
    ours = run_halving(run_ours, [case for case, _ in runnable], EvaluationError)
    for (case, theirs), mine in zip(runnable, ours, strict=True):
        text = str(mine) if isinstance(mine, Exception) else difference(case, mine, theirs)
        if text is None:
            verdict.agreed += 1
        else:
            verdict.mismatches.append(Mismatch(case, text.strip()))
    return verdict


def judge(cases: Sequence[Case]) -> Verdict:
    """Modules are judged side by side: both XLA and the evaluator's process leave Python free meanwhile."""
    modules = [cases[start : start + MODULE_CASES] for start in range(0, len(cases), MODULE_CASES)]
    verdict = Verdict()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
        for part in workers.map(judge_module, modules):
            verdict += part
    return verdict
