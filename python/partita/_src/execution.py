"""A plan's program as a function: the user's arguments in, the user's results out.

`plan.jit()` gives a `PlannedFunction`. Under it is `jax.jit` of the device-local program (through `jax.export`), or,
with `partitioner="shardy"`, of the user's own function with the plan's shardings.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from partita._src import captured, meshes, storage
from partita._src.errors import UnsupportedError, UsageError, warn
from partita._src.jax_internals import exporting, planned_primitive, program_text
from partita._src.programs import Program
from partita._src.shapes import read_aval, to_shape
from partita._src.stages import Lowered
from partita._src.stored_forms import StoredForm

_UNKNOWN = (None, None, None)
_PLAN_AGAIN = "plan again for it, or use partita.jit, which plans for each"


def _name_kind(aval: Any) -> str:
    """A key, or an array that is none."""
    is_key = jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key)
    return f"{'a typed key' if is_key else 'an array'}, {aval.dtype}{list(aval.shape)}"


class PlannedFunction:
    """A function that runs as planned. It takes what the planned function takes, and gives what it gives.

    Arguments that lie elsewhere on the devices than planned are moved; put them there before (`plan.put`), and nothing
    is moved in a step. It cannot be differentiated, vectorised or mapped over devices (`jax.grad`, `jax.vmap`,
    `jax.shard_map`), also not as part of another function: plan the whole step, gradients included.
    """

    def __init__(self, program: Program, flat: Any, placement: Placement) -> None:
        self._program = program
        self._flat = flat
        self._shardings = tuple(placement.in_shardings)
        self._names = tuple(placement.names)
        self._stored = tuple(placement.stored)
        with jax.ensure_compile_time_eval():  # the first call may stand in a function that is being traced
            constants = tuple(form.store(value) for form, value in zip(self._stored, program.constants, strict=False))
            self._constants = storage.move(constants, self._shardings[: len(constants)], donated=False)
        self._warned: set[int] = set()
        self._is_same_if_weak: dict[tuple[int, ...], bool] = {}
        self._known: dict[int, tuple[Any, Any, Any]] = {}
        functools.update_wrapper(self, program.function, updated=())

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._call(self._run, given, named)

    def _call(self, run: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """With the user's arguments; `run` takes the flat ones and gives the flat results."""
        self._refuse_shard_map()
        arguments, keywords = self._program.align_call(given, named)
        leaves, results = self._program.flatten_call(arguments, keywords)
        flat = (*self._constants, *self._accept_all(leaves))
        if any(self._program.donated):
            self._check_donated(flat)
        return self._program.finish_call(arguments, keywords, results, run(*flat))

    def _run(self, *flat: Any) -> Any:
        if not jax.config.jax_disable_jit:
            return self._flat(*flat)
        with jax.disable_jit(False):  # there is nothing but what is compiled
            return self._flat(*flat)

    def lower(self, *arguments: Any, **keywords: Any) -> Lowered:
        """As `jax.jit(...).lower`, for these arguments, arrays or shapes, or for those that were planned if none are
        given; `.compile()` gives what is called like this function."""
        shapes: list[Any]
        if arguments or keywords:
            shapes, _ = self._program.flatten_call(*self._program.align_call(arguments, keywords))
            self._check_all(dict(enumerate(shapes, len(self._constants))))
            stored = self._stored[len(self._constants) :]
            plain = [self._take_followed(shape, n) for n, shape in enumerate(shapes, len(self._constants))]
            shapes = [form.store(shape) for shape, form in zip(plain, stored, strict=True)]
        else:
            shapes = [to_shape(form.aval) for form in self._stored[len(self._constants) :]]
        return Lowered(self._program, self._call, self._flat.lower(*self._constants, *shapes))

    def _refuse_shard_map(self) -> None:
        if axes := meshes.manual_axes():
            raise UnsupportedError(
                f"{self._program.name} was planned for all devices of its mesh and cannot run on each of a shard_map "
                f"over {', '.join(axes)}",
                remedy="call it outside of the shard_map, or plan the function that holds the shard_map",
            )

    def _accept_all(self, leaves: Sequence[Any]) -> list[Any]:
        """The leaves on the devices as planned; an error if they are none that the plan is for.

        From step to step the results of a call come back as arguments, of the same types on the same devices: such are
        known by these two objects.
        """
        start = len(self._constants)
        new = {number: leaf for number, leaf in enumerate(leaves, start) if not self._is_known(number, leaf)}
        if not new:
            return list(leaves)
        self._check_all(new)
        return [self._place(new[n], n) if n in new else leaf for n, leaf in enumerate(leaves, start)]

    def _is_known(self, number: int, leaf: Any) -> bool:
        kind, aval, sharding = self._known.get(number, _UNKNOWN)
        return type(leaf) is kind and leaf.aval is aval and leaf.sharding is sharding and not leaf.is_deleted()

    def _check_all(self, leaves: Mapping[int, Any]) -> None:
        """An error if the plan is not for such leaves, by number; the others are as planned."""
        if differing := tuple(number for number, leaf in leaves.items() if not self._check(number, leaf)):
            self._check_weak_types(differing)

    def _check(self, number: int, leaf: Any) -> bool:
        """Whether the leaf's weak type, too, is that of the plan; an error if it is none that the plan is for."""
        if storage.is_concrete(leaf) and leaf.is_deleted():
            raise UsageError(
                f"{self._names[number]} was deleted, as what is donated to a call is by it",
                remedy="go on with the results of that call, or plan without donating",
            )
        wanted, given = self._program.in_avals[number], read_aval(self._names[number], leaf)
        self._check_key(number, wanted, given)
        known = [wanted, self._stored[number].aval]
        if number in self._program.followed:
            known.append(self._program.followed[number].aval)
        if tuple(given.shape) not in {tuple(aval.shape) for aval in known}:
            raise UsageError(
                f"{self._names[number]} has the shape {tuple(given.shape)}, but the plan was made for {wanted.shape}",
                remedy=_PLAN_AGAIN,
            )
        if given.dtype != wanted.dtype:
            raise UsageError(
                f"{self._names[number]} is of {given.dtype}, but the plan was made for {wanted.dtype}",
                remedy=_PLAN_AGAIN,
            )
        return bool(given.weak_type) == bool(wanted.weak_type)

    def _check_key(self, number: int, wanted: Any, given: Any) -> None:
        """Keys of random numbers are of two kinds, whose shapes differ, too."""
        is_typed, was_typed = (jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key) for aval in (given, wanted))
        if is_typed == was_typed:
            return
        made = "jax.random.key" if was_typed else "jax.random.PRNGKey"
        raise UsageError(
            f"{self._names[number]} is {_name_kind(given)}, but the plan was made for {_name_kind(wanted)}",
            remedy=f"make the key with {made}(seed), or {_PLAN_AGAIN}",
        )

    def _check_weak_types(self, differing: tuple[int, ...]) -> None:
        """A number of Python's takes the type of what it meets, an array of one number does not: with the other, the
        function may compute in other types."""
        planned = [bool(aval.weak_type) for aval in self._program.in_avals]
        if differing not in self._is_same_if_weak:
            weak = [is_weak != (number in differing) for number, is_weak in enumerate(planned)]
            same = self._program.is_same_if_weak(weak[len(self._constants) :])
            self._is_same_if_weak[differing] = same
        if not self._is_same_if_weak[differing]:
            number = differing[0]
            kinds = ("an array of its own type", "a number of Python's, which takes the type of what it meets")
            raise UsageError(
                f"{self._names[number]} is {kinds[not planned[number]]}, but the plan was made for "
                f"{kinds[planned[number]]}: the function computes in other types with it",
                remedy=_PLAN_AGAIN,
            )

    def _place(self, leaf: Any, number: int) -> Any:
        """The leaf on the devices as planned."""
        sharding = self._shardings[number]
        leaf = self._stored[number].store(self._take_followed(leaf, number))
        if isinstance(leaf, jax.core.Tracer):
            return leaf
        if isinstance(leaf, jax.ShapeDtypeStruct):
            raise UsageError(
                f"{self._names[number]} is a shape, which can be planned and lowered for, but not run",
                remedy="give an array",
            )
        if not isinstance(leaf, jax.Array):
            # With one process jit puts it there; with several it takes numbers alone.
            return leaf if jax.process_count() == 1 else storage.spread(leaf, sharding)
        if leaf.sharding == sharding or leaf.sharding.is_equivalent_to(sharding, leaf.ndim):
            if leaf.aval.weak_type == self._program.in_avals[number].weak_type:
                self._known[number] = type(leaf), leaf.aval, leaf.sharding
            return leaf
        if getattr(leaf, "committed", True) and number not in self._warned and leaf.nbytes > (1 << 20):
            self._warned.add(number)
            warn(
                f"{self._names[number]} lies as {leaf.sharding} and is moved to {sharding.spec} at each call; "
                "plan.put(...) moves it once"
            )
        return storage.move(leaf, sharding, donated=self._program.donated[number])

    def _take_followed(self, leaf: Any, number: int) -> Any:
        """A leaf that lies as the plan which is followed stores it, in the function's shape."""
        form, shape = self._program.followed.get(number), tuple(self._program.in_avals[number].shape)
        own = tuple(self._stored[number].aval.shape)
        if form is None or tuple(leaf.shape) in (shape, own) or tuple(leaf.shape) != tuple(form.aval.shape):
            return leaf
        return form.trim(leaf, shape)

    def _check_donated(self, flat: Sequence[Any]) -> None:
        """No array may be given twice if one of the two is donated: XLA may end the process then, and not raise."""
        donated = self._program.donated
        numbers: dict[int, int] = {}
        for number, array in enumerate(flat):
            other = numbers.setdefault(id(array), number)
            is_shared = other != number and (donated[number] or donated[other])
            if is_shared and storage.is_concrete(array):
                raise UsageError(
                    f"{self._names[other]} and {self._names[number]} are one array, of which one is donated",
                    remedy="give a copy of it (jnp.copy), or plan without donating",
                )


@dataclass(frozen=True)
class Placement:
    """Where the flat arguments and results lie, how the arguments are called, and options of XLA's compiler."""

    num_devices: int
    in_shardings: Sequence[Any]
    out_shardings: Sequence[Any]
    names: Sequence[str]
    #: How the flat arguments are stored, and the types of the results as they are.
    stored: Sequence[StoredForm]
    out_avals: Sequence[Any]
    compiler_options: Mapping[str, Any] | None = None


def jit_local(program: Program, text: str, placement: Placement) -> PlannedFunction:
    """Runs the device-local program, collectives and all, exactly as it was priced."""
    if program.callbacks:
        raise UnsupportedError(
            f"the program calls back into Python: {program.callbacks[0]}",
            remedy='plan.jit(partitioner="shardy") lets XLA partition your function, callbacks and all',
        )
    effects = program.closed_jaxpr.effects if program.prints else ()
    return _jit_flat(_call_text(program, text, placement), program, placement, effects)


def jit_shardy(program: Program, text: str, placement: Placement) -> PlannedFunction:
    """Runs the annotated program, which XLA partitions; the user's function itself if it calls back into Python."""
    if program.callbacks or program.prints:
        if program.closed_jaxpr is None:
            raise UnsupportedError(
                "the program calls back into Python, and a jax.stages.Lowered no longer shows what it calls",
                remedy="hand over the function, or what jax.jit(f).trace(...) gives",
            )
        return _jit_flat(_call_original(program), program, placement, program.closed_jaxpr.effects)
    return _jit_flat(_call_text(program, text, placement), program, placement)


def _call_text(program: Program, text: str, placement: Placement) -> Callable[..., Any]:
    if not program.in_avals and not program.out_avals:
        return lambda: ()  # without arrays nothing says on which devices it runs
    text = program.install(text)
    if any(aval.size == 0 for aval in program.in_avals):
        text = program_text.replace_empty_arguments(text)
    exported = exporting.make_exported(
        text,
        program.name,
        [form.aval for form in placement.stored],
        placement.out_avals,
        placement.num_devices,
        program.platform,
    )
    call: Callable[..., Any] = exported.call
    return call


def _call_original(program: Program) -> Callable[..., Any]:
    """The user's function on flat arguments."""
    closed, count = program.closed_jaxpr, len(program.constants)
    places = {id(constant): index for index, constant in enumerate(program.constants)}

    def call(*flat: Any) -> tuple[Any, ...]:
        values = {identity: flat[index] for identity, index in places.items()}
        return tuple(captured.evaluate(closed, values, flat[count:]))

    return call


def _jit_flat(
    function: Callable[..., Any], program: Program, placement: Placement, effects: Iterable[Any] = ()
) -> PlannedFunction:
    planned = planned_primitive.Planned(function, program.name, placement.out_avals, effects, program.prints)

    def flat(*arguments: Any) -> Any:
        return planned_primitive.bind_planned(planned, arguments)

    flat.__name__ = flat.__qualname__ = program.name
    jitted = jax.jit(
        flat,
        in_shardings=tuple(placement.in_shardings),
        out_shardings=tuple(placement.out_shardings),
        donate_argnums=tuple(number for number, donated in enumerate(program.donated) if donated),
        keep_unused=True,
        compiler_options=None if placement.compiler_options is None else dict(placement.compiler_options),
    )
    return PlannedFunction(program, jitted, placement)
