"""From a Python function to the program that is planned.

`trace` gives the StableHLO text with the names of the arguments, and all that is needed to call what comes out with the
user's own arguments: their tree, which are static, which are donated, which constants became arguments.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax.sharding import AbstractMesh

from partita._src import captured, equinox, prints
from partita._src.errors import InputError, UnsupportedError, UsageError
from partita._src.jax_internals import (
    abstract_values,
    callbacks,
    cudnn,
    jaxprs,
    kernel_primitive,
    mesh_contexts,
    platforms,
    print_primitive,
    source_info,
    stages,
)
from partita._src.meshes import make_abstract_mesh
from partita._src.nnx import Modules, unwrap
from partita._src.programs import Program
from partita._src.retracing import retrace
from partita._src.shapes import to_shapes
from partita._src.static_arguments import Static, as_tuple, read_static, resolve_places


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
    everywhere = equinox.is_filter_jit(function)
    static = find_static(function, arguments, keywords, static_argnums, static_argnames)
    function = equinox.unwrap(unwrap(function))
    modules: Modules | equinox.Filter | None = Modules.find(arguments, keywords, static.values)
    original = function
    if modules is not None:
        _refuse_jitted(function)
    else:
        modules = equinox.Filter.find(arguments, keywords, static.values, everywhere)
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


def find_static(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    argnums: int | Sequence[int] | None,
    argnames: str | Sequence[str] | None,
) -> Static:
    """The static arguments of a call: those that are named here, and those that a jitted function names itself."""
    inner = equinox.unwrap(unwrap(function))
    own = stages.jit_settings(inner)
    numbers, names = (*own.static_argnums, *as_tuple(argnums)), (*own.static_argnames, *as_tuple(argnames))
    return read_static(inner, arguments, keywords, numbers, names)


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
        traced = retrace(traced, closed, large, in_tree, out_tree, donated)
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


def _refuse_jitted(function: Callable[..., Any]) -> None:
    """Inside `jax.jit` modules are copies, whose changes are lost silently."""
    if _is_jitted(function):
        raise UnsupportedError(
            "jax.jit of a function of flax nnx modules loses what it changes",
            remedy="plan the function itself, or nnx.jit of it",
        )
