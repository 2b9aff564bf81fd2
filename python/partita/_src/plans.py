"""Plans: what `partita.plan` gives back."""

from __future__ import annotations

import functools
import json
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from partita._src import engine, execution, machines, meshes, placements, storage
from partita._src.checking import Check, check
from partita._src.errors import FileError, InputError, PartitaError, UsageError, warn
from partita._src.explanation import explain
from partita._src.exported_rules import ExportedRules, PlannedArgument, export_rules, find_kinds, with_uses_of
from partita._src.files import write_whole
from partita._src.meshes import DimAxes, Refinement
from partita._src.names import read_names, to_path
from partita._src.outcomes import Outcome
from partita._src.report import Comparison, Report
from partita._src.stored_forms import StoredForm, find_stored
from partita._src.ties import find_next_states
from partita._src.units import print_fraction, print_time
from partita._src.verification import Verification, verify

Partitioner = Literal["partita", "shardy"]


class Plan:
    """How a program is divided among the devices of a mesh.

    `partita.plan` makes one; `jit()` runs it. Its shardings have the structure of the function's arguments and results.
    """

    def __init__(self, outcome: Outcome, replan: Callable[[Any], Plan] | None = None, baseline: Any = None) -> None:
        self._outcome = outcome
        self._program = outcome.program
        self._files = dict(outcome.files)
        self._json: dict[str, Any] = json.loads(outcome.files["plan.json"])
        self._mesh = outcome.mesh
        self._machine = outcome.machine
        self._flags = tuple(outcome.flags)
        self._replan = replan
        self._baseline = baseline
        self._jitted: dict[Any, execution.PlannedFunction] = {}
        self._check_signature()
        shardings = [entry["sharding"] for entry in (*self._json["arguments"], *self._json["results"])]
        self._refinement = Refinement(self.axes, shardings)
        self._storage = storage.Storage(self._program, self._json["arguments"])
        results = find_stored(self._json["results"], self._program.out_avals)
        self._out_avals = [form.aval for form in results]

    def _check_signature(self) -> None:
        """The program's flat arguments and results are those of the function."""
        for kind, avals in (("arguments", self._program.in_avals), ("results", self._program.out_avals)):
            if len(self._json[kind]) != len(avals):
                raise InputError(
                    f"the plan has {len(self._json[kind])} {kind}, the function {len(avals)}",
                    remedy="typed PRNG keys, tokens and dynamic shapes change the number of arguments",
                )

    # What was planned.

    @property
    def axes(self) -> dict[str, int]:
        """The axes of the mesh and their sizes."""
        return meshes.parse_axes(self._json["mesh"])

    @property
    def machine(self) -> str | None:
        """The machine it was planned for, if one was given."""
        machine = self._json.get("machine")
        return None if machine is None else str(machine)

    @property
    def platform(self) -> str:
        """The platform that the program was lowered for: cpu, cuda, rocm or tpu."""
        return self._program.platform

    @property
    def schedule(self) -> dict[str, Any]:
        """The tactics, as `schedule=` and the tool's `--schedule` take them."""
        schedule = self._json.get("schedule")
        return dict(schedule) if schedule else {"tactics": []}

    @property
    def microbatches(self) -> int:
        """How many parts of the batch run one after the other: as `partita.accumulate` says, or as was searched."""
        return self.report.microbatches

    @property
    def argument_names(self) -> list[str]:
        """The names of the flat arguments: `state.params['w1']`; `const[0]` for captured constants."""
        return [str(entry["name"]) for entry in self._json["arguments"]]

    @property
    def result_names(self) -> list[str]:
        """The names of the flat results."""
        return [str(entry["name"]) for entry in self._json["results"]]

    @property
    def whole_kernels(self) -> list[str]:
        """Pallas kernels that no device can run on a piece."""
        return [kernel.name for kernel in self._program.kernels.values() if getattr(kernel, "is_whole", False)]

    @property
    def report(self) -> Report:
        """What the plan does and costs; prints in a terminal, and as tables and charts in a notebook."""
        return Report(self._json, self._figures, self._outcome.tactics, self._files.get("report.html"))

    @property
    def memory_fraction(self) -> float | None:
        """The `XLA_PYTHON_CLIENT_MEM_FRACTION` that the plan needs on GPUs, as 0.92; None where JAX's default pool (75%
        of the memory) is enough, where no pool is large enough, and where memory is not known."""
        return self.report.memory_fraction

    @functools.cached_property
    def _figures(self) -> dict[str, Any]:
        return json.loads(self._files["report.json"])  # type: ignore[no-any-return]

    # From the plan to devices.

    @property
    def placement(self) -> str | None:
        """Which axis runs over which links of the machine, if the plan is for one: `data=node,model=nvlink`."""
        placement = self._json.get("placement")
        return None if placement is None else str(placement)

    def make_mesh(self, devices: Sequence[jax.Device] | None = None) -> Mesh:
        """The mesh of the plan on these devices, or on those that JAX has, each where the plan's placement wants it.

        Devices are taken host by host and, on TPUs, slice by slice along the torus, in whatever order they are given.
        So meshes over several slices, or over nodes of several GPUs, need no `jax.make_mesh`.
        """
        return meshes.make_mesh(self.axes, devices, self._device_order(), self._torus())

    def _torus(self) -> tuple[int, ...]:
        return () if self._machine is None else placements.find_torus(self._machine)

    def _device_order(self) -> tuple[int, ...] | None:
        if self._machine is None:
            return None
        return placements.resolve(self.axes, self._machine, self.placement).order

    def _warn_of_order(self, mesh: Mesh) -> None:
        """A mesh whose devices stand elsewhere than the plan was priced for runs, but takes another time."""
        order = self._device_order()
        if order is None or self._machine is None or list(order) in meshes.list_numberings(mesh, self._torus()):
            return
        words = placements.find(mesh, self._machine)
        known = "in an order that no placement gives, so their time is not known" if words is None else f"as {words}"
        time = None if words is None else self._score(words)
        if time is not None and time == self.report.time_ps:
            return
        was = "" if self.report.time_ps is None else f", predicted {print_time(self.report.time_ps)}"
        now = "" if time is None else f", predicted {print_time(time)}"
        warn(f"the devices of the mesh stand {known}{now}; the plan is for another order{was}: use plan.make_mesh()")

    def _score(self, placement: str) -> int:
        """Predicted picoseconds of a step under another placement."""
        others = [flag for flag in self._flags if not flag.startswith("--placement=")]
        return int(self._ask("score", f"--placement={placement}", *others)["time_ps"])

    def _ask(self, command: str, *options: str, texts: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What a command of the tool says of this plan, as a value."""
        found: dict[str, Any] = json.loads(self._run(command, "--json", *options, texts=texts))
        return found

    def _run(self, command: str, *options: str, texts: Mapping[str, str] | None = None) -> str:
        """What a command of the tool prints of this plan; `texts` are further files that it reads."""
        texts = {"program.mlir": self._program.text, "plan.json": self._files["plan.json"], **(texts or {})}
        words = [command, "program.mlir", "--plan=plan.json", *options]
        if self._machine is not None:
            words.append(machines.to_flag(self._machine))
        return engine.run(words, texts, accept=(0, engine.DOES_NOT_FIT, engine.UNPRICED)).stdout

    def _mesh_or(self, mesh: Mesh | None) -> Mesh:
        chosen = mesh if mesh is not None else self._mesh if self._mesh is not None else self.make_mesh()
        if not isinstance(chosen, Mesh):
            raise UsageError(f"{chosen!r} is not a jax.sharding.Mesh", remedy="use plan.make_mesh()")
        if dict(chosen.shape) != self.axes:
            raise UsageError(
                f"the mesh {meshes.print_axes(chosen.shape)} is not that of the plan, {meshes.print_axes(self.axes)}",
                remedy="use plan.make_mesh()",
            )
        return chosen

    def _dims(self, kind: str) -> list[DimAxes]:
        """The axes of the dims of each argument or result as JAX has them: typed PRNG keys hide their words. Empty
        arrays are whole, since XLA gives them back so whatever it is told."""
        avals = self._program.in_avals if kind == "arguments" else self._program.out_avals
        return [
            entry["sharding"][: aval.ndim] if aval.size else [[]] * aval.ndim
            for entry, aval in zip(self._json[kind], avals, strict=True)
        ]

    def _flat(self, kind: str, mesh: Mesh) -> list[NamedSharding]:
        return [self._refinement.sharding(mesh, dims) for dims in self._dims(kind)]

    def shardings(self, mesh: Mesh | None = None) -> tuple[tuple[Any, ...], Any]:
        """(shardings of the positional arguments, of the results), pytrees of `NamedSharding` on this mesh."""
        chosen = self._mesh_or(mesh)
        positional, _ = self._program.unflatten_arguments(self._flat("arguments", chosen))
        return positional, self._program.unflatten_results(self._flat("results", chosen))

    @property
    def in_shardings(self) -> tuple[Any, ...]:
        """A pytree of `NamedSharding` for each positional argument that is not static, as `jax.jit` takes them."""
        return self.shardings()[0]

    @property
    def in_shapes(self) -> tuple[Any, ...]:
        """As `in_shardings`, but `jax.ShapeDtypeStruct`s that have them: the arrays as the plan stores them, longer or
        in another order where it does so. Checkpoints are restored by these."""
        shardings = self._flat("arguments", self._mesh_or(None))
        shapes = [
            jax.ShapeDtypeStruct(form.aval.shape, form.aval.dtype, sharding=sharding, weak_type=form.aval.weak_type)
            for form, sharding in zip(self._storage.forms, shardings, strict=True)
        ]
        return self._program.unflatten_arguments(shapes)[0]

    @property
    def keyword_shardings(self) -> dict[str, Any]:
        """The same for keyword arguments."""
        return self._program.unflatten_arguments(self._flat("arguments", self._mesh_or(None)))[1]

    @property
    def out_shardings(self) -> Any:
        """A pytree of `NamedSharding` with the structure of the results."""
        return self.shardings()[1]

    @property
    def in_specs(self) -> tuple[Any, ...]:
        """As `in_shardings`, but `PartitionSpec`s: no devices are needed."""
        specs = [self._refinement.spec(dims) for dims in self._dims("arguments")]
        return self._program.unflatten_arguments(specs)[0]

    @property
    def out_specs(self) -> Any:
        """As `out_shardings`, but `PartitionSpec`s: no devices are needed."""
        specs = [self._refinement.spec(dims) for dims in self._dims("results")]
        return self._program.unflatten_results(specs)

    def put(self, *arguments: Any, mesh: Mesh | None = None, kwargs: Mapping[str, Any] | None = None) -> Any:
        """Moves arguments, in the order of the function's, to where the plan wants them; one gives one, several a
        tuple.

        Static ones are left out, and fewer than all may be given: `state = plan.put(state)`. Those in `kwargs` are
        keyword arguments, and come last, as a dict. flax nnx modules are changed in place. What the plan donates shares
        no memory with what was given, unless that lies there already. State that the plan stores padded gets zeros
        behind its elements, and what it stores in another order is reordered; `unput` undoes both.
        """
        placed = self._storage.put(self._flat("arguments", self._mesh_or(mesh)), arguments, kwargs)
        return placed[0] if len(placed) == 1 else tuple(placed)

    def unput(self, *arguments: Any, kwargs: Mapping[str, Any] | None = None) -> Any:
        """Arguments, or the results that are their next values, as the function has them: what `put` made longer is
        cut, and what it reordered is put back. One gives one, several a tuple. It is an error if something other than
        zero lies behind the elements."""
        plain = self._storage.unput(arguments, kwargs)
        return plain[0] if len(plain) == 1 else tuple(plain)

    def jit(
        self,
        *,
        mesh: Mesh | None = None,
        partitioner: Partitioner = "partita",
        compiler_options: Mapping[str, Any] | None = None,
    ) -> execution.PlannedFunction:
        """The planned function, to be called as the original.

        It runs the device-local program, collectives as priced. `partitioner="shardy"` gives XLA the user's function
        with the plan's shardings and constraints instead. `compiler_options` are those of `jax.jit`. The same call
        gives the same function again, which is compiled once.
        """
        if mesh is not None:
            self._mesh_or(mesh)
        key = mesh, partitioner, repr(sorted((compiler_options or {}).items()))
        if key not in self._jitted:
            self._jitted[key] = self._jit(mesh, partitioner, compiler_options)
        return self._jitted[key]

    def _jit(
        self, mesh: Mesh | None, partitioner: Partitioner, compiler_options: Mapping[str, Any] | None
    ) -> execution.PlannedFunction:
        chosen = self._mesh_or(mesh)
        self._check_platform(chosen)
        if mesh is not None:
            self._warn_of_order(mesh)
        placement = execution.Placement(
            chosen.size,
            self._flat("arguments", chosen),
            self._flat("results", chosen),
            self.argument_names,
            self._storage.forms,
            self._out_avals,
            compiler_options,
        )
        if partitioner not in ("partita", "shardy"):
            raise UsageError(f"there is no partitioner {partitioner!r}", remedy="'partita' or 'shardy'")
        if partitioner == "shardy" or self._program.has_only_empty_arguments:
            return execution.jit_shardy(self._program, self._files["annotated.mlir"], placement)
        return execution.jit_local(self._program, self._files["local.mlir"], placement)

    def _check_platform(self, mesh: Mesh) -> None:
        has = mesh.devices.flat[0].platform
        names = {"gpu": ("cuda", "rocm")}.get(has, (has,))
        if self.platform not in names:
            raise UsageError(
                f"the plan was made for the platform {self.platform}, but the devices are of {has}",
                remedy=f"plan with platform={names[0]!r}",
            )

    # Looking at it.

    def specs_by_name(self) -> dict[str, PartitionSpec]:
        """The spec of each argument by its name; those that name parts of an axis are left out."""
        plain, specs = Refinement(self.axes, ()), {}
        for entry, form in zip(self._json["arguments"], self._storage.forms, strict=True):
            if not any(":(" in axis for dim in entry["sharding"] for axis in dim):
                specs[str(entry["name"])] = plain.spec(form.join_dims(entry["sharding"]))
        return specs

    def stored_forms(self) -> dict[str, StoredForm]:
        """By name, how arguments are stored that are padded or in another order."""
        described = zip(self.argument_names, self._storage.forms, self._program.in_avals, strict=True)
        return {name: form for name, form, aval in described if tuple(form.aval.shape) != tuple(aval.shape)}

    @overload
    def rules(self) -> list[tuple[str, PartitionSpec]]: ...
    @overload
    def rules(self, format: str, names: Any = None) -> ExportedRules: ...
    def rules(self, format: str | None = None, names: Any = None) -> list[tuple[str, PartitionSpec]] | ExportedRules:
        """Regular expression and spec for each group of arguments, and of results that are no next state of an
        argument, as people keep them in configuration files; or, with a `format`, the configuration of another package.

        The first that matches a path (`re.fullmatch`) is its spec; numbers of layers are `[0-9]+`.

        Args:
          format: `flax` or `maxtext`: logical axis rules; `levanter`: axis mappings; `keras`: the entries of a
            LayoutMap. Arrays for which these say something other than the plan are named, in a warning and in `missed`.
          names: the logical names of dims: a tuple with a tree of specs of names for each argument, a list from
            patterns to names, or a file of them that MaxText wrote. Without it, those that arguments carry: linen's
            boxes, nnx's variables, haliax's arrays. For Keras, trees of the paths of variables.
        """
        if format is not None:
            return export_rules(format, self._program, names, self._list_arguments)
        states = find_next_states(self._program)
        results = [entry for number, entry in enumerate(self._json["results"]) if number not in states]
        grouped: dict[str, dict[str, PartitionSpec]] = {}
        for entry in (*self._json["arguments"], *results):
            path = to_path(str(entry["name"]))
            pattern = re.sub(
                r"(?<=[/_])[0-9]+(?=/|$)", "[0-9]+", re.escape(path).replace("\\/", "/").replace("\\_", "_")
            )
            grouped.setdefault(pattern, {})[path] = self._refinement.spec(entry["sharding"])
        rules: list[tuple[str, PartitionSpec]] = []
        for pattern, specs in grouped.items():
            if len(set(specs.values())) == 1:
                rules.append((pattern, next(iter(specs.values()))))
            else:
                rules += [(re.escape(path), spec) for path, spec in specs.items()]
        return rules

    def _list_arguments(self, with_uses: bool) -> list[PlannedArgument]:
        entries = zip(self._json["arguments"], self._program.in_avals, strict=True)
        listed = [
            PlannedArgument(str(entry["name"]), tuple(map(tuple, entry["sharding"])), aval.size * aval.dtype.itemsize)
            for entry, aval in entries
        ]
        if not with_uses:
            return listed
        texts = {"values.txt": "\n".join(argument.name for argument in listed)}
        values = self._ask("explain", "--values=values.txt", *self._flags, texts=texts)["values"]
        return with_uses_of(listed, values, find_kinds(self._program))

    def constraints(self) -> list[tuple[str, PartitionSpec]]:
        """What `rules()` do not say: values inside the program and their specs.

        Rules and constraints together give every value the plan's sharding:
        `plan.replan([*plan.rules(), *plan.constraints()])`. What an op adds up, and where, may still differ. A value's
        name says where it comes from; `jax.lax.with_sharding_constraint` there asks XLA for the same. A plan that
        changes the program (`report.memory_actions`, `report.padding`) has none: it raises an error that says so.
        """
        found = self._ask("explain", "--constraints", *self._flags)["shardings"]
        return [
            (pattern, PartitionSpec(*(tuple(d) if isinstance(d, list) else d for d in dims))) for pattern, dims in found
        ]

    def explain(self, name: str) -> str:
        """How values lie on the devices, who decided it, and what is moved because of it; for a plan on a machine, what
        other choices would cost.

        `name` is that of an argument, a result or an inner value (`jit(step)/dot_general#17`, or `model.py:42#2`, the
        third value of that line), or a pattern. What others would cost is left out where it matches more than eight.
        """

        def ask(values: Sequence[str]) -> str:
            texts = {"values.txt": "\n".join(values)}
            return self._run("explain", "--values=values.txt", *self._flags, texts=texts)

        return explain(ask, read_names(self._program), name)

    def replan(self, strategy: Any) -> Plan:
        """Another strategy, in any form that `compare` takes, for the same program, mesh and machine."""
        assert self._replan is not None, "partita.plan and partita.load give one"
        return self._replan(strategy)

    def compare(self, *others: Any, **strategies: Any) -> Comparison:
        """This plan beside other strategies for the same program, mesh and machine.

        Each is what `schedule=` or `pins=` of `partita.plan` take: tactics, presets, specs by pattern, trees of specs,
        plans. Those without a name are `strategy 1` and so on. The baseline comes first: `baseline=`, or what the plan
        was made with.
        """
        strategies = {f"strategy {number}": other for number, other in enumerate(others, 1)} | strategies
        if "plan" in strategies:
            raise UsageError("the row 'plan' is this plan itself", remedy="give the other strategy another name")
        baseline = strategies.pop("baseline", self._baseline)
        rows = [] if baseline is None else [("baseline", self._rate(baseline))]
        rows.append(("plan", self.report))
        return Comparison([*rows, *((name, self._rate(strategy)) for name, strategy in strategies.items())])

    def _rate(self, strategy: Any) -> Report | str:
        """What another strategy costs, or why it cannot be applied."""
        try:
            return self.replan(strategy).report
        except PartitaError as error:
            return f"cannot be applied: {error.place + ': ' if error.place else ''}{error.reason}"

    def local_text(self) -> str:
        """The device-local program: one `sdy.manual_computation` over all axes, with explicit collectives."""
        return self._files["local.mlir"]

    def annotated_text(self) -> str:
        """The original program with the plan's shardings and constraints, for Shardy."""
        return self._files["annotated.mlir"]

    def verify(self, *, seed: int = 0, max_work: int | None = None) -> Verification:
        """Runs the original and the local program on virtual devices of the reference evaluator and compares.

        A difference raises `DifferenceError`. It costs what interpreting both programs costs: meant for small sizes.
        What the evaluator cannot run (custom calls, such as those of LAPACK; sizes beyond its limits; loops without an
        end) is checked without running, op by op: `executed` is False then, and `note` says why. If the plan rewrote
        the program (microbatches, other values kept), it is the rewritten program that the local one is held against.

        Args:
          seed: of the arguments' values.
          max_work: work after which each run is given up, as `--max-work` of the tool counts it: about a nanosecond
            each, and half a minute by default.
        """
        if max_work is not None and not (isinstance(max_work, numbers.Integral) and max_work > 0):
            raise UsageError(f"max_work={max_work!r} is not an amount of work", remedy="give an integer, more than 0")
        local = self.local_text()

        def relation() -> dict[str, Any]:
            return self._ask("verify", "--relation", "--local=local.mlir", *self._flags, texts={"local.mlir": local})

        padded = [self.report.padding] if self.report.padding else []
        changes = [*self.report.memory_actions, *padded]
        return verify(self._program, local, seed=seed, max_work=max_work, relation=relation, changes=changes)

    def check(self, *, mesh: Mesh | None = None) -> Check:
        """Compiles on the devices of `mesh`, which may be mocked ones, and puts our figures beside XLA's: collectives,
        bytes that a device needs, and, of a plan for a machine, the sizes of values at the peak of memory of which XLA
        has more or fewer."""
        return check(self.jit(mesh=mesh).lower(), self.report, self.platform)

    # Files.

    def to_json(self) -> dict[str, Any]:
        """plan.json as a value."""
        return json.loads(self._files["plan.json"])  # type: ignore[no-any-return]

    def save(self, path: str | Path) -> None:
        """Writes plan.json; `partita.load` reads it back for the same function and shapes."""
        try:
            write_whole(Path(path), self._files["plan.json"])
        except OSError as error:
            raise FileError(f"cannot write the plan: {error.strerror}", place=str(path)) from None

    def save_all(self, folder: str | Path) -> None:
        """Writes plan.json, annotated.mlir, local.mlir, report.json, report.html, of a plan for a machine trace.json,
        and of one that was searched for answers.txt, from which `partita.plan(..., resume=folder)` goes on."""
        target = Path(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name, text in self._files.items():
                (target / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot write the plan: {error.strerror}", place=str(folder)) from None

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, _: Any) -> Plan:
        """Nothing changes it."""
        return self

    def __reduce__(self) -> Any:
        raise UsageError(
            "a plan holds the function that it is for, and cannot be pickled",
            remedy="Plan.save writes it to a file; partita.load reads it for the same function",
        )

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def __repr__(self) -> str:
        split = sum(any(entry["sharding"]) for entry in self._json["arguments"])
        first = f"{self.report.describe_unpriced()}\n" if self.report.is_lower_limit else ""
        needs = "" if self.memory_fraction is None else f", needs {print_fraction(self.memory_fraction)}"
        return (
            f"{first}Plan({self._program.name} on {meshes.print_axes(self.axes)}: "
            f"{split} of {len(self._json['arguments'])} arguments split{needs})"
        )
