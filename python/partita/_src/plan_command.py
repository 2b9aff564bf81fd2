"""The tool's `plan` command: a program and what is asked of it in, a `Plan` out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from jax.sharding import Mesh

from partita._src import engine, machines, ties
from partita._src.errors import (
    DoesNotFitWarning,
    IncompleteWarning,
    InputError,
    UnpricedWarning,
    UsageError,
    in_python,
    warn,
)
from partita._src.names import list_names
from partita._src.outcomes import Outcome
from partita._src.plans import Plan
from partita._src.programs import Program
from partita._src.progress import show_progress
from partita._src.spelling import advise_name
from partita._src.units import print_fraction

_HOW_TO_PRICE = (
    "the figures are lower limits; make it a partita.kernel, or give rules= how it is split and what it computes: "
    "'TARGET=([b,s])->([b,s]) flops=N'"
)
#: The targets of a program's custom calls, in quotes or without.
_TARGETS = re.compile(r'stablehlo\.custom_call @(?:"([^"]+)"|([\w$.]+))')


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
    flags = [*flags, *ties.to_flags(program), *(f"--rule={rule}" for rule in program.rules)]
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
    made = Plan(Outcome(program, files, json.loads(done.stdout or "{}"), concrete, machine, flags))
    if warns:
        is_given = schedule is not None and not is_search
        _warn(made, done, is_given=is_given)
    return made


def searches(schedule: Any) -> bool:
    """Whether a schedule leaves something to be searched for."""
    return schedule is None or any("auto" in tactic for tactic in schedule.get("tactics", []))


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


def _warn(made: Plan, done: engine.Finished, *, is_given: bool) -> None:
    for line in done.stderr.splitlines():
        if found := re.match(r"(?:partita: )?warning: (.*)", line):
            warn(in_python(found[1]))
    if done.code == engine.DOES_NOT_FIT or (made.report.fits is False and made.memory_fraction is None):
        search = "leave out schedule= to search for one that fits, or " if is_given else ""
        remedy = f"{search}take more devices, or plan with a larger memory_limit="
        memory = made.report.describe_memory()
        warn(f"the plan does not fit into memory\n{memory}\n  remedy: {remedy}", DoesNotFitWarning)
    else:
        _warn_of_pool(made)
    for kernel in made.whole_kernels:
        warn(
            f"the Pallas kernel {kernel} is not split: whether its steps can be split is not known\n"
            f"  remedy: give it a rule with partita.kernel, or let jax.vmap make the batch"
        )
    if made.report.is_lower_limit:
        warn(f"{made.report.describe_unpriced()}\n  remedy: {_HOW_TO_PRICE}", UnpricedWarning)
    if done.interrupted:
        warn("the search was interrupted; this is the best plan so far", IncompleteWarning)


def _warn_of_pool(made: Plan) -> None:
    """A plan for GPUs may be within its limit, but not within what JAX takes of their memory."""
    needed, pool = made.memory_fraction, machines.find_pool()
    if made.platform in ("cuda", "rocm") and needed is not None and needed > pool:
        warn(
            f"the plan needs more than the {pool:.0%} of a GPU's memory that JAX takes in this environment\n"
            f"  remedy: set {print_fraction(needed)} before JAX starts",
            DoesNotFitWarning,
        )


def to_flags(**given: Any) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value is not None]


def to_program_flags(program: Program, ignore_shardings: bool, rules: str | Sequence[str]) -> list[str]:
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
