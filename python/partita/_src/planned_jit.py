"""`partita.jit`: plans at the first call for given shapes, then runs."""

from __future__ import annotations

import functools
import os
import threading
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax

from partita._src import equinox, planning, static_fields
from partita._src.errors import UsageError
from partita._src.execution import PlannedFunction
from partita._src.meshes import MeshLike
from partita._src.nnx import separate_modules
from partita._src.options import Options, check_names
from partita._src.plans import Partitioner, Plan
from partita._src.stages import Lowered
from partita._src.storage import is_concrete
from partita._src.stored_forms import StoredForm
from partita._src.strategies import shardings
from partita._src.tracing import find_static

#: Options of `jax.jit` that have no meaning here, and what to do instead.
_OF_JAX_ALONE = {
    "keep_unused": "leave it out: unused arguments are always kept",
    "inline": "leave it out: plan the outermost function",
    "device": "mesh= names the devices",
    "backend": "mesh= names the devices, and machine= or platform= the platform",
    "abstracted_axes": "shapes have to be static",
}


class _Key(NamedTuple):
    """What a plan is made for: structure, shapes and types, the values of static arguments, settings of JAX."""

    nodes: Hashable
    leaves: tuple[Hashable, ...]
    others: Hashable
    static: Hashable
    precision: Hashable


@dataclass
class _Entry:
    """The plan for one kind of arguments, once it is made."""

    lock: Any = field(default_factory=threading.RLock)
    plan: Plan | None = None


class PlannedJit:
    """What `partita.jit` gives: a function that plans itself for each kind of arguments it is called with."""

    def __init__(self, function: Callable[..., Any], options: Options, running: Mapping[str, Any]) -> None:
        self._function = function
        #: Those of `partita.plan`, and those of `Plan.jit`.
        self._options, self._running = options, dict(running)
        self._entries: dict[_Key, _Entry] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._jit(arguments, keywords)(*arguments, **keywords)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        """Of a method, with the object as its first argument."""
        return self if owner is None else types.MethodType(self, owner)

    def plan(self, *arguments: Any, **keywords: Any) -> Plan:
        """The plan for such arguments, arrays or shapes; made if there is none yet. No devices are needed."""
        entry = self._find_entry(arguments, keywords)
        with entry.lock:
            if entry.plan is None:
                entry.plan = planning.make_plan(self._function, arguments, keywords, self._options)
            return entry.plan

    def lower(self, *arguments: Any, **keywords: Any) -> Lowered:
        """As `jax.jit(...).lower`: what runs as planned, for these arguments, arrays or shapes; `.compile()` compiles
        it ahead of time."""
        return self._jit(arguments, keywords).lower(*arguments, **keywords)

    def eval_shape(self, *arguments: Any, **keywords: Any) -> Any:
        """The shapes of the results; nothing is planned."""
        return planning.trace_only(self._function, arguments, keywords, self._options).result_shapes

    def clear_cache(self) -> None:
        """Forgets all plans and what was compiled of them; those in a `cache=` folder stay."""
        self._entries.clear()

    def _jit(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> PlannedFunction:
        return self.plan(*arguments, **keywords).jit(**self._running)

    def _find_entry(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> _Entry:
        """The entry of these arguments; that of others if these are what its plan stores of them."""
        key, leaves = self._describe(arguments, keywords)
        others = [] if key in self._entries else list(self._entries.items())
        for known, entry in others:
            with entry.lock:
                plan = entry.plan
            if plan is not None and _are_stored(key, known, plan._storage.forms):
                _check_placed(leaves, known.leaves, plan)
                return entry
        return self._entries.setdefault(key, _Entry())

    def _describe(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[_Key, list[Any]]:
        """What a plan is made for, and the leaves of the arguments."""
        asked = self._options
        static = find_static(self._function, arguments, keywords, asked.static_argnums, asked.static_argnames)
        _, positional, by_name = static.split(arguments, keywords)
        dynamic = [separate_modules(value) for value in positional]
        named = {name: separate_modules(value) for name, value in by_name.items()}
        leaves, tree = jax.tree.flatten((dynamic, named))
        everywhere = equinox.is_filter_jit(self._function)
        others = tuple(equinox.describe(value, everywhere) for value in (*dynamic, *named.values()))
        nodes = static_fields.describe_tree_again(tree)
        key = _Key(nodes, tuple(map(_describe_leaf, leaves)), others, tuple(static.values.items()), _precision())
        try:
            hash(key)
        except TypeError as error:
            raise UsageError(
                f"a static argument cannot be told from others: {error}", remedy="static arguments have to be hashable"
            ) from None
        return key, leaves


def _are_stored(key: _Key, known: _Key, forms: Sequence[StoredForm]) -> bool:
    """Whether some leaves have the shapes in which the plan of the known key stores them, and all else is as there."""
    if key._replace(leaves=()) != known._replace(leaves=()) or len(key.leaves) != len(known.leaves):
        return False
    found = False
    for given, plain, form in zip(key.leaves, known.leaves, forms[len(forms) - len(key.leaves) :], strict=True):
        if given == plain:
            continue
        if not isinstance(given, tuple) or not isinstance(plain, tuple) or given[1] != plain[1]:
            return False
        if given[0] != plain[0]:
            if given[0] != tuple(form.aval.shape):
                return False
            found = True
    return found


def _check_placed(leaves: Sequence[Any], known: Sequence[Hashable], plan: Plan) -> None:
    """An error if leaves in the shapes that the plan stores do not lie as it left them: they may as well be the
    elements of a longer array."""
    shardings = plan._flat("arguments", plan._mesh_or(None))
    for leaf, plain, sharding in zip(leaves, known, shardings[len(shardings) - len(leaves) :], strict=True):
        if not isinstance(plain, tuple) or tuple(leaf.shape) == plain[0]:
            continue
        if not is_concrete(leaf) or not leaf.sharding.is_equivalent_to(sharding, leaf.ndim):
            raise UsageError(
                f"an argument has the shape {tuple(leaf.shape)}, in which a plan of this function stores "
                f"{plain[0]}, but does not lie as the plan left it",
                remedy="for stored state, call .plan(...).jit() of the shapes that were planned; for another size, "
                "make another partita.jit",
            )


def _precision() -> Hashable:
    """Settings of JAX that change what a function is traced to."""
    return jax.config.jax_enable_x64, jax.config.jax_default_matmul_precision


def _describe_leaf(leaf: Any) -> Hashable:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return tuple(leaf.shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False))
    return type(leaf).__name__


def jit(
    function: Callable[..., Any] | None = None,
    *,
    mesh: MeshLike | None = None,
    machine: str | os.PathLike[str] | None = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    compiler_options: Mapping[str, Any] | None = None,
    partitioner: Partitioner = "partita",
    **options: Any,
) -> Any:
    """`jax.jit` with a plan: plans at the first call for given shapes, then runs as planned.

    It is called as `jax.jit` is, also as a decorator, `@partita.jit(mesh=...)`. Beside the call itself it has

    - `.plan(*args)`: the `Plan` for such arguments, which may be shapes;
    - `.lower(*args)`: what runs, lowered; `.lower(*args).compile()` compiles it ahead of time;
    - `.eval_shape(*args)` and `.clear_cache()`, as `jax.jit` has them.

    A plan is made once for each kind of arguments. It plans whole steps: inside the function everything may stand that
    `partita.plan` takes; around it no `jax.grad`, `jax.vmap` or `jax.shard_map`.

    Args:
      function: anything that `partita.plan` takes, but for what is traced or lowered already.
      mesh: as for `partita.plan`.
      machine: as for `partita.plan`; without one there has to be a `schedule=`.
      in_shardings, out_shardings: what is decided already, as `jax.jit` takes it; None leaves it to the search. The
        same as `pins=partita.shardings(in_shardings, out_shardings)`.
      static_argnums, static_argnames, donate_argnums, donate_argnames: as for `jax.jit`.
      compiler_options: of XLA, as for `jax.jit`.
      partitioner: as for `Plan.jit`.
      options: all others of `partita.plan`. With `cache`, plans are kept in that folder and found again by later
        processes, as long as the program, what is asked for and the tool are the same.

    >>> import jax, jax.numpy as jnp, partita
    >>> @partita.jit(mesh={"data": 4}, schedule=partita.tile("x", dim=0, axis="data"))
    ... def f(w, x):
    ...     return jnp.tanh(x @ w)
    >>> w, x = jax.ShapeDtypeStruct((16, 32), "float32"), jax.ShapeDtypeStruct((8, 16), "float32")
    >>> f.plan(w, x).out_specs
    P('data',)
    """
    if mesh is None:
        raise UsageError("partita.jit needs a mesh", remedy="write @partita.jit(mesh=...)")
    _check(options)
    asked = Options(
        mesh=mesh,
        machine=machine,
        static_argnums=static_argnums,
        static_argnames=static_argnames,
        donate_argnums=donate_argnums,
        donate_argnames=donate_argnames,
        **{**options, **_to_pins(in_shardings, out_shardings, options)},
    )
    running = {"compiler_options": compiler_options, "partitioner": partitioner}

    def make(function: Any) -> PlannedJit:
        if not callable(function):
            raise UsageError(f"an object of type {type(function).__name__} cannot be planned", remedy="give a function")
        return PlannedJit(function, asked, running)

    return make if function is None else make(function)


def _to_pins(in_shardings: Any, out_shardings: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    if in_shardings is None and out_shardings is None:
        return {}
    if options.get("pins") is not None:
        raise UsageError(
            "both pins= and in_shardings= or out_shardings= say what is decided already",
            remedy="give pins=partita.shardings(in_shardings, out_shardings) alone, or patterns for all of it",
        )
    return {"pins": shardings(in_shardings, out_shardings)}


def _check(options: Mapping[str, Any]) -> None:
    """What is wrong is said where the decorator stands, not at the first call."""
    for name in options:
        if name in _OF_JAX_ALONE:
            raise UsageError(f"{name}= of jax.jit is not one of partita.jit", remedy=_OF_JAX_ALONE[name])
    check_names(options, "partita.jit", ("in_shardings", "out_shardings", "compiler_options"))
