"""Which arguments are matrices, and which of their dims are outputs, from the jaxpr.

`find_matrices` follows each argument through what only looks at it otherwise (casts, transposes, slices, joins, the
steps of a scan, inner functions) to its first product or convolution. What is known of an op stands in `_RULES`, by its
primitive:

    _view(...)       the result shows the operand: which dim of it each dim of the result is
    _follow_...      the result is made of several operands, or something is inside
    _note_...        the operand is multiplied
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partita import jax_internals
from partita.tracing import Program


@dataclass(frozen=True)
class Matrix:
    """An argument that is multiplied: its number, and its dims that are summed over or stay in the result.

    Of `batch_dims` each place has a matrix of its own: experts, heads. A dim of which only a part is multiplied, or
    that is joined with those of others before, is in none of them: it cannot be split.
    """

    argument: int
    in_dims: tuple[int, ...]
    out_dims: tuple[int, ...]
    batch_dims: tuple[int, ...] = ()

    def order_dims(self, shape: Sequence[int]) -> list[int]:
        """The dims in the order in which they are best split: the largest output first, inputs last."""
        kinds = (self.out_dims, self.batch_dims, self.in_dims)
        return [dim for dims in kinds for dim in sorted(dims, key=lambda dim: -shape[dim])]


#: For each dim of a value the dim of the argument that it begins with; `_PART` for what is of the argument, but no
#: whole dim of it; None for what is not of the argument: it is broadcast.
_Dims = tuple[int | None, ...]
_PART = -1


@dataclass(frozen=True)
class _View:
    """An argument as a value shows it."""

    argument: int
    dims: _Dims


#: Of a value: several where arguments stand side by side, or are added; none for values that are made in other ways.
_Views = tuple[_View, ...]


@dataclass(frozen=True)
class _Finder:
    """What was found, and which arguments say nothing.

    Where all arguments are looked at, a carried value may be an activation that an argument starts, and so may a sum
    of two; among parameters they are parameters in their first state, or what is made of them. And of two arguments
    whose product is taken one is an activation, which its gradient would take for a weight.
    """

    found: dict[int, Matrix]
    doubtful: set[int]
    among_parameters: bool


#: What the results of an equation show, those of its operands being given. Fewer results: nothing of the others.
_Rule = Callable[[Any, Sequence[_Views], _Finder], Sequence[_Views]]


def find_matrices(program: Program, candidates: Collection[int] | None = None) -> list[Matrix]:
    """In the order of their first use; only those among `candidates`, if given."""
    jaxpr = program.get_jaxpr().jaxpr
    start = len(program.constants)
    chosen = None if candidates is None else set(candidates)
    views = [
        (_View(number, tuple(range(len(variable.aval.shape)))),)
        if hasattr(variable.aval, "shape") and (chosen is None or number in chosen)
        else ()
        for number, variable in enumerate(jaxpr.invars, start)
    ]
    finder = _Finder({}, set(), among_parameters=candidates is not None)
    _walk(jaxpr, views, finder)
    return list(finder.found.values())


def _walk(jaxpr: Any, operands: Sequence[_Views], finder: _Finder) -> list[_Views]:
    """What the results of a jaxpr show."""
    known = {variable: views for variable, views in zip(jaxpr.invars, operands, strict=True) if views}

    def get(value: Any) -> _Views:
        return known.get(value, ()) if not hasattr(value, "val") else ()

    for equation in jaxpr.eqns:
        views = [get(operand) for operand in equation.invars]
        if not any(views):
            continue
        rule = _RULES.get(equation.primitive.name, _follow_call)
        known.update(zip(equation.outvars, rule(equation, views, finder), strict=False))
    return [get(value) for value in jaxpr.outvars]


# What is inside others.


def _follow_call(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """Of a call (jit, checkpoint, custom derivatives), what is called; nothing of an op that is not known."""
    parameters: Mapping[str, Any] = equation.params
    inner = next((parameters[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in parameters), None)
    inner = getattr(inner, "jaxpr", inner)
    return _walk(inner, views, finder) if inner is not None and len(inner.invars) == len(views) else ()


def _follow_branches(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    for branch in equation.params["branches"]:
        _walk(branch.jaxpr, views[1:], finder)
    return ()


def _follow_scan(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    constants, carries = jax_internals.count_scan_operands(equation)
    stepped = constants + carries
    carried = views[constants:stepped] if finder.among_parameters else [()] * carries
    slices = [_map(each, lambda dims: dims[1:]) for each in views[stepped:]]
    _walk(equation.params["jaxpr"].jaxpr, [*views[:constants], *carried, *slices], finder)
    return ()


def _follow_while(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """The body sees constants, and carried values: arguments if they come out as they went in, or are parameters."""
    skipped, constants = equation.params["cond_nconsts"], equation.params["body_nconsts"]
    body = equation.params["body_jaxpr"].jaxpr
    seen = list(views[skipped:])
    for number in range(constants, len(seen)):
        if not finder.among_parameters and body.outvars[number - constants] is not body.invars[number]:
            seen[number] = ()
    _walk(body, seen, finder)
    return ()


# What shows one operand.


def _map(views: _Views, change: Callable[[_Dims], _Dims]) -> _Views:
    return tuple(_View(view.argument, change(view.dims)) for view in views)


def _view(change: Callable[[Any, _Dims], _Dims]) -> _Rule:
    """All results show the first operand, with dims that `change` gives for the equation and the operand's."""

    def rule(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
        return [_map(views[0], lambda dims: change(equation, dims))] * len(equation.outvars)

    return rule


def _keep(equation: Any, dims: _Dims) -> _Dims:
    return dims


def _cut(before: Sequence[int], after: Sequence[int], dims: _Dims, strides: Sequence[int] | None = None) -> _Dims:
    """Of a dim that is taken in part, or padded, nothing is whole; but each block of it may give its element."""
    steps = strides or [1] * len(before)
    return tuple(
        dim if size == kept * step or dim is None else _PART
        for dim, size, kept, step in zip(dims, before, after, steps, strict=True)
    )


def _resize(equation: Any, dims: _Dims) -> _Dims:
    before, after = equation.invars[0].aval.shape, equation.outvars[0].aval.shape
    return _cut(before, after, dims, equation.params.get("strides"))


def _split(equation: Any, dims: _Dims) -> _Dims:
    axis = equation.params["axis"]
    return (*dims[:axis], _PART, *dims[axis + 1 :])


def _unstack(equation: Any, dims: _Dims) -> _Dims:
    axis = equation.params["axis"]
    return (*dims[:axis], *dims[axis + 1 :])


def _transpose(equation: Any, dims: _Dims) -> _Dims:
    return tuple(dims[dim] for dim in equation.params["permutation"])


def _squeeze(equation: Any, dims: _Dims) -> _Dims:
    gone = set(equation.params["dimensions"])
    return tuple(dim for number, dim in enumerate(dims) if number not in gone)


def _broadcast(equation: Any, dims: _Dims) -> _Dims:
    before, after = equation.invars[0].aval.shape, equation.outvars[0].aval.shape
    result: list[int | None] = [None if size > 1 else _PART for size in after]
    for source, target in enumerate(equation.params["broadcast_dimensions"]):
        if before[source] == after[target]:
            result[target] = dims[source]
    return tuple(result)


def _reshape(equation: Any, dims: _Dims) -> _Dims:
    return _split_dims(equation.invars[0].aval.shape, equation.outvars[0].aval.shape, dims)


def _split_dims(before: Sequence[int], after: Sequence[int], dims: _Dims) -> _Dims:
    """The dims after a reshape; one that is made of several, or is the first part of one, begins with its first."""
    result: list[int | None] = []
    source, left = 0, before[0] if before else 1
    fresh = True
    for size in after:
        if size == 1 and (source >= len(before) or before[source] != 1):
            result.append(_PART)
            continue
        result.append(dims[source] if fresh and source < len(before) else _PART)
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


def _follow_gather(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """A matrix that an index picks, or one for each of several indices; rows that are looked up are no weights."""
    numbers = equation.params["dimension_numbers"]
    gone = {*numbers.collapsed_slice_dims, *getattr(numbers, "operand_batching_dims", ())}
    shape, sizes = equation.invars[0].aval.shape, equation.params["slice_sizes"]
    kept = [dim for dim in range(len(shape)) if dim not in gone]
    picks_one = equation.invars[1].aval.ndim == 1
    if not picks_one and sum(sizes[dim] > 1 for dim in kept) < 2:
        return ()

    def change(dims: _Dims) -> _Dims:
        cut = _cut(shape, sizes, dims)
        result: list[int | None] = [_PART] * equation.outvars[0].aval.ndim
        for source, target in zip(kept, numbers.offset_dims, strict=True):
            result[target] = cut[source]
        return tuple(result)

    return [_map(views[0], change)]


# What is made of several operands.


def _side_by_side(parameter: str, replaced: int) -> _Rule:
    """Matrices side by side, as the gates of an LSTM; where they meet, instead of `replaced` dims, none is whole."""

    def rule(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
        dim = equation.params[parameter]
        joined = [_map(each, lambda dims: (*dims[:dim], _PART, *dims[dim + replaced :])) for each in views]
        return [tuple(view for each in joined for view in each)] if all(views) else ()

    return rule


def _follow_elementwise(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """Whole weights with each other, or with values that are none, such as noise. Vectors that are spread over others
    (norms, biases) say nothing."""
    shape = equation.outvars[0].aval.shape
    if not shape or not finder.among_parameters:
        return ()
    own = [each for operand, each in zip(equation.invars, views, strict=True) if operand.aval.shape == shape]
    return [tuple(dict.fromkeys(view for each in own for view in each if None not in view.dims))]


def _follow_each(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    return views


# What multiplies.


def _note(views: _Views, shape: Sequence[int], summed: Sequence[int], batch: Sequence[int], finder: _Finder) -> None:
    """One side of a product, whose dims that are neither summed over nor of the batch stay in the result."""
    kept = [dim for dim in range(len(shape)) if dim not in {*summed, *batch}]

    def to_argument(view: _View, dims: Sequence[int]) -> tuple[int, ...]:
        return tuple(known for dim in dims if (known := view.dims[dim]) not in (None, _PART))

    for view in views:
        inputs, outputs = to_argument(view, summed), to_argument(view, kept)
        is_matrix = bool(outputs) or (bool(inputs) and any(shape[dim] > 1 for dim in kept))
        if is_matrix and view.argument not in finder.found and view.argument not in finder.doubtful:
            finder.found[view.argument] = Matrix(view.argument, inputs, outputs, to_argument(view, batch))


def _find_weight(sides: Sequence[_Views]) -> int | None:
    """The only factor that is made of arguments and not broadcast, as what starts for each sample from an argument is;
    a product of two says nothing about either."""
    weights = [side for side, views in enumerate(sides) if views and all(None not in view.dims for view in views)]
    return weights[0] if len(weights) == 1 else None


def _note_dot(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    contracting, batch = equation.params["dimension_numbers"]
    side = _find_weight(views)
    if all(views) and not finder.among_parameters:
        finder.doubtful.update(view.argument for each in views for view in each)
    elif side is not None:
        _note(views[side], equation.invars[side].aval.shape, contracting[side], batch[side], finder)
    return ()


def _note_ragged_dot(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """Each group of rows has a matrix of its own."""
    numbers = equation.params["ragged_dot_dimension_numbers"]
    (_, contracting), (_, batch) = numbers.dot_dimension_numbers
    if views[1]:
        _note(views[1], equation.invars[1].aval.shape, contracting, [*batch, *numbers.rhs_group_dimensions], finder)
    return ()


def _note_convolution(equation: Any, views: Sequence[_Views], finder: _Finder) -> Sequence[_Views]:
    """Windows stay whole. Groups of features are the major part of the outputs."""
    if views[1]:
        _, into, *window = equation.params["dimension_numbers"].rhs_spec
        channels = _map(views[1], lambda dims: tuple(_PART if n in window else dim for n, dim in enumerate(dims)))
        _note(channels, equation.invars[1].aval.shape, [into], [], finder)
    return ()


_SAME_SHAPE = (
    "convert_element_type", "copy", "copy_p", "reduce_precision", "reshard", "sharding_constraint", "stop_gradient",
)  # fmt: skip
#: What a weight may go through before it is multiplied: noise is added, it is scaled, masked, normalised.
_ELEMENTWISE = (
    "add", "add_any", "sub", "mul", "div", "neg", "exp", "exp2", "log", "log1p", "expm1", "tanh", "logistic", "sqrt",
    "rsqrt", "square", "integer_pow", "pow", "max", "min", "abs", "sign", "round", "select_n", "clamp",
)  # fmt: skip

_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(_SAME_SHAPE, _view(_keep)),
    **dict.fromkeys(_ELEMENTWISE, _follow_elementwise),
    **dict.fromkeys(("slice", "dynamic_slice", "pad"), _view(_resize)),
    "transpose": _view(_transpose),
    "reshape": _view(_reshape),
    "squeeze": _view(_squeeze),
    "broadcast_in_dim": _view(_broadcast),
    "split": _view(_split),
    "unstack": _view(_unstack),
    "gather": _follow_gather,
    "concatenate": _side_by_side("dimension", 1),
    "stack": _side_by_side("axis", 0),
    "optimization_barrier": _follow_each,
    "scan": _follow_scan,
    "while": _follow_while,
    "cond": _follow_branches,
    "dot_general": _note_dot,
    "ragged_dot_general": _note_ragged_dot,
    "conv_general_dilated": _note_convolution,
}
