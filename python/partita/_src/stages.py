"""What stands between a planned function and its run, as `jax.stages` has it: lowered, then compiled ahead of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from partita._src.programs import Program

#: Calls a planned function with the user's arguments, through what takes the flat ones and gives the flat results.
Call = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]


class Lowered:
    """A planned function that is lowered, as `jax.stages.Lowered`."""

    def __init__(self, program: Program, call: Call, lowered: jax.stages.Lowered) -> None:
        self._program = program
        self._call = call
        self._lowered = lowered

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """The program that XLA is given, collectives and all."""
        return str(self._lowered.as_text(dialect, debug_info=debug_info))

    def compile(self, compiler_options: Mapping[str, Any] | None = None) -> Compiled:
        """Compiles it for the devices of the plan's mesh; `compiler_options` are those of XLA."""
        options = None if compiler_options is None else dict(compiler_options)
        return Compiled(self._program, self._call, self._lowered.compile(compiler_options=options))

    def cost_analysis(self) -> Any:
        """As JAX gives it."""
        return self._lowered.cost_analysis()

    @property
    def out_info(self) -> Any:
        """The shapes of the results, with the structure of the results."""
        return self._program.result_shapes


class Compiled:
    """A planned function that is compiled, as `jax.stages.Compiled`: it is called like the function, but static
    arguments are left out."""

    def __init__(self, program: Program, call: Call, compiled: jax.stages.Compiled) -> None:
        self._program = program
        self._call = call
        self._compiled = compiled

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._call(self._compiled, *self._program.insert_static(arguments, keywords))

    def as_text(self) -> str:
        """The program as XLA compiled it."""
        return str(self._compiled.as_text())

    def cost_analysis(self) -> Any:
        """As JAX gives it."""
        return self._compiled.cost_analysis()

    def memory_analysis(self) -> Any:
        """What XLA says of the memory of one device, as JAX gives it."""
        return self._compiled.memory_analysis()

    def runtime_executable(self) -> Any:
        """As JAX gives it."""
        return self._compiled.runtime_executable()

    @property
    def input_shardings(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Of the positional and of the keyword arguments."""
        flat = jax.tree.leaves(self._compiled.input_shardings)[len(self._program.constants) :]
        return jax.tree.unflatten(self._program.in_tree, flat)  # type: ignore[no-any-return]

    @property
    def output_shardings(self) -> Any:
        """With the structure of the results."""
        return self._program.unflatten_results(jax.tree.leaves(self._compiled.output_shardings))
