"""From a Python function to the program that is planned.

`trace` gives the StableHLO text with the names of the arguments, and all that is needed to call what comes out with the
user's own arguments: their tree, which are static, which are donated, which constants became arguments.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh

from partita import captured, filtered, prints, static_fields
from partita.errors import InputError, UnsupportedError, UsageError, warn
from partita.jax_internals import (
    abstract_values,
    callbacks,
    cudnn,
    jaxprs,
    kernel_primitive,
    mesh_contexts,
    platforms,
    print_primitive,
    program_text,
    source_info,
    stages,
)
from partita.meshes import make_abstract_mesh
from partita.modules import Modules, unwrap
from partita.shapes import to_shapes, to_weak_shape
from partita.static_arguments import Static, as_tuple, list_parameters, read_static, resolve_places


@dataclass(frozen=True)
class Program:
    """A traced function.

    The flat arguments are those of `constants`, then the leaves of `(arguments, keyword arguments)` without the static
    ones, which `in_tree` describes.
    """

    function: Callable[..., Any]
    text: str
    name: str
    platform: str
    in_tree: Any
    out_tree: Any
    in_avals: tuple[Any, ...]
    out_avals: tuple[Any, ...]
    argument_names: tuple[str, ...]
    result_names: tuple[str, ...]
    donated: tuple[bool, ...]
    constants: tuple[Any, ...]
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    static_values: Mapping[int | str, Any]
    callbacks: tuple[str, ...]
    #: By the names of their calls in the text.
    kernels: Mapping[str, Any]
    #: By the names of their calls in the text.
    prints: Mapping[str, prints.Print]
    #: Lines of prints that were dropped.
    dropped_prints: tuple[str, ...]
    #: None for what was lowered already.
    closed_jaxpr: Any
    #: What is done with arguments that are more than trees of arrays.
    modules: Modules | filtered.Filter | None = None
    #: The program for other shapes of the dynamic arguments; None for what was traced before it was planned.
    trace_again: Callable[[Sequence[Any], Mapping[str, Any]], Program] | None = None

    @property
    def rules(self) -> list[str]:
        """Those of its kernels and prints, as `--rule` takes them."""
        return [
            *(kernel.rule for kernel in self.kernels.values()),
            *(printed.make_rule(target) for target, printed in self.prints.items()),
        ]

    @property
    def has_only_empty_arguments(self) -> bool:
        """XLA takes such for constants, and then misses the arguments of the computation on each device."""
        return bool(self.in_avals) and all(aval.size == 0 for aval in self.in_avals)

    def install(self, text: str, *, references: bool = False) -> str:
        """A program made from this one's text, with kernels that run: their implementations, or their references and
        no prints."""
        bodies = {name: k.reference if references else k.impl for name, k in self.kernels.items()}
        silent = program_text.drop_calls(text, list(self.prints)) if references else text
        return program_text.install_kernels(silent, bodies, self.platform)

    def is_same_if_weak(self, weak: Sequence[bool]) -> bool:
        """Whether the program is the same one for arguments of these weak types. What was traced before it was planned
        is the same for all that it is called with."""
        if self.trace_again is None:
            return True
        shapes = [to_weak_shape(aval, is_weak) for aval, is_weak in zip(self._argument_avals, weak, strict=True)]
        other = self.trace_again(*jax.tree.unflatten(self.in_tree, shapes))
        return program_text.computes_same(self.text, other.text)

    @property
    def _argument_avals(self) -> Sequence[Any]:
        return self.in_avals[len(self.constants) :]

    def flatten_call(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[list[Any], Any]:
        """The flat arguments of a call, without the constants, and the tree of its results; an error if it is not a
        call of this program."""
        if self.modules is not None:
            arguments, keywords = self.modules.to_arrays(arguments, keywords)
        for place, value in self.static_values.items():
            given = keywords.get(place) if isinstance(place, str) else _get(arguments, place)
            if not _same(given, value):
                raise UsageError(
                    f"the static argument {place!r} is {given!r}, but the plan was made for {value!r}",
                    remedy="plan again for it, or use partita.jit, which plans for each",
                )
        dynamic = tuple(argument for i, argument in enumerate(arguments) if i not in self.static_values)
        named = {name: value for name, value in keywords.items() if name not in self.static_values}
        leaves: list[Any]
        leaves, tree = jax.tree.flatten((dynamic, named))
        return leaves, self._accept_tree(tree)

    def _accept_tree(self, tree: Any) -> Any:
        """The tree of the results for arguments of such a tree, whose static fields may be others than planned."""
        for known, results in self._known_trees:
            if tree == known:
                return results
        self._check_tree(tree)
        results = static_fields.replace_in_results(self.out_tree, self.in_tree, tree)
        self._known_trees[1:] = [(tree, results), *self._known_trees[1:8]]
        return results

    @functools.cached_property
    def _known_trees(self) -> list[tuple[Any, Any]]:
        """Trees of arguments that were accepted, with those of their results: the planned one, then the latest."""
        return [(self.in_tree, self.out_tree)]

    def _check_tree(self, tree: Any) -> None:
        """An error if the arguments are built otherwise than planned; a warning if they hold other functions."""
        differences = static_fields.find_differences(self.in_tree, tree, functions=False)
        if differences is None:
            raise UsageError(
                f"the arguments are not those that were planned: {tree} instead of {self.in_tree}",
                remedy="call it with the same structure, positional and keyword arguments alike",
            )
        for found in differences:
            raise UsageError(
                f"{found.field} of a {found.kind.__name__} is {found.given!r}, but the plan was made for "
                f"{found.planned!r}",
                remedy="plan again for it, or use partita.jit, which plans for each",
            )
        for found in static_fields.find_differences(self.in_tree, tree, functions=True) or ():
            warn(
                f"{found.field} of a {found.kind.__name__} is another function than the plan was made with, which is "
                "what runs; plan again for it, or use partita.jit, which plans for each"
            )

    def align_call(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The same call with those arguments by name that were given so when it was planned."""
        count = self._count_positional
        if len(arguments) == count:
            return arguments, keywords
        parameters = list_parameters(self.function)
        given = {**dict(zip(parameters, arguments, strict=False)), **keywords}
        first = parameters[:count]
        if len(arguments) > len(parameters) or len(given) != len(arguments) + len(keywords) or set(first) - set(given):
            return arguments, keywords
        return [given.pop(name) for name in first], given

    @functools.cached_property
    def _count_positional(self) -> int:
        dynamic, _ = self.in_tree.children()
        return len(dynamic.children()) + sum(isinstance(place, int) for place in self.static_values)

    @functools.cached_property
    def dynamic_places(self) -> tuple[int, ...]:
        """The numbers of the positional arguments that are not static."""
        return tuple(number for number in range(self._count_positional) if number not in self.static_values)

    def finish_call(self, arguments: Sequence[Any], keywords: Mapping[str, Any], tree: Any, flat: Sequence[Any]) -> Any:
        """What the function gives, from the flat results and their tree; modules among the arguments are changed in
        place."""
        result = jax.tree.unflatten(tree, flat)
        return result if self.modules is None else self.modules.finish(arguments, keywords, result)


def _get(arguments: Sequence[Any], place: int) -> Any:
    return arguments[place] if place < len(arguments) else None


def _same(a: Any, b: Any) -> bool:
    return a is b or bool(np.all(a == b))


def trace(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    *,
    axes: Mapping[str, int],
    explicit: AbstractMesh | None = None,
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    platform: str = "cpu",
    debug_prints: prints.DebugPrints = "print",
) -> Program:
    """Traces `function` for these arguments (arrays or shapes) and lowers it for `platform`; needs no devices.

    All axes are left to the compiler (Auto). Code that names the shardings of its values cannot be traced so: it is
    traced under `explicit`, the caller's mesh, if that has explicit axes.
    """
    everywhere = filtered.is_filter_jit(function)
    function = filtered.unwrap(unwrap(function))
    own = stages.jit_settings(function)
    static = read_static(
        function,
        arguments,
        keywords,
        (*own.static_argnums, *as_tuple(static_argnums)),
        (*own.static_argnames, *as_tuple(static_argnames)),
    )
    modules: Modules | filtered.Filter | None = Modules.find(arguments, keywords, static.values)
    original = function
    if modules is not None:
        _refuse_jitted(function)
    else:
        modules = filtered.Filter.find(arguments, keywords, static.values, everywhere)
    if modules is not None:
        arguments, keywords = modules.to_arrays(arguments, keywords)
        function = modules.make_pure(function)
    asked = as_tuple(donate_argnums), as_tuple(donate_argnames)
    jitted = _as_jitted(function, arguments, asked, static)

    def run(given: Sequence[Any], named: Mapping[str, Any], mesh: AbstractMesh | None) -> Program:
        """From the dynamic arguments alone: nothing here may keep the arrays that it is planned with."""
        shapes = [to_shapes(value, f"argument {place}", mesh) for place, value in zip(places, given, strict=True)]
        named_shapes = {name: to_shapes(value, name, mesh) for name, value in named.items()}
        with warnings.catch_warnings(), platforms.tracing_for(platform):
            warnings.filterwarnings("ignore", message="Some donated buffers were not usable")
            traced = jitted.trace(*static.insert_positional(shapes), **named_shapes, **static.named)
            return _lower(original, traced, static, platform, debug_prints, keeps_unused=jitted is not function)

    def trace_again(given: Sequence[Any], named: Mapping[str, Any]) -> Program:
        return _run_under_mesh(functools.partial(run, given, named), axes, explicit)

    places, given, named = static.split(arguments, keywords)
    return dataclasses.replace(trace_again(given, named), modules=modules, trace_again=trace_again)


def _run_under_mesh(
    run: Callable[[AbstractMesh | None], Program], axes: Mapping[str, int], explicit: AbstractMesh | None
) -> Program:
    """Traces under the axes left to the compiler; where the code cannot be traced so, as it wants to be."""
    try:
        with _abstract_mesh(axes):
            return run(None)
    except ValueError as error:
        if mesh_contexts.is_of_other_mesh(error):
            return run(None)  # it has a mesh of devices of its own in a shard_map
        if not mesh_contexts.names_shardings(error):
            raise
        if explicit is None:
            raise UsageError(
                f"the function names shardings of its values: {error}",
                remedy="give its own mesh, with axes of AxisType.Explicit, as mesh=",
            ) from error
        if not mesh_contexts.LOWERS_EXPLICIT_AXES:
            raise UnsupportedError(
                "the function is for explicit axes, which this JAX lowers only where there are devices",
                remedy="use JAX 0.9 or newer",
            ) from error
    except RuntimeError as error:
        if cudnn.lacks_cudnn(error):
            raise InputError(
                "the function calls cuDNN, which is for GPUs, and it is planned for another platform",
                remedy="plan it for GPUs (machine='h100-sxm:1x8', or platform='cuda'), or take partita.attention",
            ) from error
        if axes or not mesh_contexts.needs_mesh(error):
            raise
        raise UsageError(
            "the function names axes of a mesh, but the mesh is a number of devices", remedy="give a mesh with axes"
        ) from error
    with mesh_contexts.under_mesh(explicit):
        return run(explicit)


def from_traced(
    traced: Any, axes: Mapping[str, int], platform: str, debug_prints: prints.DebugPrints = "print"
) -> Program:
    """The program of a `jax.stages.Traced`. It is called without its static arguments, which it holds already."""
    static = Static()
    with _abstract_mesh(axes), platforms.tracing_for(platform):
        return _lower(traced, traced, static, platform, debug_prints, keeps_unused=False)


def from_lowered(lowered: Any) -> Program:
    """The program of a `jax.stages.Lowered`, for the platform that it was lowered for."""
    information, in_tree = jax.tree.flatten(lowered.args_info)
    details = stages.read_lowered(lowered)
    if details.dropped:
        raise UsageError(
            f"jax.jit left out {details.dropped} arguments that the lowered program does not use",
            remedy="lower jax.jit(f, keep_unused=True), or hand over what .trace(...) gives",
        )
    text = lowered.as_text(debug_info=True)
    results = lowered.out_info
    return Program(
        function=lowered,
        text=text,
        name=details.name,
        platform=details.platform,
        in_tree=in_tree,
        out_tree=jax.tree.structure(results),
        in_avals=details.in_avals,
        out_avals=details.out_avals,
        argument_names=details.argument_names,
        result_names=name_leaves("result", results),
        donated=tuple(bool(argument.donated) for argument in information),
        constants=(),
        static_argnums=(),
        static_argnames=(),
        static_values={},
        callbacks=details.callbacks,
        kernels={},
        prints={},
        dropped_prints=(),
        closed_jaxpr=None,
    )


def _abstract_mesh(axes: Mapping[str, int]) -> contextlib.AbstractContextManager[Any]:
    """Under which constraints and `shard_map` are traced; nothing where the axes are not known yet."""
    return mesh_contexts.under_mesh(make_abstract_mesh(axes)) if axes else contextlib.nullcontext()


def _is_jitted(function: Callable[..., Any]) -> bool:
    return hasattr(function, "trace") and hasattr(function, "lower")


def _wrap(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    return call


def _as_jitted(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    donated: tuple[tuple[int, ...], tuple[str, ...]],
    static: Static,
) -> Any:
    """Something with `trace`. A function that is jitted already keeps its own static and donated arguments; if more
    are to be donated, it is jitted once more."""
    argnums, argnames = donated
    if _is_jitted(function):
        if not argnums and not argnames:
            return function
        own = stages.jit_settings(function)
        argnums, argnames = own.donate_argnums + argnums, own.donate_argnames + argnames
        function = _wrap(function)
    numbers, names = resolve_places(function, arguments, argnums, argnames)
    options: dict[str, Any] = {"keep_unused": True}
    if numbers:
        options["donate_argnums"] = tuple(sorted(numbers))
    if names:
        options["donate_argnames"] = tuple(sorted(names))
    if static.argnums:
        options["static_argnums"] = static.argnums
    if static.argnames:
        options["static_argnames"] = static.argnames
    return jax.jit(function, **options)


def _lower(
    function: Any, traced: Any, static: Static, platform: str, debug_prints: prints.DebugPrints, *, keeps_unused: bool
) -> Program:
    """The program's text. Where arguments would vanish or constants are large, it is traced again from its jaxpr."""
    dropped: list[str] = []
    if debug_prints == "drop":
        closed, dropped = callbacks.drop_debug_callbacks(traced.jaxpr)
        is_changed = bool(dropped)
    else:
        closed, is_changed = print_primitive.replace_debug_callbacks(traced.jaxpr, prints.Print)
    information, in_tree = jax.tree.flatten(traced.args_info)
    _refuse_tracers(closed, len(information))
    out_tree = jax.tree.structure(traced.out_info)
    donated = tuple(bool(argument.donated) for argument in information)
    large = captured.find(closed)
    if large or is_changed or not keeps_unused or captured.has_kernels(closed):
        traced = _trace_again(traced, closed, large, in_tree, out_tree, donated)
    equations = list(jaxprs.iterate_equations(traced.jaxpr.jaxpr))
    _refuse_order(equations)
    kernels = kernel_primitive.name_kernels(equations)
    printed = prints.name_prints(equations)
    with kernel_primitive.marking_kernels(kernels), print_primitive.marking_prints(printed):
        lowered = traced.lower(lowering_platforms=(platform,))
    avals = [abstract_values.abstract_value(constant) for constant in large]
    return Program(
        function=function,
        text=lowered.as_text(debug_info=True),
        name=str(getattr(traced, "fun_name", "main")),
        platform=platform,
        in_tree=in_tree,
        out_tree=out_tree,
        in_avals=(*avals, *closed.in_avals),
        out_avals=tuple(closed.out_avals),
        argument_names=tuple(source_info.argument_names(traced.jaxpr)),
        result_names=name_leaves("result", traced.out_info),
        donated=(False,) * len(large) + donated,
        constants=large,
        static_argnums=static.argnums,
        static_argnames=static.argnames,
        static_values=static.values,
        callbacks=tuple(callbacks.find_callbacks(equations)),
        kernels={kernel.target: kernel for kernel in kernels.values()},
        prints=printed,
        dropped_prints=tuple(dropped),
        closed_jaxpr=closed,
    )


def _refuse_tracers(closed: Any, count: int) -> None:
    """A plan outlives the trace that it was made in. What is captured of it stands before the `count` arguments."""
    if captured_avals := closed.in_avals[: len(closed.in_avals) - count]:
        raise UsageError(
            f"the function captures a value of {captured_avals[0].str_short()} that is being traced around it",
            remedy="make it an argument of the function, or plan outside of what is traced (jit, grad, vmap, scan)",
        )


def _refuse_order(equations: Sequence[Any]) -> None:
    if found := callbacks.find_callbacks(equations, ordered=True):
        raise UnsupportedError(
            f"the program calls back into Python in an order, which devices that run side by side have none of: "
            f"{found[0]}",
            remedy="let it be called in any order (ordered=False)",
        )


def name_leaves(root: str, tree: Any) -> tuple[str, ...]:
    """The names of a tree's leaves: `result[0].params['w']`."""
    return tuple(root + jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0])


def _trace_again(
    traced: Any, closed: Any, large: Sequence[Any], in_tree: Any, out_tree: Any, donated: Sequence[bool]
) -> Any:
    """The same computation with unused arguments kept, and `large` constants as the first argument, `const`."""
    places = {id(constant): index for index, constant in enumerate(large)}
    into, out_of = stages.own_shardings(traced)

    def again(const: Any, *arguments: Any, **keywords: Any) -> Any:
        values = {identity: const[index] for identity, index in places.items()}
        flat = _constrain(jax.tree.leaves((arguments, keywords)), into)
        results = captured.evaluate(closed, values, flat)
        return jax.tree.unflatten(out_tree, _constrain(results, out_of))

    def without(*arguments: Any, **keywords: Any) -> Any:
        return again((), *arguments, **keywords)

    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]
    arguments, keywords = jax.tree.unflatten(in_tree, avals)
    chosen = again if large else without
    leading: tuple[Any, ...] = ()
    if large:
        leading = (tuple(jax.ShapeDtypeStruct(c.shape, c.dtype) for c in large),)
    chosen.__name__ = chosen.__qualname__ = traced.fun_name
    chosen.__signature__ = _signature(traced, len(arguments), keywords, bool(large))  # type: ignore[attr-defined]
    numbers, names = _donated_places(arguments, keywords, in_tree, donated)
    jitted = jax.jit(
        chosen,
        keep_unused=True,
        donate_argnums=tuple(number + len(leading) for number in numbers),
        donate_argnames=tuple(names),
    )
    return jitted.trace(*leading, *arguments, **keywords)


def _constrain(values: Sequence[Any], shardings: Sequence[Any]) -> list[Any]:
    """What a jitted function says of its own arguments and results."""
    return [
        value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)
        for value, sharding in zip(values, shardings, strict=True)
    ]


def _donated_places(
    arguments: Sequence[Any], keywords: Mapping[str, Any], in_tree: Any, donated: Sequence[bool]
) -> tuple[list[int], list[str]]:
    """Numbers and names of the arguments all of whose leaves are donated."""
    flags = jax.tree.unflatten(in_tree, list(donated))
    numbers = [i for i, tree in enumerate(flags[0]) if jax.tree.leaves(tree) and all(jax.tree.leaves(tree))]
    names = [name for name, tree in flags[1].items() if jax.tree.leaves(tree) and all(jax.tree.leaves(tree))]
    return numbers, names


def _signature(traced: Any, count: int, keywords: Mapping[str, Any], constants: bool) -> inspect.Signature:
    """From which JAX takes the names of the arguments: those of the first trace."""
    kind = inspect.Parameter
    known = _top_names(traced, count)
    starred = next((number for number, name in enumerate(known) if name.endswith("[0]")), len(known))
    variadic = known[starred].removesuffix("[0]") if starred < len(known) else ""
    if not variadic.isidentifier() or known[starred:] != [f"{variadic}[{i}]" for i in range(len(known) - starred)]:
        starred, variadic = len(known), ""
    plain = [*(["const"] if constants else []), *known[:starred]]
    names = [name if _is_new(name, plain[:i]) else f"argument{i}" for i, name in enumerate(plain)]
    parameters = [kind(name, kind.POSITIONAL_ONLY) for name in names]
    parameters += [kind(variadic, kind.VAR_POSITIONAL)] if variadic else []
    parameters += [kind(name, kind.KEYWORD_ONLY) for name in keywords]
    return inspect.Signature(parameters)


def _is_new(name: str, earlier: Sequence[str]) -> bool:
    return name.isidentifier() and name not in earlier


def _top_names(traced: Any, count: int) -> list[str]:
    """The names of the positional arguments, `state` or `rest[0]`: the first parts of the names of their leaves."""
    arguments, _ = traced.args_info
    full = iter(source_info.argument_names(traced.jaxpr))
    names: list[str] = []
    for index, tree in enumerate(arguments):
        leaves = [next(full) for _ in jax.tree.leaves(tree)]
        head = ""
        if leaves:
            tail = jax.tree_util.tree_flatten_with_path(tree)[0][0][0]
            head = leaves[0].removesuffix(jax.tree_util.keystr(tail))
        names.append(head or f"argument{index}")
    return names[:count]


def _refuse_jitted(function: Callable[..., Any]) -> None:
    """Inside `jax.jit` modules are copies, whose changes are lost silently."""
    if _is_jitted(function):
        raise UnsupportedError(
            "jax.jit of a function of flax nnx modules loses what it changes",
            remedy="plan the function itself, or nnx.jit of it",
        )
