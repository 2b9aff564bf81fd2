"""Programs that nest 100,000 levels deep, in every way that recursion could follow: none may overflow a stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import BAD_INPUT, DONE, LIMIT, UNSUPPORTED, assert_refused, import_file, run

LEVELS = 100_000


def nest(opening: str, inner: str, closing: str) -> str:
    return opening * LEVELS + inner + closing * LEVELS


def in_attribute(text: str) -> str:
    return f"module attributes {{a = {text}}} {{}}\n"


def in_function(text: str) -> str:
    return f"func.func @main() {{\n{text}\nreturn\n}}\n"


NESTED: dict[str, Callable[[], str]] = {
    "round brackets": lambda: "(" * LEVELS,
    "angle brackets": lambda: "<" * LEVELS,
    "array attributes": lambda: in_attribute(nest("[", "", "]")),
    "dictionary attributes": lambda: in_attribute(nest("{a = ", "1", "}")),
    "array attributes that never close": lambda: "module attributes {a = " + "[" * LEVELS,
    "dense elements": lambda: in_attribute(f"dense<{nest('[', '1', ']')}> : tensor<i32>"),
    "modules": lambda: nest("module {\n", "", "}\n"),
    "regions": lambda: in_function(nest('"a.b"() ({\n', '"a.c"() : () -> ()', "}) : () -> ()\n")),
    "tuple types": lambda: in_attribute(nest("tuple<", "i32", ">")),
    "complex types": lambda: in_attribute(nest("complex<", "f32", ">")),
    "function types": lambda: in_attribute(nest("(", "i32", ") -> ()")),
    "tensor types": lambda: in_attribute(nest("tensor<2x", "f32", ">")),
    "call-site locations": lambda: f"module {{}} loc({nest('callsite(', 'unknown', ' at unknown)')})\n",
    "fused locations": lambda: f"module {{}} loc({nest('fused[', 'unknown', ']')})\n",
    "named locations": lambda: "module {} loc(" + nest('"a"(', "unknown", ")") + ")\n",
    "affine brackets": lambda: in_attribute(f"affine_map<(d0) -> ({nest('(', 'd0', ')')})>"),
    "sdy brackets": lambda: in_attribute(f"#sdy.sharding<@mesh, {nest('[', '', ']')}>"),
    "stablehlo brackets": lambda: in_attribute(f"#stablehlo.{nest('<', '', '>')}"),
    "while loops": lambda: in_function(
        nest("stablehlo.while()\n cond {\n", "stablehlo.return", "} do {\nstablehlo.return\n}\n")
    ),
}

CHAINED: dict[str, Callable[[], str]] = {
    "affine sum": lambda: in_attribute(f"affine_map<(d0) -> ({' + '.join(['d0'] * LEVELS)})>"),
    "affine negations": lambda: in_attribute(f"affine_map<(d0) -> ({'-' * LEVELS}d0)>"),
    "attribute aliases": lambda: (
        "#a0 = [1]\n" + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(LEVELS)) + in_attribute(f"#a{LEVELS}")
    ),
    "type aliases": lambda: (
        "!t0 = i32\n" + "".join(f"!t{i + 1} = tuple<!t{i}>\n" for i in range(LEVELS)) + in_attribute(f"!t{LEVELS}")
    ),
    "location aliases": lambda: (
        "#l0 = loc(unknown)\n"
        + "".join(f'#l{i + 1} = loc("n"(#l{i}))\n' for i in range(LEVELS))
        + f"module {{}} loc(#l{LEVELS})\n"
    ),
    "calls": lambda: (
        "".join(
            f"func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{\n"
            f"  %0 = call @f{i + 1}(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}}\n"
            for i in range(LEVELS // 10)
        )
        + f"func.func private @f{LEVELS // 10}(%x: tensor<f32>) -> tensor<f32> {{\n  return %x : tensor<f32>\n}}\n"
        + "func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_partita_refuses_deep_nesting(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text(NESTED[name]())
    assert_refused(import_file(path), path, LIMIT, "nested deeper")


@pytest.mark.parametrize("name", NESTED | CHAINED)
def test_partita_opt_survives_deep_nesting(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text((NESTED | CHAINED)[name]())
    answer = run("partita-opt", path, "-o", tmp_path / "out.mlir")
    assert answer.code in (0, 1), (answer.code, answer.err[:500])


@pytest.mark.parametrize("name", CHAINED)
def test_partita_survives_long_chains(tmp_path: Path, name: str) -> None:
    path = tmp_path / "chain.mlir"
    path.write_text(CHAINED[name]())
    answer = import_file(path, "-o", tmp_path / "out.mlir")
    assert answer.code in (DONE, BAD_INPUT, UNSUPPORTED, LIMIT), (answer.code, answer.err[:500])


def test_calls_that_double_are_bounded(tmp_path: Path) -> None:
    """Each function calls the next one twice: 2^60 ops if they were all inlined."""
    levels = 60
    functions = [
        f"func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{\n"
        f"  %0 = call @f{i + 1}(%x) : (tensor<f32>) -> tensor<f32>\n"
        f"  %1 = call @f{i + 1}(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n"
        for i in range(levels)
    ]
    leaf = (
        f"func.func private @f{levels}(%x: tensor<f32>) -> tensor<f32> {{\n"
        "  %0 = stablehlo.tanh %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
    )
    main = (
        "func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n"
    )
    path = tmp_path / "doubling.mlir"
    path.write_text("".join(functions) + leaf + main)
    answer = import_file(path, "--max-ops", "100000")
    assert answer.code == LIMIT, answer
    assert "--max-ops" in answer.err
