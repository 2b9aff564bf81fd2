"""`partita.plan`: from a function to a plan."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import numbers
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh

from partita import caching, engine, machines, meshes, placements, prints, strategies, tracing
from partita.errors import (
    DoesNotFitWarning,
    FileError,
    IncompleteWarning,
    InputError,
    PartitaError,
    UnpricedWarning,
    UsageError,
    in_python,
    warn,
)
from partita.plans import Plan
from partita.progress import show_progress
from partita.spelling import advise_name
from partita.tactics import NOTHING, Names, Parts, ScheduleLike, build_schedule, expand, list_names, name_inner
from partita.tracing import Program

#: The targets of a program's custom calls, in quotes or without.
_HOW_TO_PRICE = (
    "the figures are lower limits; make it a partita.kernel, or give rules= how it is split and what it computes: "
    "'TARGET=([b,s])->([b,s]) flops=N'"
)
_TARGETS = re.compile(r'stablehlo\.custom_call @(?:"([^"]+)"|([\w$.]+))')


def plan(
    function: Callable[..., Any] | jax.stages.Traced | jax.stages.Lowered,
    *arguments: Any,
    mesh: meshes.MeshLike,
    machine: str | os.PathLike[str] | None = None,
    schedule: ScheduleLike | strategies.StrategyLike | None = None,
    pins: strategies.StrategyLike | None = None,
    baseline: Any = None,
    memory_limit: str | int | None = None,
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    kwargs: Mapping[str, Any] | None = None,
    goals: str | Sequence[str] | None = None,
    budget: int | None = None,
    deadline: float | None = None,
    seed: int | None = None,
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
      memory_limit: of a device, as `90%` of its memory (the default) or `75GB`.
      donate_argnums, donate_argnames, static_argnums, static_argnames: as for `jax.jit`.
      kwargs: keyword arguments of the function whose names collide with those of this call.
      goals: what the search is for, in order: `fit`, `time`, `memory`, `communication`.
      budget: how many strategies the search may look at; the same budget and seed give the same plan.
      deadline: seconds after which the search ends with the best plan so far, as Ctrl-C does.
      seed: of the search.
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
    on = machines.resolve(machine, mesh)
    platform = machines.check_platform(platform) if platform else machines.platform_of(on)
    given = meshes.parse_axes(mesh)
    # A number of devices has no axes to trace under: constraints and shard_map in the function need names.
    axes = {} if isinstance(mesh, int) and mesh > 1 else given
    program = _trace(
        function,
        arguments,
        {**keywords, **(kwargs or {})},
        axes,
        platform,
        explicit=meshes.get_explicit(mesh),
        debug_prints=debug_prints,
        donate_argnums=donate_argnums,
        donate_argnames=donate_argnames,
        static_argnums=static_argnums,
        static_argnames=static_argnames,
    )
    names = read_names(program)
    pinned = _to_parts(pins, program, names, axes)
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
    if placement is None and on is not None and isinstance(mesh, Mesh):
        placement = placements.find(mesh, on)
    if deadline is not None and not (isinstance(deadline, numbers.Real) and deadline > 0):
        raise UsageError(f"deadline={deadline!r} is not a time", remedy="give seconds, more than 0")
    flags = _flags(
        memory_limit=memory_limit,
        goals=None if goals is None else goals if isinstance(goals, str) else ",".join(goals),
        budget=budget,
        deadline=None if deadline is None else f"{max(1, round(deadline * 1000))}ms",
        seed=seed,
        placement=placement,
        assume_trips=assume_trips,
    )
    flags += _program_flags(program, ignore_shardings, rules)
    request = Request(program, names, tactics, flags, on, axes, mesh, baseline, pinned)
    if cache is None:
        return request.run(progress)
    return caching.find_or_make(Path(cache), request, progress)


@dataclass(frozen=True)
class Request:
    """What is to be planned, all of it known: the same request gives the same plan."""

    program: Program
    names: Names
    #: As the tool reads it; None: everything is searched for.
    schedule: Any
    flags: Sequence[str]
    machine: str | None
    #: Empty if the shape of the mesh is searched for, too.
    axes: Mapping[str, int]
    mesh: meshes.MeshLike
    baseline: Any
    #: The pins, which the schedule begins with.
    pins: Parts = NOTHING
    #: A plan that was searched for, of which a bound is known that holds for all plans of this request.
    searched: Plan | None = None

    def run(self, progress: bool | None = None) -> Plan:
        """The plan: by the schedule, or what a search finds, or the baseline if that is better."""
        made = self._finish(self._plan(self.schedule, progress=progress))
        if self.baseline is None or not searches(self.schedule):
            return made
        return dataclasses.replace(self, axes=made.axes)._choose(made)

    def _choose(self, made: Plan) -> Plan:
        """What was searched for, or the baseline if that is better; one that cannot be applied beside the pins is
        not."""
        try:
            own = self._plan(self.to_schedule(self.baseline, self.pins), warns=False)
        except PartitaError as error:
            warn(f"the baseline cannot be the plan: {error.reason}")
            return made
        if _rank(own) >= _rank(made):
            return made
        warn("the search found nothing better than the baseline, which is the plan")
        return dataclasses.replace(self, searched=made)._finish(own)

    def replay(
        self, plan_text: str, files: Mapping[str, str] | None = None, tactics: Mapping[str, Any] | None = None
    ) -> Plan:
        """A plan that was made for this request before. `files` of it, and what its `tactics` did, are as they were
        then where they are given."""
        made = run_plan(self.program, self.flags, plan_text=plan_text, mesh=self.mesh, machine=self.machine)
        program, replayed, found, mesh, machine, flags = made.parts
        known = {**replayed, **(files or {})}
        return self._finish(Plan(program, known, found if tactics is None else tactics, mesh, machine, flags))

    def replan(self, strategy: Any) -> Plan:
        """Another strategy for the same program, mesh and machine. A bound that was found under pins or behind tactics
        is none for it, which need not follow them."""
        made = self._plan(self.to_schedule(strategy), warns=False)
        return self._with_bound(made) if self.schedule is None else made

    def _finish(self, made: Plan) -> Plan:
        """The plan, to which other strategies can be compared; its mesh is known now."""
        made = self._with_bound(made)
        others = dataclasses.replace(self, axes=made.axes, searched=self.searched or made)
        return Plan(*made.parts, others.replan, self.baseline)

    def _with_bound(self, made: Plan) -> Plan:
        """With the bound of the plan that was searched for: it is one of all plans within the memory limit, or of all
        if that plan is not within it."""
        known = None if self.searched is None else self.searched.report
        if known is None or known.fits is not made.report.fits:
            return made
        bounds = [report.figures.get("lower_bound_ps") or 0 for report in (known, made.report)]
        if bounds[0] <= bounds[1]:
            return made
        program, files, tactics, mesh, machine, flags = made.parts
        raised = {name: _replace_bound(files[name], bounds[0]) for name in ("plan.json", "report.json")}
        return Plan(program, {**files, **raised}, tactics, mesh, machine, flags)

    def to_schedule(self, strategy: Any, first: Parts = NOTHING) -> Any:
        """A strategy in any of its forms, as the tool reads schedules, behind what comes first."""

        def specs(entry: Any) -> list[Any]:
            return strategies.to_shardings(entry, self.program, self.names, self.axes)

        if strategies.is_strategy(strategy):
            strategy = {"shardings": specs(strategy)}
        return build_schedule(strategy, self.program, self.names, first, specs)

    def _plan(self, schedule: Any, **options: Any) -> Plan:
        size = f"--mesh={meshes.print_axes(self.axes)}" if self.axes else f"--devices={self.mesh}"
        return run_plan(
            self.program,
            [size, *self.flags],
            schedule=schedule,
            mesh=self.mesh,
            machine=self.machine,
            **options,
        )


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


def _rank(plan: Plan) -> tuple[bool, float]:
    """Smaller is better."""
    time = plan.report.time_ps
    return plan.report.fits is False, float("inf") if time is None else float(time)


def searches(schedule: Any) -> bool:
    """Whether a schedule leaves something to be searched for."""
    return schedule is None or any("auto" in tactic for tactic in schedule.get("tactics", []))


def load(path: str | Path, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """Reads a plan that `Plan.save` wrote, for the function and arguments it was made for.

    Another program is refused with what differs. `options` are those of `partita.plan` that belong to the program
    (`donate_argnums`, `static_argnums`, their `argnames`, `kwargs`, `platform`, `ignore_shardings`, `rules`,
    `debug_prints`) or to its price (`memory_limit`, `assume_trips`, `machine`, which has to be given if it is a file),
    and keyword arguments of the function.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot read the plan: {error.strerror}", place=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the plan is not text in UTF-8", place=str(path)) from None
    try:
        return load_text(text, function, *arguments, mesh=mesh, **options)
    except InputError as error:
        place = error.place or str(path)
        raise InputError(error.reason, place=place, remedy=error.remedy, notes=error.notes) from None


def load_text(text: str, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """As `load`, from the plan's text."""
    value = _parse_plan(text)
    axes = meshes.parse_axes(value["mesh"])
    if mesh is not None and (given_axes := meshes.parse_axes(mesh)) != axes:
        raise UsageError(
            f"the mesh {meshes.print_axes(given_axes)} is not that of the plan, {meshes.print_axes(axes)}",
            remedy="give schedule= the plan's path to apply its tactics to another mesh",
        )
    keywords = dict(options.pop("kwargs", None) or {})
    own = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames")
    settings = {name: options.pop(name) for name in own if name in options}
    given = {name: options.pop(name, None) for name in ("machine", "memory_limit", "assume_trips", "ignore_shardings")}
    rules, debug_prints = options.pop("rules", ()), options.pop("debug_prints", "print")
    known = machines.resolve(given["machine"], axes if mesh is None else mesh) or value.get("machine")
    if known is not None and not machines.is_known(known):
        warn(f"the plan is for the machine {known!r} of a file: give it as machine=, and what it costs is known")
        known = None
    platform = options.pop("platform", None) or value.get("platform") or machines.platform_of(known)
    explicit = None if mesh is None else meshes.get_explicit(mesh)
    program = _trace(
        function, arguments, {**options, **keywords}, axes, platform,
        explicit=explicit, debug_prints=debug_prints, **settings,
    )  # fmt: skip
    flags = _flags(placement=value.get("placement"), **{name: given[name] for name in ("memory_limit", "assume_trips")})
    flags += _program_flags(program, bool(given["ignore_shardings"]), rules)
    request = Request(program, read_names(program), None, flags, known, axes, axes if mesh is None else mesh, None)
    return request.replay(text)


def _parse_plan(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InputError(f"the plan is not JSON: {error}") from None
    if not isinstance(value, dict) or value.get("partita_plan") != 1 or not isinstance(value.get("mesh"), str):
        raise InputError("this is no plan.json of version 1", remedy="Plan.save writes one")
    return value


def _trace(
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
            f"a {type(function).__name__} cannot be planned",
            remedy="give a function, or what jax.jit(f).trace(...) gives",
        )
    _check_keywords(function, keywords)
    return tracing.trace(
        function, arguments, keywords, axes=axes, explicit=explicit, platform=platform, debug_prints=debug_prints,
        **settings,
    )  # fmt: skip


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
    meant = difflib.get_close_matches(unknown[0], [*own, *parameters], 1)
    raise UsageError(
        f"neither partita.plan nor the function has an argument {unknown[0]!r}",
        remedy=f"did you mean {meant[0]}=?" if meant else f"the function has {', '.join(parameters) or 'none'}",
    )


def read_names(program: Program) -> Names:
    """The names of the program's values, as the tool gives them."""

    def inner() -> list[tuple[str, ...]]:
        done = engine.run(["plan", "program.mlir", "--stop-after=flatten"], {"program.mlir": program.text})
        return name_inner(json.loads(done.stdout)["cells"])

    return Names(program.argument_names, program.result_names, inner)


def _flags(**given: Any) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]


def _program_flags(program: Program, ignore_shardings: bool, rules: str | Sequence[str]) -> list[str]:
    """How the program is read."""
    each = [rules] if isinstance(rules, str) else rules
    if not isinstance(each, Sequence) or not all(isinstance(rule, str) for rule in each):
        raise UsageError(f"rules={rules!r} is neither a text nor several", remedy="write each as TARGET=RULE")
    _check_rules(program, each)
    return [*(["--ignore-shardings"] if ignore_shardings else []), *(f"--rule={rule}" for rule in each)]


def _check_rules(program: Program, rules: Sequence[str]) -> None:
    """A rule that is for nothing in the program is a slip; the tool reads only those that it needs."""
    if not rules:
        return
    targets = sorted({quoted or plain for quoted, plain in _TARGETS.findall(program.text)})
    for rule in rules:
        target, _, text = rule.partition("=")
        if target and text and target not in targets:
            raise UsageError(
                f"rules= has one for {target!r}, but the program has no such custom call",
                remedy=advise_name(target, targets)
                or (f"its custom calls are {', '.join(targets)}" if targets else "it has no custom calls at all"),
            )


def run_plan(
    program: Program,
    flags: Sequence[str],
    *,
    schedule: Any = None,
    plan_text: str | None = None,
    mesh: Any = None,
    machine: str | None = None,
    progress: bool | None = None,
    warns: bool = True,
) -> Plan:
    """Has the tool plan the program and reads what it wrote."""
    texts = {"program.mlir": program.text}
    flags = [*flags, *(f"--rule={rule}" for rule in program.rules)]
    command = ["plan", "program.mlir", "--json", *flags]
    if schedule is not None:
        texts["schedule.json"] = json.dumps(schedule, indent=1)
        command.append("--schedule=schedule.json")
    if plan_text is not None:
        texts["plan.json"] = plan_text
        command.append("--plan=plan.json")
    if machine is not None:
        command.append(machines.to_flag(machine))
    is_search = plan_text is None and searches(schedule)
    with show_progress(is_search and progress is not False) as shown:
        if shown is not None:
            command.append("--progress=jsonl")
        accepted = (0, engine.DOES_NOT_FIT, engine.CUT_SHORT, engine.UNPRICED)
        try:
            done = engine.run(command, texts, output_folder=True, accept=accepted, progress=shown)
        except InputError as error:
            raise _in_terms_of_the_caller(error, program) from None
    concrete = mesh if isinstance(mesh, Mesh) else None
    files = {**done.files, "plan.json": _record(done.files["plan.json"], program.platform)}
    made = Plan(program, files, json.loads(done.stdout or "{}"), concrete, machine, flags)
    if warns:
        _warn(made, done)
    return made


def _in_terms_of_the_caller(error: InputError, program: Program) -> InputError:
    """Where the tool says how it would list the names of values, the names of the arguments."""
    remedy = error.remedy
    if "lists the names" in remedy or "lists their names" in remedy:
        remedy = list_names(program.argument_names)
    elif error.reason.startswith("the given sharding of"):
        sizes = re.match("(.* would divide.*); change it", remedy)
        remedy = f"change the spec, or the size: {sizes[1]}" if sizes else "change the spec"
    return InputError(error.reason, place=error.place, remedy=remedy, notes=error.notes)


def _record(plan_text: str, platform: str) -> str:
    """plan.json with what the tool does not know: the platform."""
    return plan_text.replace('"platform": null,\n', f'"platform": {json.dumps(platform)},\n', 1)


def _replace_bound(text: str, bound: int) -> str:
    return re.sub(r'("lower_bound_ps": ?)\d+', rf"\g<1>{bound}", text, count=1)


def _warn(made: Plan, done: engine.Finished) -> None:
    for line in done.stderr.splitlines():
        if found := re.match(r"(?:partita: )?warning: (.*)", line):
            warn(in_python(found[1]))
    if done.code == engine.DOES_NOT_FIT:
        warn(f"the plan does not fit into memory\n{made.report}", DoesNotFitWarning)
    for kernel in made.whole_kernels:
        warn(
            f"the Pallas kernel {kernel} is kept whole: whether its steps can be split is not known\n"
            f"  remedy: give it a rule with partita.kernel, or let jax.vmap make the batch"
        )
    if made.report.is_lower_limit:
        warn(f"{made.report.describe_unpriced()}\n  remedy: {_HOW_TO_PRICE}", UnpricedWarning)
    if done.interrupted:
        warn("the search was interrupted; this is the best plan so far", IncompleteWarning)
