"""Custom calls: LAPACK kinds are right on any batch, which XLA executes; users' rules are taken, or refused."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np
import pytest

import validate_rules
import xla_runner

BATCH = 6
SIZE = 4
USAGE, BAD_INPUT, UNSUPPORTED = 2, 65, 69
CALL = re.compile(r"(%\S+ = )?(stablehlo\.custom_call @(\w+))\([^)]*\) (\{.*\}) : \((.*)\) -> (.*)$")
linalg = jax.lax.linalg


@dataclass(frozen=True)
class Kind:
    """A function of JAX that calls LAPACK, and the shapes of its arguments behind the batch."""

    function: Callable[..., object]
    shapes: tuple[tuple[int, ...], ...] = ((SIZE, SIZE),)


SQUARE, VECTOR = (SIZE, SIZE), (SIZE,)
KINDS = {
    "getrf": Kind(linalg.lu),
    "geqrf orgqr": Kind(linalg.qr),
    "geqp3": Kind(lambda a: linalg.qr(a, pivoting=True)),
    "ormqr": Kind(linalg.ormqr, (SQUARE, VECTOR, SQUARE)),
    "syevd": Kind(linalg.eigh),
    "gesdd": Kind(linalg.svd),
    "gesvd": Kind(lambda a: linalg.svd(a, algorithm=linalg.SvdAlgorithm.QR)),
    "potrf": Kind(linalg.cholesky),
    "geev": Kind(linalg.eig),
    "gees": Kind(linalg.schur),
    "gehrd": Kind(linalg.hessenberg),
    "sytrd": Kind(linalg.tridiagonal),
    "trsm": Kind(lambda a, b: linalg.triangular_solve(a, b, left_side=True), (SQUARE, SQUARE)),
    "gtsv": Kind(lambda d, b: linalg.tridiagonal_solve(d, d, d, b), (VECTOR, SQUARE)),
}


def calls(kind: Kind, dtype: type) -> Iterator[tuple[str, str, str, str]]:
    """Target, attributes, operand types and result types of each LAPACK call that JAX makes."""
    with jax.enable_x64(True):
        arguments = [jax.ShapeDtypeStruct((BATCH, *shape), dtype) for shape in kind.shapes]
        text = jax.jit(kind.function).lower(*arguments).as_text()
    for line in text.splitlines():
        match = CALL.match(line.strip())
        if match and "lapack" in match.group(3):
            yield match.group(3), match.group(4), match.group(5), match.group(6).removeprefix("(").removesuffix(")")


def program(call: tuple[str, str, str, str], batch: int) -> str:
    """The call alone, on a batch of another size."""
    target, attributes, operands, results = call
    operands, results = (text.replace(f"tensor<{BATCH}x", f"tensor<{batch}x") for text in (operands, results))
    types = operands.split(", ")
    names = [f"%a{i}" for i in range(len(types))]
    count = len(results.split(", "))
    returned = ", ".join(f"%r#{i}" for i in range(count))
    arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types, strict=True))
    body = (
        f"%r:{count} = stablehlo.custom_call @{target}({', '.join(names)}) {attributes} : ({operands}) -> ({results})"
    )
    return f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  return {returned} : {results}\n}}\n"


def partita(command: str, text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    arguments: list[str | Path] = [validate_rules.BIN / "partita", command, "-", *flags]
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128], ids=["f32", "c128"])
@pytest.mark.parametrize("name", KINDS)
def test_batches_are_made_of_their_parts(name: str, dtype: type) -> None:
    found = list(calls(KINDS[name], dtype))
    assert found
    for call in found:
        whole = program(call, BATCH)
        rule = validate_rules.dims_of(partita("rules", whole).stdout.split(": ", 1)[1])
        assert all(dims[0] == "a" for dims in rule), rule
        inputs = xla_runner.make_inputs(whole)
        expected = xla_runner.run(whole, inputs)
        for parts in (2, 3):
            size = BATCH // parts
            pieces = [
                xla_runner.run(program(call, size), [x[i * size : (i + 1) * size] for x in inputs])
                for i in range(parts)
            ]
            for number, result in enumerate(expected):
                together = np.concatenate([piece[number] for piece in pieces])
                assert xla_runner.identical(together, result), f"{call[0]}, result {number}, {parts} parts"


# ----------------------------------------------------------------------------------------------------------------------
# Stated rules
# ----------------------------------------------------------------------------------------------------------------------


def call_of(target: str, attributes: str = "") -> str:
    return f"""func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %0 = stablehlo.custom_call @{target}(%x) {{{attributes}}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}}
"""


STATED = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=8} need_replication={j, k}, custom>"
KERNELS = ["tpu_custom_call", "mosaic_gpu_v2", '"__gpu$xla.gpu.triton"', '"__cudnn$fmhaSoftmax"', "triton_kernel_call"]


def test_rules_are_taken_from_the_user_then_from_the_program() -> None:
    assert "replicate={a,b,c,d}" in partita("rules", call_of("mine")).stdout
    assert "([a,b])->([a,c]) replicate={b,c}" in partita("rules", call_of("mine", STATED)).stdout
    user = ("--rule", "mine=([b,i])->([b,i])")
    for text in (call_of("mine"), call_of("mine", STATED)):
        assert "stablehlo.custom_call: ([a,b])->([a,b])\n" in partita("rules", text, *user).stdout


@pytest.mark.parametrize("rule", ["([b])->([b])", "([b,i])->([b,_])", "([b,i", "([b,b])->([b,_])"])
def test_rules_that_fit_no_op_are_bad_input(rule: str) -> None:
    refused = partita("rules", call_of("mine"), "--rule", f"mine={rule}")
    assert refused.returncode == BAD_INPUT, refused.stderr
    assert partita("rules", call_of("mine"), "--rule", rule.replace("=", "")).returncode == USAGE


@pytest.mark.parametrize("target", KERNELS)
def test_kernels_for_fixed_shapes_are_never_split(target: str) -> None:
    assert "replicate={a,b,c,d}" in partita("rules", call_of(target)).stdout
    refused = partita("rules", call_of(target), "--rule", f"{target.strip(chr(34))}=([b,i])->([b,i])")
    assert refused.returncode == UNSUPPORTED, refused.stderr
    assert partita("rules", call_of(target, STATED)).returncode == UNSUPPORTED


def plan_warning(text: str) -> str:
    done = partita("plan", text, "--mesh", "data=2", "--search", "none", "--stop-after=flatten")
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("target", KERNELS)
def test_the_warning_of_a_kernel_offers_what_helps(target: str) -> None:
    warning = plan_warning(call_of(target))
    assert "partita.kernel" in warning and "--rule" not in warning


def test_the_warning_of_other_calls_offers_a_rule() -> None:
    assert "1 x stablehlo.custom_call @mine: no rule is known, so it is not split; --rule gives it one" in plan_warning(
        call_of("mine")
    )
