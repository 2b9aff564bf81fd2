"""`partita.plan`: from a function to a plan."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
from jax.sharding import Mesh

from partita import engine, machines, meshes, strategies, tracing
from partita.errors import DoesNotFitWarning, FileError, IncompleteWarning, PartitaError, UsageError
from partita.plans import Plan
from partita.progress import show_progress
from partita.tactics import Names, ScheduleLike, build_schedule
from partita.tracing import Program


def plan(
    function: Callable[..., Any] | jax.stages.Traced,
    *arguments: Any,
    mesh: meshes.MeshLike,
    machine: str | None = None,
    schedule: ScheduleLike | None = None,
    pins: strategies.StrategyLike | None = None,
    baseline: Any = None,
    memory_limit: str | int | None = None,
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    kwargs: Mapping[str, Any] | None = None,
    goals: Sequence[str] | None = None,
    budget: int | None = None,
    deadline: float | None = None,
    seed: int | None = None,
    platform: str | None = None,
    placement: str | None = None,
    ignore_shardings: bool = False,
    rules: Sequence[str] = (),
    progress: bool | None = None,
    **keywords: Any,
) -> Plan:
    """Plans how `function(*arguments, **keywords)` runs on a mesh of devices.

    Arguments may be arrays or `jax.ShapeDtypeStruct`s; no devices are needed. Without a `schedule` the strategy is
    searched for, for which a `machine` is needed.

    Args:
      function: anything that `jax.jit` takes, jitted functions too, or a `jax.stages.Traced`.
      mesh: a `Mesh`, an `AbstractMesh`, a dict, text such as `data=4,model=2`, or a number of devices (one axis, data).
      machine: a preset with its shape (`h100-sxm:4x8`), a file, or `auto` for the devices that JAX has.
      schedule: tactics (`partita.tile`, `replicate`, `cut`, `auto`, `partita.presets`), or the path of a schedule or
      plan.
      pins: what is decided already: specs as a dict or list from patterns, or a tuple of trees, one for each argument.
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
      ignore_shardings: drops the shardings and constraints that the function itself names.
      rules: rules of custom calls, as `--rule` takes them.
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
    axes = meshes.parse_axes(mesh)
    machine = machines.resolve(machine)
    platform = platform or machines.platform_of(machine)
    program = _trace(
        function,
        arguments,
        {**keywords, **(kwargs or {})},
        axes,
        platform,
        donate_argnums=donate_argnums,
        donate_argnames=donate_argnames,
        static_argnums=static_argnums,
        static_argnames=static_argnames,
    )
    names = read_names(program)
    pinned = strategies.to_tactics(pins, program, names, axes, "pins") if pins is not None else []
    if machine is None and searches(build_schedule(schedule, program, names, pinned)):
        raise UsageError(
            "a search needs a machine to price its strategies on",
            remedy="name one, machine='h100-sxm:1x8', or 'auto' for the devices there are; or give a schedule",
        )
    flags = _flags(axes, machine, memory_limit, goals, budget, deadline, seed, placement, ignore_shardings, rules)

    def replan(strategy: Any) -> Plan:
        if isinstance(strategy, (Mapping, tuple, Plan)) or _is_rules(strategy) or strategies.is_rules_file(strategy):
            chosen: Any = strategies.to_tactics(strategy, program, names, axes, "specs")
        else:
            chosen = strategy
        tactics = build_schedule(chosen, program, names)
        return run_plan(program, flags, schedule=tactics, mesh=mesh, machine_file=machine, warns=False)

    tactics = build_schedule(schedule, program, names, pinned)
    made = run_plan(
        program,
        flags,
        schedule=tactics,
        mesh=mesh,
        machine_file=machine,
        progress=progress,
        replan=replan,
        baseline=baseline,
    )
    return _best(made, replan, baseline) if baseline is not None and searches(tactics) else made


def _best(made: Plan, replan: Callable[[Any], Plan], baseline: Any) -> Plan:
    """What was searched for, or the baseline if that is better; a baseline that cannot be applied is not."""
    try:
        own = replan(baseline)
    except PartitaError:
        return made
    if _rank(own) >= _rank(made):
        return made
    warnings.warn("the search found nothing better than the baseline, which is the plan", stacklevel=3)
    return Plan(*own.parts, replan, baseline)


def _rank(plan: Plan) -> tuple[bool, float]:
    """Smaller is better."""
    time = plan.report.time_ps
    return plan.report.fits is False, float("inf") if time is None else float(time)


def searches(schedule: Any) -> bool:
    """Whether a schedule leaves something to be searched for."""
    return schedule is None or any("auto" in tactic for tactic in schedule.get("tactics", []))


def _is_rules(strategy: Any) -> bool:
    """A list of (pattern, spec)."""
    return isinstance(strategy, list) and bool(strategy) and all(isinstance(rule, (tuple, list)) for rule in strategy)


def load(path: str | Path, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """Reads a plan that `Plan.save` wrote, for the function and arguments it was made for.

    Another program is refused with what differs. `options` are those of `partita.plan` that belong to the function.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot read the plan: {error.strerror}", place=str(path)) from None
    return load_text(text, function, *arguments, mesh=mesh, **options)


def load_text(text: str, function: Any, *arguments: Any, mesh: Mesh | None = None, **options: Any) -> Plan:
    """As `load`, from the plan's text."""
    value = json.loads(text)
    axes = meshes.parse_axes(value["mesh"])
    machine = value.get("machine")
    platform = options.pop("platform", None) or value.get("platform") or machines.platform_of(machine)
    keywords = dict(options.pop("kwargs", None) or {})
    own = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames")
    settings = {name: options.pop(name) for name in own if name in options}
    program = _trace(function, arguments, {**options, **keywords}, axes, platform, **settings)
    return run_plan(program, [], plan_text=text, mesh=mesh)


def _trace(
    function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], axes: Mapping[str, int], platform: str,
    **settings: Any,
) -> Program:  # fmt: skip
    if isinstance(function, jax.stages.Traced):
        return tracing.from_traced(function, axes, platform)
    return tracing.trace(function, arguments, keywords, axes=axes, platform=platform, **settings)


def read_names(program: Program) -> Names:
    """The names of the program's values, as the tool gives them."""

    def inner() -> list[str]:
        done = engine.run(["plan", "program.mlir", "--stop-after=flatten"], {"program.mlir": program.text})
        return [cell["name"] for cell in json.loads(done.stdout)["cells"] if cell.get("name")]

    return Names(program.argument_names, program.result_names, inner)


def _flags(
    axes: Mapping[str, int],
    machine: str | None,
    memory_limit: str | int | None,
    goals: Sequence[str] | None,
    budget: int | None,
    deadline: float | None,
    seed: int | None,
    placement: str | None,
    ignore_shardings: bool,
    rules: Sequence[str],
) -> list[str]:
    given: dict[str, Any] = {
        "mesh": meshes.print_axes(axes),
        "machine": machine,
        "memory-limit": memory_limit,
        "goals": None if goals is None else ",".join(goals),
        "budget": budget,
        "deadline": None if deadline is None else f"{round(deadline * 1000)}ms",
        "seed": seed,
        "placement": placement,
    }
    flags = [f"--{name}={value}" for name, value in given.items() if value is not None]
    flags += ["--ignore-shardings"] if ignore_shardings else []
    return flags + [f"--rule={rule}" for rule in rules]


def run_plan(
    program: Program,
    flags: Sequence[str],
    *,
    schedule: Any = None,
    plan_text: str | None = None,
    mesh: Any = None,
    machine_file: str | None = None,
    progress: bool | None = None,
    replan: Callable[[Any], Plan] | None = None,
    baseline: Any = None,
    warns: bool = True,
) -> Plan:
    """Has the tool plan the program and reads what it wrote."""
    texts = {"program.mlir": program.text}
    command = ["plan", "program.mlir", "--json", *flags]
    command += [f"--rule={kernel.rule}" for kernel in program.kernels.values()]
    if schedule is not None:
        texts["schedule.json"] = json.dumps(schedule, indent=1)
        command.append("--schedule=schedule.json")
    if plan_text is not None:
        texts["plan.json"] = plan_text
        command.append("--plan=plan.json")
    if machine_file is not None and os.path.isfile(machine_file):
        texts["machine.json"] = Path(machine_file).read_text()
        command = [re.sub(r"^--machine=.*", "--machine=machine.json", word) for word in command]
    with show_progress(plan_text is None and searches(schedule) and progress is not False) as shown:
        if shown is not None:
            command.append("--progress=jsonl")
        accepted = (0, engine.DOES_NOT_FIT, engine.CUT_SHORT)
        done = engine.run(command, texts, output_folder=True, accept=accepted, progress=shown)
    concrete = mesh if isinstance(mesh, Mesh) else None
    made = Plan(program, done.files, json.loads(done.stdout or "{}"), concrete, replan, baseline)
    if warns:
        _warn(made, done)
    return made


def _warn(made: Plan, done: engine.Finished) -> None:
    for line in done.stderr.splitlines():
        if found := re.match(r"(?:partita: )?warning: (.*)", line):
            warnings.warn(found[1], stacklevel=4)
    if done.code == engine.DOES_NOT_FIT:
        warnings.warn(f"the plan does not fit into memory\n{made.report}", DoesNotFitWarning, stacklevel=4)
    if done.interrupted:
        warnings.warn("the search was interrupted; this is the best plan so far", IncompleteWarning, stacklevel=4)
