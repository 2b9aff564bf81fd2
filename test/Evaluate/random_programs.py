"""Random programs of several ops, for the comparison with XLA: each op takes values that earlier ones made.

Values are integers in floats, and stay small: after each product a remainder brings them back. Every op is then exact,
and so is the whole program, in any order of adding.
"""

from __future__ import annotations

import numpy as np

from element_types import tensor_type

ELEMENTS = ["f32", "i32"]
BOUND = {"f32": "7.0", "i32": "7"}


class Writer:
    """Writes a program op by op; `values` are what later ops may take."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.lines: list[str] = []
        self.values: list[tuple[str, tuple[int, ...], str]] = []
        self.count = 0

    def emit(self, shape: tuple[int, ...], element: str, text: str) -> str:
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        self.values.append((name, shape, element))
        return name

    def pick(self, least_rank: int = 0) -> tuple[str, tuple[int, ...], str]:
        fitting = [value for value in self.values if len(value[1]) >= least_rank]
        return fitting[self.random.integers(len(fitting))]

    def bounded(self, name: str, shape: tuple[int, ...], element: str) -> None:
        kind = tensor_type(shape, element)
        self.lines.append(f"{name}_m = stablehlo.constant dense<{BOUND[element]}> : {kind}")
        self.emit(shape, element, f"stablehlo.remainder {name}, {name}_m : {kind}")

    def binary(self) -> None:
        name, shape, element = self.pick()
        partners = [other for other, size, kind in self.values if size == shape and kind == element]
        other = partners[self.random.integers(len(partners))]
        op = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum"])
        kind = tensor_type(shape, element)
        self.bounded(self.emit(shape, element, f"stablehlo.{op} {name}, {other} : {kind}"), shape, element)

    def transpose(self) -> None:
        name, shape, element = self.pick(2)
        order = [int(dim) for dim in self.random.permutation(len(shape))]
        result = tuple(shape[dim] for dim in order)
        text = f"stablehlo.transpose {name}, dims = {order} : ({tensor_type(shape, element)})"
        self.emit(result, element, f"{text} -> {tensor_type(result, element)}")

    def reshape(self) -> None:
        name, shape, element = self.pick(1)
        result = (int(np.prod(shape)),)
        if len(shape) == 1 and shape[0] % 2 == 0:
            result = (2, shape[0] // 2)
        types = f"({tensor_type(shape, element)}) -> {tensor_type(result, element)}"
        self.emit(result, element, f"stablehlo.reshape {name} : {types}")

    def broadcast(self) -> None:
        name, shape, element = self.pick()
        if int(np.prod(shape)) > 200:
            return
        place = int(self.random.integers(len(shape) + 1))
        result = (*shape[:place], 2, *shape[place:])
        dims = [dim + (dim >= place) for dim in range(len(shape))]
        types = f"({tensor_type(shape, element)}) -> {tensor_type(result, element)}"
        self.emit(result, element, f"stablehlo.broadcast_in_dim {name}, dims = {dims} : {types}")

    def reduce(self) -> None:
        name, shape, element = self.pick(1)
        dim = int(self.random.integers(len(shape)))
        result = (*shape[:dim], *shape[dim + 1 :])
        op = self.random.choice(["add", "maximum"])
        neutral = ("0" if op == "add" else "-9999") + (".0" if element == "f32" else "")
        self.lines.append(f"%z{self.count} = stablehlo.constant dense<{neutral}> : tensor<{element}>")
        types = f"({tensor_type(shape, element)}, tensor<{element}>) -> {tensor_type(result, element)}"
        text = f"stablehlo.reduce({name} init: %z{self.count}) applies stablehlo.{op}"
        text = f"{text} across dimensions = [{dim}] : {types}"
        self.bounded(self.emit(result, element, text), result, element)

    def dot(self) -> None:
        name, shape, element = self.pick(1)
        partners = [value for value in self.values if value[1] and value[1][0] == shape[-1] and value[2] == element]
        if not partners or int(np.prod(shape)) > 200:
            return
        other, size, _ = partners[self.random.integers(len(partners))]
        result = (*shape[:-1], *size[1:])
        if int(np.prod(result)) > 2000 or len(result) > 5:
            return
        types = f"({tensor_type(shape, element)}, {tensor_type(size, element)}) -> {tensor_type(result, element)}"
        text = f"stablehlo.dot_general {name}, {other}, contracting_dims = [{len(shape) - 1}] x [0] : {types}"
        self.bounded(self.emit(result, element, text), result, element)

    def slice(self) -> None:
        name, shape, element = self.pick(1)
        starts = [int(self.random.integers(size)) for size in shape]
        result = tuple(size - start for size, start in zip(shape, starts, strict=True))
        ranges = ", ".join(f"{start}:{size}" for start, size in zip(starts, shape, strict=True))
        types = f"({tensor_type(shape, element)}) -> {tensor_type(result, element)}"
        self.emit(result, element, f"stablehlo.slice {name} [{ranges}] : {types}")

    def convert(self) -> None:
        name, shape, element = self.pick()
        target = ELEMENTS[1 - ELEMENTS.index(element)]
        types = f"({tensor_type(shape, element)}) -> {tensor_type(shape, target)}"
        self.emit(shape, target, f"stablehlo.convert {name} : {types}")

    def loop(self) -> None:
        """A few steps of x -> remainder(x + x, 7)."""
        name, shape, element = self.pick()
        kind, tag = tensor_type(shape, element), self.count
        self.lines.append(f"""%n{tag} = stablehlo.constant dense<{int(self.random.integers(4))}> : tensor<i32>
        %o{tag} = stablehlo.constant dense<0> : tensor<i32>
        %u{tag} = stablehlo.constant dense<1> : tensor<i32>
        %s{tag} = stablehlo.constant dense<{BOUND[element]}> : {kind}
        %w{tag}:2 = stablehlo.while(%i = %o{tag}, %x = {name}) : tensor<i32>, {kind}
        cond {{
          %p = stablehlo.compare LT, %i, %n{tag} : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        }} do {{
          %j = stablehlo.add %i, %u{tag} : tensor<i32>
          %d = stablehlo.add %x, %x : {kind}
          %q = stablehlo.remainder %d, %s{tag} : {kind}
          stablehlo.return %j, %q : tensor<i32>, {kind}
        }}""")
        self.emit(shape, element, f"stablehlo.add %w{tag}#1, {name} : {kind}")


STEPS = [
    Writer.binary, Writer.transpose, Writer.reshape, Writer.broadcast, Writer.reduce, Writer.dot, Writer.slice,
    Writer.convert, Writer.loop,
]  # fmt: skip


def make_program(random: np.random.Generator, steps: int = 30) -> tuple[str, list[np.ndarray]]:
    """A program that returns its last values, and inputs for it."""
    writer = Writer(random)
    inputs = []
    for number, element in enumerate(["f32", "f32", "i32"]):
        shape = tuple(int(size) for size in random.integers(1, 5, random.integers(1, 4)))
        writer.values.append((f"%a{number}", shape, element))
        inputs.append(random.integers(-3, 4, shape).astype(np.float32 if element == "f32" else np.int32))
    arguments = ", ".join(f"{name}: {tensor_type(shape, element)}" for name, shape, element in writer.values)
    for _ in range(steps):
        STEPS[random.integers(len(STEPS))](writer)
    kept = writer.values[-6:]
    types = ", ".join(tensor_type(shape, element) for _, shape, element in kept)
    names = ", ".join(name for name, _, _ in kept)
    body = "\n  ".join([*writer.lines, f"return {names} : {types}"])
    return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}\n", inputs
