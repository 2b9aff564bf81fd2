"""Writes a StableHLO program as JAX would lower it: the forward and backward pass of an unrolled transformer.

The text depends on the arguments alone, needs no JAX, and has what real texts have: thousands of ops over a few hundred
locations, contractions, transposes, broadcasts, reductions with regions, constants, compares and selects.

python bench/generate.py --ops 100000 OUT.mlir
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

BATCH, LENGTH, HEADS, HEAD, WIDTH, HIDDEN = 8, 128, 8, 64, 512, 2048
TOKENS = f"{BATCH}x{LENGTH}"
ACTIVATION = f"tensor<{TOKENS}x{WIDTH}xf32>"
INNER = f"tensor<{TOKENS}x{HIDDEN}xf32>"
SPLIT = f"tensor<{TOKENS}x{HEADS}x{HEAD}xf32>"
SCORES = f"tensor<{BATCH}x{HEADS}x{LENGTH}x{LENGTH}xf32>"
ROW = f"tensor<{TOKENS}xf32>"
LOCATIONS = 290


@dataclass
class Text:
    """The lines of the function so far, and the number of the next value."""

    lines: list[str] = field(default_factory=list)
    values: int = 0

    def emit(self, op: str) -> str:
        """Appends one op with one result and returns the result's name."""
        name = f"%{self.values}"
        self.lines.append(f"    {name} = {op} loc(#loc{2 + self.values % LOCATIONS})")
        self.values += 1
        return name

    def binary(self, op: str, left: str, right: str, kind: str) -> str:
        return self.emit(f"stablehlo.{op} {left}, {right} : {kind}")

    def unary(self, op: str, operand: str, kind: str) -> str:
        return self.emit(f"stablehlo.{op} {operand} : {kind}")

    def splat(self, value: str, kind: str) -> str:
        scalar = self.emit(f"stablehlo.constant dense<{value}> : tensor<f32>")
        return self.emit(f"stablehlo.broadcast_in_dim {scalar}, dims = [] : (tensor<f32>) -> {kind}")

    def along(self, row: str, row_kind: str, dims: str, kind: str) -> str:
        """The value of a reduced dim for each element that was reduced."""
        return self.emit(f"stablehlo.broadcast_in_dim {row}, dims = [{dims}] : ({row_kind}) -> {kind}")

    def reduce(self, op: str, start: str, operand: str, dim: int, kind: str, result: str) -> str:
        first = self.emit(f"stablehlo.constant dense<{start}> : tensor<f32>")
        return self.emit(
            f"stablehlo.reduce({operand} init: {first}) applies stablehlo.{op} across dimensions = [{dim}] : "
            f"({kind}, tensor<f32>) -> {result}"
        )

    def dot(self, left: str, right: str, dims: str, kinds: str) -> str:
        return self.emit(f"stablehlo.dot_general {left}, {right}, {dims}, precision = [DEFAULT, DEFAULT] : {kinds}")


def norm(text: Text, x: str, scale: str) -> str:
    """x / sqrt(mean(x^2)) * scale."""
    total = text.reduce("add", "0.000000e+00", text.binary("multiply", x, x, ACTIVATION), 2, ACTIVATION, ROW)
    mean = text.binary("divide", total, text.splat(f"{WIDTH}.0", ROW), ROW)
    inverse = text.unary("rsqrt", text.binary("add", mean, text.splat("1.0e-5", ROW), ROW), ROW)
    scaled = text.binary("multiply", x, text.along(inverse, ROW, "0, 1", ACTIVATION), ACTIVATION)
    return text.binary("multiply", scaled, text.along(scale, f"tensor<{WIDTH}xf32>", "2", ACTIVATION), ACTIVATION)


def project(text: Text, x: str, weight: str) -> str:
    matrix = f"tensor<{WIDTH}x{WIDTH}xf32>"
    flat = text.dot(x, weight, "contracting_dims = [2] x [0]", f"({ACTIVATION}, {matrix}) -> {ACTIVATION}")
    return text.emit(f"stablehlo.reshape {flat} : ({ACTIVATION}) -> {SPLIT}")


def softmax(text: Text, scores: str, mask: str) -> str:
    row = f"tensor<{BATCH}x{HEADS}x{LENGTH}xf32>"
    low = text.splat("-1.0e30", SCORES)
    kinds = f"tensor<{BATCH}x{HEADS}x{LENGTH}x{LENGTH}xi1>, {SCORES}"
    kept = text.emit(f"stablehlo.select {mask}, {scores}, {low} : {kinds}")
    top = text.reduce("maximum", "0xFF800000", kept, 3, SCORES, row)
    shifted = text.binary("subtract", kept, text.along(top, row, "0, 1, 2", SCORES), SCORES)
    powers = text.unary("exponential", shifted, SCORES)
    total = text.reduce("add", "0.000000e+00", powers, 3, SCORES, row)
    return text.binary("divide", powers, text.along(total, row, "0, 1, 2", SCORES), SCORES)


def attention(text: Text, x: str, weights: list[str], mask: str) -> str:
    matrix = f"tensor<{WIDTH}x{WIDTH}xf32>"
    query, key, value = (project(text, x, weight) for weight in weights[:3])
    batched = "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]"
    scores = text.dot(query, key, batched, f"({SPLIT}, {SPLIT}) -> {SCORES}")
    scaled = text.binary("multiply", scores, text.splat("0.125", SCORES), SCORES)
    shares = softmax(text, scaled, mask)
    mixing = "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]"
    mixed_kind = f"tensor<{BATCH}x{HEADS}x{LENGTH}x{HEAD}xf32>"
    mixed = text.dot(shares, value, mixing, f"({SCORES}, {SPLIT}) -> {mixed_kind}")
    turned = text.emit(f"stablehlo.transpose {mixed}, dims = [0, 2, 1, 3] : ({mixed_kind}) -> {SPLIT}")
    flat = text.emit(f"stablehlo.reshape {turned} : ({SPLIT}) -> {ACTIVATION}")
    out = text.dot(flat, weights[3], "contracting_dims = [2] x [0]", f"({ACTIVATION}, {matrix}) -> {ACTIVATION}")
    return text.binary("add", x, out, ACTIVATION)


def feed_forward(text: Text, x: str, up: str, down: str) -> str:
    up_kind, down_kind = f"tensor<{WIDTH}x{HIDDEN}xf32>", f"tensor<{HIDDEN}x{WIDTH}xf32>"
    inner = text.dot(x, up, "contracting_dims = [2] x [0]", f"({ACTIVATION}, {up_kind}) -> {INNER}")
    positive = text.emit(
        f"stablehlo.compare GT, {inner}, {text.splat('0.0', INNER)}, FLOAT : ({INNER}, {INNER}) -> "
        f"{INNER.replace('f32', 'i1')}"
    )
    gate = text.unary("logistic", inner, INNER)
    gated = text.binary("multiply", inner, gate, INNER)
    chosen = text.emit(f"stablehlo.select {positive}, {gated}, {inner} : {INNER.replace('f32', 'i1')}, {INNER}")
    out = text.dot(chosen, down, "contracting_dims = [2] x [0]", f"({INNER}, {down_kind}) -> {ACTIVATION}")
    return text.binary("add", x, out, ACTIVATION)


def update(text: Text, x: str, weight: str) -> str:
    """A gradient of one weight and its step, so that the text has outer products and transposes as well."""
    matrix = f"tensor<{WIDTH}x{WIDTH}xf32>"
    outer = text.dot(x, x, "contracting_dims = [0, 1] x [0, 1]", f"({ACTIVATION}, {ACTIVATION}) -> {matrix}")
    turned = text.emit(f"stablehlo.transpose {outer}, dims = [1, 0] : ({matrix}) -> {matrix}")
    step = text.binary("multiply", turned, text.splat("1.0e-3", matrix), matrix)
    return text.binary("subtract", weight, step, matrix)


def write_layer(text: Text, x: str, weights: list[str], mask: str) -> str:
    """One layer; the new weights of its projections replace the old ones in `weights`."""
    x = attention(text, norm(text, x, "%scale"), weights, mask)
    x = feed_forward(text, norm(text, x, "%scale"), "%up", "%down")
    weights[:] = [update(text, x, weight) for weight in weights]
    return x


def arguments() -> str:
    kinds = {f"%w{i}": f"tensor<{WIDTH}x{WIDTH}xf32>" for i in range(4)}
    kinds |= {
        "%x": ACTIVATION,
        "%scale": f"tensor<{WIDTH}xf32>",
        "%up": f"tensor<{WIDTH}x{HIDDEN}xf32>",
        "%down": f"tensor<{HIDDEN}x{WIDTH}xf32>",
        "%mask": f"tensor<{BATCH}x{HEADS}x{LENGTH}x{LENGTH}xi1>",
    }
    return ", ".join(f'{name}: {kind} loc("{name[1:]}")' for name, kind in kinds.items())


def write_program(least_ops: int) -> str:
    """The module's text with at least this many ops."""
    text, x, weights = Text(), "%x", [f"%w{i}" for i in range(4)]
    while len(text.lines) < least_ops:
        x = write_layer(text, x, weights, "%mask")
    results = [x, *weights]
    kinds = ", ".join([ACTIVATION] + [f"tensor<{WIDTH}x{WIDTH}xf32>"] * 4)
    locations = "".join(f'#loc{2 + i} = loc("jit(step)/layer/op_{i % 40}"(#file{i % 58}))\n' for i in range(LOCATIONS))
    files = "".join(f'#file{i} = loc("model.py":{10 + i}:{4 + i % 8})\n' for i in range(58))
    body = "\n".join(text.lines)
    return (
        f"{files}{locations}module @jit_step {{\n  func.func public @main({arguments()}) -> ({kinds}) {{\n{body}\n"
        f"    return {', '.join(results)} : {kinds} loc(#file0)\n  }} loc(#file0)\n}} loc(#file0)\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=100_000, help="least number of ops")
    parser.add_argument("out", type=Path, help="file to write")
    options = parser.parse_args()
    options.out.write_text(write_program(options.ops))


if __name__ == "__main__":
    main()
