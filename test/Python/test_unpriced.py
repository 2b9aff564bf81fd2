"""What has no price is said first; kernels are priced as what runs."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import ffi

import partita
from partita._src.binary import find_binary

assert xla_runner.MAX_DEVICES >= 8
MACHINE = "h100-sxm:1x8"
FIRST = "3 custom calls have no price (mine): time and fit are not known"
UNPRICED = 12


def call(x: jax.Array) -> jax.Array:
    result: jax.Array = ffi.ffi_call("mine", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
    return result


def f(x: jax.Array) -> jax.Array:
    for _ in range(3):
        x = call(x)
    return x


def plan(**options: Any) -> partita.Plan:
    return partita.plan(f, jnp.ones((8, 4)), mesh="data=8", **options)


@pytest.mark.filterwarnings("ignore:3 x stablehlo.custom_call @mine")
@pytest.mark.parametrize("options", [{"schedule": []}, {"budget": 5, "progress": False}], ids=["schedule", "search"])
def test_what_has_no_price_is_said_first(options: Any) -> None:
    with pytest.warns(partita.UnpricedWarning, match=r"3 custom calls have no price \(mine\).*\n.*remedy: .*flops=N"):
        made = plan(machine=MACHINE, **options)
    lines = str(made.report).splitlines()
    assert lines[0] == FIRST and str(made).startswith(f"{FIRST}\nPlan(")
    assert any(line.startswith("  time          at least ") for line in lines)
    assert any(
        line.startswith("  peak memory   at least ") and line.endswith("not known whether it fits") for line in lines
    )
    assert ": fits" not in str(made.report) and made.report.fits is None and made.report.is_lower_limit
    assert FIRST in made._repr_html_()
    [entry] = made.report.unpriced
    assert (entry["target"], entry["count"], entry["runs"]) == ("mine", 3, 3) and "test_unpriced.py" in entry["places"][
        0
    ]
    assert "at least" in str(made.compare({"none": []}))


def test_what_has_a_price_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = plan(machine=MACHINE, schedule=[], rules="mine=([b,d])->([b,d]) flops=1000")
        assert made.report.fits and not made.report.unpriced and "no price" not in str(made.report)
        assert made.report.figures["flops"] == 3000


@pytest.mark.filterwarnings("ignore:3 x stablehlo.custom_call @mine")
def test_without_a_machine_there_is_nothing_to_doubt() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", partita.UnpricedWarning)
        made = plan(schedule=[])
    assert str(made.report).startswith("jit_f") and len(made.report.unpriced) == 1
    assert "no price" not in str(made.report)


def test_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(
        "func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
        "  %0 = stablehlo.custom_call @mine(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
        "  return %0 : tensor<8x4xf32>\n}\n"
    )
    (tmp_path / "s.json").write_text('{"tactics": []}')
    machine = ["--mesh=d=8", f"--machine={MACHINE}"]
    for command in (
        ["plan", *machine, "--budget=5"],
        ["plan", *machine, "--schedule=s.json"],
        ["score", *machine, "--schedule=s.json"],
    ):
        words = [str(find_binary()), command[0], "p.mlir", *command[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == UNPRICED, done.stderr
        assert done.stdout.startswith("1 custom call has no price (mine): time and fit are not known\n")
    words = [str(find_binary()), "plan", "p.mlir", *machine, "--schedule=s.json", "--json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == UNPRICED and json.loads(done.stdout)


def test_a_plan_that_does_not_fit_says_so_first() -> None:
    """A lower limit beyond the memory is beyond it."""
    with pytest.warns(UserWarning):
        made = plan(machine=MACHINE, budget=5, progress=False, memory_limit=8)
    assert made.report.fits is False


#
# partita.kernel
#


def reference(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    scores = jnp.einsum("bshd,bthd->bhst", q, k) / 8
    return jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores, axis=-1), v)


RULE = {"rule": "b s h d, b t h d, b t h d -> b s h d", "whole": "s t d"}


def make_plan(attend: Any) -> partita.Plan:
    def f(q: jax.Array, k: jax.Array, v: jax.Array) -> Any:
        return jax.grad(lambda q, k, v: jnp.sum(attend(q, k, v)), argnums=(0, 1, 2))(q, k, v)

    q = jax.ShapeDtypeStruct((8, 1024, 4, 64), jnp.float32)
    tactics = [partita.tile("q", dim=0, axis="data")]
    return partita.plan(f, q, q, q, mesh="data=4", machine="h100-sxm:1x4", schedule=tactics, platform="cpu")


def test_a_kernel_without_backward_is_priced_as_the_gradient_of_its_reference() -> None:
    """That is what runs, with its scores in memory."""
    made = make_plan(partita.kernel("attention", reference, reference, **RULE))
    plain = make_plan(reference)
    scores = 2 * 4 * 1024 * 1024 * 4
    assert (made.report.peak_bytes or 0) > 2 * scores
    assert 0.9 < (made.report.peak_bytes or 0) / (plain.report.peak_bytes or 1) < 1.1
    # The forward kernel's result is not used.
    assert "partita.kernel" not in made.local_text()
    assert 0.5 < (made.report.peak_bytes or 0) / made.check().xla_peak < 2


def test_a_kernel_with_backward_is_priced_as_kernels() -> None:
    def backward(q: jax.Array, k: jax.Array, v: jax.Array, g: jax.Array) -> Any:
        return jax.vjp(reference, q, k, v)[1](g)

    made = make_plan(partita.kernel("attention", reference, reference, **RULE, backward=backward))
    assert "partita.kernel.attention_backward" in made.local_text()
    assert (made.report.peak_bytes or 0) < 2 * 4 * 1024 * 1024 * 4
    # Two products forward, and the four of their gradients.
    assert made.report.figures["flops"] == 6 * 2 * 8 * 4 * 1024 * 1024 * 64


def test_a_kernel_costs_the_products_of_its_reference() -> None:
    attend = partita.kernel("attention", reference, reference, **RULE)
    q = jax.ShapeDtypeStruct((8, 1024, 4, 64), jnp.float32)
    made = partita.plan(attend, q, q, q, mesh="data=4", machine="h100-sxm:1x4", schedule=[], platform="cpu")
    assert made.report.figures["flops"] == 2 * 2 * 8 * 4 * 1024 * 1024 * 64 and made.report.unpriced == []
