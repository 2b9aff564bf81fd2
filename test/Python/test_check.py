"""`plan.check()`: what XLA holds in memory, beside what the plan says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp

import partita
from partita._src import checking
from partita._src.checking import Check, Difference, compare
from partita._src.xla_buffers import Buffer, read_peak

assert xla_runner.MAX_DEVICES >= 8
ASSIGNMENT = """BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[4,4]| at ShapeIndex {}, output shape is |f32[4,4]|, maybe-live-out:
 value: <1 x.1 @0> (size=64,offset=0): f32[4,4]{1,0}
 value: <2 add @0> (size=64,offset=0): f32[4,4]{1,0}
allocation 1: size 32, parameter 1, shape |f32[8]| at ShapeIndex {}:
 value: <3 y.1 @0> (size=32,offset=0): f32[8]{0}
allocation 2: size 4, constant:
 value: <4 constant.1 @0> (size=4,offset=0): f32[]
allocation 3: size 448, preallocated-temp:
 value: <5 dot @0> (size=128,offset=0): f32[32]{0}
 value: <6 while.5{1} (phi) @0> (size=256,offset=128): bf16[8,16]{1,0:T(8)}
 value: <7 fusion @0> (size=128,offset=128): f32[32]{0}
 value: <8 late @0> (size=64,offset=384): f32[16]{0}

"""
RANGES = """HloLiveRange (max 9):
  BufferLiveRange:
    late{}:7-8
  Live ranges at 6 (peak):
    while.5{1}: 256 bytes (cumulative: 256 bytes)
    dot{}: 128 bytes (cumulative: 384 bytes)
    fusion{}: 128 bytes (cumulative: 512 bytes)
    add{}: 64 bytes (cumulative: 576 bytes)
    constant.1{}: 4 bytes (cumulative: 580 bytes)
  Stack trace breakdown for peak usage: 580 bytes
    late{}: 64 bytes
"""


def dump(folder: Path, name: str, assignment: str = ASSIGNMENT) -> None:
    stem = f"module_{name}.sm_9.0_gpu_after_optimizations"
    (folder / f"{stem}-buffer-assignment.txt").write_text(assignment)
    (folder / f"{stem}-live-range.txt").write_text(RANGES)


@pytest.mark.parametrize("page", ["", "page 0, "])
def test_buffers_at_the_peak_are_read_once_each(page: str, tmp_path: Path) -> None:
    """Arguments always; what lies in their buffers, constants, and what shares a place take nothing more. Newer XLA
    names the page of each allocation."""
    dump(tmp_path, "1.jit_f", re.sub(r"(?m)^(allocation \d+: size \d+, )", rf"\g<1>{page}", ASSIGNMENT))
    buffers = read_peak(tmp_path, argument_bytes=96)
    assert buffers == [Buffer(64, "f32[4,4]"), Buffer(32, "f32[8]"), Buffer(128, "f32[32]"), Buffer(256, "bf16[8,16]")]


def test_nothing_is_said_of_a_program_that_cannot_be_told(tmp_path: Path) -> None:
    assert read_peak(tmp_path, argument_bytes=96) is None
    dump(tmp_path, "1.jit_f")
    assert read_peak(tmp_path, argument_bytes=95) is None
    dump(tmp_path, "2.jit_g")
    assert read_peak(tmp_path, argument_bytes=96) is None


def test_values_are_compared_by_size() -> None:
    ours = [{"value": name, "bytes": size} for name, size in (("w", 64), ("x", 32), ("y", 32), ("z", 32), ("s", 8))]
    theirs = [Buffer(64, "f32[16]"), Buffer(64, "f32[4,4]"), Buffer(64, "f32[16]"), Buffer(8, "f32[2]")]
    differences = compare(ours, theirs)
    assert differences == [
        Difference(64, ["w"], ["f32[16]", "f32[4,4]", "f32[16]"]),
        Difference(32, ["x", "y", "z"], []),
    ]
    assert [each.bytes for each in differences] == [128, -96]
    printed = str(Check({}, 168, {"argument": 100, "temp": 110}, {"argument": 100}, differences, 10))
    assert printed.splitlines()[1:] == [
        "memory of a device              168 B        210 B",
        "  arguments                     100 B        100 B",
        "  temporaries                                110 B",
        "what XLA has more at the peak, by size (values of one size cannot be told apart):",
        "       +10 B  held, not used: room for results that are not made yet, gaps between values",
        "      +128 B  of 64 B: XLA has 2 x f32[16], f32[4,4]; we have w",
        "       -96 B  of 32 B: XLA has nothing; we have x, y, 1 more",
    ]


def test_a_compiled_plan_is_compared_value_by_value() -> None:
    """Two products: both hold the arguments, what is between them and the result; the rest is small."""

    def f(x: jax.Array, w: jax.Array, v: jax.Array) -> jax.Array:
        return jnp.tanh(x @ w) @ v

    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((256, 64), (64, 512), (512, 32))]
    tile = partita.tile("x", dim=0, axis="data")
    plan = partita.plan(f, *shapes, mesh={"data": 8}, machine="cpu-host:1x8", schedule=[tile])
    found = plan.check()
    assert found.predicted_memory["argument"] == found.xla_memory["argument"]
    assert found.differences is not None and found.xla_idle is not None
    unexplained = found.xla_idle + sum(each.bytes for each in found.differences)
    assert unexplained == found.xla_peak - (found.predicted_peak or 0)
    assert "at the peak" in str(found)


LOOP = """%body.1 (p: (f32[8])) -> (f32[8]) {
  %gathered = f32[64] all-gather-start(%p)
}
ENTRY %main (x: f32[8]) -> f32[8] {
  %loop = (f32[8]) while(%x), condition=%condition.1, body=%body.1
}
"""


def test_flags_are_named_where_they_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_enable_pipelined_all_reduce=false")
    flags = checking._list_helpful_flags(LOOP, "cuda")
    assert "--xla_gpu_enable_pipelined_all_gather=true" in flags and len(flags) == 3, "what was decided is left alone"
    assert not checking._list_helpful_flags(LOOP, "cpu")
    assert not checking._list_helpful_flags(LOOP.replace("all-gather-start", "fusion"), "cuda")
    text = str(checking.Check({}, None, {}, helpful_flags=flags))
    assert f'XLA_FLAGS="{" ".join(flags)}"' in text
