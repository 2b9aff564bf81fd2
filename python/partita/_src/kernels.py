"""Kernels: functions that are planned by a rule of their own, and lowered at the shapes that a device has.

Pallas, cuDNN and other kernels hold their shapes in their code, so they cannot be split afterwards. `kernel` makes one
op of such a function. The planner sees its rule; `Plan.jit()` calls `impl` on the pieces; `Plan.verify()` runs
`reference` instead. Outside of a plan the function is `impl`. Without a kernel for the gradient that is plain JAX, the
derivative of `reference`: it is planned, split and priced op by op, with the memory that it takes.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from partita._src.errors import UsageError
from partita._src.flops import count_flops
from partita._src.jax_internals import kernel_primitive

#: What a kernel is called in a program.
PREFIX = "partita.kernel."


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function with a rule; `kernel` makes one that can be called and differentiated."""

    name: str
    impl: Callable[..., Any]
    reference: Callable[..., Any]
    #: The factors of each dim of the operands and results.
    operands: tuple[tuple[str, ...], ...]
    results: tuple[tuple[str, ...], ...]
    whole: frozenset[str]
    #: Factors that pieces of results are summed over: those that a result lacks.
    summed: frozenset[str] = frozenset()

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for kernels that are the same, though `kernel` was called twice."""
        return self.rule, id(self.impl), id(self.reference)

    @property
    def target(self) -> str:
        """What its calls are named in a program."""
        return PREFIX + self.name

    @property
    def rule(self) -> str:
        """As `--rule` takes it."""
        letters = _to_letters([factor for tensor in (*self.operands, *self.results) for factor in tensor])

        def side(tensors: Sequence[Sequence[str]]) -> str:
            return "(" + ",".join("[" + ",".join(map(letters.__getitem__, factors)) + "]" for factors in tensors) + ")"

        kinds = (("reduce(add)", self.summed), ("replicate", self.whole))
        marks = "".join(f" {kind}={{{','.join(sorted(letters[f] for f in fs))}}}" for kind, fs in kinds if fs)
        return f"{self.target}={side(self.operands)}->{side(self.results)}{marks}"

    @functools.lru_cache(maxsize=64)  # noqa: B019  (one object for each, so that repeated layers stay alike)
    def map_over(self, mapped: tuple[bool, ...]) -> Kernel:
        """Under `vmap` of some operands: with one more factor, the first dim of those and of all results."""
        known = {factor for tensor in self.operands for factor in tensor}
        factor = next(name for name in map("v{}".format, itertools.count(1)) if name not in known)
        into = tuple(0 if is_mapped else None for is_mapped in mapped)
        return dataclasses.replace(
            self,
            name=f"{self.name}_mapped",
            impl=jax.vmap(self.impl, in_axes=into),
            reference=jax.vmap(self.reference, in_axes=into),
            operands=tuple((factor, *t) if m else t for t, m in zip(self.operands, mapped, strict=True)),
            results=tuple((factor, *tensor) for tensor in self.results),
        )

    def count_flops(self, arguments: Sequence[Any]) -> int:
        """What a call with such arguments computes: the products of its reference."""
        return count_flops(self.reference, arguments)

    def call(self, *arguments: Any) -> tuple[Any, ...]:
        """As one op."""
        shapes = jax.eval_shape(lambda *a: as_tuple(self.reference(*a)), *arguments)
        for number, (array, factors) in enumerate(
            zip((*arguments, *shapes), (*self.operands, *self.results), strict=True)
        ):
            if jnp.ndim(array) != len(factors):
                raise UsageError(
                    f"value {number} of the kernel {self.name} has {jnp.ndim(array)} dims, its rule says {len(factors)}"
                )
        return kernel_primitive.bind_kernel(self, arguments, shapes)


def _to_letters(factors: Sequence[str]) -> dict[str, str]:
    """What the tool calls factors: letters, which stay as they are if all are such.

    >>> _to_letters(["batch", "head"])
    {'batch': 'a', 'head': 'b'}
    """
    names = list(dict.fromkeys(factors))
    if all(re.fullmatch("[a-z]", name) for name in names):
        return {name: name for name in names}
    return {name: chr(ord("a") + n) if n < 25 else f"z{n}" for n, name in enumerate(names)}


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def parse_rule(rule: str) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The factors of operands and results.

    >>> parse_rule("b s, s d -> b d")
    ((('b', 's'), ('s', 'd')), (('b', 'd'),))
    """
    left, arrow, right = rule.partition("->")
    if not arrow or not re.fullmatch(r"[\w\s,]*", left + right):
        raise UsageError(f"{rule!r} is not a rule", remedy="write it as 'b s h d, b t h d -> b s h d'")
    operands, results = (tuple(tuple(part.split()) for part in text.split(",")) for text in (left, right))
    return operands, results


def kernel(
    name: str,
    impl: Callable[..., Any],
    reference: Callable[..., Any],
    *,
    rule: str,
    whole: str = "",
    summed: str = "",
    backward: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Makes one op of a function of arrays that cannot be split by looking inside.

    Args:
      name: for reports; a word.
      impl: what runs, at the shapes that a device has.
      reference: the same in plain JAX; gives the result's shapes, the derivative, and what `Plan.verify` runs.
      rule: the factors of each dim, `b s h d, b t h d, b t h d -> b s h d`. Factors that are not in `whole` are split
        freely: `impl` on pieces of the operands must give the pieces of the results.
      whole: factors that must not be split, `s t d`. So must those that some result lacks, unless they are `summed`.
      summed: factors that no result has, and over which results of pieces are added up.
      backward: of the operands and the cotangents of the results, gives the cotangents of the floating operands. If
        it is not given, the derivative of `reference` runs, which is no kernel.

    >>> import jax.numpy as jnp
    >>> scale = kernel("scale", lambda x: x * 2, lambda x: x * 2, rule="b d -> b d", whole="d")
    >>> scale(jnp.ones((2, 2))).sum().item()
    8.0
    """
    if not re.fullmatch(r"\w+", name):
        raise UsageError(f"{name!r} is not a word")
    operands, results = parse_rule(rule)
    kept = frozenset(whole.split())
    added = frozenset(summed.split())
    appearing = {factor for tensor in operands for factor in tensor}
    if unknown := (kept | added | {factor for tensor in results for factor in tensor}) - appearing:
        raise UsageError(f"no operand of the kernel {name} has the factor {sorted(unknown)[0]!r}")
    if wrong := [factor for factor in sorted(added) if any(factor in tensor for tensor in results)]:
        raise UsageError(f"the factor {wrong[0]!r} of the kernel {name} is summed, but a result has it")
    missing = {factor for factor in appearing - added if not all(factor in tensor for tensor in results)}
    forward = Kernel(name, impl, reference, operands, results, frozenset(kept | missing), added)

    def apply(*arguments: Any) -> Any:
        found = forward.call(*arguments)
        return found[0] if len(results) == 1 else found

    call: Any = jax.custom_vjp(apply)

    def fwd(*arguments: Any) -> tuple[Any, Any]:
        return call(*arguments), arguments

    @functools.lru_cache(maxsize=8)  # one object for each, so that repeated layers stay alike
    def make_steps(floating: tuple[int, ...], count: int) -> list[tuple[list[int], Kernel]]:
        """The kernels of the backward pass, each with the operands whose cotangents it gives."""
        assert backward is not None
        derivative = _derivative(reference, count, floating)
        steps = []
        for shared, chosen in _group_by_shared(operands, floating, appearing - forward.whole).items():
            places = [floating.index(i) for i in chosen]
            step = dataclasses.replace(
                forward,
                name="_".join([name, "backward", *sorted(shared)]),
                impl=_choose(backward, places),
                reference=_choose(derivative, places),
                operands=(*operands, *results),
                results=tuple(operands[i] for i in chosen),
                summed=shared,
            )
            steps.append((chosen, step))
        return steps

    def bwd(arguments: Any, cotangents: Any) -> tuple[Any, ...]:
        floating = [i for i, a in enumerate(arguments) if jnp.issubdtype(jnp.result_type(a), jnp.inexact)]
        if backward is None:
            derivative = _derivative(reference, len(arguments), floating)
            places = dict(zip(floating, derivative(*arguments, *as_tuple(cotangents)), strict=True))
            return tuple(places.get(i) for i in range(len(arguments)))
        found: dict[int, Any] = {}
        for chosen, step in make_steps(tuple(floating), len(arguments)):
            found |= dict(zip(chosen, step.call(*arguments, *as_tuple(cotangents)), strict=True))
        return tuple(found.get(i) for i in range(len(arguments)))

    call.defvjp(fwd, bwd)
    differentiable: Callable[..., Any] = call
    return differentiable


def _group_by_shared(
    operands: Sequence[Sequence[str]], floating: Sequence[int], free: Collection[str]
) -> dict[frozenset[str], list[int]]:
    """Operands by the factors that they lack: all pieces along those share them, and their cotangents are sums.

    >>> _group_by_shared([("b", "d"), ("d",)], [0, 1], {"b"})
    {frozenset(): [0], frozenset({'b'}): [1]}
    """
    groups: dict[frozenset[str], list[int]] = {}
    for place in floating:
        groups.setdefault(frozenset(f for f in free if f not in operands[place]), []).append(place)
    return groups


def _choose(function: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """Some of a function's results."""

    def choose(*values: Any) -> tuple[Any, ...]:
        results = as_tuple(function(*values))
        return tuple(results[place] for place in places)

    return choose


def _derivative(reference: Callable[..., Any], count: int, floating: Sequence[int]) -> Callable[..., Any]:
    """Of the operands and the cotangents of the results, the cotangents of the floating operands."""

    def derivative(*values: Any) -> tuple[Any, ...]:
        arguments, cotangents = list(values[:count]), values[count:]

        def of_floating(*chosen: Any) -> tuple[Any, ...]:
            for place, value in zip(floating, chosen, strict=True):
                arguments[place] = value
            return as_tuple(reference(*arguments))

        _, pull = jax.vjp(of_floating, *(arguments[place] for place in floating))
        return tuple(pull(tuple(cotangents)))

    return derivative
