"""Local programs written by hand, and ways to spoil them: what `partita verify` must accept and refuse."""

from __future__ import annotations

from dataclasses import dataclass, field

MESH = 'sdy.mesh @mesh = <["data"=2, "model"=2]>\n'
DATA, MODEL, ALL = "[[0, 2], [1, 3]]", "[[0, 1], [2, 3]]", "[[0, 1, 2, 3]]"


def reduce_over(groups: str, source: str, type_: str, op: str = "add", channel: int = 1, element: str = "f32") -> str:
    scalar = f"tensor<{element}>"
    return f""""stablehlo.all_reduce"({source}) ({{
      ^bb0(%p: {scalar}, %q: {scalar}):
        %s = stablehlo.{op} %p, %q : {scalar}
        stablehlo.return %s : {scalar}
      }}) {{replica_groups = {dense(groups)}, channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>,
          use_global_device_ids}} : ({type_}) -> {type_}"""


def dense(groups: str) -> str:
    rows = groups.count("[") - 1
    return f"dense<{groups}> : tensor<{rows}x{(groups.count(',') + 1) // rows}xi64>"


def dot(lhs: str, rhs: str, lhs_type: str, rhs_type: str) -> str:
    """A matrix product: rows of the one, columns and element type of the other."""
    result = f"{lhs_type.split('x')[0]}x{rhs_type.split('x', 1)[1]}"
    types = f"(tensor<{lhs_type}>, tensor<{rhs_type}>) -> tensor<{result}>"
    return f"stablehlo.dot_general {lhs}, {rhs}, contracting_dims = [1] x [0] : {types}"


def total(source: str, type_: str) -> str:
    """The sum over the first of two dims."""
    types = f"(tensor<{type_}>, tensor<f32>) -> tensor<{type_.split('x', 1)[1]}>"
    return f"stablehlo.reduce({source} init: %zero) applies stablehlo.add across dimensions = [0] : {types}"


def channel(number: int) -> str:
    return f"channel_handle = #stablehlo.channel_handle<handle = {number}, type = 1>"


def manual(signature: str, operands: str, ins: str, outs: str, body: str, returns: str, results: str) -> str:
    """@main whose body is one manual computation over both axes."""
    names = ", ".join(f"%out#{i}" for i in range(results.count("tensor<")))
    count = results.count("tensor<")
    out = "%out:" + str(count) if count > 1 else "%out"
    names = names if count > 1 else "%out"
    shardings = [f"<@mesh, [{s}]>" for s in ins.split(" | ")]
    result_shardings = [f"<@mesh, [{s}]>" for s in outs.split(" | ")]
    types = ", ".join(part.split(": ", 1)[1] for part in signature.split(", %"))
    return f"""{MESH}func.func @main({signature}) -> ({results}) {{
  {out} = sdy.manual_computation({operands}) in_shardings=[{", ".join(shardings)}]
      out_shardings=[{", ".join(result_shardings)}] manual_axes={{"data", "model"}} {body}
    sdy.return {returns}
  }} : ({types}) -> ({results})
  return {names} : {results}
}}
"""


@dataclass
class Case:
    """A program, a right local program of it, and wrong ones: text to replace in the right one."""

    original: str
    local: str
    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)
    split_ops: int = 1


MATMUL = f"""func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> tensor<4x8xf32> {{
  %0 = {dot("%x", "%w", "4x6xf32", "6x8xf32")}
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}}
"""

DATA_PARALLEL = Case(
    f"""func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {{
  %0 = {dot("%x", "%w", "4x6xf32", "6x8xf32")}
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = {total("%1", "4x8xf32")}
  return %1, %2 : tensor<4x8xf32>, tensor<8xf32>
}}
""",
    manual(
        "%x: tensor<4x6xf32>, %w: tensor<6x8xf32>",
        "%x, %w",
        '{"data"}, {} | {}, {}',
        '{"data"}, {} | {}',
        f"""(%a: tensor<2x6xf32>, %b: tensor<6x8xf32>) {{
    %0 = {dot("%a", "%b", "2x6xf32", "6x8xf32")}
    %1 = stablehlo.tanh %0 : tensor<2x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = {total("%1", "2x8xf32")}
    %3 = {reduce_over(DATA, "%2", "tensor<8xf32>")}""",
        "%1, %3 : tensor<2x8xf32>, tensor<8xf32>",
        "tensor<4x8xf32>, tensor<8xf32>",
    ),
    {
        "missing all_reduce": ("sdy.return %1, %3", "sdy.return %1, %2"),
        "reduced over the wrong axis": (dense(DATA), dense(MODEL)),
        "reduced over both axes": (dense(DATA), dense(ALL)),
        "maximum for sum": ("stablehlo.add %p", "stablehlo.maximum %p"),
        "wrong dim": ('in_shardings=[<@mesh, [{"data"}, {}]>', 'in_shardings=[<@mesh, [{"model"}, {}]>'),
        "wrong function": ("stablehlo.tanh %0 : tensor<2x8", "stablehlo.negate %0 : tensor<2x8"),
    },
    3,
)

TENSOR_PARALLEL = Case(
    f"""func.func @main(%x: tensor<4x6xbf16>, %w: tensor<6x8xbf16>, %v: tensor<8x6xbf16>) -> tensor<4x6xbf16> {{
  %0 = {dot("%x", "%w", "4x6xbf16", "6x8xbf16")}
  %1 = stablehlo.logistic %0 : tensor<4x8xbf16>
  %2 = {dot("%1", "%v", "4x8xbf16", "8x6xbf16")}
  return %2 : tensor<4x6xbf16>
}}
""",
    manual(
        "%x: tensor<4x6xbf16>, %w: tensor<6x8xbf16>, %v: tensor<8x6xbf16>",
        "%x, %w, %v",
        '{}, {} | {}, {"model"} | {"model"}, {}',
        "{}, {}",
        f"""(%a: tensor<4x6xbf16>, %b: tensor<6x4xbf16>, %c: tensor<4x6xbf16>) {{
    %0 = {dot("%a", "%b", "4x6xbf16", "6x4xbf16")}
    %1 = stablehlo.logistic %0 : tensor<4x4xbf16>
    %2 = {dot("%1", "%c", "4x4xbf16", "4x6xbf16")}
    %3 = {reduce_over(MODEL, "%2", "tensor<4x6xbf16>", element="bf16")}""",
        "%3 : tensor<4x6xbf16>",
        "tensor<4x6xbf16>",
    ),
    {
        "missing all_reduce": ("sdy.return %3", "sdy.return %2"),
        "wrong group": (dense(MODEL), dense(DATA)),
        "uneven groups": (dense(MODEL), "dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>"),
        "weights cut the other way": ('[{"model"}, {}]>]', '[{"data"}, {}]>]'),
    },
    3,
)

ALL_TO_ALL = Case(
    """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.sine %x : tensor<4x8xf32>
  %1 = stablehlo.exponential %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
""",
    manual(
        "%x: tensor<4x8xf32>",
        "%x",
        '{"model"}, {}',
        '{}, {"model"}',
        f"""(%a: tensor<2x8xf32>) {{
    %0 = stablehlo.sine %a : tensor<2x8xf32>
    %1 = "stablehlo.all_to_all"(%0) {{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
        replica_groups = {dense(MODEL)}, {channel(1)}}} : (tensor<2x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.exponential %1 : tensor<4x4xf32>""",
        "%2 : tensor<4x4xf32>",
        "tensor<4x8xf32>",
    ),
    {
        "group out of order": (dense(MODEL), dense("[[1, 0], [2, 3]]")),
        "wrong group": (dense(MODEL), dense(DATA)),
    },
    3,
)

OFFSETS = Case(
    """func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  %1 = stablehlo.convert %0 : (tensor<8xi32>) -> tensor<8xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<8xf32>
  return %2, %0 : tensor<8xf32>, tensor<8xi32>
}
""",
    manual(
        "%x: tensor<8xf32>",
        "%x",
        "{}",
        '{"data", "model"} | {"data", "model"}',
        """(%a: tensor<8xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %offset = stablehlo.multiply %i, %two : tensor<i64>
    %piece = stablehlo.dynamic_slice %a, %offset, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    %start = stablehlo.convert %offset : (tensor<i64>) -> tensor<i32>
    %b = stablehlo.broadcast_in_dim %start, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %1 = stablehlo.add %0, %b : tensor<2xi32>
    %2 = stablehlo.convert %1 : (tensor<2xi32>) -> tensor<2xf32>
    %3 = stablehlo.multiply %piece, %2 : tensor<2xf32>""",
        "%3, %1 : tensor<2xf32>, tensor<2xi32>",
        "tensor<8xf32>, tensor<8xi32>",
    ),
    {
        "off by one": ("dense<2> : tensor<i64>", "dense<1> : tensor<i64>"),
        "iota without its offset": ("convert %1", "convert %0"),
        "axes in the other order": ('[{"data", "model"}]>] manual', '[{"model", "data"}]>] manual'),
    },
    5,
)

WHILE = """%{results} = stablehlo.while(%k = %zero, %acc = %start) : tensor<i32>, {type}
    cond {{
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
{body}
      stablehlo.return %next, %new : tensor<i32>, {type}
    }}"""

LOOP = Case(
    f"""func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> tensor<4x6xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.negate %x : tensor<4x6xf32>
    {
        WHILE.format(
            results="r:2",
            type="tensor<4x6xf32>",
            body=f'''      %d = {dot("%acc", "%w", "4x6xf32", "6x6xf32")}
      %t = stablehlo.tanh %d : tensor<4x6xf32>
      %new = stablehlo.add %t, %acc : tensor<4x6xf32>''',
        )
    }
    return %r#1 : tensor<4x6xf32>
}}
""",
    manual(
        "%x: tensor<4x6xf32>, %w: tensor<6x6xf32>",
        "%x, %w",
        '{}, {} | {"model"}, {}',
        "{}, {}",
        f"""(%a: tensor<4x6xf32>, %b: tensor<3x6xf32>) {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %m = stablehlo.remainder %i, %two : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %offset = stablehlo.multiply %m, %three : tensor<i32>
    %start = stablehlo.negate %a : tensor<4x6xf32>
    {
            WHILE.format(
                results="r:2",
                type="tensor<4x6xf32>",
                body=f'''      %part = stablehlo.dynamic_slice %acc, %zero, %offset, sizes = [4, 3]
        : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
      %d = {dot("%part", "%b", "4x3xf32", "3x6xf32")}
      %sum = {reduce_over(MODEL, "%d", "tensor<4x6xf32>")}
      %t = stablehlo.tanh %sum : tensor<4x6xf32>
      %new = stablehlo.add %t, %acc : tensor<4x6xf32>''',
            )
        }""",
        "%r#1 : tensor<4x6xf32>",
        "tensor<4x6xf32>",
    ),
    {
        "missing all_reduce": ("tanh %sum", "tanh %d"),
        "stale carry": ("return %next, %new", "return %next, %acc"),
        "start for carry": ("add %t, %acc", "add %t, %start"),
        "offset of another device": ("remainder %i, %two", "divide %i, %two"),
        "one trip more": ("dense<3> : tensor<i32>\n      %p", "dense<4> : tensor<i32>\n      %p"),
        "reduced twice": (
            "%t = stablehlo.tanh %sum",
            f"%again = {reduce_over(MODEL, '%sum', 'tensor<4x6xf32>', channel=2)}\n%t = stablehlo.tanh %again",
        ),
    },
    2,
)

SCATTERED = Case(
    MATMUL,
    manual(
        "%x: tensor<4x6xf32>, %w: tensor<6x8xf32>",
        "%x, %w",
        '{}, {"data"} | {"data"}, {}',
        "{}, {}",
        f"""(%a: tensor<4x3xf32>, %b: tensor<3x8xf32>) {{
    %0 = {dot("%a", "%b", "4x3xf32", "3x8xf32")}
    %1 = "stablehlo.reduce_scatter"(%0) ({{
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) {{scatter_dimension = 1 : i64, replica_groups = {dense(DATA)}, {channel(1)}, use_global_device_ids}}
      : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.tanh %1 : tensor<4x4xf32>
    %3 = "stablehlo.all_gather"(%2) {{all_gather_dim = 1 : i64, replica_groups = {dense(DATA)}, {channel(2)},
        use_global_device_ids}} : (tensor<4x4xf32>) -> tensor<4x8xf32>""",
        "%3 : tensor<4x8xf32>",
        "tensor<4x8xf32>",
    ),
    {
        "scattered in the other order": (
            f"scatter_dimension = 1 : i64, replica_groups = {dense(DATA)}",
            f"scatter_dimension = 1 : i64, replica_groups = {dense('[[2, 0], [3, 1]]')}",
        ),
        "gathered over the other axis": (
            f"all_gather_dim = 1 : i64, replica_groups = {dense(DATA)}",
            f"all_gather_dim = 1 : i64, replica_groups = {dense(MODEL)}",
        ),
    },
    3,
)

CASES = {
    "data parallel": DATA_PARALLEL,
    "tensor parallel": TENSOR_PARALLEL,
    "all_to_all": ALL_TO_ALL,
    "offsets": OFFSETS,
    "loop": LOOP,
    "reduce_scatter and all_gather": SCATTERED,
}
