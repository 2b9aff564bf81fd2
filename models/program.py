"""What a model of the zoo is: sizes, a program per size, and the figures a partitioner is judged by.

A `Program` is a function and a function that makes its arguments. Shapes come from tracing the latter, so a 70B
model is described by the same few lines as a tiny one and nothing is allocated until somebody asks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax

Params = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """A function to lower, how to make its arguments, and which of them it may overwrite."""

    fn: Callable[..., Any]
    init: Callable[[jax.Array], tuple[Any, ...]]
    donate_argnums: tuple[int, ...] = ()

    def shapes(self) -> tuple[Any, ...]:
        """The arguments as `jax.ShapeDtypeStruct`s."""
        return tuple(jax.eval_shape(self.init, jax.random.key(0)))

    def arguments(self, seed: int = 0) -> tuple[Any, ...]:
        """The arguments as arrays. Only for sizes that fit this machine.

        The generator is the one that compiles fastest: good random numbers are not what a tiny model is run for.
        """
        options = {"xla_backend_optimization_level": 0}
        return tuple(jax.jit(self.init, compiler_options=options)(jax.random.key(seed, impl="unsafe_rbg")))

    def named_shapes(self) -> dict[str, jax.ShapeDtypeStruct]:
        """Every argument leaf by its path name: `state/params/layers/0/wq`."""
        leaves: dict[str, jax.ShapeDtypeStruct] = {}
        for parameter, tree in zip(inspect.signature(self.fn).parameters, self.shapes(), strict=True):
            for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
                tail = jax.tree_util.keystr(path, simple=True, separator="/")
                leaves[f"{parameter}/{tail}" if tail else parameter] = leaf
        return leaves

    def lower(self) -> Any:
        """Lower on shapes alone; unused arguments stay, so that they line up with the pytree."""
        return jax.jit(self.fn, keep_unused=True, donate_argnums=self.donate_argnums).lower(*self.shapes())


@dataclass(frozen=True)
class Model:
    """An entry of the zoo.

    `layer_params` (P) and `layer_matrices` (Q) count the parameter arrays of one layer and those of them that are
    matrices (or convolution kernels): the closed forms of data, ZeRO-2 and ZeRO-3 partitioning are stated in them.
    `outer_params` counts the arrays outside the layers; `layer_pattern` is a regular expression that matches the
    path names of the parameters of one layer; `layout` names the schedule files that fit:
    `schedules/<layout>.<strategy>.json`. In scanned models a layer is a slice of the stacked arrays.
    """

    name: str
    sizes: Mapping[str, Any]
    build: Callable[[Any], Program]
    layer_params: int
    layer_matrices: int
    outer_params: int
    layer_pattern: str
    layout: str
    strategies: tuple[str, ...]
    notes: str

    def program(self, size: str) -> Program:
        return self.build(self.sizes[size])
