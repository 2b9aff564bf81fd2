"""`partita.jit`: plans at the first call for given shapes, then runs."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from partita import planning
from partita.binary import find_binary
from partita.errors import InputError
from partita.execution import PlannedFunction
from partita.plans import Plan

_OF_FUNCTION = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames")


class PlannedJit:
    """What `partita.jit` gives: a function that plans itself for each kind of arguments it is called with."""

    def __init__(self, function: Callable[..., Any], cache: str | Path | None, options: dict[str, Any]) -> None:
        self._function = function
        self._cache = Path(cache) if cache is not None else None
        self._options = options
        self._planned: dict[Any, tuple[Plan, PlannedFunction]] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._get(arguments, keywords)[1](*arguments, **keywords)

    def plan(self, *arguments: Any, **keywords: Any) -> Plan:
        """The plan for such arguments; made if there is none yet."""
        return self._get(arguments, keywords)[0]

    def _get(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Plan, PlannedFunction]:
        leaves, tree = jax.tree.flatten((arguments, keywords))
        key = (tree, tuple(_describe(leaf) for leaf in leaves))
        if key not in self._planned:
            made = self._make(arguments, keywords)
            self._planned[key] = (made, made.jit())
        return self._planned[key]

    def _make(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Plan:
        if self._cache is None:
            return planning.plan(self._function, *arguments, kwargs=keywords, **self._options)
        own = {name: self._options[name] for name in _OF_FUNCTION if name in self._options}
        path = self._cache / f"{self._digest(arguments, keywords)}.json"
        if path.is_file():
            try:
                mesh = self._options["mesh"]
                concrete = mesh if isinstance(mesh, jax.sharding.Mesh) else None
                return planning.load(path, self._function, *arguments, mesh=concrete, kwargs=keywords, **own)
            except InputError:
                path.unlink(missing_ok=True)  # the function has changed
        made = planning.plan(self._function, *arguments, kwargs=keywords, **self._options)
        self._cache.mkdir(parents=True, exist_ok=True)
        made.save(path)
        return made

    def _digest(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
        """Of everything that a plan depends on but the function's body, which the plan itself holds a hash of."""
        leaves, tree = jax.tree.flatten((arguments, keywords))
        parts = [str(tree), *(str(_describe(leaf)) for leaf in leaves), _version()]
        parts += [f"{name}={value}" for name, value in sorted(self._options.items())]
        parts.append(f"{self._function.__module__}.{getattr(self._function, '__qualname__', '')}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@functools.lru_cache(maxsize=1)
def _version() -> str:
    """Changes with the tool: another build may plan otherwise."""
    information = os.stat(find_binary())
    return f"{information.st_size}-{information.st_mtime_ns}"


def _describe(leaf: Any) -> Any:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return tuple(leaf.shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False))
    return leaf if isinstance(leaf, (str, bytes)) else (type(leaf).__name__, repr(leaf) if _is_static(leaf) else "")


def _is_static(leaf: Any) -> bool:
    return not isinstance(leaf, (bool, int, float, complex))


def jit(function: Callable[..., Any] | None = None, *, cache: str | Path | None = None, **options: Any) -> Any:
    """As a decorator, `@partita.jit(mesh=...)`: plans at the first call for given shapes, then behaves like `jax.jit`.

    `options` are those of `partita.plan`. With `cache`, plans are kept in that folder and found again by later
    processes, as long as the function and the tool are the same. It plans whole steps: inside it everything that
    `partita.plan` takes may stand; around it neither `jax.grad` nor `jax.vmap`.
    """
    if function is None:
        return lambda f: PlannedJit(f, cache, options)
    return PlannedJit(function, cache, options)
