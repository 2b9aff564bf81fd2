"""Checks the zoo: `python -m models.check [--only REGEX]`; `models/test_zoo.py` runs the same functions under pytest.

Each check takes an entry of the zoo and returns the problems it found, as sentences. What is checked:
    runs        the tiny program runs on this machine, its loss is finite, and two steps change every parameter matrix
    counts      P, Q and O are what the parameters are, and published sizes have their published number of parameters
    schedules   every pattern of every schedule is portable and matches, every tiled dim exists and divides by 8
    text        lowering is reproducible and holds no absolute path
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

from models import export, exported
from models.program import Model
from models.registry import ZOO

SCHEDULES = Path(__file__).parent / "schedules"
LAYER_GROUPS = "layers|steps|stages|down|up|middle"

# Number of parameters by size name, and how far from it the model may be. T32, T48 and 8x7b are round figures.
PUBLISHED = {
    "t32": (5e9, 0.02),
    "t48": (32e9, 0.02),
    "it32": (4.26e9, 0.01),
    "8b": (8.03e9, 0.001),
    "8b_32k": (8.03e9, 0.001),
    "70b": (70.55e9, 0.001),
    "8x7b": (46.7e9, 0.001),
    "resnet50": (25.557e6, 0.001),
}
DIVISOR = 8

Shapes = dict[str, tuple[int, ...]]


@functools.cache
def argument_shapes(name: str, size: str) -> Shapes:
    """The shape of every argument by its path name."""
    return {path: leaf.shape for path, leaf in ZOO[name].program(size).named_shapes().items()}


@functools.cache
def tiny_text(name: str) -> str:
    """The tiny program's text as another process exported it, or does now if it has not since a source changed."""
    path, sources = exported.ZOO / f"{name}.tiny.mlir", export.source_hash()
    if not export.is_current(export.read_manifest(exported.ZOO / "manifest.json").get(f"{name}.tiny"), path, sources):
        command = [sys.executable, "-m", "models.export", "--size", "tiny", "--only", f"^{name}[.]"]
        subprocess.run(command, cwd=exported.ROOT, check=True, capture_output=True)
    return path.read_text(encoding="utf-8")


def parameter_shapes(model: Model, size: str) -> Shapes:
    """The shape of every parameter, with names that start at the parameters' root."""
    shapes = argument_shapes(model.name, size)
    return {name.split("params/", 1)[1]: shape for name, shape in shapes.items() if re.match("(state/)?params/", name)}


def inner_shapes(model: Model) -> Shapes:
    """The shapes of the tiny program's inner values by name, `jit(train_step)/jvp(residual)/add#0`.

    Values that share a name stack share an entry here, and all of them must have one rank for a tile to make sense:
    the first shape is kept.
    """
    text = tiny_text(model.name)
    names = dict(re.findall(r'^#(loc\d+) = loc\("([^"]+)"\(', text, re.MULTILINE))
    shapes: Shapes = {}
    for dims, location in re.findall(r"^ +%.*tensor<((?:\d+x)*)[^<>]*>+ loc\(#(loc\d+)\)$", text, re.MULTILINE):
        if location in names:
            shapes.setdefault(f"{names[location]}#0", tuple(int(d) for d in dims.split("x") if d))
    return shapes


def check_runs(model: Model) -> Iterator[str]:
    program = model.program("tiny")
    arguments = program.arguments()
    compiled = jax.jit(program.fn).lower(*arguments).compile({"xla_backend_optimization_level": 0})
    if hasattr(arguments[0], "params"):
        yield from check_training(compiled, *arguments)
    else:
        yield from check_decoding(compiled, *arguments)


def check_training(step: Any, state: Any, batch: Any) -> Iterator[str]:
    """Two steps; every matrix must change in each and nothing may leave the finite numbers."""
    for number in (1, 2):
        new, loss = step(state, batch)
        if not math.isfinite(float(loss)):
            yield f"loss of step {number} is {loss}"
        if int(new.step) != number:
            yield f"step counter is {new.step} after step {number}"
        # On the host: each operation of jax.numpy would be compiled for each shape.
        old_params, new_params = jax.device_get((state.params, new.params))
        pairs = zip(jax.tree_util.tree_flatten_with_path(old_params)[0], jax.tree.leaves(new_params), strict=True)
        for (path, before), after in pairs:
            if not np.isfinite(after).all():
                yield f"{jax.tree_util.keystr(path)} is not finite after step {number}"
            if before.ndim > 1 and np.array_equal(before, after):
                yield f"{jax.tree_util.keystr(path)} did not change in step {number}"
        state = new


def check_decoding(decode: Any, params: Any, cache: Any, *rest: Any) -> Iterator[str]:
    """The text must hold tokens of the vocabulary, and every layer's cache must have been written."""
    filled, text = decode(params, cache, *rest)
    tokens = np.asarray(text)
    if not ((tokens >= 0) & (tokens < params["embed"].shape[0])).all():
        yield "a token outside the vocabulary"
    for path, leaf in jax.tree_util.tree_flatten_with_path(filled)[0]:
        values = np.asarray(leaf)
        if not (values != 0).any() or not np.isfinite(values).all():
            yield f"cache{jax.tree_util.keystr(path)} is empty or not finite"


def check_counts(model: Model) -> Iterator[str]:
    for size in model.sizes:
        shapes = parameter_shapes(model, size)
        stacked = 0 if re.search("/[0-9]+/", model.layer_pattern) else 1
        pattern = re.compile(model.layer_pattern.split("params/", 1)[1])
        layer = [shape[stacked:] for name, shape in shapes.items() if pattern.fullmatch(name)]
        outer = [name for name in shapes if not re.match(f"({LAYER_GROUPS})/", name)]
        found = (len(layer), sum(len(shape) > 1 for shape in layer), len(outer))
        stated = (model.layer_params, model.layer_matrices, model.outer_params)
        if found != stated:
            yield f"{size}: P, Q, O are {found}, stated {stated}"
        if size in PUBLISHED:
            published, tolerance = PUBLISHED[size]
            total = sum(math.prod(shape) for shape in shapes.values())
            if abs(total / published - 1) > tolerance:
                yield f"{size}: {total / 1e9:.3f}e9 parameters, published {published / 1e9:.3f}e9"


def check_pattern(pattern: str) -> Iterator[str]:
    """POSIX extended and Python's `re` must read it alike."""
    if re.search(r"\\[A-Za-z0-9]|\(\?|[*+?}][*+?]", pattern):
        yield f"{pattern}: not portable between POSIX extended and Python expressions"
    re.compile(pattern)


def matched(pattern: str, arguments: Shapes, inner: Shapes) -> Shapes:
    """What a pattern matches: arguments, and inner values only if there are none."""
    for shapes in (arguments, inner):
        found = {name: shape for name, shape in shapes.items() if re.fullmatch(pattern, name)}
        if found:
            return found
    return {}


def check_tile(pattern: str, dim: int | str, cells: Shapes) -> Iterator[str]:
    for name, shape in cells.items():
        if dim == "first_divisible":
            if not any(extent % DIVISOR == 0 for extent in shape):
                yield f"{pattern}: no dim of {name} {shape} divides by {DIVISOR}"
        elif not isinstance(dim, int) or not 0 <= dim < len(shape):
            yield f"{pattern}: {name} {shape} has no dim {dim}"
        elif shape[dim] % DIVISOR:
            yield f"{pattern}: dim {dim} of {name} {shape} does not divide by {DIVISOR}"


def check_tactic(tactic: dict[str, Any], arguments: Shapes, inner: Shapes) -> Iterator[str]:
    unknown = set(tactic) - {"name", "axis", "cut", "atomic", "tile", "optional"}
    if unknown or not {"name", "axis", "tile"} <= set(tactic):
        yield f"tactic {tactic.get('name')}: keys {sorted(tactic)}"
        return
    for pattern in [*tactic.get("cut", []), *tactic.get("atomic", []), *(tile[0] for tile in tactic["tile"])]:
        yield from check_pattern(pattern)
        if not matched(pattern, arguments, inner):
            yield f"{pattern}: matches nothing"
    for pattern, dim in tactic["tile"]:
        yield from check_tile(pattern, dim, matched(pattern, arguments, inner))


def check_schedules(model: Model) -> Iterator[str]:
    """Arguments are checked at every size; inner values at the tiny size, whose text is quick to make."""
    inner = inner_shapes(model)
    for strategy in model.strategies:
        path = SCHEDULES / f"{model.layout}.{strategy}.json"
        tactics = json.loads(path.read_text(encoding="utf-8"))["tactics"]
        if "+".join(tactic["name"] for tactic in tactics) != strategy:
            yield f"{path.name}: its tactics are {[tactic['name'] for tactic in tactics]}"
        for size in model.sizes:
            arguments = argument_shapes(model.name, size)
            for tactic in tactics:
                yield from (f"{path.name} on {size}: {p}" for p in check_tactic(tactic, arguments, inner))


def check_text(model: Model) -> Iterator[str]:
    """Lowered in two processes, after other programs in each, the text is the same, its files relative."""
    first = tiny_text(model.name)
    if export.lower_text(model, "tiny") != first:
        yield "lowering twice gave two texts"
    files = set(re.findall(r'loc\("([^"]+)":\d+', first))
    yield from (f"absolute path {file}" for file in sorted(files) if file.startswith("/"))


def unused_schedules() -> list[str]:
    """Schedule files that no model names."""
    named = {f"{model.layout}.{strategy}.json" for model in ZOO.values() for strategy in model.strategies}
    return sorted(path.name for path in SCHEDULES.iterdir() if path.name not in named)


CHECKS = {"runs": check_runs, "counts": check_counts, "schedules": check_schedules, "text": check_text}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.check", description="Check the zoo.")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="regex searched in the model's name")
    options = parser.parse_args(argv)
    problems = [f"schedules/{name}: no model names it" for name in unused_schedules()]
    models = [model for model in ZOO.values() if options.only.search(model.name)]
    for model in models:
        found = [f"{model.name}: {name}: {problem}" for name, check in CHECKS.items() for problem in check(model)]
        print(f"{model.name:24} {'ok' if not found else f'{len(found)} problems'}", flush=True)
        problems += found
    print("\n".join(problems) or f"{len(models)} models, {len(models) * len(CHECKS)} checks, no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
