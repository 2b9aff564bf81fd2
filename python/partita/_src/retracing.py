"""Traces a function again, from its jaxpr, so that the program keeps arguments that the function does not use, and has
captured arrays as arguments, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import jax

from partita._src import captured
from partita._src.jax_internals import source_info, stages


def retrace(
    traced: Any, closed: Any, large: Sequence[Any], in_tree: Any, out_tree: Any, donated: Sequence[bool]
) -> Any:
    """The same computation with unused arguments kept, and `large` constants as the first argument, `const`."""
    places = {id(constant): index for index, constant in enumerate(large)}
    into, out_of = stages.own_shardings(traced)

    def again(const: Any, *arguments: Any, **keywords: Any) -> Any:
        values = {identity: const[index] for identity, index in places.items()}
        flat = _constrain(jax.tree.leaves((arguments, keywords)), into)
        results = captured.evaluate(closed, values, flat)
        return jax.tree.unflatten(out_tree, _constrain(results, out_of))

    def without(*arguments: Any, **keywords: Any) -> Any:
        return again((), *arguments, **keywords)

    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]
    arguments, keywords = jax.tree.unflatten(in_tree, avals)
    chosen = again if large else without
    leading: tuple[Any, ...] = ()
    if large:
        leading = (tuple(jax.ShapeDtypeStruct(c.shape, c.dtype) for c in large),)
    chosen.__name__ = chosen.__qualname__ = traced.fun_name
    chosen.__signature__ = _signature(traced, len(arguments), keywords, bool(large))  # type: ignore[attr-defined]
    numbers, names = _donated_places(arguments, keywords, in_tree, donated)
    jitted = jax.jit(
        chosen,
        keep_unused=True,
        donate_argnums=tuple(number + len(leading) for number in numbers),
        donate_argnames=tuple(names),
    )
    return jitted.trace(*leading, *arguments, **keywords)


def _constrain(values: Sequence[Any], shardings: Sequence[Any]) -> list[Any]:
    """What a jitted function says of its own arguments and results."""
    return [
        value if sharding is None else jax.lax.with_sharding_constraint(value, sharding)
        for value, sharding in zip(values, shardings, strict=True)
    ]


def _donated_places(
    arguments: Sequence[Any], keywords: Mapping[str, Any], in_tree: Any, donated: Sequence[bool]
) -> tuple[list[int], list[str]]:
    """Numbers and names of the arguments all of whose leaves are donated."""
    flags = jax.tree.unflatten(in_tree, list(donated))
    numbers = [i for i, tree in enumerate(flags[0]) if jax.tree.leaves(tree) and all(jax.tree.leaves(tree))]
    names = [name for name, tree in flags[1].items() if jax.tree.leaves(tree) and all(jax.tree.leaves(tree))]
    return numbers, names


def _signature(traced: Any, count: int, keywords: Mapping[str, Any], constants: bool) -> inspect.Signature:
    """From which JAX takes the names of the arguments: those of the first trace."""
    kind = inspect.Parameter
    known = _top_names(traced, count)
    starred = next((number for number, name in enumerate(known) if name.endswith("[0]")), len(known))
    variadic = known[starred].removesuffix("[0]") if starred < len(known) else ""
    if not variadic.isidentifier() or known[starred:] != [f"{variadic}[{i}]" for i in range(len(known) - starred)]:
        starred, variadic = len(known), ""
    plain = [*(["const"] if constants else []), *known[:starred]]
    names = [name if _is_new(name, plain[:i]) else f"argument{i}" for i, name in enumerate(plain)]
    parameters = [kind(name, kind.POSITIONAL_ONLY) for name in names]
    parameters += [kind(variadic, kind.VAR_POSITIONAL)] if variadic else []
    parameters += [kind(name, kind.KEYWORD_ONLY) for name in keywords]
    return inspect.Signature(parameters)


def _is_new(name: str, earlier: Sequence[str]) -> bool:
    return name.isidentifier() and name not in earlier


def _top_names(traced: Any, count: int) -> list[str]:
    """The names of the positional arguments, `state` or `rest[0]`: the first parts of the names of their leaves."""
    arguments, _ = traced.args_info
    full = iter(source_info.argument_names(traced.jaxpr))
    names: list[str] = []
    for index, tree in enumerate(arguments):
        leaves = [next(full) for _ in jax.tree.leaves(tree)]
        head = ""
        if leaves:
            tail = jax.tree_util.tree_flatten_with_path(tree)[0][0][0]
            head = leaves[0].removesuffix(jax.tree_util.keystr(tail))
        names.append(head or f"argument{index}")
    return names[:count]
