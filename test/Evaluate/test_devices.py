"""Programs on several virtual devices: collectives, devices that part, manual computations."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest

import xla_runner
from partita_eval import EvaluationError, evaluate, same_bits

BAD_INPUT = 65
GLOBAL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def reducer(op: str, element: str = "f32") -> str:
    scalar = f"tensor<{element}>"
    return f"""({{
    ^bb0(%a: {scalar}, %b: {scalar}):
      %c = stablehlo.{op} %a, %b : {scalar}
      stablehlo.return %c : {scalar}
    }})"""


def rows(groups: list[list[int]]) -> str:
    return f"dense<{groups}> : tensor<{len(groups)}x{len(groups[0])}xi64>"


def program(body: str, argument: str, results: list[str]) -> str:
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    types = ", ".join(results)
    return f"func.func @main(%x: {argument}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}"


COLLECTIVES = {
    "all_reduce of all": (
        program(
            f'%r0 = "stablehlo.all_reduce"(%x) {reducer("add")} {{replica_groups = {rows([[0, 1, 2, 3]])}, {GLOBAL}}}'
            " : (tensor<4x6xf32>) -> tensor<4x6xf32>",
            "tensor<4x6xf32>",
            ["tensor<4x6xf32>"],
        ),
        np.float32,
    ),
    "all_reduce in groups, out of order": (
        program(
            f'%r0 = "stablehlo.all_reduce"(%x) {reducer("maximum")} {{replica_groups = {rows([[3, 1], [0, 2]])},'
            f" {GLOBAL}}} : (tensor<4x6xf32>) -> tensor<4x6xf32>",
            "tensor<4x6xf32>",
            ["tensor<4x6xf32>"],
        ),
        np.float32,
    ),
    "all_reduce of integers": (
        program(
            f'%r0 = "stablehlo.all_reduce"(%x) {reducer("multiply", "i8")} {{replica_groups ='
            f" {rows([[0, 1], [2, 3]])}, {GLOBAL}}} : (tensor<4x6xi8>) -> tensor<4x6xi8>",
            "tensor<4x6xi8>",
            ["tensor<4x6xi8>"],
        ),
        np.int8,
    ),
    "all_gather along both dims": (
        program(
            f'%r0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, replica_groups = {rows([[2, 0], [1, 3]])},'
            f" {GLOBAL}}} : (tensor<4x6xf32>) -> tensor<8x6xf32>\n"
            f'%r1 = "stablehlo.all_gather"(%x) {{all_gather_dim = 1 : i64, replica_groups = {rows([[0, 1, 2, 3]])},'
            f" {GLOBAL}}} : (tensor<4x6xf32>) -> tensor<4x24xf32>",
            "tensor<4x6xf32>",
            ["tensor<8x6xf32>", "tensor<4x24xf32>"],
        ),
        np.float32,
    ),
    "reduce_scatter": (
        program(
            f'%r0 = "stablehlo.reduce_scatter"(%x) {reducer("add")} {{scatter_dimension = 1 : i64, replica_groups ='
            f" {rows([[1, 0], [2, 3]])}, {GLOBAL}}} : (tensor<4x6xf32>) -> tensor<4x3xf32>",
            "tensor<4x6xf32>",
            ["tensor<4x3xf32>"],
        ),
        np.float32,
    ),
    "all_to_all": (
        program(
            f'%r0 = "stablehlo.all_to_all"(%x) {{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count ='
            f" 2 : i64, replica_groups = {rows([[0, 2], [3, 1]])}, {CHANNEL}}}"
            " : (tensor<4x6xf32>) -> tensor<8x3xf32>",
            "tensor<4x6xf32>",
            ["tensor<8x3xf32>"],
        ),
        np.float32,
    ),
    "collective_permute, one device left out": (
        program(
            f'%r0 = "stablehlo.collective_permute"(%x) {{source_target_pairs = {rows([[0, 1], [1, 2], [2, 0]])},'
            f" {CHANNEL}}} : (tensor<4x6xf32>) -> tensor<4x6xf32>",
            "tensor<4x6xf32>",
            ["tensor<4x6xf32>"],
        ),
        np.float32,
    ),
    "partition_id": (
        program(
            "%r0 = stablehlo.partition_id : tensor<ui32>\n%r1 = stablehlo.add %x, %x : tensor<4x6xf32>",
            "tensor<4x6xf32>",
            ["tensor<ui32>", "tensor<4x6xf32>"],
        ),
        np.float32,
    ),
}


def inputs(dtype: type, devices: int = 4) -> list[list[np.ndarray]]:
    random = np.random.default_rng(7)
    return [[random.integers(-9, 9, (4, 6)).astype(dtype)] for _ in range(devices)]


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collective_is_what_xla_computes(name: str) -> None:
    text, dtype = COLLECTIVES[name]
    arguments = inputs(dtype)
    ours = evaluate(text, arguments, devices=4)
    judged = xla_runner.run(text, arguments, devices=4)
    for device in range(4):
        for mine, theirs in zip(ours[device], judged[device], strict=True):
            assert same_bits(mine, theirs), (device, mine, theirs)


def test_several_operands_and_a_padded_group() -> None:
    text = (
        program(
            f'%r0, %r1 = "stablehlo.all_reduce"(%x, %x) {reducer("add")} {{replica_groups ='
            f" dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>, {GLOBAL}}} : (tensor<2xf32>, tensor<2xf32>) ->"
            " (tensor<2xf32>, tensor<2xf32>)",
            "tensor<2xf32>",
            ["tensor<2xf32>", "tensor<2xf32>"],
        )
        .replace("%r0, %r1 =", "%r:2 =")
        .replace("return %r0, %r1", "return %r#0, %r#1")
    )
    results = evaluate(text, [[np.array([i, 1], np.float32)] for i in range(4)], devices=4)
    # 0 + 1 + 2 = 3 from three devices; device 3 is alone.
    assert [r[0].tolist() for r in results] == [[3, 3], [3, 3], [3, 3], [3, 1]]
    assert [r[1].tolist() for r in results] == [[3, 3], [3, 3], [3, 3], [3, 1]]


def test_collective_broadcast() -> None:
    text = program(
        f'%r0 = "stablehlo.collective_broadcast"(%x) {{replica_groups = {rows([[2, 0]])}, {CHANNEL}}}'
        " : (tensor<2xf32>) -> tensor<2xf32>",
        "tensor<2xf32>",
        ["tensor<2xf32>"],
    )
    results = evaluate(text, [[np.array([i, 5], np.float32)] for i in range(4)], devices=4)
    # Device 2 sends to 0 and to itself; 1 and 3 are in no group and have zeros.
    assert [r[0].tolist() for r in results] == [[2, 5], [0, 0], [2, 5], [0, 0]]


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ('#stablehlo.axis_ref<name = "x">', [[0, 2], [1, 3]]),
        ('#stablehlo.axis_ref<name = "y">', [[0, 1], [2, 3]]),
        ('#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">', [[0, 2, 1, 3]]),
    ],
)
@pytest.mark.parametrize("mesh", ["@mesh", "inline"])
def test_groups_by_mesh_axes(mesh: str, axes: str, expected: list[list[int]]) -> None:
    axis = "#stablehlo.mesh_axis<name = {}, size = 2>"
    inline = f"#stablehlo.mesh<axes=[{axis.format(chr(34) + 'x' + chr(34))}, {axis.format(chr(34) + 'y' + chr(34))}]>"
    groups = f"#stablehlo.replica_group_mesh_axes<mesh = {inline if mesh == 'inline' else mesh}, axes = [{axes}]>"
    size = len(expected[0])
    text = (
        'module {\n sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
        + program(
            f'%r0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, replica_groups = {groups}, {GLOBAL}}}'
            f" : (tensor<1xf32>) -> tensor<{size}xf32>",
            "tensor<1xf32>",
            [f"tensor<{size}xf32>"],
        )
        + "\n}"
    )
    results = evaluate(text, [[np.array([i], np.float32)] for i in range(4)], devices=4)
    for group in expected:
        for device in group:
            assert results[device][0].tolist() == group


def test_cross_replica_and_partition_is_one_group() -> None:
    text = program(
        f'%r0 = "stablehlo.all_reduce"(%x) {reducer("add")} {{replica_groups = {rows([[0]])}, {CHANNEL}}}'
        " : (tensor<f32>) -> tensor<f32>",
        "tensor<f32>",
        ["tensor<f32>"],
    )
    assert [r[0] for r in evaluate(text, [[np.float32(i)] for i in range(3)], devices=3)] == [3, 3, 3]


def test_replicas_that_do_not_exist_are_refused() -> None:
    text = program(
        f'%r0 = "stablehlo.all_reduce"(%x) {reducer("add")} {{replica_groups = {rows([[0, 1]])}}}'
        " : (tensor<f32>) -> tensor<f32>",
        "tensor<f32>",
        ["tensor<f32>"],
    )
    with pytest.raises(EvaluationError, match="the groups name replica 1") as error:
        evaluate(text, [[np.float32(0)], [np.float32(1)]], devices=2)
    assert error.value.code == BAD_INPUT


# ----------------------------------------------------------------------------------------------------------------------
# Devices that part
# ----------------------------------------------------------------------------------------------------------------------

LOOP = f"""
func.func @main(%count: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32>
  cond {{
    %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = "stablehlo.all_reduce"(%s) {reducer("add")} {{replica_groups = GROUPS, {GLOBAL}}}
      : (tensor<f32>) -> tensor<f32>
    stablehlo.return %j, %t : tensor<i32>, tensor<f32>
  }}
  return %r#1 : tensor<f32>
}}
"""

BRANCHES = f"""
func.func @main(%which: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {{
  %r = "stablehlo.case"(%which) ({{
    %t = "stablehlo.all_reduce"(%x) {reducer("add")} {{replica_groups = GROUPS, {GLOBAL}}}
      : (tensor<f32>) -> tensor<f32>
    stablehlo.return %t : tensor<f32>
  }}, {{
    %u = stablehlo.multiply %x, %x : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }}) : (tensor<i32>) -> tensor<f32>
  return %r : tensor<f32>
}}
"""


def scalars(integers: list[int]) -> list[list[np.ndarray]]:
    return [[np.array(n, np.int32), np.array(i + 1, np.float32)] for i, n in enumerate(integers)]


def test_groups_may_loop_for_different_times() -> None:
    text = LOOP.replace("GROUPS", rows([[0, 1], [2, 3]]))
    results = evaluate(text, scalars([1, 1, 3, 3]), devices=4)
    # 1 + 2 = 3 once; 3 + 4 = 7, then doubled twice.
    assert [float(r[0]) for r in results] == [3, 3, 28, 28]


def test_a_device_that_left_the_loop_is_waited_for_in_vain() -> None:
    text = LOOP.replace("GROUPS", rows([[0, 1]]))
    with pytest.raises(EvaluationError) as error:
        evaluate(text, scalars([2, 4]), devices=2)
    assert error.value.code == BAD_INPUT
    assert re.search(
        r"program.mlir:11:\d+: error: deadlock: device 1 waits in 'stablehlo.all_reduce' for device 0, which left the"
        r" loop at \S*program.mlir:5:\d+ after 2 iterations",
        error.value.message,
    ), error.value.message


def test_branches_with_groups_of_their_own() -> None:
    text = BRANCHES.replace("GROUPS", rows([[0, 2], [1, 3]]))
    results = evaluate(text, scalars([0, 1, 0, -7]), devices=4)
    # 1 + 3 in branch 0; 2*2 and 4*4 in branch 1, which an index out of range takes too.
    assert [float(r[0]) for r in results] == [4, 4, 4, 16]


def test_a_device_in_another_branch_is_waited_for_in_vain() -> None:
    text = BRANCHES.replace("GROUPS", rows([[0, 1]]))
    with pytest.raises(
        EvaluationError, match=r"device 0 waits .* for device 1, which took branch 1 of 'stablehlo.case'"
    ):
        evaluate(text, scalars([0, 1]), devices=2)


# ----------------------------------------------------------------------------------------------------------------------
# Manual computations: global values in and out
# ----------------------------------------------------------------------------------------------------------------------


def mesh() -> jax.sharding.Mesh:
    return jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)


def lower_and_run(function, *arguments: np.ndarray) -> tuple[str, list[np.ndarray]]:
    """The program as JAX writes it, and what JAX computes by it on eight devices."""
    jitted = jax.jit(function)
    return jitted.lower(*arguments).as_text(), [np.asarray(r) for r in jitted(*arguments)]


def check(function, *arguments: np.ndarray) -> None:
    text, expected = lower_and_run(function, *arguments)
    assert "sdy.manual_computation" in text
    for mine, theirs in zip(evaluate(text, arguments), expected, strict=True):
        assert same_bits(mine, theirs), (mine, theirs)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-8, 8, shape).astype(np.float32)


def test_manual_computation() -> None:
    def body(a, b):
        total = jax.lax.psum(a + a, "y")
        whole = jax.lax.all_gather(b, "x", tiled=True)
        moved = jax.lax.ppermute(b, "x", [(0, 1), (1, 0)])
        return total, whole, moved * b

    spec = jax.P
    check(
        jax.shard_map(
            body,
            mesh=mesh(),
            in_specs=(spec("x", "y"), spec("x")),
            out_specs=(spec("x"), spec(), spec("x")),
            check_vma=False,
        ),
        numbers(4, 8),
        numbers(6),
    )


def test_manual_computation_cut_along_two_axes_and_exchanged() -> None:
    def body(a):
        turned = jax.lax.all_to_all(a, "y", 1, 0, tiled=True)
        return turned, jax.lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True)

    spec = jax.P
    check(
        jax.shard_map(
            body, mesh=mesh(), in_specs=spec(("y", "x")), out_specs=(spec(("x", "y")), spec("y", "x")), check_vma=False
        ),
        numbers(16, 8),
    )


def test_manual_computation_over_some_axes() -> None:
    def body(a):
        return (jax.lax.psum(a, "x") + a,)

    check(
        jax.shard_map(body, mesh=mesh(), in_specs=jax.P("x"), out_specs=(jax.P("x"),), axis_names={"x"}),
        numbers(4, 8),
    )


def test_manual_computation_inside_of_another() -> None:
    def inner(b):
        return jax.lax.psum(b, "y") + b

    def outer(a):
        piece = jax.shard_map(inner, in_specs=jax.P(None, "y"), out_specs=jax.P(None, "y"), axis_names={"y"})(a)
        return (jax.lax.psum(piece, "x"),)

    check(jax.shard_map(outer, mesh=mesh(), in_specs=jax.P("x"), out_specs=(jax.P(),), axis_names={"x"}), numbers(4, 8))


def test_replicas_that_disagree_are_named() -> None:
    text = """
    sdy.mesh @mesh = <["x"=2, "y"=2]>
    func.func @main(%a: tensor<4x2xf32>) -> tensor<2x2xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y", "x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]
          manual_axes={"x", "y"} (%b: tensor<1x2xf32>) {
        sdy.return %b : tensor<1x2xf32>
      } : (tensor<4x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }
    """
    # Positions (x, y): device 0 is (0, 0), device 1 is (0, 1); they hold rows 0 and 2, which differ in column 1.
    argument = np.array([[1, 2], [3, 4], [1, 5], [3, 4]], np.float32)
    with pytest.raises(EvaluationError) as error:
        evaluate(text, [argument])
    assert error.value.code == BAD_INPUT
    assert "devices 0 and 1 hold the same piece of result 0" in error.value.message
    assert "differ at its index [0, 1]" in error.value.message
    argument[2, 1] = 2
    assert evaluate(text, [argument])[0].tolist() == [[1, 2], [3, 4]]
