"""`partita eval`: programs against XLA, inputs and outputs of every element type, limits, and files that are broken."""

from __future__ import annotations

import hashlib
import io
import re
import resource
import struct
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import xla_runner
from element_types import DTYPES
from partita_eval import EvaluationError, call, evaluate, same_bits

USAGE, BAD_INPUT, UNSUPPORTED, LIMIT = 2, 65, 69, 75
F32 = np.float32


def identity(kind: str, shape: str = "") -> str:
    return (
        f"func.func @main(%a: tensor<{shape}{kind}>) -> tensor<{shape}{kind}> {{ return %a : tensor<{shape}{kind}> }}"
    )


# ----------------------------------------------------------------------------------------------------------------------
# Against XLA
# ----------------------------------------------------------------------------------------------------------------------


def numbers(*shape: int, dtype: type = F32) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-4, 5, shape).astype(dtype)


PROGRAMS = {
    "arithmetic": (
        """func.func @main(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
          %0 = stablehlo.add %a, %b : tensor<3x5xf32>
          %1 = stablehlo.multiply %0, %a : tensor<3x5xf32>
          %2 = stablehlo.subtract %1, %b : tensor<3x5xf32>
          %3 = stablehlo.divide %a, %b : tensor<3x5xf32>
          return %2, %3 : tensor<3x5xf32>, tensor<3x5xf32>
        }""",
        [numbers(3, 5), numbers(3, 5) + 8],
    ),
    "wrapping integers": (
        """func.func @main(%a: tensor<16xi8>, %b: tensor<16xi8>) -> (tensor<16xi8>, tensor<16xi8>) {
          %0 = stablehlo.multiply %a, %b : tensor<16xi8>
          %1 = stablehlo.divide %a, %b : tensor<16xi8>
          return %0, %1 : tensor<16xi8>, tensor<16xi8>
        }""",
        [np.array([-128, 127, 5, 0] * 4, np.int8), np.array([-1, 127, 0, 0, 3, -128, 100, 7] * 2, np.int8)],
    ),
    "matmul and reduction": (
        """func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
          %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
            : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
            : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
          return %0, %1 : tensor<4x2xf32>, tensor<4xf32>
        }""",
        [numbers(4, 8), numbers(8, 2)],
    ),
    "sort along the last dim": (
        """func.func @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
          %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
            ^bb0(%x: tensor<f32>, %y: tensor<f32>):
              %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
              stablehlo.return %c : tensor<i1>
          }) : (tensor<3x8xf32>) -> tensor<3x8xf32>
          return %0 : tensor<3x8xf32>
        }""",
        [numbers(3, 8)],
    ),
    "shapes": (
        """func.func @main(%a: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<2x12xf32>, tensor<2x3xf32>) {
          %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
          %1 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<2x12xf32>
          %2 = stablehlo.slice %a [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
          return %0, %1, %2 : tensor<6x4xf32>, tensor<2x12xf32>, tensor<2x3xf32>
        }""",
        [numbers(4, 6)],
    ),
    "loop": (
        """func.func @main(%n: tensor<i32>, %a: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
          %z = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %r:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<4xf32>
          cond {
            %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
          } do {
            %j = stablehlo.add %i, %one : tensor<i32>
            %y = stablehlo.add %x, %a : tensor<4xf32>
            stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>
          }
          return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
        }""",
        [np.array(7, np.int32), numbers(4)],
    ),
    "branches, index out of range": (
        """func.func @main(%i: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32> {
          %r = "stablehlo.case"(%i) ({
            %0 = stablehlo.add %a, %a : tensor<4xf32>
            stablehlo.return %0 : tensor<4xf32>
          }, {
            %1 = stablehlo.multiply %a, %a : tensor<4xf32>
            stablehlo.return %1 : tensor<4xf32>
          }) : (tensor<i32>) -> tensor<4xf32>
          return %r : tensor<4xf32>
        }""",
        [np.array(-1, np.int32), numbers(4)],
    ),
    "if": (
        """func.func @main(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
          %r = "stablehlo.if"(%p) ({
            stablehlo.return %a : tensor<4xf32>
          }, {
            %1 = stablehlo.multiply %a, %a : tensor<4xf32>
            stablehlo.return %1 : tensor<4xf32>
          }) : (tensor<i1>) -> tensor<4xf32>
          return %r : tensor<4xf32>
        }""",
        [np.array(True), numbers(4)],
    ),
    "map": (
        """func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %r = "stablehlo.map"(%a, %b) ({
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %0 = stablehlo.multiply %x, %y : tensor<f32>
            %1 = stablehlo.add %0, %y : tensor<f32>
            stablehlo.return %1 : tensor<f32>
          }) {dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
          return %r : tensor<3x4xf32>
        }""",
        [numbers(3, 4), numbers(3, 4)],
    ),
    "calls and barriers": (
        """func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
          %0 = stablehlo.add %a, %a : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
          %1:2 = stablehlo.optimization_barrier %0, %a : tensor<4xf32>, tensor<4xf32>
          return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
        }""",
        [numbers(4)],
    ),
    "nothing": (
        """func.func @main(%a: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<2xi32>) {
          %0 = stablehlo.add %a, %a : tensor<0x3xf32>
          %1 = stablehlo.constant dense<[1, -2]> : tensor<2xi32>
          return %0, %1 : tensor<0x3xf32>, tensor<2xi32>
        }""",
        [numbers(0, 3)],
    ),
    "narrow floats round once": (
        """func.func @main(%a: tensor<64xbf16>, %b: tensor<64xbf16>) -> (tensor<64xbf16>, tensor<64xbf16>) {
          %0 = stablehlo.add %a, %b : tensor<64xbf16>
          %1 = stablehlo.multiply %0, %b : tensor<64xbf16>
          return %0, %1 : tensor<64xbf16>, tensor<64xbf16>
        }""",
        [
            np.random.default_rng(0).normal(size=64).astype(ml_dtypes.bfloat16),
            np.random.default_rng(1).normal(size=64).astype(ml_dtypes.bfloat16),
        ],
    ),
    "value used by an op and by its region": (
        """func.func @main(%n: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32> {
          %z = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %b = stablehlo.add %a, %a : tensor<4xf32>
          %r:2 = stablehlo.while(%i = %z, %x = %b) : tensor<i32>, tensor<4xf32>
          cond {
            %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %p : tensor<i1>
          } do {
            %j = stablehlo.add %i, %one : tensor<i32>
            %y = stablehlo.subtract %b, %x : tensor<4xf32>
            %w = stablehlo.add %y, %a : tensor<4xf32>
            stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
          }
          return %r#1 : tensor<4xf32>
        }""",
        [np.array(3, np.int32), numbers(4)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_what_xla_computes(name: str) -> None:
    text, arguments = PROGRAMS[name]
    for mine, theirs in zip(evaluate(text, arguments), xla_runner.run(text, arguments), strict=True):
        assert same_bits(mine, theirs), (mine, theirs)


# ----------------------------------------------------------------------------------------------------------------------
# Inputs and outputs
# ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DTYPES)
def test_every_element_type_passes_unchanged(kind: str) -> None:
    dtype = np.dtype(DTYPES[kind])
    if kind == "i1":
        array = np.array([True, False, True])
    elif dtype.kind in "iu" or kind.startswith(("i", "ui")):
        array = np.arange(-8, 16).astype(dtype)
    else:
        array = np.array([1, 2, 0.5, 4], np.float64).astype(dtype)
    assert same_bits(evaluate(identity(kind, f"{array.size}x"), [array])[0], array)


@pytest.mark.parametrize("kind", [k for k in DTYPES if k.startswith(("f4", "f6E", "f8", "bf16", "f16"))])
def test_every_value_of_a_narrow_float_passes_unchanged(kind: str) -> None:
    dtype = np.dtype(DTYPES[kind])
    bits = {"f4": 4, "f6": 6, "f8": 8}.get(kind[:2], 16)
    raw = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)
    array = raw.view(dtype)
    result = evaluate(identity(kind, f"{array.size}x"), [array])[0].view(raw.dtype)
    # NaNs need not keep their payload, only their being one.
    isnan = np.isnan(array.astype(np.float32))
    assert (result[~isnan] == raw[~isnan]).all()
    assert np.isnan(result.view(dtype).astype(np.float32)[isnan]).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("endian", ["<", ">"])
def test_orders_of_elements_and_bytes(order: str, endian: str) -> None:
    array = np.asarray(np.arange(24).reshape(2, 3, 4), dtype=f"{endian}i4", order=order)
    assert (evaluate(identity("i32", "2x3x4x"), [array])[0] == array).all()


def write(folder: Path, text: str) -> Path:
    path = folder / "program.mlir"
    path.write_text(text)
    return path


def test_arguments_by_name_and_compressed(tmp_path: Path) -> None:
    text = 'func.func @main(%a: tensor<2xf32> loc("x"), %b: tensor<2xf32>) -> tensor<2xf32> {\n' + (
        "%0 = stablehlo.subtract %a, %b : tensor<2xf32>\n return %0 : tensor<2xf32> }"
    )
    np.savez_compressed(tmp_path / "in.npz", x=np.array([5, 6], F32), arg1=np.array([1, 1], F32), other=np.zeros(3))
    out = call("eval", write(tmp_path, text), "--inputs", tmp_path / "in.npz")
    assert out.startswith("result0: tensor<2xf32> ")
    assert out.rstrip().endswith("[4, 5]")
    assert hashlib.sha256(np.array([4, 5], F32).tobytes()).hexdigest() in out


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({}, "there is no array 'arg0'"),
        ({"arg0": np.zeros((2, 3), F32)}, "<f4 of shape (2, 3), the program takes tensor<3x2xf32>"),
        ({"arg0": np.zeros((3, 2))}, "<f8 of shape (3, 2), the program takes tensor<3x2xf32>"),
        ({"arg0": np.array(["a"])}, "a type that is not supported, '<U1'"),
    ],
)
def test_inputs_that_do_not_fit(tmp_path: Path, arrays: dict[str, np.ndarray], reason: str) -> None:
    np.savez(tmp_path / "in.npz", **arrays)
    with pytest.raises(EvaluationError) as error:
        call("eval", write(tmp_path, identity("f32", "3x2x")), "--inputs", tmp_path / "in.npz")
    assert error.value.code == BAD_INPUT
    assert reason in error.value.message
    assert "in.npz: error: " in error.value.message


def test_seeds_are_repeatable_and_differ(tmp_path: Path) -> None:
    program = write(tmp_path, identity("f32", "64x"))
    runs = [call("eval", program, "--inputs", f"seed:{seed}") for seed in (7, 7, 8)]
    assert runs[0] == runs[1] != runs[2]
    # The same on every machine.
    assert "sha256=24cac1ced39af0141a664f3cd7377e095177dec81a35b67f5e6e3ed65e5b3029" in runs[0]


def test_seeded_inputs_are_small_integers(tmp_path: Path) -> None:
    for kind in ("f32", "bf16", "f8E4M3FN", "i8", "f64"):
        program, out = write(tmp_path, identity(kind, "1000x")), tmp_path / "out.npz"
        call("eval", program, "--inputs", "seed:1", "-o", out)
        values = np.load(out)["result0"].view(DTYPES[kind]).astype(np.float64)
        assert set(values) == set(range(-4, 5)), kind


def test_ring_mode_adds_in_any_order() -> None:
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.multiply %a, %b : tensor<2xf32>
      %1 = stablehlo.subtract %0, %b : tensor<2xf32>
      return %1 : tensor<2xf32> }"""
    result = evaluate(text, [np.array([3, -2], F32), np.array([5, 7], F32)], "--ring")[0]
    # 3*5 - 5 and -2*7 - 7, mod 2^64.
    assert result.dtype == np.uint64
    assert result.tolist() == [10, 2**64 - 21]
    # What ring mode wrote, it reads.
    assert evaluate(identity("f32", "2x"), [result], "--ring")[0].tolist() == result.tolist()


def test_seed_must_be_a_number(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError) as error:
        call("eval", write(tmp_path, identity("f32")), "--inputs", "seed:x")
    assert error.value.code == USAGE


# ----------------------------------------------------------------------------------------------------------------------
# Limits and what cannot be run
# ----------------------------------------------------------------------------------------------------------------------

ENDLESS = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.while(%x = %a) : tensor<4xf32>
  cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}"""


def test_a_loop_without_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="more than the limit of 10000") as error:
        call("eval", write(tmp_path, ENDLESS), "--max-steps", "10000")
    assert error.value.code == LIMIT
    assert re.search(r"program.mlir:[24]:\d+: error: .* 'stablehlo\.", error.value.message)
    assert "--max-steps" in error.value.message


def test_work_is_limited(tmp_path: Path) -> None:
    """Ops are counted by what they do: two products are too much where a hundred thousand cheap ops are not."""
    program = write(tmp_path, ENDLESS)
    with pytest.raises(
        EvaluationError, match=r"too much work, more than the limit of 30000000; after 5\d{4} "
    ) as error:
        call("eval", program, "--max-work", "30000000")
    assert error.value.code == LIMIT and re.search(
        r"program.mlir:[24]:\d+: error: .* 'stablehlo\.", error.value.message
    )
    assert re.search(r"iterations of the loop at \S*program.mlir:2:\d+", error.value.message)
    product = "stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]"
    text = ENDLESS.replace("4xf32", "256x256xf32").replace(
        "stablehlo.return %x",
        f"%y = {product} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>\n stablehlo.return %y",
    )
    with pytest.raises(EvaluationError, match=r"'stablehlo.dot_general'.*; after 1 iterations of the loop") as error:
        call("eval", write(tmp_path, text), "--max-work", "30000000")
    assert error.value.code == LIMIT


def test_memory_is_limited_before_it_is_taken(tmp_path: Path) -> None:
    text = """func.func @main() -> tensor<16777216x16777216xf32> {
      %0 = stablehlo.constant dense<1.0> : tensor<16777216x16777216xf32>
      return %0 : tensor<16777216x16777216xf32> }"""
    with pytest.raises(EvaluationError, match="--max-memory-bytes") as error:
        call("eval", write(tmp_path, text))
    assert error.value.code == LIMIT
    assert "'stablehlo.constant'" in error.value.message
    with pytest.raises(EvaluationError, match="the arguments take too many bytes") as error:
        call("eval", write(tmp_path, identity("f32", "16777216x16777216x")))
    assert error.value.code == LIMIT


def test_no_argument_is_made_if_all_are_too_many_bytes(tmp_path: Path) -> None:
    first, second = "tensor<1073741824xf32>", "tensor<16777216x16777216xf32>"
    text = f"func.func @main(%a: {first}, %b: {second}) -> {second} {{ return %b : {second} }}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(EvaluationError, match="the arguments take too many bytes"):
        call("eval", write(tmp_path, text))
    # The first alone takes five seconds and more.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2


def test_values_are_freed_after_their_last_use(tmp_path: Path) -> None:
    steps = "\n".join(f"%{i + 1} = stablehlo.add %{i}, %{i} : tensor<1000000xf32>" for i in range(50))
    text = f"""func.func @main(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {{
      %0 = stablehlo.add %a, %a : tensor<1000000xf32>
      {steps}
      return %50 : tensor<1000000xf32> }}"""
    # 51 values of 4 MB, of which three live at a time.
    call("eval", write(tmp_path, text), "--max-memory-bytes", "16000000")
    with pytest.raises(EvaluationError) as error:
        call("eval", write(tmp_path, text), "--max-memory-bytes", "7000000")
    assert error.value.code == LIMIT


def test_constants_in_resources() -> None:
    """XLA reads no resources; jax.export and the bytecode of other tools have them."""
    text = """func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xi16>, tensor<3xi1>) {
          %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>
          %1 = stablehlo.add %a, %0 : tensor<2xf32>
          %2 = stablehlo.constant dense_resource<integers> : tensor<2x2xi16>
          %3 = stablehlo.constant dense_resource<booleans> : tensor<3xi1>
          return %1, %2, %3 : tensor<2xf32>, tensor<2x2xi16>, tensor<3xi1>
        }
        {-#
          dialect_resources: {
            builtin: {
              floats: "0x040000000000003F00000040",
              integers: "0x02000000010002000300FFFF",
              booleans: "0x01000000010001"
            }
          }
        #-}"""
    floats, integers, booleans = evaluate(text, [np.array([1, 2], F32)])
    assert floats.tolist() == [1.5, 4.0]
    assert integers.tolist() == [[1, 2], [3, -1]]
    assert booleans.tolist() == [True, False, True]


@pytest.mark.parametrize("resources", ["", '{-# dialect_resources: { builtin: { blob: "0x040000000000003F" } } #-}'])
def test_a_constant_without_its_elements_is_refused(tmp_path: Path, resources: str) -> None:
    program = write(
        tmp_path,
        f"""func.func @main() -> tensor<2xf32> {{
          %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
          return %0 : tensor<2xf32>
        }}
        {resources}""",
    )
    with pytest.raises(EvaluationError, match="does not hold the elements") as refused:
        call("eval", program)
    assert refused.value.code == BAD_INPUT


def test_an_unknown_custom_call_is_named(tmp_path: Path) -> None:
    text = """func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @mystery(%a) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32> }"""
    with pytest.raises(EvaluationError, match="the custom call 'mystery'") as error:
        call("eval", write(tmp_path, text))
    assert error.value.code == UNSUPPORTED
    assert "program.mlir:2:" in error.value.message


# ----------------------------------------------------------------------------------------------------------------------
# Broken files: an error, never a crash
# ----------------------------------------------------------------------------------------------------------------------


def archive(compressed: bool) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, arg0=np.arange(6, dtype=F32).reshape(3, 2))
    return buffer.getvalue()


def refuse(folder: Path, contents: bytes) -> EvaluationError | None:
    path = folder / "in.npz"
    path.write_bytes(contents)
    try:
        call("eval", write(folder, identity("f32", "3x2x")), "--inputs", path)
    except EvaluationError as error:
        assert error.code in (BAD_INPUT, LIMIT), error
        return error
    return None


@pytest.mark.parametrize("compressed", [False, True])
def test_files_that_are_cut_off(tmp_path: Path, compressed: bool) -> None:
    whole = archive(compressed)
    assert refuse(tmp_path, whole) is None
    for length in range(0, len(whole), 13):
        assert refuse(tmp_path, whole[:length]) is not None, length


@pytest.mark.parametrize("compressed", [False, True])
def test_files_with_a_changed_byte(tmp_path: Path, compressed: bool) -> None:
    whole = bytearray(archive(compressed))
    random = np.random.default_rng(3)
    for position in random.integers(0, len(whole), 60):
        changed = bytearray(whole)
        changed[position] ^= int(random.integers(1, 256))
        refuse(tmp_path, bytes(changed))


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 9), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (-3, -2), }",
        b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 2), }",
        b"{'descr': '<f0', 'fortran_order': False, 'shape': (3, 2), }",
        b"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3, 2), }",
        b"{'descr': '<f4'",
        b"",
    ],
)
def test_headers_that_lie(tmp_path: Path, header: bytes) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("arg0.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(24))
    assert refuse(tmp_path, buffer.getvalue()) is not None


def test_an_archive_that_would_fill_the_memory(tmp_path: Path) -> None:
    whole = bytearray(archive(compressed=True))
    directory = whole.rindex(b"PK\x01\x02")
    struct.pack_into("<I", whole, directory + 24, 0x7FFFFFFF)
    error = refuse(tmp_path, bytes(whole))
    assert error is not None
    assert "cannot unpack to" in error.message
