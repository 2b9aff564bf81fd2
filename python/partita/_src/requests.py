"""What is to be planned, and the plans that come of it: made, made again from a text, or of another strategy."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partita._src import meshes, pages, strategies
from partita._src.errors import PartitaError, warn
from partita._src.names import Names
from partita._src.plan_command import run_plan, searches
from partita._src.plans import Plan
from partita._src.programs import Program
from partita._src.tactics import NOTHING, Parts, build_schedule


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

    def run(self, progress: bool | None = None, *, warns: bool = True) -> Plan:
        """The plan: by the schedule, or what a search finds, or the baseline if that is better."""
        made = self._finish(self._plan(self.schedule, progress=progress, warns=warns))
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
            return self._beside_baseline(_with_rival(made, "yours", own), own)
        warn("the search found nothing better than the baseline, which is the plan")
        own = _with_rival(own, "found by the search", made)
        return dataclasses.replace(self, searched=made)._finish(own)

    def _beside_baseline(self, made: Plan, own: Plan) -> Plan:
        """The plan, on whose page the baseline stands, too."""
        page = pages.mark_baseline(made._outcome.files["report.html"], own.report.time_ps, own.report.peak_bytes)
        others = dataclasses.replace(self, searched=made)
        return Plan(made._outcome.with_files({"report.html": page}), others.replan, self.baseline)

    def replay(
        self, plan_text: str, files: Mapping[str, str] | None = None, tactics: Mapping[str, Any] | None = None
    ) -> Plan:
        """A plan that was made for this request before. `files` of it, the data of its `page`, and what its `tactics`
        did, are as they were then where they are given."""
        made = run_plan(self.program, self.flags, plan_text=plan_text, mesh=self.mesh, machine=self.machine)
        known = dict(files or {})
        if "page" in known:
            known["report.html"] = pages.with_data(made._outcome.files["report.html"], known.pop("page"))
        told = made._outcome.with_files(known)
        return self._finish(Plan(told if tactics is None else dataclasses.replace(told, tactics=tactics)))

    def replan(self, strategy: Any) -> Plan:
        """Another strategy for the same program, mesh and machine. A bound that was found under pins or behind tactics
        is none for it, which need not follow them."""
        made = self._plan(self.to_schedule(strategy), warns=False)
        return self._with_bound(made) if self.schedule is None else made

    def _finish(self, made: Plan) -> Plan:
        """The plan, to which other strategies can be compared; its mesh is known now."""
        made = self._with_bound(made)
        others = dataclasses.replace(self, axes=made.axes, searched=self.searched or made)
        return Plan(made._outcome, others.replan, self.baseline)

    def _with_bound(self, made: Plan) -> Plan:
        """With the bound of the plan that was searched for: it is one of all plans within the memory limit, or of all
        if that plan is not within it."""
        known = None if self.searched is None else self.searched.report
        if known is None or known.fits is not made.report.fits:
            return made
        bounds = [report.figures.get("lower_bound_ps") or 0 for report in (known, made.report)]
        # What the search did to no collective may be done to those of this plan, and make it faster than that bound.
        if bounds[0] <= bounds[1] or bounds[0] > made.report.figures["time_ps"]:
            return made
        files, names = made._outcome.files, ("plan.json", "report.json", "report.html")
        return Plan(made._outcome.with_files({name: _replace_bound(files[name], bounds[0]) for name in names}))

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


def _rank(plan: Plan) -> tuple[bool, float]:
    """Smaller is better."""
    time = plan.report.time_ps
    return plan.report.fits is False, float("inf") if time is None else float(time)


def _with_rival(made: Plan, name: str, rival: Plan) -> Plan:
    """With another plan in what its report compares it with."""
    figures = json.loads(made._outcome.files["report.json"])
    if rival.report.time_ps is None:
        return made
    row = {"kind": "rival", "name": name, "time_ps": rival.report.time_ps, "peak_bytes": rival.report.peak_bytes}
    figures["overview"]["compared"].insert(0, row)
    return Plan(made._outcome.with_files({"report.json": json.dumps(figures, indent=1)}))


def _replace_bound(text: str, bound: int) -> str:
    return re.sub(r'("lower_bound_ps": ?)\d+', rf"\g<1>{bound}", text, count=1)
