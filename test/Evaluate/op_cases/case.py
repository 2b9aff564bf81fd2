"""One case: a function around one op, the inputs to run it on, and how near the results must be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from element_types import DTYPES, NAMES, tensor_type, type_of


@dataclass(frozen=True)
class Tolerance:
    """How far a float may be from the judge's: units in the last place, or an absolute distance.

    Exact results have the same bits, NaNs aside: a NaN of any sign and payload is the same. `finite_only` leaves out
    elements with an infinite or NaN input or result: what becomes of the parts of a complex number then differs with
    the formula. With `any_zero` the sign of a zero is left open, as it is in a sum whose first term is.
    """

    ulps: int = 0
    absolute: float = 0.0
    finite_only: bool = False
    any_zero: bool = False


EXACT = Tolerance()


@dataclass(frozen=True)
class Case:
    """`body` computes %r (or %r#0 ...) from %a0, %a1, ... . `label` tells cases of one op and type apart.

    `expected` is NumPy's answer, for what XLA on the CPU cannot run.
    """

    op: str
    element: str
    label: str
    body: str
    inputs: tuple[np.ndarray, ...]
    results: tuple[str, ...]
    tolerance: Tolerance = EXACT
    expected: tuple[np.ndarray, ...] | None = None

    def function(self, name: str, visibility: str = "") -> str:
        """The case as a function; as @main it is a program that can be run by itself."""
        arguments = ", ".join(f"%a{i}: {type_of(array)}" for i, array in enumerate(self.inputs))
        types = ", ".join(self.results)
        many = len(self.results) > 1
        returned = ", ".join(f"%r#{i}" for i in range(len(self.results))) if many else "%r"
        return (
            f"func.func {visibility}@{name}({arguments}) -> ({types}) {{\n{self.body}\nreturn {returned} : {types}\n}}"
        )


def make_case(
    op: str,
    body: str,
    inputs: Sequence[np.ndarray],
    results: Sequence[str],
    label: str = "",
    element: str | None = None,
    tolerance: Tolerance = EXACT,
) -> Case:
    """A case of `op`; `{a0}`, `{r0}` in `body` stand for the types of the inputs and results."""
    types = {f"a{i}": type_of(array) for i, array in enumerate(inputs)}
    types |= {f"r{i}": text for i, text in enumerate(results)}
    filled = re.sub(r"\{([ar]\d+)\}", lambda match: types[match.group(1)], body)
    named = element or (NAMES[inputs[0].dtype] if inputs else re.findall(r"[^<x]+(?:<f\d+>)?(?=>$)", results[0])[0])
    return Case(op, named, label, filled, tuple(inputs), tuple(results), tolerance)


def simple(
    op: str,
    inputs: Sequence[np.ndarray],
    shape: tuple[int, ...],
    element: str,
    attributes: str = "",
    label: str = "",
    tolerance: Tolerance = EXACT,
) -> Case:
    """A case with one result in the op's generic form; `attributes` is the inside of `<{...}>`."""
    names = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(type_of(array) for array in inputs)
    properties = f" <{{{attributes}}}>" if attributes else ""
    result = tensor_type(shape, element)
    body = f'%r = "{op}"({names}){properties} : ({types}) -> {result}'
    named = NAMES[inputs[0].dtype] if inputs else element
    return Case(op, named, label or attributes, body, tuple(inputs), (result,), tolerance)


def array_attribute(values: Sequence[int]) -> str:
    """array<i64: 1, 2>."""
    return "array<i64" + (": " + ", ".join(map(str, values)) if len(values) else "") + ">"


def reducer(op: str, element: str) -> str:
    """A region of two scalars that applies `op`."""
    scalar = tensor_type((), element)
    return f"""({{
      ^bb0(%x: {scalar}, %y: {scalar}):
        %z = {op} %x, %y : {scalar}
        stablehlo.return %z : {scalar}
    }})"""


__all__ = ["DTYPES", "EXACT", "Case", "Tolerance", "array_attribute", "make_case", "reducer", "simple"]
