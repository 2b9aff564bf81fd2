"""`jax.debug.print` and `jax.debug.callback` in a planned program.

What is printed is a whole value, as under `jax.jit`: to the planner a print is a call that takes its operands whole and
costs no more than being launched. In the local program, where every device then has the value, the first device prints.

    jax.debug.print("loss {}", x)   ->   custom_call @partita.print.0(x)   ->   if device is 0: call Python with x

A `Print` takes the place of each such equation in the jaxpr. Inside a `shard_map` it is of a piece, and each device
prints its own. Those that keep an order stay what they are, and so do those in a `shard_map` over a part of the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jax import lax

from partita._src.jax_internals import abstract_values, jaxprs, print_primitive

PREFIX = "partita.print."
DebugPrints = Literal["print", "drop"]
DEBUG_PRINTS = ("print", "drop")


@dataclass(frozen=True, eq=False)
class Print:
    """What one equation prints, of operands of such types."""

    equation: Any
    #: Whether it stands in a `shard_map`.
    is_local: bool = False

    @property
    def avals(self) -> tuple[Any, ...]:
        return tuple(atom.aval for atom in self.equation.invars)

    @property
    def effects(self) -> Any:
        return self.equation.effects

    def run(self, *operands: Any) -> tuple[()]:
        """As JAX does it."""
        jaxprs.evaluate_equation(self.equation, operands)
        return ()

    def run_on(self, device: Any, *operands: Any) -> tuple[()]:
        """On each device: the first prints what all have."""
        if self.is_local:
            return self.run(*operands)
        lax.cond(device == 0, self.run, lambda *_: (), *operands)
        return ()

    def make_rule(self, target: str) -> str:
        """As `--rule` takes it: everything whole, nothing computed."""
        ranks = [len(abstract_values.physical_shape(aval)) for aval in self.avals]
        factors = [_name_factor(number) for number in range(sum(ranks))]
        starts = [sum(ranks[:number]) for number in range(len(ranks))]
        sides = ",".join(f"[{','.join(factors[s : s + rank])}]" for s, rank in zip(starts, ranks, strict=True))
        whole = f" replicate={{{','.join(factors)}}}" if factors else ""
        return f"{target}=({sides})->(){whole} flops=0"


def _name_factor(number: int) -> str:
    return chr(ord("a") + number) if number < 25 else f"z{number}"


def name_prints(equations: Sequence[Any]) -> dict[str, Print]:
    """The prints of a program, by what their calls are named in it."""
    found = dict.fromkeys(p for equation in equations if (p := print_primitive.get_print(equation)) is not None)
    return {f"{PREFIX}{number}": each for number, each in enumerate(found)}
