"""Which arguments are matrices, and which of their dims are outputs, from the jaxpr.

`find_matrices` follows each argument through what only looks at it otherwise (casts, transposes, reshapes, the steps
of a scan, inner functions) to its first product or convolution.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partita import jax_internals
from partita.tracing import Program


@dataclass(frozen=True)
class Matrix:
    """An argument that is multiplied: its number, and its dims that are summed over or stay in the result.

    One that is joined with others along its outputs before it is multiplied has none that could be split.
    """

    argument: int
    in_dims: tuple[int, ...]
    out_dims: tuple[int, ...]


@dataclass(frozen=True)
class _View:
    """An argument, or several side by side, and for each dim of a value made of them the dim of the argument that it
    begins with, or None."""

    arguments: tuple[int, ...]
    dims: tuple[int | None, ...]


_Environment = dict[Any, _View]


@dataclass(frozen=True)
class _Finder:
    """What was found.

    Where all arguments are looked at, a carried value may be an activation that an argument starts, and so may a sum
    of two; among parameters they are parameters in their first state, or what is made of them.
    """

    found: dict[int, Matrix]
    among_parameters: bool


#: What a weight may go through before it is multiplied: noise is added, it is scaled, masked, normalised.
_ELEMENTWISE = {
    "add", "add_any", "sub", "mul", "div", "neg", "exp", "exp2", "log", "log1p", "expm1", "tanh", "logistic", "sqrt",
    "rsqrt", "square", "integer_pow", "pow", "max", "min", "abs", "sign", "select_n", "clamp",
}  # fmt: skip
_SAME_SHAPE = {"convert_element_type", "copy", "copy_p", "reduce_precision", "stop_gradient", "sharding_constraint"}


def find_matrices(program: Program, candidates: Collection[int] | None = None) -> list[Matrix]:
    """In the order of their first use; only those among `candidates`, if given."""
    jaxpr = program.get_jaxpr().jaxpr
    start = len(program.constants)
    environment: _Environment = {
        variable: _View((start + number,), tuple(range(len(variable.aval.shape))))
        for number, variable in enumerate(jaxpr.invars)
        if hasattr(variable.aval, "shape") and (candidates is None or start + number in candidates)
    }
    finder = _Finder({}, among_parameters=candidates is not None)
    _walk(jaxpr, environment, finder)
    return list(finder.found.values())


def _walk(jaxpr: Any, environment: _Environment, finder: _Finder) -> None:
    for equation in jaxpr.eqns:
        views = [_get(environment, operand) for operand in equation.invars]
        name = equation.primitive.name
        if name == "dot_general":
            _note_dot(equation, views, finder)
        elif name == "conv_general_dilated":
            _note_convolution(equation, views, finder)
        elif name == "scan":
            _walk_scan(equation, views, finder)
        elif name == "while":
            _walk_while(equation, views, finder)
        elif name == "cond":
            for branch in equation.params["branches"]:
                _walk(branch.jaxpr, _bind(branch.jaxpr.invars, views[1:]), finder)
        elif (inner := _single_jaxpr(equation)) is not None and len(inner.invars) == len(views):
            _walk(inner, _bind(inner.invars, views), finder)
        elif name == "concatenate" and all(view is not None for view in views):
            environment[equation.outvars[0]] = _join([v for v in views if v is not None], equation.params["dimension"])
        elif name in _ELEMENTWISE:
            view = _combine(views) if finder.among_parameters else None
            if view is not None:
                environment[equation.outvars[0]] = view
        elif views and views[0] is not None:
            view = _look(equation, name, views[0])
            if view is not None:
                environment[equation.outvars[0]] = view


def _get(environment: _Environment, operand: Any) -> _View | None:
    return environment.get(operand) if not hasattr(operand, "val") else None


def _bind(variables: Sequence[Any], views: Sequence[_View | None]) -> _Environment:
    return {variable: view for variable, view in zip(variables, views, strict=True) if view is not None}


def _single_jaxpr(equation: Any) -> Any:
    """Of a call (jit, checkpoint, custom derivatives), what is called."""
    parameters: Mapping[str, Any] = equation.params
    for key in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        if key in parameters:
            inner = parameters[key]
            return getattr(inner, "jaxpr", inner)
    return None


def _walk_scan(equation: Any, views: Sequence[_View | None], finder: _Finder) -> None:
    inner = equation.params["jaxpr"].jaxpr
    constants, carries = jax_internals.count_scan_operands(equation)
    stepped = constants + carries
    seen = [
        view if number < stepped or view is None else _View(view.arguments, view.dims[1:])
        for number, view in enumerate(views)
    ]
    carried = () if finder.among_parameters else range(constants, stepped)
    _walk(inner, _bind(inner.invars, [None if n in carried else view for n, view in enumerate(seen)]), finder)


def _walk_while(equation: Any, views: Sequence[_View | None], finder: _Finder) -> None:
    """The body sees constants, and carried values: arguments if they come out as they went in, or are parameters."""
    skipped, constants = equation.params["cond_nconsts"], equation.params["body_nconsts"]
    body = equation.params["body_jaxpr"].jaxpr
    seen = list(views[skipped:])
    for number in range(constants, len(seen)):
        if not finder.among_parameters and body.outvars[number - constants] is not body.invars[number]:
            seen[number] = None
    _walk(body, _bind(body.invars, seen), finder)


def _look(equation: Any, name: str, view: _View) -> _View | None:
    """The result of an op that only looks at the argument otherwise."""
    result = equation.outvars[0].aval
    if name in _SAME_SHAPE:
        return view
    if name == "transpose":
        return _View(view.arguments, tuple(view.dims[dim] for dim in equation.params["permutation"]))
    if name == "reshape":
        return _View(view.arguments, _reshape(equation.invars[0].aval.shape, result.shape, view.dims))
    if name == "squeeze":
        gone = set(equation.params["dimensions"])
        return _View(view.arguments, tuple(d for number, d in enumerate(view.dims) if number not in gone))
    if name == "broadcast_in_dim":
        dims: list[int | None] = [None] * len(result.shape)
        for source, target in enumerate(equation.params["broadcast_dimensions"]):
            dims[target] = view.dims[source]
        return _View(view.arguments, tuple(dims))
    return None


def _join(views: Sequence[_View], dim: int) -> _View:
    """Matrices side by side, as the gates of an LSTM; where they meet they cannot be split."""
    agreed = [dims[0] if len(set(dims)) == 1 else None for dims in zip(*(view.dims for view in views), strict=True)]
    agreed[dim] = None
    return _View(tuple(argument for view in views for argument in view.arguments), tuple(agreed))


def _combine(views: Sequence[_View | None]) -> _View | None:
    """Whole weights, element by element, with each other or with values that are none, such as noise."""
    whole = [view for view in views if view is not None and None not in view.dims]
    if not whole or len({view.dims for view in whole}) > 1:
        return None
    return _View(tuple(dict.fromkeys(a for view in whole for a in view.arguments)), whole[0].dims)


def _reshape(before: Sequence[int], after: Sequence[int], dims: Sequence[int | None]) -> tuple[int | None, ...]:
    """The dims after a reshape; one that is made of several, or is the first part of one, begins with its first."""
    result: list[int | None] = []
    source, left = 0, before[0] if before else 1
    fresh = True
    for size in after:
        if size == 1 and (source >= len(before) or before[source] != 1):
            result.append(None)
            continue
        result.append(dims[source] if fresh and source < len(before) else None)
        remaining = size
        while remaining > 1 and source < len(before):
            if left <= remaining:
                remaining //= max(left, 1)
                source += 1
                left = before[source] if source < len(before) else 1
                fresh = True
            else:
                left //= remaining
                remaining = 1
                fresh = False
        if size == 1 and source < len(before) and before[source] == 1:
            source += 1
            left = before[source] if source < len(before) else 1
            fresh = True
    return tuple(result)


def _note(view: _View, summed: Sequence[int], kept: Sequence[int], finder: _Finder) -> None:
    def to_argument(dims: Sequence[int]) -> tuple[int, ...]:
        return tuple(known for dim in dims if (known := view.dims[dim]) is not None)

    joined = len(view.arguments) > 1 and bool(to_argument(summed))
    for argument in view.arguments:
        if argument not in finder.found and (to_argument(kept) or joined):
            finder.found[argument] = Matrix(argument, to_argument(summed), to_argument(kept))


def _note_dot(equation: Any, views: Sequence[_View | None], finder: _Finder) -> None:
    """Products of two arguments say nothing about either."""
    contracting, batch = equation.params["dimension_numbers"]
    if (views[0] is None) == (views[1] is None):
        return
    for side, view in enumerate(views):
        if view is not None:
            gone = {*contracting[side], *batch[side]}
            kept = [dim for dim in range(len(view.dims)) if dim not in gone]
            _note(view, contracting[side], kept, finder)


def _note_convolution(equation: Any, views: Sequence[_View | None], finder: _Finder) -> None:
    if views[1] is not None and equation.params.get("feature_group_count", 1) == 1:
        out, into = equation.params["dimension_numbers"].rhs_spec[:2]
        _note(views[1], [into], [out], finder)
