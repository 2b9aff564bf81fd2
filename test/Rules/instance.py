"""One op instance as the text of a function, and the shapes and types that instances are made of.

f = Function()
x = f.argument((4, 6), "f32")
f.op("stablehlo.negate", [x], [((4, 6), "f32")])
f.text("negate_0")          # func.func @negate_0(...) ...
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

Shape = tuple[int, ...]

DIMS = (2, 2, 3, 4, 4, 4, 6, 6, 8, 12, 1, 0)
UNEVEN_DIMS = (2, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 10, 11, 13, 15, 1)
"""Sizes with every remainder by 2, 3, ... 8."""
FLOATS = ("f32", "bf16", "f64")
INTEGERS = ("i8", "i32", "ui8")
COMPLEX = ("complex<f32>",)
NUMBERS = FLOATS + INTEGERS + COMPLEX
ALL_TYPES = (*NUMBERS, "i1")
# Elements that are moved may be of any type; sums of such narrow ones are not exact.
NARROW = ("f16", "f8E4M3FN", "f8E4M3FNUZ", "f8E8M0FNU", "f4E2M1FN", "i4", "ui2")
MOVED_TYPES = ALL_TYPES * 2 + NARROW
INDEX_TYPES = ("i32", "i32", "i64", "i8", "ui8", "ui32")
MOST_ELEMENTS = 600


chosen_dims: tuple[int, ...] = DIMS


@contextmanager
def sizes(dims: tuple[int, ...]) -> Iterator[None]:
    """Instances have dims of these sizes."""
    global chosen_dims
    before, chosen_dims = chosen_dims, dims
    try:
        yield
    finally:
        chosen_dims = before


def choose_size(rng: random.Random) -> int:
    return rng.choice(chosen_dims)


def choose_among(rng: random.Random, usual: Sequence[int]) -> int:
    """One of the usual sizes, or of those that are asked for in their place, up to 9."""
    return rng.choice(usual if chosen_dims is DIMS else [size for size in chosen_dims if size <= 9])


@dataclass(frozen=True)
class Value:
    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return tensor(self.shape, self.element)


def tensor(shape: Sequence[int], element: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def numbers(values: Sequence[int]) -> str:
    """`array<i64: 1, 2>`"""
    return "array<i64: " + ", ".join(map(str, values)) + ">" if values else "array<i64>"


def matrix(rows: Sequence[tuple[int, int]]) -> str:
    """Padding: `dense<[[0, 1]]> : tensor<1x2xi64>`"""
    rest = f"tensor<{len(rows)}x2xi64>"
    return f"dense<{[list(row) for row in rows]}> : {rest}" if rows else f"dense<> : {rest}"


@dataclass
class Function:
    arguments: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def argument(self, shape: Sequence[int], element: str) -> Value:
        value = Value(f"%a{len(self.arguments)}", tuple(shape), element)
        self.arguments.append(value)
        return value

    def constant(self, text: str, shape: Sequence[int], element: str, name: str = "stablehlo.constant") -> Value:
        value = Value(f"%c{len(self.lines)}", tuple(shape), element)
        self.lines.append(f'{value.name} = "{name}"() <{{value = dense<{text}> : {value.type}}}> : () -> {value.type}')
        return value

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[tuple[Sequence[int], str]],
        attributes: str = "",
        regions: str = "",
    ) -> None:
        types = ", ".join(tensor(shape, element) for shape, element in results)
        head = f'%r:{len(results)} = "{name}"({", ".join(o.name for o in operands)})'
        head += f" ({regions})" if regions else ""
        head += f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"{head} : ({', '.join(o.type for o in operands)}) -> ({types})")

    def text(self, name: str) -> str:
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        body = "".join(f"  {line}\n" for line in self.lines)
        return f"func.func @{name}({arguments}) {{\n{body}  return\n}}\n"


def random_shape(rng: random.Random, lowest: int = 0, highest: int = 5, most: int = MOST_ELEMENTS) -> Shape:
    """Ranks in the middle are the most likely; dims of size 0 and 1 stand among others."""
    rank = rng.choice([r for r in (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5) if lowest <= r <= highest])
    while True:
        shape = tuple(choose_size(rng) for _ in range(rank))
        if math.prod(shape) <= most:
            return shape


def dims_within(rng: random.Random, count: int, most: int = MOST_ELEMENTS, zeros: bool = False) -> list[int]:
    """`count` dims whose product is at most `most`."""
    while True:
        dims = chosen_dims if zeros else [size for size in chosen_dims if size > 0]
        chosen = [rng.choice(dims) for _ in range(count)]
        if math.prod(chosen) <= most:
            return chosen


def region(element_types: Sequence[str], lines: Sequence[str], returned: Sequence[tuple[str, str]]) -> str:
    """A region on scalars `%x0, %x1, ...`."""
    arguments = ", ".join(f"%x{i}: tensor<{element}>" for i, element in enumerate(element_types))
    names, types = ", ".join(name for name, _ in returned), ", ".join(f"tensor<{element}>" for _, element in returned)
    return f"{{ ^bb0({arguments}): " + "\n    ".join([*lines, f'"stablehlo.return"({names}) : ({types}) -> () }}'])


def binary_region(op: str, element: str) -> str:
    """(x, y) -> op(x, y)"""
    t = f"tensor<{element}>"
    return region([element, element], [f'%s = "{op}"(%x0, %x1) : ({t}, {t}) -> {t}'], [("%s", element)])


def combiners_of(element: str) -> list[str]:
    """Ops that are commutative and associative on the type."""
    if element.startswith("complex"):
        return ["add", "multiply"]
    if element in FLOATS:
        return ["add", "multiply", "maximum", "minimum"]
    if element == "i1":
        return ["and", "or", "xor"]
    return ["add", "multiply", "maximum", "minimum", "and", "or", "xor"]
