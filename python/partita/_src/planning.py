"""`partita.plan`: from a function to a plan."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh

from partita._src import caching, machines, meshes, placements, prints, strategies, tracing
from partita._src.errors import FileError, UsageError, warn
from partita._src.names import Names, read_names
from partita._src.options import Options
from partita._src.plan_command import searches, to_flags, to_program_flags
from partita._src.plans import Plan
from partita._src.programs import Program
from partita._src.requests import Request
from partita._src.tactics import NOTHING, Parts, ScheduleLike, build_schedule, expand


def plan(
    function: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered,
    *arguments: Any,
    mesh: meshes.MeshLike,
    machine: str | os.PathLike[str] | None = None,
    schedule: ScheduleLike | strategies.StrategyLike | None = None,
    pins: strategies.StrategyLike | None = None,
    baseline: Any = None,
    memory_limit: str | int | None = None,
    donate_argnums: int | Sequence[int] | None = (),
    donate_argnames: str | Sequence[str] | None = (),
    static_argnums: int | Sequence[int] | None = (),
    static_argnames: str | Sequence[str] | None = (),
    kwargs: Mapping[str, Any] | None = None,
    goals: str | Sequence[str] | None = None,
    budget: int | None = None,
    deadline: float | None = None,
    seed: int | None = None,
    allow: str | Sequence[str] | None = None,
    forbid: str | Sequence[str] | None = None,
    resume: str | Path | None = None,
    platform: str | None = None,
    placement: str | None = None,
    assume_trips: int | None = None,
    ignore_shardings: bool = False,
    rules: str | Sequence[str] = (),
    debug_prints: prints.DebugPrints = "print",
    cache: str | Path | None = None,
    progress: bool | None = None,
    **keywords: Any,
) -> Plan:
    """Plans how `function(*arguments, **keywords)` runs on a mesh of devices.

    Arguments may be arrays or `jax.ShapeDtypeStruct`s; no devices are needed. Where they lie decides nothing: `pins`
    takes their shardings. Without a `schedule` the strategy is searched for, for which a `machine` is needed.

    Args:
      function: anything that `jax.jit` takes, jitted functions too, or a `jax.stages.Traced` or `Lowered`. Modules of
        flax nnx among the arguments are changed in place when the plan runs, as by `nnx.jit`; of those of equinox the
        arrays are arguments and the rest is part of the program, as by `eqx.filter_jit`.
      mesh: a `Mesh`, an `AbstractMesh`, a dict, text such as `data=4,model=2`, or a number of devices: the search finds
        the axes, too (with a schedule it is one axis, `data`).
      machine: a preset with its shape (`h100-sxm:4x8`), a file, or `auto` for the devices of the mesh, which are the
        first that JAX has if it names none.
      schedule: tactics (`partita.tile`, `replicate`, `cut`, `auto`, `partita.presets`), specs by pattern, or the path
        of a file: a schedule, a plan, specs, or shardings that MaxText wrote.
      pins: what is decided already, and comes before the schedule: specs as a dict or list from patterns, a tuple of
        trees of specs or shardings, one for each argument, logical axes (`partita.logical`), a file of rules or of
        MaxText's shardings, another plan, or tactics and presets.
      baseline: a strategy of your own, as `schedule` or `pins` take it. `Plan.compare` shows it first, and a search
        that finds nothing better gives it back.
      memory_limit: of a device, as `90%` of its memory or `75GB`. By default what the platform gives programs: on GPUs
        95% of JAX's pool, which is 75% of the memory or `XLA_PYTHON_CLIENT_MEM_FRACTION`, elsewhere 90%.
      donate_argnums, donate_argnames, static_argnums, static_argnames: as for `jax.jit`.
      kwargs: keyword arguments of the function whose names collide with those of this call.
      goals: what the search is for, in order: `fit`, `time`, `memory`, `communication`.
      budget: how many strategies the search may look at; the same budget and seed give the same plan.
      deadline: seconds after which the search ends with the best plan so far, as Ctrl-C does.
      seed: of the search.
      allow, forbid: what a search may do to the program where it does not fit, or is faster so: `accumulate` runs the
        batch in microbatches, `recompute` chooses values that the backward pass recomputes or keeps, `pad` makes dims
        longer so that axes divide them, `reorder` gives each device a piece of every part of a fused weight,
        `pipeline` runs layers in stages, `reductions` runs collectives as steps on levels of the machine, `matmul`
        runs gathers and scatters in pieces beside the products that wait for them, `rotate` makes gathers of loops an
        iteration ahead, and reductions of gradients one later. All are allowed unless they are
        forbidden: `forbid=["accumulate", "recompute"]`. A schedule without `auto` is never changed. `matmul` and
        `rotate` are done on NVIDIA GPUs alone unless you name them with the others; then also under schedules of your
        own. `store` is only allowed if you add it, `allow="+store"`: it keeps state between steps in the form that
        `pad` and `reorder` give it, and `Plan.put` and `Plan.unput` convert. A list without a `+` is all that is
        allowed.
      resume: the folder of an earlier plan, as `Plan.save_all` writes it: its search goes on, with `budget` behind what
        it evaluated, and gives what one search with both budgets gives.
      platform: cpu, cuda, rocm or tpu; that of the machine, or of JAX's default device, if not given.
      placement: which axis runs over which level of the machine: `data=node,model=nvlink`.
      assume_trips: how often loops run whose number of trips does not follow from the program; 1 if not given, with a
        warning.
      ignore_shardings: drops the shardings and constraints that the function itself names.
      rules: rules of custom calls, as `--rule` takes them.
      debug_prints: `print`: the first device prints what `jax.debug.print` is given, whole; `drop`: nothing is printed
        (or called, by `jax.debug.callback`), of which a warning says.
      cache: a folder for plans, which are found again by a hash of the program and of all that is asked for here.
      progress: shows the search at work; by default in terminals.

    >>> import jax, jax.numpy as jnp, partita
    >>> def f(w, x):
    ...     return jnp.tanh(x @ w)
    >>> w, x = jax.ShapeDtypeStruct((16, 32), "float32"), jax.ShapeDtypeStruct((8, 16), "float32")
    >>> p = partita.plan(f, w, x, mesh="data=4,model=2", schedule=[
    ...     partita.tile("x", dim=0, axis="data"), partita.tile("w", dim=1, axis="model")])
    >>> p.in_specs
    (P(None, 'model'), P('data',))
    >>> p.out_specs
    P('data', 'model')
    """
    asked = Options.pick(locals())
    return make_plan(function, arguments, {**keywords, **(kwargs or {})}, asked)


def make_plan(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], options: Options) -> Plan:
    """The plan of `function(*arguments, **keywords)`."""
    request = make_request(function, arguments, keywords, options)
    if options.cache is None:
        return request.run(options.progress)
    return caching.find_or_make(Path(options.cache), request, options.progress)


def _check_baseline(baseline: Any) -> None:
    """A file that is not there would otherwise be missed only when the strategy is compared."""
    if isinstance(baseline, str | Path) and not Path(baseline).is_file():
        raise FileError(
            "cannot read the baseline: there is no such file",
            place=str(baseline),
            remedy="a text is the path of a file; a strategy may also be a dict of specs, tactics or a preset",
        )


def make_request(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], options: Options) -> Request:
    """Traces the function, and reads what is asked of its plan."""
    mesh, schedule, placement = options.mesh, options.schedule, options.placement
    _check_baseline(options.baseline)
    on = machines.resolve(options.machine, mesh)
    program = trace_only(function, arguments, keywords, dataclasses.replace(options, machine=on))
    given, axes = meshes.parse_axes(mesh), _find_named_axes(mesh)
    names = read_names(program)
    pinned = _to_parts(options.pins, program, names, axes)
    if followed := strategies.find_followed(options.pins, program, names):
        program = dataclasses.replace(program, followed=followed)
    if not isinstance(schedule, Plan) and strategies.is_strategy(schedule):
        schedule = {"shardings": strategies.to_shardings(schedule, program, names, given)}
    tactics = build_schedule(
        schedule, program, names, pinned, lambda strategy: strategies.to_shardings(strategy, program, names, given)
    )
    if searches(tactics) and on is None:
        raise UsageError(
            "a search needs a machine to price its strategies on",
            remedy="name one, machine='h100-sxm:1x8', or 'auto' for the devices there are; or give a schedule",
        )
    if not searches(tactics):
        axes = given
    elif not axes and options.baseline is not None:
        raise UsageError(
            "a baseline names axes, but the mesh is a number of devices", remedy="give the mesh that it is for"
        )
    if placement is None and on is not None and isinstance(mesh, Mesh):
        placement = placements.find(mesh, on)
    flags = [*_to_flags(options, placement), *to_program_flags(program, options.ignore_shardings, options.rules)]
    return Request(program, names, tactics, flags, on, axes, mesh, options.baseline, pinned)


def _to_flags(options: Options, placement: str | None) -> list[str]:
    """What the tool is told beside the program, the mesh and the machine."""
    deadline, resume = options.deadline, options.resume
    if deadline is not None and not (isinstance(deadline, numbers.Real) and deadline > 0):
        raise UsageError(f"deadline={deadline!r} is not a time", remedy="give seconds, more than 0")
    if options.budget is not None and not isinstance(options.budget, numbers.Integral):
        raise UsageError(
            f"budget={options.budget!r} is not a number of strategies",
            remedy="limit the time with deadline=, in seconds",
        )
    return to_flags(
        memory_limit=options.memory_limit,
        goals=_join(options.goals),
        budget=options.budget,
        deadline=None if deadline is None else f"{max(1, round(deadline * 1000))}ms",
        seed=options.seed,
        allow=_join(options.allow),
        forbid=_join(options.forbid),
        resume=None if resume is None else str(Path(resume).absolute()),
        placement=placement,
        assume_trips=options.assume_trips,
    )


def _join(words: str | Sequence[str] | None) -> str | None:
    return words if words is None or isinstance(words, str) else ",".join(words)


def trace_only(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], options: Options) -> Program:
    """The program that is planned with these options."""
    on = machines.resolve(options.machine, options.mesh)
    platform = machines.check_platform(options.platform) if options.platform else machines.platform_of(on)
    return trace_given(
        function, arguments, keywords, _find_named_axes(options.mesh), platform,
        explicit=meshes.get_explicit(options.mesh), debug_prints=options.debug_prints, **options.call_settings,
    )  # fmt: skip


def _find_named_axes(mesh: meshes.MeshLike) -> Mapping[str, int]:
    """The axes to trace under. A number of devices has none: constraints and shard_map in the function need names."""
    return {} if isinstance(mesh, int) and mesh > 1 else meshes.parse_axes(mesh)


def _to_parts(pins: Any, program: Program, names: Names, axes: Mapping[str, int]) -> Parts:
    """What comes before the schedule: pins in any form of a strategy, or tactics and presets."""
    if pins is None:
        return NOTHING

    def specs(strategy: Any) -> list[Any]:
        if not axes:
            raise UsageError("pins name axes, but the mesh is a number of devices", remedy="give a mesh with axes")
        return strategies.to_shardings(strategy, program, names, axes)

    if strategies.is_strategy(pins):
        return Parts(tuple(specs(pins)))
    return expand(pins, program, names, specs)


def trace_given(
    function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], axes: Mapping[str, int], platform: str,
    *, explicit: AbstractMesh | None = None, debug_prints: prints.DebugPrints = "print", **settings: Any,
) -> Program:  # fmt: skip
    if debug_prints not in prints.DEBUG_PRINTS:
        raise UsageError(f"debug_prints={debug_prints!r} is not known", remedy="'print' or 'drop'")
    program = _trace_or_read(function, arguments, keywords, axes, platform, explicit, debug_prints, settings)
    if program.dropped_prints:
        count = len(program.dropped_prints)
        warn(f"{count} print{'s are' if count > 1 else ' is'} dropped: {', '.join(program.dropped_prints)}")
    return program


def _trace_or_read(
    function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], axes: Mapping[str, int], platform: str,
    explicit: AbstractMesh | None, debug_prints: prints.DebugPrints, settings: Mapping[str, Any],
) -> Program:  # fmt: skip
    if isinstance(function, (jax.stages.Traced, jax.stages.Lowered)):
        if arguments or keywords or any(value not in ((), None) for value in settings.values()):
            raise UsageError(
                f"a jax.stages.{type(function).__name__} has its arguments already",
                remedy="give it alone, or give the function",
            )
        if isinstance(function, jax.stages.Lowered):
            if debug_prints == "drop":
                raise UsageError(
                    "the prints of a jax.stages.Lowered cannot be dropped",
                    remedy="hand over the function, or what jax.jit(f).trace(...) gives",
                )
            return tracing.from_lowered(function)
        return tracing.from_traced(function, axes, platform, debug_prints)
    if not callable(function) or isinstance(function, jax.stages.Compiled):
        raise UsageError(
            f"an object of type {type(function).__name__} cannot be planned",
            remedy="give a function, or what jax.jit(f).trace(...) gives",
        )
    _check_keywords(function, keywords)
    return tracing.trace(
        function, arguments, keywords, axes=axes, explicit=explicit, platform=platform, debug_prints=debug_prints,
        **settings,
    )  # fmt: skip


_PINNED = (
    "give pins=partita.shardings(in_shardings, out_shardings), or call partita.jit, which takes it as jax.jit does"
)
#: What people look for in `plan`, and where it is.
_ELSEWHERE = {
    "in_shardings": _PINNED,
    "out_shardings": _PINNED,
    "devices": "mesh=8 is a number of devices, whose axes are searched, and mesh={'data': 4, 'model': 2} names axes",
    "compiler_options": "plan.jit(compiler_options=...) takes it",
    "constraints": "pins={'params/w1': P(None, 'model')} fixes how arrays are sharded",
}


def _check_keywords(function: Any, keywords: Mapping[str, Any]) -> None:
    """What is no option of `plan` is an argument of the function, or a slip."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    unknown = [name for name in keywords if name not in parameters]
    if not unknown or any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    own = inspect.signature(plan).parameters
    if unknown[0] in own:
        raise UsageError(
            f"{unknown[0]}= is an option of partita.plan, not of partita.load",
            remedy="a plan that is loaded is made already; leave it out",
        )
    if unknown[0] in _ELSEWHERE:
        raise UsageError(f"partita.plan has no option {unknown[0]}=", remedy=_ELSEWHERE[unknown[0]])
    meant = difflib.get_close_matches(unknown[0], [*own, *parameters], 1)
    raise UsageError(
        f"neither partita.plan nor the function has an argument {unknown[0]!r}",
        remedy=f"did you mean {meant[0]}=?" if meant else f"the function has {', '.join(parameters) or 'none'}",
    )
